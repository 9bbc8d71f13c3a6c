/* Declarations shared by the files of the evaluator. */
#ifndef HB_RLWE_EVALUATOR_PRIVATE_H
#define HB_RLWE_EVALUATOR_PRIVATE_H

#include "evaluator_build.h"
#include "ring/permutation.h"

/* Returns whether a prepared key has integers. */
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

/* Returns whether the automorphism of a key comes after the switch. */
static inline bool hb_key_switches_first(const hb_switch_key *key)
{
    return key->source == HB_TO_AUTOMORPHISM;
}

/* Whether digits of the automorphism are its digits but for signs. */
static inline bool hb_key_needs_flips(const hb_switch_key *key)
{
    return !key->gadget->centred && !hb_key_switches_first(key);
}

/* The data kept of one key, from its first use on: the automorphism's permutation of the NTT form, its inverse, and,
 * where digits are not centred, the key's answer at one level to the signs that it flips. */
typedef struct hb_hoisted {
    uint64_t serial; /* of which key ... */
    uint32_t limbs;  /* ... at which level; 0: at all, without flips */
    hb_permutation automorphism;
    hb_batch flips; /* [2][switch limbs], NTT form */
} hb_hoisted;

/* Returns the data kept of a key, or NULL. limbs: with flips at that level; 0: at any. */
const hb_hoisted *hb_hoisted_find(const hb_evaluator *ev, const hb_switch_key *key, uint32_t limbs);
/* Makes and keeps it, if it is not kept yet, which waits. limbs: with flips at that level; 0: without. */
hb_status hb_hoisted_prepare(hb_evaluator *ev, const hb_switch_key *key, uint32_t limbs);
/* Drops the data of all keys. */
void hb_hoisted_clear(hb_evaluator *ev);
/* r = phi(a), phi the automorphism of the key; in NTT form it may have to be prepared first. */
hb_status hb_key_automorphism(hb_evaluator *ev, hb_batch r, hb_batch a, const hb_switch_key *key, hb_form form);

static inline const hb_gadget_level *hb_gadget_level_of(const hb_evaluator *ev, uint32_t limbs)
{
    return &ev->params->gadget.levels[limbs];
}

#endif
