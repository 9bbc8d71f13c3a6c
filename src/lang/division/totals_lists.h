/* The lists of a pass that is divided: shares, and registers of values that go from one share to another. */
#ifndef HB_LANG_DIVISION_TOTALS_LISTS_H
#define HB_LANG_DIVISION_TOTALS_LISTS_H

#include "base/seed.h"
#include "totals_schedule.h"

/* Registers that shares of a rank have in common, behind those of the program; each pass takes them anew. */
typedef struct hb_totals_pool {
    hb_register *registers; /* [count], owned */
    uint32_t *busy;         /* [count] stages of the pass in which it is taken; owned */
    uint32_t count, capacity;
    uint32_t first; /* the program's number of the first */
} hb_totals_pool;

/* A new list of a pass. */
typedef struct hb_totals_lists {
    hb_instruction *instructions; /* [count], owned */
    uint32_t *from;               /* [count] places in the old list; owned */
    uint16_t *terms;              /* registers of the combinations, one after another as in the list; owned */
    size_t term_count;
    uint32_t count;
    hb_pass_division division; /* owned */
} hb_totals_lists;

/* Makes the lists by a schedule; program and combinations stay as they are. *fits: the registers can be named. own:
 * notes the registers of which each worker has its own. HB_ENOMEM; HB_EINTERNAL for lists that are not what they should
 * be. The caller clears, also after a failure. */
hb_status hb_totals_lists_make(hb_totals_lists *lists, const hb_totals_graph *g, hb_totals_schedule *schedule,
                               hb_totals_pool *pool, uint8_t *own, bool *fits);
static inline void hb_totals_lists_clear(hb_totals_lists *lists)
{
    if (lists->instructions != NULL) {
        hb_wipe(lists->instructions, lists->count * sizeof *lists->instructions); /* they may hold private weights */
    }
    free(lists->instructions);
    free(lists->from);
    free(lists->terms);
    hb_pass_division_clear(&lists->division);
    *lists = (hb_totals_lists){.instructions = NULL};
}

#endif
