/* Polynomials in the Chebyshev basis: values and their range against the recurrence, powers against long doubles. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <math.h>

#include "base/chebyshev.h"
#include "reference/slow.h"
#include "unit/unit.h"

enum { MOST = 200 };

static uint64_t state = 1;

static double draw(void)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)state / 0x1p63;
}

/* (p(x + h) - p(x - h)) / 2h, with the next term of the expansion in h taken away. */
static bool has_slope(const hb_chebyshev *p, double x, double value)
{
    const double h = 0x1p-16;
    double slope;
    const double same = hb_chebyshev_value_and_slope(p, x, &slope);
    const double near = (hb_chebyshev_value(p, x + h) - hb_chebyshev_value(p, x - h)) / (2 * h);
    const double far = (hb_chebyshev_value(p, x + 2 * h) - hb_chebyshev_value(p, x - 2 * h)) / (4 * h);
    return fabs(same - value) < 0x1p-36 && fabs(slope - (4 * near - far) / 3) < 0x1p-10 * (1 + hb_chebyshev_slope(p));
}

static void test_range(void **unused)
{
    (void)unused;
    double c[MOST + 1];
    for (uint32_t degree = 0; degree <= MOST; degree += 1 + degree / 5) {
        for (uint32_t k = 0; k <= degree; k++) {
            c[k] = draw();
        }
        const hb_chebyshev p = {degree, c};
        double low, high, least = HUGE_VAL, most = -HUGE_VAL, off_low, off_high;
        hb_chebyshev_range(&p, 0, &low, &high);
        hb_chebyshev_range(&p, 0x1p-30, &off_low, &off_high);
        for (int i = -20000; i <= 20000; i++) {
            const double x = i / 20000.0, value = hb_chebyshev_value(&p, x);
            assert_true(fabs(value - slow_chebyshev(p.coefficients, p.degree, x)) < 0x1p-36);
            assert_true(i % 100 != 0 || has_slope(&p, x, value));
            assert_true(fabs(hb_chebyshev_term(degree, x) - cos(degree * acos(x))) < 0x1p-36);
            least = fmin(least, value);
            most = fmax(most, value);
        }
        /* values are rounded, and bounds of short ones are nearer than that */
        assert_true(low <= least + 0x1p-40 && most <= high + 0x1p-40 && off_low <= low + 0x1p-24 &&
                    high <= off_high + 0x1p-24);
        assert_true(degree > 16 || high - low <= (most - least) * (1 + 0x1p-16) + 0x1p-30);
        assert_true(high - low <= (most - least) * 1.04 + 0x1p-20);
        assert_true(hb_chebyshev_value(&p, 1 + 0x1p-30) <= off_high && hb_chebyshev_value(&p, -1 - 0x1p-30) >= off_low);
    }
}

static void test_degrees(void **unused)
{
    (void)unused;
    double c[9] = {1, 0, 0, 0, 0, 0, 0, 0, 0};
    const hb_chebyshev p = {8, c};
    assert_int_equal(hb_chebyshev_levels(&p), 0);
    c[1] = 1;
    assert_int_equal(hb_chebyshev_levels(&p), 1);
    c[3] = 1;
    assert_int_equal(hb_chebyshev_degree(&p), 3);
    assert_int_equal(hb_chebyshev_levels(&p), 2);
    c[4] = 1;
    assert_int_equal(hb_chebyshev_levels(&p), 3);
    c[8] = -1;
    assert_int_equal(hb_chebyshev_levels(&p), 4);
}

/* T_k' is k^2 at 1, and nowhere larger: against differences of values. */
static void test_slope(void **unused)
{
    (void)unused;
    double c[MOST + 1] = {1};
    for (uint32_t k = 1; k <= MOST; k++) {
        c[k] = -1;
        assert_true(hb_chebyshev_slope(&(const hb_chebyshev){k, c}) == (double)k * k);
        c[k] = 0;
    }
    for (uint32_t k = 0; k <= 20; k++) {
        c[k] = draw();
    }
    const hb_chebyshev p = {20, c};
    for (int i = -1000; i < 1000; i++) {
        const double x = i / 1000.0, step = 0x1p-20;
        const double rise = slow_chebyshev(c, 20, x + step) - slow_chebyshev(c, 20, x);
        assert_true(fabs(rise) <= (hb_chebyshev_slope(&p) + 0x1p-20) * step);
    }
}

static void check_powers(uint32_t degree, double low, double high)
{
    double powers[MOST + 1];
    hb_chebyshev_conversion made;
    double largest = 0;
    for (uint32_t k = 0; k <= degree; k++) {
        powers[k] = draw() / pow(fmax(fabs(low), fabs(high)), k);
        largest += fabs(powers[k]) * pow(fmax(fabs(low), fabs(high)), k);
    }
    assert_int_equal(hb_chebyshev_from_powers(&made, powers, degree, low, high), HB_OK);
    assert_true(made.error < 0x1p-40 * largest);
    for (int i = -50; i <= 50; i++) {
        const long double u = i / 50.0L, x = ((long double)low + high) / 2 + ((long double)high - low) / 2 * u;
        long double value = 0, before = 1, last = u, sum = made.polynomial.coefficients[0];
        for (uint32_t k = degree + 1; k-- > 0;) {
            value = value * x + powers[k];
        }
        for (uint32_t k = 1; k <= degree; k++) {
            sum += made.polynomial.coefficients[k] * last;
            const long double next = 2 * u * last - before;
            before = last;
            last = next;
        }
        assert_true(fabsl(value - sum) <= made.error + 0x1p-55 * largest);
    }
    free(made.polynomial.coefficients);
}

static void test_powers(void **unused)
{
    (void)unused;
    static const double intervals[][2] = {{-1, 1}, {0, 1}, {-0.1, 3}, {-8, 8}, {100, 101}, {-1e-3, 2e-3}};
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        for (uint32_t degree = 0; degree <= 40; degree += 1 + degree / 4) {
            check_powers(degree, intervals[i][0], intervals[i][1]);
        }
    }
    /* The same on every machine, and right: (1 + u)^2 = 3/2 T_0 + 2 T_1 + 1/2 T_2. */
    hb_chebyshev_conversion made;
    assert_int_equal(hb_chebyshev_from_powers(&made, (const double[]){0, 0, 1}, 2, 0, 2), HB_OK);
    assert_true(made.polynomial.coefficients[0] == 1.5 && made.polynomial.coefficients[1] == 2 &&
                made.polynomial.coefficients[2] == 0.5);
    free(made.polynomial.coefficients);
    assert_int_equal(hb_chebyshev_from_powers(&made, (const double[]){0, 1e200, 1e300}, 2, 0, 1e200), HB_OK);
    assert_true(made.error == HUGE_VAL);
    free(made.polynomial.coefficients);
}

/* The largest polynomial of its degree beside [-1, 1] is T_d, which is (w^d + w^-d) / 2, |w| the sum of half axes. */
static void test_growth(void **unused)
{
    (void)unused;
    for (int i = 0; i < 4000; i++) {
        const uint32_t degree = 1 + (uint32_t)(fabs(draw()) * 63);
        const double x = i % 4 == 0 ? 1 : draw(), y = exp2(-30 * fabs(draw()));
        const double bound = hb_chebyshev_growth(x, y, degree);
        const double complex at = x + I * y;
        double complex before = 1, t = at;
        for (uint32_t k = 1; k < degree; k++) {
            const double complex next = 2 * at * t - before;
            before = t;
            t = next;
        }
        assert_true(cabs(t) <= bound && bound - 1 / bound <= 2 * cabs(t) + 0x1p-30 * bound);
    }
    assert_true(hb_chebyshev_growth(1, 0, 63) < 1 + 0x1p-40 && hb_chebyshev_growth(0.5, 0, 63) < 1 + 0x1p-40);
}

HB_UNIT(chebyshev)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_range), cmocka_unit_test(test_degrees),
                                       cmocka_unit_test(test_slope), cmocka_unit_test(test_powers),
                                       cmocka_unit_test(test_growth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
