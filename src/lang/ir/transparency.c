/* Linear forms of nodes, from those of their operands. */
#include "transparency.h"

static uint64_t a_of(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->a].form.fingerprint;
}

static uint64_t b_of(const hb_graph *g, const hb_node *node)
{
    return g->nodes[node->b].form.fingerprint;
}

uint64_t hb_fingerprint_of_a(const hb_graph *g, const hb_node *node)
{
    return a_of(g, node);
}

uint64_t hb_fingerprint_of_sum(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_fold(a_of(g, node) + b_of(g, node));
}

uint64_t hb_fingerprint_of_difference(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_fold(a_of(g, node) + HB_FINGERPRINT_MODULUS - b_of(g, node));
}

uint64_t hb_fingerprint_of_negative(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_fold(HB_FINGERPRINT_MODULUS - a_of(g, node));
}

uint64_t hb_fingerprint_of_product(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_multiply(a_of(g, node), b_of(g, node));
}

uint64_t hb_fingerprint_of_multiple_real(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_multiply(a_of(g, node), hb_fingerprint_real(node->real));
}

uint64_t hb_fingerprint_of_turned(const hb_graph *g, const hb_node *node)
{
    const uint64_t unit = 0x1234567890abcdef & HB_FINGERPRINT_MODULUS;
    return hb_fingerprint_multiply(a_of(g, node), unit);
}

uint64_t hb_fingerprint_of_multiple(const hb_graph *g, const hb_node *node)
{
    return hb_fingerprint_multiply(a_of(g, node), hb_fingerprint_number(node->number));
}
