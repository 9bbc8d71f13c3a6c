/* Numbers as Europe and Excel write them: percent signs, and points that may stand between thousands. */
#include "unit/scratch.h"

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

static void test_percent(void **state)
{
    (void)state;
    static const struct {
        const char *text, *scale, *decimal;
        int64_t first;
    } cases[] = {{"a;n\n12,5 %;1\n", "a=1000", "comma", 125},
                 {"a;n\n\"1.234,5%\";1\n", "a=1000", "comma", 12345},
                 {"a,n\n-3%,1\n", "a=100", NULL, -3},
                 {"a,n\n100\xC2\xA0%,1\n", "a=1", NULL, 1}, /* a no-break space */
                 {"a,n\n0.001%,1\n", "a=100000", NULL, 1}};
    hb_table *table;
    uint64_t value;
    char note[HB_TABLE_NOTE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(open_said(put("t.csv", cases[i].text), HB_CELL_INTEGER,
                            (hb_reading_words){.percent = "a", .scale = cases[i].scale, .decimal = cases[i].decimal},
                            &table));
        assert_ok(hb_table_read(table, &(hb_rectangle){0, 1, 0, 1}, &value));
        assert_true((int64_t)value == cases[i].first);
        assert_ok(note_of(table, 0, HB_NOTE_SPELLING, note));
        assert_string_equal(note,
                            "column a: percentages are read as fractions, 12.5 % as 0.125; decrypt writes fractions");
        hb_table_close(table);
    }
    double real;
    assert_ok(open_said(put("t.csv", "a\n12.5%\nNA\n"), HB_CELL_REAL,
                        (hb_reading_words){.percent = "a", .missing = "drop"}, &table));
    assert_int_equal(hb_table_schema(table)->rows, 1);
    assert_ok(hb_table_read(table, &(hb_rectangle){0, 1, 0, 1}, &value));
    memcpy(&real, &value, sizeof real);
    assert_true(real == 0.125); /* the nearest double of the decimal, and not a quotient */
    hb_table_close(table);
}

/* Each column with its own sign in front of fractions, which holds for missing texts, stand-ins and percentages as
 * well; digests tell such readings apart. */
static void test_signs(void **state)
{
    (void)state;
    static const char text[] = "a;b;c\n1.234,5;1,234.5;2,5 %\n-9,0;x;1,5 %\n";
    static const char *const said[] = {"comma,b=point", "point,a=comma,c=comma", "a=comma,b=.,c=\",\""};
    uint8_t digest[3][HB_DIGEST_BYTES];
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        const hb_reading_words words = {.decimal = said[i],
                                        .scale = "a=10,b=10,c=1000",
                                        .percent = "c",
                                        .na = (const char *[]){"-9,x"},
                                        .na_count = 1,
                                        .missing = "a=\"0,5\",b=1.5"};
        uint64_t cells[6];
        hb_table *table;
        hb_reading reading;
        assert_ok(open_said(put("t.csv", text), HB_CELL_INTEGER, words, &table));
        assert_ok(hb_table_read(table, &(hb_rectangle){0, 2, 0, 3}, cells));
        const int64_t wanted[6] = {12345, 12345, 25, 5, 15, 15};
        for (size_t c = 0; c < 6; c++) {
            assert_int_equal((int64_t)cells[c], wanted[c]);
        }
        hb_table_close(table);
        assert_ok(hb_reading_parse(&words, &reading));
        hb_reading_digest(&reading, digest[i]);
        hb_reading_clear(&reading);
    }
    assert_memory_not_equal(digest[0], digest[1], HB_DIGEST_BYTES);
    assert_memory_not_equal(digest[1], digest[2], HB_DIGEST_BYTES);
    static const char *const faults[] = {"a=komma", "comma,point", "a=comma,a=point", "=comma", "a=", "comma,"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        hb_reading reading;
        assert_int_equal(hb_reading_parse(&(hb_reading_words){.decimal = faults[i]}, &reading), HB_EUSAGE);
        hb_reading_clear(&reading);
    }
    hb_table *table;
    assert_int_equal(
        open_said(put("t.csv", "a;b\n1,5;2.5\n"), HB_CELL_REAL, (hb_reading_words){.decimal = "comma"}, &table),
        HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "its sign is said as --decimal comma,b=point"));
}

static void test_percent_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *percent, *says;
        hb_cell_type cells;
    } cases[] = {
        {"a,n\n12.5%,1\n", NULL, "read with --percent a --scale a=1000; or keygen", HB_CELL_INTEGER},
        {"a,n\n12.5%,1\n", NULL, "read with --percent a", HB_CELL_REAL},
        {"a,n\n12.5%,1\n0.5,1\n", NULL, "read with --columns n (it leaves out a: a percent sign", HB_CELL_REAL},
        {"a;n\n12,5%;1\n", NULL, "(--percent with --decimal comma reads 12,5 % as 0.125)", HB_CELL_REAL},
        {"a,n\n12%,1\n0.12,2\n", "a", "row 2 (line 3), column a: the field is not a number: it has no percent sign",
         HB_CELL_REAL},
        {"a,n\n12%%,1\n", "a", "is no number with a percent sign behind it", HB_CELL_REAL},
        {"a,n\n1e2%,1\n", "a", "is no number with a percent sign behind it", HB_CELL_REAL},
        {"a,n\n12.5%,1\n", "a", "--scale a=1000", HB_CELL_INTEGER},
    };
    hb_table *table;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_refused(open_said(put("t.csv", cases[i].text), cases[i].cells,
                                 (hb_reading_words){.percent = cases[i].percent}, &table),
                       HB_EDATA, cases[i].says);
    }
    assert_refused(open_said(put("t.csv", "a\n2024-01-01\n"), HB_CELL_INTEGER,
                             (hb_reading_words){.percent = "a", .date = "a"}, &table),
                   HB_EUSAGE, "--percent: column 'a' is said to have no numbers");
}

/* In a table without commas between fields a point may stand between thousands, unless another one cannot. */
static void test_points(void **state)
{
    (void)state;
    static const struct {
        const char *text, *decimal;
        double first; /* -1: it is refused */
    } cases[] = {{"a;b\n1.234;5\n2.500;6\n", NULL, -1},  {"a\tb\n1.234\t5\n", NULL, -1},
                 {"a;b\n1.234;5\n", "point", 1.234},     {"a;b\n1.234;5\n", "comma", 1234},
                 {"a;b\n1.234;5\n2.5;6\n", NULL, 1.234}, {"a;b\n1.234;0.25\n", NULL, 1.234},
                 {"a,b\n1.234,5\n", NULL, 1.234},        {"a;b\n0.234;5\n", NULL, 0.234},
                 {"a;b\n1.234e2;5\n", NULL, 123.4},      {"a;b\n12.500;5\n", NULL, -1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_table *table;
        const hb_reading_words words = {.decimal = cases[i].decimal};
        const char *path = put("t.csv", cases[i].text);
        if (cases[i].first < 0) {
            assert_refused(open_said(path, HB_CELL_REAL, words, &table), HB_EDATA,
                           "row 1 (line 2), column a: the point may stand between thousands or before decimals: say "
                           "--decimal comma, which reads 1.234 as 1234, or --decimal point");
            continue;
        }
        uint64_t value;
        double real;
        assert_ok(open_said(path, HB_CELL_REAL, words, &table));
        assert_ok(hb_table_read(table, &(hb_rectangle){0, 1, 0, 1}, &value));
        memcpy(&real, &value, sizeof real);
        assert_true(real == cases[i].first);
        hb_table_close(table);
    }
}

/* A scale does not tell what a point means, and neither do percent signs, quotes and a column that is not read. */
static void test_scaled_points(void **state)
{
    (void)state;
    static const struct {
        const char *text, *decimal, *columns, *percent;
        uint64_t first; /* 0: it is refused */
    } cases[] = {
        {"a;b\n1.234;5\n2.500;6\n", NULL, NULL, NULL, 0},  {"a;b\n\"1.234\";5\n-2.500;6\n7;8\n", NULL, NULL, NULL, 0},
        {"b\ta\nx\t1.234\n", NULL, "a", NULL, 0},          {"a;b\n1.234;\"2,5\"\n", NULL, "a", NULL, 0},
        {"a;b\n12.500 %;5\n", NULL, NULL, "a", 0},         {"a;b\n1.234;0.25\n", NULL, "a", NULL, 0},
        {"a;b\n1.234;5\n", "point", NULL, NULL, 1234},     {"a;b\n1.234;5\n", "comma", NULL, NULL, 1234000},
        {"a;b\n1.234;5\n2.5;6\n", NULL, NULL, NULL, 1234}, {"a;b\n12.500 %;5\n7.5 %;6\n", NULL, NULL, "a", 125},
        {"a,b\n1.234,5\n", NULL, NULL, NULL, 1234}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_table *table;
        const hb_reading_words words = {
            .scale = "a=1000", .decimal = cases[i].decimal, .columns = cases[i].columns, .percent = cases[i].percent};
        const char *path = put("t.csv", cases[i].text);
        if (cases[i].first == 0) {
            assert_refused(open_said(path, HB_CELL_INTEGER, words, &table), HB_EDATA,
                           "row 1 (line 2), column a: the point may stand between thousands or before decimals: say "
                           "--decimal comma, which reads 1.234 as 1234, or --decimal point");
            continue;
        }
        uint64_t value;
        assert_ok(open_said(path, HB_CELL_INTEGER, words, &table));
        assert_ok(hb_table_read(table, &(hb_rectangle){0, 1, 0, 1}, &value));
        assert_true(value == cases[i].first);
        hb_table_close(table);
    }
}

/* Days of texts with times behind them. */
static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *cell, *order;
        int64_t day; /* since 1970-01-01; INT64_MIN: it is refused */
    } cases[] = {{"2024-01-01 13:45:00", NULL, 19723},
                 {"2024-01-01T13:45:00Z", NULL, 19723},
                 {"2024-01-01T00:30:00+02:00", NULL, 19723}, /* the day that is written, not that of UTC */
                 {"2024-01-01 23:59:60.999 -0500", NULL, 19723},
                 {"2024-02-29 9:45 PM", NULL, 19782},
                 {"31.12.2024 13:45", "d.m.y", 20088},
                 {"12/31/2024 01:45 AM", "m/d/y", 20088},
                 {"2024-01-01", NULL, 19723},
                 {"1969-12-31 23:00", NULL, -1},
                 {"2023-02-29 13:45:00", NULL, INT64_MIN},
                 {"2024-01-01 24:00:00", NULL, INT64_MIN},
                 {"2024-01-01 13:60", NULL, INT64_MIN},
                 {"2024-01-01 13:45 o'clock", NULL, INT64_MIN},
                 {"2024-01-01 13:45+2", NULL, INT64_MIN},
                 {"2024-01-01 13", NULL, INT64_MIN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_table *table;
        char text[64];
        uint64_t value;
        snprintf(text, sizeof text, "a;n\n%s;1\n", cases[i].cell);
        const hb_reading_words words = {.time_of_day = "drop", .date_format = cases[i].order};
        const char *path = put("t.csv", text);
        if (cases[i].day == INT64_MIN) {
            assert_refused(open_said(path, HB_CELL_INTEGER, words, &table), HB_EDATA, "row 1 (line 2), column a");
            continue;
        }
        assert_ok(open_said(path, HB_CELL_INTEGER, words, &table));
        assert_int_equal(hb_table_schema(table)->column[0].meaning.kind, HB_MEANING_DATE);
        assert_ok(hb_table_read(table, &(hb_rectangle){0, 1, 0, 1}, &value));
        assert_true((int64_t)value == cases[i].day);
        hb_table_close(table);
    }
    hb_table *table;
    const char *path = put("t.csv", "a\n2024-01-01 13:45:00\n");
    assert_refused(hb_table_open(path, HB_CELL_INTEGER, &table), HB_EDATA,
                   "column a: the field is no date: it has a time of day (--time-of-day drop reads the day alone; "
                   "seconds, minutes or hours read it)");
    assert_refused(open_said(path, HB_CELL_INTEGER, (hb_reading_words){.time_of_day = "keep"}, &table), HB_EUSAGE,
                   "--time-of-day keep: it is refuse, drop, seconds, minutes or hours");
}

HB_UNIT(table_europe)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signs),           cmocka_unit_test(test_percent),
                                       cmocka_unit_test(test_percent_refused), cmocka_unit_test(test_points),
                                       cmocka_unit_test(test_scaled_points),   cmocka_unit_test(test_times)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
