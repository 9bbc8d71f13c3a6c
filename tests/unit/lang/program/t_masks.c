/* Masks of rows by their codes, against the codes themselves; the same codes are one list, and the same mask one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lang/program/masks.h"
#include "unit/unit.h"

enum { ROWS = 1000, CODES = 5, LISTS = 3 };

static uint16_t code_of(uint32_t list, uint64_t row)
{
    return (uint16_t)((row * (list + 3) + row / 7) % CODES);
}

static uint32_t add(hb_masks *masks, uint32_t list)
{
    uint16_t *codes = malloc(ROWS * sizeof *codes);
    uint32_t number;
    assert_non_null(codes);
    for (uint64_t row = 0; row < ROWS; row++) {
        codes[row] = code_of(list, row);
    }
    assert_int_equal(hb_masks_add_codes(masks, codes, ROWS, &number), HB_OK);
    return number;
}

static void assert_mask(const hb_masks *masks, uint32_t mask, uint32_t list, uint16_t code)
{
    uint64_t values[ROWS], count = 0;
    static const uint64_t firsts[] = {0, 1, 500, 999};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        const uint64_t first = firsts[i], rows = ROWS - first;
        memset(values, 0x55, sizeof values);
        hb_masks_fill(masks, mask, first, rows, 77, values);
        for (uint64_t row = 0; row < rows; row++) {
            assert_int_equal(values[row], code_of(list, first + row) == code ? 77 : 0);
        }
        for (uint64_t row = rows; row < ROWS; row++) {
            assert_int_equal(values[row], UINT64_C(0x5555555555555555));
        }
    }
    for (uint64_t row = 0; row < ROWS; row++) {
        assert_int_equal(hb_masks_have(masks, mask, row), code_of(list, row) == code);
        count += code_of(list, row) == code;
    }
    assert_int_equal(masks->masks[mask].count, count);
}

static void rows_with_a_code(void **state)
{
    (void)state;
    hb_masks masks = {0}, copy = {0};
    uint32_t mask[LISTS][CODES + 1], again;
    for (uint32_t list = 0; list < LISTS; list++) {
        const uint32_t number = add(&masks, list);
        assert_int_equal(number, list);
        for (uint16_t code = 0; code <= CODES; code++) { /* the last one has no row */
            assert_int_equal(hb_masks_find(&masks, number, code, &mask[list][code]), HB_OK);
        }
    }
    assert_int_equal(masks.count, LISTS * (CODES + 1));
    assert_int_equal(add(&masks, 1), 1);
    assert_int_equal(masks.list_count, LISTS);
    assert_int_equal(hb_masks_find(&masks, 2, 3, &again), HB_OK);
    assert_int_equal(again, mask[2][3]);
    assert_int_equal(hb_masks_copy(&masks, &copy), HB_OK);
    for (uint32_t list = 0; list < LISTS; list++) {
        for (uint16_t code = 0; code <= CODES; code++) {
            assert_mask(&masks, mask[list][code], list, code);
        }
    }
    hb_masks_clear(&masks);
    assert_mask(&copy, mask[2][4], 2, 4); /* of its own */
    hb_masks_clear(&copy);
}

HB_UNIT(masks)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_with_a_code)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
