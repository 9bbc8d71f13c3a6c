/* Errors of the numbers of a row in one ciphertext (scheme/spread.h). */
#ifndef HB_LANG_ANALYSIS_SPREAD_ERROR_H
#define HB_LANG_ANALYSIS_SPREAD_ERROR_H

#include "facts.h"

/* Returns the bounds of a node that is such a number: a row of transfer_functions.c. */
hb_quality hb_spread_quality(const hb_facts *facts, const hb_node *node);

#endif
