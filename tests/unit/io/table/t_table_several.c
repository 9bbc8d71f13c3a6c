/* Several files as one table, in which a column has other signs than in its parts. */
#include "unit/scratch.h"

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

enum { ROWS = 4 };

/* Opens two files, the second without signs, whose missing cells have masks; the caller closes *out. */
static void open_two(const char *second, hb_cell_type cells, hb_table **out)
{
    const char *files[] = {in_scratch("signed.csv"), in_scratch("large.csv")};
    const hb_reading_words words = {.missing = "mask"};
    hb_reading reading;
    put("signed.csv", "a,b\n-5,1\n,2\n");
    put("large.csv", second);
    assert_ok(hb_reading_parse(&words, &reading));
    assert_ok(hb_table_open_list((hb_table_list){files, 2}, cells, &reading, out));
    hb_reading_clear(&reading);
    assert_int_equal(hb_table_schema(*out)->rows, ROWS);
    assert_int_equal(hb_table_schema(*out)->column[0].mask, 3);
}

/* Has missing cells of column a read as -5. */
static void fill(hb_table *table)
{
    hb_schema like;
    assert_ok(hb_schema_copy(&like, hb_table_schema(table)));
    like.column[0].has_fill = true;
    like.column[0].fill = (uint64_t)-5;
    hb_table_set_fills(table, &like);
    hb_schema_clear(&like);
}

/* Missing cells have the fill, whatever the sign of their part; all columns, and the first alone. */
static void test_fill(void **state)
{
    (void)state;
    const hb_cell_type types[] = {HB_CELL_INTEGER, HB_CELL_WIDE};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const uint64_t step = types[i] == HB_CELL_WIDE ? 2 : 1;
        uint64_t row[4 * 2], one[ROWS * 2];
        hb_table *table;
        open_two("a,b\n,3\n7,4\n", types[i], &table);
        fill(table);
        const int64_t expected[ROWS] = {-5, -5, -5, 7};
        assert_ok(hb_table_read(table, &(hb_rectangle){0, ROWS, 0, 1}, one));
        for (uint64_t r = 0; r < ROWS; r++) {
            assert_ok(hb_table_read(table, &(hb_rectangle){r, 1, 0, hb_table_schema(table)->columns}, row));
            assert_true((int64_t)row[0] == expected[r] && (int64_t)one[r * step] == expected[r]);
            assert_int_equal(row[2 * step], r == 0 || r == 3); /* the mask */
            if (step == 2) {
                assert_true(row[1] == (expected[r] < 0 ? UINT64_MAX : 0) && one[2 * r + 1] == row[1]);
            }
        }
        hb_table_close(table);
    }
}

/* A number that the sign makes another one is refused, also the one that reads as the fill. */
static void test_large(void **state)
{
    (void)state;
    const struct {
        hb_cell_type cells;
        const char *text;
    } cases[] = {
        {HB_CELL_INTEGER, "a,b\n18446744073709551611,3\n,4\n"}, /* 2^64 - 5 */
        {HB_CELL_INTEGER, "a,b\n9223372036854775808,3\n,4\n"},
        {HB_CELL_WIDE, "a,b\n340282366920938463463374607431768211451,3\n,4\n"}, /* 2^128 - 5 */
        {HB_CELL_WIDE, "a,b\n170141183460469231750134047789593657339,3\n,4\n"}, /* 2^127 + 2^64 - 5 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t row[4 * 2];
        hb_table *table;
        open_two(cases[i].text, cases[i].cells, &table);
        fill(table);
        const uint64_t columns = hb_table_schema(table)->columns;
        assert_refused(hb_table_read(table, &(hb_rectangle){2, 1, 0, columns}, row), HB_EDATA,
                       "large.csv: a column has a value above 2^63 - 1, and one below 0 in another of these files");
        assert_refused(hb_table_read(table, &(hb_rectangle){2, 1, 0, 1}, row), HB_EDATA, "above 2^63 - 1");
        assert_ok(hb_table_read(table, &(hb_rectangle){3, 1, 0, columns}, row));
        assert_true(row[0] == (uint64_t)-5);
        hb_table_close(table);
    }
}

HB_UNIT(table_several)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fill), cmocka_unit_test(test_large)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
