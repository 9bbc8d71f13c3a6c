/* Totals whose slots need not be summed one by one: they are only added up, and stored in outputs that merge the sums
 * of their slots (scheme/merge.h). */
#ifndef HB_LANG_ANALYSIS_DEFERRED_SUMS_H
#define HB_LANG_ANALYSIS_DEFERRED_SUMS_H

#include "facts.h"

/* The columns of an output. */
typedef struct hb_deferral {
    const uint32_t *nodes; /* [count], borrowed */
    uint32_t count;
    bool merged; /* it merges sums of slots, if all of its columns are deferred */
} hb_deferral;

/* Marks the nodes that are deferred: sums of slots, integer linear functions of deferred totals, and such a total plus
 * a constant, which is stored, if no user takes them but deferred nodes and outputs that merge. Clears `merged` of
 * outputs that have other columns. Sizes are there. */
void hb_facts_defer_sums(hb_facts *facts, hb_deferral *outputs, uint32_t count);

#endif
