#include "range_analysis.h"

#include <math.h>

#include "blocks.h"
#include "lang/program/range.h"
#include "polynomial.h"
#include "rules.h"
#include "semantics.h"
#include "symbolic_polynomial.h"

/* The factor or term beside `a`: the other operand, or the constant. */
static hb_interval other_values(const hb_graph *g, const hb_node *node)
{
    if (hb_operations[node->op].real) {
        return hb_interval_of_reals(node->real, node->real);
    }
    return hb_operations[node->op].constant ? hb_interval_of_number(node->number) : g->nodes[node->b].range.interval;
}

hb_interval hb_values_same(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->a].range.interval;
}

hb_interval hb_values_sum(const hb_graph *g, const hb_node *node)
{
    return hb_interval_add(g->nodes[node->a].range.interval, other_values(g, node));
}

hb_interval hb_values_difference(const hb_graph *g, const hb_node *node)
{
    return hb_interval_add(g->nodes[node->a].range.interval, hb_interval_negate(other_values(g, node)));
}

hb_interval hb_values_product(const hb_graph *g, const hb_node *node)
{
    const hb_interval a = g->nodes[node->a].range.interval;
    return node->a == node->b ? hb_interval_square(a) : hb_interval_multiply(a, other_values(g, node));
}

hb_interval hb_values_of_sum(const hb_graph *g, const hb_node *node)
{
    const int64_t rows = (int64_t)g->rows; /* below 2^63: files */
    return hb_interval_multiply(g->nodes[node->a].range.interval, hb_interval_of(rows, rows));
}

hb_interval hb_values_moved(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    /* Values in slots without a row move to slots that have one. */
    if (!a->shape.padding_zero && g->semantics->reals && isfinite(a->range.magnitude)) {
        return hb_interval_of_reals(-a->range.magnitude, a->range.magnitude);
    }
    if (!a->shape.padding_zero) {
        return (hb_interval){.known = false};
    }
    return hb_graph_partial(g) ? hb_interval_with_zero(a->range.interval) : a->range.interval;
}

/* Where its operand's range was rounded outwards, a little beyond [-1, 1]. */
hb_interval hb_values_root_two_times(const hb_graph *g, const hb_node *node)
{
    return hb_interval_multiply(g->nodes[node->a].range.interval,
                                hb_interval_of_reals(0x1.6a09e667f3bccp+0, 0x1.6a09e667f3bcdp+0));
}

double hb_magnitude_root_two_times(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->a].range.magnitude * 0x1.6a09e667f3bcep+0; /* rounded up */
}

hb_interval hb_values_polynomial(const hb_graph *g, const hb_node *node)
{
    const double magnitude = g->nodes[node->a].range.magnitude, off = isfinite(magnitude) ? fmax(magnitude - 1, 0) : 0;
    const hb_polynomial_entry *entry = &g->constants.polynomials.entry[node->number];
    double low, high;
    hb_chebyshev_range(&entry->polynomial, off, &low, &high);
    return hb_interval_of_reals(low - entry->error, high + entry->error);
}

/* Slots without a row do not get an added number: the range without it must lie in the range of the sum as well. */
hb_status hb_graph_believe(hb_graph *g, uint32_t a, hb_interval values)
{
    const hb_interval all = values, declared = hb_interval_to_reals(values);
    const double width = declared.high - declared.low;
    double added = 0;
    for (double most = 0;;) {
        hb_node *node = &g->nodes[a];
        const hb_interval both = node->range.interval.known ? hb_interval_meet(node->range.interval, values) : values;
        if (!both.known) {
            char known[HB_INTERVAL_TEXT], said[HB_INTERVAL_TEXT];
            hb_interval_text(known, node->range.interval);
            hb_interval_text(said, values);
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "the range that was given for these values is %s, and they lie in %s: none is inside",
                              said, known);
        }
        if (node->shape.gaps_zero && (values.low > 0 || values.high < 0)) {
            char said[HB_INTERVAL_TEXT];
            hb_interval_text(said, all);
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "the range that was given for these values is %s, and in the gaps of an image that a "
                              "stride made smaller "
                              "stands %g: the range must have it too",
                              said, added);
        }
        most = fmax(most, hb_interval_magnitude(values));
        hb_graph_values_are(g, a, both);
        node->range.declared_width = g->semantics->reals ? width : 0;
        node->range.magnitude = node->shape.tail_zero ? fmin(node->range.magnitude, most) : node->range.magnitude;
        if (node->op == HB_OP_ADD_NUMBER) {
            values = hb_interval_add(values, hb_interval_of_reals(-node->real, -node->real));
            added += node->real;
        } else if (node->op != HB_OP_RESCALE && node->op != HB_OP_ADJUST) {
            return HB_OK;
        }
        a = node->a;
    }
}

double hb_other_magnitude(const hb_graph *g, const hb_node *node)
{
    const bool number = hb_operations[node->op].real || hb_operations[node->op].constant;
    return number ? hb_interval_magnitude(other_values(g, node)) : g->nodes[node->b].range.magnitude;
}

static double upwards(double x)
{
    return nextafter(x, HUGE_VAL);
}

double hb_magnitude_of_sum(const hb_graph *g, const hb_node *node)
{
    return upwards(g->nodes[node->a].range.magnitude + hb_other_magnitude(g, node));
}

double hb_magnitude_of_product(const hb_graph *g, const hb_node *node)
{
    return upwards(g->nodes[node->a].range.magnitude * hb_other_magnitude(g, node));
}

/* Slots without rows count nothing here; but slots behind the columns of rows do, those of rows that are none as
 * well. */
double hb_magnitude_of_total(const hb_graph *g, const hb_node *node)
{
    const double slots = (double)(hb_graph_blocks(g) * hb_graph_capacity(g));
    return upwards(g->nodes[node->a].range.magnitude * (g->nodes[node->a].shape.tail_zero ? (double)g->rows : slots));
}

double hb_node_magnitude(const hb_graph *g, const hb_node *node)
{
    const hb_rule *rule = hb_rule_of(node->op);
    if (node->range.interval.known && hb_node_confined(node)) {
        return hb_interval_magnitude(node->range.interval); /* a total stands in every slot */
    }
    return rule->magnitude(g, node);
}

/* --- polynomials in the Chebyshev basis */

const hb_polynomial_entry *hb_polynomial_of(const hb_graph *g, const hb_node *node)
{
    return &g->constants.polynomials.entry[node->number];
}

uint32_t hb_polynomial_levels(const hb_graph *g, const hb_node *node)
{
    return hb_chebyshev_levels(&hb_polynomial_of(g, node)->polynomial);
}

/* Returns the slope at 0: T_k' is k U_(k-1), which is 1, -1, 1 .. there of odd k, and else 0. */
static double slope_at_zero(const hb_chebyshev *p)
{
    double slope = 0;
    for (uint32_t k = 1; k <= p->degree; k += 2) {
        slope += k % 4 == 1 ? k * p->coefficients[k] : -(k * p->coefficients[k]);
    }
    return slope;
}

/* Returns the value of which the argument of a polynomial is a multiple, plus a number; *times: how many times. So
 * arguments are brought into [-1, 1]. */
static const hb_node *argument_of(const hb_graph *g, const hb_node *node, double *times)
{
    const hb_node *a = &g->nodes[node->a];
    for (*times = 1;; a = &g->nodes[a->a]) {
        const bool same = hb_rule_of(a->op)->same_values && !hb_rule_of(a->op)->moved;
        if (a->op == HB_OP_MULTIPLY_NUMBER) {
            *times *= a->real;
        } else if (!same && a->op != HB_OP_ADD_NUMBER) {
            return a;
        }
    }
}

/* Up to errors of doubles. */
bool hb_polynomial_zero(const hb_graph *g, const hb_node *node)
{
    const hb_chebyshev *p = &hb_polynomial_of(g, node)->polynomial;
    double sum = 0;
    for (uint32_t k = 0; k <= p->degree; k++) {
        sum += fabs(p->coefficients[k]);
    }
    /* Errors there, which are all that such slots have, do not grow from one of several polynomials in turn to the next
     * either, as iterations are; stages of sign are none of these. */
    double times;
    const hb_node *a = argument_of(g, node, &times);
    const bool iterated = g->syntax->loops || (a->op == HB_OP_POLYNOMIAL && !a->range.steady);
    return fabs(hb_chebyshev_value(p, 0)) <= 0x1p-48 * fmax(sum, 0x1p-2) &&
           (!iterated || fabs(times * slope_at_zero(p)) <= 1 + 0x1p-40);
}
