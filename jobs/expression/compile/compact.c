#include "compact.h"

#include <math.h>

#include "expression/graph/annotate.h"
#include "expression/graph/moments.h"
#include "expression/graph/semantics.h"
#include "scheme/params.h"
#include "scheme/quality.h"

static double trusted(const hb_graph *g, const hb_compaction *how, hb_quality quality, uint32_t limbs)
{
    const bool worst = how->trust == HB_QUALITY_WORST;
    /* As where bits are checked that are wanted (annotate.h). */
    return hb_quality_bits(g->params, limbs, worst ? quality.worst : quality.expected) -
           (worst ? 0 : hb_quality_margin(g->params));
}

/* Bits that are left of an exact result after modulus switches down to that level. */
static double bits_switched(const hb_graph *g, const hb_node *node, const hb_compaction *how, uint32_t to)
{
    hb_quality quality = node->quality;
    for (uint32_t l = node->limbs; l > to; l -= hb_graph_level_limbs(g)) {
        quality = hb_quality_mod_switch(g->params, l, quality, node->size);
    }
    return trusted(g, how, quality, to);
}

/* Bits that are left of reals there; none where the level has no room for the values. */
static double bits_adjusted(const hb_graph *g, const hb_node *node, const hb_compaction *how, uint32_t to)
{
    const hb_magnitude values = hb_node_values(g, node);
    const hb_quality_factor factor = {node->quality, node->size, values, false};
    const hb_quality quality = hb_quality_adjust(g->params, node->limbs, factor, to);
    hb_quality believed = quality;
    if (how->trust == HB_QUALITY_EXPECTED) {
        believed.worst = fmin(believed.worst, believed.expected + hb_quality_margin(g->params));
    }
    if (!(log2(node->magnitude) <= hb_quality_room(g->params, to, believed))) {
        return -INFINITY;
    }
    return trusted(g, how, hb_quality_decoded(g->params, to, quality, values), to);
}

static bool keeps(const hb_lowering *l, const hb_value *value, const hb_compaction *how, uint32_t to)
{
    const hb_graph *g = &l->graph;
    bool enough = true;
    for (uint32_t i = 0; enough && i < value->columns; i++) {
        const hb_node *node = &g->nodes[l->pool[value->first + i]];
        enough = (g->semantics->reals ? bits_adjusted(g, node, how, to) : bits_switched(g, node, how, to)) >= how->bits;
    }
    return enough;
}

hb_status hb_compact_output(hb_lowering *l, const hb_symbol *symbol, const hb_compaction *how, bool *lowered)
{
    hb_graph *g = &l->graph;
    const hb_value *value = &symbol->value;
    const uint32_t own = hb_graph_level_limbs(g), from = g->nodes[l->pool[value->first]].limbs;
    uint32_t to = from;
    /* Bits only become fewer on the way, so that the first level that is too low is the end of it. */
    while (from <= g->params->fresh_limbs && to > own && g->params->levels[to - own].basis.limbs > 0 &&
           keeps(l, value, how, to - own)) {
        to -= own;
    }
    g->item = symbol->item;
    for (uint32_t i = 0; i < value->columns; i++) {
        uint32_t *node = &l->pool[value->first + i];
        g->value_column = i;
        for (uint32_t limbs = from; limbs > to; limbs -= own) {
            HB_TRY(hb_graph_mod_switch(g, *node, node));
        }
    }
    *lowered = *lowered || to < from;
    return HB_OK;
}
