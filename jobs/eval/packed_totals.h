/* Totals of an output in one ciphertext, one in each coefficient.
 *
 * Where the slots of each are still to be summed, all sums merge (scheme/merge.h). Else every total stands in all slots
 * of its own ciphertext, so its polynomial is a constant; times a power of X it is that coefficient, and the sum of all
 * holds all of them. Powers of X are multiplied exactly, with no key, no level and no noise. */
#ifndef HB_EVAL_PACKED_TOTALS_H
#define HB_EVAL_PACKED_TOTALS_H

#include "batch/unit/unit_order.h"
#include "lang/program/program.h"
#include "rlwe/evaluator.h"
#include "scheme/merge.h"

/* Totals whose slots are not summed yet. */
typedef struct hb_merged_totals {
    hb_merger *merger;
    hb_ciphertexts lower; /* one of them at the merger's level; without memory where that is theirs */
} hb_merged_totals;

/* Totals that stand in all slots. */
typedef struct hb_shifted_totals {
    hb_ciphertexts sum;  /* of the added ciphertexts, in NTT form */
    hb_ciphertexts part; /* one of them, times its power of X */
    hb_batch power;      /* of X, in NTT form */
    uint64_t *words;     /* [n], host */
} hb_shifted_totals;

/* Zeroed: not open. */
typedef struct hb_packed_totals {
    hb_engine *engine; /* borrowed, as the next two; NULL: it is not open */
    const hb_params *params;
    const hb_output *output; /* summed_limbs > 0: totals are merged, else shifted */
    hb_evaluator *evaluator;
    hb_merged_totals merged;
    hb_shifted_totals shifted;
    hb_ciphertexts stored; /* the sum at the level at which it is stored */
    hb_unit_order order;   /* in which it is stored; not open: that of the ring */
    uint64_t added;        /* totals */
} hb_packed_totals;

/* Opens a sum of no totals of a packed output. Waits. HB_ENOMEM; HB_ECONFIG as hb_evaluator_open. The caller closes,
 * also after a failure; a zeroed one is allowed. */
hb_status hb_packed_totals_open(hb_packed_totals *x, hb_engine *engine, const hb_params *params,
                                const hb_output *output, const hb_switch_keys *keys);
void hb_packed_totals_close(hb_packed_totals *x);
/* Returns the most bytes of the engine's memory that the sum for an output takes; 0 where it packs none. */
uint64_t hb_packed_totals_bytes(const hb_params *params, const hb_output *output);
/* Adds total `column`, of those that merge in the order of columns, at the level where totals are computed. With the
 * last one *all is the ciphertext that is stored, a view of its memory; before, its size is 0. Exchanges. HB_EDATA
 * naming a missing key. */
hb_status hb_packed_totals_add(hb_packed_totals *x, uint32_t column, hb_ciphertexts total, hb_ciphertexts *all);

#endif
