/* Ciphertexts that are encrypted, sanitized and decrypted, for tests. */
#ifndef HB_TESTS_SANITIZE_WORLD_H
#define HB_TESTS_SANITIZE_WORLD_H

#include "reference/joint_world.h"
#include "reference/slow.h"
#include "scheme/cipher.h"
#include "scheme/codec.h"
#include "scheme/evaluator.h"
#include "scheme/quality.h"
#include "scheme/sanitize.h"

typedef struct sealed {
    hb_ciphertexts c;
    hb_quality noise;
} sealed;

/* values: [count][n]. */
static inline sealed encrypt(const joint_world *w, const uint64_t *values, size_t count, hb_encoding encoding,
                             uint8_t seed)
{
    const hb_params *p = w->params;
    sealed r;
    hb_codec *codec;
    hb_encryptor *x;
    hb_batch v, plain;
    const hb_seed root = {{seed}};
    assert_int_equal(hb_ciphertexts_alloc(&r.c, w->engine, p, 2, count, p->data_limbs), HB_OK);
    assert_int_equal(hb_codec_open(w->engine, p, encoding, &codec), HB_OK);
    assert_int_equal(hb_values_alloc(&v, w->engine, p, count), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, w->engine, p, p->data_limbs, count), HB_OK);
    memcpy(v.data, values, count * p->spec.n * sizeof *values);
    assert_int_equal(hb_encode(codec, plain, v), HB_OK);
    assert_int_equal(hb_encryptor_open(w->engine, NULL, &w->public_key, HB_BINOMIAL, count, &x), HB_OK);
    assert_int_equal(
        hb_encrypt(x, hb_ciphertexts_component(r.c, 0), hb_ciphertexts_component(r.c, 1), NULL, plain, &root, 0),
        HB_OK);
    r.noise = hb_quality_fresh(p, true, HB_BINOMIAL);
    hb_encryptor_close(x);
    hb_batch_free(w->engine, &v);
    hb_batch_free(w->engine, &plain);
    hb_codec_close(codec);
    return r;
}

/* Sanitizes in place, and returns the ciphertexts as they are then. */
static inline hb_ciphertexts sanitize(const joint_world *w, sealed *a, hb_encoding encoding,
                                      const hb_sanitize_plan *plan, const hb_filled_slots *cells, uint8_t seed)
{
    const size_t count = hb_ciphertexts_count(a->c);
    const hb_seed root = {{seed, 1}};
    hb_sanitizer *x;
    const hb_ciphertexts r = hb_ciphertexts_view(a->c, w->engine, w->params, 2, count, plan->to);
    assert_int_equal(hb_sanitizer_open(w->engine, &w->public_key, encoding, plan, count, &x), HB_OK);
    assert_int_equal(hb_sanitize(x, r, a->c, cells, &root, 5), HB_OK);
    hb_sanitizer_close(x);
    return r;
}

/* Values, and the least budget measured. */
static inline uint32_t decrypt(const joint_world *w, hb_ciphertexts c, hb_encoding encoding, uint64_t *values)
{
    const hb_params *p = w->params;
    const size_t count = hb_ciphertexts_count(c);
    uint32_t bits[1024], least = UINT32_MAX;
    hb_decryptor *d;
    hb_codec *codec;
    hb_batch phase, c1, plain, v;
    assert_true(count <= sizeof bits / sizeof *bits);
    assert_int_equal(hb_decryptor_open(w->engine, &w->sum, c.all.limbs, count, &d), HB_OK);
    assert_int_equal(hb_codec_open(w->engine, p, encoding, &codec), HB_OK);
    assert_int_equal(hb_batch_alloc(w->engine, &phase, count, c.all.limbs, p->ids), HB_OK);
    assert_int_equal(hb_batch_alloc(w->engine, &c1, count, c.all.limbs, p->ids), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, w->engine, p, c.all.limbs, count), HB_OK);
    assert_int_equal(hb_values_alloc(&v, w->engine, p, count), HB_OK);
    assert_int_equal(hb_copy(w->engine, c1, hb_ciphertexts_component(c, 1)), HB_OK);
    assert_int_equal(hb_phase(d, phase, hb_ciphertexts_component(c, 0), c1), HB_OK);
    assert_int_equal(hb_decrypt(d, plain, phase), HB_OK);
    assert_int_equal(hb_decryptor_measure(d, bits, phase), HB_OK);
    assert_int_equal(hb_decode(codec, v, plain), HB_OK);
    memcpy(values, v.data, count * p->spec.n * sizeof *values);
    for (size_t i = 0; i < count; i++) {
        least = bits[i] < least ? bits[i] : least;
    }
    hb_batch_free(w->engine, &phase);
    hb_batch_free(w->engine, &c1);
    hb_batch_free(w->engine, &plain);
    hb_batch_free(w->engine, &v);
    hb_codec_close(codec);
    hb_decryptor_close(d);
    return least;
}

#endif
