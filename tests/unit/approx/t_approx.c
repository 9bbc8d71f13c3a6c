/* Smooth functions as polynomials: against MPFR at 256 bits, against minimax errors that are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "approx/approx.h"
#include "reference/mpfr_functions.h"
#include "unit/unit.h"

enum { POINTS = 400 };

/* The largest error seen at points which lie densest near the ends. */
static double measured(hb_function f, const hb_approximation *a)
{
    double worst = 0;
    mpfr_t x, u, y, p;
    mpfr_inits2(MPFR_TEST_BITS, x, u, y, p, (mpfr_ptr)NULL);
    for (int i = 0; i <= POINTS; i++) {
        mpfr_const_pi(u, MPFR_RNDN);
        mpfr_mul_si(u, u, i, MPFR_RNDN);
        mpfr_div_si(u, u, POINTS, MPFR_RNDN);
        mpfr_cos(u, u, MPFR_RNDN);
        mpfr_set_d(x, a->high, MPFR_RNDN);
        mpfr_sub_d(x, x, a->low, MPFR_RNDN);
        mpfr_mul(x, x, u, MPFR_RNDN);
        mpfr_add_d(x, x, a->low, MPFR_RNDN);
        mpfr_add_d(x, x, a->high, MPFR_RNDN);
        mpfr_div_2ui(x, x, 1, MPFR_RNDN);
        mpfr_test_value(f, y, x);
        mpfr_test_chebyshev(p, &a->stage[0], u);
        mpfr_sub(y, y, p, MPFR_RNDN);
        worst = fmax(worst, fabs(mpfr_get_d(y, MPFR_RNDA)));
    }
    mpfr_clears(x, u, y, p, (mpfr_ptr)NULL);
    return worst;
}

static uint32_t degree_for(hb_function f, double low, double high, double bits)
{
    hb_approximation a;
    const hb_approximation_request request = {.function = f, .low = low, .high = high, .bits = bits};
    assert_int_equal(hb_approximate(&a, &request), HB_OK);
    assert_true(a.stages == 1 && a.error <= exp2(-bits) && a.margin[0] == 0);
    const uint32_t degree = a.stage[0].degree;
    hb_approximation_clear(&a);
    return degree;
}

static const struct {
    hb_function function;
    double low, high;
} intervals[] = {
    {HB_SIGMOID, -8, 8},   {HB_SIGMOID, 10, 31}, {HB_TANH, -3, 3.5},  {HB_TANH, -0.001, 0.002}, {HB_EXP, -6, 2},
    {HB_LOG, 0.0625, 10},  {HB_LOG, 0.9, 1.2},   {HB_INV, 0.125, 8},  {HB_INV, -7, -0.5},       {HB_SQRT, 0.001, 1},
    {HB_SQRT, 100, 10000}, {HB_ERF, -4, 4},      {HB_GELU, -6, 6},    {HB_GELU, -1.5, 0.25},    {HB_SILU, -8, 8},
    {HB_SILU, -20, 3},     {HB_RSQRT, 0.25, 4},  {HB_RSQRT, 0.01, 1},
};

static void errors_are_never_above_those_stated(void **state)
{
    (void)state;
    static const double bits[] = {3, 8, 16, 24, 32};
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i++) {
        uint32_t degree = 0;
        for (size_t b = 0; b < sizeof bits / sizeof *bits; b++) {
            hb_approximation a;
            const hb_approximation_request request = {intervals[i].function, intervals[i].low, intervals[i].high,
                                                      bits[b], 0};
            assert_int_equal(hb_approximate(&a, &request), HB_OK);
            const double seen = measured(request.function, &a);
            assert_true(seen <= a.error && a.error <= exp2(-bits[b]));
            assert_true(seen >= 0.95 * a.error); /* nor is it a bound far above */
            assert_true(a.low == request.low && a.high == request.high && a.stages == 1);
            assert_true(a.stage[0].degree >= degree && a.stage[0].coefficients[a.stage[0].degree] != 0);
            degree = a.stage[0].degree;
            hb_approximation_clear(&a);
            assert_null(a.stage);
        }
    }
}

/* The least errors of e^x on [-1, 1], by degree: Remez's exchange at 40 digits. */
static void degrees_of_exp_are_least(void **state)
{
    (void)state;
    static const double least[] = {0, 0.278801585795502, 0.0450173884028190, 0.00552837010868759, 0.000546667600513798};
    for (uint32_t d = 1; d < sizeof least / sizeof *least; d++) {
        assert_int_equal(degree_for(HB_EXP, -1, 1, -log2(least[d] * 1.01)), d);
        assert_true(degree_for(HB_EXP, -1, 1, -log2(least[d] / 1.0001)) > d);
    }
}

/* The least error of 1 / x = 1 / (half (u + a)) is (a - sqrt(a^2 - 1))^d / (half (a^2 - 1)) (P. Chebyshev). */
static void degrees_of_inv_are_least(void **state)
{
    (void)state;
    static const double ends[][2] = {{1, 2}, {0.25, 4}, {0.01, 1}, {0.001, 1}, {-5, -0.5}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const double half = (ends[i][1] - ends[i][0]) / 2, a = fabs(ends[i][1] + ends[i][0]) / 2 / half;
        for (double bits = -3; bits <= 27; bits += 7.5) {
            double degree = log2(half * (a * a - 1)) - bits; /* log2 of (a - sqrt)^d */
            degree /= log2(a - sqrt(a * a - 1));
            const double room = log2(1.015) / -log2(a - sqrt(a * a - 1)); /* the loss by proofs */
            const uint32_t found = degree_for(HB_INV, ends[i][0], ends[i][1], bits);
            assert_true(found >= fmax(1, ceil(degree - 1e-6)) && found <= fmax(1, ceil(degree + room)));
        }
    }
}

static void more_bits_never_take_a_smaller_degree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof intervals / sizeof *intervals; i += 2) {
        uint32_t degree = 0;
        for (double bits = 1; bits <= 30; bits += 2.9) {
            const uint32_t next = degree_for(intervals[i].function, intervals[i].low, intervals[i].high, bits);
            assert_true(next >= degree);
            degree = next;
        }
    }
}

/* On symmetric intervals: sigmoid - 1/2, tanh and erf are odd, gelu - x/2 and silu - x/2 even. */
static void coefficients_that_parity_makes_0_are_0(void **state)
{
    (void)state;
    static const hb_function odd[] = {HB_SIGMOID, HB_TANH, HB_ERF}, even[] = {HB_GELU, HB_SILU};
    for (size_t i = 0; i < 5; i++) {
        hb_approximation a;
        const hb_approximation_request request = {i < 3 ? odd[i] : even[i - 3], -5, 5, 20, 0};
        assert_int_equal(hb_approximate(&a, &request), HB_OK);
        assert_int_equal(a.stage[0].degree % 2, i < 3 ? 1 : 0);
        for (uint32_t k = 2; k <= a.stage[0].degree; k++) {
            assert_true((a.stage[0].coefficients[k] == 0) == (k % 2 == (i < 3 ? 0 : 1)));
        }
        hb_approximation_clear(&a);
    }
}

/* Long ones: at the largest degrees of a depth. */
static void wide_intervals_take_long_polynomials(void **state)
{
    (void)state;
    static const struct {
        hb_function function;
        double low, high, bits;
    } wide[] = {{HB_SIGMOID, -150, 150, 16}, {HB_INV, 0.0005, 1, 4}, {HB_TANH, -100, 90, 20}};
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        hb_approximation a;
        const hb_approximation_request request = {wide[i].function, wide[i].low, wide[i].high, wide[i].bits, 0};
        assert_int_equal(hb_approximate(&a, &request), HB_OK);
        assert_true(a.stage[0].degree > 127 && hb_approximation_depth(&a) >= 8 && hb_approximation_depth(&a) <= 10);
        assert_true(measured(request.function, &a) <= a.error && a.error <= exp2(-request.bits));
        hb_approximation_clear(&a);
    }
}

/* Near 0 it is analytic nowhere. E_2d(|s|) is 0.2801694990.. / 2d, nearly (S. Bernstein; Varga and Carpenter 1985). */
static void sqrt_from_0_takes_bernsteins_degrees(void **state)
{
    (void)state;
    static const double ends[] = {1, 144, 1e-4};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        for (double bits = 3; bits <= 11; bits += 2) {
            hb_approximation a;
            /* The third one begins too near 0 for an expansion. */
            const double low = i == 2 ? 1e-10 * ends[i] : 0;
            const hb_approximation_request request = {HB_SQRT, low, ends[i], bits - log2(sqrt(ends[i])), 0};
            assert_int_equal(hb_approximate(&a, &request), HB_OK);
            const double seen = measured(HB_SQRT, &a), degree = 0.28016949902386913 / 2 * exp2(bits);
            assert_true(seen <= a.error && seen >= 0.95 * a.error && a.error <= exp2(-request.bits));
            assert_true(a.stage[0].degree >= floor(degree) && a.stage[0].degree <= ceil(1.01 * degree));
            hb_approximation_clear(&a);
        }
    }
}

static void refused(hb_approximation_request request, hb_status with, const char *words)
{
    hb_approximation a;
    assert_int_equal(hb_approximate(&a, &request), with);
    assert_non_null(strstr(hb_last_error()->text, words));
    assert_true(a.stage == NULL && a.margin == NULL && a.stages == 0);
    hb_approximation_clear(&a);
}

static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    refused((hb_approximation_request){HB_INV, 0x1p-10, 0x1p10, 16, 0}, HB_ECONFIG,
            "no polynomial of degree up to 1023");
    refused((hb_approximation_request){HB_SIGMOID, -5000, 5000, 16, 0}, HB_ECONFIG, "one does on");
    refused((hb_approximation_request){HB_EXP, 0, 60, 16, 0}, HB_ECONFIG, "coefficients are doubles");
    refused((hb_approximation_request){HB_EXP, 0, 4000, 16, 0}, HB_ECONFIG, "coefficients are doubles");
    refused((hb_approximation_request){HB_LOG, 0, 1, 16, 0}, HB_EDATA, "log of values that may be 0 or less");
    refused((hb_approximation_request){HB_SQRT, -1, 1, 16, 0}, HB_EDATA, "sqrt of values that may be below 0");
    refused((hb_approximation_request){HB_SQRT, 0, 1, 16, 0}, HB_ECONFIG, "no polynomial of degree up to 1023");
    refused((hb_approximation_request){HB_INV, -1, 1, 16, 0}, HB_EDATA, "inv of values that may be 0: ");
    refused((hb_approximation_request){HB_EXP, 1, 1, 16, 0}, HB_EUSAGE, "two ends");
    refused((hb_approximation_request){HB_EXP, 2, 1, 16, 0}, HB_EUSAGE, "no interval");
    refused((hb_approximation_request){HB_EXP, -1, 0x1p101, 16, 0}, HB_EUSAGE, "two ends");
    refused((hb_approximation_request){HB_EXP, NAN, 1, 16, 0}, HB_EUSAGE, "no interval");
    refused((hb_approximation_request){HB_EXP, 0, 1, 51, 0}, HB_EUSAGE, "they must be");
    refused((hb_approximation_request){HB_EXP, 0, 1, NAN, 0}, HB_EUSAGE, "they must be");
}

/* The advice of a refusal works. */
static void what_is_advised_does(void **state)
{
    (void)state;
    static const hb_approximation_request wide[] = {{HB_INV, 0x1p-10, 0x1p10, 16, 0}, {HB_SIGMOID, -5000, 5000, 16, 0}};
    for (size_t i = 0; i < 2; i++) {
        hb_approximation a;
        assert_int_equal(hb_approximate(&a, &wide[i]), HB_ECONFIG);
        double low, high;
        assert_int_equal(
            sscanf(strstr(hb_last_error()->text, "one does on ") + strlen("one does on "), "%lf .. %lf", &low, &high),
            2);
        assert_true(low >= wide[i].low && high <= wide[i].high && degree_for(wide[i].function, low, high, 16) > 500);
    }
}

HB_UNIT(approx)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_never_above_those_stated),
        cmocka_unit_test(degrees_of_exp_are_least),
        cmocka_unit_test(degrees_of_inv_are_least),
        cmocka_unit_test(more_bits_never_take_a_smaller_degree),
        cmocka_unit_test(coefficients_that_parity_makes_0_are_0),
        cmocka_unit_test(wide_intervals_take_long_polynomials),
        cmocka_unit_test(sqrt_from_0_takes_bernsteins_degrees),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(what_is_advised_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
