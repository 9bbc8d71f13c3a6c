/* Notes that a lowering makes besides results: the first of each kind. */
#ifndef HB_LANG_VALUE_LOWERING_NOTES_H
#define HB_LANG_VALUE_LOWERING_NOTES_H

#include "lang/text/syntax.h"

/* A condition that is the same in every row. */
typedef struct hb_settled {
    const hb_item *item;
    bool truth;
} hb_settled;

enum { HB_MOST_SETTLED = 8 };

/* All of an expression. */
typedef struct hb_lowered_notes {
    hb_settled settled[HB_MOST_SETTLED];
    uint32_t settled_count;
    const hb_item *ones[HB_MOST_SETTLED]; /* counts of columns of numbers 0 and 1: of their ones */
    uint32_t ones_count;
} hb_lowered_notes;

#endif
