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

/* A column that is empty in one file means what it means in the other, whichever comes first. */
static void test_blank(void **state)
{
    (void)state;
    const char *const names[] = {"full.csv", "blank.csv"};
    const char *const missing[] = {"mask", "ok=false,d=1970-01-03"};
    for (size_t i = 0; i < 4; i++) {
        const bool later = i % 2 == 1, masked = i < 2;
        const hb_reading_words words = {.missing = missing[i / 2], .time_of_day = masked ? "t=hours" : NULL};
        char files[2][256];
        uint64_t row[8];
        hb_reading reading;
        hb_table *table;
        put("full.csv", masked ? "ok,d,t\nyes,1970-01-02,1970-01-01T05:00Z\n" : "ok,d,t\nyes,1970-01-02,5\n");
        put("blank.csv", masked ? "ok,d,t\n,,\n" : "ok,d,t\n,,6\n");
        snprintf(files[0], sizeof files[0], "%s", in_scratch(names[later]));
        snprintf(files[1], sizeof files[1], "%s", in_scratch(names[!later]));
        assert_ok(hb_reading_parse(&words, &reading));
        assert_ok(hb_table_open_list((hb_table_list){(const char *const[]){files[0], files[1]}, 2}, HB_CELL_INTEGER,
                                     &reading, &table));
        hb_reading_clear(&reading);
        const hb_schema *schema = hb_table_schema(table);
        assert_int_equal(schema->column[0].meaning.kind, HB_MEANING_BOOL);
        assert_int_equal(schema->column[1].meaning.kind, HB_MEANING_DATE);
        assert_int_equal(schema->column[2].meaning.kind, masked ? HB_MEANING_TIME : HB_MEANING_NUMBER);
        assert_int_equal(schema->columns, masked ? 6 : 3);
        assert_ok(hb_table_read(table, &(hb_rectangle){later, 1, 0, schema->columns}, row));
        assert_true(row[0] == 1 && row[1] == 1 && row[2] == 5 && (!masked || row[3] == 1));
        assert_ok(hb_table_read(table, &(hb_rectangle){!later, 1, 0, schema->columns}, row));
        assert_true(masked ? row[3] == 0 && row[4] == 0 && row[5] == 0 : row[0] == 0 && row[1] == 2 && row[2] == 6);
        hb_table_close(table);
    }
}

HB_UNIT(table_several)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fill), cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_blank)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
