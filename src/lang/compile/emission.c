/* The lists of instructions before registers are assigned (emit.h). */
#include <stdlib.h>

#include "emit.h"

uint32_t hb_emitted_value(const hb_facts *f, uint32_t node)
{
    if (node == HB_NO_NODE) {
        return HB_NO_NODE;
    }
    const hb_node *x = &f->graph->nodes[node];
    const bool sum = x->op == HB_OP_SUM_SLOTS;
    const bool second = sum ? f->size[x->a].size == 3 || f->graph->nodes[x->a].shape.scaled
                            : f->size[node].size < f->size[node].raw_size;
    return 2 * node + second;
}

void hb_emission_clear(hb_emission *e)
{
    for (uint32_t i = 0; e->listings != NULL && i < 2 * e->pass_count; i++) {
        free(e->listings[i].lines);
    }
    free(e->listings);
    *e = (hb_emission){0};
}
