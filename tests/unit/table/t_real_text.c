/* Decimals against MPFR, which rounds any of them to 53 bits once; texts by reading them again, and by trying all
 * shorter ones. */
#include "unit/scratch.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <mpfr.h>

#include "table/real_text.h"
#include "unit/unit.h"

/* The nearest double, also below the normal ones. */
static double oracle(const char *text)
{
    mpfr_t x;
    mpfr_init2(x, 53);
    const int inexact = mpfr_strtofr(x, text, NULL, 10, MPFR_RNDN);
    mpfr_subnormalize(x, inexact, MPFR_RNDN);
    const double value = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clear(x);
    return value;
}

static double read_all(const char *text)
{
    const char *at = text;
    double value = -7;
    assert_int_equal(hb_real_parse(&at, text + strlen(text), &value), HB_REAL_GOOD);
    assert_ptr_equal(at, text + strlen(text));
    return value;
}

static void check(const char *text)
{
    assert_true(hb_real_word(read_all(text)) == hb_real_word(oracle(text)));
}

static void test_decimals(void **state)
{
    (void)state;
    const char *const texts[] = {
        "0",
        "-0",
        "+0.0",
        "36.6",
        "1e-3",
        "-0.5",
        "5.",
        ".5",
        "1E+05",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.000000000000000000000000000001",
        "18446744073709551615",
        "18446744073709551616",
        "123456789012345678901234567890e-10",
        "0.1",
        "0.30000000000000004",
        "1e22",
        "1e23",
        "-1e-22",
        "8.5e-23",
        "2.2250738585072011e-308",
        "2.2250738585072014e-308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e-400",
        "0e999999999999999999999999",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "0000000000000000000000000000000000000000000000000000000000000000000000000001.25",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check(texts[i]);
    }
    /* halfway between two doubles, and a little more and less, with more digits than any buffer */
    static char text[4000];
    for (int more = 0; more < 3; more++) {
        memset(text, '0', sizeof text);
        memcpy(text, more == 2 ? "9007199254740992.9" : "9007199254740993.0", 18);
        memset(text + 18, more == 2 ? '9' : '0', 3000);
        text[3000] = more == 1 ? '1' : text[3000];
        text[3001] = '\0';
        check(text);
    }
}

static void test_random(void **state)
{
    (void)state;
    uint64_t noise = 5;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        const uint64_t digits = noise >> (noise >> 58);
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        const int exponent = (int)(noise >> 40) % (i % 2 ? 30 : 340);
        snprintf(text, sizeof text, "%s%llu%s%llue%d", noise & 1 ? "-" : "", (unsigned long long)digits,
                 noise & 2 ? "." : "", (unsigned long long)(noise >> 50), noise & 4 ? -exponent : exponent);
        if (isfinite(oracle(text))) {
            check(text);
        }
    }
}

static void test_refused(void **state)
{
    (void)state;
    const char *const none[] = {"",    "-",    "+",        ".",  "-.", "e5",  ".e5", "nan", "NaN",
                                "inf", "-inf", "Infinity", "x1", " 1", "--1", "+-1", ",5"};
    double value = 3;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        const char *at = none[i];
        assert_int_equal(hb_real_parse(&at, none[i] + strlen(none[i]), &value), HB_REAL_NO_NUMBER);
        assert_true(at == none[i] && value == 3);
    }
    const struct {
        const char *text;
        size_t taken;
        double value;
    } parts[] = {{"0x1p3", 1, 0},   {"1e", 1, 1},    {"1e+", 1, 1}, {"2,5", 1, 2},
                 {"1.2.3", 3, 1.2}, {"1_000", 1, 1}, {"3 4", 1, 3}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *at = parts[i].text;
        assert_int_equal(hb_real_parse(&at, at + strlen(at), &value), HB_REAL_GOOD);
        assert_true(at == parts[i].text + parts[i].taken && value == parts[i].value);
    }
    const char *const large[] = {"1e309", "-1.7976931348623159e308", "1e99999999999999999999", "1e-0000400e", "9e308"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        const char *at = large[i];
        const hb_real_fault fault = hb_real_parse(&at, at + strlen(at), &value);
        assert_int_equal(fault, i == 3 ? HB_REAL_GOOD : HB_REAL_TOO_LARGE);
    }
    /* text behind the end does not count */
    const char *at = "12345", *end = at + 2;
    assert_int_equal(hb_real_parse(&at, end, &value), HB_REAL_GOOD);
    assert_true(value == 12 && at == end);
}

/* No text with fewer digits reads as the same double. */
static void check_short(double value)
{
    char text[HB_REAL_TEXT], other[HB_REAL_TEXT];
    hb_real_text(text, value);
    assert_true(hb_real_word(read_all(text)) == hb_real_word(value));
    int digits = 0;
    for (const char *at = text; *at != '\0' && *at != 'e'; at++) {
        digits += *at >= '0' && *at <= '9' && (digits > 0 || *at != '0');
    }
    for (int fewer = 1; fewer < digits && fewer < DBL_DECIMAL_DIG; fewer++) {
        snprintf(other, sizeof other, "%.*e", fewer - 1, value);
        /* zeros before the point count as digits of a text and not of the number */
        if (oracle(other) == value) {
            char *end = text + strcspn(text, "e.");
            assert_true(strchr(text, '.') == NULL && end[-1] == '0');
        }
    }
}

static void test_texts(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {36.6, "36.6"},
                 {0.1, "0.1"},
                 {1e-7, "1e-07"},
                 {-0.5, "-0.5"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {DBL_MAX, "1.7976931348623157e+308"},
                 {-DBL_MIN, "-2.2250738585072014e-308"},
                 {5e-324, "5e-324"},
                 {NAN, "nan"},
                 {-INFINITY, "-inf"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[HB_REAL_TEXT];
        hb_real_text(text, cases[i].value);
        assert_string_equal(text, cases[i].text);
    }
    uint64_t noise = 9;
    for (int i = 0; i < 20000; i++) {
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        double value = hb_real_of(noise >> (i % 2 ? 0 : 12));
        if (i % 4 == 3) {
            value = (double)(noise >> 40) / 1000;
        }
        if (isfinite(value)) {
            check_short(value);
        }
    }
}

static void test_bounds(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *least, *most;
    } cases[] = {{0, "0", "0"},
                 {1048576, "1048576", "1048576"},
                 {-262144.25, "-262144.25", "-262144.25"},
                 {0.1, "0.1", "0.1"},
                 {-1.0000000000000002, "-1.00001", "-1"},
                 {3.9000000000000004, "3.9", "3.90001"},
                 {999999.9999999999, "999990", "1e+06"},
                 {0.1 + 0.2, "0.3", "0.300001"},
                 {-1.0 / 3, "-0.333334", "-0.333333"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[HB_REAL_TEXT];
        hb_real_bound_text(text, cases[i].value, false);
        assert_string_equal(text, cases[i].least);
        hb_real_bound_text(text, cases[i].value, true);
        assert_string_equal(text, cases[i].most);
    }
    uint64_t noise = 11;
    for (int i = 0; i < 20000; i++) {
        noise = noise * 6364136223846793005u + 1442695040888963407u;
        const double value = hb_real_of(noise);
        if (isfinite(value) && fabs(value) < 1e300) {
            char least[HB_REAL_TEXT], most[HB_REAL_TEXT];
            hb_real_bound_text(least, value, false);
            hb_real_bound_text(most, value, true);
            assert_true(strtod(least, NULL) <= value && value <= strtod(most, NULL));
        }
    }
}

/* A program that loads this may have set any locale; where the machine has one with commas, it changes nothing. */
static void test_locale(void **state)
{
    (void)state;
    (void)(setlocale(LC_ALL, "de_DE.UTF-8") || setlocale(LC_ALL, "fr_FR.UTF-8"));
    char text[HB_REAL_TEXT];
    hb_real_text(text, 1234.5);
    assert_string_equal(text, "1234.5");
    check("1234567890123456789012.5");
    setlocale(LC_ALL, "C");
}

static void test_rounded_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool rounds;
    } cases[] = {{"9007199254740992", false},
                 {"9007199254740993", true},
                 {"-9007199254740993", true},
                 {"+009007199254740993", true},
                 {"9007199254740993.", true},
                 {"9007199254740993.000", true},
                 {"9007199254740993.5", false},
                 {"9007199254740994", false},
                 {"9.007199254740993e15", false},
                 {"18446744073709551615", true},
                 {"18446744073709551616", false},
                 {"10000000000000000000000", false},
                 {"100000000000000000000000", true},
                 {"1e23", false},
                 {"0.1", false},
                 {"0", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *at = cases[i].text, *end = at + strlen(at);
        double value;
        assert_int_equal(hb_real_parse(&at, end, &value), HB_REAL_GOOD);
        assert_int_equal(hb_real_rounds_integer(cases[i].text, end, value), cases[i].rounds);
    }
}

HB_UNIT(real_text)
{
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decimals),        cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_refused),         cmocka_unit_test(test_texts),
                                       cmocka_unit_test(test_bounds),          cmocka_unit_test(test_locale),
                                       cmocka_unit_test(test_rounded_integers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
