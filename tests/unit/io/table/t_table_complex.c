/* Tables of complex numbers: what CSV and HDF5 have of them, what is refused, what is written and read back; pairs of
 * real columns as plain columns. */
#include "unit/scratch.h"

#include <hdf5.h>
#include <math.h>

#include "io/table/table.h"
#include "table/real_text.h"
#include "unit/unit.h"

static const char *put(const char *text)
{
    const char *path = in_scratch("c.csv");
    spit(path, text, strlen(text));
    return path;
}

static void assert_reals(const uint64_t *words, const double *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (hb_real_of(words[i]) != expected[i]) {
            fail_msg("word %zu is %.17g and not %.17g", i, hb_real_of(words[i]), expected[i]);
        }
    }
}

/* A column is complex where one of its numbers is. */
static void test_csv(void **state)
{
    (void)state;
    hb_table *table;
    uint64_t read[16];
    assert_ok(
        hb_table_open(put("z,x,w\n1.5-2j,7,3i\n0.25, -1 ,\"-1e-3+2.5e0i\"\n(8+1j),0,-1+2j\n"), HB_CELL_REAL, &table));
    const hb_schema *schema = hb_table_schema(table);
    assert_true(schema->rows == 3 && schema->columns == 3);
    assert_true(schema->column[0].halves == HB_HALVES_COMPLEX && schema->column[1].halves == HB_HALVES_REAL &&
                schema->column[2].halves == HB_HALVES_COMPLEX);
    assert_int_equal(hb_schema_words(schema, 0, 3), 5);
    assert_ok(hb_table_read(table, &(hb_rectangle){.rows = 3, .columns = 3}, read));
    const double whole[] = {1.5, -2, 7, 0, 3, 0.25, 0, -1, -1e-3, 2.5, 8, 1, 0, -1, 2};
    assert_reals(read, whole, 15);
    assert_ok(hb_table_read(table, &(hb_rectangle){.row = 1, .rows = 2, .column = 1, .columns = 2}, read));
    const double part[] = {-1, -1e-3, 2.5, 0, -1, 2};
    assert_reals(read, part, 6);
    hb_table_close(table);
}

static void test_csv_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
        hb_cell_type cells;
    } cases[] = {
        {"a,b\n1,2\n3,nan+1j\n", "row 2 (line 3), column b: the field is not a number", HB_CELL_REAL},
        {"a,b\n1,2\n3,1+infj\n", "row 2 (line 3), column b: the field is not a number", HB_CELL_REAL},
        {"a,b\n1,2\n3,1+1e400j\n", "row 2 (line 3), column b: the number is too large", HB_CELL_REAL},
        {"a,b\n1,2\n3,j\n", "row 2 (line 3), column b: the field is not a number", HB_CELL_REAL},
        {"a,b\n1,2\n3,1+2\n", "row 2 (line 3), column b: the field is not a number", HB_CELL_REAL},
        {"a,b\n1,2\n3,(1)\n", "row 2 (line 3), column b: the field is not a number", HB_CELL_REAL},
        {"a,b\n1,2\n3,(1+2j\n", "row 2 (line 3), column b: the field is not a number", HB_CELL_REAL},
        {"a,b\n1,2\n3,1j+2\n", "row 2 (line 3), column b: the field is not a number", HB_CELL_REAL},
        {"a,b\n1,2020-02-31\n", "row 1 (line 2), column b: the field is no date: there is no such day", HB_CELL_REAL},
        {"a,b\n1,2j\n", "row 1 (line 2), column b: the field is not an integer", HB_CELL_INTEGER}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_table *table;
        assert_refused(hb_table_open(put(cases[i].text), cases[i].cells, &table), HB_EDATA, cases[i].words);
    }
}

enum { ROWS = 300, COLUMNS = 3, WORDS = 2 * ROWS * COLUMNS };

static double value_of(uint64_t word)
{
    return (double)(word * 37 % 101) / 8 - 5;
}

static hid_t compound(hid_t part, const char *re, const char *im)
{
    const size_t width = H5Tget_size(part);
    const hid_t type = H5Tcreate(H5T_COMPOUND, 2 * width);
    assert_true(H5Tinsert(type, re, 0, part) >= 0 && H5Tinsert(type, im, width, part) >= 0);
    return type;
}

static void put_h5(hid_t stored, hid_t memory, bool packed, const double *values)
{
    const hsize_t extent[] = {ROWS, COLUMNS}, chunk[] = {64, 2};
    const hid_t file = H5Fcreate(in_scratch("c.h5"), H5F_ACC_TRUNC, 0, 0);
    const hid_t space = H5Screate_simple(2, extent, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(!packed || (H5Pset_chunk(how, 2, chunk) >= 0 && H5Pset_deflate(how, 6) >= 0));
    const hid_t set = H5Dcreate2(file, "z", stored, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(how);
    H5Sclose(space);
    H5Fclose(file);
}

static void check_h5(hid_t part, const char *re, const char *im, bool packed)
{
    static double values[WORDS];
    static uint64_t read[WORDS];
    for (uint64_t i = 0; i < WORDS; i++) {
        values[i] = value_of(i);
    }
    const hid_t stored = compound(part, re, im), memory = compound(H5T_NATIVE_DOUBLE, re, im);
    put_h5(stored, memory, packed, values);
    hb_table *table;
    char name[4200];
    snprintf(name, sizeof name, "%s:/z", in_scratch("c.h5"));
    assert_ok(hb_table_open(name, HB_CELL_REAL, &table));
    assert_true(hb_table_schema(table)->columns == COLUMNS && hb_table_schema(table)->width == 8 &&
                hb_table_schema(table)->column[2].halves == HB_HALVES_COMPLEX);
    assert_ok(hb_table_read(table, &(hb_rectangle){.rows = ROWS, .columns = COLUMNS}, read));
    assert_reals(read, values, WORDS);
    assert_ok(hb_table_read(table, &(hb_rectangle){.row = 7, .rows = 99, .column = 1, .columns = 2}, read));
    for (uint64_t r = 0; r < 99; r++) {
        assert_reals(read + 4 * r, values + 2 * (COLUMNS * (7 + r) + 1), 4);
    }
    hb_table_close(table);
    values[2 * (COLUMNS * 42 + 1) + 1] = NAN; /* the imaginary part of row 43, column 2 */
    put_h5(stored, memory, packed, values);
    assert_ok(hb_table_open(name, HB_CELL_REAL, &table));
    assert_refused(hb_table_read(table, &(hb_rectangle){.row = 40, .rows = 9, .columns = COLUMNS}, read), HB_EDATA,
                   "row 43, column 2: the value is missing (NaN)");
    hb_table_close(table);
    assert_refused(hb_table_open(name, HB_CELL_INTEGER, &table), HB_EDATA, "class compound; only integers");
    H5Tclose(stored);
    H5Tclose(memory);
}

static void test_h5(void **state)
{
    (void)state;
    const hid_t parts[] = {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_IEEE_F64BE};
    for (int i = 0; i < 3; i++) {
        check_h5(parts[i], "r", "i", false);
        check_h5(parts[i], i == 2 ? "real" : "r", i == 2 ? "imag" : "i", true);
    }
}

/* Compounds that are no complex numbers. */
static void test_h5_refused(void **state)
{
    (void)state;
    static double values[WORDS];
    const hid_t types[] = {compound(H5T_NATIVE_DOUBLE, "x", "y"), compound(H5T_NATIVE_DOUBLE, "i", "r"),
                           compound(H5T_NATIVE_INT32, "r", "i")};
    char name[4200];
    snprintf(name, sizeof name, "%s:/z", in_scratch("c.h5"));
    for (int i = 0; i < 3; i++) {
        hb_table *table;
        put_h5(types[i], types[i], false, values);
        assert_refused(hb_table_open(name, HB_CELL_REAL, &table), HB_EDATA, "has compounds in two dimensions");
        H5Tclose(types[i]);
    }
}

/* A real column, a complex one, and what a pair becomes. */
static void make_schema(hb_schema *schema, hb_schema *plain)
{
    memset(schema, 0, sizeof *schema);
    assert_ok(hb_schema_alloc(schema, 3, 3));
    schema->rank = 2;
    schema->width = 8;
    schema->named = true;
    static const char *const names[] = {"x", "z", "p"};
    for (int c = 0; c < 3; c++) {
        schema->column[c] = (hb_column){.name = strdup(names[c]), .cells = HB_CELL_REAL, .halves = (hb_halves)c};
    }
    schema->column[2].part[0] = strdup("a");
    schema->column[2].part[1] = strdup("z");
    assert_ok(hb_schema_unpair(plain, schema));
    assert_true(plain->columns == 4 && plain->column[1].halves == HB_HALVES_COMPLEX &&
                plain->column[2].halves == HB_HALVES_REAL && plain->column[3].halves == HB_HALVES_REAL);
    assert_string_equal(plain->column[2].name, "a");
    assert_string_equal(plain->column[3].name, "p.z"); /* another column is z */
}

/* Writes rows in two pieces by columns, and reads them back. */
static void check_written(const char *name, const hb_schema *plain, const double *values, uint64_t words)
{
    uint64_t cells[18], piece[18], read[24];
    hb_table_writer *writer;
    hb_table *table;
    for (int i = 0; i < 18; i++) {
        cells[i] = hb_real_word(values[i]);
    }
    assert_ok(hb_table_create(name, plain, true, &writer));
    const hb_schema *written = hb_table_writer_schema(writer);
    assert_int_equal(hb_schema_words(written, 0, 4), words);
    if (words == 5) {
        for (int part = 0; part < 2; part++) {
            const hb_rectangle where = {.rows = 3, .column = part ? 2 : 0, .columns = 2};
            const int from = part ? 3 : 0, wide = part ? 2 : 3;
            for (int r = 0; r < 3; r++) {
                memcpy(piece + r * wide, cells + 5 * r + from, (size_t)wide * sizeof *piece);
            }
            assert_ok(hb_table_write(writer, &where, piece));
        }
    } else {
        memset(read, 0, sizeof read);
        for (int r = 0; r < 3; r++) {
            const int places[] = {0, 2, 3, 4, 6};
            for (int w = 0; w < 5; w++) {
                read[8 * r + places[w]] = cells[5 * r + w];
            }
        }
        assert_ok(hb_table_write(writer, &(hb_rectangle){.rows = 3, .columns = 4}, read));
    }
    assert_ok(hb_table_commit(writer));
    hb_table_writer_close(writer);
    assert_ok(hb_table_open(name, HB_CELL_REAL, &table));
    assert_int_equal(hb_schema_words(hb_table_schema(table), 0, 4), words);
    assert_string_equal(hb_table_schema(table)->column[3].name, "p.z");
    assert_ok(hb_table_read(table, &(hb_rectangle){.rows = 3, .columns = 4}, read));
    for (int r = 0; r < 3 && words == 5; r++) {
        assert_reals(read + 5 * r, values + 5 * r, 5);
    }
    for (int r = 0; r < 3 && words == 8; r++) {
        const double *v = values + 5 * r, wide[] = {v[0], 0, v[1], v[2], v[3], 0, v[4], 0};
        assert_reals(read + 8 * r, wide, 8);
    }
    hb_table_close(table);
}

static void test_written(void **state)
{
    (void)state;
    const double values[18] = {1.5, 0.1, -0.2, 3, 4, -1e-300, 5, 1e22, 0, -7, 2, -3.25, 0, 1, 1};
    hb_schema schema, plain;
    make_schema(&schema, &plain);
    char name[4200];
    check_written(in_scratch("out.csv"), &plain, values, 5);
    char text[512] = "";
    FILE *file = fopen(in_scratch("out.csv"), "r");
    assert_true(file != NULL && fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "x,z,a,p.z\n1.5,0.1-0.2j,3,4\n-1e-300,5+1e+22j,0,-7\n2,-3.25+0j,1,1\n");
    snprintf(name, sizeof name, "%s:/a/b", in_scratch("out.h5"));
    check_written(name, &plain, values, 8); /* all columns of an HDF5 dataset are complex */
    hb_schema_clear(&plain);
    hb_schema_clear(&schema);
}

HB_UNIT(table_complex)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_csv), cmocka_unit_test(test_csv_refused),
                                       cmocka_unit_test(test_h5), cmocka_unit_test(test_h5_refused),
                                       cmocka_unit_test(test_written)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
