/* Slots, coefficients and residues: against the plainest stages, the definition, GMP and MPFR. */
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

enum { COUNT = 3, GAP = 2 };

static const uint64_t some_prime = (1ull << 50) - 27;

static double *row(hb_batch a, size_t c)
{
    return (double *)(void *)(a.data + c * a.stride);
}

static void fill_reals(const toy *t, hb_batch a, uint64_t *random)
{
    for (size_t c = 0; c < a.count; c++) {
        for (size_t j = 0; j < t->ring.n; j++) {
            const double x = slots_random(random);
            *toy_at(t, a, c, 0, j) = hb_real_word(x);
        }
    }
}

/* Both ways at every size, bit by bit; operands stay unchanged. */
static void test_transforms(void **state)
{
    (void)state;
    for (uint32_t log_n = 1; log_n <= 11; log_n++) {
        toy t;
        toy_open(&t, log_n, &some_prime, 1, false);
        const uint32_t n = (uint32_t)t.ring.n / 2;
        hb_roots roots;
        hb_slot_tables tables;
        double *table = malloc(2 * 4 * n * sizeof *table), *expected = malloc(2 * n * sizeof *expected);
        uint64_t random = log_n;
        assert_int_equal(hb_roots_init(&roots, log_n + 1), HB_OK);
        assert_int_equal(hb_slot_tables_init(&tables, t.engine, 5, false), HB_OK);
        for (uint32_t k = 0; k < 4 * n; k++) {
            table[k] = hb_root(&roots, k).re;
            table[4 * n + k] = hb_root(&roots, k).im;
        }
        const slots_roots s = {table, table + 4 * n, 4 * n};
        const hb_batch a = toy_batch(&t, COUNT, 1, t.ids, GAP), r = toy_batch(&t, COUNT, 1, t.ids, GAP);
        fill_reals(&t, a, &random);
        const hb_batch kept = toy_copy(&t, a);
        assert_int_equal(hb_slots_to_coefficients(t.engine, r, a, &tables), HB_OK);
        assert_memory_equal(a.data, kept.data, COUNT * a.stride * sizeof *a.data);
        for (size_t c = 0; c < COUNT; c++) {
            memcpy(expected, row(a, c), 2 * n * sizeof *expected);
            slots_inverse(expected, expected + n, n, &s);
            assert_memory_equal(row(r, c), expected, 2 * n * sizeof *expected);
        }
        assert_int_equal(hb_coefficients_to_slots(t.engine, a, r, &tables), HB_OK);
        for (size_t c = 0; c < COUNT; c++) {
            memcpy(expected, row(kept, c), 2 * n * sizeof *expected);
            slots_inverse(expected, expected + n, n, &s);
            slots_forward(expected, expected + n, n, &s);
            assert_memory_equal(row(a, c), expected, 2 * n * sizeof *expected);
            for (uint32_t j = 0; j < 2 * n; j++) {
                assert_true(fabs(expected[j] - row(kept, c)[j]) < 0x1p-48);
            }
        }
        toy_assert_gaps(&t, a);
        toy_assert_gaps(&t, r);
        hb_slot_tables_clear(&tables, t.engine);
        hb_roots_clear(&roots);
        free(table);
        free(expected);
        toy_free(a);
        toy_free(r);
        toy_free(kept);
        toy_close(&t);
    }
}

/* Slot j is the value at zeta^(5^j), or zeta^(3^j); and back. */
static void check_definition(uint32_t log_n, uint32_t generator)
{
    toy t;
    toy_open(&t, log_n, &some_prime, 1, false);
    const uint32_t n = (uint32_t)t.ring.n / 2;
    uint64_t random = 5;
    hb_slot_tables tables;
    double coefficients[128];
    assert_int_equal(hb_slot_tables_init(&tables, t.engine, generator, false), HB_OK);
    const hb_batch a = toy_batch(&t, 1, 1, t.ids, 0), r = toy_batch(&t, 1, 1, t.ids, 0);
    fill_reals(&t, a, &random);
    memcpy(coefficients, a.data, 2 * n * sizeof *coefficients);
    assert_int_equal(hb_coefficients_to_slots(t.engine, r, a, &tables), HB_OK);
    for (uint32_t j = 0; j < n; j++) {
        double re, im;
        slots_value(coefficients, n, generator, j, &re, &im);
        assert_true(fabs(row(r, 0)[j] - re) < 0x1p-45 && fabs(row(r, 0)[n + j] - im) < 0x1p-45);
    }
    assert_int_equal(hb_slots_to_coefficients(t.engine, a, r, &tables), HB_OK);
    for (uint32_t j = 0; j < 2 * n; j++) {
        assert_true(fabs(row(a, 0)[j] - coefficients[j]) < 0x1p-48);
    }
    hb_slot_tables_clear(&tables, t.engine);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_definition(void **state)
{
    (void)state;
    for (uint32_t log_n = 1; log_n <= 7; log_n++) {
        check_definition(log_n, 5);
        check_definition(log_n, 3);
    }
}

/* The example of semantics.md 9.7, bit by bit. */
static void test_example(void **state)
{
    (void)state;
    static const double slots[8] = {1, 2, 3, 4};
    static const double coefficients[8] = {
        0x1.4p+1, -0x1.1517a7bdb3894p-2, -0x1.6a09e667f3bcdp-2, -0x1.4e7ae9144f0fcp-1,
        0,        0x1.4e7ae9144f0fcp-1,  0x1.6a09e667f3bcdp-2,  0x1.1517a7bdb3896p-2};
    static const double integers[8] = {2621440, -283743, -370728, -685015, 0, 685015, 370728, 283743};
    static const double decoded[8] = {0x1.ffffde706234ap-1,
                                      0x1.00000b0a15ac4p+1,
                                      0x1.7fffff5767c4cp+1,
                                      0x1.fffffe026a01ep+1,
                                      -0x1p-54,
                                      0,
                                      0x1p-54,
                                      0};
    toy t;
    hb_slot_tables tables;
    toy_open(&t, 3, &some_prime, 1, false);
    uint64_t *refused = malloc(sizeof *refused);
    const hb_rounding rounding = {hb_real_scale_of(0x1p20), refused, 0};
    const hb_batch a = toy_batch(&t, 1, 1, t.ids, 0), r = toy_batch(&t, 1, 1, t.ids, 0);
    assert_int_equal(hb_slot_tables_init(&tables, t.engine, 5, false), HB_OK);
    memcpy(a.data, slots, sizeof slots);
    assert_int_equal(hb_slots_to_coefficients(t.engine, r, a, &tables), HB_OK);
    assert_memory_equal(r.data, coefficients, sizeof coefficients);
    assert_int_equal(hb_round_reals(t.engine, a, r, &rounding), HB_OK);
    for (size_t j = 0; j < 8; j++) {
        const int64_t x = (int64_t)integers[j];
        assert_true(a.data[j] == (uint64_t)(x < 0 ? x + (int64_t)some_prime : x));
        row(r, 0)[j] = integers[j] / 0x1p20;
    }
    assert_int_equal(hb_coefficients_to_slots(t.engine, a, r, &tables), HB_OK);
    assert_memory_equal(a.data, decoded, sizeof decoded);
    hb_slot_tables_clear(&tables, t.engine);
    free(refused);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

/* Moduli of both paths, the least of FP64 among them. */
static const uint64_t moduli[] = {(1ull << 50) - 27,  (1ull << 61) - 1, 2053, 97, (1ull << 40) - 87, 2,
                                  (1ull << 51) - 129, (1ull << 30) - 35};
enum { MODULI = sizeof moduli / sizeof *moduli };

/* Coefficients: ties, borders of 2^51, 2^52, 2^53 and 2^62, small and large ones. */
static double coefficient(uint64_t *random)
{
    static const double borders[] = {0x1p51, 0x1p52, 0x1p53, 0x1.fffffffffffffp61, 0.5, 1, 0x1p60, 0};
    const uint64_t w = slow_random(random);
    const double sign = w & 1 ? -1 : 1;
    if ((w >> 1) % 4 == 0) {
        return sign * borders[(w >> 3) % 8];
    }
    if ((w >> 1) % 4 == 1) {
        return sign * ((double)(slow_random(random) >> 14) + 0.5); /* ties */
    }
    return sign * ldexp(1 + fabs(slots_random(random)) / 2, (int)((w >> 3) % 62) - 1);
}

static void check_rounding(bool integer)
{
    toy t;
    toy_open(&t, 6, moduli, MODULI, integer);
    uint64_t random = 9, *refused = malloc(sizeof *refused);
    const hb_batch a = toy_batch(&t, COUNT, 1, t.ids, GAP), r = toy_batch(&t, COUNT, MODULI, t.ids, GAP);
    const double scales[] = {1, 0x1.123456789abcdp40, 0x1p-3};
    mpz_t x;
    mpz_init(x);
    for (size_t s = 0; s < 3; s++) {
        for (size_t c = 0; c < COUNT; c++) {
            for (size_t j = 0; j < t.ring.n; j++) {
                *toy_at(&t, a, c, 0, j) = hb_real_word(coefficient(&random) / scales[s]);
            }
        }
        *refused = UINT64_MAX;
        const hb_rounding rounding = {hb_real_scale_of(scales[s]), refused, 0};
        assert_int_equal(hb_round_reals(t.engine, r, a, &rounding), HB_OK);
        assert_true(*refused == UINT64_MAX);
        toy_assert_gaps(&t, r);
        for (size_t i = 0; i < COUNT * t.ring.n; i++) {
            const size_t c = i / t.ring.n, j = i % t.ring.n;
            mpfr_t y;
            mpfr_init2(y, 53);
            mpfr_set_d(y, row(a, c)[j], MPFR_RNDN);
            mpfr_mul_d(y, y, scales[s], MPFR_RNDN);
            mpfr_get_z(x, y, MPFR_RNDN);
            mpfr_clear(y);
            for (uint32_t l = 0; l < MODULI; l++) {
                assert_true(*toy_at(&t, r, c, l, j) == mpz_fdiv_ui(x, moduli[l]));
            }
        }
    }
    mpz_clear(x);
    free(refused);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

static void test_rounding(void **state)
{
    (void)state;
    check_rounding(false);
    check_rounding(true);
}

/* A real whose nearest integer is 2^62 or more becomes 0, and the first of these is named. */
static void test_refusal(void **state)
{
    (void)state;
    static const double bad[] = {0x1p62, -0x1p62, INFINITY, -INFINITY, NAN, 0x1p1023};
    toy t;
    toy_open(&t, 4, moduli, 2, false);
    uint64_t *refused = malloc(sizeof *refused);
    const hb_batch a = toy_batch(&t, COUNT, 1, t.ids, 0), r = toy_batch(&t, COUNT, 2, t.ids, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (size_t j = 0; j < COUNT * t.ring.n; j++) {
            row(a, 0)[j] = 3;
        }
        row(a, 1)[5] = row(a, 1)[9] = row(a, 2)[0] = bad[i] / 2;
        hb_rounding rounding = {hb_real_scale_of(2), refused, 7};
        *refused = UINT64_MAX;
        assert_int_equal(hb_round_reals(t.engine, r, a, &rounding), HB_OK);
        assert_true(*refused == (7 + 1) * t.ring.n + 5);
        for (uint32_t l = 0; l < 2; l++) {
            assert_true(*toy_at(&t, r, 1, l, 5) == 0 && *toy_at(&t, r, 1, l, 4) == 6);
        }
        rounding.first = 10; /* the least stays */
        assert_int_equal(hb_round_reals(t.engine, r, a, &rounding), HB_OK);
        assert_true(*refused == (7 + 1) * t.ring.n + 5);
    }
    free(refused);
    toy_free(a);
    toy_free(r);
    toy_close(&t);
}

/* Draws an integer below q, now and then near a tie between doubles. */
static void draw_integer(mpz_t x, const mpz_t q, uint64_t *random)
{
    crt_random(x, q, random);
    if (slow_random(random) % 4 == 0) {
        mpz_fdiv_q_2exp(x, x, 55 + slow_random(random) % 8);
        mpz_mul_2exp(x, x, slow_random(random) % 70);
        mpz_add_ui(x, x, slow_random(random) % 2);
        mpz_mod(x, x, q);
    }
}

/* The double nearest to x mod q, at most half of q in magnitude, at this scale; y is workspace. */
static double nearest_of(const mpz_t x, const mpz_t q, double scale, mpfr_t y)
{
    mpz_t centred;
    mpz_init_set(centred, x);
    mpz_mul_2exp(centred, centred, 1);
    const bool negative = mpz_cmp(centred, q) > 0;
    mpz_set(centred, x);
    if (negative) {
        mpz_sub(centred, centred, q);
    }
    mpfr_set_z(y, centred, MPFR_RNDN);
    mpfr_div_d(y, y, scale, MPFR_RNDN);
    mpz_clear(centred);
    return mpfr_get_d(y, MPFR_RNDN);
}

/* Integers of one limb up to as many as are composed, against MPFR. */
static void test_composition(void **state)
{
    (void)state;
    static const struct {
        uint32_t limbs, used;
        uint64_t moduli[12];
    } chains[] = {
        {1, 1, {97}},
        {1, 1, {(1ull << 61) - 1}},
        {2, 2, {(1ull << 50) - 27, (1ull << 40) - 87}},
        {4, 4, {(1ull << 50) - 27, (1ull << 36) - 5, (1ull << 38) - 45, 97}},
        {5, 3, {(1ull << 61) - 1, (1ull << 60) - 93, (1ull << 60) - 107, (1ull << 50) - 27, 97}},
        {12, 12, {2053, 2063, 2069, 2081, 2083, 2087, 2089, 2099, 2111, 2113, 2129, 97}},
    };
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        toy t;
        hb_composition k;
        mpz_t x, q;
        mpfr_t y;
        uint64_t random = i + 1;
        toy_open(&t, 8, chains[i].moduli, chains[i].limbs, false);
        assert_int_equal(hb_composition_init(&k, &t.ring, t.ids, chains[i].limbs), HB_OK);
        assert_int_equal(k.limbs, chains[i].used);
        const hb_batch a = toy_batch(&t, COUNT, k.limbs, t.ids, GAP), r = toy_batch(&t, COUNT, 1, t.ids, GAP);
        const hb_real_scale scale = hb_real_scale_of(0x1.3p41);
        mpz_inits(x, q, (mpz_ptr)NULL);
        mpfr_init2(y, 53);
        crt_product(&t, a, k.limbs, q);
        double *expected = malloc(COUNT * t.ring.n * sizeof *expected);
        for (size_t j = 0; j < COUNT * t.ring.n; j++) {
            draw_integer(x, q, &random);
            crt_put(&t, a, j / t.ring.n, j % t.ring.n, x);
            expected[j] = nearest_of(x, q, 0x1.3p41, y);
        }
        assert_int_equal(hb_compose_reals(t.engine, r, a, &k, &scale), HB_OK);
        for (size_t j = 0; j < COUNT * t.ring.n; j++) {
            if (row(r, j / t.ring.n)[j % t.ring.n] != expected[j]) {
                fail_msg("chain %zu, number %zu: %a, not %a", i, j, row(r, j / t.ring.n)[j % t.ring.n], expected[j]);
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
}

/* Primes that are too small for so many bits. */
static void test_no_composition(void **state)
{
    (void)state;
    uint64_t small[20];
    uint16_t ids[20];
    hb_composition k;
    toy t;
    for (uint32_t i = 0; i < 20; i++) {
        small[i] = 101 + 2 * i;
        ids[i] = (uint16_t)i;
    }
    toy_open(&t, 4, small, 20, false);
    assert_int_equal(hb_composition_init(&k, &t.ring, ids, 20), HB_ECONFIG);
    assert_int_equal(k.limbs, 0);
    toy_close(&t);
}

HB_UNIT(cpu_real)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transforms),     cmocka_unit_test(test_definition), cmocka_unit_test(test_example),
        cmocka_unit_test(test_rounding),       cmocka_unit_test(test_refusal),    cmocka_unit_test(test_composition),
        cmocka_unit_test(test_no_composition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
