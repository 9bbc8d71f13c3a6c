#include "bring_down.h"

#include "lang/cost/op_cost.h"

/* Whether an operand is a ciphertext. */
static bool is_encrypted(const hb_graph *g, uint32_t a)
{
    return a != HB_NO_NODE && !g->nodes[a].shape.plain;
}

/* Returns the limbs that the operation has as it is; 0: an operand is a product that is not rescaled. */
static uint32_t lowest_of(const hb_graph *g, const uint32_t operands[2])
{
    uint32_t lowest = UINT32_MAX;
    for (int k = 0; k < 2; k++) {
        const hb_node_shape *a = is_encrypted(g, operands[k]) ? &g->nodes[operands[k]].shape : NULL;
        if (a != NULL && (a->scaled || a->limbs < lowest)) {
            lowest = a->scaled ? 0 : a->limbs;
        }
    }
    return lowest;
}

/* Returns whether the operation costs less at `level`, by more than two adjustments of its operands take. */
static bool costs_less(const hb_graph *g, const hb_placement_step *step, uint32_t lowest, uint32_t level)
{
    const uint32_t own = hb_graph_level_limbs(g), limbs = own * (level + 1);
    const hb_op_cost adjust = {.op = HB_OP_ADJUST, .limbs = limbs, .to_limbs = limbs};
    const double saved = step->costs[lowest / own - 1 - step->levels] - step->costs[level - step->levels];
    return saved > 2 * hb_op_cost_transforms(g->params, &adjust);
}

hb_status hb_graph_bring_down(hb_graph *g, const hb_placement_step *step, hb_opcode op, uint32_t enough,
                              uint32_t operands[2])
{
    const uint32_t limbs = hb_graph_level_limbs(g) * (enough + 1), lowest = lowest_of(g, operands);
    const bool costly = hb_operations[op].switches || op == HB_OP_MULTIPLY;
    if (!costly || lowest == UINT32_MAX || lowest <= limbs || enough < step->levels ||
        !costs_less(g, step, lowest, enough)) {
        return HB_OK;
    }
    for (int k = 0; k < 2; k++) {
        if (is_encrypted(g, operands[k])) { /* from where it was adjusted itself: it is rounded once */
            const hb_node *a = &g->nodes[operands[k]];
            const uint32_t from = a->op == HB_OP_ADJUST ? a->a : operands[k];
            HB_TRY(hb_graph_unary(g, HB_OP_ADJUST, from, limbs, &operands[k]));
        }
    }
    return HB_OK;
}
