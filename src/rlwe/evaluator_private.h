/* What the files of the evaluator share. */
#ifndef HB_RLWE_EVALUATOR_PRIVATE_H
#define HB_RLWE_EVALUATOR_PRIVATE_H

#include "evaluator_build.h"

/* What a key that is prepared has. */
static inline bool hb_key_integers(const hb_switch_key *key)
{
    return key->integers.data != NULL;
}

/* Words of one ciphertext in the workspace of a key switch, in the form that takes more: digits [k], sums [outputs],
 * products [2][k + 1], a component [k]. */
size_t hb_switch_words(const hb_params *params, uint32_t k);
/* Hoisted, modulo each prime alone: products once more, permuted; and beside the ciphertexts one permuted key. */
size_t hb_hoist_words(const hb_params *params, uint32_t k);
size_t hb_hoist_key_words(const hb_params *params, uint32_t k);

void hb_hoisted_clear(hb_evaluator *ev);

#endif
