/* Instructions that are done together with those behind them: they share work, or one operation makes all of them. */
#ifndef HB_LANG_PROGRAM_TOGETHER_H
#define HB_LANG_PROGRAM_TOGETHER_H

#include "program.h"

#define HB_MOST_TOGETHER 64 /* automorphisms of one register */

/* Return how many of the `left` instructions from this one on are: linear combinations of the same registers, 0 or
 * more; automorphisms of one register that none of them changes, which may run together if there are keys, 0 or more,
 * at most HB_MOST_TOGETHER; bootstrapped together, 0 where this one bootstraps nothing. */
uint32_t hb_together_combined(const hb_program *program, const hb_instruction *i, uint32_t left);
uint32_t hb_together_moved(const hb_instruction *i, uint32_t left);
uint32_t hb_together_bootstrapped(const hb_instruction *i, uint32_t left);
/* The same of numbers of one ciphertext of a row, 0 or more. */
uint32_t hb_together_spread(const hb_instruction *i, uint32_t left);
/* Returns how many instructions from this one on stay together wherever they are run: 1 or more. */
static inline uint32_t hb_together(const hb_program *program, const hb_instruction *i, uint32_t left)
{
    const uint32_t combined = hb_together_combined(program, i, left), pair = hb_together_bootstrapped(i, left),
                   spread = hb_together_spread(i, left);
    if (combined > 0 || pair > 0 || spread > 0) {
        return combined > 0 ? combined : pair > 0 ? pair : spread;
    }
    /* Where keys of some are missing, a run goes on with those behind: so all automorphisms in a row stay together. */
    uint32_t moved = hb_together_moved(i, left);
    while (moved > 0 && moved < left && !i[moved].apart && i[moved].a == i->a && hb_together_moved(i + moved, 1) > 0) {
        moved++;
    }
    return moved > 0 ? moved : 1;
}

#endif
