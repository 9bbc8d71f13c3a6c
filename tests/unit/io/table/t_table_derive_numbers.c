/* Columns of numbers that are made of two others: days, differences, sums; their ends, masks and signs. */
#include "unit/scratch.h"

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

static hb_status open_derived(const char *path, hb_cell_type cells, hb_reading_words words, const char *const *derive,
                              hb_table **out)
{
    words.derive = derive;
    while (derive[words.derive_count] != NULL) {
        words.derive_count++;
    }
    return open_said(path, cells, words, out);
}

/* Reads the only column of one word a row as integers, one row at a time, as threads and ranks may. */
static void check_column(hb_table *table, uint64_t column, const int64_t *want, uint64_t rows)
{
    const hb_schema *schema = hb_table_schema(table);
    assert_int_equal(schema->rows, rows);
    for (uint64_t r = 0; r < rows; r++) {
        uint64_t value[2] = {7, 7};
        assert_ok(hb_table_read(table, &(hb_rectangle){.row = r, .rows = 1, .column = column, .columns = 1}, value));
        assert_true(schema->column[column].cells == HB_CELL_REAL ? hb_real_of(value[0]) == (double)want[r]
                                                                 : (int64_t)value[0] == want[r]);
    }
}

/* Reads a column of numbers of one or two words a row, and compares it and the sign of its schema. */
static void check_numbers(const char *path, hb_cell_type cells, hb_reading_words words, const char *derive,
                          const int64_t *want, uint64_t rows)
{
    const char *const options[] = {derive, NULL};
    hb_table *table;
    bool below = false;
    words.columns = "d";
    assert_ok(open_derived(path, cells, words, options, &table));
    const hb_column *column = &hb_table_schema(table)->column[0];
    for (uint64_t r = 0; r < rows; r++) {
        uint64_t value[2] = {7, 7};
        const double scale = (double)hb_meaning_scale(&column->meaning);
        assert_ok(hb_table_read(table, &(hb_rectangle){.row = r, .rows = 1, .column = 0, .columns = 1}, value));
        if (cells == HB_CELL_REAL) {
            assert_true(hb_real_of(value[0]) * scale == (double)want[r]);
            continue;
        }
        below = below || want[r] < 0;
        assert_int_equal((int64_t)value[0], want[r]);
        assert_true(cells != HB_CELL_WIDE || value[1] == (want[r] < 0 ? UINT64_MAX : 0));
    }
    assert_true(cells == HB_CELL_REAL || column->is_signed == below);
    hb_table_close(table);
}

/* Days between two dates or times are whole, and those of a part of a day before are one more below 0; differences and
 * sums have the finer scale. */
static void test_differences(void **state)
{
    (void)state;
    static const struct {
        const char *derive, *scale, *times;
        int64_t want[3];
    } cases[] = {{"d=days(in, out)", NULL, NULL, {3, 0, -2}},
                 {"d = days( in , 2024-03-01 )", NULL, NULL, {1, 0, -1}},
                 {"d=out - in", NULL, NULL, {3, 0, -2}},
                 {"d=in-out", NULL, NULL, {-3, 0, 2}},
                 {"d=days(from, to)", NULL, "from=seconds,to=minutes", {0, 1, -1}},
                 {"d=days(in, to)", NULL, "minutes", {1, 1, -2}},
                 {"d=days(from, 2024-03-02)", NULL, "from=minutes", {1, 0, 1}},
                 {"d=to - from", NULL, "minutes", {1439, 1440, -1}},
                 {"d=x - y", "x=10,y=100", NULL, {-5, 310, -1}},
                 {"d=y+x", "x=10,y=100", NULL, {105, -10, 21}},
                 {"d=\"a-b\" - k", NULL, NULL, {-2, 3, 0}},
                 {"d=k + \"a-b\"", NULL, NULL, {8, 5, 14}}};
    static const hb_cell_type cells[] = {HB_CELL_INTEGER, HB_CELL_WIDE, HB_CELL_REAL};
    const char *path = put("spans.csv", "in,out,from,to,x,y,a-b,k\n"
                                        "2024-02-29,2024-03-03,2024-03-01T00:00:00,2024-03-01T23:59,0.5,0.55,3,5\n"
                                        "2024-03-01,2024-03-01,2024-03-01T12:00:00,2024-03-02T12:00,1.5,-1.6,4,1\n"
                                        "2024-03-02,2024-02-29,2024-03-01T00:00:00,2024-02-29T23:59,0.1,0.11,7,7\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
            const hb_reading_words words = {.scale = cases[i].scale, .time_of_day = cases[i].times};
            if (cells[k] != HB_CELL_REAL || cases[i].scale == NULL) {
                check_numbers(path, cells[k], words, cases[i].derive, cases[i].want, 3);
            }
        }
    }
    /* Reals keep fractions. */
    check_numbers(put("halves.csv", "x,y\n0.5,0.25\n-1,2\n"), HB_CELL_REAL, (hb_reading_words){.columns = NULL},
                  "d=x - y", (const int64_t[]){0, -3}, 0);
}

/* A cell that lacks a source is missing, and a column may be made of the difference. */
static void test_differences_of_others(void **state)
{
    (void)state;
    const char *const derive[] = {"stay=days(in, out)", "s=bin(stay, ..0, 1..3, 4..)", "long=stay >= 4", NULL};
    static const int64_t want[3][4] = {{3, 4, 0, 0}, {1, 2, 0, 0}, {0, 1, 0, 0}};
    const char *path = put("stays.csv", "in,out\n2024-02-29,2024-03-03\n2024-03-01,2024-03-05\n2024-03-01,\n"
                                        ",2024-03-01\n");
    const hb_reading_words words = {.columns = "stay,s,long", .missing = "mask"};
    hb_table *table;
    assert_ok(open_derived(path, HB_CELL_INTEGER, words, derive, &table));
    assert_int_equal(hb_table_schema(table)->columns, 6);
    for (uint64_t c = 0; c < 3; c++) {
        check_column(table, c, want[c], 4);
        check_column(table, 3 + c, (const int64_t[]){1, 1, 0, 0}, 4);
    }
    hb_table_close(table);
}

/* Differences of the ends of 64 bits are exact, and refused where they have more bits. */
static void test_ends_of_differences(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *derive;
        int64_t want;
        bool refused;
    } cases[] = {{"9223372036854775807,9223372036854775806", "d=x - y", 1, false},
                 {"-9223372036854775808,-9223372036854775808", "d=x - y", 0, false},
                 {"-9223372036854775808,0", "d=x + y", INT64_MIN, false},
                 {"0,-9223372036854775808", "d=x - y", 0, true},
                 {"9223372036854775807,1", "d=x + y", 0, true},
                 {"18446744073709551615,9223372036854775808", "d=x - y", INT64_MAX, false},
                 {"18446744073709551615,1", "d=x - y", 0, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const derive[] = {cases[i].derive, NULL};
        char text[80];
        hb_table *table;
        snprintf(text, sizeof text, "x,y\n%s\n", cases[i].rows);
        const char *path = put("ends.csv", text);
        if (!cases[i].refused) {
            check_numbers(path, HB_CELL_INTEGER, (hb_reading_words){.columns = NULL}, cases[i].derive, &cases[i].want,
                          1);
            continue;
        }
        assert_refused(open_derived(path, HB_CELL_INTEGER, (hb_reading_words){.columns = "d"}, derive, &table),
                       HB_EDATA, "row 1 (line 2), column x, --derive");
        assert_refused(open_derived(path, HB_CELL_INTEGER, (hb_reading_words){.columns = "d"}, derive, &table),
                       HB_EDATA, "the result has more than 64 bits with a sign");
    }
}

HB_UNIT(table_derive_numbers)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_differences), cmocka_unit_test(test_differences_of_others),
                                       cmocka_unit_test(test_ends_of_differences)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
