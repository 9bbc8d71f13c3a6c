/* Bounds as decimals: on the side of the number that keeps them true. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/outward.h"
#include "unit/unit.h"

static void printed(double x, int digits, const char *down, const char *up)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", digits, hb_decimal_down(x, digits));
    assert_string_equal(text, down);
    snprintf(text, sizeof text, "%.*f", digits, hb_decimal_up(x, digits));
    assert_string_equal(text, up);
}

static void decimals(void **state)
{
    (void)state;
    printed(16.272, 1, "16.2", "16.3"); /* to the nearest it would be 16.3, more bits than there are */
    printed(-16.272, 1, "-16.3", "-16.2");
    printed(16.3, 1, "16.3", "16.3"); /* as a double itself */
    printed(nextafter(16.3, 0), 1, "16.2", "16.3");
    printed(nextafter(16.3, 17), 1, "16.3", "16.4");
    printed(0.96, 0, "0", "1");
    printed(-0.2, 0, "-1", "0"); /* and not -0 */
    printed(0.04, 1, "0.0", "0.1");
    printed(-0.0, 1, "0.0", "0.0");
    printed(0x1p60, 0, "1152921504606846976", "1152921504606846976");
    printed(INFINITY, 1, "inf", "inf");
    printed(-INFINITY, 1, "-inf", "-inf");
    assert_true(isnan(hb_decimal_down(NAN, 1)));
}

static void significant(void **state)
{
    (void)state;
    static const struct {
        double x;
        const char *up;
    } cases[] = {{1e-4, "0.0001"}, {1.0001e-4, "0.000101"}, {1.2301e-30, "1.24e-30"}, {9.991, "10"}, {0, "0"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "%.3g", hb_significant_up(cases[i].x, 3));
        assert_string_equal(text, cases[i].up);
    }
}

/* The decimal of every number is within one unit of it, on its side. */
static void near(void **state)
{
    (void)state;
    uint64_t word = 1;
    for (int i = 0; i < 100000; i++) {
        word = word * 6364136223846793005u + 1442695040888963407u;
        const double x = ((double)(int64_t)word) / 0x1p55;
        const int digits = i % 4;
        const double down = hb_decimal_down(x, digits), up = hb_decimal_up(x, digits), unit = pow(10, -digits);
        assert_true(down <= x && x <= up && x - down < unit * (1 + 1e-9) && up - x < unit * (1 + 1e-9));
    }
}

/* Ends of all kinds: infinite, 0 of both signs, the least and the largest doubles, and any bits. */
static double any_end(uint64_t *word)
{
    static const double ends[] = {INFINITY, -INFINITY, 0,       -0.0,     0x1p-1074, -0x1p-1074,
                                  0x1p-900, -0x1p-899, DBL_MAX, -DBL_MAX, 1,         -0.3};
    *word = *word * 6364136223846793005u + 1442695040888963407u;
    const uint64_t kind = *word >> 40;
    return kind % 4 == 0 ? ends[kind / 4 % 12] : ((double)(int64_t)*word) * exp2((double)(kind % 200) - 100);
}

/* A sum with a product has the bounds of a product and a sum, which go to the next double where they are not exact. */
static void products(void **state)
{
    (void)state;
    uint64_t word = 7;
    for (int i = 0; i < 1000000; i++) {
        const double x = any_end(&word), y = any_end(&word), u = any_end(&word), v = any_end(&word);
        const double number = any_end(&word);
        if (isinf(number)) {
            continue;
        }
        const hb_bounds a = {fmin(x, y), fmax(x, y)}, sum = {fmin(u, v), fmax(u, v)};
        const hb_bounds product = hb_bounds_multiply(a, (hb_bounds){number, number}),
                        both = hb_bounds_add(sum, product), found = hb_bounds_add_product(sum, a, number);
        assert_true(found.low >= both.low || isnan(both.low));
        assert_true(found.high <= both.high || isnan(both.high));
        if (fabs(a.low * number) > 0x1p-1000 && fabs(a.high * number) > 0x1p-1000) {
            assert_true(found.low == both.low || (isnan(found.low) && isnan(both.low)));
            assert_true(found.high == both.high || (isnan(found.high) && isnan(both.high)));
        }
    }
    const hb_bounds third = hb_bounds_divide((hb_bounds){1, 1}, 3);
    assert_true(third.low == 1.0 / 3 && third.high == nextafter(1.0 / 3, 1));
    const hb_bounds below = hb_bounds_divide((hb_bounds){-1, -1}, 3);
    assert_true(below.low == nextafter(-1.0 / 3, -1) && below.high == -1.0 / 3);
    const hb_bounds least = hb_bounds_multiply((hb_bounds){0x1p-1074, 0x1p-1074}, (hb_bounds){0.25, 0.25});
    assert_true(least.low == -0x1p-1074 && least.high == 0x1p-1074);
    const hb_bounds most = hb_bounds_multiply((hb_bounds){DBL_MAX, DBL_MAX}, (hb_bounds){2, 2});
    assert_true(most.low == DBL_MAX && most.high == INFINITY);
}

HB_UNIT(outward)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(decimals), cmocka_unit_test(significant),
                                              cmocka_unit_test(near), cmocka_unit_test(products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
