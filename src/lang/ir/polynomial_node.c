/* Shape and range of the node of a polynomial in the Chebyshev basis. */
#include <math.h>

#include "polynomial.h"
#include "rules.h"

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
