/* Likely values and errors of polynomials on [-1, 1] as nodes. */
#ifndef HB_LANG_ANALYSIS_POLYNOMIAL_ERROR_H
#define HB_LANG_ANALYSIS_POLYNOMIAL_ERROR_H

#include "facts.h"
#include "stage.h"

/* Return the likely values of such a node, the node as a stage, and its bounds: entries of transfer_functions.c. */
hb_moments hb_polynomial_moments(const hb_facts *facts, const hb_node *node);
hb_stage hb_polynomial_stage(const hb_facts *facts, const hb_node *node);
hb_quality hb_polynomial_quality(const hb_facts *facts, const hb_node *node);

#endif
