#include "error_bits.h"

#include <math.h>

double hb_node_bits(const hb_facts *f, const hb_node *node, hb_quality_trust trust)
{
    const hb_quality quality = hb_node_quality(f, node);
    return hb_node_bits_left(f->graph, node, trust == HB_QUALITY_WORST ? quality.worst : quality.expected);
}

double hb_node_error_value(const hb_graph *g, const hb_node *node, double error)
{
    return error <= 0 ? 0 : exp2(-hb_node_bits_left(g, node, error));
}

double hb_node_error_bits(const hb_graph *g, const hb_node *node, double value)
{
    return log2(value) + hb_node_bits_left(g, node, 0);
}
