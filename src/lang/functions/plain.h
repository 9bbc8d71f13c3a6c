/* Conditions on plain tables, and groups by their columns, computed in the clear: exactly, and at no depth. What comes
 * out are columns of 0 and 1 (lang/program/masks.h), which are loaded as plain tables are. */
#ifndef HB_LANG_FUNCTIONS_PLAIN_H
#define HB_LANG_FUNCTIONS_PLAIN_H

#include "functions.h"

/* Returns the mask that a node loads; NULL: it is none. */
const hb_mask *hb_node_mask(const hb_graph *graph, uint32_t node);
/* Returns the rows of the expression that the mask of such a node has. */
uint64_t hb_mask_rows(const hb_graph *graph, uint32_t node);

/* Make conditions of values none of which is encrypted: a comparison, kind HB_ITEM_LESS to HB_ITEM_NOT_EQUAL,
 * HB_ITEM_AND, HB_ITEM_OR, or, of x alone, HB_ITEM_NOT; whether x is one of the members. HB_EUSAGE for tables that
 * nobody can read here; HB_EDATA as their source says; HB_ENOMEM. */
hb_status hb_lower_plain_test(hb_lowering *l, hb_item_kind kind, const hb_value *x, const hb_value *y, hb_value *out);
hb_status hb_lower_plain_among(hb_lowering *l, const hb_value *x, const hb_member *members, uint32_t count,
                               hb_value *out);
/* Makes a plain value a condition, which it must be by its cells; `what` takes it. HB_EUSAGE where they are not all 0
 * and 1; else as above. */
hb_status hb_lower_plain_condition(hb_lowering *l, const char *what, hb_value *x);

/* Makes the mask of the rows that two have, nodes; HB_NO_NODE has all. As above. */
hb_status hb_lower_plain_both(hb_lowering *l, uint32_t a, uint32_t b, uint32_t *out);

/* Groups of rows by columns of plain tables: those that there are, in ascending order. */
typedef struct hb_plain_groups {
    uint32_t keys, count;
    uint32_t operand; /* that its masks are loaded as columns of */
    int64_t *values;  /* [count][keys], owned */
    uint32_t list;    /* of codes of the masks, group + 1 */
    uint64_t rows;
} hb_plain_groups;

/* Finds the groups of rows that have different values of columns, nodes [keys] that load plain tables, in rows where
 * the mask `filter` is 1, a node; HB_NO_NODE: in all. HB_EUSAGE for values that are no whole numbers, and for more than
 * `most` groups; else as above. The caller clears. */
hb_status hb_plain_groups_find(hb_lowering *l, const uint32_t *nodes, uint32_t keys, uint32_t filter, uint32_t most,
                               hb_plain_groups *out);
void hb_plain_groups_clear(hb_plain_groups *groups);
/* Finds the list of codes of the groups in rows where the mask `within` is 1, a node; HB_NO_NODE: in all. HB_ENOMEM. */
hb_status hb_plain_groups_within(hb_lowering *l, const hb_plain_groups *groups, uint32_t within, uint32_t *list);
/* Makes the node of the mask of one group, by such a list. HB_ENOMEM. */
hb_status hb_plain_groups_mask(hb_lowering *l, const hb_plain_groups *groups, uint32_t list, uint32_t group,
                               uint32_t *node);

#endif
