/* What values miss because functions are approximated: an error like others, with which no key and no noise has to
 * do. */
#ifndef HB_EXPRESSION_GRAPH_MISSED_H
#define HB_EXPRESSION_GRAPH_MISSED_H

#include "graph.h"
#include "rlwe/quality.h"

/* Returns the bounds of a node with what it misses its values by itself (hb_graph_misses); where bounds are `ideal`,
 * those of a column of an operand without what was missed when that was computed. */
hb_quality hb_node_with_missed(const hb_graph *graph, const hb_node *node, hb_quality quality);

#endif
