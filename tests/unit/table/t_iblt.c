/* Rows by sums of their cells: made here from rows that are known, with errors, with rows that count as a part, and
 * damaged. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "table/iblt.h"
#include "unit/unit.h"

enum { MOST = 128, COLUMNS = 3 };

/* A number from -1 to 1. */
static double noise(uint64_t *state)
{
    *state = hb_mix(*state);
    return ldexp((double)(*state >> 11), -52) - 1;
}

/* Selected rows with their values, and the sums of all cells, each with an error of up to `error`. */
typedef struct selected {
    hb_iblt table;
    uint64_t rows[MOST + 1];
    double values[(MOST + 1) * COLUMNS];
    double *sums;
    uint32_t count;
} selected;

static int by_number(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

/* Draws `count` different rows of a table. */
static void draw(selected *s, uint64_t *state)
{
    for (uint32_t i = 0; i < s->count;) {
        *state = hb_mix(*state);
        const uint64_t row = *state % s->table.rows;
        bool fresh = true;
        for (uint32_t j = 0; j < i; j++) {
            fresh = fresh && s->rows[j] != row;
        }
        s->rows[i] = row;
        i += fresh;
    }
    qsort(s->rows, s->count, sizeof *s->rows, by_number);
    for (uint32_t i = 0; i < s->count * COLUMNS; i++) {
        s->values[i] = 100 * noise(state);
    }
}

/* Adds a part of a row to the sums. */
static void add_part(selected *s, uint64_t row, const double *values, double part)
{
    const hb_iblt *t = &s->table;
    const uint64_t each = 1 + t->digits + COLUMNS;
    for (uint32_t w = 0; w < HB_IBLT_WAYS; w++) {
        const uint32_t place = hb_iblt_cell(t, w, row);
        assert_true(place < t->cells);
        double *to = s->sums + (w * (uint64_t)t->cells + place) * each;
        *to++ += part * t->unit;
        for (uint32_t d = 0; d < t->digits; d++) {
            *to++ += part * t->unit * hb_iblt_digit(row, d) / HB_IBLT_DIGIT;
        }
        for (uint32_t c = 0; c < COLUMNS; c++) {
            *to++ += part * values[c];
        }
    }
}

static void add_up(selected *s, double error, uint64_t *state)
{
    const uint64_t all = hb_iblt_sums(&s->table, COLUMNS);
    s->sums = calloc(all, sizeof *s->sums);
    assert_non_null(s->sums);
    for (uint32_t i = 0; i < s->count; i++) {
        add_part(s, s->rows[i], s->values + (size_t)i * COLUMNS, 1);
    }
    for (uint64_t i = 0; i < all; i++) {
        s->sums[i] += error * noise(state);
    }
}

/* error: of a sum, as is said. */
static hb_status find(const selected *s, double error, uint32_t most, uint64_t *rows, double *values, size_t *count)
{
    const hb_iblt_totals totals = {s->sums, COLUMNS, error};
    return hb_iblt_rows(&s->table, &totals, most, rows, values, count);
}

/* Tables of many sizes, with up to as many rows as may be selected: all are found but for the stated chance. */
static void rows_come_apart(void **test)
{
    static const uint64_t sizes[] = {1, 2, 7, 8, 9, 64, 1000, 50000, 1000000, (uint64_t)1 << 40};
    static const uint32_t most[] = {1, 2, 5, 16, 33, MOST};
    uint64_t state = 17, rows[MOST];
    double values[MOST * COLUMNS];
    uint32_t missed = 0, tried = 0;
    (void)test;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t m = 0; m < sizeof most / sizeof *most; m++) {
            for (uint32_t turn = 0; turn < 20; turn++, tried++) {
                selected s = {.table = hb_iblt_for(sizes[i], most[m])};
                s.table.unit = turn % 2 == 0 ? 1 : 100;
                const uint64_t top = most[m] < sizes[i] ? most[m] : sizes[i];
                s.count = turn == 0 ? (uint32_t)top : (uint32_t)(hb_mix(state) % (top + 1));
                draw(&s, &state);
                add_up(&s, 0x1p-5, &state);
                size_t count;
                if (find(&s, 0x1p-5, most[m], rows, values, &count) != HB_OK) {
                    missed++;
                    free(s.sums);
                    continue;
                }
                assert_int_equal(count, s.count);
                for (uint32_t r = 0; r < s.count; r++) {
                    assert_int_equal(rows[r], s.rows[r]);
                    for (uint32_t c = 0; c < COLUMNS; c++) {
                        assert_true(fabs(values[r * COLUMNS + c] - s.values[r * COLUMNS + c]) <=
                                    HB_IBLT_ERRORS * 0x1p-5);
                    }
                }
                free(s.sums);
            }
        }
    }
    assert_int_equal(tried, 1200);
    assert_true(missed <= 3);
}

/* One more row than may be selected, errors above a quarter of a step, and one sum that was changed. */
static void what_is_refused(void **test)
{
    uint64_t state = 5, rows[MOST];
    double values[MOST * COLUMNS];
    size_t count;
    (void)test;
    for (uint32_t turn = 0; turn < 100; turn++) {
        selected s = {.table = hb_iblt_for(50000, 16), .count = 17};
        draw(&s, &state);
        add_up(&s, 0x1p-6, &state);
        assert_int_equal(find(&s, 0x1p-6, 16, rows, values, &count), HB_EDATA);
        free(s.sums);
        s.count = 16;
        add_up(&s, 0.2, &state);
        assert_int_equal(find(&s, 0.2, 16, rows, values, &count), HB_EDATA);
        assert_int_equal(find(&s, INFINITY, 16, rows, values, &count), HB_EDATA);
        assert_int_equal(count, 0);
        free(s.sums);
        add_up(&s, 0x1p-6, &state);
        const uint64_t each = 1 + s.table.digits + COLUMNS, cells = HB_IBLT_WAYS * (uint64_t)s.table.cells;
        s.sums[hb_mix(state) % cells * each + turn % each] += turn % 2 == 0 ? 1 : -1;
        assert_int_equal(find(&s, 0x1p-6, 16, rows, values, &count), HB_EDATA);
        free(s.sums);
    }
}

/* One row that is selected lacks a part, or one that is not counts as a part. Either is noticed, or it is so small that
 * values are as right as is promised. */
static void parts(void **test)
{
    static const double error = 0x1p-8;
    uint64_t state = 11, rows[MOST];
    double values[MOST * COLUMNS];
    uint32_t noticed = 0, shown = 0;
    size_t count;
    (void)test;
    for (uint32_t turn = 0; turn < 600; turn++) {
        selected s = {.table = hb_iblt_for(5000, 16), .count = 1 + turn % 16};
        s.table.unit = 100;
        draw(&s, &state);
        add_up(&s, error, &state);
        const double part = ldexp(error / s.table.unit, (int)(turn % 13) - 6);
        const double large[COLUMNS] = {100, -100, 100 * noise(&state)};
        uint64_t other = hb_mix(state) % (s.table.rows - s.count);
        for (uint32_t i = 0; i < s.count; i++) {
            other += s.rows[i] <= other; /* they ascend */
        }
        if (turn % 2 == 0) {
            add_part(&s, other, large, part);
        } else {
            add_part(&s, s.rows[0], s.values, -part);
        }
        const bool found = find(&s, error, 16, rows, values, &count) == HB_OK;
        assert_true(!found || part * s.table.unit <= 2 * error);
        noticed += !found;
        shown += found;
        assert_int_equal(count, found ? s.count : 0);
        for (uint32_t i = 0; found && i < s.count * COLUMNS; i++) {
            assert_true(fabs(values[i] - s.values[i]) <= HB_IBLT_ERRORS * 3 * error);
        }
        free(s.sums);
    }
    assert_true(noticed > 300 && shown > 60);
}

/* A part is noticed by the values of empty cells, too, where counts are not told from whole ones. */
static void values_of_empty_cells(void **test)
{
    uint64_t state = 3, rows[MOST];
    double values[MOST * COLUMNS];
    const double large[COLUMNS] = {-100};
    size_t count;
    selected s = {.table = hb_iblt_for(24, 4), .rows = {10}, .values = {1}, .count = 1};
    (void)test;
    add_up(&s, 0x1p-9, &state);
    assert_int_equal(find(&s, 0x1p-6, 4, rows, values, &count), HB_OK);
    add_part(&s, 0, large, 0x1p-8);
    assert_int_equal(find(&s, 0x1p-6, 4, rows, values, &count), HB_EDATA);
    assert_int_equal(find(&s, INFINITY, 4, rows, values, &count), HB_OK);
    free(s.sums);
}

/* Every row of a table of many is selected, as by a condition that is always true: no rows are made up. */
static void all_rows(void **test)
{
    uint64_t state = 3, rows[MOST];
    double values[MOST * COLUMNS];
    size_t count;
    selected s = {.table = hb_iblt_for(MOST + 1, 8), .count = MOST + 1};
    (void)test;
    draw(&s, &state);
    add_up(&s, 0, &state);
    assert_int_equal(find(&s, 0, 8, rows, values, &count), HB_EDATA);
    free(s.sums);
    s.sums = calloc(hb_iblt_sums(&s.table, COLUMNS), sizeof *s.sums);
    assert_non_null(s.sums);
    assert_int_equal(find(&s, 0, 8, rows, values, &count), HB_OK);
    assert_int_equal(count, 0);
    s.sums[1 + s.table.digits] = NAN;
    assert_int_equal(find(&s, INFINITY, 8, rows, values, &count), HB_EDATA);
    s.sums[1 + s.table.digits] = 0;
    s.sums[0] = NAN;
    assert_int_equal(find(&s, 0, 8, rows, values, &count), HB_EDATA);
    free(s.sums);
}

HB_UNIT(iblt)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_come_apart), cmocka_unit_test(what_is_refused),
                                       cmocka_unit_test(parts), cmocka_unit_test(values_of_empty_cells),
                                       cmocka_unit_test(all_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
