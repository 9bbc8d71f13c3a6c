#include "scale_way.h"

#include "plain_columns.h"
#include "rules.h"
#include "semantics.h"

static bool folds(const hb_graph *g, const hb_node *node, uint32_t operand)
{
    return g->nodes[operand].shape.scale_folds || hb_node_multiplies_operand(g, node, operand);
}

static hb_scale_way way_here(const hb_graph *g, const hb_node *node)
{
    (void)g;
    (void)node;
    return HB_SCALE_WAY_HERE;
}

static hb_scale_way way_of_combination(const hb_graph *g, const hb_node *node)
{
    return hb_node_combination(g, node).whole ? HB_SCALE_WAY_NONE : HB_SCALE_WAY_HERE;
}

static hb_scale_way way_of_terms(const hb_graph *g, const hb_node *node)
{
    return folds(g, node, node->a) && folds(g, node, node->b) ? HB_SCALE_WAY_BOTH : HB_SCALE_WAY_NONE;
}

/* Into one factor alone, which a square does not have. */
static hb_scale_way way_of_factors(const hb_graph *g, const hb_node *node)
{
    if (node->a == node->b) {
        return HB_SCALE_WAY_NONE;
    }
    if (folds(g, node, node->a)) {
        return HB_SCALE_WAY_A;
    }
    return folds(g, node, node->b) ? HB_SCALE_WAY_B : HB_SCALE_WAY_NONE;
}

static hb_scale_way way_of_a(const hb_graph *g, const hb_node *node)
{
    return folds(g, node, node->a) ? HB_SCALE_WAY_A : HB_SCALE_WAY_NONE;
}

static hb_scale_way way_of_a_also(const hb_graph *g, const hb_node *node)
{
    return folds(g, node, node->a) ? HB_SCALE_WAY_A_ALSO : HB_SCALE_WAY_NONE;
}

/* The column takes it in the clear, where its values are known. */
static hb_scale_way way_of_plain_factor(const hb_graph *g, const hb_node *node)
{
    const bool known = g->unplaced && g->params != NULL && hb_node_plain_known(g, &g->nodes[node->b]);
    return known && !folds(g, node, node->a) ? HB_SCALE_WAY_HERE : way_of_a(g, node);
}

/* One without a row takes no factor: it would take a product, and a level. */
static hb_scale_way (*const ways[HB_OPCODES])(const hb_graph *g, const hb_node *node) = {
    [HB_OP_ADD] = way_of_terms,         [HB_OP_SUBTRACT] = way_of_terms,
    [HB_OP_NEGATE] = way_of_a,          [HB_OP_MULTIPLY_PLAIN] = way_of_plain_factor,
    [HB_OP_ADD_NUMBER] = way_of_a_also, [HB_OP_MULTIPLY_INTEGER] = way_of_a,
    [HB_OP_MULTIPLY_NUMBER] = way_here, [HB_OP_COMBINE] = way_of_combination,
    [HB_OP_ADD_ROW] = way_of_a_also,    [HB_OP_MATRIX] = way_here,
    [HB_OP_ROW_SUM] = way_of_a,         [HB_OP_ROW_SPREAD] = way_of_a,
    [HB_OP_MULTIPLY] = way_of_factors,  [HB_OP_RESCALE] = way_of_a,
    [HB_OP_ADJUST] = way_here,          [HB_OP_ROTATE] = way_of_a,
    [HB_OP_CONJUGATE] = way_of_a,       [HB_OP_TIMES_I] = way_of_a,
    [HB_OP_BROADCAST] = way_of_a,       [HB_OP_MASK_SCALED] = way_of_a,
    [HB_OP_SUM_SLOTS] = way_of_a,
};

hb_scale_way hb_node_scale_way(const hb_graph *g, const hb_node *node)
{
    return ways[node->op] != NULL ? ways[node->op](g, node) : HB_SCALE_WAY_NONE;
}

bool hb_node_scale_folds(const hb_graph *g, const hb_node *node)
{
    return g->semantics->scales && hb_node_scale_way(g, node) != HB_SCALE_WAY_NONE;
}

hb_scale_met hb_node_scale_met(const hb_graph *g, uint32_t a)
{
    enum { MOST = 64 }; /* of terms that stand beside one another: of more all is taken to be there */
    uint32_t open[MOST], count = 1;
    hb_scale_met met = {false, g->nodes[a].users > 0, false};
    open[0] = a;
    while (count > 0 && count + 2 <= MOST) {
        const uint32_t i = open[--count];
        const hb_node *node = &g->nodes[i];
        const hb_scale_way to = hb_node_scale_way(g, node);
        met.dear =
            met.dear || (hb_operations[node->op].switches && node->op != HB_OP_RESCALE) || node->op == HB_OP_MULTIPLY;
        met.shared = met.shared || node->users > 1;
        met.sums = met.sums || node->op == HB_OP_SUM_SLOTS;
        if (to == HB_SCALE_WAY_A || to == HB_SCALE_WAY_A_ALSO || to == HB_SCALE_WAY_BOTH) {
            open[count++] = node->a;
        }
        if (to == HB_SCALE_WAY_B || to == HB_SCALE_WAY_BOTH) {
            open[count++] = node->b;
        }
    }
    return count == 0 ? met : (hb_scale_met){true, true, true};
}
