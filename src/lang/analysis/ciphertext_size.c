#include "ciphertext_size.h"

#include "lang/ir/bootstrap.h"
#include "lang/ir/rules.h"

void hb_facts_need(hb_facts *f, const uint32_t *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        HB_ASSERT(nodes[i] < f->count);
        f->size[nodes[i]].stored = true;
        f->size[nodes[i]].used = true;
        f->size[nodes[i]].needs_two = true;
    }
}

/* Marks all nodes below needed ones, and those that a product or a rotation takes. */
static void mark(hb_facts *f)
{
    const hb_graph *g = f->graph;
    for (uint32_t i = f->count; i-- > 0;) { /* operands are older than their users */
        const bool needs_two = hb_operations[g->nodes[i].op].two;
        const hb_node_list operands = hb_node_operands(g, &g->nodes[i]);
        const uint32_t mate = hb_node_bootstrapped_with(g, i);
        if (mate != HB_NO_NODE && f->size[i].used) { /* of a pair both are made, of the same operands */
            f->size[mate].used = true;
        }
        for (uint32_t j = 0; j < operands.count && f->size[i].used; j++) {
            f->size[operands.node[j]].used = true;
            f->size[operands.node[j]].needs_two |= needs_two;
        }
    }
}

static uint32_t raw_size(const hb_facts *f, const hb_node *node)
{
    const uint32_t own = hb_rule_of(node->op)->components;
    if (own > 0 || hb_operations[node->op].loads) {
        return own;
    }
    const uint32_t a = f->size[node->a].size, b = node->b == HB_NO_NODE ? 0 : f->size[node->b].size;
    return a > b ? a : b;
}

void hb_facts_find_sizes(hb_facts *f)
{
    mark(f);
    for (uint32_t i = 0; i < f->count; i++) {
        hb_node_size *x = &f->size[i];
        x->raw_size = raw_size(f, &f->graph->nodes[i]);
        x->size = x->needs_two && x->raw_size == 3 ? 2 : x->raw_size;
    }
}

bool hb_node_relinearizes(const hb_facts *f, const hb_node *node)
{
    const bool before = node->op == HB_OP_SUM_SLOTS || node->op == HB_OP_RESCALE;
    const hb_node_size *x = hb_facts_size(f, node);
    return x->size < x->raw_size || (before && f->size[node->a].size == 3);
}
