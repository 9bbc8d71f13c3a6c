/* Errors of values whose range holds for the exact and for the computed value: the error is at most the range's
 * width. */
#ifndef HB_LANG_ANALYSIS_CLAMP_TO_RANGE_H
#define HB_LANG_ANALYSIS_CLAMP_TO_RANGE_H

#include "facts.h"
#include "rlwe/quality.h"

/* Returns the bounds of a node, none of them more than such a range is wide. A declared range of a name narrows the
 * expected error alone; the range of a stage of sign, whose polynomial gives no other values, narrows the proven one
 * too. */
hb_quality hb_node_within_range(const hb_facts *facts, const hb_node *node, hb_quality quality);
/* Narrows the expected error alone, of bounds that were within the range before their expected error was raised. */
hb_quality hb_node_expected_within_range(const hb_facts *facts, const hb_node *node, hb_quality quality);

#endif
