/* Compressed tables: any part of them, damage, and what cannot be. */
#include "unit/scratch.h"

#include <inttypes.h>
#include <zlib.h>

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

static void put_gzip(const char *path, const char *text, size_t bytes, const char *mode)
{
    gzFile file = gzopen(path, mode);
    assert_non_null(file);
    assert_int_equal(gzwrite(file, text, (unsigned)bytes), bytes);
    assert_int_equal(gzclose(file), Z_OK);
}

enum { SQUARES = 400000 };

/* A table of numbers and squares, some of which are missing; freed by the caller. */
static char *squares(size_t *bytes)
{
    char *text = malloc(SQUARES * 24 + 64), *to = text + sprintf(text, "i,square\n");
    for (uint64_t i = 0; i < SQUARES; i++) {
        to +=
            i % 7 == 3 ? sprintf(to, "%" PRIu64 ",\n", i) : sprintf(to, "%" PRIu64 ",%" PRIu64 "\n", i, i * i % 99991);
    }
    *bytes = (size_t)(to - text);
    return text;
}

/* Compresses it as two members that follow one another. */
static const char *put_squares(const char *text, size_t bytes)
{
    const char *path = in_scratch("t.csv.gz");
    put_gzip(path, text, bytes / 3, "wb6");
    put_gzip(path, text + bytes / 3, bytes - bytes / 3, "ab1");
    return path;
}

/* Rectangles of a compressed table in any order, many places apart; rows that are dropped. */
static void test_gzip(void **state)
{
    (void)state;
    size_t bytes;
    char *text = squares(&bytes);
    hb_table *table;
    assert_ok(open_said(put_squares(text, bytes), HB_CELL_INTEGER, (hb_reading_words){.missing = "drop"}, &table));
    const uint64_t rows = hb_table_schema(table)->rows;
    assert_int_equal(rows, SQUARES - (SQUARES + 3) / 7);
    uint64_t row = 0, values[200];
    for (int turn = 0; turn < 60; turn++) {
        assert_ok(hb_table_read(table, &(hb_rectangle){row, 100, 0, 2}, values));
        for (uint64_t r = 0; r < 100; r++) {
            const uint64_t i = (row + r) / 6 * 7 + (row + r) % 6 + ((row + r) % 6 > 2);
            assert_int_equal(values[2 * r], i);
            assert_int_equal(values[2 * r + 1], i * i % 99991);
        }
        row = (row * 31 + 54321) % (rows - 100);
    }
    hb_table_close(table);
    free(text);
}

/* Cut anywhere, and damaged, it is refused; what stands behind it in the file may be zeros alone. */
static void test_damaged_gzip(void **state)
{
    (void)state;
    size_t bytes, packed;
    char *text = squares(&bytes);
    hb_table *table;
    const char *path = put_squares(text, bytes);
    uint8_t *whole = slurp(path, &packed);
    assert_refused((spit(path, whole, packed - 5), hb_table_open(path, HB_CELL_INTEGER, &table)), HB_EDATA,
                   "ends in the middle of what is compressed");
    assert_refused((spit(path, whole, 5), hb_table_open(path, HB_CELL_INTEGER, &table)), HB_EDATA,
                   "ends in the middle of what is compressed");
    whole[packed / 2] ^= 1;
    assert_refused((spit(path, whole, packed), hb_table_open(path, HB_CELL_INTEGER, &table)), HB_EDATA, "t.csv.gz");
    put_gzip(path, "a\n5\n", 4, "wb");
    free(whole);
    whole = slurp(path, &packed);
    whole = realloc(whole, packed + 600);
    memset(whole + packed, 0, 600);
    spit(path, whole, packed + 600);
    assert_ok(hb_table_open(path, HB_CELL_INTEGER, &table));
    hb_table_close(table);
    whole[packed + 599] = 'x';
    assert_refused((spit(path, whole, packed + 600), hb_table_open(path, HB_CELL_INTEGER, &table)), HB_EDATA,
                   "ends in the middle");
    free(whole);
    free(text);
}

/* A line that has no end, of a small file; and a compressed table is read, not written. */
static void test_refused_gzip(void **state)
{
    (void)state;
    size_t bytes;
    char *text = squares(&bytes);
    hb_table *table;
    const char *path = in_scratch("t.csv.gz");
    memset(text, '1', bytes);
    put_gzip(path, text, bytes, "wb9");
    for (int i = 0; i < 4; i++) {
        put_gzip(path, text, bytes, "ab9");
    }
    assert_refused(hb_table_open(path, HB_CELL_INTEGER, &table), HB_EDATA, "the line at byte 0 is longer");
    hb_table_writer *writer;
    hb_schema schema = {.rank = 2, .width = 8};
    assert_ok(hb_schema_alloc(&schema, 0, 1));
    assert_refused(hb_table_create(in_scratch("out.csv.gz"), &schema, true, &writer), HB_EUSAGE, "read, not written");
    hb_schema_clear(&schema);
    free(text);
}

HB_UNIT(table_gzip)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_gzip), cmocka_unit_test(test_damaged_gzip),
                                       cmocka_unit_test(test_refused_gzip)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
