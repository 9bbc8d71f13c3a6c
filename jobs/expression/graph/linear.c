/* Linear forms of nodes, from those of their operands. */
#include "linear.h"

static uint64_t a_of(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->a].linear;
}

static uint64_t b_of(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->b].linear;
}

uint64_t hb_linear_of_a(const hb_graph *g, const hb_node *node)
{
    return a_of(g, node);
}

uint64_t hb_linear_of_sum(const hb_graph *g, const hb_node *node)
{
    return hb_linear_fold(a_of(g, node) + b_of(g, node));
}

uint64_t hb_linear_of_difference(const hb_graph *g, const hb_node *node)
{
    return hb_linear_fold(a_of(g, node) + HB_LINEAR_MODULUS - b_of(g, node));
}

uint64_t hb_linear_of_negative(const hb_graph *g, const hb_node *node)
{
    return hb_linear_fold(HB_LINEAR_MODULUS - a_of(g, node));
}

uint64_t hb_linear_of_product(const hb_graph *g, const hb_node *node)
{
    return hb_linear_multiply(a_of(g, node), b_of(g, node));
}

uint64_t hb_linear_of_multiple_real(const hb_graph *g, const hb_node *node)
{
    return hb_linear_multiply(a_of(g, node), hb_linear_real(node->real));
}

uint64_t hb_linear_of_turned(const hb_graph *g, const hb_node *node)
{
    const uint64_t unit = 0x1234567890abcdef & HB_LINEAR_MODULUS;
    return hb_linear_multiply(a_of(g, node), unit);
}

uint64_t hb_linear_of_multiple(const hb_graph *g, const hb_node *node)
{
    return hb_linear_multiply(a_of(g, node), hb_linear_number(node->number));
}
