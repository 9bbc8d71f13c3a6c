#include "one_row.h"

#include <math.h>

#include "annotate.h"
#include "blocks.h"
#include "moments.h"
#include "rules.h"
#include "scheme/quality.h"
#include "semantics.h"

static const hb_magnitude one_row = {.most = 0}; /* 1 in its slots, and 0 in others: as of 1 in all */

hb_status hb_graph_fill_rows(hb_graph *g, uint32_t row, bool dirty, bool spare, uint32_t *node, bool *masked)
{
    const bool level = g->params != NULL && g->nodes[*node].limbs > hb_graph_level_limbs(g);
    *masked = !dirty && spare && g->semantics->scales && level;
    HB_TRY(hb_graph_require_slots(g, HB_OP_FILL_ROWS));
    if (dirty || *masked) {
        HB_TRY(hb_graph_require_level(g, *node, "the product that masks all rows but one"));
        HB_TRY(hb_graph_unary(g, HB_OP_MASK_ROW, *node, row, node));
    }
    HB_TRY(hb_graph_unary(g, HB_OP_FILL_ROWS, *node, 0, node));
    return hb_graph_rest(g, *node, node);
}

static hb_quality product_with(const hb_graph *g, const hb_node *node, hb_magnitude plain)
{
    const hb_quality_factor factor = hb_node_factor(g, &g->nodes[node->a]);
    return hb_quality_multiply_plain(g->params, node->limbs, factor, HB_FACTOR_ANY, plain);
}

hb_quality hb_mask_quality(const hb_graph *g, const hb_node *node)
{
    return product_with(g, node, (hb_magnitude){.common = 1}); /* in nearly all slots */
}

hb_quality hb_mask_row_quality(const hb_graph *g, const hb_node *node)
{
    return product_with(g, node, one_row);
}

hb_quality hb_over_slots_quality(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    return hb_graph_packed(g) ? hb_quality_sum_window(g->params, node->limbs, quality, (uint32_t)hb_graph_capacity(g))
                              : hb_quality_sum_slots(g->params, node->limbs, quality);
}

/* What the mask's own error makes of the values of a node, and of their errors, where the mask is 0. */
static hb_quality masked_rest(const hb_graph *g, const hb_node *node, const hb_node *x)
{
    const double worst = exp2(-hb_node_bits(g, x, HB_QUALITY_WORST)),
                 expected = exp2(-hb_node_bits(g, x, HB_QUALITY_EXPECTED));
    hb_quality_factor others = {.size = 2, .values = hb_node_values(g, x)};
    others.values.most = log2(exp2(others.values.most) + worst);
    others.values.peak = log2(exp2(others.values.peak) + expected);
    others.values.mean = log2(exp2(others.values.mean) + expected);
    return hb_quality_multiply_plain(g->params, node->limbs, others, HB_FACTOR_ANY, one_row);
}

/* Where slots have errors of their own, those of a row that is masked are added to none but what is left of others. */
hb_quality hb_fill_rows_quality(const hb_graph *g, const hb_node *node)
{
    const hb_node *a = &g->nodes[node->a];
    if (a->op != HB_OP_MASK_ROW || !g->semantics->scales) {
        return hb_over_slots_quality(g, node, a->quality);
    }
    hb_quality own = a->quality; /* of one slot, which all have then */
    own.common = 1;
    own.peak = 0;
    return hb_quality_add(g->params, own, hb_over_slots_quality(g, node, masked_rest(g, node, &g->nodes[a->a])));
}
