/* What the files of the evaluator share. */
#ifndef HB_RLWE_EVALUATOR_PRIVATE_H
#define HB_RLWE_EVALUATOR_PRIVATE_H

#include "evaluator_build.h"

/* What a key that is prepared has. */
static inline bool hb_key_integers(const hb_switch_key *key)
{
    return key->integers.data != NULL;
}

/* Words of one ciphertext in the workspace of a key switch, in the form that takes more: digits, sums [outputs],
 * products [2][switch limbs], a component [k]. */
size_t hb_switch_words(const hb_params *params, uint32_t k);
/* Hoisted, modulo each prime alone: products once more, permuted; and beside the ciphertexts one permuted key. */
size_t hb_hoist_words(const hb_params *params, uint32_t k);
size_t hb_hoist_key_words(const hb_params *params, uint32_t k);

/* r = phi(a), phi the automorphism of the key; in NTT form it may have to be prepared first, which waits. */
hb_status hb_key_automorphism(hb_evaluator *ev, hb_batch r, hb_batch a, const hb_switch_key *key, hb_form form);
/* What is prepared of all keys. */
void hb_hoisted_clear(hb_evaluator *ev);

/* Whether the automorphism of a key comes behind the switch. */
static inline bool hb_key_switches_first(const hb_switch_key *key)
{
    return key->source == HB_TO_AUTOMORPHISM;
}

static inline const hb_gadget_level *hb_gadget_level_of(const hb_evaluator *ev, uint32_t limbs)
{
    return &ev->params->gadget.levels[limbs];
}

#endif
