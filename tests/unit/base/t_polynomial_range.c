/* Ranges of polynomials against their values at many points, and exactly where extrema are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/polynomial_range.h"
#include "unit/unit.h"

static uint64_t state = 1;

static double draw(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)state / 0x1p63;
}

static hb_bounds range_of(const double *c, uint32_t degree, double low, double high)
{
    hb_bounds b[HB_POLYNOMIAL_RANGE_DEGREE + 1];
    for (uint32_t k = 0; k <= degree; k++) {
        b[k] = (hb_bounds){c[k], c[k]};
    }
    return hb_polynomial_range(b, degree, (hb_bounds){low, high});
}

static void expect(hb_bounds found, double low, double high, double near)
{
    assert_true(found.low <= low && found.low >= low - near);
    assert_true(found.high >= high && found.high <= high + near);
}

/* Where nothing is rounded nothing is added. */
static void test_known(void **unused)
{
    (void)unused;
    static const double cubic[] = {0, 1.5, 0, -0.5}, parabola[] = {0, 1, -1}, seventh[] = {0, 0, 0, 0, 0, 0, 0, 1};
    expect(range_of(cubic, 3, -1, 1), -1, 1, 0);
    expect(range_of(cubic, 3, 0, 1), 0, 1, 0);
    expect(range_of(cubic, 3, -1.25, 1.25), -1, 1, 0x1p-36);
    expect(range_of(cubic, 3, 0.5, 0.5), 0.6875, 0.6875, 0);
    expect(range_of(parabola, 2, 0, 1), 0, 0.25, 0);
    expect(range_of(parabola, 2, 0, 3), -6, 0.25, 0x1p-36);
    expect(range_of(seventh, 7, -1, 2), -1, 128, 0);
    expect(range_of(parabola, 0, -5, 7), 0, 0, 0);
}

/* At rest: iterated, it does not grow. */
static void test_iterated(void **unused)
{
    (void)unused;
    static const double cubic[] = {0, 1.5, 0, -0.5};
    hb_bounds x = {-1 - 0x1p-30, 1 + 0x1p-30};
    for (int i = 0; i < 100; i++) {
        x = range_of(cubic, 3, x.low, x.high);
    }
    expect(x, -1, 1, 0x1p-36);
}

static void test_random(void **unused)
{
    (void)unused;
    double c[HB_POLYNOMIAL_RANGE_DEGREE + 1];
    for (uint32_t degree = 1; degree <= HB_POLYNOMIAL_RANGE_DEGREE; degree++) {
        for (int repeat = 0; repeat < 4; repeat++) {
            const double low = 2 * draw(), high = low + 1 + draw();
            double size = 0, least = HUGE_VAL, most = -HUGE_VAL;
            for (uint32_t k = 0; k <= degree; k++) {
                c[k] = draw();
                size += fabs(c[k]) * pow(fmax(fabs(low), fabs(high)), k);
            }
            for (int i = 0; i <= 20000; i++) {
                const double x = low + (high - low) * i / 20000;
                double value = 0;
                for (uint32_t k = degree + 1; k-- > 0;) {
                    value = value * x + c[k];
                }
                least = fmin(least, value);
                most = fmax(most, value);
            }
            const hb_bounds found = range_of(c, degree, low, high);
            assert_true(found.low <= least + size * 0x1p-48 && found.high >= most - size * 0x1p-48);
            /* 20000 points miss an extremum by the second derivative, and that is below degree^2 times the size. */
            const double missed = size * degree * degree * 0x1p-26;
            assert_true(found.low >= least - missed - size * 0x1p-30 && found.high <= most + missed + size * 0x1p-30);
        }
    }
}

/* Coefficients that are not known exactly, and values too large for doubles. */
static void test_uncertain(void **unused)
{
    (void)unused;
    const hb_bounds c[] = {{-0.5, 0.5}, {1, 1}}, huge[] = {{0, 0}, {0, 0}, {1e300, 1e300}};
    const hb_bounds found = hb_polynomial_range(c, 1, (hb_bounds){0, 1}),
                    none = hb_polynomial_range(huge, 2, (hb_bounds){-1e300, 1e300});
    expect(found, -0.5, 1.5, 0);
    assert_true(none.high == HUGE_VAL && none.low == -HUGE_VAL);
}

HB_UNIT(polynomial_range)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_known), cmocka_unit_test(test_iterated),
                                       cmocka_unit_test(test_random), cmocka_unit_test(test_uncertain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
