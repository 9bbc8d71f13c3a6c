/* Affine maps of reals, as functions need them that take values in [-1, 1]. Numbers that what is mapped was made with
 * take the factor, where there are such: then it takes no level. */
#ifndef HB_EXPRESSION_GRAPH_AFFINE_H
#define HB_EXPRESSION_GRAPH_AFFINE_H

#include "graph.h"

/* Returns whether a factor of the node takes no level, for its parts can be made with it: what `absorbs` of a node is,
 * whose operands have theirs. */
bool hb_node_absorbs(const hb_graph *graph, const hb_node *node);

/* Returns whether the parts that take it are made by switching keys, which costs more than all else: matrices,
 * products, sums of slots. */
bool hb_node_absorbs_dearly(const hb_graph *graph, uint32_t a);

/* Makes factor * a + offset, in slots that hold a row; factor is not 0. Refusals of hb_graph_scale and
 * hb_graph_add_constant; HB_ENOMEM. */
hb_status hb_graph_affine(hb_graph *graph, uint32_t a, double factor, double offset, uint32_t *out);

#endif
