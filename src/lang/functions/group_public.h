/* Aggregates of plain values over the rows of a group that nothing encrypted tells from others: numbers that are no
 * secret, which are worked out once and stored as they are. */
#ifndef HB_LANG_FUNCTIONS_GROUP_PUBLIC_H
#define HB_LANG_FUNCTIONS_GROUP_PUBLIC_H

#include "functions.h"
#include "table/epilogue.h"

typedef struct hb_group_public {
    const hb_epilogue *epilogue; /* of a sum, a mean or a variance */
    uint32_t plain;              /* the values, a node */
    uint32_t mask;               /* their rows in the group, a node of a derived column; HB_NO_NODE: all */
    uint64_t scale;              /* that integers are stored times */
} hb_group_public;

/* Sets *word to the bits of a double. It is NaN if the group has too few rows for the number. For integers it is the
 * double nearest to the exact value. HB_EUSAGE for complex numbers, and for a sum that no double is; else as
 * hb_lower_plain. */
hb_status hb_group_public_find(hb_lowering *l, const hb_group_public *of, uint64_t *word);

#endif
