#include "sign_drift.h"

#include <math.h>

#include "lang/ir/polynomial.h"
#include "stage.h"

const hb_node *hb_sign_stage_before(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    while (hb_sign_passes(a) || a->op == HB_OP_BOOTSTRAP) {
        a = &g->nodes[a->a];
    }
    return a->op == HB_OP_POLYNOMIAL && a->range.steady && a->range.valid_from == 0 ? a : NULL;
}

bool hb_keeps_margin(const hb_facts *f, const hb_node *operand)
{
    const double worst = hb_node_quality(f, operand).worst;
    return hb_error_value_at(f->graph->params, operand->shape.limbs, worst) <= operand->range.margin;
}

double hb_imaginary_part(const hb_facts *f, const hb_node *node)
{
    while (f->underlying != NULL) {
        f = f->underlying;
    }
    const double off = hb_error_value_at(f->graph->params, node->shape.limbs, hb_node_quality(f, node).worst);
    return fmax(off - (f->without_approximation ? 0 : hb_facts_error(f, node)->approximate), 0);
}

/* A first stage whose operand is off by more than its margin is a polynomial as any other: all is in its error. */
static double off_first(const hb_facts *f, const hb_node *operand)
{
    return hb_keeps_margin(f, operand) ? hb_imaginary_part(f, operand) : 0;
}

hb_drift hb_sign_drift(const hb_facts *f, const hb_node *stage)
{
    const hb_graph *g = f->graph;
    hb_drift_stage stages[HB_DRIFT_MOST_STAGES];
    uint32_t first = HB_DRIFT_MOST_STAGES;
    for (const hb_node *node = stage; node != NULL; node = hb_sign_stage_before(g, node)) {
        const hb_node *a = &g->nodes[node->a];
        if (first == 0) {
            return (hb_drift){.kept = false};
        }
        const double off = hb_sign_stage_before(g, node) == NULL
                               ? off_first(f, a)
                               : hb_error_value_at(g->params, a->shape.limbs, hb_node_quality(f, a).worst);
        stages[--first] = (hb_drift_stage){&hb_polynomial_of(g, node)->polynomial, off, a->range.margin};
    }
    return hb_approximations_drift(g->found.approximations, stages + first, HB_DRIFT_MOST_STAGES - first,
                                   stage->range.valid_from);
}
