/* Likely values and errors of nodes of rows within slots (blocks.h): rows of transfer_functions.c. */
#ifndef HB_LANG_ANALYSIS_BLOCK_ERRORS_H
#define HB_LANG_ANALYSIS_BLOCK_ERRORS_H

#include "facts.h"
#include "rlwe/quality.h"

/* Return the moments and the bounds of products with matrices, sums of columns, copies of a column, and sums with rows
 * of constants. */
hb_moments hb_matrix_moments(const hb_facts *facts, const hb_node *node);
hb_quality hb_matrix_quality(const hb_facts *facts, const hb_node *node);
hb_moments hb_row_sum_moments(const hb_facts *facts, const hb_node *node);
hb_quality hb_row_sum_quality(const hb_facts *facts, const hb_node *node);
hb_quality hb_row_spread_quality(const hb_facts *facts, const hb_node *node);
hb_moments hb_add_row_moments(const hb_facts *facts, const hb_node *node);
hb_quality hb_add_row_quality(const hb_facts *facts, const hb_node *node);

#endif
