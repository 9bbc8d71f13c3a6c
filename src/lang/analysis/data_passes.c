#include "data_passes.h"

hb_status hb_facts_find_data_passes(hb_facts *f)
{
    const hb_graph *g = f->graph;
    f->passes = 1;
    for (uint32_t i = 0; i < f->count; i++) {
        const hb_node *node = &g->nodes[i];
        const hb_node_list operands = hb_node_operands(g, node);
        hb_node_size *x = &f->size[i];
        for (uint32_t j = 0; j < operands.count; j++) {
            const uint32_t a = operands.node[j];
            /* totals are there after their pass */
            const uint32_t pass = f->size[a].pass + (g->nodes[a].shape.total && !node->shape.total);
            x->pass = x->pass > pass ? x->pass : pass;
        }
        if (x->pass >= HB_MAX_DATA_PASSES) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, node->origin.at,
                              "this needs more than %d passes over the data", HB_MAX_DATA_PASSES);
        }
        if (x->used && x->pass >= f->passes) {
            f->passes = x->pass + 1;
        }
    }
    return HB_OK;
}
