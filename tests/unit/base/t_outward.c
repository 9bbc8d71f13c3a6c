/* Bounds as decimals: on the side of the number that keeps them true. */
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

HB_UNIT(outward)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(decimals), cmocka_unit_test(significant),
                                              cmocka_unit_test(near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
