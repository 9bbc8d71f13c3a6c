#include "keys.h"

#include <string.h>

/* --- secret key ----------------------------------------------------------------------------------------------------
 */

hb_status hb_secret_draw(hb_engine *engine, const hb_params *params, const hb_seed *root, int8_t *ternary)
{
    const size_t n = params->ring.n;
    const uint64_t q = params->ring.moduli[params->ids[0]].value;
    hb_batch s = {0};
    void *memory; /* for the link: a copy through the driver's own memory would not be wiped */
    HB_TRY(hb_host_alloc(engine, n * sizeof(uint64_t), &memory));
    uint64_t *words = memory;
    hb_status st = HB_OK;
    HB_GOTO(hb_batch_alloc(engine, &s, 1, 1, params->ids));
    HB_GOTO(hb_sample_small(engine, s, HB_TERNARY, (hb_draw){root, HB_DRAW_SECRET, 0}));
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

hb_status hb_secret_key_load(hb_secret_key *key, hb_engine *engine, const hb_params *params, const int8_t *ternary)
{
    const size_t n = params->ring.n, words = params->key_limbs * n;
    *key = (hb_secret_key){engine, params, {0}};
    for (size_t i = 0; i < n; i++) {
        if (ternary[i] < -1 || ternary[i] > 1) {
            return HB_FAIL(HB_EDATA, "the secret key is not ternary at coefficient %zu", i);
        }
    }
    void *memory;
    HB_TRY(hb_host_alloc(engine, words * sizeof(uint64_t), &memory));
    uint64_t *residues = memory;
    for (uint32_t l = 0; l < params->key_limbs; l++) {
        const uint64_t q = params->ring.moduli[params->ids[l]].value;
        for (size_t i = 0; i < n; i++) {
            const uint64_t negative = 0 - (uint64_t)(ternary[i] < 0);
            residues[l * n + i] = (uint64_t)(int64_t)ternary[i] + (q & negative);
        }
    }
    hb_status st = HB_OK;
    HB_GOTO(hb_batch_alloc(engine, &key->s, 1, params->key_limbs, params->ids));
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

void hb_secret_key_clear(hb_secret_key *key)
{
    if (key->engine != NULL) {
        hb_batch_wipe(key->engine, key->s);
        hb_batch_free(key->engine, &key->s);
    }
    memset(key, 0, sizeof *key);
}

/* --- public key ----------------------------------------------------------------------------------------------------
 */

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
                             const hb_seed *public_seed)
{
    const size_t bytes = hb_packed_bytes(&params->ring, params->ids, params->key_limbs);
    size_t out_of_range = 0;
    void *packed = NULL;
    HB_TRY(public_key_alloc(key, engine, params));
    hb_status st = HB_OK;
    HB_GOTO(hb_alloc(engine, bytes, &packed));
    HB_GOTO(hb_upload(engine, packed, packed_b, bytes));
    HB_GOTO(hb_unpack(engine, key->b, (hb_packed){packed, 1, 0}, &out_of_range));
    if (out_of_range != 0) {
        HB_GOTO(HB_FAIL(HB_EDATA, "the public key has %zu residues that are not below their prime", out_of_range));
    }
    HB_GOTO(hb_sample_uniform(engine, key->a, public_seed));
    HB_GOTO(hb_finish(engine));
done:
    hb_free(engine, packed);
    if (st != HB_OK) {
        hb_public_key_clear(key);
    }
    return st;
}

hb_status hb_public_key_pack(const hb_public_key *key, uint8_t *packed_b)
{
    const size_t bytes = hb_packed_bytes(&key->params->ring, key->params->ids, key->params->key_limbs);
    void *packed = NULL;
    HB_TRY(hb_alloc(key->engine, bytes, &packed));
    hb_status st = HB_OK;
    HB_GOTO(hb_pack(key->engine, (hb_packed){packed, 1, 0}, key->b));
    HB_GOTO(hb_download(key->engine, packed_b, packed, bytes));
    HB_GOTO(hb_finish(key->engine));
done:
    hb_free(key->engine, packed);
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
               const uint8_t *packed_b)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch key");
    hb_digest_add(&state, params->digest, sizeof params->digest);
    hb_digest_add(&state, public_seed->bytes, sizeof public_seed->bytes);
    hb_digest_add(&state, packed_b, hb_packed_bytes(&params->ring, params->ids, params->key_limbs));
    hb_digest_end(&state, digest);
    memcpy(id, digest, HB_KEY_ID_BYTES);
}
