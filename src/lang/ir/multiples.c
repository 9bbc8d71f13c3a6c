#include "multiples.h"

#include <math.h>
#include <string.h>

#include "known.h"
#include "rules.h"
#include "semantics.h"
#include "symbolic_polynomial.h"

/* Values are looked through so many operations down: what is found is looked for again on the way. */
enum { MOST_DEEP = 6 };

/* How far down an operand is, and whether others than the way down have it, too. */
typedef struct way {
    uint32_t deep;
    bool shared;
} way;

static hb_multiple multiple_of(const hb_graph *g, uint32_t a, way at);

static bool is_whole(double number)
{
    return fabs(number) <= 0x1p31 && nearbyint(number) == number;
}

static uint32_t least(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

/* Whether values without that number are of about the size of the others: they take room above the scale. */
static bool is_held(const hb_node *x, double number)
{
    enum { MOST_LARGER = 16 };
    const double most = x->range.magnitude, larger = isfinite(most) ? fmax(most, 1) / most : 1;
    return isnormal(number) && 1 <= MOST_LARGER * larger * fabs(number);
}

/* Whether all that is known of a node follows from its operands, or from its range. */
static bool is_plain_arithmetic(const hb_node *x)
{
    return x->range.approximation_error == 0 && x->range.declared_width == 0 && x->range.kink_gap == 0 &&
           x->range.margin == 0 && !x->range.steady && !x->shape.plain;
}

/* A sum as number times a sum: the numbers of its terms, and the one that is taken out. */
typedef struct sum_multiple {
    hb_multiple a, b;
    double number;
    uint32_t limbs;
} sum_multiple;

/* Returns the level at rest of a term without its own number, times this one. */
static uint32_t limbs_of_term(const hb_graph *g, hb_multiple term, double number)
{
    return is_whole(term.number / number) ? term.limbs : term.limbs - hb_graph_level_limbs(g);
}

/* The number is that of the term without which the sum is higher; the other term takes the quotient. */
static sum_multiple multiple_of_sum(const hb_graph *g, const hb_node *node, way at)
{
    sum_multiple s = {.a = multiple_of(g, node->a, at), .b = multiple_of(g, node->b, at), .number = 1};
    const double numbers[2] = {s.a.number, s.b.number};
    for (int i = 0; i < 2; i++) {
        const uint32_t limbs = least(limbs_of_term(g, s.a, numbers[i]), limbs_of_term(g, s.b, numbers[i]));
        if (numbers[i] != 1 && limbs > s.limbs) {
            s.number = numbers[i];
            s.limbs = limbs;
        }
    }
    return s;
}

/* Returns how many times its operand a node is. */
static double own_number(const hb_node *node)
{
    return node->op == HB_OP_MULTIPLY_NUMBER    ? node->real
           : node->op == HB_OP_MULTIPLY_INTEGER ? (double)node->number
           : node->op == HB_OP_NEGATE           ? -1
                                                : 1;
}

/* The level of the rest is 0 where no number is looked for. */
static hb_multiple found(const hb_graph *g, const hb_node *node, way at)
{
    if (node->op == HB_OP_ADD || node->op == HB_OP_SUBTRACT) {
        const sum_multiple s = multiple_of_sum(g, node, at);
        return (hb_multiple){s.number, s.limbs};
    }
    const bool linear = node->op == HB_OP_ADD_NUMBER || node->op == HB_OP_ROTATE;
    const double own = own_number(node);
    if (node->op != HB_OP_MULTIPLY && own == 1 && !linear) {
        return (hb_multiple){1, 0};
    }
    const hb_multiple a = multiple_of(g, node->a, at);
    if (node->op != HB_OP_MULTIPLY) {
        return (hb_multiple){own * a.number, a.limbs};
    }
    const hb_multiple b = multiple_of(g, node->b, at);
    return (hb_multiple){a.number * b.number, least(a.limbs, b.limbs) - hb_graph_level_limbs(g)};
}

/* Returns the way to the operands of a node. The name of a statement is no other user where levels have an end: mostly
 * all that take the value take the same rest. Where values are bootstrapped, a value and its rest would both be. */
static way below(const hb_graph *g, const hb_node *node, way at)
{
    const uint32_t own = (uint32_t)(at.deep > 0) + (uint32_t)(node->named && !g->boundless);
    return (way){at.deep + 1, at.shared || node->users > own};
}

/* A node that others have, too, would be made a second time without its number: products and rotations are costly. */
static hb_multiple multiple_of(const hb_graph *g, uint32_t a, way at)
{
    const bool there = g->unplaced && g->params != NULL && g->semantics->scales;
    const hb_node *node = &g->nodes[a];
    const hb_multiple none = {1, hb_node_rest_limbs(g, a)};
    const bool dear = node->op == HB_OP_MULTIPLY || node->op == HB_OP_ROTATE;
    if (!there || at.deep == MOST_DEEP || !is_plain_arithmetic(node) || (dear && below(g, node, at).shared) ||
        (g->boundless && node->named)) {
        return none;
    }
    const hb_multiple m = found(g, node, below(g, node, at));
    return is_held(node, m.number) && m.limbs > none.limbs ? m : none;
}

hb_multiple hb_node_multiple(const hb_graph *g, uint32_t a)
{
    return multiple_of(g, a, (way){0, false});
}

/* Returns one over a number. */
static hb_bounds inverse_of(double number)
{
    int exponent;
    const bool exact = fabs(frexp(number, &exponent)) == 0.5;
    const double inverse = 1 / number;
    return (hb_bounds){exact ? inverse : nextafter(inverse, -HUGE_VAL), exact ? inverse : nextafter(inverse, HUGE_VAL)};
}

/* Facts about the value are known of the rest. */
static void keep_known(hb_graph *g, uint32_t a, double number, uint32_t made)
{
    const hb_node *from = &g->nodes[a];
    const hb_bounds by = inverse_of(number);
    if (from->range.interval.known && isfinite(by.low) && isfinite(by.high)) {
        const double low = by.low - 0x1p-50 * fabs(by.low), high = by.high + 0x1p-50 * fabs(by.high);
        hb_graph_narrow(g, made, hb_interval_multiply(from->range.interval, hb_interval_of_reals(low, high)));
    }
    g->nodes[made].shape.halves = from->shape.halves;
    g->nodes[made].shape.pair = from->shape.pair;
}

static hb_status take(hb_graph *g, uint32_t i, way at, double *number, uint32_t *out);

/* Makes a term of a sum of which the number is taken out. */
static hb_status take_term(hb_graph *g, uint32_t a, double number, way at, uint32_t *out)
{
    double own;
    HB_TRY(take(g, a, at, &own, out));
    return hb_graph_scale(g, *out, (hb_number){.real = own / number}, out);
}

static hb_status take_sum(hb_graph *g, const hb_node *node, way at, double *number, uint32_t *out)
{
    uint32_t a, b;
    *number = multiple_of_sum(g, node, at).number;
    HB_TRY(take_term(g, node->a, *number, at, &a));
    HB_TRY(take_term(g, node->b, *number, at, &b));
    return node->op == HB_OP_ADD ? hb_graph_add(g, a, b, out) : hb_graph_subtract(g, a, b, out);
}

static hb_status take_product(hb_graph *g, const hb_node *node, way at, double *number, uint32_t *out)
{
    double first, second;
    uint32_t a, b;
    HB_TRY(take(g, node->a, at, &first, &a));
    HB_TRY(take(g, node->b, at, &second, &b));
    *number = first * second;
    return hb_graph_multiply(g, a, b, out);
}

/* For operations on one operand. */
static hb_status take_other(hb_graph *g, const hb_node *node, way at, double *number, uint32_t *out)
{
    HB_TRY(take(g, node->a, at, number, out));
    *number *= own_number(node);
    if (node->op == HB_OP_ADD_NUMBER) {
        return hb_graph_add_constant(g, *out, (hb_number){.real = node->real / *number}, out);
    }
    return node->op == HB_OP_ROTATE ? hb_graph_rotate(g, *out, node->number, out) : HB_OK;
}

/* Nodes that were made here, from `before` on, were made for the place of the value, and not for that of its user. */
static void come_from(hb_graph *g, uint32_t before, const hb_origin *origin)
{
    const hb_origin here = hb_origin_of(g->position.item, g->position.iteration);
    for (uint32_t i = before; i < g->count; i++) {
        if (memcmp(&g->nodes[i].origin, &here, sizeof here) == 0) {
            g->nodes[i].origin = *origin;
        }
    }
}

/* Nodes that are made may be those of other ways down, which are shared then: the number is what was taken out. */
static hb_status take(hb_graph *g, uint32_t i, way at, double *number, uint32_t *out)
{
    const hb_node node = g->nodes[i];
    const uint32_t before = g->count;
    *number = 1;
    *out = i;
    if (!hb_multiple_is_higher(g, i, multiple_of(g, i, at))) {
        return HB_OK;
    }
    if (node.op == HB_OP_MULTIPLY) {
        HB_TRY(take_product(g, &node, below(g, &node, at), number, out));
    } else if (node.op == HB_OP_ADD || node.op == HB_OP_SUBTRACT) {
        HB_TRY(take_sum(g, &node, below(g, &node, at), number, out));
    } else {
        HB_TRY(take_other(g, &node, below(g, &node, at), number, out));
    }
    keep_known(g, i, *number, *out);
    come_from(g, before, &node.origin);
    return hb_graph_is_multiple(g, *out, i, inverse_of(*number));
}

hb_status hb_graph_take_number(hb_graph *g, uint32_t a, double *number, uint32_t *out)
{
    return take(g, a, (way){0, false}, number, out);
}
