/* Slots, coefficients and residues where coefficients are double-doubles: against MPFR and GMP, the definition, and an
 * example of the specification bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpfr.h>

#include "reference/crt.h"
#include "reference/slots.h"
#include "ring/real_ops.h"
#include "ring/roots.h"
#include "unit/unit.h"

enum { COUNT = 2, GAP = 2, PRECISION = 400 };

static const uint64_t some_prime = (1ull << 50) - 27;

static double *row(hb_batch a, size_t c)
{
    return (double *)(void *)(a.data + c * a.stride);
}

/* Number j of coefficients c of a wide batch. */
static hb_dd wide(hb_batch a, size_t c, size_t j)
{
    return (hb_dd){row(a, 2 * c)[j], row(a, 2 * c + 1)[j]};
}

static void set_dd(mpfr_t r, hb_dd x)
{
    mpfr_set_d(r, x.high, MPFR_RNDN);
    mpfr_add_d(r, r, x.low, MPFR_RNDN);
}

/* Returns the double-double of a number: the nearest double, and the double nearest to the remainder. */
static hb_dd dd_of(mpfr_t x)
{
    mpfr_t rest;
    mpfr_init2(rest, PRECISION);
    const double high = mpfr_get_d(x, MPFR_RNDN);
    mpfr_sub_d(rest, x, high, MPFR_RNDN);
    const double low = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_clear(rest);
    return (hb_dd){high, low};
}

/* A random double-double in (-1, 1) times a power of two. */
static hb_dd random_dd(uint64_t *random, int exponent)
{
    const double high = slots_random(random), low = slots_random(random);
    return hb_dd_exact_sum(ldexp(high, exponent), ldexp(low * high, exponent - 54));
}

/* Sums and products err by at most the stated bounds, also where most is cancelled. */
static void test_arithmetic(void **state)
{
    (void)state;
    uint64_t random = 1;
    mpfr_t a, b, exact, got, most;
    mpfr_inits2(PRECISION, a, b, exact, got, most, (mpfr_ptr)NULL);
    for (int i = 0; i < 100000; i++) {
        const hb_dd x = random_dd(&random, (int)(slow_random(&random) % 40));
        const bool near = i % 3 == 0;
        const hb_dd y = near ? hb_dd_add(hb_dd_negate(x), random_dd(&random, -(int)(slow_random(&random) % 110)))
                             : random_dd(&random, (int)(slow_random(&random) % 40));
        set_dd(a, x);
        set_dd(b, y);
        for (int product = 0; product <= 1; product++) {
            const hb_dd r = product ? hb_dd_multiply(x, y) : hb_dd_add(x, y);
            set_dd(got, r);
            (product ? mpfr_mul : mpfr_add)(exact, a, b, MPFR_RNDN);
            mpfr_sub(got, got, exact, MPFR_RNDN);
            mpfr_abs(got, got, MPFR_RNDN);
            mpfr_abs(most, exact, MPFR_RNDN);
            if (!product) {
                mpfr_set_d(most, fabs(x.high) + fabs(y.high), MPFR_RNDU);
            }
            mpfr_mul_d(most, most, product ? 0x9p-106 : 0x3p-106, MPFR_RNDN);
            assert_true(mpfr_cmp(got, most) <= 0);
            assert_true(r.high + r.low == r.high);
        }
    }
    mpfr_clears(a, b, exact, got, most, (mpfr_ptr)NULL);
}

/* Parts of zeta^e, zeta = exp(i pi / 2n). */
static void zeta(mpfr_t re, mpfr_t im, uint32_t e, uint32_t n)
{
    mpfr_const_pi(re, MPFR_RNDN);
    mpfr_mul_ui(re, re, e, MPFR_RNDN);
    mpfr_div_ui(re, re, 2 * n, MPFR_RNDN);
    mpfr_sin_cos(im, re, re, MPFR_RNDN);
}

/* The coefficients of slots, by the definition: number k is the real part of the mean of slot j times zeta^(-k g^j).
 * errors[0]: the sum of the squares of their distances, errors[1]: of their sizes. */
static void measure(double errors[2], hb_batch r, const double *slots, uint32_t n, uint32_t generator)
{
    mpfr_t sum, c, s;
    mpfr_inits2(PRECISION, sum, c, s, (mpfr_ptr)NULL);
    errors[0] = errors[1] = 0;
    for (uint32_t k = 0; k < 2 * n; k++) {
        uint32_t power = 1;
        mpfr_set_zero(sum, 1);
        for (uint32_t j = 0; j < n; j++) {
            zeta(c, s, k * power % (4 * n), n);
            mpfr_mul_d(c, c, slots[j], MPFR_RNDN);
            mpfr_mul_d(s, s, slots[n + j], MPFR_RNDN);
            mpfr_add(sum, sum, c, MPFR_RNDN);
            mpfr_add(sum, sum, s, MPFR_RNDN);
            power = power * generator % (4 * n);
        }
        mpfr_div_ui(sum, sum, n, MPFR_RNDN);
        errors[1] += mpfr_get_d(sum, MPFR_RNDN) * mpfr_get_d(sum, MPFR_RNDN);
        set_dd(c, wide(r, 0, k));
        mpfr_sub(sum, sum, c, MPFR_RNDN);
        errors[0] += mpfr_get_d(sum, MPFR_RNDN) * mpfr_get_d(sum, MPFR_RNDN);
    }
    mpfr_clears(sum, c, s, (mpfr_ptr)NULL);
}

/* There and back at every size: 103 bits right to the definition where that is quick, and slots come back as they
 * were. */
static void check_transform(uint32_t log_n, uint32_t generator)
{
    toy t;
    toy_open(&t, log_n, &some_prime, 1, false);
    const uint32_t n = (uint32_t)t.ring.n / 2;
    uint64_t random = log_n;
    hb_slot_tables tables;
    assert_int_equal(hb_slot_tables_init(&tables, t.engine, generator, true), HB_OK);
    const hb_batch a = toy_batch(&t, COUNT, 1, t.ids, GAP), r = toy_batch(&t, 2 * COUNT, 1, t.ids, GAP);
    for (size_t j = 0; j < COUNT * t.ring.n; j++) {
        const double x = slots_random(&random);
        *toy_at(&t, a, j / t.ring.n, 0, j % t.ring.n) = hb_real_word(x);
    }
    const hb_batch kept = toy_copy(&t, a);
    assert_int_equal(hb_slots_to_coefficients(t.engine, r, a, &tables), HB_OK);
    assert_memory_equal(a.data, kept.data, COUNT * a.stride * sizeof *a.data);
    if (log_n <= 7) {
        double errors[2];
        measure(errors, r, row(a, 0), n, generator);
        assert_true(errors[0] <= errors[1] * 0x1p-206);
    }
    assert_int_equal(hb_coefficients_to_slots(t.engine, a, r, &tables), HB_OK);
    assert_memory_equal(a.data, kept.data, COUNT * a.stride * sizeof *a.data);
    toy_assert_gaps(&t, a);
    toy_assert_gaps(&t, r);
    hb_slot_tables_clear(&tables, t.engine);
    toy_free(a);
    toy_free(r);
    toy_free(kept);
    toy_close(&t);
}

static void test_transforms(void **state)
{
    (void)state;
    for (uint32_t log_n = 1; log_n <= 12; log_n++) {
        check_transform(log_n, 5);
        check_transform(log_n, 3);
    }
}

/* The example of semantics.md 9.7, bit by bit. */
static void test_example(void **state)
{
    (void)state;
    static const double slots[8] = {0.1, -0.7, 0x1.5555555555555p-2, 2.5, 0.25, 0.001, -0.6, 0.9};
    static const double high[8] = {0x1.1ddddddddddde0p-1, 0x1.01e8ad56bf26ep-3, -0x1.d9d928ff6ff35p-2,
                                   -0x1.ea97b3d7a72fbp-2, 0x1.1a1cac083126fp-3, 0x1.0b33cfb3ffd7bp+0,
                                   0x1.4f01a6c7f4a76p-6,  -0x1.83a949a4d280ap-2};
    static const double low[8] = {-0x1.0p-57, -0x1.34343509f5f66p-57, 0x1.457e7bcd43f88p-57,  -0x1.2341f9c27be28p-57,
                                  -0x1.0p-62, 0x1.68ad1de397f10p-57,  -0x1.96a3830c68320p-61, -0x1.198ec6c69f596p-57};
    static const hb_real_scale scale = {
        {0x1.199999999999ap+80, 0x1.3333333333333p+24}, {0x1.d1745d1745d16p-81, 0x1.f34e47ef130abp-135}, true};
    /* Words of the magnitudes, high ones first. */
    static const uint64_t integers[8][2] = {{0x9d3a, 0x06d3a06d3ee4b17e}, {0x2376, 0x64a253e2257eb388},
                                            {0x824e, 0xeb463ec9526ae3d7}, {0x86e9, 0xb7db4df9ee445152},
                                            {0x26ca, 0x57a786c2286e01a3}, {0x125ec, 0x3145ffd3b0b51c2e},
                                            {0x05c2, 0x07443c9ae08d00fa}, {0x6a9b, 0x5aa6ed1695e1d02c}};
    static const bool negative[8] = {false, false, true, true, false, false, false, true};
    static const double back[8] = {-0x1.0000008888888p-57, -0x1.3434342178b78p-57, 0x1.457e7b1554310p-57,
                                   -0x1.2341f9458fe6ep-57, -0x1.0000190a9cc60p-62, 0x1.68ad1d8e8dd00p-57,
                                   -0x1.96a37a55aa420p-61, -0x1.198ec5f528cf0p-57};
    static const uint64_t primes[3] = {(1ull << 50) - 27, (1ull << 36) - 5, (1ull << 38) - 45};
    toy t;
    hb_slot_tables tables;
    hb_composition k;
    uint64_t refused = UINT64_MAX;
    toy_open(&t, 3, primes, 3, false);
    assert_int_equal(hb_slot_tables_init(&tables, t.engine, 5, true), HB_OK);
    assert_int_equal(hb_composition_init(&k, &t.ring, t.ids, 3), HB_OK);
    const hb_batch a = toy_batch(&t, 1, 1, t.ids, 0), r = toy_batch(&t, 2, 1, t.ids, 0),
                   residues = toy_batch(&t, 1, 3, t.ids, 0);
    const hb_rounding rounding = {scale, &refused, 0};
    memcpy(a.data, slots, sizeof slots);
    assert_int_equal(hb_slots_to_coefficients(t.engine, r, a, &tables), HB_OK);
    assert_memory_equal(row(r, 0), high, sizeof high);
    assert_memory_equal(row(r, 1), low, sizeof low);
    assert_int_equal(hb_round_reals(t.engine, residues, r, &rounding), HB_OK);
    assert_true(refused == UINT64_MAX);
    for (size_t j = 0; j < 8; j++) {
        for (uint32_t l = 0; l < 3; l++) {
            const hb_modulus *m = &t.ring.moduli[t.ids[l]];
            const uint64_t x = (uint64_t)(((hb_u128)integers[j][0] << 64 | integers[j][1]) % m->value);
            assert_true(*toy_at(&t, residues, 0, l, j) == (negative[j] ? m->value - x : x));
        }
    }
    assert_int_equal(hb_compose_reals(t.engine, r, residues, &k, &scale), HB_OK);
    assert_memory_equal(row(r, 0), high, sizeof high);
    assert_memory_equal(row(r, 1), back, sizeof back);
    assert_int_equal(hb_coefficients_to_slots(t.engine, a, r, &tables), HB_OK);
    assert_memory_equal(a.data, slots, sizeof slots);
    hb_slot_tables_clear(&tables, t.engine);
    toy_free(a);
    toy_free(r);
    toy_free(residues);
    toy_close(&t);
}

static const uint64_t integer_primes[3] = {(1ull << 50) - 27, (1ull << 61) - 1, 97};

/* Integers of up to 125 bits: near the product with the scale, and their residues. */
static void test_integers(void **state)
{
    (void)state;
    static const hb_dd scales[3] = {{1, 0}, {0x1.23456789abcdfp+95, 0x1.3456789abcdefp+40}, {0x1p64, 0x1p10}};
    toy t;
    uint64_t random = 3, refused;
    mpz_t x, q;
    mpfr_t exact, scale, off;
    mpz_inits(x, q, (mpz_ptr)NULL);
    mpfr_inits2(PRECISION, exact, scale, off, (mpfr_ptr)NULL);
    toy_open(&t, 8, integer_primes, 3, false);
    const hb_batch a = toy_batch(&t, 2 * COUNT, 1, t.ids, GAP), r = toy_batch(&t, COUNT, 3, t.ids, GAP);
    for (int s = 0; s < 3; s++) {
        const hb_rounding rounding = {{scales[s], {0, 0}, true}, &refused, 5};
        for (size_t j = 0; j < COUNT * t.ring.n; j++) {
            const hb_dd z = random_dd(&random, (int)(slow_random(&random) % 28) + (s == 0 ? 95 : s == 2 ? 30 : 0));
            row(a, 2 * (j / t.ring.n))[j % t.ring.n] = z.high;
            row(a, 2 * (j / t.ring.n) + 1)[j % t.ring.n] = z.low;
        }
        refused = UINT64_MAX;
        assert_int_equal(hb_round_reals(t.engine, r, a, &rounding), HB_OK);
        assert_true(refused == UINT64_MAX);
        set_dd(scale, scales[s]);
        for (size_t j = 0; j < COUNT * t.ring.n; j++) {
            hb_wide_integer integer;
            const hb_dd z = wide(a, j / t.ring.n, j % t.ring.n);
            assert_true(hb_dd_round(hb_dd_multiply(z, scales[s]), &integer));
            mpz_set_ui(x, (uint64_t)(integer.magnitude >> 64));
            mpz_mul_2exp(x, x, 64);
            mpz_add_ui(x, x, (uint64_t)integer.magnitude);
            if (integer.negative) {
                mpz_neg(x, x);
            }
            set_dd(exact, z);
            mpfr_mul(exact, exact, scale, MPFR_RNDN);
            mpfr_sub_z(off, exact, x, MPFR_RNDN);
            assert_true(fabs(mpfr_get_d(off, MPFR_RNDN)) <= 0.5 + fabs(mpfr_get_d(exact, MPFR_RNDN)) * 0x1p-102);
            for (uint32_t l = 0; l < 3; l++) {
                assert_true(*toy_at(&t, r, j / t.ring.n, l, j % t.ring.n) == mpz_fdiv_ui(x, integer_primes[l]));
            }
        }
    }
    toy_assert_gaps(&t, r);
    mpz_clears(x, q, (mpz_ptr)NULL);
    mpfr_clears(exact, scale, off, (mpfr_ptr)NULL);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_refused_integers(void **state)
{
    (void)state;
    toy t;
    uint64_t refused;
    toy_open(&t, 8, integer_primes, 3, false);
    const hb_batch a = toy_batch(&t, 2 * COUNT, 1, t.ids, GAP), r = toy_batch(&t, COUNT, 3, t.ids, GAP);
    static const double bad[] = {0x1p125, -0x1p125, 0x1p200, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const hb_rounding rounding = {{{1, 0}, {0, 0}, true}, &refused, 7};
        refused = UINT64_MAX;
        for (size_t c = 0; c < 2 * COUNT; c++) {
            memset(row(a, c), 0, t.ring.n * sizeof(double));
        }
        row(a, 2)[9] = row(a, 2)[5] = bad[i];
        row(a, 0)[3] = 0x1.fffffffffffffp+124;
        assert_int_equal(hb_round_reals(t.engine, r, a, &rounding), HB_OK);
        assert_true(refused == (7 + 1) * t.ring.n + 5);
        assert_true(*toy_at(&t, r, 1, 0, 5) == 0 && *toy_at(&t, r, 0, 0, 3) != 0);
    }
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

/* Composed integers, of few bits to many, are the nearest double-doubles. */
static void test_composition(void **state)
{
    (void)state;
    static const uint64_t primes[3] = {(1ull << 61) - 1, (1ull << 60) - 93, (1ull << 60) - 107};
    static const hb_real_scale one = {{1, 0}, {1, 0}, true};
    toy t;
    hb_composition k;
    uint64_t random = 9;
    mpz_t x, q;
    mpfr_t y;
    mpz_inits(x, q, (mpz_ptr)NULL);
    mpfr_init2(y, PRECISION);
    toy_open(&t, 10, primes, 3, false);
    assert_int_equal(hb_composition_init(&k, &t.ring, t.ids, 3), HB_OK);
    const hb_batch a = toy_batch(&t, COUNT, 3, t.ids, GAP), r = toy_batch(&t, 2 * COUNT, 1, t.ids, GAP);
    crt_product(&t, a, 3, q);
    hb_dd *expected = calloc(COUNT * t.ring.n, sizeof *expected);
    for (size_t j = 0; j < COUNT * t.ring.n; j++) {
        crt_random(x, q, &random);
        mpz_fdiv_q_2exp(x, x, slow_random(&random) % 182);
        if (j % 4 == 0) { /* ties, of the high part or the low one */
            mpz_fdiv_q_2exp(x, x, 60);
            mpz_mul_2exp(x, x, 60);
            mpz_add_ui(x, x, slow_random(&random) % 3);
        }
        mpz_sub(x, q, x);
        if (j % 2 == 0) {
            mpz_sub(x, q, x);
            mpz_mod(x, x, q);
        }
        mpz_mod(x, x, q);
        crt_put(&t, a, j / t.ring.n, j % t.ring.n, x);
        mpz_mul_2exp(x, x, 1);
        const bool negative = mpz_cmp(x, q) > 0;
        mpz_fdiv_q_2exp(x, x, 1);
        if (negative) {
            mpz_sub(x, x, q);
        }
        mpfr_set_z(y, x, MPFR_RNDN);
        expected[j] = dd_of(y);
    }
    assert_int_equal(hb_compose_reals(t.engine, r, a, &k, &one), HB_OK);
    for (size_t j = 0; j < COUNT * t.ring.n; j++) {
        const hb_dd z = wide(r, j / t.ring.n, j % t.ring.n);
        if (z.high != expected[j].high || z.low != expected[j].low) {
            fail_msg("number %zu: %a + %a, not %a + %a", j, z.high, z.low, expected[j].high, expected[j].low);
        }
    }
    toy_assert_gaps(&t, r);
    free(expected);
    mpz_clears(x, q, (mpz_ptr)NULL);
    mpfr_clear(y);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

HB_UNIT(cpu_wide_real)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_arithmetic),       cmocka_unit_test(test_transforms),
                                       cmocka_unit_test(test_example),          cmocka_unit_test(test_integers),
                                       cmocka_unit_test(test_refused_integers), cmocka_unit_test(test_composition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
