/* The transform against its definition, against FLINT's polynomial product, and at the extremes of its ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <flint/nmod_poly.h>
#include <flint/ulong_extras.h>

#include "cpu/ntt.h"
#include "reference/slow.h"
#include "unit/unit.h"

/* The largest prime = 1 mod 2n of at most `bits` bits, by FLINT. */
static uint64_t a_prime(uint32_t bits, size_t n)
{
    uint64_t p = (((uint64_t)1 << bits) - 1) / (2 * n) * (2 * n) + 1;
    while (p >= (uint64_t)1 << bits || !n_is_prime(p)) {
        p -= 2 * n;
    }
    return p;
}

static uint64_t a_root(uint64_t p, size_t n)
{
    for (uint64_t g = 2;; g++) {
        uint64_t root = slow_pow(g, (p - 1) / (2 * n), p);
        if (slow_pow(root, n, p) == p - 1) {
            return root;
        }
    }
}

/* The kernels that every test runs with: one instruction set after the other. */
static const hb_cpu_kernels *kernels;

/* `integer`: the integer path even where the prime would allow FP64. */
static hb_cpu_ntt open_table(uint64_t p, uint32_t log_n, bool integer)
{
    hb_modulus m;
    hb_cpu_ntt t;
    assert_int_equal(hb_modulus_init(&m, p), HB_OK);
    m.f64 = m.f64 && !integer;
    assert_int_equal(hb_cpu_ntt_init(&t, kernels, &m, log_n, a_root(p, (size_t)1 << log_n)), HB_OK);
    return t;
}

static uint64_t *words(size_t n)
{
    uint64_t *x = malloc(n * sizeof *x);
    assert_non_null(x);
    return x;
}

static void every_polynomial_of_four_coefficients_mod_17(void **state)
{
    (void)state;
    for (int integer = 0; integer < 2; integer++) {
        hb_cpu_ntt t = open_table(17, 2, integer == 1);
        const uint64_t psi = a_root(17, 4);
        for (uint32_t i = 0; i < 17 * 17 * 17 * 17; i++) {
            uint64_t x[4] = {i % 17, i / 17 % 17, i / 289 % 17, i / 4913}, y[4]; /* powers of 17 */
            memcpy(y, x, sizeof y);
            hb_cpu_ntt_forward(&t, y);
            for (size_t j = 0; j < 4; j++) {
                assert_int_equal(y[j], slow_evaluate(x, 4, slow_pow(psi, 2 * slow_reverse(j, 2) + 1, 17), 17));
            }
            hb_cpu_ntt_inverse(&t, y);
            assert_memory_equal(x, y, sizeof y);
        }
        hb_cpu_ntt_clear(&t);
    }
}

static void fill(uint64_t *x, size_t n, uint64_t p, int pattern, uint64_t *seed)
{
    for (size_t j = 0; j < n; j++) {
        const uint64_t r = slow_random(seed);
        const uint64_t values[] = {r % p, p - 1, (r & 1) ? p - 1 : 0, p / 2 + (r & 1), j == 1};
        x[j] = values[pattern];
    }
}

static const uint32_t prime_bits[] = {20, 30, 36, 43, 48, 49, 50, 51, 55, 60, 61};

enum { LONG = 13 }; /* the definition takes long above 2^13: less of it is looked at */

static void definition_at_every_size_and_width(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t log_n = 1; log_n <= HB_RING_MAX_LOG_N; log_n++) {
        const size_t n = (size_t)1 << log_n;
        uint64_t *x = words(n), *y = words(n);
        for (size_t b = 0; b < sizeof prime_bits / sizeof *prime_bits; b++) {
            const uint64_t p = a_prime(prime_bits[b], n), psi = a_root(p, n);
            hb_cpu_ntt t = open_table(p, log_n, false);
            for (int pattern = 0; pattern < 5; pattern++) {
                fill(x, n, p, pattern, &seed);
                memcpy(y, x, n * sizeof *x);
                hb_cpu_ntt_forward(&t, y);
                for (int k = 0; k < (log_n > LONG ? 1 : 3); k++) {
                    size_t j = slow_random(&seed) % n;
                    uint64_t point = slow_pow(psi, 2 * slow_reverse(j, log_n) + 1, p);
                    assert_int_equal(y[j], slow_evaluate(x, n, point, p));
                }
                hb_cpu_ntt_inverse(&t, y);
                assert_memory_equal(x, y, n * sizeof *x);
            }
            hb_cpu_ntt_clear(&t);
        }
        free(x);
        free(y);
    }
}

/* Words that are no transform of small words are scaled, too. */
static void a_factor_comes_with_the_inverse(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (uint32_t log_n = 1; log_n <= HB_RING_MAX_LOG_N; log_n++) {
        const size_t n = (size_t)1 << log_n;
        uint64_t *x = words(n), *y = words(n), *z = words(n);
        for (size_t b = 0; b < sizeof prime_bits / sizeof *prime_bits; b++) {
            const uint64_t p = a_prime(prime_bits[b], n);
            const uint64_t factors[] = {0, 1, p - 1, p / 2, p / 2 + 1, slow_random(&seed) % p};
            hb_cpu_ntt t = open_table(p, log_n, false);
            fill(x, n, p, (int)(b % 3), &seed);
            memcpy(y, x, n * sizeof *x);
            hb_cpu_ntt_inverse(&t, y);
            for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
                memcpy(z, x, n * sizeof *x);
                hb_cpu_ntt_inverse_scaled(&t, z, factors[i]);
                for (size_t j = 0; j<n; j += log_n> LONG ? 7 : 1) {
                    assert_int_equal(z[j], slow_mul(y[j], factors[i], p));
                }
            }
            hb_cpu_ntt_clear(&t);
        }
        free(x);
        free(y);
        free(z);
    }
}

static void both_arithmetics_agree(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint32_t log_n = 1; log_n <= 13; log_n++) {
        const size_t n = (size_t)1 << log_n;
        uint64_t *x = words(n), *y = words(n);
        for (uint32_t bits = 20; bits <= HB_F64_MAX_BITS; bits += 5) {
            const uint64_t p = a_prime(bits, n);
            hb_cpu_ntt f64 = open_table(p, log_n, false), u64 = open_table(p, log_n, true);
            for (int pattern = 0; pattern < 5; pattern++) {
                fill(x, n, p, pattern, &seed);
                memcpy(y, x, n * sizeof *x);
                hb_cpu_ntt_forward(&f64, x);
                hb_cpu_ntt_forward(&u64, y);
                assert_memory_equal(x, y, n * sizeof *x);
                fill(x, n, p, pattern, &seed);
                memcpy(y, x, n * sizeof *x);
                hb_cpu_ntt_inverse(&f64, x);
                hb_cpu_ntt_inverse(&u64, y);
                assert_memory_equal(x, y, n * sizeof *x);
            }
            hb_cpu_ntt_clear(&f64);
            hb_cpu_ntt_clear(&u64);
        }
        free(x);
        free(y);
    }
}

/* INTT(NTT(a) NTT(b)) = a b mod X^n + 1, with FLINT for the product. */
static void products_are_negacyclic(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t log_n = 1; log_n <= 12; log_n++) {
        const size_t n = (size_t)1 << log_n;
        for (size_t i = 0; i < sizeof prime_bits / sizeof *prime_bits; i++) {
            const uint64_t p = a_prime(prime_bits[i], n);
            hb_cpu_ntt t = open_table(p, log_n, false);
            uint64_t *a = words(n), *b = words(n);
            fill(a, n, p, 0, &seed);
            fill(b, n, p, 0, &seed);
            nmod_poly_t fa, fb;
            nmod_poly_init2(fa, p, (slong)(2 * n));
            nmod_poly_init2(fb, p, (slong)n);
            for (size_t j = 0; j < n; j++) {
                nmod_poly_set_coeff_ui(fa, (slong)j, a[j]);
                nmod_poly_set_coeff_ui(fb, (slong)j, b[j]);
            }
            nmod_poly_mul(fa, fa, fb);
            hb_cpu_ntt_forward(&t, a);
            hb_cpu_ntt_forward(&t, b);
            for (size_t j = 0; j < n; j++) {
                a[j] = slow_mul(a[j], b[j], p);
            }
            hb_cpu_ntt_inverse(&t, a);
            for (size_t j = 0; j < n; j++) {
                uint64_t low = nmod_poly_get_coeff_ui(fa, (slong)j), high = nmod_poly_get_coeff_ui(fa, (slong)(j + n));
                assert_int_equal(a[j], (low + (p - high)) % p);
            }
            nmod_poly_clear(fa);
            nmod_poly_clear(fb);
            free(a);
            free(b);
            hb_cpu_ntt_clear(&t);
        }
    }
}

/* semantics.md 2.4: N = 8, p = 97, psi = 8. */
static void seals_example(void **state)
{
    (void)state;
    hb_modulus m;
    hb_cpu_ntt t;
    assert_int_equal(hb_modulus_init(&m, 97), HB_OK);
    assert_int_equal(hb_cpu_ntt_init(&t, kernels, &m, 3, 8), HB_OK);
    uint64_t x[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const uint64_t expected[] = {86, 56, 41, 67, 4, 4, 53, 85};
    hb_cpu_ntt_forward(&t, x);
    assert_memory_equal(x, expected, sizeof x);
    hb_cpu_ntt_clear(&t);
}

static int sum(const uint8_t *reductions)
{
    int count = 0;
    for (uint32_t s = 0; s < HB_RING_MAX_LOG_N; s++) {
        count += reductions[s];
    }
    return count;
}

/* The numbers of reducing stages that cpu/ntt_f64.c and cpu/ntt_u64.c state. */
static void few_stages_reduce(void **state)
{
    (void)state;
    for (uint32_t bits = 20; bits <= HB_F64_MAX_BITS; bits++) {
        hb_cpu_ntt t = open_table(a_prime(bits, (size_t)1 << 17), 17, false);
        assert_true(bits <= 48 ? sum(t.reductions) == 0 : sum(t.reductions) > 0);
        assert_true(sum(t.inverse_reductions) <= 17 / (51 - (int)bits) + 2);
        hb_cpu_ntt_clear(&t);
    }
    for (uint32_t bits = 51; bits <= HB_MODULUS_MAX_BITS; bits++) {
        hb_cpu_ntt t = open_table(a_prime(bits, (size_t)1 << 17), 17, false);
        assert_int_equal(sum(t.reductions), bits <= 57 ? 0 : 17 - t.outer % 2); /* none in a first stage alone */
        hb_cpu_ntt_clear(&t);
    }
}

HB_UNIT(ntt)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_stages_reduce),
        cmocka_unit_test(every_polynomial_of_four_coefficients_mod_17),
        cmocka_unit_test(definition_at_every_size_and_width),
        cmocka_unit_test(a_factor_comes_with_the_inverse),
        cmocka_unit_test(both_arithmetics_agree),
        cmocka_unit_test(products_are_negacyclic),
        cmocka_unit_test(seals_example),
    };
    int failed = 0;
    for (uint32_t i = 0; (kernels = hb_cpu_kernels_at(i)) != NULL; i++) {
        print_message("instruction set: %s\n", kernels->name);
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    }
    return failed;
}
