/* What an aggregate is taken of, for those over all rows and those of groups. */
#ifndef HB_EXPRESSION_GRAPH_LOWER_AGGREGATE_H
#define HB_EXPRESSION_GRAPH_LOWER_AGGREGATE_H

#include "lower.h"

/* An aggregate of rows. */
typedef struct hb_aggregated {
    const hb_item *item;
    hb_value x;       /* values of rows, 0 where a condition is 0; without columns of count() */
    uint32_t counted; /* that condition; HB_NO_NODE: all rows count */
} hb_aggregated;

/* Finds what the aggregate of an item is taken of, loaded. HB_EUSAGE for what it does not take. */
hb_status hb_lower_aggregated(hb_lowering *l, const hb_item *item, const hb_value *argument, hb_aggregated *out);
/* Makes the square of a node. */
hb_status hb_lower_square(hb_lowering *l, uint32_t node, uint32_t *out);

#endif
