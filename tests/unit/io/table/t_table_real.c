/* Tables of reals: decimals and every type of HDF5 that becomes one, what is refused, and what is written. */
#include "unit/scratch.h"

#include <float.h>
#include <hdf5.h>
#include <math.h>

#include "io/table/table.h"
#include "table/real_text.h"
#include "unit/unit.h"

static const char *put(const char *text)
{
    const char *path = in_scratch("t.csv");
    spit(path, text, strlen(text));
    return path;
}

static void test_csv(void **state)
{
    (void)state;
    const double expected[] = {36.6, -0.5, 1e-3, 2, -4, 1.25e10, 18446744073709551616.0, 5, -0.0, 0.1, 0.5, 7};
    hb_table *table;
    uint64_t read[12];
    assert_ok(hb_table_open(put("temp,b , \"c, d\"\n36.6,-0.5, 1e-3\n+2,-4,\"1.25E+10\"\n18446744073709551616, \" 5 \","
                                "-0\r\n0.1000000000000000000000000000000000000000000000000000000000000000001,.5,7."),
                            HB_CELL_REAL, &table));
    const hb_schema *schema = hb_table_schema(table);
    assert_true(schema->rows == 4 && schema->columns == 3 && schema->width == 8 && schema->named);
    for (int c = 0; c < 3; c++) {
        assert_true(schema->column[c].cells == HB_CELL_REAL && !schema->column[c].is_signed);
    }
    assert_ok(hb_table_read(table, &(hb_rectangle){.rows = 4, .columns = 3}, read));
    assert_memory_equal(read, expected, sizeof expected);
    assert_ok(hb_table_read(table, &(hb_rectangle){.row = 1, .rows = 2, .column = 1, .columns = 2}, read));
    assert_true(hb_real_of(read[0]) == -4 && hb_real_of(read[1]) == 1.25e10 && hb_real_of(read[2]) == 5);
    hb_table_close(table);
}

static void test_csv_refused(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
    } cases[] = {
        {"a,b\n1,2\n3,nan\n", "row 2 (line 3), column b: the value is missing (NA, NaN or null)"},
        {"a,b\n1,2\n-inf,4\n", "row 2 (line 3), column a: the field is not a number: it is infinite"},
        {"a,b\n1,2\n3,\n", "row 2 (line 3), column b: the field is empty"},
        {"a,b\n , 2\n", "row 1 (line 2), column a: the field is empty"},
        {"a,b\n1,0x10\n", "row 1 (line 2), column b: the field is not a number: it has letters"},
        {"a,b\n1,\"2,5\"\n", "row 1 (line 2), column b: the field is not a number: it has a comma where a point"},
        {"a,b\n1,1e400\n", "row 1 (line 2), column b: the number is too large for a double"},
        {"a,b\n1,1.5.2\n", "row 1 (line 2), column b: the field is not a number: it has signs that no number has"},
        {"a,b\n1.5\n", "row 1 (line 2) has 1 field"},
        {"a\n-\n", "row 1 (line 2), column a: the field is not a number"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_table *table;
        assert_refused(hb_table_open(put(cases[i].text), HB_CELL_REAL, &table), HB_EDATA, cases[i].words);
    }
}

enum { ROWS = 300, COLUMNS = 3, CELLS = ROWS * COLUMNS };

/* Values that every type below holds, but for fractions. */
static double value_of(uint64_t i, bool whole)
{
    const double v = (double)(i * 37 % 101);
    return whole ? v : v / 8 - 5;
}

static void put_h5(const char *name, hid_t type, bool packed, const double *values)
{
    const hsize_t extent[] = {ROWS, COLUMNS}, chunk[] = {64, 2};
    hid_t file = access(in_scratch("r.h5"), F_OK) == 0 ? H5Fopen(in_scratch("r.h5"), H5F_ACC_RDWR, H5P_DEFAULT)
                                                       : H5Fcreate(in_scratch("r.h5"), H5F_ACC_EXCL, 0, 0);
    hid_t space = H5Screate_simple(2, extent, NULL), how = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(!packed || (H5Pset_chunk(how, 2, chunk) >= 0 && H5Pset_deflate(how, 6) >= 0));
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Pclose(how);
    H5Sclose(space);
    H5Fclose(file);
}

/* Reads what was written as another kind of number. */
static void check_back(hb_table *table, bool whole)
{
    static uint64_t read[CELLS];
    assert_ok(hb_table_read(table, &(hb_rectangle){.rows = ROWS, .columns = COLUMNS}, read));
    for (uint64_t i = 0; i < CELLS; i++) {
        assert_true(hb_real_of(read[i]) == value_of(i, whole));
    }
    assert_ok(hb_table_read(table, &(hb_rectangle){.row = 7, .rows = 99, .column = 1, .columns = 2}, read));
    for (uint64_t i = 0; i < 198; i++) {
        assert_true(hb_real_of(read[i]) == value_of((7 + i / 2) * COLUMNS + 1 + i % 2, whole));
    }
}

static void test_h5(void **state)
{
    (void)state;
    hid_t half = H5Tcopy(H5T_IEEE_F32LE); /* of 16 bits, as numpy writes them */
    assert_true(H5Tset_fields(half, 15, 10, 5, 0, 10) >= 0 && H5Tset_size(half, 2) >= 0 && H5Tset_ebias(half, 15) >= 0);
    const hid_t types[] = {H5T_IEEE_F32LE, H5T_IEEE_F32BE,     H5T_IEEE_F64LE, H5T_IEEE_F64BE,
                           half,           H5T_NATIVE_LDOUBLE, H5T_STD_I8LE,   H5T_STD_U16BE,
                           H5T_STD_I32LE,  H5T_STD_U32LE,      H5T_STD_I64BE,  H5T_STD_U64LE};
    for (size_t t = 0; t < 2 * sizeof types / sizeof *types; t++) {
        const bool whole = t / 2 > 5;
        double values[CELLS];
        for (uint64_t i = 0; i < CELLS; i++) {
            values[i] = value_of(i, whole);
        }
        char set[16], name[200], out[200];
        snprintf(set, sizeof set, "/t%zu", t);
        put_h5(set, types[t / 2], t % 2 == 1, values);
        snprintf(name, sizeof name, "%s:%s", in_scratch("r.h5"), set);
        hb_table *table;
        assert_ok(hb_table_open(name, HB_CELL_REAL, &table));
        const hb_schema *schema = hb_table_schema(table);
        assert_true(schema->rows == ROWS && schema->columns == COLUMNS && schema->rank == 2 && schema->width == 8);
        assert_true(schema->column[2].cells == HB_CELL_REAL && !schema->column[2].is_signed);
        check_back(table, whole);

        hb_table_writer *writer;
        snprintf(out, sizeof out, "%s:/x/y", in_scratch("out.h5"));
        assert_ok(hb_table_create(out, schema, true, &writer));
        assert_ok(hb_table_write(writer, &(hb_rectangle){.rows = ROWS, .columns = COLUMNS}, (const uint64_t *)values));
        assert_ok(hb_table_commit(writer));
        hb_table_writer_close(writer);
        hb_table_close(table);

        hid_t file = H5Fopen(in_scratch("out.h5"), H5F_ACC_RDONLY, H5P_DEFAULT), y = H5Dopen2(file, "/x/y", 0);
        hid_t type = H5Dget_type(y);
        double back[CELLS];
        assert_true(H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == 8);
        assert_true(H5Dread(y, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
        assert_memory_equal(back, values, sizeof values);
        H5Tclose(type);
        H5Dclose(y);
        H5Fclose(file);
    }
    H5Tclose(half);
}

static void test_h5_refused(void **state)
{
    (void)state;
    double values[CELLS] = {0};
    const struct {
        double value;
        const char *words;
    } cases[] = {{NAN, "row 43, column 2: the value is missing (NaN)"},
                 {INFINITY, "row 43, column 2: the value is infinite"},
                 {-INFINITY, "row 43, column 2: the value is infinite"}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        char set[16], name[200];
        uint64_t read[CELLS];
        values[42 * COLUMNS + 1] = cases[i / 2].value;
        snprintf(set, sizeof set, "/bad%zu", i);
        put_h5(set, H5T_IEEE_F32LE, i % 2 == 1, values);
        snprintf(name, sizeof name, "%s:%s", in_scratch("r.h5"), set);
        hb_table *table;
        assert_ok(hb_table_open(name, HB_CELL_REAL, &table));
        assert_refused(hb_table_read(table, &(hb_rectangle){.row = 1, .rows = 200, .columns = COLUMNS}, read), HB_EDATA,
                       cases[i / 2].words);
        assert_refused(hb_table_read(table, &(hb_rectangle){.row = 42, .rows = 1, .column = 1, .columns = 1}, read),
                       HB_EDATA, cases[i / 2].words);
        assert_ok(hb_table_read(table, &(hb_rectangle){.row = 43, .rows = 100, .columns = COLUMNS}, read));
        hb_table_close(table);
        assert_refused(hb_table_open(name, HB_CELL_INTEGER, &table), HB_EDATA,
                       "column 1: the field is a floating-point number, and these parameters are for integers");
    }
    char name[200];
    hid_t file = H5Fopen(in_scratch("r.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    const hsize_t few = 3;
    hid_t space = H5Screate_simple(1, &few, NULL);
    H5Dclose(H5Dcreate2(file, "/text", H5T_C_S1, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Fclose(file);
    hb_table *table;
    snprintf(name, sizeof name, "%s:/text", in_scratch("r.h5"));
    assert_refused(hb_table_open(name, HB_CELL_REAL, &table), HB_EDATA, "class string; only numbers can be encrypted");
}

/* Cells that are written as text are read the same, bit for bit: 30000 cells of any size. */
static void test_round_trip(void **state)
{
    (void)state;
    enum { N = 10000 };
    static uint64_t values[3 * N], read[3 * N];
    uint64_t noise = 1;
    for (size_t i = 0; i < 3 * N; i++) {
        do {
            noise = noise * 6364136223846793005u + 1442695040888963407u;
            values[i] = i % 3 == 0 ? hb_real_word((double)(noise >> 50) / 10) : noise ^ noise >> 29;
        } while (!isfinite(hb_real_of(values[i])));
    }
    hb_schema schema = {.rows = N, .columns = 3, .rank = 2, .width = 8, .named = true};
    schema.column = calloc(3, sizeof *schema.column);
    const char *const names[] = {"x", "y", "z"};
    for (int c = 0; c < 3; c++) {
        schema.column[c] = (hb_column){.name = strdup(names[c]), .cells = HB_CELL_REAL};
    }
    const hb_rectangle all = {.rows = N, .columns = 3};
    hb_table_writer *writer;
    hb_table *table;
    assert_ok(hb_table_create(in_scratch("round.csv"), &schema, false, &writer));
    assert_ok(hb_table_write(writer, &all, values));
    assert_ok(hb_table_commit(writer));
    hb_table_writer_close(writer);
    struct stat info;
    assert_true(stat(in_scratch("round.csv"), &info) == 0 && (info.st_mode & 0777) == 0600);
    assert_ok(hb_table_open(in_scratch("round.csv"), HB_CELL_REAL, &table));
    assert_ok(hb_table_read(table, &all, read));
    assert_memory_equal(values, read, sizeof values);
    hb_table_close(table);
    hb_schema_clear(&schema);
}

static void test_ranges(void **state)
{
    (void)state;
    const hb_column any = {.cells = HB_CELL_REAL};
    const hb_column some = {.cells = HB_CELL_REAL, .ranged = true, .least = hb_real_word(-2), .most = hb_real_word(4)};
    const double in[] = {-2, 4, 0, -0.0, 3.99, -1e-300}, out[] = {-2.0001, 4.1, NAN, INFINITY, -INFINITY, 1e300};
    for (size_t i = 0; i < 6; i++) {
        assert_true(hb_column_holds(&some, hb_real_word(in[i])) && hb_column_holds(&any, hb_real_word(in[i])));
        assert_false(hb_column_holds(&some, hb_real_word(out[i])));
        assert_true(hb_column_holds(&any, hb_real_word(out[i])) == isfinite(out[i]));
    }
}

HB_UNIT(table_real)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_csv),        cmocka_unit_test(test_csv_refused),
                                       cmocka_unit_test(test_h5),         cmocka_unit_test(test_h5_refused),
                                       cmocka_unit_test(test_round_trip), cmocka_unit_test(test_ranges)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
