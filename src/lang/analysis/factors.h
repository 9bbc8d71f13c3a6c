/* Which factors a product is made of: noise that a factor brings more than once grows faster than its bound for
 * independent ones. */
#ifndef HB_LANG_ANALYSIS_FACTORS_H
#define HB_LANG_ANALYSIS_FACTORS_H

#include "facts.h"

/* Returns the factors of a node, whose operands have theirs. */
hb_factors hb_factors_of(const hb_facts *facts, const hb_node *node);
/* Returns how often a node, or one that is nearly equal to it, is among these factors. */
uint32_t hb_factors_times(const hb_graph *graph, const hb_factors *factors, uint32_t node);
/* Returns whether two nodes have a factor in common, or are one. */
bool hb_factors_related(const hb_facts *facts, uint32_t x, uint32_t y);

#endif
