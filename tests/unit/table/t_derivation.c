/* Rules of derived columns by themselves: constants that are finer than cells, numbers that no day has. */
#include "unit/scratch.h"

#include <math.h>

#include "table/derivation.h"
#include "unit/unit.h"

/* The times 9:00, 10:00 and 11:00 in hours, compared with times between them. */
static void test_finer_times(void **state)
{
    (void)state;
    static const struct {
        const char *derive;
        int want[3];
    } cases[] = {{"d=x >= 2024-03-01T09:30:15", {0, 1, 1}},   {"d=x < '2024-03-01T09:30:15'", {1, 0, 0}},
                 {"d=x > 2024-03-01T10:00:00.25", {0, 0, 1}}, {"d=x == 2024-03-01T09:30", {0, 0, 0}},
                 {"d=x <= 1969-12-31T23:59", {0, 0, 0}},      {"d=x != 2024-03-01T10:00:00", {1, 0, 1}}};
    static const hb_cell_type cells[] = {HB_CELL_INTEGER, HB_CELL_WIDE, HB_CELL_REAL};
    const int64_t nine = 1709283600 / 3600; /* 2024-03-01T09:00 */
    for (size_t i = 0; i < 3 * (sizeof cases / sizeof *cases); i++) {
        const hb_column column = {
            .name = (char[]){"x"}, .cells = cells[i % 3], .meaning = {.kind = HB_MEANING_TIME, .unit = HB_TIME_HOURS}};
        hb_derivations derived;
        hb_derived_rule rule;
        assert_ok(hb_derivations_parse((const char *const[]){cases[i / 3].derive}, 1, &derived));
        assert_ok(hb_derived_rule_make(&rule, &derived.item[0], (const hb_column *const[]){&column, NULL}, NULL, NULL));
        for (int t = 0; t < 3; t++) {
            const hb_derived_cell cell = {.integer = nine + t, .number = (double)(nine + t)};
            hb_derived_cell to;
            assert_null(rule.make(&rule, (const hb_derived_cell *const[]){&cell, NULL}, &to));
            assert_int_equal(to.integer, cases[i / 3].want[t]);
        }
        hb_derived_rule_clear(&rule);
        hb_derivations_clear(&derived);
    }
}

/* Numbers that no day has are refused, however large they are. */
static void test_no_days(void **state)
{
    (void)state;
    static const struct {
        const char *derive;
        hb_cell_type cells;
        double number;
    } cases[] = {{"d=year(x)", HB_CELL_REAL, 1e300},         {"d=weekday(x)", HB_CELL_REAL, -1e19},
                 {"d=month(x)", HB_CELL_REAL, NAN},          {"d=age(x, 2024-01-01)", HB_CELL_REAL, INFINITY},
                 {"d=year(x)", HB_CELL_WIDE, 0x1p64},        {"d=weekday(x)", HB_CELL_WIDE, 0x1p100},
                 {"d=quarter(x)", HB_CELL_INTEGER, 2932897}, {"d=age(x, 2024-01-01)", HB_CELL_INTEGER, -719163}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hb_column column = {.name = (char[]){"x"}, .cells = cases[i].cells, .meaning.kind = HB_MEANING_DATE};
        const double number = cases[i].number;
        const hb_derived_cell cell = {.integer = cases[i].cells == HB_CELL_REAL ? 0 : (hb_i128)number,
                                      .number = cases[i].cells == HB_CELL_REAL ? number : 0};
        hb_derivations derived;
        hb_derived_rule rule;
        hb_derived_cell to;
        assert_ok(hb_derivations_parse((const char *const[]){cases[i].derive}, 1, &derived));
        assert_ok(hb_derived_rule_make(&rule, &derived.item[0], (const hb_column *const[]){&column, NULL}, NULL, NULL));
        assert_string_equal(rule.make(&rule, (const hb_derived_cell *const[]){&cell, NULL}, &to),
                            "it is no date of the years 1 to 9999");
        hb_derived_rule_clear(&rule);
        hb_derivations_clear(&derived);
    }
}

HB_UNIT(derivation)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_finer_times), cmocka_unit_test(test_no_days)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
