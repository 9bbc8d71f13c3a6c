#include "keys.h"

#include <stdlib.h>
#include <string.h>

/* --- secret key */

hb_status hb_secret_draw(hb_engine *engine, const hb_params *params, const hb_seed *root, int8_t *ternary)
{
    const size_t n = params->ring.n;
    const uint64_t q = params->ring.moduli[params->common_id].value;
    hb_batch s = {0};
    void *memory; /* for the link: a copy through the driver's own memory would not be wiped */
    HB_TRY(hb_host_alloc(engine, n * sizeof(uint64_t), &memory));
    uint64_t *words = memory;
    hb_lock(words, n * sizeof *words);
    hb_status st = HB_OK;
    HB_GOTO(hb_batch_alloc_locked(engine, &s, 1, 1, &params->common_id));
    HB_GOTO(hb_sample_small(engine, s, params->spec.secret, (hb_draw){root, HB_DRAW_SECRET, 0}));
    HB_GOTO(hb_download(engine, words, s.data, n * sizeof *words));
    HB_GOTO(hb_finish(engine));
    for (size_t i = 0; i < n; i++) {
        /* 0 and 1 are themselves, q - 1 is -1; no branch on the secret. */
        ternary[i] = (int8_t)((int)(words[i] & 1 & (uint64_t)(words[i] != q - 1)) - (int)(words[i] == q - 1));
    }
done:
    hb_batch_wipe(engine, s);
    hb_batch_free(engine, &s);
    hb_wipe(words, n * sizeof *words);
    hb_host_free(engine, words);
    return st;
}

/* A function of its own: that there is no other value is known of any key (tests/constant_time). */
static __attribute__((noinline)) hb_status check_ternary(const int8_t *ternary, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ternary[i] < -1 || ternary[i] > 1) {
            return HB_FAIL(HB_EDATA, "the secret key is not ternary at coefficient %zu", i);
        }
    }
    return HB_OK;
}

hb_status hb_secret_key_load(hb_secret_key *key, hb_engine *engine, const hb_params *params, const int8_t *ternary)
{
    const size_t n = params->ring.n, words = hb_limbs_here(engine, params->ids, params->key_limbs) * n;
    *key = (hb_secret_key){engine, params, {0}};
    HB_TRY(check_ternary(ternary, n));
    void *memory;
    HB_TRY(hb_host_alloc(engine, words * sizeof(uint64_t), &memory));
    uint64_t *residues = memory;
    hb_lock(residues, words * sizeof *residues);
    uint64_t *row = residues;
    for (uint32_t l = 0; l < params->key_limbs; l++) {
        const uint64_t q = params->ring.moduli[params->ids[l]].value;
        for (size_t i = 0; i < n && hb_limb_here(engine, params->ids[l]); i++) {
            const uint64_t negative = 0 - (uint64_t)(ternary[i] < 0);
            *row++ = (uint64_t)(int64_t)ternary[i] + (q & negative);
        }
    }
    hb_status st = HB_OK;
    HB_GOTO(hb_batch_alloc_locked(engine, &key->s, 1, params->key_limbs, params->ids));
    HB_GOTO(hb_upload(engine, key->s.data, residues, words * sizeof *residues));
    HB_GOTO(hb_ntt(engine, key->s));
    HB_GOTO(hb_finish(engine));
done:
    hb_wipe(residues, words * sizeof *residues);
    hb_host_free(engine, residues);
    if (st != HB_OK) {
        hb_secret_key_clear(key);
    }
    return st;
}

hb_status hb_secret_key_draw(hb_secret_key *key, hb_engine *engine, const hb_params *params, const hb_seed *root)
{
    const size_t n = params->ring.n;
    *key = (hb_secret_key){0};
    int8_t *ternary = malloc(n);
    if (ternary == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a secret");
    }
    hb_lock(ternary, n);
    hb_status st = hb_secret_draw(engine, params, root, ternary);
    st = st == HB_OK ? hb_secret_key_load(key, engine, params, ternary) : st;
    hb_wipe(ternary, n);
    free(ternary);
    return st;
}

void hb_secret_key_clear(hb_secret_key *key)
{
    if (key->engine != NULL) {
        hb_batch_wipe(key->engine, key->s);
        hb_batch_free(key->engine, &key->s);
    }
    memset(key, 0, sizeof *key);
}

/* --- public key */

static hb_status public_key_alloc(hb_public_key *key, hb_engine *engine, const hb_params *params)
{
    *key = (hb_public_key){engine, params, {0}, {0}};
    hb_status st = hb_batch_alloc(engine, &key->b, 1, params->key_limbs, params->ids);
    if (st == HB_OK) {
        st = hb_batch_alloc(engine, &key->a, 1, params->key_limbs, params->ids);
    }
    if (st != HB_OK) {
        hb_public_key_clear(key);
    }
    return st;
}

hb_status hb_public_key_generate(hb_public_key *key, const hb_secret_key *secret, const hb_seed *root,
                                 const hb_seed *public_seed)
{
    hb_engine *e = secret->engine;
    const hb_params *params = secret->params;
    HB_TRY(public_key_alloc(key, e, params));
    hb_status st = HB_OK;
    hb_batch error = {0};
    HB_GOTO(hb_batch_alloc(e, &error, 1, params->key_limbs, params->ids));
    HB_GOTO(hb_sample_uniform(e, key->a, public_seed));
    HB_GOTO(hb_mul(e, key->b, key->a, secret->s));
    HB_GOTO(hb_sample_small(e, error, HB_GAUSSIAN, (hb_draw){root, HB_DRAW_ERROR_0, 0}));
    HB_GOTO(hb_ntt(e, error));
    HB_GOTO(hb_add(e, key->b, key->b, error));
    HB_GOTO(hb_negate(e, key->b, key->b));
    HB_GOTO(hb_finish(e));
done:
    hb_batch_wipe(e, error);
    hb_batch_free(e, &error);
    if (st != HB_OK) {
        hb_batch_wipe(e, key->b); /* it may be a s without its error */
        hb_public_key_clear(key);
    }
    return st;
}

hb_status hb_public_key_load(hb_public_key *key, hb_engine *engine, const hb_params *params, const uint8_t *packed_b,
                             const uint8_t *packed_a, const hb_seed *public_seed)
{
    const size_t bytes = hb_packed_bytes_here(engine, params->ids, params->key_limbs);
    void *staging = NULL;
    HB_TRY(public_key_alloc(key, engine, params));
    hb_status st = HB_OK;
    HB_GOTO(hb_alloc(engine, bytes, &staging));
    HB_GOTO(hb_key_unpack(engine, key->b, packed_b, false, staging, "the public key"));
    if (packed_a != NULL) {
        HB_GOTO(hb_key_unpack(engine, key->a, packed_a, false, staging, "the public key"));
    } else {
        HB_GOTO(hb_sample_uniform(engine, key->a, public_seed));
    }
    HB_GOTO(hb_finish(engine));
done:
    hb_free(engine, staging);
    if (st != HB_OK) {
        hb_public_key_clear(key);
    }
    return st;
}

hb_status hb_public_key_load_words(hb_public_key *key, hb_engine *engine, const hb_params *params,
                                   const uint64_t *words)
{
    HB_TRY(public_key_alloc(key, engine, params));
    hb_status st = hb_key_words(engine, key->b, words);
    if (st == HB_OK) {
        st = hb_key_words(engine, key->a, words + params->key_limbs * params->ring.n);
    }
    if (st != HB_OK) {
        hb_public_key_clear(key);
    }
    return st;
}

static hb_status pack(hb_engine *engine, uint8_t *packed, size_t bytes, hb_batch a, void *staging)
{
    HB_TRY(hb_pack(engine, (hb_packed){staging, 1, 0, 1}, a));
    return hb_download(engine, packed, staging, bytes);
}

hb_status hb_public_key_pack(const hb_public_key *key, uint8_t *packed_b, uint8_t *packed_a)
{
    const size_t bytes = hb_packed_bytes(&key->params->ring, key->params->ids, key->params->key_limbs);
    void *staging = NULL;
    HB_TRY(hb_alloc(key->engine, bytes, &staging));
    hb_status st = HB_OK;
    HB_GOTO(pack(key->engine, packed_b, bytes, key->b, staging));
    if (packed_a != NULL) {
        HB_GOTO(pack(key->engine, packed_a, bytes, key->a, staging));
    }
    HB_GOTO(hb_finish(key->engine));
done:
    hb_free(key->engine, staging);
    return st;
}

void hb_public_key_clear(hb_public_key *key)
{
    if (key->engine != NULL) {
        hb_batch_free(key->engine, &key->b);
        hb_batch_free(key->engine, &key->a);
    }
    memset(key, 0, sizeof *key);
}

void hb_key_id(uint8_t id[HB_KEY_ID_BYTES], const hb_params *params, const hb_seed *public_seed,
               const uint8_t *packed_b, const uint8_t *packed_a)
{
    static const hb_seed none = {{0}};
    const hb_seed *seed = packed_a != NULL ? &none : public_seed;
    const size_t bytes = hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch key");
    hb_digest_add(&state, params->digest, sizeof params->digest);
    hb_digest_add(&state, seed->bytes, sizeof seed->bytes);
    hb_digest_add(&state, packed_b, bytes);
    if (packed_a != NULL) {
        hb_digest_add(&state, packed_a, bytes);
    }
    hb_digest_end(&state, digest);
    memcpy(id, digest, HB_KEY_ID_BYTES);
}

/* Brings the rows of limbs that are here to the engine, one behind the other. */
static hb_status stage(hb_engine *engine, hb_batch r, const uint8_t *packed, bool own, uint8_t *staging)
{
    const hb_ring *ring = engine->ring;
    if (own) {
        return hb_upload(engine, staging, packed, hb_packed_bytes_here(engine, r.ids, r.limbs));
    }
    for (uint32_t l = 0; l < r.limbs; l++) {
        const size_t bytes = hb_packed_row_bytes(ring->n, &ring->moduli[r.ids[l]]);
        if (hb_limb_here(engine, r.ids[l])) {
            HB_TRY(hb_upload(engine, staging, packed, bytes));
            staging += bytes;
        }
        packed += bytes;
    }
    return HB_OK;
}

hb_status hb_key_unpack(hb_engine *engine, hb_batch r, const uint8_t *packed, bool own, void *staging, const char *what)
{
    size_t out_of_range = 0;
    union {
        const uint8_t *given;
        uint8_t *rows; /* which unpacking only reads */
    } in_place = {.given = packed};
    uint8_t *rows = in_place.rows;
    if (hb_key_needs_staging(engine, own)) {
        HB_TRY(stage(engine, r, packed, own, staging));
        rows = staging;
    }
    HB_TRY(hb_unpack(engine, r, (hb_packed){rows, 1, 0, 1}, &out_of_range));
    return out_of_range == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s has %zu residues that are not below their prime", what, out_of_range);
}

hb_status hb_key_words(hb_engine *engine, hb_batch r, const uint64_t *words)
{
    const size_t n = engine->ring->n, rows = r.count * r.limbs;
    HB_ASSERT(r.stride == r.limbs * n);
    for (size_t row = 0; row < rows; row++) {
        const uint64_t q = engine->ring->moduli[r.ids[row % r.limbs]].value;
        for (size_t i = row * n; i < (row + 1) * n; i++) {
            if (words[i] >= q) {
                return HB_FAIL(HB_EDATA, "word %zu of the key is not below its prime", i);
            }
        }
    }
    HB_TRY(hb_upload(engine, r.data, words, rows * n * sizeof *words));
    return hb_finish(engine);
}
