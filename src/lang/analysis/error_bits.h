/* Errors of nodes as bits, and in units of values. */
#ifndef HB_LANG_ANALYSIS_ERROR_BITS_H
#define HB_LANG_ANALYSIS_ERROR_BITS_H

#include "facts.h"
#include "scheme/quality.h"

/* Returns the bits left for a node with that error (hb_quality_bits). */
static inline double hb_node_bits_left(const hb_graph *graph, const hb_node *node, double error)
{
    const double bits = hb_quality_bits(graph->params, node->shape.limbs, error);
    /* A product that is not rescaled is at the square of its level's scale. */
    return node->shape.scaled ? bits + hb_quality_bits(graph->params, node->shape.limbs, 0) : bits;
}
/* Returns the bits left for a node by its own bounds. */
double hb_node_bits(const hb_facts *facts, const hb_node *node, hb_quality_trust trust);
/* Return an error as a node's bounds have it (hb_quality), as log2 of it times the scale, in units of values, 0 where
 * it is 0 or less, and such a bound of an error in units of values. For reals. */
double hb_node_error_value(const hb_graph *graph, const hb_node *node, double error);
double hb_node_error_bits(const hb_graph *graph, const hb_node *node, double value);

#endif
