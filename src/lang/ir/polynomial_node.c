/* What follows for the node of a polynomial in the Chebyshev basis. */
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

/* Whether it is one of several polynomials in turn, as iterations are; stages of sign are none of these. */
static bool is_iterated(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    while (hb_rule_of(a->op)->same_values && !hb_rule_of(a->op)->moved) {
        a = &g->nodes[a->a];
    }
    return g->syntax->loops || (a->op == HB_OP_POLYNOMIAL && !a->range.steady);
}

/* Up to errors of doubles. */
bool hb_polynomial_zero(const hb_graph *g, const hb_node *node)
{
    const hb_chebyshev *p = &hb_polynomial_of(g, node)->polynomial;
    double sum = 0;
    for (uint32_t k = 0; k <= p->degree; k++) {
        sum += fabs(p->coefficients[k]);
    }
    /* Errors there, which are all that such slots have, do not grow from iteration to iteration either. */
    return fabs(hb_chebyshev_value(p, 0)) <= 0x1p-48 * fmax(sum, 0x1p-2) &&
           (!is_iterated(g, node) || fabs(slope_at_zero(p)) <= 1);
}
