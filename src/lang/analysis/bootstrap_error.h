/* The error of bootstrapped values. */
#ifndef HB_LANG_ANALYSIS_BOOTSTRAP_ERROR_H
#define HB_LANG_ANALYSIS_BOOTSTRAP_ERROR_H

#include "facts.h"
#include "rlwe/quality.h"

/* Returns the bounds of a bootstrapped node, whose operands have theirs: a row of transfer_functions.c. */
hb_quality hb_bootstrapped_quality(const hb_facts *facts, const hb_node *node);
/* Returns the bound of integers whose noise is refreshed, by the certainty of the facts, and of those that are brought
 * to the level where it is. */
hb_quality hb_refreshed_quality(const hb_facts *facts, const hb_node *node);

#endif
