#include "coupled_nodes.h"

/* Returns whether the operation may be of two row blocks as one: those that coupling makes of them
 * (bootstrapping/coupling.h, matrix_sums.h). */
static bool is_of_coupled(hb_opcode op)
{
    return op == HB_OP_MATRIX || op == HB_OP_MATRIX_PAIR || op == HB_OP_ROW_SUM || op == HB_OP_ROW_SPREAD ||
           op == HB_OP_MULTIPLY || op == HB_OP_RESCALE || op == HB_OP_MASK_SCALED || op == HB_OP_ADJUST;
}

bool hb_node_rightly_coupled(const hb_graph *g, const hb_node *node)
{
    const hb_node_list operands = hb_node_operands(g, node);
    const hb_node_shape *a = operands.count > 0 ? &g->nodes[operands.node[0]].shape : NULL;
    bool any = false;
    for (uint32_t i = 0; i < operands.count; i++) {
        any = any || g->nodes[operands.node[i]].shape.coupled;
    }
    if (node->op == HB_OP_COUPLE) {
        const bool rows = a != NULL && !a->plain && !a->total && !node->shape.total;
        return rows && !any && node->shape.coupled && a->halves == HB_HALVES_REAL;
    }
    if (node->op == HB_OP_UNCOUPLE || !any) {
        return any == (node->op == HB_OP_UNCOUPLE) && !node->shape.coupled;
    }
    const hb_node_shape *b = operands.count > 1 ? &g->nodes[operands.node[1]].shape : NULL;
    const bool total = node->op == HB_OP_MULTIPLY && b->total && !b->plain && !b->coupled;
    return is_of_coupled(node->op) && a->coupled && node->shape.coupled && !node->shape.total &&
           (b == NULL || total || (node->op == HB_OP_MATRIX_PAIR && b->coupled));
}
