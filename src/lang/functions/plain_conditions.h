/* Conditions on plain tables, and groups by their columns, computed in the clear: exactly, and at no depth. They are
 * derived columns of 0 and 1, or of the numbers of groups (lang/value/plain.h). */
#ifndef HB_LANG_FUNCTIONS_PLAIN_CONDITIONS_H
#define HB_LANG_FUNCTIONS_PLAIN_CONDITIONS_H

#include "functions.h"
#include "lang/value/plain.h"

/* Makes a plain value a condition, nodes of derived columns, which it must be by its cells; `what` takes it. HB_EUSAGE
 * where they are not all 0 and 1; else as hb_lower_plain. */
hb_status hb_lower_plain_condition(hb_lowering *l, const char *what, hb_value *x);

/* Makes the product of two of one column, nodes, which of conditions is that both hold; HB_NO_NODE is 1, or true. The
 * result is of a derived column. As above. */
hb_status hb_lower_plain_product(hb_lowering *l, uint32_t a, uint32_t b, uint32_t *out);

/* Groups of rows by columns of plain tables: all that have a row, in ascending order. */
typedef struct hb_plain_groups {
    uint32_t keys, count;
    uint32_t operand; /* that they are of */
    int64_t *values;  /* [count][keys], owned */
    uint32_t codes;   /* a derived column: the group of each row, from 1; 0: it is in none */
    uint64_t rows;
} hb_plain_groups;

/* Finds the groups of rows that have different values of columns, nodes [keys] that load plain tables, in rows where
 * the condition `filter` is true, a node; HB_NO_NODE: in all. HB_EUSAGE for values that are no whole numbers, and for
 * more than `most` groups; else as above. The caller clears. */
hb_status hb_plain_groups_find(hb_lowering *l, const uint32_t *nodes, uint32_t keys, uint32_t filter, uint32_t most,
                               hb_plain_groups *out);
void hb_plain_groups_clear(hb_plain_groups *groups);
/* Finds the codes of the groups in rows where the condition `within` is true, a node; HB_NO_NODE: in all. *codes is 0
 * in others. As above. */
hb_status hb_plain_groups_within(hb_lowering *l, const hb_plain_groups *groups, uint32_t within, uint32_t *codes);
/* Makes the condition that a row is in one group, by such codes. As above. */
hb_status hb_plain_groups_condition(hb_lowering *l, const hb_plain_groups *groups, uint32_t codes, uint32_t group,
                                    uint32_t *node);

#endif
