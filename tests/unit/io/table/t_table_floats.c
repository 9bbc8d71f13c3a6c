/* HDF5 tables of floating-point numbers with missing cells: as decimals among integers, and as reals; rows that are
 * left out, cells that are replaced, attributes that say which numbers stand for missing cells. */
#include "unit/scratch.h"

#include <hdf5.h>
#include <inttypes.h>
#include <math.h>

#include "table/real_text.h"
#include "unit/io/table/said_table.h"
#include "unit/unit.h"

enum { ROWS = 5000, COLUMNS = 3 };

static const char *put_numbers(const char *set, hid_t stored, hid_t native, int rank, const hsize_t *extent,
                               const void *values)
{
    static char name[300];
    const bool there = is_there(in_scratch("f.h5"));
    hid_t file = there ? H5Fopen(in_scratch("f.h5"), H5F_ACC_RDWR, H5P_DEFAULT)
                       : H5Fcreate(in_scratch("f.h5"), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(rank, extent, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[] = {77, 2};
    assert_true(strstr(set, "chunks") == NULL || H5Pset_chunk(creation, rank, chunk) >= 0);
    hid_t made = H5Dcreate2(file, set, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(made >= 0 && H5Dwrite(made, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(made);
    H5Pclose(creation);
    H5Sclose(space);
    H5Fclose(file);
    snprintf(name, sizeof name, "%s:%s", in_scratch("f.h5"), set);
    return name;
}

static void put_attribute(const char *set, const char *attribute, hid_t stored, hsize_t count, const double *values)
{
    hid_t file = H5Fopen(in_scratch("f.h5"), H5F_ACC_RDWR, H5P_DEFAULT), of = H5Dopen2(file, set, H5P_DEFAULT);
    hid_t space = count > 1 ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t made = H5Acreate2(of, attribute, stored, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(made >= 0 && H5Awrite(made, H5T_NATIVE_DOUBLE, values) >= 0);
    H5Aclose(made);
    H5Sclose(space);
    H5Dclose(of);
    H5Fclose(file);
}

/* Hundredths, of which some are missing, and what is left of them. */
typedef struct sample {
    int64_t hundredths[ROWS * COLUMNS];
    double stored[ROWS * COLUMNS];
    int64_t kept[ROWS * COLUMNS];
    uint64_t rows, left_out[COLUMNS];
    hb_left_out which;
} sample;

static sample *make_sample(bool narrow)
{
    sample *s = calloc(1, sizeof *s);
    uint64_t seed = 11;
    for (uint64_t r = 0; r < ROWS; r++) {
        bool missing = false;
        for (uint64_t c = 0; c < COLUMNS; c++) {
            const uint64_t at = r * COLUMNS + c;
            char text[32];
            s->hundredths[at] = (int64_t)(noise(&seed) % 1000000) - 500000 * (c == 0);
            s->kept[s->rows * COLUMNS + c] = s->hundredths[at];
            snprintf(text, sizeof text, "%" PRId64 "e-2", s->hundredths[at]);
            s->stored[at] = narrow ? (double)strtof(text, NULL) : strtod(text, NULL);
            if (noise(&seed) % 9 == 0 && !(r > 700 && r < 2200)) {
                s->stored[at] = NAN;
                s->left_out[c]++;
                missing = true;
            }
        }
        if (missing) {
            hb_left_out_add(&s->which, r);
        }
        s->rows += !missing;
    }
    return s;
}

static void check_rectangles(hb_table *table, const sample *s, uint64_t words, double scale)
{
    uint64_t seed = 5, *values = malloc(ROWS * COLUMNS * words * sizeof *values);
    for (int i = 0; i < 60; i++) {
        hb_rectangle x = {.row = noise(&seed) % s->rows, .column = noise(&seed) % COLUMNS};
        x.rows = i == 0 ? s->rows - x.row : noise(&seed) % (s->rows - x.row + 1);
        x.columns = 1 + noise(&seed) % (COLUMNS - x.column);
        assert_ok(hb_table_read(table, &x, values));
        for (uint64_t v = 0; v < x.rows * x.columns; v++) {
            const int64_t want = s->kept[(x.row + v / x.columns) * COLUMNS + x.column + v % x.columns];
            if (scale > 0) {
                assert_true(fabs(hb_real_of(values[v]) - (double)want / scale) < 1e-3);
            } else {
                assert_int_equal((int64_t)values[v * words], want);
                assert_true(words == 1 || values[v * words + 1] == (want < 0 ? UINT64_MAX : 0));
            }
        }
    }
    free(values);
}

/* Rows with NaN are left out; others are decimals, exactly, of floats and doubles, wherever they lie. */
static void test_rows(void **state)
{
    (void)state;
    const hsize_t extent[] = {ROWS, COLUMNS};
    const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F32BE};
    const hb_cell_type cells[] = {HB_CELL_INTEGER, HB_CELL_WIDE, HB_CELL_REAL};
    for (int t = 0; t < 4; t++) {
        sample *s = make_sample(t % 2 == 1);
        char set[32];
        snprintf(set, sizeof set, "/%s%d", t < 2 ? "piece" : "chunks", t);
        const char *name = put_numbers(set, types[t % 2], H5T_NATIVE_DOUBLE, 2, extent, s->stored);
        for (int k = 0; k < 3; k++) {
            const bool real = cells[k] == HB_CELL_REAL;
            hb_table *table;
            const hb_reading_words words = {.missing = "drop",
                                            .scale = real ? NULL : "column1=100,column2=100,column3=100"};
            assert_ok(open_said(name, cells[k], words, &table));
            const hb_schema *schema = hb_table_schema(table);
            assert_true(schema->rows == s->rows && schema->columns == COLUMNS && !schema->named);
            assert_true(real || (schema->column[0].is_signed && !schema->column[1].is_signed));
            assert_true(real || hb_meaning_scale(&schema->column[2].meaning) == 100);
            assert_true(hb_left_out_same(&schema->left_out, &s->which));
            const hb_table_findings gaps = hb_table_findings_of(table);
            for (uint64_t c = 0; c < COLUMNS; c++) {
                assert_int_equal(gaps.column[c].left_out, s->left_out[c]);
                assert_int_equal(gaps.column[c].replaced, 0);
            }
            check_rectangles(table, s, cells[k] == HB_CELL_WIDE ? 2 : 1, real ? 100 : 0);
            hb_table_close(table);
        }
        hb_table *table;
        assert_refused(open_said(name, HB_CELL_INTEGER, (hb_reading_words){.missing = "drop"}, &table), HB_EDATA,
                       "; read with --scale column1=100,column2=100,column3=100 --missing drop; or");
        free(s);
    }
}

static void check_cells(const char *name, hb_reading_words words, const int64_t *want, uint64_t rows)
{
    hb_table *table;
    uint64_t values[16];
    assert_ok(open_said(name, HB_CELL_INTEGER, words, &table));
    assert_int_equal(hb_table_schema(table)->rows, rows);
    assert_ok(hb_table_read(table, &(hb_rectangle){.rows = rows, .columns = 1}, values));
    for (uint64_t r = 0; r < rows; r++) {
        assert_int_equal((int64_t)values[r], want[r]);
    }
    hb_table_close(table);
}

static void test_replaced(void **state)
{
    (void)state;
    const hsize_t four = 4;
    const double values[] = {1.5, NAN, -2.25, 3};
    hb_table *table;
    const char *name = put_numbers("/r", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &four, values);
    check_cells(name, (hb_reading_words){.missing = "0.75", .scale = "column1=100"}, (int64_t[]){150, 75, -225, 300},
                4);
    check_cells(name, (hb_reading_words){.missing = "column1=-9", .scale = "column1=1", .round = true},
                (int64_t[]){2, -9, -2, 3}, 4);
    assert_refused(open_said(name, HB_CELL_INTEGER, (hb_reading_words){.missing = "x", .scale = "column1=100"}, &table),
                   HB_EUSAGE, "--missing: 'x' is no value of column");
    assert_refused(
        open_said(name, HB_CELL_INTEGER, (hb_reading_words){.missing = "drop", .scale = "column1=1"}, &table), HB_EDATA,
        "row 1, column 1: the field has more digits behind the point than its scale keeps");
    assert_refused(open_said(name, HB_CELL_INTEGER, (hb_reading_words){.scale = "column1=100"}, &table), HB_EDATA,
                   "row 2, column 1: the value is missing (NaN); read with --scale column1=100 --missing drop");
    assert_refused(open_said(name, HB_CELL_INTEGER, (hb_reading_words){.scale = "b=100"}, &table), HB_EUSAGE,
                   "there is no column 'b'");
    assert_refused(open_said(name, HB_CELL_REAL, (hb_reading_words){.scale = "column1=100"}, &table), HB_EUSAGE,
                   "--scale: reals have no scale");
    assert_refused(
        open_said(name, HB_CELL_REAL, (hb_reading_words){.na = (const char *[]){"x"}, .na_count = 1}, &table),
        HB_EUSAGE, "are for CSV");
    const double infinite[] = {NAN, 1, -INFINITY, 2};
    name = put_numbers("/i", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, 1, &four, infinite);
    for (int real = 0; real < 2; real++) {
        const hb_reading_words words = {.missing = "drop", .scale = real == 1 ? NULL : "column1=1"};
        assert_refused(open_said(name, real == 1 ? HB_CELL_REAL : HB_CELL_INTEGER, words, &table), HB_EDATA,
                       "row 3, column 1: the field is infinite");
    }
    const double ids[] = {1, NAN, 720575940631797753.0, 2};
    name = put_numbers("/ids", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &four, ids);
    assert_refused(
        open_said(name, HB_CELL_INTEGER, (hb_reading_words){.missing = "drop", .scale = "column1=1"}, &table), HB_EDATA,
        "row 3, column 1: the field is a floating-point number too large");
    const long double exact[] = {1, 2, 9223372036854775807.0L, 4};
    name = put_numbers("/long", H5T_NATIVE_LDOUBLE, H5T_NATIVE_LDOUBLE, 1, &four, exact);
    assert_refused(open_said(name, HB_CELL_INTEGER, (hb_reading_words){.scale = "column1=1"}, &table), HB_EDATA,
                   "row 1, column 1: the field is a floating-point number of more than 8 bytes");
    const int64_t large[] = {1, 2, INT64_C(1) << 62, 4};
    name = put_numbers("/large", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &four, large);
    assert_refused(open_said(name, HB_CELL_INTEGER, (hb_reading_words){.scale = "column1=10"}, &table), HB_EDATA,
                   "row 3, column 1: the field does not fit in 64 bits, times its scale");
}

/* netCDF's conventions. */
static void test_attributes(void **state)
{
    (void)state;
    const hsize_t five = 5;
    const double values[] = {1, -999, 3, 7, 100};
    const struct {
        hid_t stored, attribute_type;
        const char *attribute;
        hsize_t count;
        double attribute_value[2];
        uint64_t rows;
        int64_t kept[5];
    } cases[] = {
        {H5T_STD_I16LE, H5T_STD_I16LE, "_FillValue", 1, {-999}, 4, {1, 3, 7, 100}},
        {H5T_STD_I64BE, H5T_STD_I32LE, "missing_value", 2, {-999, 7}, 3, {1, 3, 100}},
        {H5T_STD_I32LE, H5T_IEEE_F64LE, "missing_value", 1, {-999}, 4, {1, 3, 7, 100}},
        {H5T_STD_I32LE, H5T_IEEE_F64LE, "missing_value", 1, {0.5}, 5, {1, -999, 3, 7, 100}},
        {H5T_IEEE_F32LE, H5T_IEEE_F32LE, "_FillValue", 1, {-999}, 4, {1, 3, 7, 100}},
        {H5T_IEEE_F64LE, H5T_IEEE_F64LE, "_FillValue", 1, {NAN}, 5, {1, -999, 3, 7, 100}},
        {H5T_IEEE_F64LE, H5T_IEEE_F64LE, "valid_range", 2, {0, 50}, 3, {1, 3, 7}},
        {H5T_STD_I32LE, H5T_STD_I32LE, "valid_range", 2, {0, 50}, 3, {1, 3, 7}},
        {H5T_STD_I32LE, H5T_STD_I32LE, "valid_min", 1, {3}, 3, {3, 7, 100}},
        {H5T_STD_I32LE, H5T_STD_I32LE, "valid_max", 1, {3}, 3, {1, -999, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char set[16], name[300];
        snprintf(set, sizeof set, "/a%zu", i);
        snprintf(name, sizeof name, "%s", put_numbers(set, cases[i].stored, H5T_NATIVE_DOUBLE, 1, &five, values));
        put_attribute(set, cases[i].attribute, cases[i].attribute_type, cases[i].count, cases[i].attribute_value);
        const char *scale = H5Tget_class(cases[i].stored) == H5T_FLOAT ? "column1=1" : NULL;
        check_cells(name, (hb_reading_words){.missing = "drop", .scale = scale}, cases[i].kept, cases[i].rows);
        hb_table *table;
        if (cases[i].rows < 5) { /* missing cells are never read as numbers */
            assert_refused(open_said(name, HB_CELL_INTEGER, (hb_reading_words){.scale = scale}, &table), HB_EDATA,
                           " --missing drop");
            assert_refused(hb_table_open(name, HB_CELL_REAL, &table), HB_EDATA, "column 1: the value is o");
        }
        assert_ok(open_said(name, HB_CELL_REAL, (hb_reading_words){.missing = "drop"}, &table));
        assert_int_equal(hb_table_schema(table)->rows, cases[i].rows);
        hb_table_close(table);
    }
}

static void test_refused_attributes(void **state)
{
    (void)state;
    const hsize_t five = 5;
    const struct {
        hid_t stored;
        const char *attribute, *words;
        hsize_t count;
        double value[9];
    } refused[] = {
        {H5T_IEEE_F32LE, "_FillValue", "is of another type than its numbers", 1, {-9999.9}}, /* of doubles */
        {H5T_STD_I8LE, "_FillValue", "is of another type than its numbers", 1, {-1}},        /* of unsigned ones */
        {H5T_IEEE_F64LE, "missing_value", "which is none of 1 to 8 numbers", 9, {0}},
        {H5T_IEEE_F64LE, "valid_range", "is of another type", 1, {0}},
        {H5T_IEEE_F64LE, "scale_factor", "its numbers are to be multiplied by it", 1, {2}},
        {H5T_IEEE_F64LE, "scale_factor", "its numbers are to be multiplied by it", 2, {1, 1}},
    };
    const double small[] = {1, 2, 3, 4, 255};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char set[16], name[300];
        const bool integers = H5Tget_class(refused[i].stored) == H5T_INTEGER;
        snprintf(set, sizeof set, "/b%zu", i);
        snprintf(name, sizeof name, "%s",
                 put_numbers(set, integers ? H5T_STD_U8LE : H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, &five, small));
        put_attribute(set, refused[i].attribute, refused[i].stored, refused[i].count, refused[i].value);
        hb_table *table;
        assert_refused(open_said(name, HB_CELL_REAL, (hb_reading_words){.missing = "drop"}, &table), HB_EDATA,
                       refused[i].words);
    }
}

HB_UNIT(table_floats)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_replaced),
                                       cmocka_unit_test(test_attributes), cmocka_unit_test(test_refused_attributes)};
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
