/* Rows by sums of their cells: made here from rows that are known, with errors, and damaged. */
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

static void add_up(selected *s, double error, uint64_t *state)
{
    const hb_iblt *t = &s->table;
    const uint64_t each = 1 + t->digits + COLUMNS, all = hb_iblt_sums(t, COLUMNS);
    s->sums = calloc(all, sizeof *s->sums);
    assert_non_null(s->sums);
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t w = 0; w < HB_IBLT_WAYS; w++) {
            const uint32_t place = hb_iblt_cell(t, w, s->rows[i]);
            assert_true(place < t->cells);
            double *to = s->sums + (w * (uint64_t)t->cells + place) * each;
            *to++ += 1;
            for (uint32_t d = 0; d < t->digits; d++) {
                *to++ += hb_iblt_digit(s->rows[i], d) / (double)HB_IBLT_DIGIT;
            }
            for (uint32_t c = 0; c < COLUMNS; c++) {
                *to++ += s->values[i * COLUMNS + c];
            }
        }
    }
    for (uint64_t i = 0; i < all; i++) {
        s->sums[i] += error * noise(state);
    }
}

static hb_status find(const selected *s, uint32_t most, uint64_t *rows, double *values, size_t *count)
{
    return hb_iblt_rows(&s->table, s->sums, COLUMNS, most, rows, values, count);
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
                const uint64_t top = most[m] < sizes[i] ? most[m] : sizes[i];
                s.count = turn == 0 ? (uint32_t)top : (uint32_t)(hb_mix(state) % (top + 1));
                draw(&s, &state);
                add_up(&s, 0x1p-5, &state);
                size_t count;
                if (find(&s, most[m], rows, values, &count) != HB_OK) {
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
        assert_int_equal(find(&s, 16, rows, values, &count), HB_EDATA);
        free(s.sums);
        s.count = 16;
        add_up(&s, 0.2, &state);
        assert_int_equal(find(&s, 16, rows, values, &count), HB_EDATA);
        assert_int_equal(count, 0);
        free(s.sums);
        add_up(&s, 0x1p-6, &state);
        const uint64_t each = 1 + s.table.digits + COLUMNS, cells = HB_IBLT_WAYS * (uint64_t)s.table.cells;
        s.sums[hb_mix(state) % cells * each + turn % (1 + s.table.digits)] += turn % 2 == 0 ? 1 : -1;
        assert_int_equal(find(&s, 16, rows, values, &count), HB_EDATA);
        free(s.sums);
    }
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
    assert_int_equal(find(&s, 8, rows, values, &count), HB_EDATA);
    free(s.sums);
    s.sums = calloc(hb_iblt_sums(&s.table, COLUMNS), sizeof *s.sums);
    assert_non_null(s.sums);
    assert_int_equal(find(&s, 8, rows, values, &count), HB_OK);
    assert_int_equal(count, 0);
    s.sums[0] = NAN;
    assert_int_equal(find(&s, 8, rows, values, &count), HB_EDATA);
    free(s.sums);
}

HB_UNIT(iblt)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_come_apart), cmocka_unit_test(what_is_refused),
                                       cmocka_unit_test(all_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
