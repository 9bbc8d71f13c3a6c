/* Bounds of masks, and of one row that takes the place of all. */
#ifndef HB_LANG_ANALYSIS_ROW_BROADCAST_ERROR_H
#define HB_LANG_ANALYSIS_ROW_BROADCAST_ERROR_H

#include "facts.h"
#include "rlwe/quality.h"

/* Return the bounds of masks, of a mask of all rows but one, and of that row in all: rows of transfer_functions.c. */
hb_quality hb_mask_quality(const hb_facts *facts, const hb_node *node);
hb_quality hb_mask_row_quality(const hb_facts *facts, const hb_node *node);
hb_quality hb_fill_rows_quality(const hb_facts *facts, const hb_node *node);
/* Returns the bound of the sum over all slots, or over all blocks of rows within slots, at the level of a node. */
hb_quality hb_over_slots_quality(const hb_graph *graph, const hb_node *node, hb_quality quality);

#endif
