/* One row that takes the place of all, and slots that count nothing, as 0. */
#ifndef HB_LANG_IR_ROW_BROADCAST_H
#define HB_LANG_IR_ROW_BROADCAST_H

#include "graph.h"

/* Makes row `row` of a column that totals' instructions load stand in all rows; dirty: slots beside it may not be 0.
 * They are masked then; of reals also where they are, if `spare` allows it and a level is left: a sum over slots adds
 * up the errors of all. *masked: it took a level that it need not take. HB_EUSAGE, HB_EDATA as in graph.h. */
hb_status hb_graph_fill_rows(hb_graph *graph, uint32_t row, bool dirty, bool spare, uint32_t *node, bool *masked);

#endif
