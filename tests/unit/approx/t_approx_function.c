/* Names, ranges and domains of functions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "approx/approx.h"
#include "reference/mpfr_functions.h"
#include "unit/unit.h"

static void names_are_found_again(void **state)
{
    (void)state;
    for (hb_function f = 0; f < HB_FUNCTIONS; f++) {
        assert_int_equal(hb_function_find(hb_function_name(f)), f);
    }
    assert_string_equal(hb_function_name(HB_GELU), "gelu");
    assert_int_equal(hb_function_find("sinc"), HB_FUNCTIONS);
    assert_int_equal(hb_function_find(""), HB_FUNCTIONS);
}

static double value(hb_function f, double x, mpfr_rnd_t direction)
{
    mpfr_t at, y;
    mpfr_inits2(MPFR_TEST_BITS, at, y, (mpfr_ptr)NULL);
    mpfr_set_d(at, x, MPFR_RNDN);
    mpfr_test_value(f, y, at);
    const double out = mpfr_get_d(y, direction);
    mpfr_clears(at, y, (mpfr_ptr)NULL);
    return out;
}

/* Both ends are the doubles next to the least and the largest value: for functions that are monotonic at the ends. */
static void ranges_are_the_smallest(void **state)
{
    (void)state;
    static const double ends[][2] = {{0.1, 3.7}, {0.3, 0.3}, {1.1, 9}, {1e-5, 5.5}};
    for (hb_function f = 0; f < HB_FUNCTIONS; f++) {
        for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
            double low = ends[i][0], high = ends[i][1], least, most;
            for (int mirror = 0; mirror < (f == HB_LOG || f == HB_SQRT || f == HB_RSQRT ? 1 : 2); mirror++) {
                assert_int_equal(hb_function_range(f, low, high, &least, &most), HB_OK);
                const bool falls = f == HB_INV || f == HB_RSQRT;
                const double first = falls ? high : low, last = falls ? low : high;
                if (f < HB_GELU || f == HB_SIGN || low > 0) {
                    assert_true(least == value(f, first, MPFR_RNDD) && most == value(f, last, MPFR_RNDU));
                }
                assert_true(least <= most);
                low = -ends[i][1];
                high = -ends[i][0];
            }
        }
    }
}

/* Exact values are not widened. */
static void exact_ends_stay(void **state)
{
    (void)state;
    double least, most;
    assert_int_equal(hb_function_range(HB_SIGMOID, 0, 1, &least, &most), HB_OK);
    assert_true(least == 0.5);
    assert_int_equal(hb_function_range(HB_EXP, -1, 0, &least, &most), HB_OK);
    assert_true(most == 1 && least == value(HB_EXP, -1, MPFR_RNDD));
    assert_int_equal(hb_function_range(HB_SQRT, 4, 9, &least, &most), HB_OK);
    assert_true(least == 2 && most == 3);
    assert_int_equal(hb_function_range(HB_RSQRT, 4, 16, &least, &most), HB_OK);
    assert_true(least == 0.25 && most == 0.5);
    assert_int_equal(hb_function_range(HB_INV, -4, -0.5, &least, &most), HB_OK);
    assert_true(least == -2 && most == -0.25);
    assert_int_equal(hb_function_range(HB_GELU, 0, 1, &least, &most), HB_OK);
    assert_true(least == 0);
    assert_int_equal(hb_function_range(HB_SQRT, 0, 9, &least, &most), HB_OK);
    assert_true(least == 0 && most == 3);
    assert_int_equal(hb_function_range(HB_SIGN, -3, 0, &least, &most), HB_OK);
    assert_true(least == -1 && most == 0);
    assert_int_equal(hb_function_range(HB_EXP, 0, 1e5, &least, &most), HB_OK);
    assert_true(isinf(most));
}

/* gelu and silu fall before they grow: values all around the turn, found here by looking for it, are in the range,
 * and come to its end. */
static void turns_are_within(void **state)
{
    (void)state;
    for (hb_function f = HB_GELU; f <= HB_SILU; f++) {
        double low = -3, high = 0;
        for (int i = 0; i < 200; i++) { /* ternary search; near the turn values differ less than doubles do */
            const double a = low + (high - low) / 3, b = high - (high - low) / 3;
            const int left = value(f, a, MPFR_RNDN) < value(f, b, MPFR_RNDN);
            low = left ? low : a;
            high = left ? b : high;
        }
        double least, most;
        const double lowest = value(f, low, MPFR_RNDD);
        assert_int_equal(hb_function_range(f, -2, 1, &least, &most), HB_OK);
        assert_true(least <= lowest && lowest - least <= 0x1p-53 && most == value(f, 1, MPFR_RNDU));
        assert_int_equal(hb_function_range(f, -9, -0.5, &least, &most), HB_OK);
        assert_true(least <= lowest && lowest - least <= 0x1p-53 &&
                    most == fmax(value(f, -9, MPFR_RNDU), value(f, -0.5, MPFR_RNDU)));
        for (double end = low - 1e-3; end < low + 1e-3; end += 1e-4) {
            assert_int_equal(hb_function_range(f, end, 1, &least, &most), HB_OK);
            assert_true(least <= value(f, end, MPFR_RNDD) && least >= lowest - 0x1p-53);
            assert_int_equal(hb_function_range(f, -2, end, &least, &most), HB_OK);
            assert_true(least <= value(f, end, MPFR_RNDD) && least >= lowest - 0x1p-53);
        }
        assert_int_equal(hb_function_range(f, -2, -1.5, &least, &most), HB_OK);
        assert_true(least == value(f, -1.5, MPFR_RNDD) && most == value(f, -2, MPFR_RNDU));
        assert_int_equal(hb_function_range(f, -1e9, 0, &least, &most), HB_OK);
        assert_true(least <= lowest && lowest - least <= 0x1p-53 && most == 0);
    }
}

static void domains_are_checked(void **state)
{
    (void)state;
    double least = 7, most = 7;
    assert_int_equal(hb_function_range(HB_LOG, 0, 1, &least, &most), HB_EDATA);
    assert_string_equal(hb_last_error()->text, "log of values that may be 0 or less: their range is 0 .. 1");
    assert_int_equal(hb_function_range(HB_INV, 0, 1, &least, &most), HB_EDATA);
    assert_string_equal(hb_last_error()->text, "inv of values that may be 0: their range is 0 .. 1");
    assert_int_equal(hb_function_range(HB_SQRT, -1, 1, &least, &most), HB_EDATA);
    assert_string_equal(hb_last_error()->text, "sqrt of values that may be below 0: their range is -1 .. 1");
    assert_int_equal(hb_function_range(HB_EXP, 1, INFINITY, &least, &most), HB_EUSAGE);
    assert_true(least == 7 && most == 7);
}

HB_UNIT(approx_function)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_again), cmocka_unit_test(ranges_are_the_smallest),
        cmocka_unit_test(exact_ends_stay),       cmocka_unit_test(turns_are_within),
        cmocka_unit_test(domains_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
