/* Ciphertexts under joint keys, and their decryption, for tests. */
#ifndef HB_TESTS_JOINT_CIPHER_H
#define HB_TESTS_JOINT_CIPHER_H

#include "joint/combine.h"
#include "joint/part.h"
#include "joint_world.h"
#include "scheme/codec.h"
#include "scheme/quality.h"
#include "slow.h"

enum { COUNT = 2 };

/* A table of values in slots, and ciphertexts of it with their proven noise. */
typedef struct sealed {
    uint64_t *values; /* [COUNT][n] */
    hb_ciphertexts c;
    hb_quality noise;
} sealed;

static inline sealed sealed_new(const joint_world *w, uint32_t size)
{
    sealed r = {.values = calloc(COUNT * w->params->spec.n, sizeof(uint64_t))};
    assert_int_equal(hb_ciphertexts_alloc(&r.c, w->engine, w->params, size, COUNT, w->params->data_limbs), HB_OK);
    return r;
}

static inline void sealed_free(const joint_world *w, sealed *a)
{
    free(a->values);
    hb_batch_free(w->engine, &a->c.all);
}

typedef enum sealed_values { RANDOM, ZEROS } sealed_values;

static inline sealed encrypt_of(const joint_world *w, uint64_t seed, sealed_values kind)
{
    const size_t n = w->params->spec.n;
    sealed r = sealed_new(w, 2);
    hb_codec *codec;
    hb_encryptor *x;
    hb_batch values, plain;
    const hb_seed root = {{(uint8_t)seed}};
    assert_int_equal(hb_codec_open(w->engine, w->params, HB_ENCODE_SLOTS, &codec), HB_OK);
    assert_int_equal(hb_values_alloc(&values, w->engine, w->params, COUNT), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, w->engine, w->params, w->params->data_limbs, COUNT), HB_OK);
    for (size_t i = 0; i < COUNT * n; i++) {
        values.data[i] = r.values[i] = kind == ZEROS ? 0 : slow_random(&seed) % w->params->spec.bfv.plain;
    }
    assert_int_equal(hb_encode(codec, plain, values), HB_OK);
    assert_int_equal(hb_encryptor_open(w->engine, NULL, &w->public_key, HB_BINOMIAL, COUNT, &x), HB_OK);
    assert_int_equal(
        hb_encrypt(x, hb_ciphertexts_component(r.c, 0), hb_ciphertexts_component(r.c, 1), NULL, plain, &root, 0),
        HB_OK);
    r.noise = hb_quality_fresh(w->params, true, HB_BINOMIAL);
    hb_encryptor_close(x);
    hb_batch_free(w->engine, &values);
    hb_batch_free(w->engine, &plain);
    hb_codec_close(codec);
    return r;
}

static inline sealed encrypt(const joint_world *w, uint64_t seed)
{
    return encrypt_of(w, seed, RANDOM);
}

/* The values of phases, which are destroyed, and the least of their budgets. */
static inline uint32_t open_phases(const joint_world *w, hb_decryptor *decryptor, hb_batch phase, uint64_t *values,
                                   const hb_part_plan *plan)
{
    uint32_t budgets[COUNT];
    hb_codec *codec;
    hb_batch decoded, plain;
    assert_int_equal(hb_codec_open(w->engine, w->params, HB_ENCODE_SLOTS, &codec), HB_OK);
    assert_int_equal(hb_values_alloc(&decoded, w->engine, w->params, COUNT), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, w->engine, w->params, w->params->data_limbs, COUNT), HB_OK);
    if (plan != NULL) {
        assert_int_equal(hb_combiner_decrypt(decryptor, plain, phase, plan, 0, budgets), HB_OK);
    } else {
        assert_int_equal(hb_decrypt(decryptor, plain, phase), HB_OK);
        assert_int_equal(hb_decryptor_measure(decryptor, budgets, phase), HB_OK);
    }
    assert_int_equal(hb_decode(codec, decoded, plain), HB_OK);
    memcpy(values, decoded.data, COUNT * w->params->spec.n * sizeof *values);
    hb_batch_free(w->engine, &decoded);
    hb_batch_free(w->engine, &plain);
    hb_codec_close(codec);
    return budgets[0] < budgets[1] ? budgets[0] : budgets[1];
}

/* A copy of components 0 and 1, in two batches. */
static inline void copy_pair(const joint_world *w, const sealed *a, hb_batch *c0, hb_batch *c1)
{
    hb_batch *const to[] = {c0, c1};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(hb_batch_alloc(w->engine, to[i], COUNT, w->params->data_limbs, w->params->ids), HB_OK);
        assert_int_equal(hb_copy(w->engine, *to[i], hb_ciphertexts_component(a->c, i)), HB_OK);
    }
}

/* The digests of component 1 of these ciphertexts, by which parts are asked for. */
static inline void joint_c1_digests(const joint_world *w, hb_batch c1, uint8_t digests[COUNT][HB_DIGEST_BYTES])
{
    const size_t bytes = hb_packed_bytes(&w->params->ring, w->params->ids, c1.limbs);
    uint8_t *packed = malloc(bytes), rows[HB_MAX_LIMBS * HB_DIGEST_BYTES];
    for (size_t c = 0; c < COUNT; c++) {
        assert_int_equal(hb_pack(w->engine, (hb_packed){packed, 1, 0, 1}, hb_batch_slice(c1, c, 1)), HB_OK);
        const uint8_t *row = packed;
        for (uint32_t l = 0; l < c1.limbs; l++) {
            const size_t row_bytes = hb_packed_row_bytes(w->params->spec.n, &w->params->ring.moduli[c1.ids[l]]);
            hb_digest_row(rows + l * HB_DIGEST_BYTES, row, row_bytes);
            row += row_bytes;
        }
        hb_part_c1_digest(digests[c], c1.limbs, rows);
    }
    free(packed);
}

#endif
