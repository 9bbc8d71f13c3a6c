/* The model's keys of bootstrapping (bootstrap_vectors.h), for the purposes of hb_ckks_bootstrap_key_purposes. */
#ifndef HB_TESTS_BOOTSTRAP_MODEL_H
#define HB_TESTS_BOOTSTRAP_MODEL_H

#include "check/fixture.h"
#include "ckks/bootstrap.h"
#include "reference/bootstrap_vectors.h"

/* So many different places, each with the sign of the word that hit it first. */
static inline void model_sparse(int64_t *r, uint32_t weight)
{
    const uint64_t key = MODEL_KEY(OF_SPARSE);
    memset(r, 0, MODEL_N * sizeof *r);
    for (uint64_t i = 0, hit = 0; hit < weight; i++) {
        const uint64_t w = stream_word(key, i);
        int64_t *at = &r[(w >> 1) % MODEL_N];
        hit += *at == 0;
        *at = *at != 0 ? *at : (w & 1) != 0 ? -1 : 1;
    }
}

/* The key from s to the sparse secret, or back. */
static inline hb_status model_sparse_key(side *s, hb_switch_keys *keys, hb_key_purpose purpose)
{
    const bool to_sparse = purpose.source == HB_TO_SPARSE;
    int64_t secret[MODEL_N], sparse[MODEL_N];
    hb_switch_key key = {0};
    HB_TRY(blank_key(s, &key, purpose));
    const hb_batch from = take(s, 1, key.parts.limbs, key.parts.ids, 0), to = take(s, 1, from.limbs, from.ids, 0);
    model_ternary(secret, MODEL_KEY(OF_SECRET));
    model_sparse(sparse, s->params->spec.bootstrapping.sparse_weight);
    HB_TRY(put_integers(s, from, to_sparse ? secret : sparse));
    HB_TRY(put_integers(s, to, to_sparse ? sparse : secret));
    HB_TRY(model_key_words(s, &key, to_sparse ? OF_TO_SPARSE : OF_FROM_SPARSE, from, to));
    return hb_switch_keys_add(keys, &key);
}

/* The keys of these purposes. */
static inline hb_status model_keys_for(side *s, hb_switch_keys *keys, const hb_key_purpose *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool sparse = list[i].source == HB_TO_SPARSE || list[i].source == HB_FROM_SPARSE;
        HB_TRY(sparse ? model_sparse_key(s, keys, list[i])
                      : model_switch_key_at(s, keys, list[i].element, list[i].limbs));
    }
    return HB_OK;
}

enum { MODEL_MOST_PURPOSES = 128 };

/* All of them, each for the highest level at which it is used; for values that repeat with a period, or 0. */
static inline hb_status model_bootstrap_keys(side *s, hb_switch_keys *keys, size_t period)
{
    hb_key_purpose list[MODEL_MOST_PURPOSES];
    uint32_t count = 0;
    HB_TRY(hb_ckks_bootstrap_key_purposes(s->params, period, list, MODEL_MOST_PURPOSES, &count));
    HB_ASSERT(count <= MODEL_MOST_PURPOSES);
    return model_keys_for(s, keys, list, count);
}

/* Decrypts to values, with an engine that has all limbs. */
typedef struct model_plain_side {
    hb_secret_key secret;
    hb_decryptor *decryptor;
    hb_codec *codec;
} model_plain_side;

static inline hb_status model_decrypt(side *s, const model_plain_side *p, hb_ciphertexts a, double values[MODEL_N])
{
    const uint32_t limbs = a.all.limbs;
    const hb_batch phase = model_take(s, 1, limbs), plain = model_take(s, 1, limbs),
                   slots = take(s, 1, 1, &s->params->common_id, 0);
    const hb_ciphertexts copy = room(s, 2, 1, limbs); /* a phase destroys its ciphertext */
    HB_TRY(hb_copy(s->engine, copy.all, a.all));
    HB_TRY(hb_phase(p->decryptor, phase, hb_ciphertexts_component(copy, 0), hb_ciphertexts_component(copy, 1)));
    HB_TRY(hb_decrypt(p->decryptor, plain, phase));
    HB_TRY(hb_decode(p->codec, slots, plain));
    HB_TRY(hb_finish(s->engine));
    memcpy(values, slots.data, MODEL_N * sizeof *values);
    return HB_OK;
}

static inline void model_open_plain(side *s, model_plain_side *p, uint32_t limbs)
{
    int64_t ternary[MODEL_N];
    int8_t coefficients[MODEL_N];
    model_ternary(ternary, MODEL_KEY(OF_SECRET));
    for (size_t i = 0; i < MODEL_N; i++) {
        coefficients[i] = (int8_t)ternary[i];
    }
    HB_ASSERT(hb_secret_key_load(&p->secret, s->engine, s->params, coefficients) == HB_OK);
    HB_ASSERT(hb_decryptor_open(s->engine, &p->secret, limbs, 1, &p->decryptor) == HB_OK);
    HB_ASSERT(hb_codec_open(s->engine, s->params, HB_ENCODE_SLOTS, &p->codec) == HB_OK);
}

static inline void model_close_plain(model_plain_side *p)
{
    hb_codec_close(p->codec);
    hb_decryptor_close(p->decryptor);
    hb_secret_key_clear(&p->secret);
}

#endif
