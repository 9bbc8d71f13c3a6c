/* The sampling rules word by word, and chi-square tests of the engine's draws. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <mpfr.h>

#include "base/sample.h"
#include "reference/toy.h"
#include "unit/unit.h"

static void test_thresholds(void **state)
{
    (void)state;
    enum { BITS = 300 };
    mpfr_t twice_variance, rho, cumulative[HB_GAUSSIAN_BOUND + 1];
    mpfr_init2(twice_variance, BITS);
    mpfr_init2(rho, BITS);
    mpfr_set_ui(twice_variance, 2 * 32 * 32, MPFR_RNDN); /* 2 * 3.2^2 */
    mpfr_div_ui(twice_variance, twice_variance, 100, MPFR_RNDN);
    for (int k = 0; k <= HB_GAUSSIAN_BOUND; k++) {
        mpfr_set_si(rho, -k * k, MPFR_RNDN);
        mpfr_div(rho, rho, twice_variance, MPFR_RNDN);
        mpfr_exp(rho, rho, MPFR_RNDN);
        mpfr_init2(cumulative[k], BITS);
        mpfr_mul_ui(cumulative[k], rho, k == 0 ? 1 : 2, MPFR_RNDN);
        if (k > 0) {
            mpfr_add(cumulative[k], cumulative[k], cumulative[k - 1], MPFR_RNDN);
        }
    }
    for (int k = 0; k < HB_GAUSSIAN_BOUND; k++) {
        mpfr_div(rho, cumulative[k], cumulative[HB_GAUSSIAN_BOUND], MPFR_RNDN);
        mpfr_mul_2ui(rho, rho, 63, MPFR_RNDN);
        mpfr_rint(rho, rho, MPFR_RNDN);
        assert_true(mpfr_get_ui(rho, MPFR_RNDN) == hb_gaussian_thresholds[k]);
    }
    for (int k = 0; k <= HB_GAUSSIAN_BOUND; k++) {
        mpfr_clear(cumulative[k]);
    }
    mpfr_clears(twice_variance, rho, (mpfr_ptr)NULL);
    mpfr_free_cache();
}

/* The rules of base/sample.h with branches. */
static int slow_ternary(uint64_t w)
{
    return (int)(((slow_wide)3 * w) >> 64) - 1;
}

static int slow_gaussian(uint64_t w)
{
    uint64_t low = w & ~(UINT64_C(1) << 63);
    int magnitude = 0;
    while (magnitude < HB_GAUSSIAN_BOUND && low >= hb_gaussian_thresholds[magnitude]) {
        magnitude++;
    }
    return w >> 63 ? -magnitude : magnitude;
}

static int slow_binomial(uint64_t w)
{
    int x = 0;
    for (int i = 0; i < 21; i++) {
        x += (int)(w >> i & 1) - (int)(w >> (21 + i) & 1);
    }
    return x;
}

static void assert_rules(uint64_t w)
{
    assert_int_equal(hb_sample_ternary(w), slow_ternary(w));
    assert_int_equal(hb_sample_gaussian(w, hb_gaussian_thresholds), slow_gaussian(w));
    assert_int_equal(hb_sample_binomial(w), slow_binomial(w));
    assert_int_equal(hb_accepts(hb_accept_ternary(), w), w != 0);
}

static void test_rules(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (int i = 0; i < 200000; i++) {
        assert_rules(slow_random(&random));
    }
    const uint64_t third = UINT64_MAX / 3; /* 3 third = 2^64 - 1: the last word of -1 */
    const uint64_t edges[] = {0,          UINT32_MAX, third,      2 * third,        UINT64_MAX,
                              1ull << 63, 1ull << 21, 1ull << 42, (1ull << 21) - 1, ((1ull << 21) - 1) << 21};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        for (uint64_t d = 0; d < 5; d++) {
            assert_rules(edges[i] + d - 2);
        }
    }
    for (int k = 0; k < HB_GAUSSIAN_BOUND; k++) {
        for (uint64_t d = 0; d < 3; d++) {
            assert_rules(hb_gaussian_thresholds[k] + d - 1);
            assert_rules((hb_gaussian_thresholds[k] + d - 1) | 1ull << 63);
        }
    }
    assert_true(hb_residue_of_small(-21, 97) == 76 && hb_residue_of_small(0, 97) == 0 &&
                hb_residue_of_small(21, 97) == 21);
}

/* P(chi-square of k degrees of freedom > this) is about 10^-6 (Wilson and Hilferty; 4.753 is that normal quantile). */
static double chi_square_limit(double k)
{
    return k * pow(1 - 2 / (9 * k) + 4.753 * sqrt(2 / (9 * k)), 3);
}

/* Cells with fewer than 10 expected draws are merged into one. */
static void assert_fits(const double *probability, const size_t *seen, size_t cells, size_t draws)
{
    double sum = 0, degrees = -1, rare_expected = 0, rare_seen = 0;
    for (size_t i = 0; i < cells; i++) {
        double expected = probability[i] * (double)draws, difference = (double)seen[i] - expected;
        if (expected < 10) {
            rare_expected += expected;
            rare_seen += (double)seen[i];
        } else {
            sum += difference * difference / expected;
            degrees++;
        }
    }
    if (rare_expected >= 10) {
        sum += (rare_seen - rare_expected) * (rare_seen - rare_expected) / rare_expected;
        degrees++;
    } else {
        assert_true(rare_seen <= 40); /* P(Poisson(10) > 40) < 10^-11 */
    }
    assert_true(sum < chi_square_limit(degrees));
}

enum { LOG_N = 17, POLYNOMIALS = 77, BOUND = 21, CELLS = 2 * BOUND + 1 }; /* 77 * 2^17 > 10^7 draws */

static void assert_distribution(hb_distribution distribution, const double *probability)
{
    const uint64_t moduli[] = {(1ull << 43) - 57, 1009};
    toy t;
    toy_open(&t, LOG_N, moduli, 2, false);
    hb_batch r = toy_batch(&t, 1, 2, t.ids, 0);
    const hb_seed seed = {{1, 2, 3}};
    size_t seen[CELLS] = {0};
    for (uint64_t i = 0; i < POLYNOMIALS; i++) {
        hb_draw draw = {.seed = &seed, .purpose = HB_DRAW_ERROR_0, .item = i};
        assert_int_equal(hb_sample_small(t.engine, r, distribution, draw), HB_OK);
        for (size_t j = 0; j < t.ring.n; j++) {
            uint64_t x = (*toy_at(&t, r, 0, 1, j) + BOUND) % moduli[1];
            assert_true(x < CELLS);
            seen[x]++;
        }
    }
    assert_fits(probability, seen, CELLS, POLYNOMIALS * t.ring.n);
    toy_free(r);
    toy_close(&t);
}

static void test_ternary_distribution(void **state)
{
    (void)state;
    const double probability[CELLS] = {[BOUND - 1] = 1.0 / 3, [BOUND] = 1.0 / 3, [BOUND + 1] = 1.0 / 3};
    assert_distribution(HB_TERNARY, probability);
}

static void test_gaussian_distribution(void **state)
{
    (void)state;
    double probability[CELLS] = {0}, sum = 0;
    for (int x = -HB_GAUSSIAN_BOUND; x <= HB_GAUSSIAN_BOUND; x++) {
        probability[x + BOUND] = exp(-x * x / (2 * 3.2 * 3.2));
        sum += probability[x + BOUND];
    }
    for (int i = 0; i < CELLS; i++) {
        probability[i] /= sum;
    }
    assert_distribution(HB_GAUSSIAN, probability);
}

/* P(x) = C(42, 21 + x) / 2^42: the sum of 42 fair bits, shifted. */
static void test_binomial_distribution(void **state)
{
    (void)state;
    double probability[CELLS] = {ldexp(1, -42)};
    for (int i = 1; i < CELLS; i++) {
        probability[i] = probability[i - 1] * (CELLS - i) / i;
    }
    assert_distribution(HB_BINOMIAL, probability);
}

/* All residues of a small modulus, and the top bits of a large one that rejects almost half of the words. */
static void test_uniform_distribution(void **state)
{
    (void)state;
    enum { SMALL = 257, BINS = 64 };
    const uint64_t moduli[] = {SMALL, (1ull << 60) + 33};
    toy t;
    toy_open(&t, LOG_N, moduli, 2, false);
    hb_batch r = toy_batch(&t, 1, 2, t.ids, 0);
    size_t small[SMALL] = {0}, top[BINS] = {0};
    for (uint8_t i = 0; i < POLYNOMIALS; i++) {
        const hb_seed seed = {{9, i}};
        assert_int_equal(hb_sample_uniform(t.engine, r, &seed), HB_OK);
        for (size_t j = 0; j < t.ring.n; j++) {
            assert_true(*toy_at(&t, r, 0, 0, j) < moduli[0] && *toy_at(&t, r, 0, 1, j) < moduli[1]);
            small[*toy_at(&t, r, 0, 0, j)]++;
            top[(size_t)((slow_wide)*toy_at(&t, r, 0, 1, j) * BINS / moduli[1])]++;
        }
    }
    double probability[SMALL];
    for (int i = 0; i < SMALL; i++) {
        probability[i] = 1.0 / SMALL;
    }
    assert_fits(probability, small, SMALL, POLYNOMIALS * t.ring.n);
    for (int i = 0; i < BINS; i++) {
        probability[i] = 1.0 / BINS;
    }
    assert_fits(probability, top, BINS, POLYNOMIALS * t.ring.n);
    toy_free(r);
    toy_close(&t);
}

HB_UNIT(sample)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_ternary_distribution),
        cmocka_unit_test(test_gaussian_distribution),
        cmocka_unit_test(test_binomial_distribution),
        cmocka_unit_test(test_uniform_distribution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
