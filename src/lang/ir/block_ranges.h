/* Ranges of nodes of rows within slots (blocks.h): rows of rules.c. */
#ifndef HB_LANG_IR_BLOCK_RANGES_H
#define HB_LANG_IR_BLOCK_RANGES_H

#include "graph.h"

/* Return the values, and the largest magnitude of all slots, of products with matrices and of sums of columns. */
hb_interval hb_matrix_interval(const hb_graph *graph, const hb_node *node);
double hb_matrix_magnitude(const hb_graph *graph, const hb_node *node);
hb_interval hb_row_sum_interval(const hb_graph *graph, const hb_node *node);
double hb_row_sum_magnitude(const hb_graph *graph, const hb_node *node);

/* Returns the range of the constants that a sum with a row of constants adds. */
hb_interval hb_row_constants_interval(const hb_graph *graph, const hb_node *node);

#endif
