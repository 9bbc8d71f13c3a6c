/* What follows for nodes of rows within slots (blocks.h) from their operands: rows of rules.c. */
#ifndef HB_EXPRESSION_GRAPH_BLOCK_RULES_H
#define HB_EXPRESSION_GRAPH_BLOCK_RULES_H

#include "graph.h"

/* Return values, the largest magnitude of all slots, what values are likely to be, and bounds (hb_rule): of products
 * with matrices, sums of columns, copies of a column, and sums with rows of constants. */
hb_interval hb_matrix_interval(const hb_graph *graph, const hb_node *node);
double hb_matrix_magnitude(const hb_graph *graph, const hb_node *node);
hb_moments hb_matrix_moments(const hb_graph *graph, const hb_node *node);
hb_quality hb_matrix_quality(const hb_graph *graph, const hb_node *node);
hb_interval hb_row_sum_interval(const hb_graph *graph, const hb_node *node);
double hb_row_sum_magnitude(const hb_graph *graph, const hb_node *node);
hb_moments hb_row_sum_moments(const hb_graph *graph, const hb_node *node);
hb_quality hb_row_sum_quality(const hb_graph *graph, const hb_node *node);
double hb_row_spread_magnitude(const hb_graph *graph, const hb_node *node);
hb_quality hb_row_spread_quality(const hb_graph *graph, const hb_node *node);
hb_interval hb_add_row_interval(const hb_graph *graph, const hb_node *node);
double hb_add_row_magnitude(const hb_graph *graph, const hb_node *node);
hb_moments hb_add_row_moments(const hb_graph *graph, const hb_node *node);
hb_quality hb_add_row_quality(const hb_graph *graph, const hb_node *node);

#endif
