/* Errors of values whose range holds whatever they are off by: what is meant and what is computed both lie in it. */
#ifndef HB_LANG_ANALYSIS_CLAMP_TO_RANGE_H
#define HB_LANG_ANALYSIS_CLAMP_TO_RANGE_H

#include "facts.h"
#include "rlwe/quality.h"

/* Returns the bounds of a node, none of them more than such a range is wide. What a range is said of what a name holds
 * decides about what is expected; that of a stage of sign, whose polynomial leaves no other values, about what is
 * proven too. */
hb_quality hb_node_within_range(const hb_facts *facts, const hb_node *node, hb_quality quality);
/* Does so with what is expected alone: of bounds that were within the range, and of which more was expected since. */
hb_quality hb_node_expected_within_range(const hb_facts *facts, const hb_node *node, hb_quality quality);

#endif
