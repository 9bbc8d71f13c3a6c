/* What is expected of the error of polynomials of polynomials, one after another as iterations of a loop are: an error
 * is multiplied by the slope where its value is, every time, and that of a value near 0 may be large for many
 * iterations while most values have come to rest. So the way of many values is followed, with their errors. */
#ifndef HB_EXPRESSION_GRAPH_ITERATED_H
#define HB_EXPRESSION_GRAPH_ITERATED_H

#include "graph.h"

/* Returns the bounds of a polynomial as a node, in a program with loops: those that follow from its operand, of which
 * more is expected where it is one of several polynomials in turn and that follows from all of them. Sets node->own. */
hb_quality hb_iterated_quality(const hb_graph *graph, hb_node *node, hb_quality quality);

#endif
