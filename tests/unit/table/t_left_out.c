/* Which rows were left out: sums against powers that are multiplied up one by one, tables behind one another against
 * the whole, and the contents that a file may have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "table/left_out.h"
#include "unit/unit.h"

#define MODULUS (((uint64_t)1 << 61) - 1)

/* a b mod 2^61 - 1 by doubling, without a wide product. */
static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t out = 0;
    for (; b > 0; b >>= 1, a = 2 * a % MODULUS) {
        out = (b & 1) != 0 ? (out + a) % MODULUS : out;
    }
    return out;
}

/* For every row r of `rows` for which bit r % 64 of `mask` is set. */
static hb_left_out by_hand(uint64_t rows, uint64_t mask)
{
    uint64_t base[HB_LEFT_OUT_SUMS] = {1, 1}, power[HB_LEFT_OUT_SUMS] = {1, 1};
    hb_left_out out = {.rows = 0};
    for (int i = 0; i < 38; i++) {
        base[0] *= 3;
    }
    for (int i = 0; i < 26; i++) {
        base[1] *= 5;
    }
    for (uint64_t r = 0; r < rows; r++) {
        const uint64_t in = mask >> r % 64 & 1;
        out.rows += in;
        for (int i = 0; i < HB_LEFT_OUT_SUMS; i++) {
            out.sum[i] = (out.sum[i] + in * power[i]) % MODULUS;
            power[i] = times(power[i], base[i]);
        }
    }
    return out;
}

static hb_left_out added(uint64_t rows, uint64_t mask)
{
    hb_left_out out = {.rows = 0};
    for (uint64_t r = 0; r < rows; r++) {
        if ((mask >> r % 64 & 1) != 0) {
            hb_left_out_add(&out, r);
        }
    }
    return out;
}

static void rows_are_sums_of_powers(void **state)
{
    (void)state;
    const uint64_t masks[] = {0, 1, 2, 0x8000000000000000, 0x123456789abcdef0, UINT64_MAX};
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        for (uint64_t rows = 0; rows < 300; rows += 37) {
            const hb_left_out a = added(rows, masks[i]), b = by_hand(rows, masks[i]);
            assert_true(hb_left_out_same(&a, &b));
            assert_true(hb_left_out_is_possible(&a, rows - a.rows));
        }
    }
}

/* Every pair of different sets of rows of small tables, also of as many rows. */
static void other_rows_are_not_the_same(void **state)
{
    (void)state;
    for (uint64_t a = 0; a < 128; a++) {
        for (uint64_t b = 0; b < 128; b++) {
            const hb_left_out x = added(7, a), y = added(7, b);
            assert_int_equal(hb_left_out_same(&x, &y), a == b);
            const hb_status st =
                hb_left_out_require_same((hb_left_out_of){"x", 7 - x.rows, &x}, (hb_left_out_of){"y", 7 - y.rows, &y});
            assert_int_equal(st, a == b ? HB_OK : HB_EDATA);
        }
    }
}

static void tables_behind_one_another_are_one(void **state)
{
    (void)state;
    for (uint64_t first = 0; first <= 64; first += 8) {
        const uint64_t mask = 0x9e3779b97f4a7c15;
        const hb_left_out whole = added(64, mask), behind = added(64 - first, first < 64 ? mask >> first : 0);
        hb_left_out all = added(first, mask);
        hb_left_out_join(&all, first, &behind);
        assert_true(hb_left_out_same(&all, &whole));
    }
}

static void files_say_what_can_be(void **state)
{
    (void)state;
    const hb_left_out none = {.rows = 0}, sums = {.sum = {0, 1}}, large = {.rows = 1, .sum = {MODULUS, 0}},
                      many = {.rows = INT64_MAX};
    assert_true(hb_left_out_is_possible(&none, INT64_MAX));
    assert_false(hb_left_out_is_possible(&none, (uint64_t)INT64_MAX + 1));
    assert_false(hb_left_out_is_possible(&sums, 1));
    assert_false(hb_left_out_is_possible(&large, 1));
    assert_true(hb_left_out_is_possible(&many, 0));
    assert_false(hb_left_out_is_possible(&many, 1));
    char text[HB_LEFT_OUT_TEXT];
    const hb_left_out one = added(12, 4);
    hb_left_out_text(text, &one, 11);
    assert_string_equal(text, "1 of 12 rows was left out, as a cell of it is missing");
    hb_left_out_text(text, &none, 11);
    assert_string_equal(text, "no row was left out");
}

HB_UNIT(left_out)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_sums_of_powers), cmocka_unit_test(other_rows_are_not_the_same),
        cmocka_unit_test(tables_behind_one_another_are_one), cmocka_unit_test(files_say_what_can_be)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
