#include "mask_error.h"

#include "error_analysis.h"
#include "error_bits.h"
#include "lang/ir/blocks.h"
#include "lang/ir/semantics.h"
#include "moments.h"

/* --- masks, and one row that takes the place of all */

static const hb_magnitude one_row = {.most = 0}; /* 1 in its slots, and 0 in others: as of 1 in all */

static hb_quality product_with(const hb_facts *f, const hb_node *node, hb_magnitude plain)
{
    const hb_graph *g = f->graph;
    const hb_quality_factor factor = hb_node_factor(f, &g->nodes[node->a]);
    return hb_quality_multiply_plain(g->params, node->shape.limbs, factor, HB_FACTOR_ANY, plain);
}

hb_quality hb_over_slots_quality(const hb_graph *g, const hb_node *node, hb_quality quality)
{
    return hb_graph_packed(g)
               ? hb_quality_sum_window(g->params, node->shape.limbs, quality, (uint32_t)hb_graph_capacity(g))
               : hb_quality_sum_slots(g->params, node->shape.limbs, quality);
}

/* The effect of the mask's own error, in the slots where it is 0, on the values of a node x and on their errors. */
static hb_quality masked_rest(const hb_facts *f, const hb_node *node, const hb_node *x, hb_magnitude mask)
{
    const double worst = exp2(-hb_node_bits(f, x, HB_QUALITY_WORST)),
                 expected = exp2(-hb_node_bits(f, x, HB_QUALITY_EXPECTED));
    hb_quality_factor others = {.size = 2, .values = hb_node_values(f, x)};
    others.values.most = log2(exp2(others.values.most) + worst);
    others.values.peak = log2(exp2(others.values.peak) + expected);
    others.values.mean = log2(exp2(others.values.mean) + expected);
    return hb_quality_multiply_plain(f->graph->params, node->shape.limbs, others, HB_FACTOR_ANY, mask);
}

/* Where slots have errors of their own, a masked row's errors meet only the remainders of other rows. */
static hb_quality fill_rows_quality(const hb_facts *f, const hb_node *node)
{
    const hb_graph *g = f->graph;
    const hb_node *a = &g->nodes[node->a];
    if (a->op != HB_OP_MASK_ROW || !g->semantics->scales) {
        return hb_over_slots_quality(g, node, hb_node_quality(f, a));
    }
    hb_quality own = hb_node_quality(f, a); /* of one slot, which all have then */
    own.common = 1;
    own.peak = 0;
    return hb_quality_add(g->params, own,
                          hb_over_slots_quality(g, node, masked_rest(f, node, &g->nodes[a->a], one_row)));
}

hb_quality hb_mask_quality(const hb_facts *f, const hb_node *node)
{
    if (node->op == HB_OP_FILL_ROWS) {
        return fill_rows_quality(f, node);
    }
    /* A mask of all rows is 1 in nearly all slots. */
    return product_with(f, node, node->op == HB_OP_MASK_ROW ? one_row : (hb_magnitude){.common = 1});
}

/* --- sums over the rows of a mask */

/* Returns the derived column of 0 to 1 that a node loads; NULL: it loads another one. */
static const hb_derived_column *mask_of(const hb_graph *g, const hb_node *x)
{
    const hb_derived *d = &g->constants.derived;
    const uint64_t columns = g->operands[x->operand].schema->columns;
    const bool mask = x->op == HB_OP_LOAD_PLAIN && x->column >= columns && x->range.interval.known &&
                      hb_interval_magnitude(x->range.interval) <= 1;
    return mask ? &d->column[hb_derived_loaded(d, x->column - (uint32_t)columns, 0)] : NULL;
}

bool hb_masked_error_find(const hb_facts *f, const hb_node *node, hb_masked_error *out)
{
    const hb_graph *g = f->graph;
    if (!g->semantics->reals || hb_graph_packed(g) || node->op != HB_OP_MULTIPLY_PLAIN) {
        return false;
    }
    const hb_derived_column *column = mask_of(g, &g->nodes[node->b]);
    const uint64_t chosen = column != NULL && column->rows > 1 ? column->chosen : 0;
    if (chosen == 0 || chosen >= hb_graph_blocks(g) * hb_graph_capacity(g)) {
        return false;
    }
    const hb_node *x = &g->nodes[node->a];
    const hb_magnitude mask = hb_node_values(f, &g->nodes[node->b]), one = {.common = 1}, none = {0};
    const hb_quality_factor errors = {hb_node_quality(f, x), 2, none, false};
    out->rows = hb_quality_multiply_plain(g->params, node->shape.limbs, errors, HB_FACTOR_ANY, one);
    out->rows = hb_quality_sum(g->params, out->rows, (double)chosen);
    out->rows.common = 1; /* one number, in all slots of the total */
    out->rows.peak = 0;
    out->rest = masked_rest(f, node, x, mask);
    return true;
}
