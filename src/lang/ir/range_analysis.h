/* Values of a node, from those of its operands: their range in slots that hold a row, and the largest magnitude in any
 * slot, rounded up, as slots without a row may hold other values. */
#ifndef HB_LANG_IR_RANGE_ANALYSIS_H
#define HB_LANG_IR_RANGE_ANALYSIS_H

#include "graph.h"

/* Return the range of a node, all operands of which have theirs: the rows of rules.c. */
hb_interval hb_values_same(const hb_graph *graph, const hb_node *node);
hb_interval hb_values_sum(const hb_graph *graph, const hb_node *node);
hb_interval hb_values_difference(const hb_graph *graph, const hb_node *node);
hb_interval hb_values_product(const hb_graph *graph, const hb_node *node);
/* For a sum over all rows. */
hb_interval hb_values_of_sum(const hb_graph *graph, const hb_node *node);
/* For values that move between slots. */
hb_interval hb_values_moved(const hb_graph *graph, const hb_node *node);

/* For a polynomial of values in [-1, 1]. */
hb_interval hb_values_polynomial(const hb_graph *graph, const hb_node *node);
/* For two row blocks as one: sqrt(2) times as large as one, and so is twice one beside them. */
hb_interval hb_values_root_two_times(const hb_graph *graph, const hb_node *node);
double hb_magnitude_root_two_times(const hb_graph *graph, const hb_node *node);

/* Return the largest magnitude of the second operand or the constant; and of a sum. */
double hb_other_magnitude(const hb_graph *graph, const hb_node *node);
double hb_magnitude_of_sum(const hb_graph *graph, const hb_node *node);
double hb_magnitude_of_product(const hb_graph *graph, const hb_node *node);
double hb_magnitude_of_total(const hb_graph *graph, const hb_node *node);

/* Returns the largest magnitude in the slots of a node whose other members are set; HUGE_VAL: unknown. */
double hb_node_magnitude(const hb_graph *graph, const hb_node *node);

#endif
