/* HDF5 tables of every integer type, against what HDF5 itself writes and reads. */
#include "unit/scratch.h"
#include <pthread.h>

#include <errno.h>
#include <hdf5.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "io/table/table.h"

static int closed_in_vain; /* descriptors that were closed while they were none */

/* In the place of libc's, for everything in this program: a descriptor closed twice may be another thread's. */
int close(int fd)
{
    const int result = (int)syscall(SYS_close, fd);
    closed_in_vain += result < 0 && errno == EBADF;
    return result;
}

typedef struct kind {
    hid_t type, native;
    uint32_t width;
    bool is_signed, big_endian;
} kind;

static size_t kinds(kind all[16])
{
    const kind list[] = {
        {H5T_STD_I8LE, H5T_NATIVE_INT64, 1, true, false},  {H5T_STD_U8LE, H5T_NATIVE_UINT64, 1, false, false},
        {H5T_STD_I16LE, H5T_NATIVE_INT64, 2, true, false}, {H5T_STD_U16LE, H5T_NATIVE_UINT64, 2, false, false},
        {H5T_STD_I32LE, H5T_NATIVE_INT64, 4, true, false}, {H5T_STD_U32LE, H5T_NATIVE_UINT64, 4, false, false},
        {H5T_STD_I64LE, H5T_NATIVE_INT64, 8, true, false}, {H5T_STD_U64LE, H5T_NATIVE_UINT64, 8, false, false},
        {H5T_STD_I16BE, H5T_NATIVE_INT64, 2, true, true},  {H5T_STD_U16BE, H5T_NATIVE_UINT64, 2, false, true},
        {H5T_STD_I32BE, H5T_NATIVE_INT64, 4, true, true},  {H5T_STD_U32BE, H5T_NATIVE_UINT64, 4, false, true},
        {H5T_STD_I64BE, H5T_NATIVE_INT64, 8, true, true},  {H5T_STD_U64BE, H5T_NATIVE_UINT64, 8, false, true},
    };
    memcpy(all, list, sizeof list);
    return sizeof list / sizeof list[0];
}

/* Noise that fits the type, with its extremes among the first. */
static uint64_t value_of(const kind *k, uint64_t i)
{
    uint64_t state = i + 1, value = noise(&state);
    uint32_t shift = 64 - 8 * k->width;
    if (i < 2) {
        value = i == 0 ? (uint64_t)1 << 63 : ~((uint64_t)1 << 63); /* least and largest signed */
        value = k->is_signed ? value : i == 0 ? 0 : UINT64_MAX;
    }
    return k->is_signed ? (uint64_t)((int64_t)value >> shift) : value >> shift;
}

static hid_t open_file(const char *name)
{
    hid_t file = is_there(in_scratch(name)) ? H5Fopen(in_scratch(name), H5F_ACC_RDWR, H5P_DEFAULT)
                                            : H5Fcreate(in_scratch(name), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(file >= 0);
    return file;
}

static void put(const char *file_name, const char *dataset, hid_t type, hid_t native, int rank, const hsize_t *extent,
                hid_t creation, const void *values)
{
    hid_t file = open_file(file_name), space = rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(file, dataset, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    assert_true(set >= 0);
    assert_true(!values || H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

/* Rectangles of a table of this shape, by the numbers of its cells. */
static void check_rectangles(hb_table *table, const kind *k, uint64_t rows, uint64_t columns)
{
    uint64_t state = 3, *values = malloc((size_t)(rows * columns) * sizeof *values);
    for (int i = 0; i < 20; i++) {
        hb_rectangle x = {.row = noise(&state) % rows, .column = noise(&state) % columns};
        x.rows = i == 0 ? rows - x.row : noise(&state) % (rows - x.row + 1);
        x.columns = 1 + noise(&state) % (columns - x.column);
        assert_ok(hb_table_read(table, &x, values));
        for (uint64_t c = 0; c < x.rows * x.columns; c++) {
            uint64_t at = (x.row + c / x.columns) * columns + x.column + c % x.columns;
            assert_true(values[c] == value_of(k, at));
        }
    }
    free(values);
}

/* Any type, chunked and compressed or not, read by us, written by us, read back by HDF5. */
static void test_types(void **state)
{
    (void)state;
    kind all[16];
    size_t count = kinds(all);
    const hsize_t rows = 50, columns = 3, chunk[2] = {7, 2};
    hid_t packed = H5Pcreate(H5P_DATASET_CREATE);
    assert_true(H5Pset_chunk(packed, 2, chunk) >= 0 && H5Pset_deflate(packed, 6) >= 0);
    for (size_t i = 0; i < 2 * count; i++) {
        const kind *k = &all[i / 2];
        char dataset[32], name[200], out[200];
        uint64_t values[150], back[150];
        for (uint64_t v = 0; v < 150; v++) {
            values[v] = value_of(k, v);
        }
        snprintf(dataset, sizeof dataset, "/t%zu", i);
        put("in.h5", dataset, k->type, k->native, 2, (const hsize_t[]){rows, columns}, i % 2 ? packed : H5P_DEFAULT,
            values);
        snprintf(name, sizeof name, "%s:%s", in_scratch("in.h5"), dataset);
        hb_table *table;
        assert_ok(hb_table_open(name, HB_CELL_INTEGER, &table));
        const hb_schema *schema = hb_table_schema(table);
        assert_true(schema->rows == rows && schema->columns == columns && schema->rank == 2 && !schema->named);
        assert_true(schema->width == k->width && schema->column[0].is_signed == k->is_signed);
        assert_true(k->width == 1 || schema->big_endian == k->big_endian);
        check_rectangles(table, k, rows, columns);

        hb_table_writer *writer, *other;
        snprintf(out, sizeof out, "%s:/results/%zu/y", in_scratch("out.h5"), i);
        assert_ok(hb_table_create(out, schema, true, &writer));
        assert_ok(hb_table_join(out, schema, NULL, &other));
        assert_ok(hb_table_write(other, &(hb_rectangle){.row = 20, .rows = 30, .columns = 3}, values + 60));
        for (uint64_t c = 0; c < 3; c++) {
            uint64_t column[20];
            for (uint64_t r = 0; r < 20; r++) {
                column[r] = values[r * 3 + c];
            }
            assert_ok(hb_table_write(writer, &(hb_rectangle){.rows = 20, .column = c, .columns = 1}, column));
        }
        assert_ok(hb_table_sync(other));
        hb_table_writer_close(other);
        assert_ok(hb_table_commit(writer));
        hb_table_writer_close(writer);
        hb_table_close(table);
        hid_t file = open_file("out.h5"), set = H5Dopen2(file, strchr(out, ':') + 1, H5P_DEFAULT);
        hid_t type = H5Dget_type(set);
        assert_true(H5Tequal(type, k->type) > 0);
        assert_true(H5Dread(set, k->native, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0);
        assert_memory_equal(back, values, sizeof values);
        H5Tclose(type);
        H5Dclose(set);
        H5Fclose(file);
    }
    H5Pclose(packed);
}

static void test_one_dimension(void **state)
{
    (void)state;
    const uint64_t values[] = {1, 2, 3};
    put("one.h5", "/v", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, (const hsize_t[]){3}, H5P_DEFAULT, values);
    put("one.h5", "/none", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, (const hsize_t[]){0}, H5P_DEFAULT, NULL);
    const char *const datasets[] = {"v", "none"};
    for (int i = 0; i < 2; i++) {
        char name[200], out[200];
        snprintf(name, sizeof name, "%s:/%s", in_scratch("one.h5"), datasets[i]);
        snprintf(out, sizeof out, "%s:/v", in_scratch("one.out.h5"));
        hb_table *table;
        hb_table_writer *writer;
        uint64_t read[3];
        assert_ok(hb_table_open(name, HB_CELL_INTEGER, &table));
        const hb_schema *schema = hb_table_schema(table);
        assert_true(schema->rank == 1 && schema->columns == 1 && schema->rows == (i == 0 ? 3 : 0));
        hb_rectangle all = {.rows = schema->rows, .columns = 1};
        assert_ok(hb_table_read(table, &all, read));
        assert_ok(hb_table_create(out, schema, true, &writer));
        assert_ok(hb_table_write(writer, &all, read));
        assert_ok(hb_table_commit(writer));
        hb_table_writer_close(writer);
        hb_table_close(table);
        assert_ok(hb_table_open(out, HB_CELL_INTEGER, &table));
        assert_true(hb_table_schema(table)->rank == 1 && hb_table_schema(table)->rows == all.rows);
        uint64_t again[3] = {0};
        assert_ok(hb_table_read(table, &all, again));
        assert_memory_equal(again, values, all.rows * sizeof *again);
        hb_table_close(table);
    }
}

static void put_names(const char *file_name, const char *dataset, bool variable, hsize_t count)
{
    const char *const vary[] = {"id", "na\xc3\xafve", ""};
    const char fixed[3][8] = {"id", "na\xc3\xafve", ""};
    hid_t file = open_file(file_name), set = H5Dopen2(file, dataset, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    assert_true(H5Tset_size(type, variable ? H5T_VARIABLE : 8) >= 0);
    assert_true(variable || H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0);
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t names = H5Acreate2(set, "columns", type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(names, type, variable ? (const void *)vary : (const void *)fixed) >= 0);
    H5Aclose(names);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    H5Fclose(file);
}

static void test_names(void **state)
{
    (void)state;
    const hsize_t extent[] = {2, 3};
    const uint64_t values[] = {1, 2, 3, 4, 5, 6};
    for (int i = 0; i < 3; i++) { /* variable, fixed, too few */
        char dataset[16], name[200], out[200];
        snprintf(dataset, sizeof dataset, "/n%d", i);
        put("names.h5", dataset, H5T_STD_U16LE, H5T_NATIVE_UINT64, 2, extent, H5P_DEFAULT, values);
        put_names("names.h5", dataset, i == 0, i == 2 ? 2 : 3);
        snprintf(name, sizeof name, "%s:%s", in_scratch("names.h5"), dataset);
        hb_table *table;
        assert_ok(hb_table_open(name, HB_CELL_INTEGER, &table));
        const hb_schema *schema = hb_table_schema(table);
        assert_int_equal(schema->named, i < 2);
        assert_string_equal(schema->column[1].name, i < 2 ? "na\xc3\xafve" : "");
        hb_table_writer *writer;
        snprintf(out, sizeof out, "%s:/n", in_scratch("names.out.h5"));
        assert_ok(hb_table_create(out, schema, true, &writer));
        assert_ok(hb_table_commit(writer));
        hb_table_writer_close(writer);
        hb_table *again;
        assert_ok(hb_table_open(out, HB_CELL_INTEGER, &again));
        for (uint64_t c = 0; c < 3; c++) {
            assert_string_equal(hb_table_schema(again)->column[c].name, schema->column[c].name);
        }
        hb_table_close(again);
        hb_table_close(table);
    }
}

static void test_refused_input(void **state)
{
    (void)state;
    const hsize_t one[] = {2, 3, 4}, none[] = {5, 0};
    put("bad.h5", "/float", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, one, H5P_DEFAULT, (const double[]){1, 2, 3, 4, 5, 6});
    put("bad.h5", "/three", H5T_STD_I32LE, 0, 3, one, H5P_DEFAULT, NULL);
    put("bad.h5", "/scalar", H5T_STD_I32LE, 0, 0, NULL, H5P_DEFAULT, NULL);
    put("bad.h5", "/narrow", H5T_STD_I32LE, 0, 2, none, H5P_DEFAULT, NULL);
    hid_t wide = H5Tcopy(H5T_STD_I64LE);
    assert_true(H5Tset_size(wide, 16) >= 0);
    put("bad.h5", "/wide", wide, 0, 2, one, H5P_DEFAULT, NULL);
    H5Tclose(wide);
    hid_t pair = H5Tcreate(H5T_COMPOUND, 8);
    assert_true(H5Tinsert(pair, "a", 0, H5T_STD_I64LE) >= 0);
    put("bad.h5", "/pair", pair, 0, 2, one, H5P_DEFAULT, NULL);
    H5Tclose(pair);
    const struct {
        const char *dataset;
        hb_status code;
        const char *words;
    } cases[] = {{"/float", HB_EDATA, "--scale column1=1,column2=1"},
                 {"/three", HB_EDATA, "the shape 2 x 3 x 4"},
                 {"/scalar", HB_EDATA, "a scalar"},
                 {"/narrow", HB_EDATA, "no columns"},
                 {"/wide", HB_EDATA, "of 16 bytes"},
                 {"/pair", HB_EDATA, "compounds in two dimensions"},
                 {"/none", HB_ENOINPUT, "no dataset"},
                 {"/float/x", HB_ENOINPUT, "no dataset"}};
    hb_table *table;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[200];
        snprintf(name, sizeof name, "%s:%s", in_scratch("bad.h5"), cases[i].dataset);
        assert_refused(hb_table_open(name, HB_CELL_INTEGER, &table), cases[i].code, cases[i].words);
    }
    char name[200];
    snprintf(name, sizeof name, "%s:/x", in_scratch("missing.h5"));
    assert_refused(hb_table_open(name, HB_CELL_INTEGER, &table), HB_ENOINPUT, "No such file");
    spit(in_scratch("text.h5"), "text", 4);
    snprintf(name, sizeof name, "%s:/x", in_scratch("text.h5"));
    assert_refused(hb_table_open(name, HB_CELL_INTEGER, &table), HB_EDATA, "cannot be opened as HDF5");
}

static hb_schema make_schema(uint64_t rows, bool is_signed, uint32_t width)
{
    hb_schema schema = {.rows = rows, .columns = 2, .rank = 2, .width = width, .named = true};
    schema.column = calloc(2, sizeof *schema.column);
    schema.column[0] = (hb_column){.name = strdup("x"), .is_signed = is_signed};
    schema.column[1] = (hb_column){.name = strdup("y"), .is_signed = false};
    return schema;
}

static void test_narrowing(void **state)
{
    (void)state;
    const struct {
        bool is_signed;
        uint32_t width;
        uint64_t x, y;
        const char *words; /* NULL: fits */
    } cases[] = {{false, 1, 255, 255, NULL},
                 {false, 1, 256, 0, "row 4, column x"},
                 {false, 2, 0, 65536, "row 4, column y"},
                 {true, 1, (uint64_t)-128, 127, NULL},
                 {true, 1, 128, 0, "row 4, column x"},
                 {true, 4, (uint64_t)INT32_MIN - 1, 0, "row 4, column x"},
                 {true, 4, (uint64_t)INT32_MIN, INT32_MAX, NULL},
                 {true, 8, (uint64_t)INT64_MIN, INT64_MAX, NULL},
                 {true, 8, 0, (uint64_t)INT64_MAX + 1, "row 4, column y"}, /* one type for both columns */
                 {false, 8, UINT64_MAX, UINT64_MAX, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hb_schema schema = make_schema(5, cases[i].is_signed, cases[i].width);
        hb_table_writer *writer;
        char name[200];
        snprintf(name, sizeof name, "%s:/x", in_scratch("narrow.h5"));
        assert_ok(hb_table_create(name, &schema, false, &writer));
        const uint64_t values[] = {cases[i].x, cases[i].y};
        const hb_rectangle row = {.row = 3, .rows = 1, .columns = 2};
        if (cases[i].words) {
            assert_refused(hb_table_write(writer, &row, values), HB_EDATA, cases[i].words);
        } else {
            assert_ok(hb_table_write(writer, &row, values));
        }
        hb_table_writer_close(writer);
        assert_false(is_there(in_scratch("narrow.h5")) || is_there(in_scratch("narrow.h5.partial")));
        hb_schema_clear(&schema);
    }
}

/* Very many names, and cells of 40 GB behind them that are never written: neither time nor memory is needed. */
static void test_large(void **state)
{
    (void)state;
    const uint64_t columns = 20000;
    hb_schema schema = {.rows = 250000, .columns = columns, .rank = 2, .width = 8, .named = true};
    schema.column = calloc(columns, sizeof *schema.column);
    for (uint64_t c = 0; c < columns; c++) {
        schema.column[c].name = malloc(32);
        snprintf(schema.column[c].name, 32, "a rather long name %d", (int)c);
    }
    hb_table_writer *writer = NULL;
    char name[200];
    snprintf(name, sizeof name, "%s:/big", in_scratch("large.h5"));
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){.rlim_cur = (rlim_t)1 << 30, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const int in_vain = closed_in_vain;
    hb_status st = hb_table_create(name, &schema, false, &writer);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(closed_in_vain, in_vain);
    assert_int_equal(st, HB_EIO);
    assert_non_null(strstr(hb_last_error()->text, "cannot be 4000"));
    assert_false(is_there(in_scratch("large.h5.partial")));

    schema.rows = 1;
    assert_ok(hb_table_create(name, &schema, false, &writer));
    assert_ok(hb_table_commit(writer));
    hb_table_writer_close(writer);
    hb_table *table;
    assert_ok(hb_table_open(name, HB_CELL_INTEGER, &table));
    assert_string_equal(hb_table_schema(table)->column[19999].name, "a rather long name 19999");
    hb_table_close(table);
    schema.rows = 250000;
    hb_schema_clear(&schema);
}

/* Cut short, HDF5 itself would give zeros for what is missing. */
static void test_changed(void **state)
{
    (void)state;
    enum { ROWS = 1 << 16 };
    const hsize_t extent = ROWS;
    uint64_t *values = calloc(ROWS, sizeof *values);
    assert_non_null(values);
    values[ROWS - 1] = 7;
    put("cut.h5", "x", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, &extent, H5P_DEFAULT, values);
    char name[200];
    snprintf(name, sizeof name, "%s:/x", in_scratch("cut.h5"));
    hb_table *table;
    const hb_rectangle first = {.rows = 1, .columns = 1}, last = {.row = ROWS - 1, .rows = 1, .columns = 1};
    assert_ok(hb_table_open(name, HB_CELL_INTEGER, &table));
    assert_ok(hb_table_read(table, &last, values));
    assert_int_equal(values[0], 7);
    assert_int_equal(truncate(in_scratch("cut.h5"), ROWS), 0);
    assert_refused(hb_table_read(table, &last, values), HB_EDATA, "was changed while it was read");
    assert_refused(hb_table_read(table, &first, values), HB_EDATA, "was changed while it was read");
    hb_table_close(table);
    free(values);
}

enum { THREADS = 4, TALL = 40000, BLOCK = 1000 }; /* rows */

/* One of several threads that copy a table: every so many-th block of rows. */
typedef struct copier {
    pthread_t thread;
    hb_table *table;
    hb_table_writer *writer;
    uint64_t first;
    hb_status status;
} copier;

static void *copy_blocks(void *argument)
{
    copier *c = argument;
    uint64_t values[3 * BLOCK];
    for (uint64_t row = c->first * BLOCK; row < TALL && c->status == HB_OK; row += THREADS * BLOCK) {
        const hb_rectangle block = {.row = row, .rows = BLOCK, .columns = 3};
        c->status = hb_table_read(c->table, &block, values);
        c->status = c->status == HB_OK ? hb_table_write(c->writer, &block, values) : c->status;
    }
    return NULL;
}

/* Tables that HDF5 reads, and that need it not, by several threads. */
static void test_threads(void **state)
{
    (void)state;
    const hsize_t extent[2] = {TALL, 3}, chunk[2] = {700, 2};
    uint64_t *values = malloc(3 * TALL * sizeof *values), *back = malloc(3 * TALL * sizeof *values);
    assert_true(values != NULL && back != NULL);
    for (uint64_t i = 0; i < 3 * TALL; i++) {
        values[i] = i * UINT64_C(0x9e3779b97f4a7c15) >> 33;
    }
    for (int chunked = 0; chunked < 2; chunked++) {
        char name[200], out[200];
        hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
        assert_true(!chunked || H5Pset_chunk(creation, 2, chunk) >= 0);
        put("tall.h5", chunked ? "chunks" : "whole", H5T_STD_I32BE, H5T_NATIVE_UINT64, 2, extent, creation, values);
        H5Pclose(creation);
        snprintf(name, sizeof name, "%s:/%s", in_scratch("tall.h5"), chunked ? "chunks" : "whole");
        snprintf(out, sizeof out, "%s:/x", in_scratch("copy.h5"));
        hb_table *table, *copy;
        hb_table_writer *writer;
        copier copiers[THREADS];
        assert_ok(hb_table_open(name, HB_CELL_INTEGER, &table));
        assert_ok(hb_table_create(out, hb_table_schema(table), true, &writer));
        assert_ok(hb_table_reserve(writer));
        for (uint64_t i = 0; i < THREADS; i++) {
            copiers[i] = (copier){.table = table, .writer = writer, .first = i};
            assert_int_equal(pthread_create(&copiers[i].thread, NULL, copy_blocks, &copiers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(copiers[i].thread, NULL);
            assert_int_equal(copiers[i].status, HB_OK);
        }
        assert_ok(hb_table_commit(writer));
        hb_table_writer_close(writer);
        hb_table_close(table);
        assert_ok(hb_table_open(out, HB_CELL_INTEGER, &copy));
        assert_ok(hb_table_read(copy, &(hb_rectangle){.rows = TALL, .columns = 3}, back));
        assert_memory_equal(back, values, 3 * TALL * sizeof *values);
        hb_table_close(copy);
    }
    free(values);
    free(back);
}

static void test_refused_output(void **state)
{
    (void)state;
    hb_schema schema = make_schema(5, true, 4);
    char name[200];
    hb_table_writer *writer;
    snprintf(name, sizeof name, "%s:/a/b", in_scratch("refused.h5"));
    assert_ok(hb_table_create(name, &schema, false, &writer));
    struct stat info;
    assert_int_equal(stat(in_scratch("refused.h5.partial"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    assert_refused(hb_table_create(name, &schema, false, &(hb_table_writer *){NULL}), HB_ECREATE, "another job");
    hb_schema other = make_schema(6, true, 4);
    assert_refused(hb_table_join(name, &other, NULL, &(hb_table_writer *){NULL}), HB_EDATA, "another type or shape");
    hb_schema_clear(&other);
    assert_ok(hb_table_commit(writer));
    hb_table_writer_close(writer);
    assert_refused(hb_table_create(name, &schema, false, &writer), HB_ECREATE, "exists already");
    snprintf(name, sizeof name, "%s:/a", in_scratch("refused.h5/x.h5"));
    assert_refused(hb_table_create(name, &schema, false, &writer), HB_ECREATE, "not a folder");
    snprintf(name, sizeof name, "%s:/a/../", in_scratch("x.h5"));
    assert_refused(hb_table_probe(name, false), HB_EUSAGE, "FILE.h5:/DATASET");
    assert_int_equal(mkdir(in_scratch("folder.csv"), 0755), 0);
    assert_refused(hb_table_probe(in_scratch("folder.csv"), true), HB_ECREATE, "is a folder");
    assert_false(is_there(in_scratch("refused.h5.partial")));
    hb_schema_clear(&schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),          cmocka_unit_test(test_one_dimension), cmocka_unit_test(test_names),
        cmocka_unit_test(test_refused_input),  cmocka_unit_test(test_narrowing),     cmocka_unit_test(test_threads),
        cmocka_unit_test(test_refused_output), cmocka_unit_test(test_large),         cmocka_unit_test(test_changed),
    };
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
