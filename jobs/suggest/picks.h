/* The columns that an expression picks from the names that it reads. */
#ifndef HB_SUGGEST_PICKS_H
#define HB_SUGGEST_PICKS_H

#include "lang/text/syntax.h"

/* The columns that an expression picks from one name, before its table is known. */
typedef struct hb_picked {
    uint64_t given;        /* the number of columns given for the name; 0: not given */
    const hb_item **items; /* picks of the name, each column once; owned */
    uint32_t count;
} hb_picked;

/* Finds the picks of reads[0 .. count); `given` is set. HB_EUSAGE for too many names, and where rowsum adds columns
 * whose number neither `given` nor the picks tell. *weights: see hb_columns_find. The caller frees the items of all
 * names, also after a failure. */
hb_status hb_picks_find(const hb_syntax *syntax, char *const *reads, hb_picked *of, uint32_t count, uint64_t *weights);

/* Returns whether a name stands by itself on the right of == or !=, like a label without its quotes. */
bool hb_picks_label(const char *expression, const char *name);

#endif
