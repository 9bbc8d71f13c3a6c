/* Surveys of CSV files, whose columns have all kinds of cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "io/survey/survey.h"
#include "unit/io/table/said_table.h"
#include "unit/scratch.h"
#include "unit/unit.h"

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *cells; /* of one column */
        hb_survey_kind kind;
        int digits;
        uint64_t missing;
        const char *words;
    } cases[] = {
        {"1\n-2\n", HB_SURVEY_INTEGERS, 0, 0, ""},
        {"1\n\"\"\nNA\n2\n", HB_SURVEY_INTEGERS, 0, 2, ""},
        {"1.5\n2\n0.125\n", HB_SURVEY_DECIMALS, 3, 0, ""},
        {"1.5\nunknown\n?\n", HB_SURVEY_DECIMALS, 1, 2, "?,unknown"},
        {"1.5\nhigh\n", HB_SURVEY_MIXED, 1, 0, ""},
        {"7\nunknown\nhigh\n", HB_SURVEY_MIXED, 0, 0, ""},
        {"true\nfalse\n", HB_SURVEY_TRUTHS, 0, 0, ""},
        {"2024-01-02\n2024-02-29\n", HB_SURVEY_DATES, 0, 0, ""},
        {"31.12.2024\n03.04.2024\n", HB_SURVEY_DATES, 0, 0, ""},
        {"12/31/2024\n", HB_SURVEY_DATES, 0, 0, ""},
        {"03/04/2024\n", HB_SURVEY_MIXED, 0, 0, ""}, /* which is the month? */
        {"\"80,5\"\n7\n", HB_SURVEY_DECIMALS, 1, 0, ""},
        {"\"80,55\"\n", HB_SURVEY_DECIMALS, 2, 0, ""},
        {"\"1,234\"\n", HB_SURVEY_MIXED, 0, 0, ""}, /* a fraction, or thousands? */
        {"\"1,234.5\"\n", HB_SURVEY_DECIMALS, 1, 0, ""},
        {"12%\n", HB_SURVEY_DECIMALS, 2, 0, ""},
        {"12%\n12\n", HB_SURVEY_MIXED, 0, 0, ""}, /* a fraction, or a number? */
        {"a\n\"b, c\"\nunknown\n", HB_SURVEY_TEXTS, 0, 0, ""},
        {"a\nN/A\n", HB_SURVEY_TEXTS, 0, 1, ""},
        {"1\n2024-01-02\n", HB_SURVEY_MIXED, 0, 0, ""},
        {"2024-01-02T00:00\n2024-02-29 00:00:00\n", HB_SURVEY_DATES, 0, 0, ""},
        {"2024-01-02T00:00\nNA\n2024-02-29 08:30:00\n", HB_SURVEY_TIMES, 0, 1, ""},
        {"02.01.2024 08:30\n31.01.2024 09:00\n", HB_SURVEY_TIMES, 0, 0, ""},
        {"2024-01-02T08:30+01:00\n", HB_SURVEY_TIMES, 0, 0, ""},
        {"2024-01-02T08:30\n7\n", HB_SURVEY_MIXED, 0, 0, ""},
        {"2024-01-02T24:00\n", HB_SURVEY_MIXED, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hb_reading none = {.count = 0};
        hb_survey survey;
        char text[128];
        snprintf(text, sizeof text, "x\n%s", cases[i].cells);
        assert_int_equal(hb_table_survey(put("t.csv", text), &none, &survey), HB_OK);
        const hb_survey_column *x = hb_survey_find(&survey, "x");
        assert_non_null(x);
        if (x->kind != cases[i].kind) {
            fail_msg("%s is of kind %d", cases[i].cells, (int)x->kind);
        }
        assert_int_equal(x->missing, cases[i].missing);
        assert_string_equal(x->words, cases[i].words);
        if (x->kind == HB_SURVEY_DECIMALS) {
            assert_int_equal(x->digits, cases[i].digits);
        }
        assert_null(hb_survey_find(&survey, "y"));
        free(survey.column);
    }
}

/* The text of a cell that no reading takes is cut between two characters. */
static void test_long_text(void **state)
{
    (void)state;
    const char *const texts[] = {"%.46s\xC3\xA9 high", "%.45s\xE2\x82\xAC high", "%.47s\xC3\xA9 high", "%.9s"};
    const size_t shown[] = {46, 45, 47, 9};
    const char *letters = "an apple a day keeps the doctor away from me, they say";
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const hb_reading none = {.count = 0};
        hb_survey survey;
        char text[256];
        const int length = snprintf(text, sizeof text, "x\n7\n8\n9\n\"");
        const int more = snprintf(text + length, sizeof text - (size_t)length, texts[i], letters);
        snprintf(text + length + more, sizeof text - (size_t)(length + more), "\"\nhigh\n");
        assert_int_equal(hb_table_survey(put("long.csv", text), &none, &survey), HB_OK);
        assert_int_equal(survey.column[0].kind, HB_SURVEY_MIXED);
        assert_int_equal(strlen(survey.column[0].odd_text), shown[i]);
        assert_memory_equal(survey.column[0].odd_text, letters, shown[i]);
        hb_survey_clear(&survey);
    }
}

/* The files of a pattern are one table: percent signs and dates in another form are not forgotten. */
static void test_several_files(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        hb_survey_kind kind;
        int digits;
        uint64_t missing;
        const char *words;
    } cases[] = {
        {"1\n", "0.25\n", HB_SURVEY_DECIMALS, 2, 0, ""},
        {"0.25\n", "1\n\"\"\n", HB_SURVEY_DECIMALS, 2, 1, ""},
        {"12%\n", "7%\n", HB_SURVEY_DECIMALS, 2, 0, ""},
        {"12%\n", "0.12\n", HB_SURVEY_MIXED, 2, 0, ""},
        {"0.12\n", "12%\n", HB_SURVEY_MIXED, 2, 0, ""},
        {"a\n", "1\n", HB_SURVEY_MIXED, 0, 0, ""},
        {"1\nunknown\n?\n", "2\n?\n-\n", HB_SURVEY_INTEGERS, 0, 4, "?,unknown,-"},
        {"31.12.2024\n", "03.04.2024\n", HB_SURVEY_DATES, 0, 0, ""},
        {"2024-12-31\n", "31.12.2024\n", HB_SURVEY_MIXED, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hb_reading none = {.count = 0};
        hb_survey survey;
        char text[128];
        snprintf(text, sizeof text, "x\n%s", cases[i].first);
        put("part1.csv", text);
        snprintf(text, sizeof text, "x\n%s", cases[i].second);
        put("part2.csv", text);
        assert_int_equal(hb_table_survey(in_scratch("part*.csv"), &none, &survey), HB_OK);
        const hb_survey_column *x = hb_survey_find(&survey, "x");
        assert_non_null(x);
        if (x->kind != cases[i].kind) {
            fail_msg("%s with %s is of kind %d", cases[i].first, cases[i].second, (int)x->kind);
        }
        assert_int_equal(x->missing, cases[i].missing);
        assert_int_equal(x->digits, cases[i].digits);
        assert_string_equal(x->words, cases[i].words);
        free(survey.column);
    }
    assert_true(hb_survey_has_word("?,n.a.", "?", 1));
    assert_false(hb_survey_has_word("n.a.", "n.a", 3));
}

/* A form is not found where it changes numbers whose scale is said, though it reads another column. */
static void test_said(void **state)
{
    (void)state;
    static const struct {
        const char *cell, *category;
        char decimal;
    } cases[] = {{"1.234", NULL, 0}, {"1234", NULL, ','}, {"\"1,5\"", NULL, ','}, {"1.234", "kg", ','}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *category = cases[i].category;
        const hb_reading_words words = {
            .scale = category == NULL ? "kg=1000" : NULL, .categories = &category, .category_count = category != NULL};
        hb_reading reading;
        hb_survey survey;
        char text[64];
        snprintf(text, sizeof text, "cm,kg\n\"80,5\",%s\n", cases[i].cell);
        assert_int_equal(hb_reading_parse(&words, &reading), HB_OK);
        assert_int_equal(hb_table_survey(put("said.csv", text), &reading, &survey), HB_OK);
        assert_int_equal(survey.decimal, cases[i].decimal);
        assert_int_equal(survey.column[0].kind, cases[i].decimal != 0 ? HB_SURVEY_DECIMALS : HB_SURVEY_MIXED);
        free(survey.column);
        hb_reading_clear(&reading);
    }
}

/* Points that may stand between thousands are in doubt where no column shows how points are meant. */
static void test_doubt(void **state)
{
    (void)state;
    static const struct {
        const char *text, *decimal, *doubt;
        char found;
    } cases[] = {{"x;y\n5;1\n1.234;2\n", NULL, "row 2 (line 3)", 0},
                 {"x;y\n1.234;\"2,5\"\n", NULL, "row 1 (line 2)", 0},
                 {"x;y\n1.234;2.5\n", NULL, "row 1 (line 2)", '.'},
                 {"x;y\n1.234;1\n2.5;2\n", NULL, "row 1 (line 2)", '.'},
                 {"x;y\n1.234;1\n", "point", "", 0},
                 {"x,y\n1.234,1\n", NULL, "", 0},
                 {"x;y\nA.123;1\n", NULL, "", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int said = 0; said < 2; said++) {
            const bool number = cases[i].text[4] != 'A';
            hb_reading reading;
            hb_survey survey;
            assert_int_equal(hb_reading_parse(&(hb_reading_words){.decimal = cases[i].decimal,
                                                                  .scale = said && number ? "x=1000" : NULL},
                                              &reading),
                             HB_OK);
            assert_int_equal(hb_table_survey(put("doubt.csv", cases[i].text), &reading, &survey), HB_OK);
            assert_string_equal(survey.column[0].doubt, cases[i].doubt);
            assert_int_equal(survey.decimal, cases[i].found);
            hb_survey_clear(&survey);
            hb_reading_clear(&reading);
        }
    }
}

HB_UNIT(survey)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_said), cmocka_unit_test(test_kinds),
                                       cmocka_unit_test(test_doubt), cmocka_unit_test(test_long_text),
                                       cmocka_unit_test(test_several_files)};
    return cmocka_run_group_tests_name("survey", tests, scratch_make, scratch_remove);
}
