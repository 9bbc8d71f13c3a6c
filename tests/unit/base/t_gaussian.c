/* Wide discrete Gaussians: each number as often as its probability says, where there are few of them, and moments and
 * quantiles where there are many. Seeds are fixed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/gaussian.h"
#include "unit/unit.h"

enum { COUNT = 1 << 20 };

/* The least k / sqrt(2 ln 2). */
static double drawn_sigma(double sigma)
{
    const double unit = 1 / sqrt(2 * log(2));
    return ceil(sigma / unit) * unit;
}

static int64_t *draw(double sigma, uint64_t item)
{
    static const hb_seed seed = {{4, 5, 6}};
    int64_t *numbers = calloc(COUNT, sizeof *numbers);
    assert_non_null(numbers);
    hb_wide_gaussian(numbers, COUNT, sigma, (hb_draw){&seed, HB_DRAW_FLOOD, item});
    return numbers;
}

/* Chi-square over every value within 4 sigma, the others in one class. */
static void test_frequencies(void **state)
{
    (void)state;
    const double asked[] = {1, 2.5, 9};
    for (size_t a = 0; a < sizeof asked / sizeof *asked; a++) {
        const double sigma = drawn_sigma(asked[a]);
        const int most = (int)(4 * sigma);
        double mass = 0, within = 0, chi = 0;
        for (int z = -400; z <= 400; z++) {
            mass += exp(-z * z / (2 * sigma * sigma));
        }
        int64_t *numbers = draw(asked[a], a);
        size_t *hits = calloc(2 * (size_t)most + 1, sizeof *hits);
        size_t outside = 0;
        assert_non_null(hits);
        for (size_t i = 0; i < COUNT; i++) {
            if (llabs(numbers[i]) <= most) {
                hits[numbers[i] + most]++;
            } else {
                outside++;
            }
        }
        for (int z = -most; z <= most; z++) {
            const double p = exp(-z * z / (2 * sigma * sigma)) / mass, want = p * COUNT;
            within += p;
            chi += ((double)hits[z + most] - want) * ((double)hits[z + most] - want) / want;
        }
        const double want = (1 - within) * COUNT;
        chi += ((double)outside - want) * ((double)outside - want) / want;
        const double freedom = 2 * most + 1; /* classes less one */
        assert_true(fabs(chi - freedom) < 5 * sqrt(2 * freedom));
        free(hits);
        free(numbers);
    }
}

static void test_wide(void **state)
{
    (void)state;
    const double asked[] = {1e6, 0x1p45, HB_WIDE_GAUSSIAN_MOST};
    for (size_t a = 0; a < sizeof asked / sizeof *asked; a++) {
        const double sigma = drawn_sigma(asked[a]), slack = 5 / sqrt(COUNT);
        int64_t *numbers = draw(asked[a], 100 + a);
        double moments[5] = {0};
        size_t quarter[4] = {0}, odd = 0;
        for (size_t i = 0; i < COUNT; i++) {
            const double x = (double)numbers[i] / sigma;
            assert_true(llabs(numbers[i]) < INT64_C(1) << 62);
            for (int m = 1; m < 5; m++) {
                moments[m] += pow(x, m) / COUNT;
            }
            quarter[(x > -0.67448975) + (x > 0) + (x > 0.67448975)]++;
            odd += numbers[i] & 1;
        }
        assert_true(fabs(moments[1]) < slack);
        assert_true(fabs(moments[2] - 1) < slack * sqrt(2));  /* E x^4 - 1 = 2, */
        assert_true(fabs(moments[3]) < slack * sqrt(15));     /* E x^6 = 15, */
        assert_true(fabs(moments[4] - 3) < slack * sqrt(96)); /* E x^8 - 9 = 96 */
        for (int q = 0; q < 4; q++) {
            assert_true(fabs((double)quarter[q] / COUNT - 0.25) < slack * sqrt(3.0 / 16));
        }
        assert_true(fabs((double)odd / COUNT - 0.5) < slack / 2);
        free(numbers);
    }
}

/* The same draw again, and another item. */
static void test_draws(void **state)
{
    (void)state;
    static const hb_seed seed = {{1}};
    int64_t a[1000], b[1000], c[1000];
    hb_wide_gaussian(a, 1000, 1e9, (hb_draw){&seed, HB_DRAW_FLOOD, 1});
    hb_wide_gaussian(b, 1000, 1e9, (hb_draw){&seed, HB_DRAW_FLOOD, 1});
    hb_wide_gaussian(c, 1000, 1e9, (hb_draw){&seed, HB_DRAW_FLOOD, 2});
    assert_memory_equal(a, b, sizeof a);
    size_t equal = 0;
    for (size_t i = 0; i < 1000; i++) {
        equal += a[i] == c[i];
    }
    assert_true(equal < 3);
    hb_wide_gaussian(c, 1, 1e9, (hb_draw){&seed, HB_DRAW_FLOOD, 1});
    assert_true(c[0] == a[0]);
}

HB_UNIT(gaussian)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_frequencies), cmocka_unit_test(test_wide),
                                       cmocka_unit_test(test_draws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
