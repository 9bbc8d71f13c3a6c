/* Errors of masks, and of sums behind them: where a mask is 0, errors of the values are 0 as well. */
#ifndef HB_LANG_ANALYSIS_MASK_ERROR_H
#define HB_LANG_ANALYSIS_MASK_ERROR_H

#include "facts.h"

/* Returns the bound of a mask, of a mask of all rows but one, or of that row in all (HB_OP_MASK, HB_OP_MASK_SCALED,
 * HB_OP_MASK_ROW, HB_OP_FILL_ROWS). */
hb_quality hb_mask_quality(const hb_facts *f, const hb_node *node);
/* Returns the bound of the sum over all slots, or over all blocks of rows within slots, at the level of a node. */
hb_quality hb_over_slots_quality(const hb_graph *g, const hb_node *node, hb_quality quality);

/* The error of a product with a mask, in two parts. */
typedef struct hb_masked_error {
    hb_quality rows; /* the sum of the errors of the values, over the selected rows of all row blocks */
    hb_quality rest; /* what the product adds, in every slot of each row block */
} hb_masked_error;

/* Returns whether the node, of reals, is the product of values with a mask of 0 to 1 in the clear that selects fewer
 * rows than there are slots; then sets both parts, at the node's scale. */
bool hb_masked_error_find(const hb_facts *f, const hb_node *node, hb_masked_error *out);

#endif
