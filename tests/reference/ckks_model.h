/* The parameters, keys and ciphertexts of the model whose words the tests of CKKS know: a ring of 1024, seven primes of
 * data and two special ones, digits of two primes, a scale of 2^41; all randomness from streams (streams.h) of one
 * seed. On any engine: words are written where limbs are. Memory of engines is the host's. */
#ifndef HB_TESTS_CKKS_MODEL_H
#define HB_TESTS_CKKS_MODEL_H

#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"
#include "ckks/params.h"
#include "reference/members.h"
#include "reference/streams.h"
#include "ring/galois.h"
#include "rlwe/switch_keys.h"
#include "scheme/evaluator.h"

enum { MODEL_N = 1 << STREAM_LOG_N, MODEL_SCALE_BITS = 41 };

/* The seed of all streams; a test with vectors of another seed sets it before its first draw. */
static uint64_t model_seed = 7;

/* The purposes of streams. */
enum { OF_SECRET = 1, OF_KEY, OF_KEY_ERROR, OF_UNIFORM, OF_ERROR, OF_PUBLIC, OF_PUBLIC_ERROR, OF_TERNARY, OF_ERROR_0 };

static inline hb_params_spec model_spec(void)
{
    hb_params_spec spec = {.scheme = HB_CKKS,
                           .n = MODEL_N,
                           .key_limbs = STREAM_PRIMES,
                           .special_limbs = 2,
                           .digit_limbs = 2,
                           .security = {.level = 128},
                           .insecure = true,
                           .ckks = {.scale_bits = MODEL_SCALE_BITS}};
    memcpy(spec.primes, stream_primes, sizeof stream_primes);
    return spec;
}

#define MODEL_KEY(...)                                      \
    stream_key((const uint64_t[]){model_seed, __VA_ARGS__}, \
               sizeof((const uint64_t[]){model_seed, __VA_ARGS__}) / sizeof(uint64_t))

static inline void model_ternary(int64_t *r, uint64_t key)
{
    for (size_t i = 0; i < MODEL_N; i++) {
        r[i] = (int64_t)(stream_word(key, i) % 3) - 1;
    }
}

static inline void model_error(int64_t *r, uint64_t key)
{
    for (size_t i = 0; i < MODEL_N; i++) {
        const uint64_t w = stream_word(key, i), low = ((uint64_t)1 << 21) - 1;
        r[i] = __builtin_popcountll(w & low) - __builtin_popcountll(w >> 21 & low);
    }
}

/* The same integers in every limb that is here, transformed. */
static inline hb_status put_integers(side *s, hb_batch r, const int64_t *integers)
{
    uint64_t *row = r.data;
    for (uint32_t l = 0; l < r.limbs; l++) {
        const int64_t q = (int64_t)s->params->ring.moduli[r.ids[l]].value;
        for (size_t j = 0; j < MODEL_N && hb_limb_here(s->engine, r.ids[l]); j++) {
            const int64_t rest = integers[j] % q;
            row[j] = (uint64_t)(rest < 0 ? rest + q : rest);
        }
        row += hb_limb_here(s->engine, r.ids[l]) ? MODEL_N : 0;
    }
    return hb_ntt(s->engine, r);
}

/* One polynomial, in NTT form: limb l from the stream of the parts and the number of its prime. */
static inline void put_uniform(side *s, hb_batch r, const uint64_t *parts, size_t count)
{
    uint64_t key[8], *row = r.data;
    memcpy(key, parts, count * sizeof *parts);
    for (uint32_t l = 0; l < r.limbs; l++) {
        if (hb_limb_here(s->engine, r.ids[l])) {
            key[count] = r.ids[l];
            stream_uniform(row, MODEL_N, s->params->ring.moduli[r.ids[l]].value, key, count + 1);
            row += MODEL_N;
        }
    }
}

static inline hb_batch model_take(side *s, size_t count, uint32_t limbs)
{
    return take(s, count, limbs, s->params->ids, 0);
}

/* s, in NTT form in all limbs. */
static inline hb_status model_secret(side *s, hb_batch *secret)
{
    int64_t ternary[MODEL_N];
    model_ternary(ternary, MODEL_KEY(OF_SECRET));
    *secret = model_take(s, 1, s->params->key_limbs);
    return put_integers(s, *secret, ternary);
}

/* b = e - a t, of one polynomial each. */
static inline hb_status model_mask(side *s, hb_batch b, hb_batch a, hb_batch t, uint64_t error_key)
{
    int64_t e[MODEL_N];
    const hb_batch product = take(s, 1, b.limbs, b.ids, 0);
    model_error(e, error_key);
    HB_TRY(put_integers(s, b, e));
    HB_TRY(hb_mul(s->engine, product, a, t));
    return hb_sub(s->engine, b, b, product);
}

/* A key for a purpose, whose words are to be replaced. */
static inline hb_status blank_key(side *s, hb_switch_key *key, hb_key_purpose purpose)
{
    const int8_t zeros[MODEL_N] = {0};
    const hb_seed root = {{1}}, seeds[HB_MAX_LIMBS] = {{{1}}};
    hb_secret_key nobody;
    HB_TRY(hb_secret_key_load(&nobody, s->engine, s->params, zeros));
    purpose.other = purpose.source >= HB_FROM_SECRET ? &nobody : NULL;
    const hb_status st = hb_switch_key_generate_for(key, &nobody, &purpose, &root, seeds);
    hb_secret_key_clear(&nobody);
    return st;
}

/* The words of a key between two secrets, in NTT form in the limbs of the key; `from` is destroyed. label: of its
 * streams, the element where it has one. */
static inline hb_status model_key_words(side *s, const hb_switch_key *key, uint64_t label, hb_batch from, hb_batch to)
{
    hb_engine *e = s->engine;
    const hb_gadget *gadget = key->gadget;
    uint64_t factors[HB_MAX_LIMBS];
    hb_gadget_factors(gadget, &s->params->ring, from.ids, from.limbs, factors);
    HB_TRY(hb_scale(e, from, from, factors));
    for (uint32_t d = 0; d < gadget->levels[key->limbs].digits; d++) {
        const hb_batch b = hb_batch_slice(key->parts, 2 * d, 1), a = hb_batch_slice(key->parts, 2 * d + 1, 1);
        const uint32_t first = hb_gadget_first(gadget, d), limbs = hb_gadget_limbs(gadget, d, key->limbs);
        put_uniform(s, a, (const uint64_t[]){model_seed, OF_KEY, label, d}, 4);
        HB_TRY(model_mask(s, b, a, to, MODEL_KEY(OF_KEY_ERROR, label, d)));
        const hb_batch own = hb_batch_limbs(e, b, first, limbs);
        HB_TRY(hb_add(e, own, own, hb_batch_limbs(e, from, first, limbs)));
    }
    return HB_OK;
}

/* The key of an element for the level of so many limbs and those below. */
static inline hb_status model_switch_key_at(side *s, hb_switch_keys *keys, uint32_t element, uint32_t limbs)
{
    int64_t secret[MODEL_N], other[MODEL_N];
    hb_key_purpose purpose = hb_key_purpose_of(&s->params->spec, element);
    hb_switch_key key = {0};
    const size_t before = s->takens;
    purpose.limbs = limbs;
    HB_TRY(blank_key(s, &key, purpose));
    const hb_batch from = take(s, 1, key.parts.limbs, key.parts.ids, 0), to = take(s, 1, from.limbs, from.ids, 0);
    model_ternary(secret, MODEL_KEY(OF_SECRET));
    HB_TRY(put_integers(s, from, secret));
    HB_TRY(hb_copy(s->engine, to, from));
    if (element == HB_RELINEARIZATION) {
        HB_TRY(hb_mul(s->engine, from, to, to));
    } else { /* coefficient i element of s goes to i: to phi^-1(s) */
        for (size_t i = 0; i < MODEL_N; i++) {
            const size_t at = i * element % (2 * MODEL_N);
            other[i] = at < MODEL_N ? secret[at] : -secret[at - MODEL_N];
        }
        HB_TRY(put_integers(s, to, other));
    }
    HB_TRY(model_key_words(s, &key, element, from, to));
    HB_TRY(hb_finish(s->engine));
    give_back(s, before);
    return hb_switch_keys_add(keys, &key);
}

/* The key of an element for all levels. */
static inline hb_status model_switch_key(side *s, hb_switch_keys *keys, uint32_t element)
{
    return model_switch_key_at(s, keys, element, s->params->data_limbs);
}

/* A fresh ciphertext of the secret key, of a message of integers. */
static inline hb_status model_encrypt(side *s, hb_ciphertexts *r, const int64_t *message, uint64_t number)
{
    hb_batch secret, m = model_take(s, 1, s->params->data_limbs);
    HB_TRY(model_secret(s, &secret));
    *r = (hb_ciphertexts){model_take(s, 2, s->params->data_limbs), 2, HB_NTT_FORM};
    const hb_batch c0 = hb_ciphertexts_component(*r, 0), c1 = hb_ciphertexts_component(*r, 1);
    put_uniform(s, c1, (const uint64_t[]){model_seed, OF_UNIFORM, number}, 3);
    HB_TRY(model_mask(s, c0, c1, hb_batch_limbs(s->engine, secret, 0, c0.limbs), MODEL_KEY(OF_ERROR, number)));
    HB_TRY(put_integers(s, m, message));
    return hb_add(s->engine, c0, c0, m);
}

/* The public key, [2][data limbs, and the first special prime]: b, a. */
static inline hb_status model_public(side *s, hb_batch *key)
{
    hb_batch secret;
    const uint32_t limbs = s->params->data_limbs + 1;
    HB_TRY(model_secret(s, &secret));
    *key = model_take(s, 2, limbs);
    const hb_batch b = hb_batch_slice(*key, 0, 1), a = hb_batch_slice(*key, 1, 1);
    put_uniform(s, a, (const uint64_t[]){model_seed, OF_PUBLIC}, 2);
    return model_mask(s, b, a, hb_batch_limbs(s->engine, secret, 0, limbs), MODEL_KEY(OF_PUBLIC_ERROR));
}

/* A fresh ciphertext of the public key. */
static inline hb_status model_encrypt_public(side *s, hb_ciphertexts *r, hb_batch key, const int64_t *message,
                                             uint64_t number)
{
    hb_engine *e = s->engine;
    const uint32_t data = s->params->data_limbs;
    int64_t small[MODEL_N];
    const hb_batch u = model_take(s, 1, data + 1), error = model_take(s, 1, data + 1), x = model_take(s, 1, data + 1),
                   m = model_take(s, 1, data), none = {.data = NULL};
    model_ternary(small, MODEL_KEY(OF_TERNARY, number));
    HB_TRY(put_integers(s, u, small));
    *r = (hb_ciphertexts){model_take(s, 2, data), 2, HB_NTT_FORM};
    for (uint32_t k = 0; k < 2; k++) {
        const hb_batch to = hb_ciphertexts_component(*r, k);
        model_error(small, MODEL_KEY(OF_ERROR_0 + k, number));
        HB_TRY(put_integers(s, error, small));
        HB_TRY(hb_mul(e, x, u, hb_batch_slice(key, k, 1)));
        HB_TRY(hb_add(e, x, x, error));
        HB_TRY(hb_mod_down_apply(e, to, none, x, to, &s->params->gadget.levels[data].first, HB_NTT_FORM));
    }
    HB_TRY(put_integers(s, m, message));
    const hb_batch c0 = hb_ciphertexts_component(*r, 0);
    return hb_add(e, c0, c0, m);
}

/* Words that the model made, by their digest, where all limbs are; elsewhere the same words as there. */
static inline hb_status expect_digest(side *s, const char *what, hb_batch a, const char *expected)
{
    char hex[2 * HB_DIGEST_BYTES + 1];
    HB_ASSERT(!s->whole || a.stride == a.limbs * MODEL_N);
    HB_TRY(hb_finish(s->engine));
    if (s->whole && strcmp(words_digest(a.data, a.count * a.stride, hex), expected) != 0) {
        return HB_FAIL(HB_DIFFERS, "%s: the words have digest %s, those of the model %s", what, hex, expected);
    }
    return expect_batch(s, what, a);
}

static inline bool read_file(void *to, size_t bytes, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, HB_TESTS_VECTORS "/ckks/%s", name);
    FILE *file = fopen(path, "rb");
    const bool read = file != NULL && fread(to, bytes, 1, file) == 1;
    if (file != NULL) {
        fclose(file);
    }
    return read;
}

enum { MESSAGES = 3 };

static int64_t messages[MESSAGES][MODEL_N];

/* Rounded coefficients of encoded slots, at the scale of the highest level. */
static inline bool read_messages(void)
{
    for (int i = 0; i < MESSAGES; i++) {
        char name[64];
        snprintf(name, sizeof name, "encode/coefficients_%d.i64", i);
        if (!read_file(messages[i], sizeof messages[i], name)) {
            return false;
        }
    }
    return true;
}

static inline hb_ciphertexts room(side *s, uint32_t size, size_t count, uint32_t limbs)
{
    return (hb_ciphertexts){model_take(s, size * count, limbs), size, HB_NTT_FORM};
}

/* This member's limbs of two batches are equal. */
static inline hb_status expect_equal(side *s, const char *what, hb_batch a, hb_batch b)
{
    HB_TRY(hb_finish(s->engine));
    const size_t words = (size_t)hb_limbs_here(s->engine, a.ids, a.limbs) * MODEL_N;
    HB_ASSERT(a.count == b.count && a.limbs == b.limbs);
    for (size_t c = 0; c < a.count && words > 0; c++) {
        if (memcmp(a.data + c * a.stride, b.data + c * b.stride, words * sizeof *a.data) != 0) {
            return HB_FAIL(HB_DIFFERS, "%s: polynomial %zu differs", what, c);
        }
    }
    return HB_OK;
}

/* Coefficients of a polynomial in NTT form that are below half of q_0; on an engine of all limbs. a is destroyed. */
static inline hb_status coefficients_of(side *s, int64_t *r, hb_batch a)
{
    const uint64_t q = s->params->spec.primes[0];
    HB_TRY(hb_intt(s->engine, a));
    HB_TRY(hb_finish(s->engine));
    for (size_t j = 0; j < MODEL_N; j++) {
        r[j] = (int64_t)a.data[j] - (a.data[j] > q / 2 ? (int64_t)q : 0);
    }
    return HB_OK;
}

/* Keys of one drawn secret. */
typedef struct pair {
    hb_secret_key secret;
    hb_public_key public_key;
} pair;

static inline hb_status draw_pair(side *s, pair *keys)
{
    const hb_seed root = {{3}}, public_seed = {{4}};
    int8_t ternary[MODEL_N];
    *keys = (pair){0};
    HB_TRY(hb_secret_draw(s->engine, s->params, &root, ternary));
    HB_TRY(hb_secret_key_load(&keys->secret, s->engine, s->params, ternary));
    return hb_public_key_generate(&keys->public_key, &keys->secret, &root, &public_seed);
}

static inline void clear_pair(pair *keys)
{
    hb_public_key_clear(&keys->public_key);
    hb_secret_key_clear(&keys->secret);
}

static inline void expect_play(const hb_params_spec *spec, script play, const void *with, uint32_t members)
{
    meeting at;
    meeting_init(&at, members);
    performance p = {.spec = spec, .play = play, .with = with, .members = members, .queues = 1};
    p.cost = members % 2 == 0 ? cost_of_halves() : NULL;
    const hb_status st = perform(&p, &at, NULL);
    if (st != HB_OK) {
        print_error("%u members: %s\n", members, hb_last_error()->text);
    }
    assert_int_equal(st, HB_OK);
    meeting_clear(&at);
}

#endif
