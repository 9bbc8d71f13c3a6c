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
#include "scheme/power_of_x.h"

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

/* The ciphertexts of an output's blocks of columns, where several workers or ranks merge them: each block is that of
 * one worker. Zeroed: there are none. */
typedef struct hb_packed_blocks {
    hb_ciphertexts *block;   /* [count] of one ciphertext each, at the level in which sums merge; owned */
    uint64_t count, columns; /* columns: of a block; 1: totals that are not merged yet; 0: nothing is divided */
} hb_packed_blocks;

/* Zeroed: not open. */
typedef struct hb_packed_totals {
    hb_engine *engine; /* borrowed, as the next two; NULL: it is not open */
    const hb_params *params;
    const hb_output *output; /* summed_limbs > 0: totals are merged, else shifted */
    hb_evaluator *evaluator;
    hb_merged_totals merged;
    hb_shifted_totals shifted;
    hb_ciphertexts stored;          /* the sum at the level at which it is stored */
    hb_unit_order order;            /* in which it is stored; not open: that of the ring */
    uint64_t added;                 /* totals */
    hb_packed_blocks own;           /* of the first worker; those of others are zeroed */
    const hb_packed_blocks *blocks; /* the first worker's */
} hb_packed_totals;

/* Opens a sum of no totals of a packed output. columns 0: it is the only one, of all totals. Else others add other
 * totals: where totals merge each leaves blocks of so many columns with the first, `of` (NULL: it is that), which stays
 * open; where they do not, each has a part of the sum. Waits. HB_ENOMEM; HB_ECONFIG as hb_evaluator_open. The caller
 * closes, also after a failure; a zeroed one is allowed. */
hb_status hb_packed_totals_open(hb_packed_totals *x, hb_engine *engine, const hb_params *params,
                                const hb_output *output, const hb_switch_keys *keys, uint64_t columns,
                                const hb_packed_totals *of);
void hb_packed_totals_close(hb_packed_totals *x);
/* Returns the most bytes of the engine's memory that the sum for an output takes, with blocks of so many columns, as of
 * the first (0: it has none); 0 where it packs none. */
uint64_t hb_packed_totals_bytes(const hb_params *params, const hb_output *output, uint64_t columns);
/* Adds total `column`, of those that merge in the order of columns, at the level where totals are computed. With the
 * last one of all *all is the ciphertext that is stored, a view of its memory; before, and with blocks, its size is 0.
 * With blocks whole ones are added, the last of which may have fewer columns. Exchanges. HB_EDATA naming a missing
 * key. */
hb_status hb_packed_totals_add(hb_packed_totals *x, uint32_t column, hb_ciphertexts total, hb_ciphertexts *all);
/* With blocks, which are all there, or once shifted.sum is that of all parts: gives the ciphertext that is stored,
 * once, in the first. Changes the blocks. Exchanges, and fails, as adding does. */
hb_status hb_packed_totals_finish(hb_packed_totals *x, const hb_switch_keys *keys, hb_ciphertexts *all);

#endif
