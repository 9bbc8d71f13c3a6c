/* Tables that HDF5 holds in parts: groups of datasets, compounds, enumerations and truth values; what is refused. */
#include "unit/scratch.h"

#include <hdf5.h>
#include <sys/inotify.h>

#include "io/table/table.h"
#include "table/real_text.h"
#include "unit/unit.h"

enum { ROWS = 5 };

static char name[4200];

static const char *path_of(const char *dataset)
{
    snprintf(name, sizeof name, "%s:%s", in_scratch("p.h5"), dataset);
    return name;
}

static void put(hid_t at, const char *dataset, hid_t type, hid_t native, hsize_t rows, const void *values)
{
    hid_t space = H5Screate_simple(1, &rows, NULL);
    hid_t set = H5Dcreate2(at, dataset, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static hid_t enumeration(const char *const *labels, const int16_t *values, int count)
{
    const hid_t type = H5Tenum_create(H5T_STD_I16BE);
    for (int i = 0; i < count; i++) {
        int16_t value = values[i];
        assert_true(H5Tconvert(H5T_NATIVE_INT16, H5T_STD_I16BE, 1, &value, NULL, H5P_DEFAULT) >= 0);
        assert_true(H5Tenum_insert(type, labels[i], &value) >= 0);
    }
    return type;
}

static const char *const colours[] = {"red", "green", "blue"}, *const truths[] = {"FALSE", "TRUE"};
static const int16_t codes[] = {5, -2, 9}, bits[] = {0, 1};

typedef struct row {
    int32_t x;
    double d;
    int64_t v[2];
    int16_t colour;
} row;

static void put_compounds(hid_t file)
{
    const hsize_t two = 2;
    const hid_t native = H5Tenum_create(H5T_NATIVE_INT16), pair = H5Tarray_create2(H5T_NATIVE_INT64, 1, &two);
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(row));
    for (int i = 0; i < 3; i++) {
        H5Tenum_insert(native, colours[i], &codes[i]);
    }
    H5Tinsert(type, "x", HOFFSET(row, x), H5T_NATIVE_INT32);
    H5Tinsert(type, "v", HOFFSET(row, v), pair);
    H5Tinsert(type, "colour", HOFFSET(row, colour), native);
    row rows[ROWS];
    for (int i = 0; i < ROWS; i++) {
        rows[i] = (row){.x = -i, .d = i / 4., .v = {10 * i, INT64_MIN + i}, .colour = codes[i % 3]};
    }
    put(file, "c", type, type, ROWS, rows);
    H5Tinsert(type, "d", HOFFSET(row, d), H5T_NATIVE_DOUBLE);
    put(file, "f", type, type, ROWS, rows);
    rows[3].colour = 7;
    put(file, "bad", type, type, ROWS, rows);
    H5Tclose(type);
    H5Tclose(pair);
    H5Tclose(native);
}

static void make_file(void)
{
    const int32_t a[] = {-3, 1, 4, 1, 5};
    const uint64_t b[] = {UINT64_MAX, 1, 2, 3, 4};
    int16_t colour[] = {9, 5, -2, -2, 9}, truth[] = {1, 0, 0, 1, 1};
    hid_t file = H5Fcreate(in_scratch("p.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t group = H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t three = enumeration(colours, codes, 3), two = enumeration(truths, bits, 2);
    put(group, "b", H5T_STD_U64BE, H5T_NATIVE_UINT64, ROWS, b);
    put(group, "a", H5T_STD_I32BE, H5T_NATIVE_INT32, ROWS, a);
    for (int i = 0; i < ROWS; i++) {
        H5Tconvert(H5T_NATIVE_INT16, H5T_STD_I16BE, 1, &colour[i], NULL, H5P_DEFAULT);
        H5Tconvert(H5T_NATIVE_INT16, H5T_STD_I16BE, 1, &truth[i], NULL, H5P_DEFAULT);
    }
    put(group, "colour", three, three, ROWS, colour);
    put(group, "ok", two, two, ROWS, truth);
    put(file, "one", two, two, ROWS, truth);
    put_compounds(file);
    hid_t uneven = H5Gcreate2(file, "uneven", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put(uneven, "p", H5T_STD_I32LE, H5T_NATIVE_INT32, 5, a);
    put(uneven, "q", H5T_STD_I32LE, H5T_NATIVE_INT32, 4, a);
    hid_t empty = H5Gcreate2(file, "empty", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t nested = H5Gcreate2(uneven, "inner", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t texts = H5Gcreate2(file, "texts", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), string = H5Tcopy(H5T_C_S1);
    put(texts, "t", string, string, ROWS, "abcde");
    const hid_t all[] = {string, texts, nested, empty, uneven, two, three, group, file};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        H5Idec_ref(all[i]);
    }
}

static void assert_words(const uint64_t *words, const int64_t *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i] != (uint64_t)expected[i]) {
            fail_msg("word %zu is %lld and not %lld", i, (long long)words[i], (long long)expected[i]);
        }
    }
}

static void test_group(void **state)
{
    (void)state;
    hb_table *table;
    uint64_t read[4 * ROWS];
    make_file();
    assert_ok(hb_table_open(path_of("/g"), HB_CELL_INTEGER, &table));
    const hb_schema *schema = hb_table_schema(table);
    assert_true(schema->rows == ROWS && schema->columns == 4 && schema->named && schema->rank == 2);
    assert_string_equal(schema->column[0].name, "a");
    assert_true(schema->column[0].is_signed && !schema->column[1].is_signed);
    assert_int_equal(schema->column[2].meaning.kind, HB_MEANING_CATEGORY);
    assert_int_equal(schema->column[2].meaning.labels->count, 3);
    assert_string_equal(schema->column[2].meaning.labels->text[0], "green"); /* by values */
    assert_int_equal(schema->column[3].meaning.kind, HB_MEANING_BOOL);
    assert_ok(hb_table_read(table, &(hb_rectangle){.rows = ROWS, .columns = 4}, read));
    const int64_t whole[] = {-3, -1, 2, 1, 1, 1, 1, 0, 4, 2, 0, 0, 1, 3, 0, 1, 5, 4, 2, 1};
    assert_words(read, whole, 4 * ROWS);
    assert_ok(hb_table_read(table, &(hb_rectangle){.row = 1, .rows = 2, .column = 1, .columns = 2}, read));
    const int64_t part[] = {1, 1, 2, 0};
    assert_words(read, part, 4);
    hb_table_close(table);
}

static void test_compounds(void **state)
{
    (void)state;
    hb_table *table;
    uint64_t read[5 * ROWS];
    make_file();
    assert_ok(hb_table_open(path_of("/c"), HB_CELL_INTEGER, &table));
    const hb_schema *schema = hb_table_schema(table);
    assert_true(schema->rows == ROWS && schema->columns == 4);
    assert_string_equal(schema->column[2].name, "v_1");
    assert_ok(hb_table_read(table, &(hb_rectangle){.row = 1, .rows = 2, .columns = 4}, read));
    const int64_t two[] = {-1, 10, INT64_MIN + 1, 0, -2, 20, INT64_MIN + 2, 2};
    assert_words(read, two, 8);
    hb_table_close(table);
    assert_ok(hb_table_open(path_of("/f"), HB_CELL_REAL, &table));
    assert_ok(hb_table_read(table, &(hb_rectangle){.row = 3, .rows = 1, .columns = 2}, read));
    assert_ok(hb_table_read(table, &(hb_rectangle){.row = 3, .rows = 1, .column = 3, .columns = 2}, read + 3));
    assert_true(hb_real_of(read[0]) == -3 && hb_real_of(read[1]) == 30 && hb_real_of(read[3]) == 1 &&
                hb_real_of(read[4]) == 0.75);
    assert_refused(hb_table_read(table, &(hb_rectangle){.row = 3, .rows = 1, .columns = 5}, read), HB_EDATA,
                   "row 4, column v_1: the value is an integer that no double is");
    hb_table_close(table);
    assert_ok(hb_table_open(path_of("/one"), HB_CELL_INTEGER, &table));
    assert_true(hb_table_schema(table)->rank == 1 && !hb_table_schema(table)->named);
    assert_ok(hb_table_read(table, &(hb_rectangle){.rows = ROWS, .columns = 1}, read));
    const int64_t truth[] = {1, 0, 0, 1, 1};
    assert_words(read, truth, ROWS);
    hb_table_close(table);
}

static void test_refused(void **state)
{
    (void)state;
    const struct {
        const char *dataset, *words;
        hb_cell_type cells;
    } cases[] = {{"/uneven", "no dataset; a group is a table where", HB_CELL_INTEGER},
                 {"/empty", "is a group of 0 members", HB_CELL_INTEGER},
                 {"/texts", "column 't' holds texts", HB_CELL_REAL},
                 {"/f",
                  "column d: the field is a floating-point number, and these parameters are for integers; read with "
                  "--scale d=100",
                  HB_CELL_INTEGER}};
    hb_table *table;
    uint64_t read[5 * ROWS];
    make_file();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_refused(hb_table_open(path_of(cases[i].dataset), cases[i].cells, &table), HB_EDATA, cases[i].words);
    }
    hid_t file = H5Fopen(in_scratch("p.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "uneven/inner", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_refused(hb_table_open(path_of("/uneven"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "'q' has 4 rows, those before it 5");
    assert_ok(hb_table_open(path_of("/bad"), HB_CELL_REAL, &table));
    assert_refused(hb_table_read(table, &(hb_rectangle){.rows = ROWS, .columns = 5}, read), HB_EDATA,
                   "row 4, column 'colour': the value is none that its type has");
    hb_table_close(table);
}

/* A dataset of compounds of so many members whose rows are in another file. */
static void put_virtual(hid_t file, const char *dataset, int members)
{
    const hsize_t rows = ROWS;
    const hid_t space = H5Screate_simple(1, &rows, NULL), creation = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t type = H5Tcreate(H5T_COMPOUND, (size_t)members * sizeof(int32_t));
    int32_t *values = calloc(ROWS * (size_t)members, sizeof *values);
    for (int i = 0; i < members; i++) {
        char member[16];
        snprintf(member, sizeof member, "m%d", i);
        assert_true(H5Tinsert(type, member, (size_t)i * sizeof *values, H5T_NATIVE_INT32) >= 0);
    }
    hid_t source = is_there(in_scratch("source.h5"))
                       ? H5Fopen(in_scratch("source.h5"), H5F_ACC_RDWR, H5P_DEFAULT)
                       : H5Fcreate(in_scratch("source.h5"), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    put(source, dataset, type, type, ROWS, values);
    assert_true(H5Pset_virtual(creation, space, "source.h5", dataset, space) >= 0);
    hid_t set = H5Dcreate2(file, dataset, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Fclose(source);
    H5Tclose(type);
    H5Pclose(creation);
    H5Sclose(space);
    free(values);
}

/* Returns how often the source was opened or closed, by any process, while a table was opened. */
static size_t count_openings(const char *table_name, uint64_t columns)
{
    const hb_reading reading = {.follows_files = true};
    const int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    char events[1 << 14] __attribute__((aligned(__alignof__(struct inotify_event))));
    hb_table *table;
    assert_true(watch >= 0 && inotify_add_watch(watch, in_scratch("source.h5"), IN_OPEN | IN_CLOSE) >= 0);
    assert_ok(hb_table_open_as(path_of(table_name), HB_CELL_INTEGER, &reading, &table));
    assert_int_equal(hb_table_schema(table)->columns, columns);
    const ssize_t bytes = read(watch, events, sizeof events);
    hb_table_close(table);
    close(watch);
    assert_true(bytes > 0 && (size_t)bytes < sizeof events);
    return (size_t)bytes / sizeof(struct inotify_event);
}

/* Where a dataset lies is looked at once, however many members its compounds have. */
static void test_virtual_compounds(void **state)
{
    (void)state;
    hid_t file = H5Fopen(in_scratch("p.h5"), H5F_ACC_RDWR, H5P_DEFAULT);
    put_virtual(file, "/virtual1", 1);
    put_virtual(file, "/virtual20", 20);
    H5Fclose(file);
    const size_t one = count_openings("/virtual1", 1);
    assert_int_equal(count_openings("/virtual20", 20), one);
}

HB_UNIT(table_parts)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_group), cmocka_unit_test(test_compounds),
                                       cmocka_unit_test(test_refused), cmocka_unit_test(test_virtual_compounds)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
