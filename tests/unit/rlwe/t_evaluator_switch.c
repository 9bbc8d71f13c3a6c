/* Key switching and automorphisms against their definition (semantics.md 6.8, 6.9) and SEAL's worked example.
 * Keys are random words except in the example: operations compute the same with these as with real keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/small_bfv.h"
#include "unit/unit.h"

/* d = key switch of g (6.8): component c, integers floor((X_c + floor(P/2)) / P), X_c in [0, Q P). */
static mpz_t *slow_switch(const small_bfv *f, mpz_t *g, uint32_t k, const hb_switch_key *key, uint32_t c)
{
    uint64_t primes[HB_MAX_LIMBS];
    memcpy(primes, f->params->spec.primes, k * sizeof *primes);
    primes[k] = f->params->spec.primes[f->params->key_limbs - 1];
    slow_base b;
    slow_base_init(&b, primes, k + 1);
    hb_batch parts;
    assert_int_equal(hb_batch_alloc(f->engine, &parts, key->parts.count, key->parts.limbs, key->parts.ids), HB_OK);
    memcpy(parts.data, key->parts.data, parts.count * parts.stride * sizeof *parts.data);
    assert_int_equal(hb_intt(f->engine, parts), HB_OK);
    mpz_t *x = slow_integers(N), *digit = slow_integers(N), *entry = slow_integers(N), *sum = slow_integers(N);
    uint64_t residues[HB_MAX_LIMBS][N];
    for (uint32_t l = 0; l <= k; l++) {
        for (size_t j = 0; j < N; j++) {
            mpz_set_ui(sum[j], 0);
        }
        for (uint32_t part = 0; part < k; part++) {
            for (size_t j = 0; j < N; j++) {
                mpz_set_ui(digit[j], mpz_fdiv_ui(g[j], primes[part]));
                mpz_set_ui(entry[j], *word(parts, 2 * part + c, l < k ? l : f->params->key_limbs - 1, j));
            }
            slow_product(sum, digit, entry, N);
        }
        for (size_t j = 0; j < N; j++) {
            residues[l][j] = mpz_fdiv_ui(sum[j], primes[l]);
        }
    }
    for (size_t j = 0; j < N; j++) {
        slow_compose(x[j], &residues[0][j], N, &b);
        slow_divide(x[j], primes[k]);
    }
    slow_integers_free(digit, N);
    slow_integers_free(entry, N);
    slow_integers_free(sum, N);
    hb_batch_free(f->engine, &parts);
    slow_base_clear(&b);
    return x;
}

/* Component c of ciphertext i of r is `plus` (NULL: 0) plus component c of the key switch of g. */
static void expect_switched(const small_bfv *f, hb_ciphertexts r, size_t i, uint32_t c, mpz_t *plus, mpz_t *g,
                            const hb_switch_key *key, const slow_base *b)
{
    mpz_t *d = slow_switch(f, g, b->k, key, c);
    for (size_t j = 0; j < N && plus != NULL; j++) {
        mpz_add(d[j], d[j], plus[j]);
    }
    expect(r.all, c * hb_ciphertexts_count(r) + i, d, b);
    slow_integers_free(d, N);
}

static void check_relinearize(small_bfv *f, uint32_t k, size_t count)
{
    slow_base b;
    slow_base_init(&b, f->params->spec.primes, k);
    hb_switch_key key = random_key(f, HB_RELINEARIZATION);
    const hb_ciphertexts a = random_ciphertexts(f, 3, count, k), r = ciphertexts(f, 2, count, k);
    assert_int_equal(hb_evaluator_relinearize(f->x, r, a, &key), HB_OK);
    for (size_t i = 0; i < count; i++) {
        mpz_t *g = integers_of(a.all, 2 * count + i, &b);
        for (uint32_t c = 0; c < 2; c++) {
            mpz_t *from = integers_of(a.all, c * count + i, &b);
            expect_switched(f, r, i, c, from, g, &key, &b);
            slow_integers_free(from, N);
        }
        slow_integers_free(g, N);
    }
    const hb_ciphertexts leading = hb_ciphertexts_view(a, f->engine, f->params, 2, count, k);
    assert_int_equal(hb_evaluator_relinearize(f->x, leading, a, &key), HB_OK);
    expect_same(leading, r);
    hb_switch_key_clear(&key);
    release(f, a);
    release(f, r);
    slow_base_clear(&b);
}

static void check_galois(small_bfv *f, uint32_t k, size_t count, uint32_t element)
{
    slow_base b;
    slow_base_init(&b, f->params->spec.primes, k);
    hb_switch_key key = random_key(f, element);
    const hb_ciphertexts a = random_ciphertexts(f, 2, count, k), r = ciphertexts(f, 2, count, k);
    mpz_t *c0 = slow_integers(N), *g = slow_integers(N);
    assert_int_equal(hb_evaluator_galois(f->x, r, a, &key), HB_OK);
    for (size_t i = 0; i < count; i++) {
        mpz_t *from0 = integers_of(a.all, i, &b), *from1 = integers_of(a.all, count + i, &b);
        slow_automorphism(c0, from0, N, element, b.q);
        slow_automorphism(g, from1, N, element, b.q);
        expect_switched(f, r, i, 0, c0, g, &key, &b);
        expect_switched(f, r, i, 1, NULL, g, &key, &b);
        slow_integers_free(from0, N);
        slow_integers_free(from1, N);
    }
    assert_int_equal(hb_evaluator_galois(f->x, a, a, &key), HB_OK);
    expect_same(a, r);
    slow_integers_free(c0, N);
    slow_integers_free(g, N);
    hb_switch_key_clear(&key);
    release(f, a);
    release(f, r);
    slow_base_clear(&b);
}

static void switching_is_its_definition(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < CHAINS; chain++) {
        small_bfv f;
        open_chain(&f, chain);
        for (uint32_t k = 1; k <= f.params->data_limbs && hb_params_can_switch(f.params); k++) {
            if (has_level(&f, k)) {
                check_relinearize(&f, k, MOST_COUNT);
                for (uint32_t element = 3; element < 2 * N; element += 2) {
                    check_galois(&f, k, element == 3 ? MOST_COUNT : 1, element);
                }
            }
        }
        close_small(&f);
    }
}

/* semantics.md 6.8, 6.9, with the keys of section 7: entry J is (pk_0, a) but for row J of component 0. */
static void worked_examples(void **state)
{
    (void)state;
    static const uint64_t primes[] = {97, 113, 193};
    static const uint64_t pk[2][3][N] = {
        {{8, 71, 58, 44, 77, 15, 38, 69}, {56, 108, 3, 85, 95, 81, 91, 14}, {154, 77, 4, 21, 33, 7, 17, 13}},
        {{0, 3, 48, 27, 35, 55, 48, 32}, {8, 112, 74, 95, 2, 108, 67, 102}, {191, 110, 32, 23, 174, 90, 74, 76}}};
    static const uint64_t rows[2][2][N] = {{{5, 23, 58, 47, 13, 79, 40, 91}, {79, 1, 95, 10, 76, 43, 54, 61}},
                                           {{16, 89, 11, 61, 37, 25, 38, 95}, {103, 84, 15, 31, 31, 103, 22, 106}}};
    static const uint64_t relinearized[] = {84, 24, 89, 96, 5,  38, 66, 47, 6,  78, 89, 5,  101, 24, 85, 40,
                                            2,  79, 12, 96, 61, 76, 37, 66, 48, 93, 39, 14, 47,  54, 37, 70};
    static const uint64_t rotated[] = {78, 17, 30, 89, 55, 22, 23, 89, 41, 32, 19, 69, 19, 90, 93, 48,
                                       94, 26, 6,  10, 47, 26, 60, 79, 3,  71, 37, 2,  83, 57, 76, 83};
    small_bfv f;
    open_small(&f, small_params(LOG_N, primes, 3, 17), 1 << 20);
    hb_switch_key keys[2];
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t words[2][2][3][N];
        for (uint32_t part = 0; part < 2; part++) {
            memcpy(words[part], pk, sizeof pk);
            memcpy(words[part][0][part], rows[i][part], sizeof rows[i][part]);
        }
        keys[i] = key_of_words(&f, i == 0 ? HB_RELINEARIZATION : 3, &words[0][0][0][0]);
    }
    const hb_ciphertexts g = ciphertexts(&f, 3, 1, 2), r = ciphertexts(&f, 2, 1, 2);
    for (uint64_t i = 0; i < N; i++) {
        const uint64_t q = 97 * 113;
        const uint64_t x[] = {(1234 * i + 57) % q, (777 * i * i + 4321 * i + 9) % q, (5000 + 31 * i * i * i) % q};
        for (size_t p = 0; p < 3; p++) {
            *word(g.all, p, 0, i) = x[p] % 97;
            *word(g.all, p, 1, i) = x[p] % 113;
        }
    }
    assert_int_equal(hb_evaluator_relinearize(f.x, r, g, &keys[0]), HB_OK);
    assert_memory_equal(r.all.data, relinearized, sizeof relinearized);
    const hb_ciphertexts a = hb_ciphertexts_view(g, f.engine, f.params, 2, 1, 2);
    assert_int_equal(hb_evaluator_galois(f.x, r, a, &keys[1]), HB_OK);
    assert_memory_equal(r.all.data, rotated, sizeof rotated);
    hb_switch_key_clear(&keys[0]);
    hb_switch_key_clear(&keys[1]);
    release(&f, g);
    release(&f, r);
    close_small(&f);
}

HB_UNIT(evaluator_switch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switching_is_its_definition),
        cmocka_unit_test(worked_examples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
