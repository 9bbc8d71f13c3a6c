/* Ranges as --range declares them: of operands, of their columns by names and by numbers, of reals; refused forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lang/program/range.h"
#include "unit/unit.h"

static void assert_error(const char *part)
{
    if (strstr(hb_last_error()->text, part) == NULL) {
        fail_msg("'%s' is not in '%s'", part, hb_last_error()->text);
    }
}

static void ranges_of_names(void **state)
{
    (void)state;
    hb_range *list = NULL;
    uint32_t count = 0;
    assert_int_equal(hb_ranges_parse("a=0..150,b_2=-7..-3,c=-9223372036854775808..9223372036854775807", &list, &count),
                     HB_OK);
    assert_int_equal(count, 3);
    assert_string_equal(list[1].name, "b_2");
    assert_int_equal(list[1].least, -7);
    assert_int_equal(list[1].most, -3);
    assert_true(list[2].least == -INT64_MAX && list[2].most == INT64_MAX); /* that much or more */
    assert_true(hb_wide_compare(list[2].values.wide_least, hb_wide_of(INT64_MIN)) == 0);
    assert_true(list[0].least == 0 && list[0].most == 150);
    hb_ranges_free(list, count);
}

static void ranges_of_columns(void **state)
{
    (void)state;
    hb_range *list = NULL;
    uint32_t count = 0;
    assert_int_equal(hb_ranges_parse("p.age=0..120,p.\"odd, a=b\"=1..2,p.12=3..4,p=5..6", &list, &count), HB_OK);
    assert_int_equal(count, 4);
    assert_string_equal(list[0].name, "p");
    assert_string_equal(list[0].column, "age");
    assert_string_equal(list[1].column, "odd, a=b");
    assert_true(list[2].column == NULL && list[2].number == 12 && list[2].most == 4);
    assert_true(list[3].column == NULL && list[3].number == 0 && list[1].number == 0);
    hb_ranges_free(list, count);
}

static void ranges_of_reals(void **state)
{
    (void)state;
    hb_range *list = NULL;
    uint32_t count = 0;
    assert_int_equal(hb_ranges_parse("a=-0.5..1.25,b=0..1e-3,c=2..3", &list, &count), HB_OK);
    assert_int_equal(count, 3);
    assert_true(list[0].values.real && list[0].values.low == -0.5 && list[0].values.high == 1.25);
    assert_true(list[1].values.real && list[1].values.low == 0 && list[1].values.high == 1e-3);
    assert_true(!list[2].values.real && list[2].values.least == 2 && list[2].most == 3);
    assert_int_equal(hb_ranges_check_scheme(list + 2, 1, HB_BFV), HB_OK);
    assert_int_equal(hb_ranges_check_scheme(list, count, HB_BFV), HB_EUSAGE);
    assert_error("--range of a: BFV has integers, so the ends");
    hb_ranges_free(list, count);
}

static void others_are_refused(void **state)
{
    (void)state;
    hb_range *list = NULL;
    uint32_t count = 0;
    static const char *const wrong[] = {
        "a.=1..2",
        "a.0=1..2",
        "a.x y=1..2",
        "a.\"x=1..2",
        "a.\"\"=1..2",
        "a..x=1..2",
        ".x=1..2",
        "a.x=1..2,a.x=1..2",
        "a.3x=1..2",
        "a.99999999999999999999=1..2",
        "",
        "a",
        "a=1",
        "a=1..",
        "a=..1",
        "a=2..1",
        "a=1..2,",
        ",a=1..2",
        "a=1...2",
        "a=0..1.",
        "a=.5..1",
        "a=0..1e999",
        "a=1.5..1.25",
        "a= 1..2",
        "a=1..2;b=1..2",
        "a=1..2,a=3..4",
        "1=1..2",
        "a=0..1000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(hb_ranges_parse(wrong[i], &list, &count), HB_EUSAGE);
        assert_null(list);
    }
    /* A range that is given twice is named. */
    static const char *const twice[][2] = {{"a.x=1..2,a.x=1..2", "the range of column 'x' of a twice"},
                                           {"a.2=1..2,b=1..2,a.2=1..2", "the range of column 2 of a twice"},
                                           {"a=1..2,a=3..4", "the range of a twice"}};
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++) {
        assert_int_equal(hb_ranges_parse(twice[i][0], &list, &count), HB_EUSAGE);
        assert_error(twice[i][1]);
    }
}

HB_UNIT(declared_ranges)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges_of_names), cmocka_unit_test(ranges_of_columns),
                                       cmocka_unit_test(ranges_of_reals), cmocka_unit_test(others_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
