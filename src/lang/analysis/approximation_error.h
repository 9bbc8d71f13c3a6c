/* What values miss because functions are approximated: an error like others, with which no key and no noise has to
 * do. */
#ifndef HB_LANG_ANALYSIS_APPROXIMATION_ERROR_H
#define HB_LANG_ANALYSIS_APPROXIMATION_ERROR_H

#include "facts.h"
#include "rlwe/quality.h"

/* Returns the bounds of a node with what it misses its values by itself (hb_graph_add_approximation_error); where
 * bounds are `ideal`, those of a column of an operand without what was missed when that was computed. */
hb_quality hb_node_with_approximation_error(const hb_facts *facts, const hb_node *node, hb_quality quality);

#endif
