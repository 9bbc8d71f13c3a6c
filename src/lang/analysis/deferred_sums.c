#include "deferred_sums.h"

#include <stdlib.h>

static bool adds_number(hb_opcode op)
{
    return op == HB_OP_ADD_CONSTANT || op == HB_OP_ADD_NUMBER;
}

/* Whether the slots of the operands may be summed after it. */
static bool is_linear(hb_opcode op)
{
    return op == HB_OP_ADD || op == HB_OP_SUBTRACT || op == HB_OP_NEGATE || op == HB_OP_MULTIPLY_INTEGER ||
           op == HB_OP_COMBINE || adds_number(op) || hb_goes_down(op);
}

/* Whether a node is a total minus itself, rotated: 0, as hb_graph_zero makes it, also of slots that are not summed. Two
 * bounds of the total have room for the noise of this one rotation in all slots. */
static bool is_zero(const hb_graph *g, const hb_node *node)
{
    return node->op == HB_OP_SUBTRACT && g->nodes[node->b].op == HB_OP_ROTATE && g->nodes[node->b].a == node->a;
}

/* Whether a node may wait where `user` takes it; HB_NO_NODE: where it is stored. The rounding of a constant grows with
 * the slots, in each of which its share stands (hb_semantics.share), and so does the rounding on the way to a lower
 * level: these come last. */
static bool may_wait_for(const hb_graph *g, const hb_node *node, uint32_t user)
{
    const bool stored = user == HB_NO_NODE;
    if (adds_number(node->op) || hb_goes_down(node->op)) {
        return stored || hb_goes_down(g->nodes[user].op);
    }
    return node->op != HB_OP_ROTATE || (!stored && is_zero(g, &g->nodes[user]));
}

static bool may_wait(const hb_facts *f, uint32_t i)
{
    const hb_node *node = &f->graph->nodes[i];
    return f->size[i].used && node->shape.total && !node->shape.plain && !node->shape.scaled &&
           (node->op == HB_OP_SUM_SLOTS || node->op == HB_OP_ROTATE || is_linear(node->op));
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
        f->size[a].deferred = f->size[a].deferred && may_wait_for(f->graph, &f->graph->nodes[a], i);
    }
}

/* So do the columns of an output. */
static void join_columns(hb_facts *f, uint32_t *parent, const hb_deferral *output)
{
    for (uint32_t i = 0; i < output->count; i++) {
        bool *deferred = &f->size[output->nodes[i]].deferred;
        join(parent, output->nodes[0], output->nodes[i]);
        *deferred =
            *deferred && output->merged && may_wait_for(f->graph, &f->graph->nodes[output->nodes[i]], HB_NO_NODE);
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
