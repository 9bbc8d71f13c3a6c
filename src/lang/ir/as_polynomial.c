/* A node as one polynomial operation of an earlier node. */
#include "polynomial.h"
#include "semantics.h"
#include "symbolic_polynomial.h"

/* Sets the coefficients of a polynomial, and returns whether they are known exactly. */
static bool coefficients_of(const hb_symbolic_polynomial *p, hb_number *c)
{
    bool exact = true;
    for (uint32_t k = 0; k <= p->degree; k++) {
        c[k] = (hb_number){.real = p->c[k].low};
        exact = exact && p->c[k].low == p->c[k].high;
    }
    return exact;
}

hb_status hb_graph_as_polynomial(hb_graph *g, uint32_t *node)
{
    const uint32_t from = *node;
    hb_number c[HB_SYMBOLIC_DEGREE + 1];
    if (g->semantics->reals && g->nodes[from].form.symbolic_count > 0 && g->nodes[from].op != HB_OP_POLYNOMIAL) {
        const hb_symbolic_polynomial p = g->symbolic.list[g->nodes[from].form.symbolic]; /* of the nearest */
        const bool exact = coefficients_of(&p, c);
        HB_TRY(exact && p.degree >= 3 ? hb_graph_poly_instead(g, p.base, c, p.degree, node) : HB_OK);
    }
    if (*node != from && g->nodes[*node].form.symbolic_count == 0) { /* others may be made of it and its base */
        g->nodes[*node].form.symbolic = g->nodes[from].form.symbolic;
        g->nodes[*node].form.symbolic_count = g->nodes[from].form.symbolic_count;
    }
    return HB_OK;
}
