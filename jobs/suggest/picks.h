/* Which columns an expression picks of the names that it reads, before anybody knows their tables. */
#ifndef HB_SUGGEST_PICKS_H
#define HB_SUGGEST_PICKS_H

#include "expression/text/syntax.h"

typedef struct hb_picked {
    uint64_t given;        /* how many columns the name is said to have; 0: nothing is said */
    const hb_item **items; /* picks of the name, each column once; owned */
    uint32_t count;
} hb_picked;

/* Notes what is picked of reads[0 .. count); `given` is set. HB_EUSAGE for too many names, and where rowsum adds up
 * columns of which neither `given` nor the picks say how many there are. hb_picks_clear also after a failure. */
hb_status hb_picks_find(const hb_syntax *syntax, char *const *reads, hb_picked *of, uint32_t count);
void hb_picks_clear(hb_picked *of, uint32_t count);

#endif
