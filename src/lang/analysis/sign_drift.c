#include "sign_drift.h"

#include <math.h>

#include "lang/ir/polynomial.h"
#include "stage.h"

const hb_node *hb_sign_stage_before(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    while (a->op == HB_OP_RESCALE || a->op == HB_OP_ADJUST || a->op == HB_OP_ADD_NUMBER || a->op == HB_OP_BOOTSTRAP) {
        a = &g->nodes[a->a];
    }
    return a->op == HB_OP_POLYNOMIAL && a->range.steady && a->range.right_from == 0 ? a : NULL;
}

hb_drift hb_sign_drift(const hb_facts *f, const hb_node *last)
{
    const hb_graph *g = f->graph;
    while (f->underlying != NULL) { /* whatever an overlay asks, imaginary parts are there */
        f = f->underlying;
    }
    hb_drift_stage stages[HB_DRIFT_MOST_STAGES];
    uint32_t first = HB_DRIFT_MOST_STAGES;
    for (const hb_node *node = last; node != NULL; node = hb_sign_stage_before(g, node)) {
        const hb_node *a = &g->nodes[node->a];
        const double off = hb_error_value_at(g->params, a->shape.limbs, hb_node_quality(f, a).worst);
        if (first == 0) {
            return (hb_drift){.kept = false};
        }
        /* What approximations miss is real. Only of the first operand it is in the error, and no part of its values. */
        const double drawn = fmax(off - (f->without_approximation ? 0 : hb_facts_error(f, a)->approximate), 0);
        stages[--first] = (hb_drift_stage){&hb_polynomial_of(g, node)->polynomial, drawn, a->range.margin};
    }
    return hb_approximations_drift(g->found.approximations, stages + first, HB_DRIFT_MOST_STAGES - first,
                                   last->range.right_from);
}
