/* Cells of complex columns and of pairs: which word of a table stands in which half of which slot, by columns and by
 * rows, in pieces of every size; ranges of moduli; tables that differ, or that have complex numbers in real places. */
#include "unit/scratch.h"

#include <math.h>

#include "batch/cells/cells.h"
#include "table/real_text.h"
#include "unit/unit.h"

enum { CAPACITY = 8, STRIDE = 2 * CAPACITY, ROWS = 21, MOST = 5, COLUMNS = 3 };

/* The table: a, z, b, x, of which z is complex; the dataset: z, the pair p of b and a, x. */
static double part_of(char column, uint64_t row, int half)
{
    const double value = (double)((row * 37 + (uint64_t)column * 11 + (uint64_t)half * 53) % 101) / 8 - 5;
    return half == 1 && column != 'z' ? 0 : value;
}

static const char *make_table(void)
{
    const char *path = in_scratch("t.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "a,z,b,x\n");
    for (uint64_t r = 0; r < ROWS; r++) {
        fprintf(file, "%.17g,%.17g%+.17gi,%.17g,%.17g\n", part_of('a', r, 0), part_of('z', r, 0), part_of('z', r, 1),
                part_of('b', r, 0), part_of('x', r, 0));
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

static void make_header(hb_header *header, hb_packing_order order)
{
    static const char *const names[] = {"z", "p", "x"};
    static const hb_halves halves[] = {HB_HALVES_COMPLEX, HB_HALVES_PAIR, HB_HALVES_REAL};
    *header = (hb_header){.order = order, .spec = {.scheme = HB_CKKS, .n = STRIDE}, .capacity = CAPACITY};
    assert_ok(hb_schema_alloc(&header->schema, ROWS, COLUMNS));
    header->schema.rank = 2;
    header->schema.width = 8;
    header->schema.named = true;
    for (int c = 0; c < COLUMNS; c++) {
        header->schema.column[c] = (hb_column){.name = strdup(names[c]),
                                               .cells = HB_CELL_REAL,
                                               .halves = halves[c],
                                               .ranged = true,
                                               .least = hb_real_word(-12),
                                               .most = hb_real_word(12)};
    }
    header->schema.column[1].part[0] = strdup("b");
    header->schema.column[1].part[1] = strdup("a");
}

/* The value in a half of slot j of ciphertext i; zeros where no cell is. */
static double wanted(const hb_packing *packing, uint64_t i, uint64_t j, int half)
{
    static const char columns[COLUMNS][2] = {{'z', 'z'}, {'b', 'a'}, {'x', 0}};
    const hb_rectangle own = hb_packing_cells(packing, i);
    if (j >= own.rows * own.columns) {
        return 0;
    }
    const uint64_t row = own.row + j / own.columns, column = own.column + j % own.columns;
    const char of = columns[column][half];
    return of == 0 ? 0 : part_of(of, row, of == 'z' ? half : 0);
}

static void check_back(const char *name, const hb_cells *cells, const uint64_t *values, uint64_t total)
{
    hb_table *table;
    hb_cells back = {0};
    hb_cell where;
    uint64_t read[STRIDE * 64];
    hb_header header;
    make_header(&header, cells->packing.order);
    assert_ok(hb_table_open(name, HB_CELL_REAL, &table));
    assert_ok(hb_cells_init(&back, &header, (size_t)total, 1));
    assert_ok(hb_cells_match(&back, hb_table_schema(table)));
    assert_ok(hb_cells_read(&back, 0, table, 0, (size_t)total, read));
    const hb_cells_other other = {hb_table_schema(table), read, 0};
    assert_false(hb_cells_differ(&back, 0, (size_t)total, values, other, &where));
    hb_cells_gap most = {0};
    hb_cells_gap_widen(&most, &back, 0, (size_t)total, values, read);
    assert_true(most.distance == 0);
    /* An imaginary part alone makes a difference, by its size. */
    read[CAPACITY + 1] = hb_real_word(hb_real_of(read[CAPACITY + 1]) + 3);
    assert_true(hb_cells_differ(&back, 0, (size_t)total, values, other, &where));
    hb_cells_gap_widen(&most, &back, 0, (size_t)total, values, read);
    assert_true(most.distance == 3 && most.other[1] == most.value[1] + 3 && most.other[0] == most.value[0]);
    hb_cells_clear(&back);
    hb_table_close(table);
    hb_header_clear(&header);
}

static void check_order(hb_packing_order order, uint64_t step)
{
    hb_header header;
    hb_cells cells = {0};
    hb_table *table;
    hb_schema plain;
    uint64_t values[STRIDE * 64];
    make_header(&header, order);
    assert_ok(hb_table_open(make_table(), HB_CELL_REAL, &table));
    assert_ok(hb_cells_init(&cells, &header, MOST, 1));
    assert_ok(hb_cells_match(&cells, hb_table_schema(table)));
    const uint64_t total = hb_packing_ciphertexts(&cells.packing);
    assert_true(total <= 64);
    memset(values, 0xa5, sizeof values);
    for (uint64_t i = 0; i < total; i += step) {
        const size_t count = (size_t)(total - i < step ? total - i : step);
        assert_ok(hb_cells_read(&cells, 0, table, i, count, values + i * STRIDE));
        assert_ok(hb_cells_to_values(&cells, NULL, i, count, values + i * STRIDE));
    }
    for (uint64_t i = 0; i < total * CAPACITY; i++) {
        for (int half = 0; half < 2; half++) {
            const uint64_t *word = values + i / CAPACITY * STRIDE + (uint64_t)half * CAPACITY + i % CAPACITY;
            assert_true(hb_real_of(*word) == wanted(&cells.packing, i / CAPACITY, i % CAPACITY, half));
        }
    }
    hb_table_close(table);
    /* Errors in imaginary parts of real columns do not come back. */
    assert_ok(hb_schema_unpair(&plain, &header.schema));
    for (int k = 0; k < 2; k++) {
        hb_table_writer *writer;
        char name[4200];
        snprintf(name, sizeof name, "%s%s", in_scratch(k == 0 ? "out.csv" : "out.h5"), k == 0 ? "" : ":/t");
        assert_ok(hb_table_create(name, &plain, true, &writer));
        assert_ok(hb_cells_match(&cells, hb_table_writer_schema(writer)));
        for (uint64_t i = 0; i < total; i += step) {
            const size_t count = (size_t)(total - i < step ? total - i : step);
            hb_cells_from_values(&cells, i, count, values + i * STRIDE);
            assert_ok(hb_cells_write(&cells, 0, writer, i, count, values + i * STRIDE));
        }
        assert_ok(hb_table_commit(writer));
        hb_table_writer_close(writer);
        check_back(name, &cells, values, total);
    }
    hb_schema_clear(&plain);
    hb_cells_clear(&cells);
    hb_header_clear(&header);
}

static void test_orders(void **state)
{
    (void)state;
    for (uint64_t step = 1; step <= MOST; step++) {
        check_order(HB_PACK_COLUMNS, step);
        check_order(HB_PACK_ROWS, step);
    }
}

/* A range is about moduli, and about both columns of a pair together. */
static void test_ranges(void **state)
{
    (void)state;
    hb_header header;
    hb_cells cells = {0};
    uint64_t values[COLUMNS * STRIDE] = {0};
    make_header(&header, HB_PACK_COLUMNS);
    assert_ok(hb_cells_init(&cells, &header, COLUMNS, 1));
    for (int c = 0; c < 2; c++) {
        values[c * STRIDE + 3] = hb_real_word(9);
        values[c * STRIDE + CAPACITY + 3] = hb_real_word(-7.5);
        assert_ok(hb_cells_to_values(&cells, NULL, 0, COLUMNS, values)); /* 11.7 */
        values[c * STRIDE + 3] = hb_real_word(9.5);
        assert_refused(hb_cells_to_values(&cells, NULL, 0, COLUMNS, values), HB_EDATA,
                       c == 0 ? "row 4, column 'z': the value is outside -12..12"
                              : "row 4, column 'p': the value is outside -12..12");
        assert_refused(hb_cells_check_ranges(&cells, 0, COLUMNS, values), HB_EDATA, "row 4, column");
        values[c * STRIDE + 3] = 0;
    }
    values[2 * STRIDE + CAPACITY + 3] = hb_real_word(1e9); /* an error of a real column */
    assert_ok(hb_cells_check_ranges(&cells, 0, COLUMNS, values));
    hb_cells_clear(&cells);
    hb_header_clear(&header);
}

/* Columns are found by name where all are there, else by their order; complex numbers stand in no real place. */
static void test_places(void **state)
{
    (void)state;
    hb_header header;
    hb_schema table = {0};
    hb_places places;
    make_header(&header, HB_PACK_COLUMNS);
    assert_ok(hb_schema_alloc(&table, ROWS, 4));
    const char *const names[] = {"b", "x", "z", "a"};
    table.named = true;
    for (int c = 0; c < 4; c++) {
        table.column[c] = (hb_column){.name = strdup(names[c]), .cells = HB_CELL_REAL};
    }
    assert_ok(hb_places_find(&places, &header.schema, &table));
    const uint64_t by_name[] = {2, HB_NO_PLACE, 0, 3, 1, HB_NO_PLACE};
    for (int h = 0; h < 6; h++) {
        assert_true(places.half[h].column == by_name[h] && places.half[h].word == by_name[h]);
    }
    hb_places_clear(&places);
    table.column[3].name[0] = 'q';
    table.column[0].halves = table.column[1].halves = HB_HALVES_COMPLEX;
    assert_ok(hb_places_find(&places, &header.schema, &table));
    const uint64_t by_order[] = {0, 1, 2, 4, 5, HB_NO_PLACE};
    for (int h = 0; h < 6; h++) {
        assert_true(places.half[h].word == by_order[h] && places.half[h].wide == (h == 2));
    }
    hb_places_clear(&places);
    table.columns = 3;
    assert_refused(hb_places_find(&places, &header.schema, &table), HB_EDATA, "3 columns, where the dataset has 4");
    table.columns = 4;
    hb_schema_clear(&table);
    hb_header_clear(&header);
}

HB_UNIT(cells_halves)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orders), cmocka_unit_test(test_ranges),
                                       cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
