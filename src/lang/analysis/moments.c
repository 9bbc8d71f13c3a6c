#include "moments.h"

#include <math.h>

#include "lang/ir/semantics.h"

/* --- values of which nothing but a range is known */

hb_moments hb_moments_of_range(const hb_node *node)
{
    const hb_interval range = hb_interval_to_reals(node->range.interval);
    const double low = range.low, high = range.high, most = node->range.magnitude;
    if (!range.known) {
        return (hb_moments){.square = most * most, .peak = most};
    }
    if (node->shape.halves != HB_HALVES_REAL) { /* over a disc */
        return (hb_moments){.square = high * high / 2, .peak = high};
    }
    const double mean = (low + high) / 2;
    return (hb_moments){mean, (low * low + low * high + high * high) / 3, mean * mean, fmax(-low, high)};
}

hb_moments hb_moments_of_node(const hb_facts *f, const hb_node *node)
{
    return hb_operations[node->op].loads ? hb_moments_of_range(node) : hb_facts_error(f, node)->moments;
}

static hb_moments moments_of(const hb_facts *f, uint32_t i)
{
    return hb_moments_of_node(f, &f->graph->nodes[i]);
}

/* The moments of the other operand, or of the constant. */
static hb_moments other_moments(const hb_facts *f, const hb_node *node)
{
    const double number = hb_operations[node->op].real ? node->real : (double)node->number;
    if (hb_operations[node->op].real || hb_operations[node->op].constant) {
        return (hb_moments){number, number * number, number * number, fabs(number)};
    }
    return moments_of(f, node->b);
}

/* --- sums */

static hb_moments scaled(const hb_moments *a, double number)
{
    const double square = number * number;
    return (hb_moments){number * a->mean, square * a->square, square * a->common, fabs(number) * a->peak};
}

static hb_moments added(const hb_graph *g, const hb_moments *a, const hb_moments *b)
{
    const double both = 2 * a->mean * b->mean;
    hb_moments sum = {.mean = a->mean + b->mean,
                      .square = fmax(a->square + b->square + both, 0),
                      .common = fmax(a->common + b->common + both, 0)};
    /* The largest values of both together, but at most the likely ones of a sum: a sum of many similar values.
     * Systematic errors are largest in single slots, so there it is a sum of few values that are seldom large. */
    const double rare =
        !g->approximates ? 0 : hypot(fmax(a->peak - sqrt(a->common), 0), fmax(b->peak - sqrt(b->common), 0));
    const double likely = sqrt(sum.common) + fmax(HB_LIKELY_DEVIATIONS * sqrt(fmax(sum.square - sum.common, 0)), rare);
    sum.peak = fmax(fmin(a->peak + b->peak, likely), sqrt(sum.square));
    return sum;
}

static hb_moments with_other(const hb_facts *f, const hb_node *node, double sign)
{
    const hb_graph *g = f->graph;
    const hb_moments a = moments_of(f, node->a), other = other_moments(f, node), b = scaled(&other, sign);
    return node->a == node->b ? scaled(&a, 2) : added(g, &a, &b);
}

hb_moments hb_moments_of_sum(const hb_facts *f, const hb_node *node)
{
    return with_other(f, node, 1);
}

hb_moments hb_moments_of_difference(const hb_facts *f, const hb_node *node)
{
    return with_other(f, node, -1);
}

hb_moments hb_moments_of_negative(const hb_facts *f, const hb_node *node)
{
    const hb_moments a = moments_of(f, node->a);
    return scaled(&a, -1);
}

hb_moments hb_moments_turned(const hb_facts *f, const hb_node *node)
{
    hb_moments turned = moments_of(f, node->a);
    turned.mean = 0;
    return turned;
}

hb_moments hb_moments_of_combination(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_combination_terms terms = hb_node_combination(g, node);
    hb_moments sum = {0};
    for (uint32_t i = terms.first; i < terms.first + terms.count; i++) {
        const double number =
            terms.whole ? (double)g->combinations.term_weights[i].integer : g->combinations.term_weights[i].real;
        const hb_moments a = moments_of(f, g->combinations.term_nodes[i]), term = scaled(&a, number);
        sum = added(g, &sum, &term);
    }
    return sum;
}

/* One number, which stands in all slots: its largest is its own size. */
hb_moments hb_moments_of_total(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_moments a = moments_of(f, node->a);
    const double rows = (double)g->rows, square = rows * rows * a.common + rows * fmax(a.square - a.common, 0);
    return (hb_moments){rows * a.mean, square, square, sqrt(square)};
}

hb_moments hb_moments_of_row(const hb_facts *f, const hb_node *node)
{
    const hb_moments a = moments_of(f, node->a);
    return (hb_moments){a.mean, a.square, a.square, a.peak};
}

/* --- products */

static hb_magnitude magnitude_of(const hb_moments *a)
{
    const double square = fmax(a->square, 0x1p-1000), peak = fmax(a->peak, 0x1p-500);
    return (hb_magnitude){
        .most = log2(peak), .mean = log2(square) / 2, .common = fmin(a->common / square, 1), .peak = log2(peak)};
}

/* For a node with itself, or with its conjugate: of moduli the same. */
static bool is_square(const hb_graph *g, const hb_node *node)
{
    const hb_node *b = node->b == HB_NO_NODE ? NULL : &g->nodes[node->b];
    const hb_node *a = &g->nodes[node->a];
    return node->a == node->b || (b != NULL && b->op == HB_OP_CONJUGATE && b->a == node->a) ||
           (b != NULL && a->op == HB_OP_CONJUGATE && a->a == node->b);
}

hb_moments hb_moments_of_product(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_moments a = moments_of(f, node->a);
    if (is_square(g, node)) {
        const hb_magnitude square = hb_magnitude_squared(magnitude_of(&a));
        const double fourth = exp2(2 * square.mean);
        return (hb_moments){a.square, fourth, square.common * fourth, a.peak * a.peak};
    }
    const hb_moments b = other_moments(f, node);
    return (hb_moments){a.mean * b.mean, a.square * b.square, a.common * b.common, a.peak * b.peak};
}

/* For powers peak u^k of one evenly spread variable the mean square is peak^2 / (2 k + 1). Factors that have something
 * in common lie between those and independent ones: in the middle. */
hb_moments hb_moments_of_related(const hb_moments *a, const hb_moments *b)
{
    const double peak = a->peak * b->peak, left = a->peak * a->peak / a->square, right = b->peak * b->peak / b->square;
    const double powers = peak * peak / (left + right - 1);
    return (hb_moments){a->mean * b->mean, sqrt(powers * a->square * b->square), a->common * b->common, peak};
}

/* --- for bounds */

hb_magnitude hb_magnitude_up_to(double most)
{
    const double bits = log2(fmax(most, 0x1p-1000)); /* of 0 as well */
    return (hb_magnitude){bits, bits, 0, bits};
}

hb_magnitude hb_node_values(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_magnitude largest = hb_magnitude_up_to(node->range.magnitude);
    if (!g->semantics->reals) {
        return largest;
    }
    const hb_moments moments = hb_moments_of_node(f, node);
    hb_magnitude values = magnitude_of(&moments);
    values.most = largest.most;
    values.peak = fmin(values.peak, largest.most);
    values.mean = fmin(values.mean, values.peak);
    return values;
}

hb_quality_factor hb_node_factor(const hb_facts *f, const hb_node *x)
{
    return (hb_quality_factor){hb_node_quality(f, x), hb_facts_size(f, x)->size, hb_node_values(f, x), false};
}
