#include "parts_check.h"

#include <math.h>

#include "joint/part_plan.h"

/* The proven noise of an output, as it is stored in so many limbs. */
static double worst_of(const hb_lowering *l, const hb_facts *f, const hb_symbol *symbol, uint32_t *limbs)
{
    const hb_value *value = &symbol->value;
    double worst = 0;
    if (symbol->packed_limbs > 0) {
        *limbs = symbol->packed_limbs;
        return symbol->packed_quality.worst;
    }
    for (uint32_t i = 0; i < value->columns; i++) {
        const hb_node *node = &l->graph.nodes[l->pool[value->first + i]];
        worst = fmax(worst, hb_node_quality(f, node).worst);
        *limbs = node->shape.limbs;
    }
    return worst;
}

hb_status hb_parts_check(const hb_lowering *l, const hb_facts *f, hb_symbol *const *symbols, uint32_t count)
{
    const hb_graph *g = &l->graph;
    const hb_joint_spec *joint = &g->params->spec.joint;
    for (uint32_t i = 0; joint->owners > 1 && i < count; i++) {
        uint32_t limbs = 0;
        hb_part_plan plan;
        const double worst = worst_of(l, f, symbols[i], &limbs);
        const uint32_t parts = hb_spec_threshold(&g->params->spec);
        const hb_status st = hb_part_plan_make(g->params, limbs, worst, parts, joint->results, 0, &plan);
        if (st == HB_EDATA) {
            return HB_FAIL_AT(st, g->syntax->text, symbols[i]->item->at, "%.200s", hb_last_error()->text);
        }
        HB_TRY(st);
    }
    return HB_OK;
}
