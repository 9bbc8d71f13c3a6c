/* Results of Microsoft SEAL, reproduced word for word: parameters, roots, keys, plaintexts, decryption (tests/vectors).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/modarith.h"
#include "bfv/params.h"
#include "cpu/engine.h"
#include "reference/seal_set.h"
#include "reference/slow.h"
#include "scheme/cipher.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "unit/unit.h"

static void check_parameters(const seal_set *set)
{
    const hb_params *p = set->params;
    const json_t *psi = json_object_get(set->json, "psi");
    for (size_t i = 0; i < p->key_limbs; i++) {
        assert_int_equal(p->ring.psi[p->ids[i]], json_integer_value(json_array_get(psi, i)));
    }
    assert_int_equal(p->ring.psi[hb_bfv_of(p)->plain_id], json_integer_value(json_object_get(set->json, "psi_t")));
    assert_int_equal(p->data_limbs, json_integer_value(json_object_get(set->json, "n_data_primes")));
    char digest[2 * HB_DIGEST_BYTES + 1];
    for (size_t i = 0; i < HB_DIGEST_BYTES; i++) {
        snprintf(digest + 2 * i, 3, "%02x", p->digest[i]);
    }
    const json_t *key_level = json_array_get(json_object_get(set->json, "parms_ids"), 0);
    assert_string_equal(digest, json_string_value(json_object_get(key_level, "parms_id")));
}

static void check_secret_key(const seal_set *set)
{
    const size_t words = set->params->key_limbs * set->params->ring.n;
    uint64_t *sk = read_words(set, "sk.u64", words);
    assert_memory_equal(sk, set->secret.s.data, words * sizeof *sk);
    free(sk);
}

/* x: [key limbs] in NTT form. It must be the same small polynomial in every limb, |e| <= 21 (SEAL's binomial). */
static void check_is_error(const seal_set *set, hb_batch x)
{
    const hb_ring *ring = &set->params->ring;
    assert_int_equal(hb_intt(set->engine, x), HB_OK);
    const uint64_t q0 = ring->moduli[x.ids[0]].value;
    uint64_t nonzero = 0;
    for (size_t j = 0; j < ring->n; j++) {
        const int64_t e = hb_mod_to_signed(x.data[j], q0);
        assert_in_range(e + 21, 0, 42);
        nonzero += e != 0;
        for (uint32_t l = 1; l < x.limbs; l++) {
            assert_int_equal(hb_mod_to_signed(x.data[l * ring->n + j], ring->moduli[x.ids[l]].value), e);
        }
    }
    assert_true(nonzero > ring->n / 2);
}

/* One zero encryption (b, a) at the key level, b + a s - [target added in limb `limb` only] = -e. */
static void check_key_entry(const seal_set *set, const uint64_t *entry, int limb, const uint64_t *target)
{
    const hb_params *p = set->params;
    const size_t n = p->ring.n, words = p->key_limbs * n;
    hb_batch b = upload(set, entry, 1, p->key_limbs, p->ids), a = upload(set, entry + words, 1, p->key_limbs, p->ids);
    assert_int_equal(hb_mul(set->engine, a, a, set->secret.s), HB_OK);
    assert_int_equal(hb_add(set->engine, b, b, a), HB_OK);
    if (limb >= 0) {
        const hb_modulus *q = &p->ring.moduli[p->ids[limb]];
        const uint64_t special = p->ring.moduli[p->ids[p->key_limbs - 1]].value % q->value;
        for (size_t j = 0; j < n; j++) {
            uint64_t *x = &b.data[(size_t)limb * n + j];
            *x = hb_mod_sub(*x, hb_mod_mul(special, target[(size_t)limb * n + j], q), q);
        }
    }
    check_is_error(set, b);
    hb_batch_free(set->engine, &a);
    hb_batch_free(set->engine, &b);
}

/* Every entry of a key-switching key for the polynomial `target` ([key limbs][n], NTT form). */
static void check_switching_key(const seal_set *set, const char *name, const uint64_t *target)
{
    const hb_params *p = set->params;
    const size_t entry = 2 * p->key_limbs * p->ring.n;
    uint64_t *key = read_words(set, name, p->data_limbs * entry);
    for (uint32_t i = 0; i < p->data_limbs; i++) {
        check_key_entry(set, key + i * entry, (int)i, target);
    }
    free(key);
}

static void check_keys(const seal_set *set)
{
    const hb_params *p = set->params;
    const size_t n = p->ring.n, words = p->key_limbs * n;
    uint64_t *pk = read_words(set, "pk.u64", 2 * words);
    check_key_entry(set, pk, -1, NULL);
    free(pk);

    hb_batch square;
    assert_int_equal(hb_batch_alloc(set->engine, &square, 1, p->key_limbs, p->ids), HB_OK);
    assert_int_equal(hb_mul(set->engine, square, set->secret.s, set->secret.s), HB_OK);
    check_switching_key(set, "rlk.u64", square.data);

    /* s(X^g) is s read at other points: out[i] = in[brev((g (2 brev(i) + 1) mod 2N - 1) / 2)] (semantics.md 6.9). */
    const json_t *galois = json_object_get(set->json, "galois");
    for (size_t k = 0; k < json_array_size(galois); k++) {
        const size_t g = (size_t)json_integer_value(json_object_get(json_array_get(galois, k), "elt"));
        for (size_t i = 0; i < n; i++) {
            const size_t e = g * (2 * slow_reverse(i, p->ring.log_n) + 1) % (2 * n);
            for (uint32_t l = 0; l < p->key_limbs; l++) {
                square.data[l * n + i] = set->secret.s.data[l * n + slow_reverse((e - 1) / 2, p->ring.log_n)];
            }
        }
        char name[64];
        snprintf(name, sizeof name, "glk_%zu.u64", g);
        check_switching_key(set, name, square.data);
    }
    hb_batch_free(set->engine, &square);
}

static void check_encoding(const seal_set *set)
{
    const hb_params *p = set->params;
    const size_t n = p->ring.n;
    hb_codec *codec;
    assert_int_equal(hb_codec_open(set->engine, p, HB_ENCODE_SLOTS, &codec), HB_OK);
    for (int k = 0; k < 4; k++) {
        char name[64];
        snprintf(name, sizeof name, "slots%d.u64", k);
        uint64_t *slots = read_words(set, name, n);
        snprintf(name, sizeof name, "plain%d.u64", k);
        uint64_t *plain = read_words(set, name, n);
        hb_batch values = upload(set, slots, 1, 1, &hb_bfv_of(p)->plain_id),
                 encoded = upload(set, plain, 1, 1, &hb_bfv_of(p)->plain_id);
        assert_int_equal(hb_encode(codec, encoded, values), HB_OK);
        assert_memory_equal(encoded.data, plain, n * sizeof *plain);
        memset(values.data, 0, n * sizeof *plain);
        assert_int_equal(hb_decode(codec, values, encoded), HB_OK);
        assert_memory_equal(values.data, slots, n * sizeof *slots);
        hb_batch_free(set->engine, &values);
        hb_batch_free(set->engine, &encoded);
        free(slots);
        free(plain);
    }
    hb_codec_close(codec);
}

/* Decrypts a ciphertext of `limbs` limbs to the plaintext file `expected`, with some noise budget left. */
static void check_decryption(const seal_set *set, const char *name, uint32_t limbs, const char *expected)
{
    const hb_params *p = set->params;
    const size_t words = limbs * p->ring.n;
    uint64_t *ct = read_words(set, name, 2 * words), *plain = read_words(set, expected, p->ring.n);
    hb_batch c0 = upload(set, ct, 1, limbs, p->ids), c1 = upload(set, ct + words, 1, limbs, p->ids);
    hb_batch m = upload(set, plain, 1, 1, &hb_bfv_of(p)->plain_id);
    memset(m.data, 0, p->ring.n * sizeof *plain);
    hb_decryptor *decryptor;
    uint32_t budget = 0;
    assert_int_equal(hb_decryptor_open(set->secret.engine, &set->secret, limbs, 1, &decryptor), HB_OK);
    assert_int_equal(hb_phase(decryptor, c0, c0, c1), HB_OK);
    assert_int_equal(hb_decrypt(decryptor, m, c0), HB_OK);
    assert_memory_equal(m.data, plain, p->ring.n * sizeof *plain);
    assert_int_equal(hb_decryptor_measure(decryptor, &budget, c0), HB_OK);
    assert_true(budget > 0 && budget < 64 * limbs);
    hb_decryptor_close(decryptor);
    hb_batch_free(set->engine, &c0);
    hb_batch_free(set->engine, &c1);
    hb_batch_free(set->engine, &m);
    free(ct);
    free(plain);
}

static void check_set(const char *folder)
{
    seal_set set;
    open_set(&set, folder, hb_cpu_engine_open);
    check_parameters(&set);
    check_secret_key(&set);
    check_keys(&set);
    check_encoding(&set);
    const uint32_t limbs = set.params->data_limbs;
    check_decryption(&set, "ct0.u64", limbs, "plain0.u64");
    check_decryption(&set, "ct1.u64", limbs, "plain1.u64");
    check_decryption(&set, "ct2.u64", limbs, "plain2.u64");
    check_decryption(&set, "ct3.u64", limbs, "plain3.u64");
    check_decryption(&set, "ct4_seeded.u64", limbs, "plain1.u64");
    check_decryption(&set, "ops/modswitch.u64", limbs - 1, "plain1.u64");
    close_set(&set);
}

static void vectors_of_n_1024(void **state)
{
    (void)state;
    check_set(HB_TESTS_VECTORS "/n1024");
}

static void vectors_of_n_4096(void **state)
{
    (void)state;
    check_set(HB_TESTS_VECTORS "/n4096");
}

HB_UNIT(seal)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_n_1024),
        cmocka_unit_test(vectors_of_n_4096),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
