/* Which plain tables are the same: small ones by their contents, large ones by their file. */
#include "unit/scratch.h"

#include <fcntl.h>
#include <hdf5.h>
#include <unistd.h>

#include "output/table_identity.h"
#include "unit/unit.h"

static const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

static void identify(uint8_t digest[HB_DIGEST_BYTES], const char *path)
{
    hb_table *table;
    hb_digest_state state;
    assert_ok(hb_table_open(path, HB_CELL_INTEGER, &table));
    hb_digest_begin(&state, "hebatch test");
    assert_ok(hb_table_identity_add(&state, path, table));
    hb_digest_end(&state, digest);
    hb_table_close(table);
}

static bool same(const char *a, const char *b)
{
    uint8_t one[HB_DIGEST_BYTES], other[HB_DIGEST_BYTES];
    identify(one, a);
    identify(other, b);
    return memcmp(one, other, sizeof one) == 0;
}

/* Always of the same time. */
static const char *put(const char *name, const char *text, size_t bytes)
{
    const char *path = in_scratch(name);
    spit(path, text, bytes);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    return path;
}

/* The same file with other contents, and the old time. */
static void overwrite(const char *path, const char *text, size_t bytes)
{
    const int fd = open(path, O_WRONLY);
    assert_true(fd >= 0 && pwrite(fd, text, bytes, 0) == (ssize_t)bytes);
    close(fd);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_small(void **state)
{
    (void)state;
    const char *path = put("a.csv", "x,y\n1,2\n3,4\n", 12);
    assert_true(same(path, put("copy.csv", "x,y\n01,2\n3,4\n", 13))); /* the same numbers */
    assert_false(same(path, put("value.csv", "x,y\n1,2\n3,5\n", 12)));
    assert_false(same(path, put("name.csv", "x,z\n1,2\n3,4\n", 12)));
    assert_false(same(path, put("sign.csv", "x,y\n1,-2\n3,4\n", 13)));
    assert_false(same(path, put("shape.csv", "x\n1\n2\n3\n4\n", 10)));
}

/* More rows than are read for this. */
static void test_large(void **state)
{
    (void)state;
    const size_t rows = ((size_t)8 << 20) + 1, bytes = 2 + 2 * rows; /* 64 MiB of values and one more */
    char *text = malloc(bytes);
    assert_non_null(text);
    for (size_t i = 0; i < bytes; i += 2) {
        memcpy(text + i, i == 0 ? "x\n" : "1\n", 2);
    }
    const char *path = put("large.csv", text, bytes), *copy = put("large_copy.csv", text, bytes);
    assert_int_equal(link(path, in_scratch("large_link.csv")), 0);
    assert_true(same(path, in_scratch("large_link.csv")));
    assert_false(same(path, copy)); /* size and time are the same */
    uint8_t before[HB_DIGEST_BYTES], after[HB_DIGEST_BYTES];
    identify(before, path);
    text[bytes / 2 & ~(size_t)1] = '2';
    overwrite(path, text, bytes); /* and so is the inode */
    identify(after, path);
    assert_memory_not_equal(before, after, sizeof before);
    free(text);
}

/* Two large tables in one file of HDF5. */
static void make_large(const char *path)
{
    const hsize_t rows = ((hsize_t)8 << 20) + 1;
    int8_t *values = calloc((size_t)rows, sizeof *values);
    assert_non_null(values);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &rows, NULL);
    for (int i = 0; i < 2; i++) {
        const hid_t data =
            H5Dcreate2(file, i == 0 ? "x" : "y", H5T_STD_I8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Dwrite(data, H5T_NATIVE_INT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0 && H5Dclose(data) >= 0);
    }
    assert_true(H5Sclose(space) >= 0 && H5Fclose(file) >= 0);
    free(values);
}

/* The same file by another name, in a folder whose name has a colon, and another dataset of it. */
static void test_large_datasets(void **state)
{
    (void)state;
    char first[300], second[300], third[300];
    assert_int_equal(mkdir(in_scratch("b:"), 0777), 0);
    make_large(in_scratch("large.h5"));
    assert_int_equal(symlink("../large.h5", in_scratch("b:/link.h5")), 0);
    snprintf(first, sizeof first, "%s:/x", in_scratch("large.h5"));
    snprintf(second, sizeof second, "%s:/x", in_scratch("b:/link.h5"));
    snprintf(third, sizeof third, "%s:/y", in_scratch("large.h5"));
    assert_true(same(first, second));
    assert_false(same(first, third));
}

HB_UNIT(table_identity)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_small), cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_large_datasets)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
