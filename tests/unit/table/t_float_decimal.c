/* Decimals out of floating-point numbers, against decimals that libc makes such numbers of. */
#include "unit/scratch.h"

#include <inttypes.h>
#include <math.h>

#include "table/float_decimal.h"
#include "table/real_text.h"
#include "unit/unit.h"

static hb_decimal_fault decimal_of(double value, int bits, int digits, bool rounds, int64_t *number)
{
    uint64_t magnitude = 0;
    bool negative = false;
    const hb_float_form form = {.bits = bits, .digits = digits, .rounds = rounds};
    const hb_decimal_fault fault = hb_decimal_of_float(value, &form, &magnitude, &negative, NULL);
    *number = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return fault;
}

/* Every decimal of 15 digits is another double, every one of 6 another float: all are read as they were. */
static void test_every_decimal(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int i = 0; i < 200000; i++) {
        const int digits = (int)(noise(&seed) % 13);
        const bool narrow = i % 2 == 1;
        const uint64_t most = narrow ? 1000000 : UINT64_C(1000000000000000);
        const int64_t value = (int64_t)(noise(&seed) % most >> noise(&seed) % 20) * (noise(&seed) % 2 == 0 ? 1 : -1);
        char text[64];
        int64_t number;
        snprintf(text, sizeof text, "%" PRId64 "e-%d", value, digits);
        const double stored = narrow ? (double)strtof(text, NULL) : strtod(text, NULL);
        assert_int_equal(decimal_of(stored, narrow ? 24 : 53, digits, noise(&seed) % 2 == 0, &number), HB_DECIMAL_GOOD);
        assert_int_equal(number, value);
    }
}

static void test_cases(void **state)
{
    (void)state;
    const double large_id = 720575940631797753.0; /* which is stored as .. 760 */
    const struct {
        double value;
        int bits, digits;
        bool rounds;
        hb_decimal_fault fault;
        int64_t number;
    } cases[] = {
        {0.1, 53, 1, false, HB_DECIMAL_GOOD, 1},
        {0.1, 53, 16, false, HB_DECIMAL_GOOD, 1000000000000000},
        {0.1, 53, 18, false, HB_DECIMAL_UNSURE, 0}, /* as 0.100000000000000001 */
        {0.5, 53, 16, false, HB_DECIMAL_GOOD, 5000000000000000},
        {-0.0, 53, 3, false, HB_DECIMAL_GOOD, 0},
        {0.1 + 0.2, 53, 2, false, HB_DECIMAL_TOO_FINE, 0},
        {0.1 + 0.2, 53, 2, true, HB_DECIMAL_GOOD, 30},
        {0.1 + 0.2, 53, 17, false, HB_DECIMAL_UNSURE, 0},
        {2.675, 53, 2, true, HB_DECIMAL_GOOD, 268}, /* as its decimal, which is the middle; the double is below it */
        {-2.675, 53, 2, true, HB_DECIMAL_GOOD, -268},
        {3.10f, 24, 2, false, HB_DECIMAL_GOOD, 310},
        {3.10f, 53, 2, false, HB_DECIMAL_TOO_FINE, 0},
        {3.10f, 53, 2, true, HB_DECIMAL_GOOD, 310},
        {0.1f, 24, 8, false, HB_DECIMAL_GOOD, 10000000},
        {0.1f, 24, 9, false, HB_DECIMAL_UNSURE, 0},
        {0x1p-60, 53, 18, true, HB_DECIMAL_GOOD, 1},
        {1.5e-45f, 24, 18, false, HB_DECIMAL_TOO_FINE, 0},
        {1.5e-45f, 24, 18, true, HB_DECIMAL_GOOD, 0},
        {0.0999755859375, 11, 1, false, HB_DECIMAL_GOOD, 1}, /* of two bytes, the nearest to 0.1 */
        {9007199254740991.0, 53, 0, false, HB_DECIMAL_GOOD, INT64_C(9007199254740991)},
        {9007199254740992.0, 53, 0, false, HB_DECIMAL_UNSURE, 0}, /* 9007199254740993 is the same */
        {large_id, 53, 0, false, HB_DECIMAL_UNSURE, 0},
        {large_id, 53, 0, true, HB_DECIMAL_UNSURE, 0},
        {-large_id, 53, 0, false, HB_DECIMAL_UNSURE, 0},
        {90071992547409.10, 53, 2, true, HB_DECIMAL_UNSURE, 0}, /* .09 is the same */
        {45035996273704.93, 53, 2, false, HB_DECIMAL_GOOD, INT64_C(4503599627370493)},
        {16777215, 24, 0, false, HB_DECIMAL_GOOD, 16777215},
        {16777216, 24, 0, false, HB_DECIMAL_UNSURE, 0},
        {16777216, 53, 0, false, HB_DECIMAL_GOOD, 16777216},
        {1234567.8f, 24, 1, false, HB_DECIMAL_UNSURE, 0}, /* .7 is the same */
        {1234567.8f, 24, 1, true, HB_DECIMAL_UNSURE, 0},
        {1234567.5f, 24, 1, false, HB_DECIMAL_GOOD, 12345675}, /* .4 and .6 are others */
        {1234567.8f, 24, 0, true, HB_DECIMAL_GOOD, 1234568},
        {1e300, 53, 0, false, HB_DECIMAL_TOO_LARGE, 0},
        {1e15, 53, 6, false, HB_DECIMAL_TOO_LARGE, 0},
        {5e-324, 53, 18, true, HB_DECIMAL_GOOD, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t number = 0;
        const hb_decimal_fault fault =
            decimal_of(cases[i].value, cases[i].bits, cases[i].digits, cases[i].rounds, &number);
        if (fault != cases[i].fault || (fault == HB_DECIMAL_GOOD && number != cases[i].number)) {
            fail_msg("case %zu: %.17g of %d bits: fault %d, %" PRId64, i, cases[i].value, cases[i].bits, (int)fault,
                     number);
        }
    }
}

/* The digits that it takes, for advice. */
static void test_needed(void **state)
{
    (void)state;
    const struct {
        double value;
        int bits, needed;
    } cases[] = {{1, 53, 0}, {0, 53, 0}, {-1.25, 53, 2}, {0.1f, 24, 1}, {0.1f, 53, 17}, {1e-30, 53, 30}, {1e20, 53, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t magnitude;
        bool negative;
        int needed = -1;
        const hb_float_form form = {.bits = cases[i].bits, .digits = HB_MOST_SCALE_DIGITS};
        (void)hb_decimal_of_float(cases[i].value, &form, &magnitude, &negative, &needed);
        assert_int_equal(needed, cases[i].needed);
    }
}

HB_UNIT(float_decimal)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_decimal), cmocka_unit_test(test_cases),
                                       cmocka_unit_test(test_needed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
