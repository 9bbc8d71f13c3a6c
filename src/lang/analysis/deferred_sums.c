#include "deferred_sums.h"

/* Whether the slots of the operands may be summed after it. Constants stand in every slot: their shares do, of a node
 * that is stored and of no other, as the rounding of a plaintext grows with the slots (hb_semantics.share). */
static bool is_linear(hb_opcode op)
{
    return op == HB_OP_ADD || op == HB_OP_SUBTRACT || op == HB_OP_NEGATE || op == HB_OP_MULTIPLY_INTEGER ||
           op == HB_OP_COMBINE || op == HB_OP_ADD_CONSTANT;
}

static bool may_wait(const hb_facts *f, uint32_t i)
{
    const hb_node *node = &f->graph->nodes[i];
    return f->size[i].used && node->shape.total && !node->shape.plain && !node->shape.scaled &&
           (node->op == HB_OP_SUM_SLOTS || is_linear(node->op));
}

static bool drop(hb_facts *f, uint32_t i)
{
    const bool was = f->size[i].deferred;
    f->size[i].deferred = false;
    return was;
}

/* Drops a node with an operand that does not wait, and the operands of one that does not. Returns whether any was. */
static bool drop_around(hb_facts *f, uint32_t i)
{
    const hb_node *node = &f->graph->nodes[i];
    const hb_node_list operands = hb_node_operands(f->graph, node);
    bool any = false;
    if (!f->size[i].used || node->op == HB_OP_SUM_SLOTS) {
        return false; /* the operand of a sum is no total */
    }
    for (uint32_t j = 0; j < operands.count; j++) {
        any = (!f->size[operands.node[j]].deferred && drop(f, i)) || any;
    }
    for (uint32_t j = 0; j < operands.count; j++) {
        const uint32_t a = operands.node[j];
        const bool constant = f->graph->nodes[a].op == HB_OP_ADD_CONSTANT;
        any = ((!f->size[i].deferred || constant) && drop(f, a)) || any;
    }
    return any;
}

static bool drop_output(hb_facts *f, hb_deferral *output)
{
    bool any = false;
    for (uint32_t i = 0; i < output->count; i++) {
        output->merged = output->merged && f->size[output->nodes[i]].deferred;
    }
    for (uint32_t i = 0; !output->merged && i < output->count; i++) {
        any = drop(f, output->nodes[i]) || any;
    }
    return any;
}

void hb_facts_defer_sums(hb_facts *f, hb_deferral *outputs, uint32_t count)
{
    for (uint32_t i = 0; i < f->count; i++) {
        f->size[i].deferred = may_wait(f, i);
    }
    bool dropped = true;
    while (dropped) {
        dropped = false;
        for (uint32_t i = 0; i < count; i++) {
            dropped = drop_output(f, &outputs[i]) || dropped;
        }
        for (uint32_t i = f->count; i-- > 0;) { /* users are younger */
            dropped = drop_around(f, i) || dropped;
        }
    }
}
