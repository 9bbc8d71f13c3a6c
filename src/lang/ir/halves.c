/* Which halves of slots hold values. */
#include <string.h>

#include "complex.h"

static void set(hb_node *node, hb_halves halves, const hb_column *pair)
{
    node->shape.halves = halves;
    node->shape.pair = halves == HB_HALVES_PAIR ? pair : NULL;
}

/* Both are pairs of columns with the same names. */
static bool same_pair(const hb_node *x, const hb_node *y)
{
    return x->shape.halves == HB_HALVES_PAIR && y->shape.halves == HB_HALVES_PAIR &&
           (x->shape.pair == y->shape.pair || (strcmp(x->shape.pair->part[0], y->shape.pair->part[0]) == 0 &&
                                               strcmp(x->shape.pair->part[1], y->shape.pair->part[1]) == 0));
}

void hb_halves_of_sum(const hb_graph *g, hb_node *node)
{
    const hb_node *a = &g->nodes[node->a], *b = &g->nodes[node->b];
    const bool same = same_pair(a, b) || (a->shape.halves == HB_HALVES_REAL && b->shape.halves == HB_HALVES_REAL);
    set(node, same ? a->shape.halves : HB_HALVES_COMPLEX, a->shape.pair);
}

void hb_halves_of_combination(const hb_graph *g, hb_node *node)
{
    const hb_node_list operands = hb_node_operands(g, node);
    const hb_node *a = &g->nodes[operands.node[0]];
    bool same = a->shape.halves != HB_HALVES_COMPLEX;
    for (uint32_t i = 1; i < operands.count; i++) {
        const hb_node *b = &g->nodes[operands.node[i]];
        same = same && (same_pair(a, b) || (a->shape.halves == HB_HALVES_REAL && b->shape.halves == HB_HALVES_REAL));
    }
    set(node, same ? a->shape.halves : HB_HALVES_COMPLEX, a->shape.pair);
}

void hb_halves_of_product(const hb_graph *g, hb_node *node)
{
    const hb_node *a = &g->nodes[node->a], *b = &g->nodes[node->b];
    const hb_node *other = a->shape.halves == HB_HALVES_REAL ? b : a;
    const bool real = a->shape.halves == HB_HALVES_REAL || b->shape.halves == HB_HALVES_REAL;
    set(node, real ? other->shape.halves : HB_HALVES_COMPLEX, other->shape.pair);
}

void hb_halves_kept_real(const hb_graph *g, hb_node *node)
{
    set(node, g->nodes[node->a].shape.halves == HB_HALVES_REAL ? HB_HALVES_REAL : HB_HALVES_COMPLEX, NULL);
}

void hb_halves_complex(const hb_graph *g, hb_node *node)
{
    (void)g;
    set(node, HB_HALVES_COMPLEX, NULL);
}
