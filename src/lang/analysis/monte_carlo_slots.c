#include "monte_carlo_slots.h"

#include <math.h>
#include <string.h>

#include "approximation_error.h"
#include "base/hash.h"
#include "error_bits.h"
#include "lang/ir/polynomial.h"
#include "moments.h"
#include "scheme/codec.h"

/* --- draws: always the same for a node */

typedef enum stream { OF_VALUES, OF_NUMBERS, OF_PARTS, OF_ERRORS } stream;

/* A word of the node, the stream and the place in it. */
static uint64_t word(uint32_t node, stream which, uint32_t i)
{
    return hb_mix((uint64_t)node << 32 | (uint64_t)which << 24 | i);
}

/* In [-1, 1). */
static double spread(uint32_t node, stream which, uint32_t i)
{
    return (double)(word(node, which, i) >> 11) * 0x1p-52 - 1;
}

static double sign_of(uint64_t signs, uint32_t bit)
{
    return (signs >> bit & 1) != 0 ? 1 : -1;
}

void hb_sample_add_errors(hb_sample *x, const hb_graph *g, const hb_node *node, double own, double common)
{
    const uint32_t n = (uint32_t)(node - g->nodes);
    const uint64_t all = word(n, OF_NUMBERS, 1);
    for (uint32_t k = 0; k < HB_SAMPLE_ERRORS / 64 && (own > 0 || common > 0); k++) {
        const uint64_t signs = word(n, OF_ERRORS, k);
        for (uint32_t i = 0; i < 64; i++) {
            x->error[64 * k + i] += own * sign_of(signs, i) + common * sign_of(all, i % HB_SAMPLE_DRAWS);
        }
    }
}

/* Draws values by the moments of a node; a total has one number in all slots. Some slots get the largest or least
 * likely values, as a few among many thousand have, and some slots get values ever nearer to 0. */
static void draw_values(const hb_facts *f, const hb_node *node, hb_sample *x)
{
    const hb_graph *g = f->graph;
    const uint32_t n = (uint32_t)(node - g->nodes);
    const hb_moments m = hb_moments_of_node(f, node);
    const double common = sqrt(3 * fmax(m.common - m.mean * m.mean, 0)), own = sqrt(3 * fmax(m.square - m.common, 0));
    const double middle = m.mean + common * spread(n, OF_NUMBERS, 0);
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        const double at = spread(n, OF_VALUES, i);
        x->value[i] = middle + own * (i < HB_SAMPLE_CORNERS ? copysign(1, at) : at);
        if (i >= HB_SAMPLE_CORNERS && i < HB_SAMPLE_CORNERS + HB_SAMPLE_SMALL && fabs(middle) < own) {
            x->value[i] = copysign(own, at) * exp2((double)HB_SAMPLE_CORNERS - i - 1);
        }
    }
}

/* A systematic error is in few slots where its mean is small. */
void hb_sample_draw(hb_sample *x, const hb_facts *f, const hb_node *node, hb_quality q)
{
    const hb_graph *g = f->graph;
    const uint32_t n = (uint32_t)(node - g->nodes);
    const double most = hb_node_error_value(g, node, q.systematic.most),
                 mean = hb_node_error_value(g, node, q.systematic.mean), all = hb_node_error_value(g, node, q.expected),
                 drawn = sqrt(fmax(all * all - most * most, 0));
    const uint32_t few = most > 0 ? (uint32_t)ceil(fmin(mean / most * mean / most, 1) * HB_SAMPLE_SLOTS) : 0;
    memset(x, 0, sizeof *x);
    x->linear = true;
    draw_values(f, node, x);
    hb_sample_add_errors(x, g, node, node->shape.total ? 0 : drawn, node->shape.total ? drawn : 0);
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        const bool there = (i + word(n, OF_PARTS, HB_SAMPLE_SLOTS)) % HB_SAMPLE_SLOTS < few;
        x->part[i] += there ? most * sign_of(word(n, OF_PARTS, i), 0) : 0;
    }
}

/* --- operations, slot by slot */

void hb_sample_add_times(hb_sample *x, const hb_sample *a, double number)
{
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        x->value[i] += number * a->value[i];
        x->part[i] += number * a->part[i];
    }
    for (uint32_t i = 0; i < HB_SAMPLE_ERRORS; i++) {
        x->error[i] += number * a->error[i];
    }
}

static void multiply(hb_sample *x, const hb_sample *a, const hb_sample *b)
{
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        const double u = a->value[i], v = b->value[i];
        x->value[i] = u * v;
        x->part[i] = u * b->part[i] + v * a->part[i] + a->part[i] * b->part[i];
        for (uint32_t k = i * HB_SAMPLE_DRAWS; k < (i + 1) * HB_SAMPLE_DRAWS; k++) {
            x->error[k] = u * b->error[k] + v * a->error[k] + a->error[k] * b->error[k];
        }
    }
}

/* Which T_k a function goes on with behind its polynomial: it misses the function as that one goes up and down. */
static uint32_t next_of(const hb_chebyshev *p)
{
    double sum[2] = {0, 0};
    const uint32_t degree = hb_chebyshev_degree(p);
    for (uint32_t k = 1; k <= degree; k++) {
        sum[k % 2] += fabs(p->coefficients[k]);
    }
    return degree + (sum[1 - degree % 2] > 0x1p-40 * sum[degree % 2] ? 1 : 2);
}

static void through_polynomial(const hb_graph *g, const hb_node *node, const hb_sample *a, hb_sample *x)
{
    const hb_polynomial_entry *entry = hb_polynomial_of(g, node);
    const uint32_t next = next_of(&entry->polynomial);
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        double slope;
        const double at = fmax(fmin(a->value[i], 1), -1);
        x->value[i] = hb_chebyshev_value_and_slope(&entry->polynomial, at, &slope);
        x->part[i] = slope * a->part[i] + copysign(entry->error, hb_chebyshev_term(next, at));
        for (uint32_t k = i * HB_SAMPLE_DRAWS; k < (i + 1) * HB_SAMPLE_DRAWS; k++) {
            x->error[k] = slope * a->error[k];
        }
    }
}

/* relu or |x| of a followed factor: outside its gap with the function's slope, within it with the error of its
 * approximation. */
static void through_corner(const hb_facts *f, const hb_node *node, const hb_sample *a, hb_sample *x)
{
    const hb_graph *g = f->graph;
    const uint32_t factor = hb_kink_factor(f, node);
    const hb_node *sign = &g->nodes[factor == node->a ? node->b : node->a];
    const double other = sign->range.interval.known && hb_interval_to_reals(sign->range.interval).low < -0.5 ? -1 : 0;
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        const double slope = a->value[i] > 0 ? 1 : other;
        x->value[i] = slope * a->value[i];
        x->part[i] =
            slope * a->part[i] + (fabs(a->value[i]) < node->range.kink_gap ? node->range.approximation_error : 0);
        for (uint32_t k = i * HB_SAMPLE_DRAWS; k < (i + 1) * HB_SAMPLE_DRAWS; k++) {
            x->error[k] = slope * a->error[k];
        }
    }
}

/* The value that a move brings to a slot is as good as drawn, but from the same distribution. */
static void move(const hb_node *node, const hb_sample *a, hb_sample *x)
{
    const uint32_t by = 1 + (uint32_t)word(0, OF_NUMBERS, (uint32_t)node->number & 0xffff) % (HB_SAMPLE_SLOTS - 1);
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        const uint32_t from = node->shape.total ? i : (i + by) % HB_SAMPLE_SLOTS;
        x->value[i] = a->value[from];
        x->part[i] = a->part[from];
        memcpy(&x->error[i * HB_SAMPLE_DRAWS], &a->error[from * HB_SAMPLE_DRAWS], HB_SAMPLE_DRAWS * sizeof(double));
    }
}

/* Adds the number of a sum with one. For constants of columns it is the middle of their range. */
static void shift(const hb_facts *f, const hb_node *node, hb_sample *x)
{
    const hb_graph *g = f->graph;
    double number = hb_operations[node->op].real ? node->real : (double)node->number;
    if (node->op == HB_OP_ADD_ROW) {
        number = hb_facts_error(f, node)->moments.mean - hb_facts_error(f, &g->nodes[node->a])->moments.mean;
    }
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        x->value[i] += number;
    }
}

/* The mean of values, and the mean square of their distance from it. */
typedef struct mean_square {
    double mean, square;
} mean_square;

static mean_square mean_of(const double *x, uint32_t step)
{
    mean_square m = {0, 0};
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        m.mean += x[i * step] / HB_SAMPLE_SLOTS;
    }
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        m.square += (x[i * step] - m.mean) * (x[i * step] - m.mean) / HB_SAMPLE_SLOTS;
    }
    return m;
}

/* More than so much of the mean square is the square of a mean that is none by chance. */
static const double chance = 9.0 / HB_SAMPLE_SLOTS;

void hb_sample_add_up(hb_sample *x, const hb_graph *g, const hb_sample *a)
{
    const mean_square value = mean_of(a->value, 1);
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS && value.mean * value.mean > chance * value.square; i++) {
        x->value[i] = (double)g->rows * value.mean;
    }
}

/* The sum over all rows, of which the slots are a few, where errors have more in common than chance makes of their
 * means; the rest is as that of independent rows, whose sum is one number. Returns false where they have not. */
static bool total(const hb_facts *f, const hb_node *node, const hb_sample *a, hb_sample *x)
{
    const hb_graph *g = f->graph;
    const double rows = (double)g->rows, tail = sqrt(log(2 * (double)hb_codec_capacity(g->spec, g->encoding)));
    const mean_square part = mean_of(a->part, 1);
    mean_square error[HB_SAMPLE_DRAWS];
    double squares = 0, means = 0;
    for (uint32_t k = 0; k < HB_SAMPLE_DRAWS; k++) {
        error[k] = mean_of(a->error + k, HB_SAMPLE_DRAWS);
        squares += error[k].square / HB_SAMPLE_DRAWS;
        means += error[k].mean * error[k].mean / HB_SAMPLE_DRAWS;
    }
    if (means <= chance * squares) {
        return false;
    }
    const double own = sqrt(rows * squares) / tail;
    const uint64_t signs = word((uint32_t)(node - g->nodes), OF_NUMBERS, 2);
    draw_values(f, node, x);
    hb_sample_add_up(x, g, a);
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        x->part[i] = rows * part.mean;
        for (uint32_t k = 0; k < HB_SAMPLE_DRAWS; k++) {
            x->error[i * HB_SAMPLE_DRAWS + k] = rows * error[k].mean + own * sign_of(signs, k);
        }
    }
    return true;
}

/* --- one follower an operation: sets the values and errors of its slots, or returns false where it cannot follow
 * them */

typedef bool follower(hb_sample *x, const hb_facts *f, const hb_node *node, hb_sample_operands of);

static bool follow_product(hb_sample *x, const hb_facts *f, const hb_node *node, hb_sample_operands of)
{
    if (node->range.kink_gap > 0) {
        through_corner(f, node, of.a, x);
        return true;
    }
    if (of.b != NULL) {
        multiply(x, of.a, of.b);
    }
    return of.b != NULL;
}

static bool follow_sum(hb_sample *x, const hb_facts *f, const hb_node *node, hb_sample_operands of)
{
    (void)f;
    const bool difference = node->op == HB_OP_SUBTRACT || node->op == HB_OP_SUBTRACT_PLAIN;
    if (of.b != NULL) {
        hb_sample_add_times(x, of.a, 1);
        hb_sample_add_times(x, of.b, difference ? -1 : 1);
    }
    return of.b != NULL;
}

static bool follow_multiple(hb_sample *x, const hb_facts *f, const hb_node *node, hb_sample_operands of)
{
    (void)f;
    hb_sample_add_times(x, of.a, node->op == HB_OP_MULTIPLY_INTEGER ? (double)node->number : node->real);
    return true;
}

static bool follow_negative(hb_sample *x, const hb_facts *f, const hb_node *node, hb_sample_operands of)
{
    (void)f;
    (void)node;
    hb_sample_add_times(x, of.a, -1);
    return true;
}

static bool follow_shift(hb_sample *x, const hb_facts *f, const hb_node *node, hb_sample_operands of)
{
    shift(f, node, x);
    hb_sample_add_times(x, of.a, 1);
    return true;
}

static bool follow_same(hb_sample *x, const hb_facts *f, const hb_node *node, hb_sample_operands of)
{
    (void)f;
    (void)node;
    hb_sample_add_times(x, of.a, 1);
    return true;
}

static bool follow_move(hb_sample *x, const hb_facts *f, const hb_node *node, hb_sample_operands of)
{
    (void)f;
    move(node, of.a, x);
    return true;
}

/* A stage of sign keeps its meaning for any error of its operand. */
static bool follow_polynomial(hb_sample *x, const hb_facts *f, const hb_node *node, hb_sample_operands of)
{
    if (node->range.steady) {
        return false;
    }
    through_polynomial(f->graph, node, of.a, x);
    return true;
}

static bool follow_total(hb_sample *x, const hb_facts *f, const hb_node *node, hb_sample_operands of)
{
    return total(f, node, of.a, x);
}

/* Linear operations change errors alike whatever the values are. */
typedef struct following {
    follower *follow;
    bool linear;
} following;

/* An operation without a follower draws its slots anew, as large as its bounds say, which expects no less. */
static const following followers[HB_OPCODES] = {
    [HB_OP_ADD] = {follow_sum, true},
    [HB_OP_SUBTRACT] = {follow_sum, true},
    [HB_OP_ADD_PLAIN] = {follow_sum, true},
    [HB_OP_SUBTRACT_PLAIN] = {follow_sum, true},
    [HB_OP_MULTIPLY] = {follow_product, false},
    [HB_OP_MULTIPLY_PLAIN] = {follow_product, false},
    [HB_OP_NEGATE] = {follow_negative, true},
    [HB_OP_MULTIPLY_INTEGER] = {follow_multiple, true},
    [HB_OP_MULTIPLY_NUMBER] = {follow_multiple, true},
    [HB_OP_ADD_CONSTANT] = {follow_shift, true},
    [HB_OP_ADD_NUMBER] = {follow_shift, true},
    [HB_OP_ADD_ROW] = {follow_shift, true},
    [HB_OP_RESCALE] = {follow_same, true},
    [HB_OP_ADJUST] = {follow_same, true},
    [HB_OP_MOD_SWITCH] = {follow_same, true},
    [HB_OP_CONJUGATE] = {follow_same, true},
    [HB_OP_BOOTSTRAP] = {follow_same, true},
    [HB_OP_BROADCAST] = {follow_same, true},
    [HB_OP_ROTATE] = {follow_move, true},
    [HB_OP_SWAP] = {follow_move, true},
    [HB_OP_POLYNOMIAL] = {follow_polynomial, false},
    [HB_OP_SUM_SLOTS] = {follow_total, false},
};

bool hb_sample_follow(hb_sample *x, const hb_facts *f, const hb_node *node, hb_sample_operands of)
{
    const following *way = &followers[node->op];
    if (of.a == NULL || way->follow == NULL || !way->follow(x, f, node, of)) {
        return false;
    }
    x->linear = way->linear && of.a->linear && (of.b == NULL || of.b->linear);
    return true;
}
