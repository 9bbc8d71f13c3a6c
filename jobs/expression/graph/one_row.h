/* Slots that count nothing, as 0, and one row that takes the place of all: errors that come of both. */
#ifndef HB_EXPRESSION_GRAPH_ONE_ROW_H
#define HB_EXPRESSION_GRAPH_ONE_ROW_H

#include "graph.h"

/* Makes row `row` of a column that totals' instructions load stand in all rows; dirty: slots beside it may not be 0.
 * They are masked then; of reals also where they are, if `spare` allows it and a level is left: a sum over slots adds
 * up the errors of all. *masked: it took a level that it need not take. HB_EUSAGE, HB_EDATA as in graph.h. */
hb_status hb_graph_fill_rows(hb_graph *graph, uint32_t row, bool dirty, bool spare, uint32_t *node, bool *masked);

/* Return the bounds of masks, of a mask of all rows but one, and of that row in all: the rows of rules.c. */
hb_quality hb_mask_quality(const hb_graph *graph, const hb_node *node);
hb_quality hb_mask_row_quality(const hb_graph *graph, const hb_node *node);
hb_quality hb_fill_rows_quality(const hb_graph *graph, const hb_node *node);
/* Returns the bound of the sum over all slots, or over all blocks of rows within slots, at the level of a node. */
hb_quality hb_over_slots_quality(const hb_graph *graph, const hb_node *node, hb_quality quality);

#endif
