#include "sample.h"

#include <math.h>
#include <string.h>

#include "annotate.h"
#include "corner.h"
#include "moments.h"
#include "polynomial.h"
#include "scheme/codec.h"

/* --- what is drawn: of each node always the same */

typedef enum stream { OF_VALUES, OF_NUMBERS, OF_PARTS, OF_ERRORS } stream;

/* splitmix64, of the node, the stream and the place in it. */
static uint64_t word(uint32_t node, stream which, uint32_t i)
{
    uint64_t x = ((uint64_t)node << 32 | (uint64_t)which << 24 | i) + 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
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

/* Values as the moments of a node have them: those of a total are one number. Some slots have what is largest or least
 * of all that is drawn, as is likely of a few among many thousand. */
static void draw_values(const hb_graph *g, const hb_node *node, hb_sample *x)
{
    const uint32_t n = (uint32_t)(node - g->nodes);
    const hb_moments m = hb_moments_of_node(node);
    const double common = sqrt(3 * fmax(m.common - m.mean * m.mean, 0)), own = sqrt(3 * fmax(m.square - m.common, 0));
    const double middle = m.mean + common * spread(n, OF_NUMBERS, 0);
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        const double at = spread(n, OF_VALUES, i);
        x->value[i] = middle + own * (i < HB_SAMPLE_CORNERS ? copysign(1, at) : at);
    }
}

/* What is systematic is in few slots where its mean is small. */
void hb_sample_draw(hb_sample *x, const hb_graph *g, const hb_node *node, hb_quality q)
{
    const uint32_t n = (uint32_t)(node - g->nodes);
    const double most = hb_node_error_value(g, node, q.systematic.most),
                 mean = hb_node_error_value(g, node, q.systematic.mean), all = hb_node_error_value(g, node, q.expected),
                 drawn = sqrt(fmax(all * all - most * most, 0));
    const uint32_t few = most > 0 ? (uint32_t)ceil(fmin(mean / most * mean / most, 1) * HB_SAMPLE_SLOTS) : 0;
    memset(x, 0, sizeof *x);
    draw_values(g, node, x);
    hb_sample_add_errors(x, g, node, node->total ? 0 : drawn, node->total ? drawn : 0);
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

/* relu or |x| of a factor that is followed: beside its gap as steep as they are, and what it misses within it. */
static void through_corner(const hb_graph *g, const hb_node *node, const hb_sample *a, hb_sample *x)
{
    const uint32_t factor = hb_corner_factor(g, node);
    const hb_node *sign = &g->nodes[factor == node->a ? node->b : node->a];
    const double other = sign->interval.known && hb_interval_to_reals(sign->interval).low < -0.5 ? -1 : 0;
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        const double slope = a->value[i] > 0 ? 1 : other;
        x->value[i] = slope * a->value[i];
        x->part[i] = slope * a->part[i] + (fabs(a->value[i]) < node->cornered ? node->missed : 0);
        for (uint32_t k = i * HB_SAMPLE_DRAWS; k < (i + 1) * HB_SAMPLE_DRAWS; k++) {
            x->error[k] = slope * a->error[k];
        }
    }
}

/* What a move brings to a slot is as good as drawn, but of the same. */
static void move(const hb_node *node, const hb_sample *a, hb_sample *x)
{
    const uint32_t by = 1 + (uint32_t)word(0, OF_NUMBERS, (uint32_t)node->number & 0xffff) % (HB_SAMPLE_SLOTS - 1);
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        const uint32_t from = node->total ? i : (i + by) % HB_SAMPLE_SLOTS;
        x->value[i] = a->value[from];
        x->part[i] = a->part[from];
        memcpy(&x->error[i * HB_SAMPLE_DRAWS], &a->error[from * HB_SAMPLE_DRAWS], HB_SAMPLE_DRAWS * sizeof(double));
    }
}

/* Adds the number of a sum with one. Of constants of columns it is in the middle of what they are. */
static void shift(const hb_graph *g, const hb_node *node, hb_sample *x)
{
    double number = hb_operations[node->op].real ? node->real : (double)node->number;
    if (node->op == HB_OP_ADD_ROW) {
        number = node->moments.mean - g->nodes[node->a].moments.mean;
    }
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        x->value[i] += number;
    }
}

/* Of so many values: their mean, and the mean square of what they are from it. */
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
static bool total(const hb_graph *g, const hb_node *node, const hb_sample *a, hb_sample *x)
{
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
    draw_values(g, node, x);
    hb_sample_add_up(x, g, a);
    for (uint32_t i = 0; i < HB_SAMPLE_SLOTS; i++) {
        x->part[i] = rows * part.mean;
        for (uint32_t k = 0; k < HB_SAMPLE_DRAWS; k++) {
            x->error[i * HB_SAMPLE_DRAWS + k] = rows * error[k].mean + own * sign_of(signs, k);
        }
    }
    return true;
}

/* Of one operand. */
static bool follow_one(hb_sample *x, const hb_graph *g, const hb_node *node, const hb_sample *a)
{
    double number = 1;
    switch (node->op) {
    case HB_OP_POLYNOMIAL:
        if (node->steady) {
            return false;
        }
        through_polynomial(g, node, a, x);
        return true;
    case HB_OP_ROTATE:
    case HB_OP_SWAP:
        move(node, a, x);
        return true;
    case HB_OP_SUM_SLOTS:
        return total(g, node, a, x);
    case HB_OP_NEGATE:
        number = -1;
        break;
    case HB_OP_MULTIPLY_INTEGER:
        number = (double)node->number;
        break;
    case HB_OP_MULTIPLY_NUMBER:
        number = node->real;
        break;
    case HB_OP_ADD_CONSTANT:
    case HB_OP_ADD_NUMBER:
    case HB_OP_ADD_ROW:
        shift(g, node, x);
        break;
    case HB_OP_RESCALE:
    case HB_OP_ADJUST:
    case HB_OP_MOD_SWITCH:
    case HB_OP_CONJUGATE:
    case HB_OP_BOOTSTRAP:
    case HB_OP_BROADCAST:
        break;
    default:
        return false;
    }
    hb_sample_add_times(x, a, number);
    return true;
}

bool hb_sample_follow(hb_sample *x, const hb_graph *g, const hb_node *node, hb_sample_operands of)
{
    const bool difference = node->op == HB_OP_SUBTRACT || node->op == HB_OP_SUBTRACT_PLAIN;
    if (of.a == NULL) {
        return false;
    }
    switch (node->op) {
    case HB_OP_MULTIPLY:
    case HB_OP_MULTIPLY_PLAIN:
        if (node->cornered > 0) {
            through_corner(g, node, of.a, x);
        } else if (of.b != NULL) {
            multiply(x, of.a, of.b);
        }
        return node->cornered > 0 || of.b != NULL;
    case HB_OP_ADD:
    case HB_OP_SUBTRACT:
    case HB_OP_ADD_PLAIN:
    case HB_OP_SUBTRACT_PLAIN:
        if (of.b != NULL) {
            hb_sample_add_times(x, of.a, 1);
            hb_sample_add_times(x, of.b, difference ? -1 : 1);
        }
        return of.b != NULL;
    default:
        return follow_one(x, g, node, of.a);
    }
}
