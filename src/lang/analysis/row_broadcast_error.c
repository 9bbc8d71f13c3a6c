#include "row_broadcast_error.h"

#include <math.h>

#include "error_bits.h"
#include "lang/ir/blocks.h"
#include "lang/ir/semantics.h"
#include "moments.h"
#include "scheme/quality.h"

static const hb_magnitude one_row = {.most = 0}; /* 1 in its slots, and 0 in others: as of 1 in all */

static hb_quality product_with(const hb_facts *f, const hb_node *node, hb_magnitude plain)
{
    const hb_graph *g = f->graph;
    const hb_quality_factor factor = hb_node_factor(f, &g->nodes[node->a]);
    return hb_quality_multiply_plain(g->params, node->shape.limbs, factor, HB_FACTOR_ANY, plain);
}

hb_quality hb_mask_quality(const hb_facts *f, const hb_node *node)
{
    return product_with(f, node, (hb_magnitude){.common = 1}); /* in nearly all slots */
}

hb_quality hb_mask_row_quality(const hb_facts *f, const hb_node *node)
{
    return product_with(f, node, one_row);
}

hb_quality hb_over_slots_quality(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    return hb_graph_packed(g)
               ? hb_quality_sum_window(g->params, node->shape.limbs, quality, (uint32_t)hb_graph_capacity(g))
               : hb_quality_sum_slots(g->params, node->shape.limbs, quality);
}

/* The effect of the mask's own error on the values of a node, and on their errors, where the mask is 0. */
static hb_quality masked_rest(const hb_facts *f, const hb_node *node, const hb_node *x)
{
    const hb_graph *g = f->graph;
    const double worst = exp2(-hb_node_bits(f, x, HB_QUALITY_WORST)),
                 expected = exp2(-hb_node_bits(f, x, HB_QUALITY_EXPECTED));
    hb_quality_factor others = {.size = 2, .values = hb_node_values(f, x)};
    others.values.most = log2(exp2(others.values.most) + worst);
    others.values.peak = log2(exp2(others.values.peak) + expected);
    others.values.mean = log2(exp2(others.values.mean) + expected);
    return hb_quality_multiply_plain(g->params, node->shape.limbs, others, HB_FACTOR_ANY, one_row);
}

/* Where slots have errors of their own, those of a row that is masked are added to none but what is left of others. */
hb_quality hb_fill_rows_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = &g->nodes[node->a];
    if (a->op != HB_OP_MASK_ROW || !g->semantics->scales) {
        return hb_over_slots_quality(g, node, hb_node_quality(f, a));
    }
    hb_quality own = hb_node_quality(f, a); /* of one slot, which all have then */
    own.common = 1;
    own.peak = 0;
    return hb_quality_add(g->params, own, hb_over_slots_quality(g, node, masked_rest(f, node, &g->nodes[a->a])));
}
