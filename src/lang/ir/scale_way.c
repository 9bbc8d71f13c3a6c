#include "scale_way.h"

#include "semantics.h"

hb_scale_way hb_node_scale_way(const hb_graph *g, const hb_node *node)
{
    const bool a = node->a != HB_NO_NODE && g->nodes[node->a].shape.scale_folds;
    const bool b = node->b != HB_NO_NODE && g->nodes[node->b].shape.scale_folds;
    switch (node->op) {
    case HB_OP_MULTIPLY_NUMBER:
    case HB_OP_ADJUST:
    case HB_OP_MATRIX:
        return HB_SCALE_WAY_HERE;
    case HB_OP_COMBINE:
        return hb_node_combination(g, node).whole ? HB_SCALE_WAY_NONE : HB_SCALE_WAY_HERE;
    case HB_OP_ADD:
    case HB_OP_SUBTRACT:
        return a && b ? HB_SCALE_WAY_BOTH : HB_SCALE_WAY_NONE;
    case HB_OP_MULTIPLY:
        if (node->a == node->b) {
            return HB_SCALE_WAY_NONE; /* it would have to be in one of them alone */
        }
        return a ? HB_SCALE_WAY_A : (b ? HB_SCALE_WAY_B : HB_SCALE_WAY_NONE);
    case HB_OP_ADD_NUMBER:
    case HB_OP_ADD_ROW:
        return a ? HB_SCALE_WAY_A_ALSO : HB_SCALE_WAY_NONE;
    case HB_OP_NEGATE:
    case HB_OP_RESCALE:
    case HB_OP_MULTIPLY_INTEGER:
    case HB_OP_MULTIPLY_PLAIN:
    case HB_OP_ROTATE:
    case HB_OP_CONJUGATE:
    case HB_OP_TIMES_I:
    case HB_OP_BROADCAST:
    case HB_OP_MASK_SCALED:
    case HB_OP_ROW_SUM:
    case HB_OP_ROW_SPREAD:
    case HB_OP_SUM_SLOTS:
        return a ? HB_SCALE_WAY_A : HB_SCALE_WAY_NONE;
    default:
        return HB_SCALE_WAY_NONE;
    }
}

bool hb_node_scale_folds(const hb_graph *g, const hb_node *node)
{
    return g->semantics->scales && hb_node_scale_way(g, node) != HB_SCALE_WAY_NONE;
}

bool hb_node_absorbs_dearly(const hb_graph *g, uint32_t a)
{
    enum { MOST = 64 }; /* of terms that stand beside one another: of more it is taken to be so */
    uint32_t open[MOST], count = 1;
    open[0] = a;
    while (count > 0) {
        const hb_node *node = &g->nodes[open[--count]];
        const hb_scale_way to = hb_node_scale_way(g, node);
        if ((hb_operations[node->op].switches && node->op != HB_OP_RESCALE) || node->op == HB_OP_MULTIPLY ||
            count + 2 > MOST) {
            return true;
        }
        if (to == HB_SCALE_WAY_A || to == HB_SCALE_WAY_A_ALSO || to == HB_SCALE_WAY_BOTH) {
            open[count++] = node->a;
        }
        if (to == HB_SCALE_WAY_B || to == HB_SCALE_WAY_BOTH) {
            open[count++] = node->b;
        }
    }
    return false;
}
