/* Packing by brute force: every small shape in both orders, every cell exactly once and in its documented place, every
 * run against all rectangles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "table/packing.h"
#include "unit/unit.h"

#define MOST 7 /* rows, columns and capacity of the small shapes */

/* Where the format puts a cell: ciphertext and slot, straight from the description in table/packing.h. */
static void place(const hb_packing *p, uint64_t row, uint64_t column, uint64_t *ciphertext, uint64_t *slot)
{
    if (p->order == HB_PACK_COLUMNS) {
        *ciphertext = row / p->capacity * p->columns + column;
        *slot = row % p->capacity;
    } else if (p->block > 0) {
        *ciphertext = row / (p->capacity / p->block);
        *slot = row % (p->capacity / p->block) * p->block + column;
    } else if (p->columns <= p->capacity) {
        const uint64_t whole_rows = p->capacity / p->columns;
        *ciphertext = row / whole_rows;
        *slot = row % whole_rows * p->columns + column;
    } else {
        const uint64_t pieces = (p->columns + p->capacity - 1) / p->capacity;
        *ciphertext = row * pieces + column / p->capacity;
        *slot = column % p->capacity;
    }
}

static void check_cells(const hb_packing *p)
{
    uint8_t seen[MOST][MOST] = {{0}};
    uint64_t cells = 0;
    for (uint64_t i = 0; i < hb_packing_ciphertexts(p); i++) {
        const hb_rectangle r = hb_packing_cells(p, i);
        assert_true(r.rows >= 1 && r.columns >= 1);
        for (uint64_t s = 0; s < r.rows * r.columns; s++) {
            const uint64_t row = r.row + s / r.columns, column = r.column + s % r.columns;
            uint64_t ciphertext, slot;
            assert_true(row < p->rows && column < p->columns);
            assert_int_equal(seen[row][column]++, 0);
            place(p, row, column, &ciphertext, &slot);
            assert_int_equal(ciphertext, i);
            assert_int_equal(slot, s / r.columns * hb_packing_stride(p, &r) + s % r.columns);
            cells++;
        }
    }
    assert_int_equal(cells, p->rows * p->columns);
}

/* Whether the cells of ciphertexts i .. i + length, which are disjoint, fill their bounding box. */
static int is_rectangle(const hb_packing *p, uint64_t i, uint64_t length, hb_rectangle *box)
{
    uint64_t cells = 0, row_end = 0, column_end = 0;
    *box = hb_packing_cells(p, i);
    for (uint64_t k = i; k < i + length; k++) {
        const hb_rectangle r = hb_packing_cells(p, k);
        cells += r.rows * r.columns;
        box->row = r.row < box->row ? r.row : box->row;
        box->column = r.column < box->column ? r.column : box->column;
        row_end = r.row + r.rows > row_end ? r.row + r.rows : row_end;
        column_end = r.column + r.columns > column_end ? r.column + r.columns : column_end;
    }
    box->rows = row_end - box->row;
    box->columns = column_end - box->column;
    return cells == box->rows * box->columns;
}

static void check_runs(const hb_packing *p)
{
    const uint64_t count = hb_packing_ciphertexts(p);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t longest = 0;
        hb_rectangle best = {0};
        for (uint64_t most = 1; most <= count + 2; most++) {
            hb_rectangle box, cells;
            if (i + most <= count && is_rectangle(p, i, most, &box)) {
                longest = most;
                best = box;
            }
            assert_int_equal(hb_packing_run(p, i, most, &cells), longest);
            assert_memory_equal(&cells, &best, sizeof cells);
        }
    }
}

static void test_small_shapes(void **state)
{
    (void)state;
    for (int order = HB_PACK_COLUMNS; order <= HB_PACK_ROWS; order++) {
        for (uint64_t rows = 0; rows <= MOST; rows++) {
            for (uint64_t columns = 1; columns <= MOST; columns++) {
                for (uint64_t capacity = 1; capacity <= MOST; capacity++) {
                    const hb_packing p = {(hb_packing_order)order, rows, columns, capacity, 0};
                    assert_int_equal(hb_packing_check(&p), HB_OK);
                    check_cells(&p);
                    check_runs(&p);
                }
            }
        }
    }
}

static void test_blocks(void **state)
{
    (void)state;
    static const uint64_t capacities[] = {1, 2, 4, 6, 8, 16};
    for (uint64_t rows = 0; rows <= MOST; rows++) {
        for (uint64_t columns = 1; columns <= MOST; columns++) {
            const uint64_t least = hb_packing_least_block(columns);
            assert_true(least >= columns && least < 2 * columns && (least & (least - 1)) == 0);
            for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++) {
                for (uint64_t block = least; block <= capacities[c]; block *= 2) {
                    const hb_packing p = {HB_PACK_ROWS, rows, columns, capacities[c], block};
                    assert_int_equal(hb_packing_check(&p), HB_OK);
                    assert_int_equal(hb_packing_across(&p), 1);
                    check_cells(&p);
                    check_runs(&p);
                }
            }
        }
    }
    assert_int_equal(hb_packing_least_block(UINT64_MAX), 0);
}

static void test_large_tables(void **state)
{
    (void)state;
    const uint64_t most = UINT64_MAX;
    hb_packing p = {HB_PACK_COLUMNS, most, 1, 4096, 0};
    assert_int_equal(hb_packing_check(&p), HB_OK);
    assert_int_equal(hb_packing_ciphertexts(&p), most / 4096 + 1);
    hb_rectangle r = hb_packing_cells(&p, most / 4096);
    assert_true(r.row == most / 4096 * 4096 && r.rows == 4095 && r.column == 0 && r.columns == 1);
    assert_int_equal(hb_packing_run(&p, 1, most, &r), most / 4096);
    assert_true(r.row == 4096 && r.rows == most - 4096 && r.columns == 1);

    p = (hb_packing){HB_PACK_ROWS, 1, most, 4096, 0};
    assert_int_equal(hb_packing_check(&p), HB_OK);
    assert_int_equal(hb_packing_run(&p, 0, most, &r), most / 4096 + 1);
    assert_true(r.row == 0 && r.rows == 1 && r.column == 0 && r.columns == most);

    p = (hb_packing){HB_PACK_COLUMNS, most / 3, 3, 1, 0};
    assert_int_equal(hb_packing_check(&p), HB_OK);
    assert_int_equal(hb_packing_ciphertexts(&p), most);
    r = hb_packing_cells(&p, most - 1);
    assert_true(r.row == most / 3 - 1 && r.rows == 1 && r.column == 2 && r.columns == 1);
}

static void test_refusals(void **state)
{
    (void)state;
    const struct {
        hb_packing packing;
        const char *text;
    } cases[] = {
        {{HB_PACK_COLUMNS, 5, 0, 4, 0}, "without columns"},
        {{HB_PACK_ROWS, 5, 5, 0, 0}, "holds no values"},
        {{HB_PACK_COLUMNS, UINT64_MAX / 3 + 1, 3, 4096, 0}, "more than 2^64 - 1 cells"},
        {{HB_PACK_ROWS, UINT64_MAX, UINT64_MAX, 4096, 0}, "more than 2^64 - 1 cells"},
        {{HB_PACK_ROWS, 5, 3, 16, 3}, "a block is a power of two"},
        {{HB_PACK_ROWS, 5, 3, 16, 2}, "a block is a power of two"},
        {{HB_PACK_ROWS, 5, 3, 16, 32}, "16 at most"},
        {{HB_PACK_COLUMNS, 5, 3, 16, 4}, "cannot stand in blocks"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(hb_packing_check(&cases[i].packing), HB_EDATA);
        assert_non_null(strstr(hb_last_error()->text, cases[i].text));
    }
}

HB_UNIT(packing)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_shapes),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_large_tables),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
