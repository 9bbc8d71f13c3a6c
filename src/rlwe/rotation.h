/* Rotations of slots, for schemes: rows of N/2 slots that powers of a generator rotate (ring/galois.h). */
#ifndef HB_RLWE_ROTATION_H
#define HB_RLWE_ROTATION_H

#include "evaluator_build.h"
#include "ring/galois.h"

/* Returns the key of the parameters' own purpose for an automorphism that serves the level of `limbs` limbs and no
 * higher one than necessary; NULL: there is none. */
const hb_switch_key *hb_rotation_key(const hb_evaluator *ev, const hb_switch_keys *keys, uint32_t element,
                                     uint32_t limbs);

typedef struct hb_rotation {
    uint32_t generator;
    int64_t step; /* to the left */
} hb_rotation;

/* Rotates all rows: by a key of its own if the list has it, else along the step's non-adjacent form (semantics.md
 * 6.10, 9.6); step 0 copies. HB_EDATA naming the step whose key is missing: then r is undefined. r may be a. */
hb_status hb_rotate_slots(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_rotation rotation,
                          const hb_switch_keys *keys);
/* Adds to every slot the slots that stand `by.step`, 2 by.step .. (terms - 1) by.step to its right in its row, in
 * place: rotations by by.step, 2 by.step, 4 by.step ..., each added. Where there is also a key for three times a step,
 * and keys can be added up (hb_evaluator_galois_sums), rotations by the step, twice and three times it are added at
 * once (semantics.md 9.6). terms: a power of two; 1: nothing is done; N / 2: every slot is the sum of its row. HB_EDATA
 * likewise. */
hb_status hb_sum_window(hb_evaluator *ev, hb_ciphertexts r, hb_rotation by, uint32_t terms, const hb_switch_keys *keys);

#endif
