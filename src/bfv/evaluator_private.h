/* What the files of the evaluator share. Each operation works on as many ciphertexts at a time as its workspace
 * holds. */
#ifndef HB_BFV_EVALUATOR_PRIVATE_H
#define HB_BFV_EVALUATOR_PRIVATE_H

#include "behz.h"
#include "evaluator.h"

/* What hoisting keeps of one key at one level, from its first use on: the permutation of the NTT form that the
 * automorphism is, its inverse, and the key's answer to the signs that the automorphism flips (evaluator_hoist.c). */
typedef struct hb_hoisted {
    const uint64_t *parts;   /* of which key ... */
    uint32_t limbs;          /* ... at which level */
    uint32_t *map, *inverse; /* [n] each, one allocation, on the engine */
    hb_batch flips;          /* [2][limbs + 1], NTT form */
} hb_hoisted;

struct hb_evaluator {
    hb_engine *engine;
    const hb_params *params;
    hb_evaluator_needs needs;
    uint64_t *work; /* of one operation at a time */
    size_t work_words;
    hb_behz *behz; /* [needs.limbs + 1], of levels that exist; NULL without products */
    hb_hoisted *hoisted;
    uint32_t hoisted_count;
};

/* What is left of the workspace during an operation. */
typedef struct hb_room {
    uint64_t *next;
    size_t words;
} hb_room;

static inline hb_room hb_evaluator_room(const hb_evaluator *x)
{
    return (hb_room){x->work, x->work_words};
}

static inline hb_batch hb_room_take(hb_room *room, const hb_evaluator *x, size_t count, uint32_t limbs,
                                    const uint16_t *ids)
{
    const hb_batch b = hb_batch_on(x->engine, room->next, count, limbs, ids);
    HB_ASSERT(count * b.stride <= room->words);
    room->next += count * b.stride;
    room->words -= count * b.stride;
    return b;
}

/* How many of `count` ciphertexts fit at a time: `each` words a ciphertext beside `fixed` words. At least one. Words
 * are those of the member with most limbs, so that all members come to the same number. */
static inline size_t hb_evaluator_fit(const hb_evaluator *x, size_t fixed, size_t each, size_t count)
{
    HB_ASSERT(fixed + each <= x->work_words);
    const size_t fit = (x->work_words - fixed) / each;
    return fit < count ? fit : count;
}

static inline size_t hb_larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Words of `count` polynomials of some limbs. */
static inline size_t hb_words_of(const hb_params *params, size_t count, const uint16_t *ids, uint32_t limbs)
{
    return count * hb_params_most_limbs(params, ids, limbs) * params->ring.n;
}

/* Words of one ciphertext in the workspace of each kind of operation, at the level of k limbs. */
static inline size_t hb_multiply_words(const hb_params *params, uint32_t k, uint32_t auxiliary, uint32_t components)
{
    return hb_words_of(params, components, params->ids, k) +
           hb_words_of(params, components, params->auxiliary_ids, auxiliary);
}

/* How the inner products of key switching are had: modulo each prime of the level and the special one, or over the
 * integers (key_switch_integer.h). */
typedef struct hb_switch_form {
    bool integers;
    const uint16_t *ids; /* [limbs], in which digits are transformed and multiplied */
    uint32_t limbs;
    uint32_t outputs, row; /* of hb_key_products with the key */
} hb_switch_form;

hb_switch_form hb_switch_form_of(const hb_params *params, uint32_t k, bool integers);
/* What a key that is prepared has. */
static inline bool hb_key_integers(const hb_switch_key *key)
{
    return key->integers.data != NULL;
}
static inline hb_batch hb_key_factors(const hb_switch_key *key)
{
    return hb_key_integers(key) ? key->integers : key->parts;
}
/* products, [2 * count][k + 1] in coefficient form, from sums, [outputs * count] in the form's limbs and NTT form,
 * which are destroyed; modulo each prime these are the products. */
hb_status hb_switch_finish(hb_evaluator *x, const hb_switch_form *form, hb_batch products, hb_batch sums);

/* Words of one ciphertext in the workspace of a key switch, in the form that takes more: digits [k], sums [outputs],
 * products [2][k + 1], a component [k]; hoisted, modulo each prime alone, products once more, permuted.
 * hb_hoist_key_words: beside them one permuted key. */
size_t hb_switch_words(const hb_params *params, uint32_t k);
size_t hb_hoist_words(const hb_params *params, uint32_t k);
size_t hb_hoist_key_words(const hb_params *params, uint32_t k);

static inline const hb_level *hb_level_of(const hb_evaluator *x, hb_ciphertexts a)
{
    HB_ASSERT(a.all.limbs <= x->needs.limbs && x->params->levels[a.all.limbs].basis.limbs == a.all.limbs);
    return &x->params->levels[a.all.limbs];
}

/* Ciphertexts first .. first + count of component i. */
static inline hb_batch hb_component_slice(hb_ciphertexts a, uint32_t i, size_t first, size_t count)
{
    return hb_batch_slice(hb_ciphertexts_component(a, i), first, count);
}

/* Components 0 .. a.size - 1 of ciphertexts first .. first + count lie in this many runs: one where they are all. */
static inline uint32_t hb_component_runs(hb_ciphertexts a, size_t count)
{
    return count == hb_ciphertexts_count(a) ? 1 : a.size;
}

static inline hb_batch hb_component_run(hb_ciphertexts a, uint32_t i, size_t first, size_t count)
{
    return count == hb_ciphertexts_count(a) ? a.all : hb_component_slice(a, i, first, count);
}

/* r = a, or a, one polynomial, for all of r; nothing to do where they are the same. */
hb_status hb_evaluator_copy_batch(hb_evaluator *x, hb_batch r, hb_batch a);

/* r = phi(a) switched back to the secret, or r + that. r may be a. */
hb_status hb_evaluator_automorphism(hb_evaluator *x, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_key *key,
                                    bool add);

void hb_hoisted_clear(hb_evaluator *x);

#endif
