/* Meanings of numbers: labels, dates, truth values and decimals, there and back. */
#include "unit/scratch.h"

#include "table/schema.h"
#include "unit/unit.h"

static hb_status number(hb_meaning meaning, const char *text, int64_t *value)
{
    const hb_column column = {.name = "c", .meaning = meaning};
    return hb_meaning_number(&column, text, strlen(text), value);
}

static void test_dates(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int64_t days;
    } dates[] = {{"1970-01-01", 0},     {"1969-12-31", -1},      {"2000-02-29", 11016},  {"1998-09-02", 10471},
                 {"2026-11-22", 20779}, {"0001-01-01", -719162}, {"9999-12-31", 2932896}};
    const hb_meaning date = {.kind = HB_MEANING_DATE};
    char room[HB_MEANING_TEXT];
    int64_t days;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        assert_true(hb_date_parse(dates[i].text, 10, &days));
        assert_int_equal(days, dates[i].days);
    }
    /* Every day of 800 years is another one, in order. */
    for (int64_t d = -150000; d < 142000; d++) {
        assert_true(hb_moment_text(&date, d, room) && hb_date_parse(room, 10, &days));
        assert_int_equal(days, d);
    }
    const char *none[] = {"1900-02-29", "2023-13-01", "2023-00-10", "2023-01-00", "2023-04-31",
                          "0000-01-01", "2023-1-010", "2023/01/01", "20230101",   "2023-01-01 "};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_false(hb_date_parse(none[i], strlen(none[i]), &days));
    }
    assert_false(hb_moment_text(&date, 2932897, room) || hb_moment_text(&date, -719163, room) ||
                 hb_moment_text(&date, INT64_MIN, room));
    assert_refused(number((hb_meaning){.kind = HB_MEANING_DATE}, "soon", &days), HB_EUSAGE, "'soon' is no date");
}

/* Seconds as Python's datetime has them. */
static void test_times(void **state)
{
    (void)state;
    const struct {
        const char *form, *text;
        hb_time_fault fault;
        int64_t seconds;
        bool zoned, fraction;
    } cases[] = {
        {"", "1970-01-01T00:00", HB_TIME_GOOD, 0, false, false},
        {"", "2026-11-28T14:03:05", HB_TIME_GOOD, 1795874585, false, false},
        {"", "2026-11-28 14:03", HB_TIME_GOOD, 1795874580, false, false},
        {"", "2026-11-28T14:03:05.000", HB_TIME_GOOD, 1795874585, false, false},
        {"", "2026-11-28T14:03:05,25", HB_TIME_GOOD, 1795874585, false, true},
        {"", "2026-11-28T14:03Z", HB_TIME_GOOD, 1795874580, true, false},
        {"", "2026-11-28T14:03 UTC", HB_TIME_GOOD, 1795874580, true, false},
        {"", "2026-11-28T14:03+02:00", HB_TIME_GOOD, 1795867380, true, false},
        {"", "2026-11-28T14:03-0530", HB_TIME_GOOD, 1795894380, true, false},
        {"", "2026-11-28T14:03 +02", HB_TIME_GOOD, 1795867380, true, false},
        {"", "1969-12-31T23:59:59Z", HB_TIME_GOOD, -1, true, false},
        {"", "1900-03-01T00:00", HB_TIME_GOOD, -2203891200, false, false},
        {"", "2024-02-29T23:59", HB_TIME_GOOD, 1709251140, false, false},
        {"", "0001-01-01T00:00", HB_TIME_GOOD, -62135596800, false, false},
        {"", "9999-12-31T23:59:59", HB_TIME_GOOD, 253402300799, false, false},
        {"d.m.y", "28.11.2026 14:03", HB_TIME_GOOD, 1795874580, false, false},
        {"m/d/y", "11/28/2026 2:03 PM", HB_TIME_GOOD, 1795874580, false, false},
        {"m/d/y", "11/28/2026 12:03 AM", HB_TIME_GOOD, 1795824180, false, false},
        {"m/d/y", "11/28/2026 14:03 PM", HB_TIME_NO_SUCH, 0, false, false},
        {"", "28.11.2026 14:03", HB_TIME_NO_SUCH, 0, false, false},
        {"", "2023-02-29T10:00", HB_TIME_NO_SUCH, 0, false, false},
        {"", "2026-11-28T25:00", HB_TIME_NO_SUCH, 0, false, false},
        {"", "2026-11-28T14:60", HB_TIME_NO_SUCH, 0, false, false},
        {"", "2026-11-28T14:03:61", HB_TIME_NO_SUCH, 0, false, false},
        {"", "2026-11-28T14:03+24:00", HB_TIME_NO_SUCH, 0, false, false},
        {"", "2026-11-28T24:00", HB_TIME_24, 0, false, false},
        {"", "2016-12-31T23:59:60Z", HB_TIME_LEAP, 0, false, false},
        {"", "0001-01-01T00:30+01:00", HB_TIME_OUTSIDE, 0, false, false},
        {"", "9999-12-31T23:30-01:00", HB_TIME_OUTSIDE, 0, false, false},
        {"", "2026-11-28", HB_TIME_NO_TIME, 0, false, false},
        {"", "2026-11-28T14", HB_TIME_NO_TIME, 0, false, false},
        {"", "2026-11-28T14:3", HB_TIME_NO_TIME, 0, false, false},
        {"", "2026-11-28T14:03:5", HB_TIME_NO_TIME, 0, false, false},
        {"", "2026-11-28T14:03x", HB_TIME_NO_TIME, 0, false, false},
        {"", "2026-11-28T", HB_TIME_NO_TIME, 0, false, false},
        {"", "", HB_TIME_NO_TIME, 0, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_time time;
        assert_int_equal(hb_time_parse(cases[i].form, cases[i].text, strlen(cases[i].text), &time), cases[i].fault);
        if (cases[i].fault == HB_TIME_GOOD) {
            assert_int_equal(time.seconds, cases[i].seconds);
            assert_true(time.zoned == cases[i].zoned && time.fraction == cases[i].fraction);
        }
    }
}

static void test_units_of_times(void **state)
{
    (void)state;
    const hb_meaning hours = {.kind = HB_MEANING_TIME, .unit = HB_TIME_HOURS},
                     minutes = {.kind = HB_MEANING_TIME, .unit = HB_TIME_MINUTES, .zoned = true},
                     seconds = {.kind = HB_MEANING_TIME, .unit = HB_TIME_SECONDS};
    const struct {
        const hb_meaning *meaning;
        const char *text;
        int64_t number;
    } texts[] = {{&hours, "1970-01-01T00:00", 0},
                 {&hours, "1969-12-31T23:00", -1},
                 {&hours, "2026-11-28T14:00", 498854},
                 {&minutes, "2026-11-28T14:03Z", 29931243},
                 {&minutes, "1969-12-31T00:01Z", -1439},
                 {&seconds, "2026-11-28T14:03:05", 1795874585},
                 {&seconds, "0001-01-01T00:00:00", -62135596800}};
    char room[HB_MEANING_TEXT], words[HB_MEANING_WORDS];
    int64_t value;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_ok(number(*texts[i].meaning, texts[i].text, &value));
        assert_int_equal(value, texts[i].number);
        assert_string_equal(hb_meaning_text(texts[i].meaning, true, (uint64_t)value, room), texts[i].text);
    }
    assert_null(hb_meaning_text(&hours, true, (uint64_t)INT64_MAX, room));
    assert_null(hb_meaning_text(&seconds, true, (uint64_t)INT64_MIN, room));
    assert_refused(number(hours, "2026-11-28T14:03", &value), HB_EUSAGE,
                   "'2026-11-28T14:03' is no whole number of hours, in which c has its times");
    assert_refused(number(hours, "2026-11-28", &value), HB_EUSAGE,
                   "'2026-11-28' is a date: c has times in hours, as '2024-03-01T09:00'");
    assert_refused(number(minutes, "2026-11-28T14:03", &value), HB_EUSAGE,
                   "has no zone, and the times of c have one: write it as '2024-03-01T09:00Z'");
    assert_refused(number(seconds, "2026-11-28T14:03Z", &value), HB_EUSAGE, "has a zone, and the times of c have none");
    assert_refused(number(seconds, "2026-11-28T24:00", &value), HB_EUSAGE, "24:00 is 00:00 of the next day");
    assert_refused(number(seconds, "soon", &value), HB_EUSAGE, "'soon' is no time: c has times in seconds");
    hb_meaning_words(&minutes, words);
    assert_string_equal(words, "times in minutes, UTC");
    hb_meaning_words(&(hb_meaning){.unit = HB_TIME_HOURS}, words);
    assert_string_equal(words, "hours");
}

/* Labels that fold are found by every spelling, and are the same as those of another table that spells them in other
 * ways; labels that do not fold are not. */
static void test_folded(void **state)
{
    (void)state;
    static const char *const here[] = {"icu", "Surgery"}, *const there[] = {"ICU ", "surgery"},
                             *const twice[] = {"icu", "ward", "ICU"};
    hb_meaning folded = {.kind = HB_MEANING_CATEGORY}, plain = folded, other = folded;
    uint64_t place = 9;
    int64_t value;
    char words[HB_MEANING_WORDS];
    assert_ok(hb_labels_make_folded(here, 2, &folded.labels));
    assert_ok(hb_labels_make(here, 2, &plain.labels));
    assert_ok(hb_labels_make(there, 2, &other.labels));
    assert_true(hb_labels_find(folded.labels, " SURGERY", 8, &place));
    assert_int_equal(place, 1);
    assert_false(hb_labels_find(folded.labels, "surgeries", 9, &place));
    assert_false(hb_labels_find(plain.labels, " SURGERY", 8, &place));
    assert_true(hb_meaning_read(&folded, "Icu", 3, &value));
    assert_int_equal(value, 0);
    assert_true(hb_meaning_same(&folded, &other));
    assert_true(hb_meaning_same(&other, &folded));
    assert_true(hb_meaning_same(&plain, &folded));
    assert_false(hb_meaning_same(&plain, &other));
    hb_meaning_words(&folded, words);
    assert_string_equal(words, "2 labels, folded: icu, Surgery");
    const hb_labels *none = NULL;
    assert_refused(hb_labels_make_folded(twice, 3, &none), HB_EDATA, "labels 1 and 3 of a category are one, folded");
    assert_null(none);
    hb_meaning_clear(&folded);
    hb_meaning_clear(&plain);
    hb_meaning_clear(&other);
}

/* Every meaning has a code of its own, and is found by it; other codes are of none. */
static void test_codes(void **state)
{
    (void)state;
    int possible = 0;
    for (int code = 0; code < 256; code++) {
        hb_meaning meaning = {0};
        const char *const one[] = {"a"};
        hb_meaning_set_code(&meaning, (uint8_t)code);
        if (code == HB_MEANING_CATEGORY) {
            assert_ok(hb_labels_make(one, 1, &meaning.labels));
        } else if (code == HB_CODE_FOLDED) {
            assert_ok(hb_labels_make_folded(one, 1, &meaning.labels));
        }
        if (hb_meaning_is_possible(&meaning)) {
            assert_int_equal(hb_meaning_code(&meaning), code);
            possible++;
        }
        hb_meaning_clear(&meaning);
    }
    assert_int_equal(possible, HB_CODE_FOLDED + 1);
    assert_int_equal(hb_meaning_code(&(hb_meaning){.unit = HB_TIME_DAYS}), HB_MEANING_NUMBER);
    const hb_meaning minutes = {.kind = HB_MEANING_TIME, .unit = HB_TIME_MINUTES};
    hb_meaning other = minutes;
    assert_true(hb_meaning_same(&minutes, &other));
    other.zoned = true;
    assert_false(hb_meaning_same(&minutes, &other));
    assert_false(hb_meaning_is_possible(&(hb_meaning){.kind = HB_MEANING_TIME}));
    assert_false(hb_meaning_is_possible(&(hb_meaning){.kind = HB_MEANING_DATE, .zoned = true}));
    assert_false(hb_meaning_is_possible(&(hb_meaning){.scale = 10, .unit = HB_TIME_HOURS}));
}

static void test_decimals(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int digits;
        hb_decimal_fault fault;
        uint64_t magnitude;
        bool negative;
        int needed;
    } cases[] = {
        {"1.25", 2, HB_DECIMAL_GOOD, 125, false, 2},
        {"-0.5", 2, HB_DECIMAL_GOOD, 50, true, 1},
        {"-0.00", 0, HB_DECIMAL_GOOD, 0, false, 0},
        {"34.0", 0, HB_DECIMAL_GOOD, 34, false, 0},
        {".5", 1, HB_DECIMAL_GOOD, 5, false, 1},
        {"5.", 0, HB_DECIMAL_GOOD, 5, false, 0},
        {"+1200e-2", 0, HB_DECIMAL_GOOD, 12, false, 0},
        {"1.5E+3", 2, HB_DECIMAL_GOOD, 150000, false, 0},
        {"000100.0010", 3, HB_DECIMAL_GOOD, 100001, false, 3},
        {"18446744073709551615", 0, HB_DECIMAL_GOOD, UINT64_MAX, false, 0},
        {"0.000000000000000001", 18, HB_DECIMAL_GOOD, 1, false, 18},
        {"0e999999999999", 0, HB_DECIMAL_GOOD, 0, false, 0},
        {"-9223372036854775808", 0, HB_DECIMAL_GOOD, (uint64_t)1 << 63, true, 0},
        {"-9223372036854775809", 0, HB_DECIMAL_TOO_LARGE, 0, false, 0},
        {"18446744073709551616", 0, HB_DECIMAL_TOO_LARGE, 0, false, 0},
        {"1e99999999999", 0, HB_DECIMAL_TOO_LARGE, 0, false, 0},
        {"1e-99999999999", 18, HB_DECIMAL_TOO_FINE, 0, false, 99},
        {"1.005", 2, HB_DECIMAL_TOO_FINE, 0, false, 3},
        {"0.12345678901234567890123456", 18, HB_DECIMAL_TOO_FINE, 0, false, 26},
        {"", 0, HB_DECIMAL_NO_NUMBER, 0, false, 0},
        {".", 0, HB_DECIMAL_NO_NUMBER, 0, false, 0},
        {"1.2.3", 2, HB_DECIMAL_NO_NUMBER, 0, false, 0},
        {"1e", 2, HB_DECIMAL_NO_NUMBER, 0, false, 0},
        {"1e+", 2, HB_DECIMAL_NO_NUMBER, 0, false, 0},
        {"1 ", 2, HB_DECIMAL_NO_NUMBER, 0, false, 0},
        {"--1", 2, HB_DECIMAL_NO_NUMBER, 0, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t magnitude = 0;
        bool negative = false;
        int needed = 0;
        const hb_decimal_fault fault =
            hb_decimal_parse(cases[i].text, strlen(cases[i].text), cases[i].digits, &magnitude, &negative, &needed);
        assert_int_equal(fault, cases[i].fault);
        assert_int_equal(magnitude, cases[i].magnitude);
        assert_int_equal(negative, cases[i].negative);
        assert_true(fault == HB_DECIMAL_NO_NUMBER || needed == cases[i].needed);
    }
}

static void test_texts_of_decimals(void **state)
{
    (void)state;
    const hb_meaning cents = {.scale = 100};
    const struct {
        int64_t value;
        const char *text;
    } texts[] = {{125, "1.25"}, {-50, "-0.5"}, {300, "3"},
                 {-1, "-0.01"}, {0, "0"},      {INT64_MIN, "-92233720368547758.08"}};
    char room[HB_MEANING_TEXT];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t back = 0;
        assert_string_equal(hb_meaning_text(&cents, true, (uint64_t)texts[i].value, room), texts[i].text);
        assert_true(texts[i].value == INT64_MIN ||
                    (number(cents, texts[i].text, &back) == HB_OK && back == texts[i].value));
    }
    assert_string_equal(hb_meaning_text(&(hb_meaning){.scale = HB_MOST_SCALE}, false, UINT64_MAX, room),
                        "18.446744073709551615");
    int64_t value;
    assert_refused(number(cents, "1.005", &value), HB_EUSAGE, "is no number of 2 digits behind the point");
}

/* To the nearest, from the middle away from 0, of however many digits: as Python's decimal has it. */
static void test_rounding(void **state)
{
    (void)state;
    const struct {
        const char *text;
        int digits;
        hb_decimal_fault fault;
        uint64_t magnitude;
        bool negative;
    } cases[] = {
        {"0.30000000000000004441", 2, HB_DECIMAL_GOOD, 30, false},
        {"12345.678901234567890123", 3, HB_DECIMAL_GOOD, 12345679, false},
        {"12345.678901234567890123", 14, HB_DECIMAL_GOOD, UINT64_C(1234567890123456789), false},
        {"-0.1000000000000000055511151231257827021181583404541015625", 18, HB_DECIMAL_GOOD,
         UINT64_C(100000000000000006), true},
        {"2.5", 0, HB_DECIMAL_GOOD, 3, false},
        {"-2.5", 0, HB_DECIMAL_GOOD, 3, true},
        {"2.4999999999999999999999999999", 0, HB_DECIMAL_GOOD, 2, false},
        {"0.05000000000000000000000000000", 1, HB_DECIMAL_GOOD, 1, false},
        {"0.04999999999999999999999999999", 1, HB_DECIMAL_GOOD, 0, false},
        {"-0.04", 1, HB_DECIMAL_GOOD, 0, false},
        {"99.99999999999999999999", 4, HB_DECIMAL_GOOD, 1000000, false},
        {"123456789.5e-9", 6, HB_DECIMAL_GOOD, 123457, false},
        {".0000000005e9", 1, HB_DECIMAL_GOOD, 5, false},
        {"7e-30", 18, HB_DECIMAL_GOOD, 0, false},
        {"7e-1", 0, HB_DECIMAL_GOOD, 1, false},
        {"25", 2, HB_DECIMAL_GOOD, 2500, false},
        {"18446744073709551615.49999999999999999999", 0, HB_DECIMAL_GOOD, UINT64_MAX, false},
        {"18446744073709551615.50000000000000000000", 0, HB_DECIMAL_TOO_LARGE, 0, false},
        {"-9223372036854775808.4", 0, HB_DECIMAL_GOOD, (uint64_t)1 << 63, true},
        {"-9223372036854775808.5", 0, HB_DECIMAL_TOO_LARGE, 0, false},
        {"123456789012345678901234.5", 0, HB_DECIMAL_TOO_LARGE, 0, false},
        {"1.5x", 0, HB_DECIMAL_NO_NUMBER, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t magnitude = 0;
        bool negative = false;
        const hb_decimal_fault fault = hb_decimal_round(cases[i].text, strlen(cases[i].text), cases[i].digits,
                                                        HB_DECIMAL_NEAREST, &magnitude, &negative);
        assert_int_equal(fault, cases[i].fault);
        assert_int_equal(magnitude, cases[i].magnitude);
        assert_int_equal(negative, cases[i].negative);
    }
    uint64_t magnitude = 0;
    bool negative = false;
    assert_int_equal(hb_decimal_round("-3.999", 6, 2, HB_DECIMAL_DOWN, &magnitude, &negative), HB_DECIMAL_GOOD);
    assert_true(magnitude == 399 && negative);
    assert_int_equal(hb_decimal_round("18446744073709551615.9", 22, 0, HB_DECIMAL_DOWN, &magnitude, &negative),
                     HB_DECIMAL_GOOD);
    assert_true(magnitude == UINT64_MAX && !negative);
}

static void test_labels(void **state)
{
    (void)state;
    const char *const text[] = {"male", "female", "d", "m\xc3\xa4nnlich", "femal"};
    hb_meaning sex = {.kind = HB_MEANING_CATEGORY}, other;
    char room[HB_MEANING_TEXT], words[HB_MEANING_WORDS];
    int64_t value;
    assert_ok(hb_labels_make(text, 5, &sex.labels));
    for (int64_t i = 0; i < 5; i++) {
        assert_ok(number(sex, text[i], &value));
        assert_int_equal(value, i);
        assert_string_equal(hb_meaning_text(&sex, false, (uint64_t)i, room), text[i]);
    }
    assert_null(hb_meaning_text(&sex, false, 5, room));
    assert_null(hb_meaning_text(&sex, true, UINT64_MAX, room));
    uint64_t place; /* zero bytes end no label early, and let none be read beyond its end */
    assert_true(hb_labels_find(sex.labels, "male", 4, &place) && !hb_labels_find(sex.labels, "male\0", 5, &place));
    assert_false(hb_labels_find(sex.labels, "male\0female", 11, &place) || hb_labels_find(sex.labels, "\0", 1, &place));
    assert_refused(number(sex, "fem", &value), HB_EUSAGE, "'fem' is no label of c, which has 5 labels: male, female");
    /* A reference of its own outlives the first. */
    other = hb_meaning_share(&sex);
    hb_meaning_clear(&sex);
    assert_true(sex.labels == NULL && hb_meaning_is_plain(&sex));
    assert_ok(number(other, "d", &value));
    hb_meaning_words(&other, words);
    assert_string_equal(words, "5 labels: male, female, d, m\xc3\xa4nnlich, femal");
    assert_ok(hb_labels_make(text, 4, &sex.labels));
    sex.kind = HB_MEANING_CATEGORY;
    assert_false(hb_meaning_same(&sex, &other));
    hb_meaning_clear(&sex);
    hb_meaning_clear(&other);
    const char *const twins[] = {"a", "b", "a"}, *const empty[] = {"a", ""}, *const control[] = {"a\n"},
                      *const latin[] = {"m\xe4nnlich"};
    assert_refused(hb_labels_make(twins, 3, &sex.labels), HB_EDATA, "are the same, one of them number 3");
    assert_refused(hb_labels_make(empty, 2, &sex.labels), HB_EDATA, "label 2 of a category is empty");
    assert_refused(hb_labels_make(control, 1, &sex.labels), HB_EDATA, "control characters");
    assert_refused(hb_labels_make(latin, 1, &sex.labels), HB_EDATA, "no UTF-8");
    assert_refused(hb_labels_make(twins, 0, &sex.labels), HB_EDATA, "1 to 65536 labels");
}

static void test_truth(void **state)
{
    (void)state;
    const hb_meaning truth = {.kind = HB_MEANING_BOOL};
    const char *yes[] = {"true", "TRUE", "True", "yes", "1"}, *no[] = {"false", "No", "0"};
    char room[HB_MEANING_TEXT];
    int64_t value = 0;
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        assert_true(number(truth, yes[i], &value) == HB_OK && value == 1);
    }
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
        assert_true(number(truth, no[i], &value) == HB_OK && value == 0);
    }
    assert_refused(number(truth, "maybe", &value), HB_EUSAGE, "neither true nor false");
    assert_string_equal(hb_meaning_text(&truth, false, 1, room), "true");
    assert_string_equal(hb_meaning_text(&truth, false, 0, room), "false");
    assert_null(hb_meaning_text(&truth, false, 2, room));
    /* Meanings that files may contain. */
    assert_false(hb_meaning_is_possible(&(hb_meaning){.kind = HB_MEANING_CATEGORY}));
    assert_false(hb_meaning_is_possible(&(hb_meaning){.kind = HB_MEANING_DATE, .scale = 10}));
    assert_false(hb_meaning_is_possible(&(hb_meaning){.scale = 20}));
    assert_false(hb_meaning_is_possible(&(hb_meaning){.kind = (hb_meaning_kind)7}));
    assert_true(hb_meaning_is_possible(&(hb_meaning){.scale = HB_MOST_SCALE}));
}

HB_UNIT(meaning)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_dates),
                                       cmocka_unit_test(test_times),
                                       cmocka_unit_test(test_units_of_times),
                                       cmocka_unit_test(test_folded),
                                       cmocka_unit_test(test_codes),
                                       cmocka_unit_test(test_decimals),
                                       cmocka_unit_test(test_texts_of_decimals),
                                       cmocka_unit_test(test_rounding),
                                       cmocka_unit_test(test_labels),
                                       cmocka_unit_test(test_truth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
