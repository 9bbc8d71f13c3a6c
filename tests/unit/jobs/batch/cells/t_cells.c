/* Table cells and slots against the packing rule spelled out cell by cell; ranges exhaustively for small t. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "batch/cells/cells.h"
#include "table/real_text.h"
#include "unit/unit.h"

enum { N = 8, MOST = 7, HANDS = 2 };

/* The value in row r, column c of the test table: odd columns are signed. */
static int64_t value_of(uint64_t r, uint64_t c)
{
    const int64_t v = (int64_t)((r * 31 + c * 17) % 90);
    return c % 2 == 1 ? v - 45 : v;
}

static char folder[] = "/tmp/hebatch-cells.XXXXXX";
static char path[64], copy_path[64];

static void write_csv(uint64_t rows, uint64_t columns)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (uint64_t c = 0; c < columns; c++) {
        fprintf(file, "%sc%" PRIu64, c > 0 ? "," : "", c);
    }
    fprintf(file, "\n");
    for (uint64_t r = 0; r < rows; r++) {
        for (uint64_t c = 0; c < columns; c++) {
            fprintf(file, "%s%" PRId64, c > 0 ? "," : "", value_of(r, c));
        }
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

/* src/table/packing.h, read literally: ciphertext *i and slot *j of a cell, and how many ciphertexts there are. */
static uint64_t place(hb_packing_order order, uint64_t rows, uint64_t columns, uint64_t r, uint64_t c, uint64_t *i,
                      uint64_t *j)
{
    if (order == HB_PACK_COLUMNS) {
        *i = r / N * columns + c;
        *j = r % N;
        return (rows + N - 1) / N * columns;
    }
    if (columns <= N) {
        const uint64_t whole = N / columns;
        *i = r / whole;
        *j = r % whole * columns + c;
        return (rows + whole - 1) / whole;
    }
    const uint64_t pieces = (columns + N - 1) / N;
    *i = r * pieces + c / N;
    *j = c % N;
    return rows * pieces;
}

static bool equal_files(const char *a, const char *b)
{
    FILE *x = fopen(a, "r"), *y = fopen(b, "r");
    assert_true(x != NULL && y != NULL);
    int from_x, from_y;
    do {
        from_x = fgetc(x);
        from_y = fgetc(y);
    } while (from_x == from_y && from_x != EOF);
    fclose(x);
    fclose(y);
    return from_x == from_y;
}

/* Reads all ciphertexts, `step` at a time, checks each slot, and writes them back as another table. The values of a
 * ciphertext take `stride` words, its capacity or more. */
static void check_table(hb_packing_order order, uint64_t rows, uint64_t columns, uint64_t step, size_t stride)
{
    const uint64_t t = 97;
    write_csv(rows, columns);
    hb_table *table;
    assert_int_equal(hb_table_open(path, HB_CELL_INTEGER, &table), HB_OK);
    hb_header header = {
        .order = order, .spec = {.n = stride, .bfv.plain = t}, .capacity = N, .schema = *hb_table_schema(table)};
    hb_cells cells;
    assert_int_equal(hb_cells_init(&cells, &header, MOST, HANDS), HB_OK);
    uint64_t i, j;
    const uint64_t total = place(order, rows, columns, 0, 0, &i, &j);
    uint64_t *got = malloc((total + 1) * stride * sizeof *got), *wanted = calloc((total + 1) * stride, sizeof *wanted);
    assert_true(got != NULL && wanted != NULL);
    memset(got, 0xa5, (total + 1) * stride * sizeof *got);
    hb_table_writer *writer;
    assert_int_equal(hb_table_create(copy_path, &header.schema, true, &writer), HB_OK);
    for (uint64_t r = 0; r < rows; r++) {
        for (uint64_t c = 0; c < columns; c++) {
            place(order, rows, columns, r, c, &i, &j);
            const int64_t v = value_of(r, c);
            wanted[i * stride + j] = (uint64_t)(v < 0 ? v + (int64_t)t : v);
        }
    }
    for (uint64_t first = 0; first < total; first += step) {
        const size_t count = (size_t)(total - first < step ? total - first : step);
        assert_int_equal(hb_cells_read(&cells, (uint32_t)first % HANDS, table, first, count, got + first * stride),
                         HB_OK);
        assert_int_equal(hb_cells_to_values(&cells, NULL, first, count, got + first * stride), HB_OK);
    }
    assert_memory_equal(got, wanted, total * stride * sizeof *got);
    for (uint64_t first = 0; first < total; first += step) {
        const size_t count = (size_t)(total - first < step ? total - first : step);
        hb_cells_from_values(&cells, first, count, got + first * stride);
        assert_int_equal(
            hb_cells_write(&cells, (uint32_t)(first + 1) % HANDS, writer, first, count, got + first * stride), HB_OK);
    }
    assert_int_equal(hb_table_commit(writer), HB_OK);
    assert_true(equal_files(path, copy_path));
    hb_table_writer_close(writer);
    free(got);
    free(wanted);
    hb_cells_clear(&cells);
    hb_table_close(table);
}

static void test_tables(void **state)
{
    (void)state;
    const uint64_t rows[] = {1, 7, 8, 9, 33}, columns[] = {1, 2, 3, 8, 9, 20};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
            for (size_t stride = N; stride <= 2 * N; stride += N) {
                check_table(HB_PACK_COLUMNS, rows[r], columns[c], 1 + (r + c) % MOST, stride);
                check_table(HB_PACK_ROWS, rows[r], columns[c], 1 + (r + c) % MOST, stride);
            }
        }
    }
}

static hb_column unsigned_column = {.name = "age", .is_signed = false}, signed_column = {.name = "", .is_signed = true};

static hb_header one_column(hb_column *column, uint64_t t)
{
    return (hb_header){.order = HB_PACK_COLUMNS,
                       .spec = {.n = N, .bfv.plain = t},
                       .capacity = N,
                       .schema = {.rows = 2 * N, .columns = 1, .rank = 2, .width = 8, .named = true, .column = column}};
}

/* A value is taken exactly when some residue is nearest to it, and that one comes out and goes back. */
static void test_ranges(void **state)
{
    (void)state;
    for (uint64_t t = 2; t <= 40; t++) {
        for (int64_t v = -60; v <= 60; v++) {
            for (int is_signed = 0; is_signed <= 1; is_signed++) {
                hb_header header = one_column(is_signed ? &signed_column : &unsigned_column, t);
                hb_cells cells;
                assert_int_equal(hb_cells_init(&cells, &header, 1, HANDS), HB_OK);
                const int64_t m = (int64_t)t;
                const bool fits = is_signed ? 2 * v > -m && 2 * v <= m : v >= 0 && v < m;
                uint64_t values[N] = {(uint64_t)v};
                assert_int_equal(hb_cells_to_values(&cells, NULL, 1, 1, values), fits ? HB_OK : HB_EDATA);
                if (fits) {
                    assert_int_equal(values[0], (v % m + m) % m);
                    hb_cells_from_values(&cells, 1, 1, values);
                    assert_true(values[0] == (uint64_t)v);
                }
                hb_cells_clear(&cells);
            }
        }
    }
}

static void test_message(void **state)
{
    (void)state;
    for (int is_signed = 0; is_signed <= 1; is_signed++) {
        hb_header header = one_column(is_signed ? &signed_column : &unsigned_column, 100);
        hb_cells cells;
        assert_int_equal(hb_cells_init(&cells, &header, 1, HANDS), HB_OK);
        uint64_t values[N] = {0, 0, 0, 31337};
        assert_int_equal(hb_cells_to_values(&cells, NULL, 1, 1, values), HB_EDATA);
        const char *text = hb_last_error()->text; /* slot 3 of block 1 of 8 rows: row 12 from 1 */
        assert_non_null(strstr(text, "row 12,"));
        assert_non_null(strstr(text, is_signed ? "column 1:" : "column 'age':"));
        assert_non_null(strstr(text, is_signed ? "[-49, 50]" : "[0, 99]"));
        assert_null(strstr(text, "31337"));
        hb_cells_clear(&cells);
    }
}

/* A word of a table stands for the number that it is by the table's sign, which the column's range has or has not. */
static void check_signs(bool table_signed, hb_column *column)
{
    const int64_t least = (int64_t)column->least, most = (int64_t)column->most;
    hb_column of_table = {.name = "a", .is_signed = table_signed};
    const hb_schema table = {.rows = 2 * N, .columns = 1, .column = &of_table};
    hb_header header = one_column(column, 97);
    for (int64_t v = -12; v <= 12; v++) {
        for (uint64_t top = 0; top <= 1; top++) {
            const uint64_t word = (uint64_t)v ^ top << 63;
            const bool large = !table_signed && word > INT64_MAX;
            const bool fits = !large && (int64_t)word >= least && (int64_t)word <= most;
            uint64_t values[N];
            hb_cells cells;
            assert_int_equal(hb_cells_init(&cells, &header, 1, HANDS), HB_OK);
            assert_int_equal(hb_cells_match(&cells, &table), HB_OK);
            for (size_t i = 0; i < N; i++) {
                values[i] = word;
            }
            assert_int_equal(hb_cells_to_values(&cells, NULL, 1, 1, values), fits ? HB_OK : HB_EDATA);
            assert_true(!fits || (int64_t)values[5] == ((int64_t)word + 97) % 97);
            hb_cells_clear(&cells);
        }
    }
}

static void test_other_signs(void **state)
{
    (void)state;
    for (int64_t least = -9; least <= 9; least++) {
        for (int64_t most = least; most <= 9; most++) {
            hb_column column = {
                .name = "a", .is_signed = least < 0, .ranged = true, .least = (uint64_t)least, .most = (uint64_t)most};
            check_signs(false, &column);
            check_signs(true, &column);
        }
    }
}

/* Labels, dates and truth values are within the slack of whole numbers, or within a quarter. */
static void test_discrete_reals(void **state)
{
    (void)state;
    const struct {
        double slack, value;
        bool good;
    } cases[] = {{0.01, 1.0099, true}, {0.01, 0.991, true},    {0.01, 0.98, false},   {0.01, 1.5, false},
                 {0.3, 1.29, true},    {0.3, 1.31, false},     {0.5, 1.25, true},     {0.5, 1.26, false},
                 {9, 0.75, true},      {HUGE_VAL, 1.5, false}, {HUGE_VAL, 0.7, false}};
    const hb_meaning_kind kinds[] = {HB_MEANING_BOOL, HB_MEANING_DATE, HB_MEANING_NUMBER};
    for (size_t k = 0; k < 3; k++) {
        hb_column column = {.name = "x",
                            .cells = HB_CELL_REAL,
                            .meaning.kind = kinds[k],
                            .ranged = true,
                            .least = hb_real_word(0),
                            .most = hb_real_word(3)};
        hb_header header = one_column(&column, 97);
        header.spec.n = 2 * N;
        hb_cells cells;
        assert_int_equal(hb_cells_init(&cells, &header, 1, HANDS), HB_OK);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const uint64_t values[2 * N] = {[3] = hb_real_word(cases[i].value), [N] = hb_real_word(0.5)};
            const bool good = cases[i].good || kinds[k] == HB_MEANING_NUMBER;
            cells.slack = cases[i].slack;
            assert_int_equal(hb_cells_check_ranges(&cells, 1, 1, values), good ? HB_OK : HB_EDATA);
            if (!good) {
                assert_non_null(strstr(hb_last_error()->text, "row 12, column 'x': the value is between two labels"));
            }
        }
        hb_cells_clear(&cells);
    }
}

/* Reals may leave their range by the slack and no more; values behind the cells do not count. */
static void test_reals(void **state)
{
    (void)state;
    hb_column column = {
        .name = "x", .cells = HB_CELL_REAL, .ranged = true, .least = hb_real_word(-2), .most = hb_real_word(0.5)};
    hb_header header = one_column(&column, 97);
    header.spec.n = 2 * N;
    hb_cells cells;
    assert_int_equal(hb_cells_init(&cells, &header, 1, HANDS), HB_OK);
    cells.slack = 0.25;
    const double good[] = {-2, -2.25, 0.5, 0.75, -0.0}, bad[] = {-2.2501, 0.7501, NAN, INFINITY, -INFINITY, 1e300};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t values[2 * N] = {[3] = hb_real_word(good[i]), [N] = hb_real_word(1e9)};
        assert_int_equal(hb_cells_check_ranges(&cells, 1, 1, values), HB_OK);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t values[2 * N] = {[3] = hb_real_word(bad[i]), [5] = hb_real_word(bad[i])};
        assert_int_equal(hb_cells_check_ranges(&cells, 1, 1, values), HB_EDATA);
        assert_non_null(strstr(hb_last_error()->text, "row 12, column 'x': the value is outside -2..0.5, where"));
    }
    const uint64_t a[2 * N] = {[3] = hb_real_word(1), [N] = hb_real_word(1e9)};
    const double near[] = {1, 1.25, 0.75}, far[] = {1.2500001, 0.7499999, NAN};
    hb_cell at = {0};
    for (size_t i = 0; i < 3; i++) {
        uint64_t b[2 * N] = {[3] = hb_real_word(near[i]), [N + 1] = hb_real_word(1e9)};
        const hb_cells_other other = {&header.schema, b, 0.25};
        assert_false(hb_cells_differ(&cells, 1, 1, a, other, &at));
        hb_cells_gap most = {0};
        hb_cells_gap_widen(&most, &cells, 1, 1, a, b);
        assert_true(most.distance == (i > 0 ? 0.25 : 0));
        assert_true(i == 0 || (most.where.row == 12 && most.where.column == 0 && most.value[0] == 1 &&
                               most.other[0] == near[i] && most.value[1] == 0));
        b[3] = hb_real_word(far[i]);
        assert_true(hb_cells_differ(&cells, 1, 1, a, other, &at));
        assert_true(at.row == 12 && at.column == 0);
    }
    hb_cells_clear(&cells);
}

static void test_differ(void **state)
{
    (void)state;
    hb_column two[2] = {unsigned_column, signed_column}, swapped[2] = {signed_column, unsigned_column};
    hb_header header = {.order = HB_PACK_ROWS,
                        .spec = {.n = N, .bfv.plain = 97},
                        .capacity = N,
                        .schema = {.rows = 9, .columns = 2, .rank = 2, .width = 8, .column = two}};
    hb_schema other = header.schema;
    other.column = swapped;
    hb_cells cells;
    assert_int_equal(hb_cells_init(&cells, &header, 3, HANDS), HB_OK);
    uint64_t a[3 * N] = {0}, b[3 * N] = {0};
    const hb_cells_other same = {&header.schema, b, 0}, itself = {&header.schema, a, 0}, swap = {&other, a, 0};
    hb_cell at = {0};
    assert_false(hb_cells_differ(&cells, 0, 3, a, same, &at));
    b[2 * N + 2] = 1; /* ciphertext 2 holds row 8 alone: behind its two cells */
    assert_false(hb_cells_differ(&cells, 0, 3, a, same, &at));
    for (size_t cell = 18; cell-- > 0;) {
        b[cell] = 5;
        assert_true(hb_cells_differ(&cells, 0, 3, a, same, &at));
        assert_true(at.row == cell / 2 + 1 && at.column == cell % 2);
    }
    /* Equal words of which one type says negative, the other large. */
    a[3] = b[3] = (uint64_t)-1;
    assert_false(hb_cells_differ(&cells, 0, 1, a, itself, &at));
    assert_true(hb_cells_differ(&cells, 0, 1, a, swap, &at));
    assert_true(at.row == 2 && at.column == 1);
    hb_cells_clear(&cells);
}

HB_UNIT(cells)
{
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    snprintf(path, sizeof path, "%s/in.csv", folder);
    snprintf(copy_path, sizeof copy_path, "%s/out.csv", folder);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tables),  cmocka_unit_test(test_ranges),
                                       cmocka_unit_test(test_message), cmocka_unit_test(test_other_signs),
                                       cmocka_unit_test(test_reals),   cmocka_unit_test(test_discrete_reals),
                                       cmocka_unit_test(test_differ)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    unlink(copy_path);
    rmdir(folder);
    return failed;
}
