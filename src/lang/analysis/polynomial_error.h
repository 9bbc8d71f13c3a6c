/* Likely values and errors of polynomials on [-1, 1] as nodes. */
#ifndef HB_LANG_ANALYSIS_POLYNOMIAL_ERROR_H
#define HB_LANG_ANALYSIS_POLYNOMIAL_ERROR_H

#include "facts.h"
#include "stage.h"

/* Return what the values of such a node are likely to be, the node as a stage, and its bounds: rows of
 * transfer_functions.c. */
hb_moments hb_polynomial_moments(const hb_facts *facts, const hb_node *node);
hb_stage hb_polynomial_stage(const hb_facts *facts, const hb_node *node);
hb_quality hb_polynomial_quality(const hb_facts *facts, const hb_node *node);

#endif
