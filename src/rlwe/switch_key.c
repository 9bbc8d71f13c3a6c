/* Key-switching keys (switch_key.h; semantics.md 7). */
#include "switch_key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring/permutation.h"

/* Component c of all parts: every second polynomial. */
static hb_batch component(const hb_switch_key *key, size_t c)
{
    hb_batch view = hb_batch_slice(key->parts, c, key->parts.count / 2);
    view.stride *= 2;
    return view;
}

static size_t part_bytes(const hb_params *params)
{
    return hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
}

uint64_t hb_switch_key_bytes(const hb_params *params)
{
    return (uint64_t)2 * params->data_limbs * hb_params_most_limbs(params, params->ids, params->key_limbs) *
           params->ring.n * sizeof(uint64_t);
}

uint64_t hb_switch_key_prepared_bytes(const hb_params *params)
{
    const hb_key_switch_integer *base = &params->key_switch_integer;
    return hb_params_switch_by_integers(params)
               ? (uint64_t)2 * base->blocks * params->data_limbs * base->basis.limbs * params->ring.n * sizeof(uint64_t)
               : hb_switch_key_bytes(params);
}

uint64_t hb_switch_key_preparing_bytes(const hb_params *params)
{
    return hb_params_switch_by_integers(params) ? hb_switch_key_bytes(params) : 0;
}

uint64_t hb_switch_key_packed_bytes(const hb_params *params)
{
    return (uint64_t)params->data_limbs * part_bytes(params);
}

static hb_status key_alloc(hb_switch_key *key, hb_engine *engine, const hb_params *params, uint32_t element)
{
    *key = (hb_switch_key){.engine = engine, .params = params, .element = element};
    HB_TRY(hb_params_require_switching(params));
    HB_ASSERT(element == HB_RELINEARIZATION || ((element & 1) == 1 && element < 2 * params->ring.n));
    return hb_batch_alloc(engine, &key->parts, (size_t)2 * params->data_limbs, params->key_limbs, params->ids);
}

void hb_switch_key_clear(hb_switch_key *key)
{
    if (key->engine != NULL) {
        hb_batch_free(key->engine, &key->parts);
        hb_batch_free(key->engine, &key->integers);
    }
    memset(key, 0, sizeof *key);
}

/* r = s(X^element), word by word of the NTT form. Waits. */
static hb_status conjugate(hb_engine *e, hb_batch r, hb_batch s, uint32_t element)
{
    hb_permutation automorphism = {0};
    hb_status st;
    HB_GOTO(hb_permutation_init_galois(&automorphism, e, element));
    HB_GOTO(hb_permute(e, r, s, automorphism.map));
    HB_GOTO(hb_finish(e));
done:
    hb_permutation_clear(&automorphism, e);
    return st;
}

/* target = [P]_{q_l} s' in every limb l, 0 in that of P itself. */
static hb_status make_target(const hb_secret_key *secret, uint32_t element, hb_batch target)
{
    hb_engine *e = secret->engine;
    const hb_params *params = secret->params;
    const uint64_t special = params->ring.moduli[*hb_params_special_ids(params)].value;
    uint64_t factors[HB_MAX_LIMBS];
    for (uint32_t l = 0; l < params->key_limbs; l++) {
        factors[l] = special % params->ring.moduli[params->ids[l]].value;
    }
    if (element == HB_RELINEARIZATION) {
        HB_TRY(hb_mul(e, target, secret->s, secret->s));
    } else {
        HB_TRY(conjugate(e, target, secret->s, element));
    }
    return hb_scale(e, target, target, factors);
}

/* Part J of component 0 gets what only it has, in limb J alone. */
static hb_status add_targets(const hb_switch_key *key, hb_batch target)
{
    const hb_batch b = component(key, 0);
    for (uint32_t j = 0; j < key->params->data_limbs; j++) {
        hb_batch limb = hb_batch_limbs(key->engine, hb_batch_slice(b, j, 1), j, 1);
        HB_TRY(hb_add(key->engine, limb, limb, hb_batch_limbs(key->engine, target, j, 1)));
    }
    return HB_OK;
}

void hb_switch_key_root(hb_seed *own, const hb_seed *root, uint32_t element)
{
    char label[32]; /* 14 characters, at most 10 digits */
    snprintf(label, sizeof label, "switching key %u", element);
    hb_seed_derive(own, root, label);
}

/* Component 0 of a key whose component 1 is there. */
static hb_status complete(hb_switch_key *key, const hb_secret_key *secret, const hb_seed *root)
{
    hb_engine *e = secret->engine;
    const hb_params *params = secret->params;
    const hb_batch b = component(key, 0), a = component(key, 1);
    hb_batch target = {0};
    hb_status st;
    HB_GOTO(hb_batch_alloc(e, &target, 1, params->key_limbs, params->ids));
    HB_GOTO(hb_mul(e, b, a, secret->s));
    HB_GOTO(hb_negate(e, b, b));
    /* Errors join in coefficient form, in place: two transforms more, and no second key's worth of memory for them. */
    HB_GOTO(hb_intt(e, b));
    HB_GOTO(hb_add_small(e, b, HB_GAUSSIAN, (hb_draw){root, HB_DRAW_ERROR_0, 0}, HB_MINUS));
    HB_GOTO(hb_ntt(e, b));
    HB_GOTO(make_target(secret, key->element, target));
    HB_GOTO(add_targets(key, target));
    HB_GOTO(hb_finish(e));
done:
    hb_batch_wipe(e, target);
    hb_batch_free(e, &target);
    return st;
}

/* What could not be made whole: component 0 may be a s without its error. */
static void discard(hb_switch_key *key)
{
    hb_batch_wipe(key->engine, key->parts);
    hb_switch_key_clear(key);
}

hb_status hb_switch_key_generate(hb_switch_key *key, const hb_secret_key *secret, uint32_t element, const hb_seed *root,
                                 const hb_seed *public_seeds)
{
    hb_status st;
    HB_GOTO(key_alloc(key, secret->engine, secret->params, element));
    HB_GOTO(hb_sample_uniform(secret->engine, component(key, 1), public_seeds));
    st = complete(key, secret, root);
done:
    if (st != HB_OK) {
        discard(key);
    }
    return st;
}

hb_status hb_switch_key_generate_words(hb_switch_key *key, const hb_secret_key *secret, uint32_t element,
                                       const hb_seed *root, const uint64_t *words)
{
    const size_t polynomial = secret->params->key_limbs * secret->params->ring.n;
    hb_status st;
    HB_GOTO(key_alloc(key, secret->engine, secret->params, element));
    for (size_t i = 1; i < key->parts.count; i += 2) {
        HB_GOTO(hb_key_words(secret->engine, hb_batch_slice(key->parts, i, 1), words + i * polynomial));
    }
    st = complete(key, secret, root);
done:
    if (st != HB_OK) {
        discard(key);
    }
    return st;
}

/* Component c of every part from packed rows, by way of `staging`, engine memory for one part. */
static hb_status unpack_component(const hb_switch_key *key, size_t c, const uint8_t *packed, void *staging)
{
    const size_t bytes = part_bytes(key->params);
    for (uint32_t j = 0; j < key->params->data_limbs; j++) {
        char part[32];
        snprintf(part, sizeof part, "part %u of the key", j);
        HB_TRY(hb_key_unpack(key->engine, hb_batch_slice(component(key, c), j, 1), packed + j * bytes, staging, part));
    }
    return HB_OK;
}

hb_status hb_switch_key_load(hb_switch_key *key, hb_engine *engine, const hb_params *params, uint32_t element,
                             const uint8_t *packed_b, const uint8_t *packed_a, const hb_seed *public_seeds)
{
    void *staging = NULL;
    hb_status st;
    HB_GOTO(key_alloc(key, engine, params, element));
    HB_GOTO(hb_alloc(engine, part_bytes(params), &staging));
    HB_GOTO(unpack_component(key, 0, packed_b, staging));
    if (packed_a != NULL) {
        HB_GOTO(unpack_component(key, 1, packed_a, staging));
    } else {
        HB_GOTO(hb_sample_uniform(engine, component(key, 1), public_seeds));
    }
    HB_GOTO(hb_finish(engine));
done:
    hb_free(engine, staging);
    if (st != HB_OK) {
        hb_switch_key_clear(key);
    }
    return st;
}

hb_status hb_switch_key_load_words(hb_switch_key *key, hb_engine *engine, const hb_params *params, uint32_t element,
                                   const uint64_t *words)
{
    HB_TRY(key_alloc(key, engine, params, element));
    hb_status st = hb_key_words(engine, key->parts, words);
    if (st != HB_OK) {
        hb_switch_key_clear(key);
    }
    return st;
}

/* Block b of both components, from parts in coefficient form. */
static hb_status make_integers(hb_switch_key *key, uint32_t b)
{
    const hb_key_switch_integer *base = &key->params->key_switch_integer;
    const uint32_t digits = key->params->data_limbs, row = 2 * base->blocks;
    hb_limb_address limb_addresses[HB_MAX_LIMBS];
    for (uint32_t c = 0; c < 2; c++) {
        const hb_batch from = hb_key_switch_block_view(key->engine, base, b, component(key, c), limb_addresses);
        hb_batch to = hb_batch_slice(key->integers, 2 * b + c, digits);
        to.stride *= row;
        HB_TRY(hb_base_convert(key->engine, to, from, &base->block[b].to_base));
    }
    return HB_OK;
}

hb_status hb_switch_key_prepare(hb_switch_key *key)
{
    const hb_params *params = key->params;
    const hb_key_switch_integer *base = &params->key_switch_integer;
    if (!hb_params_switch_by_integers(params) || key->integers.data != NULL) {
        return HB_OK;
    }
    HB_TRY(hb_batch_alloc(key->engine, &key->integers, (size_t)2 * base->blocks * params->data_limbs, base->basis.limbs,
                          base->basis.ids));
    hb_status st = HB_OK;
    HB_GOTO(hb_intt(key->engine, key->parts));
    for (uint32_t b = 0; b < base->blocks; b++) {
        HB_GOTO(make_integers(key, b));
    }
    HB_GOTO(hb_ntt(key->engine, key->integers));
    st = hb_finish(key->engine);
done:
    hb_batch_free(key->engine, st == HB_OK ? &key->parts : &key->integers);
    return st;
}

static hb_status pack_component(const hb_switch_key *key, size_t c, uint8_t *packed, void *staging)
{
    const size_t bytes = part_bytes(key->params);
    for (uint32_t j = 0; j < key->params->data_limbs; j++) {
        HB_TRY(hb_pack(key->engine, (hb_packed){staging, 1, 0, 1}, hb_batch_slice(component(key, c), j, 1)));
        HB_TRY(hb_download(key->engine, packed + j * bytes, staging, bytes));
    }
    return HB_OK;
}

hb_status hb_switch_key_pack(const hb_switch_key *key, uint8_t *packed_b, uint8_t *packed_a)
{
    void *staging = NULL;
    hb_status st;
    HB_GOTO(hb_alloc(key->engine, part_bytes(key->params), &staging));
    HB_GOTO(pack_component(key, 0, packed_b, staging));
    if (packed_a != NULL) {
        HB_GOTO(pack_component(key, 1, packed_a, staging));
    }
    HB_GOTO(hb_finish(key->engine));
done:
    hb_free(key->engine, staging);
    return st;
}
