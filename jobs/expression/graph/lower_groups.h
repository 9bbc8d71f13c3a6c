/* A table of groups as it is made: keys and groups first, then sums of each, then what they stand for. */
#ifndef HB_EXPRESSION_GRAPH_LOWER_GROUPS_H
#define HB_EXPRESSION_GRAPH_LOWER_GROUPS_H

#include "indicator.h"
#include "io/base/grouping.h"
#include "lower_aggregate.h"

/* One sum of each group. */
typedef struct hb_group_sum {
    uint32_t node; /* of rows; HB_NO_NODE: 1 in each */
    char *name;
    hb_meaning meaning; /* without labels */
} hb_group_sum;

typedef struct hb_grouper {
    hb_lowering *l;
    const hb_item *item;
    hb_value keys;           /* [key_count] columns */
    uint32_t filter;         /* condition that selects rows of all groups; HB_NO_NODE: all */
    const hb_value *members; /* [member_count] which groups; none: one for each value of the keys */
    uint32_t member_count;
    const hb_value *aggregates; /* [aggregate_count] */
    uint32_t aggregate_count;
    hb_groups groups;
    hb_group_sum *parts; /* [part_count], owned */
    uint32_t part_count, part_capacity;
    hb_grouped_column *shown; /* [shown_count], owned */
    uint32_t shown_count, shown_capacity;
} hb_grouper;

/* Returns HB_EUSAGE at the call. */
hb_status hb_grouper_fail(const hb_grouper *grouper, const char *what);

/* lower_group_sums.c: adds what one argument behind the key asks for of each group. HB_EUSAGE where it is no
 * aggregate. */
hb_status hb_grouper_add(hb_grouper *grouper, const hb_value *argument);
/* Adds the number of rows. HB_ENOMEM. */
hb_status hb_grouper_add_count(hb_grouper *grouper);
/* Makes the sums of all groups. `bins`: groups are called after ranges of their key. */
hb_status hb_grouper_finish(hb_grouper *grouper, bool bins, hb_value *out);
/* Returns what is known of the column that a key is; NULL: nothing. */
const hb_column *hb_grouper_key_column(const hb_grouper *grouper, uint32_t key);

#endif
