#include "compact.h"

#include <math.h>

#include "lang/analysis/moments.h"
#include "lang/ir/semantics.h"
#include "scheme/params.h"
#include "scheme/quality.h"

static double trusted(const hb_graph *g, const hb_compaction *how, hb_quality quality, uint32_t limbs)
{
    const bool worst = how->trust == HB_QUALITY_WORST;
    /* As where bits are checked that are wanted (error_analysis.h). */
    return hb_quality_bits(g->params, limbs, worst ? quality.worst : hb_quality_likely(g->params, quality));
}

/* Bits that are left of an exact result after modulus switches down to that level. */
static double bits_switched(const hb_facts *f, const hb_node *node, const hb_compaction *how, uint32_t to)
{
    const hb_graph *g = f->graph;
    hb_quality quality = hb_node_quality(f, node);
    for (uint32_t l = node->shape.limbs; l > to; l -= hb_graph_level_limbs(g)) {
        quality = hb_quality_mod_switch(g->params, l, quality, hb_facts_size(f, node)->size);
    }
    return trusted(g, how, quality, to);
}

/* Bits that are left of reals there; none where the level has no room for the values. */
static double bits_adjusted(const hb_facts *f, const hb_node *node, const hb_compaction *how, uint32_t to)
{
    const hb_graph *g = f->graph;
    const hb_magnitude values = hb_node_values(f, node);
    const hb_quality_factor factor = {hb_node_quality(f, node), hb_facts_size(f, node)->size, values, false};
    const hb_quality quality = hb_quality_adjust(g->params, node->shape.limbs, factor, to);
    hb_quality believed = quality;
    if (how->trust == HB_QUALITY_EXPECTED) {
        believed.worst = hb_quality_likely(g->params, believed);
    }
    if (!(log2(node->range.magnitude) <= hb_quality_room(g->params, to, believed))) {
        return -INFINITY;
    }
    return trusted(g, how, hb_quality_decoded(g->params, to, quality, values), to);
}

static bool keeps(const hb_lowering *l, const hb_facts *f, const hb_value *value, const hb_compaction *how, uint32_t to)
{
    const hb_graph *g = &l->graph;
    bool enough = true;
    for (uint32_t i = 0; enough && i < value->columns; i++) {
        const hb_node *node = &g->nodes[l->pool[value->first + i]];
        enough = (g->semantics->reals ? bits_adjusted(f, node, how, to) : bits_switched(f, node, how, to)) >= how->bits;
    }
    return enough;
}

hb_status hb_compact_output(hb_lowering *l, const hb_facts *facts, const hb_symbol *symbol, const hb_compaction *how,
                            bool *lowered)
{
    hb_graph *g = &l->graph;
    const hb_value *value = &symbol->value;
    const uint32_t own = hb_graph_level_limbs(g), from = g->nodes[l->pool[value->first]].shape.limbs;
    uint32_t to = from;
    /* Bits only become fewer on the way, so that the first level that is too low is the end of it. */
    while (from <= g->params->fresh_limbs && to > own && g->params->levels[to - own].basis.limbs > 0 &&
           keeps(l, facts, value, how, to - own)) {
        to -= own;
    }
    hb_graph_at_item(g, symbol->item, symbol->iteration);
    for (uint32_t i = 0; hb_graph_at_column(g, i, value->columns); i++) {
        uint32_t *node = &l->pool[value->first + i];
        for (uint32_t limbs = from; limbs > to; limbs -= own) {
            HB_TRY(hb_graph_mod_switch(g, *node, node));
        }
    }
    *lowered = *lowered || to < from;
    return HB_OK;
}
