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

/* Whether an exact result keeps enough bits after modulus switches down to that level. */
static bool keeps_budget(const hb_facts *f, const hb_node *node, const hb_compaction *how, uint32_t to)
{
    const hb_graph *g = f->graph;
    const uint32_t from = node->shape.limbs;
    hb_quality quality = hb_node_quality(f, node);
    const bool proven = hb_quality_bits(g->params, from, quality.worst) >= 1;
    const double least = how->own ? fmin(how->bits, trusted(g, how, quality, from)) : how->bits;
    for (uint32_t l = from; l > to; l -= hb_graph_level_limbs(g)) {
        quality = hb_quality_mod_switch(g->params, l, quality, hb_facts_size(f, node)->size);
    }
    return trusted(g, how, quality, to) >= least && (!proven || hb_quality_bits(g->params, to, quality.worst) >= 1);
}

/* Bits of reals at a level; none where it has no room for the values. */
static double real_bits(const hb_graph *g, const hb_compaction *how, hb_quality quality, hb_magnitude values,
                        uint32_t limbs)
{
    hb_quality believed = quality;
    if (how->trust == HB_QUALITY_EXPECTED) {
        believed.worst = hb_quality_likely(g->params, believed);
    }
    return values.most <= hb_quality_room(g->params, limbs, believed)
               ? trusted(g, how, hb_quality_decoded(g->params, limbs, quality, values), limbs)
               : -INFINITY;
}

/* Bits that are left of reals once they are at that level. */
static double bits_adjusted(const hb_facts *f, const hb_node *node, const hb_compaction *how, uint32_t to)
{
    const hb_graph *g = f->graph;
    const uint32_t from = node->shape.limbs;
    const hb_magnitude values = hb_node_values(f, node);
    const hb_quality_factor factor = {hb_node_quality(f, node), hb_facts_size(f, node)->size, values, false};
    const hb_quality quality = to < from ? hb_quality_adjust(g->params, from, factor, to) : factor.quality;
    return real_bits(g, how, quality, values, to);
}

static bool keeps_precision(const hb_facts *f, const hb_node *node, const hb_compaction *how, uint32_t to)
{
    const double bits = bits_adjusted(f, node, how, to);
    const double own = bits_adjusted(f, node, how, node->shape.limbs);
    return bits >= how->bits && (!how->own || bits >= own - HB_COMPACT_LOSS);
}

static bool keeps(const hb_lowering *l, const hb_facts *f, const hb_value *value, const hb_compaction *how, uint32_t to)
{
    const hb_graph *g = &l->graph;
    bool enough = true;
    for (uint32_t i = 0; enough && i < value->columns; i++) {
        const hb_node *node = &g->nodes[l->pool[value->first + i]];
        enough = g->semantics->reals ? keeps_precision(f, node, how, to) : keeps_budget(f, node, how, to);
    }
    return enough;
}

hb_status hb_compact_output(hb_lowering *l, const hb_facts *facts, hb_symbol *symbol, const hb_compaction *how,
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
    symbol->computed_limbs = to < from ? from : 0;
    *lowered = *lowered || to < from;
    return HB_OK;
}

uint32_t hb_computed_node(const hb_lowering *l, const hb_symbol *symbol, uint32_t column)
{
    const hb_node *nodes = l->graph.nodes;
    uint32_t node = l->pool[symbol->value.first + column];
    while (nodes[node].shape.limbs < symbol->computed_limbs &&
           (nodes[node].op == HB_OP_MOD_SWITCH || nodes[node].op == HB_OP_ADJUST)) {
        node = nodes[node].a;
    }
    return node;
}
