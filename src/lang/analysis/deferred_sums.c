#include "deferred_sums.h"

#include <stdlib.h>

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

/* --- nodes that wait together, or not at all */

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    const uint32_t x = root_of(parent, a), y = root_of(parent, b);
    parent[x > y ? x : y] = x > y ? y : x;
}

/* A node waits only if its operands do, and these only if it does. */
static void join_operands(hb_facts *f, uint32_t *parent, uint32_t i)
{
    const hb_node *node = &f->graph->nodes[i];
    const hb_node_list operands = hb_node_operands(f->graph, node);
    if (!f->size[i].used || node->op == HB_OP_SUM_SLOTS) {
        return; /* the operand of a sum is no total */
    }
    for (uint32_t j = 0; j < operands.count; j++) {
        const uint32_t a = operands.node[j];
        join(parent, i, a);
        f->size[a].deferred = f->size[a].deferred && f->graph->nodes[a].op != HB_OP_ADD_CONSTANT;
    }
}

/* So do the columns of an output. */
static void join_columns(hb_facts *f, uint32_t *parent, const hb_deferral *output)
{
    for (uint32_t i = 0; i < output->count; i++) {
        join(parent, output->nodes[0], output->nodes[i]);
        f->size[output->nodes[i]].deferred = f->size[output->nodes[i]].deferred && output->merged;
    }
}

hb_status hb_facts_defer_sums(hb_facts *f, hb_deferral *outputs, uint32_t count)
{
    uint32_t *parent = calloc((size_t)f->count + 1, sizeof *parent);
    if (parent == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the nodes of an expression");
    }
    for (uint32_t i = 0; i < f->count; i++) {
        parent[i] = i;
        f->size[i].deferred = may_wait(f, i);
    }
    for (uint32_t i = 0; i < f->count; i++) {
        join_operands(f, parent, i);
    }
    for (uint32_t i = 0; i < count; i++) {
        join_columns(f, parent, &outputs[i]);
    }
    for (uint32_t i = 0; i < f->count; i++) {
        bool *all = &f->size[root_of(parent, i)].deferred;
        *all = *all && f->size[i].deferred;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        f->size[i].deferred = f->size[root_of(parent, i)].deferred;
    }
    for (uint32_t i = 0; i < count; i++) {
        outputs[i].merged = outputs[i].merged && f->size[outputs[i].nodes[0]].deferred;
    }
    free(parent);
    return HB_OK;
}
