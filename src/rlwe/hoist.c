/* Several automorphisms of one operand (evaluator.h).
 *
 * SEAL's digit J of phi(c_1) is the coefficients of phi(c_1) mod q_J as integers in [0, q_J): where phi flips the sign
 * of a coefficient d != 0 that is q_J - d. So the digits are phi(D_J) + q_J M, with D_J the digit of c_1 and M the
 * polynomial that is 1 where a flipped coefficient arrives; and the sums of key switching are, exactly,
 *
 *     sum_J (phi(D_J) + q_J M) E_J = phi( sum_J D_J phi^-1(E_J) ) + sum_J q_J M E_J:
 *
 * D_J is transformed once for all automorphisms, phi is a permutation of the NTT form, of one key and of two
 * polynomials a ciphertext, and the last sum is a constant of key and level. A coefficient 0 stays 0 under phi; where
 * c_1 has any, which is rare unless primes are tiny, the automorphisms are done one by one. So they are over the
 * integers (key_switch_integer.h), where digits are transformed in few primes and all of this costs more than it
 * saves. */
#include <stdlib.h>

#include "evaluator_private.h"
#include "ring/permutation.h"
#include "ring/switch_arith.h"

/* What hoisting keeps of one key at one level, from its first use on: the permutation of the NTT form that the
 * automorphism is, its inverse, and the key's answer to the signs that the automorphism flips. */
typedef struct hb_hoisted {
    const uint64_t *parts; /* of which key ... */
    uint32_t limbs;        /* ... at which level */
    hb_permutation automorphism;
    hb_batch flips; /* [2][limbs + 1], NTT form */
} hb_hoisted;

size_t hb_hoist_words(const hb_params *params, uint32_t k)
{
    return hb_words_of(params, k + 4, params->levels[k].switch_ids, k + 1);
}

size_t hb_hoist_key_words(const hb_params *params, uint32_t k)
{
    return hb_words_of(params, 2 * (size_t)k, params->ids, params->key_limbs);
}

uint64_t hb_evaluator_hoisted_bytes(const hb_params *params, uint32_t limbs)
{
    return params->ring.n * 2 * sizeof(uint32_t) +
           hb_words_of(params, 2, params->levels[limbs].switch_ids, limbs + 1) * sizeof(uint64_t);
}

void hb_hoisted_clear(hb_evaluator *ev)
{
    for (uint32_t i = 0; i < ev->hoisted_count; i++) {
        hb_permutation_clear(&ev->hoisted[i].automorphism, ev->engine);
        hb_batch_free(ev->engine, &ev->hoisted[i].flips);
    }
    free(ev->hoisted);
}

/* M in every limb of `to`, one polynomial. */
static hb_status upload_flipped(hb_evaluator *ev, hb_batch to, uint32_t element)
{
    const size_t n = ev->params->ring.n;
    uint64_t *flipped = calloc(n, sizeof *flipped);
    if (flipped == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the automorphism X -> X^%u", element);
    }
    for (size_t i = 0; i < n; i++) {
        const size_t at = i * element & (2 * n - 1);
        flipped[at & (n - 1)] = at >= n;
    }
    hb_status st = HB_OK;
    for (uint32_t l = 0; l < hb_limbs_here(ev->engine, to.ids, to.limbs); l++) {
        HB_GOTO(hb_upload(ev->engine, to.data + l * n, flipped, n * sizeof *flipped));
    }
    st = hb_finish(ev->engine);
done:
    free(flipped);
    return st;
}

/* sum_J q_J M E_J: what the key makes of a ciphertext whose digits are q_J M. */
static hb_status make_flips(hb_evaluator *ev, hb_hoisted *h, const hb_switch_key *key, const hb_level *level)
{
    const uint32_t k = level->basis.limbs;
    hb_workspace workspace = hb_evaluator_workspace(ev);
    const hb_batch digits = hb_workspace_take(&workspace, ev, k, k + 1, level->switch_ids);
    const hb_batch flipped = hb_workspace_take(&workspace, ev, 1, k + 1, level->switch_ids);
    HB_TRY(upload_flipped(ev, flipped, key->element));
    HB_TRY(hb_ntt(ev->engine, flipped));
    for (uint32_t j = 0; j < k; j++) {
        uint64_t factors[HB_MAX_LIMBS];
        for (uint32_t l = 0; l <= k; l++) {
            factors[l] = ev->params->spec.primes[j] % ev->params->ring.moduli[level->switch_ids[l]].value;
        }
        HB_TRY(hb_scale(ev->engine, hb_batch_slice(digits, j, 1), flipped, factors));
    }
    HB_TRY(hb_batch_alloc(ev->engine, &h->flips, 2, k + 1, level->switch_ids));
    return hb_key_products(ev->engine, h->flips, digits, key->parts, 2, 2);
}

static hb_status prepare(hb_evaluator *ev, const hb_switch_key *key, const hb_level *level)
{
    hb_hoisted *longer = realloc(ev->hoisted, ((size_t)ev->hoisted_count + 1) * sizeof *longer);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %u prepared keys", ev->hoisted_count + 1);
    }
    ev->hoisted = longer;
    hb_hoisted *h = &ev->hoisted[ev->hoisted_count];
    *h = (hb_hoisted){.parts = key->parts.data, .limbs = level->basis.limbs};
    hb_status st;
    HB_GOTO(hb_permutation_init_galois(&h->automorphism, ev->engine, key->element));
    HB_GOTO(make_flips(ev, h, key, level));
    ev->hoisted_count++;
done:
    if (st != HB_OK) {
        hb_permutation_clear(&h->automorphism, ev->engine);
        hb_batch_free(ev->engine, &h->flips);
    }
    return st;
}

static const hb_hoisted *find(const hb_evaluator *ev, const hb_switch_key *key, const hb_level *level)
{
    for (uint32_t i = 0; i < ev->hoisted_count; i++) {
        if (ev->hoisted[i].parts == key->parts.data && ev->hoisted[i].limbs == level->basis.limbs) {
            return &ev->hoisted[i];
        }
    }
    return NULL;
}

/* phi^-1 of what this level uses of a key: parts 0 .. k - 1, the level's limbs and that of the special prime. */
static hb_status permute_key(hb_evaluator *ev, hb_batch permuted, const hb_switch_key *key, const hb_hoisted *h)
{
    hb_engine *e = ev->engine;
    const uint32_t k = h->limbs, special = ev->params->data_limbs;
    const hb_batch parts = hb_batch_slice(key->parts, 0, 2 * (size_t)k);
    HB_TRY(hb_permute(e, hb_batch_limbs(e, permuted, 0, k), hb_batch_limbs(e, parts, 0, k), h->automorphism.inverse));
    return hb_permute(e, hb_batch_limbs(e, permuted, special, 1), hb_batch_limbs(e, parts, special, 1),
                      h->automorphism.inverse);
}

/* Workspace of one batch of ciphertexts. */
typedef struct hoisting {
    hb_batch key;      /* [2 k][K] */
    hb_batch digits;   /* [count * k][k + 1], NTT form */
    hb_batch products; /* [2 * count][k + 1] */
    hb_batch permuted; /* as products */
} hoisting;

static hoisting take(hb_evaluator *ev, const hb_level *level, size_t count)
{
    hb_workspace workspace = hb_evaluator_workspace(ev);
    const uint32_t k = level->basis.limbs;
    hoisting w;
    w.key = hb_workspace_take(&workspace, ev, 2 * (size_t)k, ev->params->key_limbs, ev->params->ids);
    w.digits = hb_workspace_take(&workspace, ev, count * k, k + 1, level->switch_ids);
    w.products = hb_workspace_take(&workspace, ev, 2 * count, k + 1, level->switch_ids);
    w.permuted = hb_workspace_take(&workspace, ev, 2 * count, k + 1, level->switch_ids);
    return w;
}

/* The sums phi( sum_J D_J phi^-1(E_J) ) in w->permuted. Of one ciphertext or two it is less to permute the digits;
 * those stand where the key would. */
static hb_status permuted_products(hb_evaluator *ev, const hoisting *w, const hb_switch_key *key, const hb_hoisted *h)
{
    if (w->digits.count <= w->key.count) {
        hb_workspace workspace = {w->key.data, w->key.count * w->key.stride};
        const hb_batch digits = hb_workspace_take(&workspace, ev, w->digits.count, w->digits.limbs, w->digits.ids);
        HB_TRY(hb_permute(ev->engine, digits, w->digits, h->automorphism.map));
        return hb_key_products(ev->engine, w->permuted, digits, key->parts, 2, 2);
    }
    HB_TRY(permute_key(ev, w->key, key, h));
    HB_TRY(hb_key_products(ev->engine, w->products, w->digits, w->key, 2, 2));
    return hb_permute(ev->engine, w->permuted, w->products, h->automorphism.map);
}

/* One automorphism of a batch whose digits are there. */
static hb_status apply(hb_evaluator *ev, const hoisting *w, hb_batch r[2], hb_batch c0, const hb_switch_key *key,
                       const hb_level *level)
{
    hb_engine *e = ev->engine;
    const hb_hoisted *h = find(ev, key, level);
    const size_t count = c0.count;
    HB_TRY(permuted_products(ev, w, key, h));
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch half = hb_batch_slice(w->permuted, c * count, count);
        HB_TRY(hb_add(e, half, half, hb_batch_slice(h->flips, c, 1)));
    }
    HB_TRY(hb_intt(e, w->permuted));
    for (uint32_t c = 0; c < 2; c++) {
        HB_TRY(hb_divide_round_last(e, r[c], hb_batch_slice(w->permuted, c * count, count), &level->drop_special));
    }
    hb_workspace workspace = {w->products.data, w->products.count * w->products.stride};
    const hb_batch permuted_c0 = hb_workspace_take(&workspace, ev, count, c0.limbs, c0.ids);
    HB_TRY(hb_galois(e, permuted_c0, c0, key->element));
    return hb_add(e, r[0], r[0], permuted_c0);
}

static hb_status hoist(hb_evaluator *ev, const hb_ciphertexts *r, hb_ciphertexts a, const hb_switch_key *const *keys,
                       uint32_t key_count, const hb_level *level)
{
    const size_t count = hb_ciphertexts_count(a);
    const uint32_t k = level->basis.limbs;
    const size_t step = hb_evaluator_fit(ev, hb_hoist_key_words(ev->params, k), hb_hoist_words(ev->params, k), count);
    for (hb_chunk c = hb_chunks(count, step); hb_chunk_next(&c);) {
        const hoisting w = take(ev, level, c.count);
        HB_TRY(hb_ntt_decompose(ev->engine, w.digits, hb_component_slice(a, 1, c.first, c.count)));
        for (uint32_t i = 0; i < key_count; i++) {
            hb_batch to[2] = {hb_component_slice(r[i], 0, c.first, c.count),
                              hb_component_slice(r[i], 1, c.first, c.count)};
            HB_TRY(apply(ev, &w, to, hb_component_slice(a, 0, c.first, c.count), keys[i], level));
        }
    }
    return HB_OK;
}

static hb_status one_by_one(hb_evaluator *ev, const hb_ciphertexts *r, hb_ciphertexts a,
                            const hb_switch_key *const *keys, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_evaluator_galois(ev, r[i], a, keys[i]));
    }
    return HB_OK;
}

hb_status hb_evaluator_prepare(hb_evaluator *ev, uint32_t limbs, const hb_switch_key *const *keys, uint32_t count)
{
    const hb_level *level = &ev->params->levels[limbs];
    HB_ASSERT(ev->requirements.hoisting && limbs <= ev->requirements.limbs && level->basis.limbs == limbs);
    for (uint32_t i = 0; i < count; i++) {
        if (!hb_key_integers(keys[i]) && find(ev, keys[i], level) == NULL) {
            HB_TRY(prepare(ev, keys[i], level));
        }
    }
    return HB_OK;
}

hb_status hb_evaluator_galois_hoisted(hb_evaluator *ev, const hb_ciphertexts *r, hb_ciphertexts a,
                                      const hb_switch_key *const *keys, uint32_t count)
{
    const hb_level *level = hb_level_of(ev, a);
    HB_ASSERT(a.size == 2 && ev->requirements.hoisting);
    if (hb_key_integers(keys[0])) {
        return one_by_one(ev, r, a, keys, count);
    }
    uint64_t zeros = 0;
    HB_TRY(hb_count_zeros(ev->engine, &zeros, hb_ciphertexts_component(a, 1)));
    HB_TRY(hb_evaluator_prepare(ev, level->basis.limbs, keys, count));
    return zeros > 0 ? one_by_one(ev, r, a, keys, count) : hoist(ev, r, a, keys, count, level);
}
