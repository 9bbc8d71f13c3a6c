/* Totals whose slots need not be summed one by one: they are only added up, and stored in outputs that merge the sums
 * of their slots (scheme/merge.h). */
#ifndef HB_LANG_ANALYSIS_DEFERRED_SUMS_H
#define HB_LANG_ANALYSIS_DEFERRED_SUMS_H

#include "base/status.h"
#include "facts.h"

/* The columns of an output. */
typedef struct hb_deferral {
    const uint32_t *nodes; /* [count], borrowed */
    uint32_t count;        /* one at least */
    bool merged;           /* it merges sums of slots, if all of its columns are deferred */
} hb_deferral;

/* Returns whether an operation brings a ciphertext to a lower level. */
static inline bool hb_goes_down(hb_opcode op)
{
    return op == HB_OP_MOD_SWITCH || op == HB_OP_ADJUST;
}
/* Marks sums of slots that may wait, and totals that are made of them by integer linear functions. A total plus a
 * constant may wait only if it is stored, there or at a lower level, and so may one that was brought down. A node waits
 * only if all its users wait or are outputs that merge. Clears `merged` of outputs that have other columns. Sizes are
 * there. HB_ENOMEM. */
hb_status hb_facts_defer_sums(hb_facts *facts, hb_deferral *outputs, uint32_t count);

#endif
