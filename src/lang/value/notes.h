/* What a lowering tells of besides results: the first of each. */
#ifndef HB_LANG_VALUE_NOTES_H
#define HB_LANG_VALUE_NOTES_H

#include "lang/text/syntax.h"
#include "table/schema.h"

/* Two values whose columns were matched by position though their names differ. */
typedef struct hb_match {
    const hb_item *item;
    const hb_column *x, *y; /* [columns] */
    uint32_t columns;
} hb_match;

/* A condition that is the same in every row. */
typedef struct hb_settled {
    const hb_item *item;
    bool truth;
} hb_settled;

enum { HB_MOST_MATCHES = 8, HB_MOST_SETTLED = 8 };

/* All of an expression. */
typedef struct hb_lowered_notes {
    hb_match matches[HB_MOST_MATCHES];
    uint32_t match_count;
    hb_settled settled[HB_MOST_SETTLED];
    uint32_t settled_count;
} hb_lowered_notes;

#endif
