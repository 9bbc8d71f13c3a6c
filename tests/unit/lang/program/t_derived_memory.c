/* Lists of derived columns where memory runs out, and how often a column is looked at. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "lang/program/derived.h"

/* Allocations of so many bytes are counted, and refused where that is wanted. */
static size_t watched;
static int met;
static bool refused;

void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    met += bytes == watched;
    return refused && bytes == watched ? NULL : __real_malloc(bytes);
}

static void watch(size_t bytes, bool refuse)
{
    watched = bytes;
    refused = refuse;
    met = 0;
}

/* The table by which columns are found is as long as the list, also where the first try to lengthen it failed. */
static void a_list_is_whole_after_a_failure(void **state)
{
    (void)state;
    enum { FIRST = 16, SECOND = 2 * (FIRST + 1), ALL = 60 }; /* columns that the list has room for, one after another */
    hb_derived d = {.reals = false};
    uint32_t column;
    for (uint32_t i = 0; i < FIRST; i++) {
        assert_int_equal(hb_derived_add_number(&d, (hb_plain_value){.integer = i}, &column), HB_OK);
    }
    watch((2 * SECOND + 1) * sizeof *d.table.place, true);
    assert_int_equal(hb_derived_add_number(&d, (hb_plain_value){.integer = FIRST}, &column), HB_ENOMEM);
    assert_int_equal(met, 1);
    watch(0, false);
    for (uint32_t i = 0; i < ALL; i++) {
        assert_int_equal(hb_derived_add_number(&d, (hb_plain_value){.integer = i}, &column), HB_OK);
        assert_int_equal(column, i);
        assert_true(d.table.size > 2 * d.count);
    }
    hb_derived_clear(&d);
}

/* Comparisons with numbers look at a long column once for all, also where its reals cannot be counted. */
static void a_column_is_counted_once(void **state)
{
    (void)state;
    enum { ROWS = 5000, CHUNK = 4096, NUMBERS = 5 };
    static double x[ROWS];
    for (int whole = 0; whole < 2; whole++) {
        hb_derived d = {.reals = true};
        const hb_derived_column made = {.kind = HB_ITEM_NAME, .cells = {HB_PLAIN_REALS, ROWS, x}};
        uint32_t cells, number[NUMBERS], equal;
        for (int i = 0; i < ROWS; i++) {
            x[i] = i % 100 + (whole != 0 ? 0 : 0.5);
        }
        assert_int_equal(hb_derived_add(&d, &made, &cells), HB_OK);
        for (int i = 0; i < NUMBERS; i++) {
            assert_int_equal(hb_derived_add_number(&d, (hb_plain_value){.real = i}, &number[i]), HB_OK);
        }
        watch(CHUNK * sizeof(hb_plain_value), false); /* that many values at a time */
        for (int i = 0; i < NUMBERS; i++) {
            assert_int_equal(hb_derived_add_pair(&d, HB_ITEM_EQUAL, cells, number[i], &equal), HB_OK);
            assert_int_equal(d.column[equal].chosen, whole != 0 ? ROWS / 100 : 0);
        }
        assert_int_equal(met, whole != 0 ? 1 : 1 + NUMBERS); /* the tally, and the values that it lacks */
        hb_derived_clear(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_list_is_whole_after_a_failure),
                                       cmocka_unit_test(a_column_is_counted_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
