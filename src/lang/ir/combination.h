/* Linear combinations as nodes: what follows from their terms, for the rules of operations (rules.h). */
#ifndef HB_LANG_IR_COMBINATION_H
#define HB_LANG_IR_COMBINATION_H

#include "graph.h"

/* Return the range of a combination, what its largest slot may have, and its linear form. */
hb_interval hb_combination_interval(const hb_graph *graph, const hb_node *node);
double hb_combination_magnitude(const hb_graph *graph, const hb_node *node);
uint64_t hb_combination_linear(const hb_graph *graph, const hb_node *node);

#endif
