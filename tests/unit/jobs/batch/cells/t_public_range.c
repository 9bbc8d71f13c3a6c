/* Ranges that a dataset says of columns with masks, and the values of their missing cells. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cell.h"
#include "batch/cells/public_range.h"
#include "unit/unit.h"

/* A range of integers, the fill that it gets, and the range that holds both. */
static void integers(void **state)
{
    (void)state;
    const struct {
        int64_t least, most, fill, low, high;
    } cases[] = {{0, 9, 0, 0, 9},
                 {-3, 9, 0, -3, 9},
                 {18, 90, 18, 18, 90},
                 {-90, -41, -41, -90, -41},
                 {7, 7, 7, 7, 7},
                 {19724, 20100, 19724, 19724, 20100},
                 {1, 1000000, 1, 1, 1000000},
                 {INT64_MAX, INT64_MAX, 0, 0, INT64_MAX}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_column column = {.mask = 2, .fill = 99};
        hb_interval range = hb_interval_of(cases[i].least, cases[i].most);
        hb_public_fill(&column, &range);
        assert_true(column.has_fill && (int64_t)column.fill == cases[i].fill);
        assert_true(range.least == cases[i].low && range.most == cases[i].high);
        assert_true(hb_interval_within(hb_column_fill(&column), range));
    }
}

/* Reals get whole numbers, where these are far from 0. */
static void reals(void **state)
{
    (void)state;
    const struct {
        double low, high, fill, least, most;
    } cases[] = {{0, 9, 0, 0, 9},
                 {18, 90, 0, 0, 90},
                 {18, 36, 18, 18, 36},
                 {17.5, 36, 0, 0, 36},
                 {19724.5, 20100, 19725, 19724.5, 20100},
                 {-20100, -19724.5, -19725, -20100, -19724.5},
                 {5.25, 5.75, 0, 0, 5.75},
                 {0x1p31, 0x1.8p31, 0x1p31, 0x1p31, 0x1.8p31},
                 {0x1.8p31, 0x1.9p31, 0, 0, 0x1.9p31}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_column column = {.cells = HB_CELL_REAL, .mask = 1, .fill = 99};
        hb_interval range = hb_interval_of_reals(cases[i].low, cases[i].high);
        hb_public_fill(&column, &range);
        assert_true(column.has_fill && column.fill == hb_real_word(cases[i].fill)); /* and no -0 */
        assert_true(range.low == cases[i].least && range.high == cases[i].most);
    }
}

/* Columns without masks, without a range, and of complex numbers. */
static void others(void **state)
{
    (void)state;
    hb_column plain = {.mask = 0}, unknown = {.mask = 3},
              both = {.mask = 3, .cells = HB_CELL_REAL, .halves = HB_HALVES_COMPLEX};
    hb_interval range = hb_interval_of(5, 9), none = {.known = false}, moduli = hb_interval_of_reals(-4, 4);
    hb_public_fill(&plain, &range);
    hb_public_fill(&unknown, &none);
    hb_public_fill(&both, &moduli);
    assert_true(!plain.has_fill && plain.fill == 0 && range.least == 5);
    assert_true(unknown.has_fill && unknown.fill == 0 && !none.known);
    assert_true(both.has_fill && both.fill == 0 && moduli.low == -4);
}

HB_UNIT(public_range)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(integers), cmocka_unit_test(reals), cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
