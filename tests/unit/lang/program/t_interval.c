/* Intervals: of integers that saturate, and of reals that are rounded outwards where they must be. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lang/program/interval_words.h"
#include "unit/unit.h"

static uint64_t state = 88172645463325252u;

/* Returns a number of any sign, over many binary orders; now and then 0 or a small integer. */
static double next(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (state % 7 == 0) {
        return (double)(int64_t)(state >> 32 & 7) - 3;
    }
    return ldexp((double)(int64_t)state, (int)(state % 90) - 110);
}

static hb_interval any(void)
{
    const double a = next(), b = next();
    return hb_interval_of_reals(fmin(a, b), fmax(a, b));
}

/* x lies in the interval; that it is rounded to a long double takes it past no double. */
static void assert_in(hb_interval a, long double x)
{
    assert_true(a.known && a.real);
    assert_true((long double)a.low <= x && x <= (long double)a.high);
}

static void outwards(void **ignored)
{
    (void)ignored;
    for (int i = 0; i < 100000; i++) {
        const hb_interval a = any(), b = any();
        const double x[] = {a.low, a.high}, y[] = {b.low, b.high};
        for (int k = 0; k < 4; k++) {
            assert_in(hb_interval_add(a, b), (long double)x[k / 2] + (long double)y[k % 2]);
            assert_in(hb_interval_multiply(a, b), (long double)x[k / 2] * (long double)y[k % 2]);
            assert_in(hb_interval_square(a), (long double)x[k / 2] * (long double)x[k / 2]);
        }
        assert_true(hb_interval_square(a).low >= 0);
        assert_true(hb_interval_within(a, hb_interval_join(a, b)) && hb_interval_within(b, hb_interval_join(a, b)));
        const hb_interval zero = hb_interval_with_zero(a);
        assert_true(zero.low <= 0 && zero.high >= 0 && hb_interval_within(a, zero));
        assert_true(hb_interval_magnitude(a) == fmax(fabs(a.low), fabs(a.high)));
    }
}

/* Odd powers rise everywhere; even ones are least at 0. */
static void powers(void **ignored)
{
    (void)ignored;
    static const struct {
        int64_t low, high;
        uint32_t exponent;
        int64_t least, most;
    } cases[] = {{-2, 3, 1, -2, 3},   {-2, 3, 2, 0, 9},       {-2, 3, 3, -8, 27},   {-3, 2, 4, 0, 81},
                 {-3, -2, 4, 16, 81}, {-3, -2, 5, -243, -32}, {2, 3, 7, 128, 2187}, {0, 2, 17, 0, 131072}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hb_interval whole = hb_interval_power(hb_interval_of(cases[i].low, cases[i].high), cases[i].exponent),
                          real = hb_interval_power(hb_interval_of_reals((double)cases[i].low, (double)cases[i].high),
                                                   cases[i].exponent);
        assert_true(!whole.real && whole.least == cases[i].least && whole.most == cases[i].most);
        assert_true(real.real && real.low == (double)cases[i].least && real.high == (double)cases[i].most);
    }
    const hb_interval end = hb_interval_power(hb_interval_of(-3, 2), 65536); /* beyond exact integers */
    assert_true(end.least == 0 && end.most == INT64_MAX && hb_wide_saturated(end.wide_most));
    assert_true(hb_interval_power(hb_interval_of(-3, 2), 65535).least == -INT64_MAX);
    assert_false(hb_interval_power((hb_interval){.known = false}, 3).known);
}

/* Intervals that doubles hold exactly are not widened. */
static void exact(void **ignored)
{
    (void)ignored;
    const hb_interval a = hb_interval_of_reals(-1.5, 2.25), b = hb_interval_of(-3, 4);
    const hb_interval sum = hb_interval_add(a, b), product = hb_interval_multiply(a, b);
    assert_true(sum.low == -4.5 && sum.high == 6.25);
    assert_true(product.low == -6.75 && product.high == 9);
    assert_true(hb_interval_negate(a).low == -2.25 && hb_interval_negate(a).high == 1.5);
    const hb_interval tenth = hb_interval_multiply(hb_interval_of_reals(0.1, 0.1), hb_interval_of_reals(0.1, 0.1));
    assert_true(tenth.low < tenth.high && nextafter(tenth.low, 1) == tenth.high);
    const hb_interval all = hb_interval_to_reals(hb_interval_of(-INT64_MAX, INT64_MAX - 1));
    assert_true(isinf(all.low) && all.high == 0x1p63);
    const hb_interval unknown = {.known = false};
    assert_false(hb_interval_square(unknown).known || hb_interval_negate(unknown).known);
    const hb_interval nothing =
        hb_interval_multiply(hb_interval_of_reals(0, 0), hb_interval_of_reals(-HUGE_VAL, HUGE_VAL));
    assert_true(nothing.low == 0 && nothing.high == 0);
    const hb_interval tiny = hb_interval_square(hb_interval_of_reals(1e-200, 1e-200));
    assert_true(tiny.low == 0 && tiny.high > 0); /* not 0, though it is rounded to that */
}

/* Ends beyond 64 bits are exact, and say in 64 bits that they are that much or more. */
static void wide(void **ignored)
{
    (void)ignored;
    const hb_interval a = hb_interval_of(-3, (int64_t)1 << 62), square = hb_interval_multiply(a, a);
    assert_int_equal(hb_wide_compare(square.wide_most, hb_wide_power(124)), 0);
    assert_true(square.most == INT64_MAX && square.least == -INT64_MAX);
    const hb_interval back = hb_interval_add(
        square, hb_interval_of_wide(hb_wide_negate(hb_wide_power(124)), hb_wide_negate(hb_wide_power(124))));
    assert_true(hb_wide_sign(back.wide_most) == 0 && back.most == 0);
    assert_true(hb_interval_within(hb_interval_of_wide(hb_wide_of(0), hb_wide_power(123)), square));
    assert_false(hb_interval_within(square, hb_interval_of_wide(hb_wide_of(0), hb_wide_power(124))));
    hb_interval most = a;
    for (int i = 0; i < 10; i++) {
        most = hb_interval_square(most);
    }
    assert_true(hb_wide_saturated(most.wide_most) && hb_wide_sign(most.wide_least) == 0);
    const hb_params_spec spec = {.scheme = HB_BFV, .bfv = {.plain = 40961, .plain_count = 2, .plains = {40961, 65537}}};
    const hb_interval held = hb_interval_held(&spec, true), all = hb_interval_held(&spec, false);
    assert_true(all.least == 0 && all.most == (int64_t)40961 * 65537 - 1);
    assert_true(held.most == (int64_t)40961 * 65537 / 2 && held.least == -held.most);
    char text[HB_INTERVAL_TEXT];
    hb_interval_text(text, hb_interval_of_wide(hb_wide_of(-1), hb_wide_power(100)));
    assert_string_equal(text, "-1 .. 1267650600228229401496703205376");
    hb_interval_text(text, hb_interval_of_wide(hb_wide_negate(hb_wide_power(200)), hb_wide_power(150)));
    assert_string_equal(text, "less than -2^199 .. more than 2^149");
}

static void words(void **ignored)
{
    (void)ignored;
    char text[HB_INTERVAL_TEXT], option[HB_INTERVAL_OPTION];
    hb_interval_text(text, hb_interval_of_reals(-0.5, 1e9));
    assert_string_equal(text, "-0.5 .. 1000000000");
    hb_interval_option(option, hb_interval_of_reals(-0.1, 1.0 / 3));
    assert_string_equal(option, "-0.1..0.3333333333333333");
    hb_interval_option(option, hb_interval_of(INT64_MIN, 7));
    assert_string_equal(option, "-9223372036854775808..7");
}

static void words_of_meanings(void **ignored)
{
    (void)ignored;
    char text[HB_INTERVAL_TEXT];
    const hb_labels *labels;
    const char *const list[] = {"ICU", "ER", "day ward"};
    assert_int_equal(hb_labels_make(list, 3, &labels), HB_OK);
    const hb_meaning date = {.kind = HB_MEANING_DATE}, truth = {.kind = HB_MEANING_BOOL}, tenths = {.scale = 10};
    const hb_meaning plain = {.scale = 0};
    hb_meaning ward = {.kind = HB_MEANING_CATEGORY, .labels = labels};
    const struct {
        hb_interval values;
        const hb_meaning *meaning;
        const char *words, *option;
    } rows[] = {
        {hb_interval_of(-24, 45), &tenths, "-2.4 .. 4.5", "-2.4..4.5"},
        {hb_interval_of(25, 25), &tenths, "2.5", "2.5..2.5"},
        {hb_interval_of(19723, 19783), &date, "'2024-01-01' .. '2024-03-01'", "2024-01-01..2024-03-01"},
        {hb_interval_of_reals(19722.9999, 19783), &date, "'2024-01-01' .. '2024-03-01'", "2024-01-01..2024-03-01"},
        {hb_interval_of(0, 2), &ward, "'ICU' .. 'day ward'", "0..2"},
        {hb_interval_of(1, 1), &ward, "'ER'", "1..1"},
        {hb_interval_of(0, 3), &ward, "0 .. 3", "0..3"}, /* there is no fourth */
        {hb_interval_of(0, 1), &truth, "'false' .. 'true'", "0..1"},
        {hb_interval_of(-24, 45), &plain, "-24 .. 45", "-24..45"},
        {hb_interval_of(7, 7), &plain, "7", "7..7"},
        {hb_interval_of_reals(-2.5, 4), &tenths, "-2.5 .. 4", "-2.5..4"},
        {hb_interval_multiply(hb_interval_of(0, INT64_MAX / 2), hb_interval_of(0, 1000)), &tenths,
         "0 .. 461168601842738790300", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        hb_interval_words(text, rows[i].values, rows[i].meaning);
        assert_string_equal(text, rows[i].words);
        hb_interval_meant_option(text, rows[i].values, rows[i].meaning);
        if (rows[i].option != NULL) {
            assert_string_equal(text, rows[i].option);
        }
    }
    hb_interval_words_counted(text, hb_interval_of(-24, 45), &tenths);
    assert_string_equal(text, "-2.4 .. 4.5 with 1 digit behind the point");
    hb_meaning_clear(&ward);
}

HB_UNIT(interval)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(outwards), cmocka_unit_test(powers),
                                       cmocka_unit_test(exact),    cmocka_unit_test(wide),
                                       cmocka_unit_test(words),    cmocka_unit_test(words_of_meanings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
