/* The points where a long program may stop, and the registers that are needed to resume: places between row
 * instructions where few values are live, one in each iteration of a loop, and one before each bootstrap. */
#ifndef HB_LANG_PROGRAM_RESUME_POINTS_H
#define HB_LANG_PROGRAM_RESUME_POINTS_H

#include "program.h"

/* Sets the resume points of all passes: of the instructions from one cut to the next the place with the fewest words of
 * live ciphertexts, the last of equals. A cut is where another iteration begins, or a bootstrap. Instructions that are
 * done together stay so. A pass without loops and bootstraps has none. HB_ENOMEM. */
hb_status hb_program_find_resume_points(hb_program *program);

/* The state that a computation needs to go on from a place: ciphertexts that were computed, and columns that can be
 * loaded again. Totals, which all row instructions share, are not among them. Plaintexts are loaded, always: they may
 * be private. */
typedef struct hb_live {
    uint16_t *registers; /* [register_count], owned, ascending */
    uint32_t *loads;     /* [load_count] row instructions, owned */
    uint32_t register_count, load_count;
} hb_live;

/* Finds them for a place among the row instructions of a pass. HB_ENOMEM. The caller clears, also after a failure. */
hb_status hb_live_find(hb_live *live, const hb_program *program, uint32_t pass, uint32_t at);
void hb_live_clear(hb_live *live);

/* Finds the totals that passes behind this one read, and it or one before has made. HB_ENOMEM. The caller clears, also
 * after a failure. */
hb_status hb_live_totals(hb_live *live, const hb_program *program, uint32_t pass);

/* Returns the most limbs times components that are live at any resume point of the program, of a row block, on the one
 * of so many members that share limbs which has most; 0: it has none. */
uint64_t hb_program_most_live(const hb_program *program, uint32_t members);

#endif
