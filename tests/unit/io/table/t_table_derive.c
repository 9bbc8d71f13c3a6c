/* Columns that are made of others: bins, parts of dates, ages, comparisons; their masks, names and refusals. */
#include "unit/scratch.h"

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

enum { MOST = 64 };

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
        assert_true(schema->column[column].cells != HB_CELL_WIDE || value[1] == 0);
    }
}

/* labels: all of them with | between; NULL: the column has none. */
static void check_labels(const hb_column *column, const char *labels)
{
    char joined[256] = "";
    const hb_labels *own = column->meaning.labels;
    for (uint64_t l = 0; own != NULL && l < own->count; l++) {
        strcat(strcat(joined, l > 0 ? "|" : ""), own->text[l]);
    }
    assert_string_equal(joined, labels != NULL ? labels : "");
}

static const char people[] = "birth,age,kg,ward,seen\n"
                             "1960-02-29,64,70.5,ICU,2024-02-28\n"
                             "1960-02-29,65,71.25,ER,2024-02-29\n"
                             "2001-12-31,9,0,ICU,2024-12-30\n"
                             "1999-01-01,10,99.75,WARD,2024-01-01\n"
                             "2023-07-09,0,-3.5,ER,2025-01-05\n";

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *derive, *labels;
        int64_t want[5];
    } cases[] = {{"d=bin(age, 0..9, 10..64, 65..)", "0..9|10..64|65..", {1, 2, 0, 1, 0}},
                 {"d = bin( age , 60 .. 64 , .. )", "60..64|..", {0, 1, 1, 1, 1}},
                 {"d=bin(age,..9,10..)", "..9|10..", {1, 1, 0, 1, 0}},
                 {"d=bin(kg, ..<0, 0..<70.5, 70.5..)", "..<0|0..<70.5|70.5..", {2, 2, 1, 2, 0}},
                 {"d=bin(seen, ..2023-12-31, 2024-01-01..2024-02-28, 2024-02-29..)",
                  "..2023-12-31|2024-01-01..2024-02-28|2024-02-29..",
                  {1, 2, 2, 1, 2}},
                 {"d=year(birth)", NULL, {1960, 1960, 2001, 1999, 2023}},
                 {"d=month(birth)", NULL, {2, 2, 12, 1, 7}},
                 {"d=quarter(birth)", NULL, {1, 1, 4, 1, 3}},
                 {"d=weekday(birth)", "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday", {0, 0, 0, 4, 6}},
                 {"d=age(birth, seen)", NULL, {63, 64, 22, 25, 1}},
                 {"d=age(birth, 2024-02-28)", NULL, {63, 63, 22, 25, 0}},
                 {"d=age >= 65", NULL, {0, 1, 0, 0, 0}},
                 {"d=kg<70.5", NULL, {0, 0, 1, 0, 1}},
                 {"d=kg == 99.75", NULL, {0, 0, 0, 1, 0}},
                 {"d=birth>2000-01-01", NULL, {0, 0, 1, 0, 1}},
                 {"d=age >= 9.5", NULL, {1, 1, 0, 1, 0}},
                 {"d=age>9.0", NULL, {1, 1, 0, 1, 0}},
                 {"d=age < 64.999999999999999999999", NULL, {1, 0, 1, 1, 1}},
                 {"d=age <= 9.5", NULL, {0, 0, 1, 0, 1}},
                 {"d=age == 9.5", NULL, {0, 0, 0, 0, 0}},
                 {"d=age != 9.5", NULL, {1, 1, 1, 1, 1}},
                 {"d=age > -0.5", NULL, {1, 1, 1, 1, 1}},
                 {"d=age <= -1e-9", NULL, {0, 0, 0, 0, 0}},
                 {"d=kg >= 70.505", NULL, {0, 1, 0, 1, 0}},
                 {"d=kg <= -3.4999", NULL, {0, 0, 0, 0, 1}},
                 {"d=kg < -3.5001", NULL, {0, 0, 0, 0, 0}},
                 {"d=kg != 99.75000", NULL, {1, 1, 1, 0, 1}},
                 {"d=age < 18446744073709551615", NULL, {1, 1, 1, 1, 1}},
                 {"d=bin(age, ..<9.5, 9.5..<64.5, 64.5..)", "..<9.5|9.5..<64.5|64.5..", {1, 2, 0, 1, 0}},
                 {"d=bin(kg, ..<70.505, 70.505..)", "..<70.505|70.505..", {0, 1, 0, 1, 0}},
                 {"d=seen >= 2024-02-28T12:00", NULL, {0, 1, 1, 0, 1}},
                 {"d=seen < '2024-02-28 12:00'", NULL, {1, 0, 0, 1, 0}},
                 {"d=birth!=seen", NULL, {1, 1, 1, 1, 1}},
                 {"d=birth <= '1999-01-01'", NULL, {1, 1, 0, 1, 0}},
                 {"d=ward == 'ICU'", NULL, {1, 0, 1, 0, 0}},
                 {"d=ward!='ER'", NULL, {1, 0, 1, 1, 0}}};
    static const hb_cell_type cells[] = {HB_CELL_INTEGER, HB_CELL_WIDE, HB_CELL_REAL};
    const char *path = put("people.csv", people);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
            const char *const derive[] = {cases[i].derive, NULL};
            const bool scaled = cells[k] != HB_CELL_REAL && strstr(cases[i].derive, "kg") != NULL;
            hb_table *table;
            assert_ok(open_derived(
                path, cells[k], (hb_reading_words){.columns = "d", .scale = scaled ? "kg=100" : NULL}, derive, &table));
            const hb_schema *schema = hb_table_schema(table);
            assert_int_equal(schema->columns, 1);
            assert_string_equal(schema->column[0].name, "d");
            check_labels(&schema->column[0], cases[i].labels);
            check_column(table, 0, cases[i].want, 5);
            hb_table_close(table);
        }
    }
}

/* Bins of one width are those from the least number to the greatest; of reals and decimals they are half open. */
static void test_widths(void **state)
{
    (void)state;
    static const struct {
        hb_cell_type cells;
        const char *derive, *scale, *first, *last;
        uint64_t labels;
        int64_t want[5];
    } cases[] = {{HB_CELL_INTEGER, "d=bin(age, 10)", NULL, "0..9", "60..69", 7, {6, 6, 0, 1, 0}},
                 {HB_CELL_INTEGER, "d=bin(age, 1)", NULL, "0", "65", 66, {64, 65, 9, 10, 0}},
                 {HB_CELL_WIDE, "d=bin(age, 64)", NULL, "0..63", "64..127", 2, {1, 1, 0, 0, 0}},
                 {HB_CELL_REAL, "d=bin(age, 10)", NULL, "0..<10", "60..<70", 7, {6, 6, 0, 1, 0}},
                 {HB_CELL_INTEGER, "d=bin(kg, 0.5)", "kg=100", "-3.5..<-3", "99.5..<100", 207, {148, 149, 7, 206, 0}},
                 {HB_CELL_REAL, "d=bin(kg, 5)", NULL, "-5..<0", "95..<100", 21, {15, 15, 1, 20, 0}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const derive[] = {cases[i].derive, NULL};
        const char *path = put("people.csv", people);
        hb_table *table;
        assert_ok(open_derived(path, cases[i].cells, (hb_reading_words){.columns = "d", .scale = cases[i].scale},
                               derive, &table));
        const hb_labels *labels = hb_table_schema(table)->column[0].meaning.labels;
        assert_int_equal(labels->count, cases[i].labels);
        assert_string_equal(labels->text[0], cases[i].first);
        assert_string_equal(labels->text[labels->count - 1], cases[i].last);
        check_column(table, 0, cases[i].want, 5);
        /* Rows that come later are read with the bins that are there. */
        hb_reading reading;
        assert_ok(hb_reading_parse(&(hb_reading_words){.scale = cases[i].scale, .derive = derive, .derive_count = 1},
                                   &reading));
        assert_ok(hb_reading_like(&reading, hb_table_schema(table)));
        hb_table_close(table);
        const char *more = put("more.csv", "age,kg\n62,99.75\n9,-3.5\n");
        assert_ok(hb_table_open_as(more, cases[i].cells, &reading, &table));
        assert_int_equal(hb_table_schema(table)->column[0].meaning.labels->count, cases[i].labels);
        hb_table_close(table);
        uint64_t value[4];
        const char *other = put("other.csv", "age,kg\n1000,1000\n");
        assert_ok(hb_table_open_as(other, cases[i].cells, &reading, &table));
        assert_refused(hb_table_read(table, &(hb_rectangle){.rows = 1, .columns = 1}, value), HB_EDATA,
                       "is in no bin of the dataset");
        hb_table_close(table);
        hb_reading_clear(&reading);
        /* Bins of another width are others than those that are there. */
        const char *const wider[] = {"d=bin(age, 7)", NULL};
        if (i == 0) {
            assert_ok(hb_reading_parse(&(hb_reading_words){.derive = wider, .derive_count = 1}, &reading));
            assert_ok(open_derived(path, HB_CELL_INTEGER, (hb_reading_words){.columns = "d"}, derive, &table));
            assert_ok(hb_reading_like(&reading, hb_table_schema(table)));
            hb_table_close(table);
            assert_refused(hb_table_open_as(more, HB_CELL_INTEGER, &reading, &table), HB_EUSAGE,
                           "the dataset has other bins, 0..9 to 60..69");
            hb_reading_clear(&reading);
        }
    }
}

/* Columns of the table stand in front of those that are made, which may be made of one another; masks behind all. */
static void test_columns(void **state)
{
    (void)state;
    const char *path = put("gaps.csv", "birth,seen,age\n1960-02-29,2024-02-28,1\n,2024-02-29,2\n1999-01-01,,\n");
    const char *const derive[] = {"years=age(birth, seen)", "old=years >= 60", "ten=bin(age, 0..1, ..)", NULL};
    for (int real = 0; real < 2; real++) {
        hb_table *table;
        assert_ok(open_derived(path, real ? HB_CELL_REAL : HB_CELL_INTEGER,
                               (hb_reading_words){.columns = "age,old,ten", .missing = "old=mask,age=mask"}, derive,
                               &table));
        const hb_schema *schema = hb_table_schema(table);
        static const char *const names[] = {
            "age", "old", "ten", "age is not missing", "old is not missing", "ten is not missing"};
        static const int64_t want[6][3] = {{1, 2, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}, {1, 1, 0}};
        assert_int_equal(schema->columns, 6);
        assert_int_equal(hb_schema_masks(schema), 3);
        for (uint64_t c = 0; c < 6; c++) {
            assert_string_equal(schema->column[c].name, names[c]);
            assert_int_equal(schema->column[c].mask, c < 3 ? c + 4 : 0);
            check_column(table, c, want[c], 3);
        }
        assert_true(hb_schema_masks_are_fresh(schema));
        assert_int_equal(schema->column[1].meaning.kind, HB_MEANING_BOOL);
        hb_table_close(table);
    }
    const char *const one[] = {derive[0], NULL};
    hb_table *table;
    assert_ok(
        open_derived(path, HB_CELL_INTEGER, (hb_reading_words){.columns = "years", .missing = "drop"}, one, &table));
    check_column(table, 0, (int64_t[]){63}, 1);
    assert_int_equal(hb_table_findings_of(table).schema->left_out.rows, 2);
    hb_table_close(table);
    assert_ok(open_derived(
        path, HB_CELL_INTEGER,
        (hb_reading_words){
            .columns = "years,age", .missing = "drop", .digits = (const char *const[]){"age=2,2"}, .digit_count = 1},
        one, &table));
    assert_int_equal(hb_table_schema(table)->columns, 3); /* age.1, age.0, years */
    check_column(table, 2, (int64_t[]){63}, 1);
    hb_table_close(table);
    /* A month has a range, with a mask and without. */
    const char *const month[] = {"m=month(birth)", NULL};
    for (int masked = 0; masked < 2; masked++) {
        assert_ok(open_derived(path, HB_CELL_INTEGER,
                               (hb_reading_words){.columns = "m", .missing = masked ? "m=mask" : "drop"}, month,
                               &table));
        const hb_column *column = &hb_table_schema(table)->column[0];
        assert_true(column->ranged && column->least == 1 && column->most == 12);
        hb_table_close(table);
    }
}

/* Blanks in quotes belong to a label; those in front of a parenthesis, a comma and the end belong to nothing. */
static void test_blanks(void **state)
{
    (void)state;
    const char *path = put("blanks.csv", "ward,age\nICU,1\n\"ICU \",65\n\" ICU\",70\nICU,80\n");
    const char *const derive[] = {"a=ward == 'ICU'", "b=ward == 'ICU '",         "c=ward != ' ICU' ",
                                  "d=age >= 65 ",    "e=bin(age, ..64 , 65.. )", NULL};
    static const int64_t want[5][4] = {{1, 0, 0, 1}, {0, 1, 0, 0}, {1, 1, 0, 1}, {0, 1, 1, 1}, {0, 1, 1, 1}};
    hb_table *table;
    assert_ok(open_derived(path, HB_CELL_INTEGER, (hb_reading_words){.columns = "a,b,c,d,e"}, derive, &table));
    for (uint64_t c = 0; c < 5; c++) {
        check_column(table, c, want[c], 4);
    }
    hb_table_close(table);
}

/* Times are compared as points of time, however they are written, and parts are taken of those without a zone. */
static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *derive, *times, *labels;
        int64_t want[4];
    } cases[] = {{"d=at == '2024-03-01T09:00'", "minutes", NULL, {1, 1, 0, 0}},
                 {"d=at == '2024-03-01 9:00:00'", "at=minutes", NULL, {1, 1, 0, 0}},
                 {"d=at == 2024-03-01 09:00", "minutes", NULL, {1, 1, 0, 0}},
                 {"d=at != '2024-03-01T09:00'", "minutes", NULL, {0, 0, 1, 1}},
                 {"d=at < '2024-03-01T09:00'", "seconds", NULL, {0, 0, 0, 1}},
                 {"d=due > at", "minutes", NULL, {0, 1, 0, 1}},
                 {"d=zone >= '2024-03-01T08:00Z'", "minutes", NULL, {1, 1, 0, 0}},
                 {"d=zone == '2024-03-01T10:00+02:00'", "minutes", NULL, {1, 1, 0, 0}},
                 {"d=year(at)", "minutes", NULL, {2024, 2024, 2024, 1969}},
                 {"d=month(at)", "minutes", NULL, {3, 3, 12, 12}},
                 {"d=quarter(at)", "seconds", NULL, {1, 1, 4, 4}},
                 {"d=weekday(at)", "minutes", "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday", {4, 4, 1, 2}},
                 {"d=hour(at)", "minutes", NULL, {9, 9, 23, 23}},
                 {"d=hour(at)", "seconds", NULL, {9, 9, 23, 23}},
                 {"d=hour(due)", "due=hours", NULL, {9, 10, 0, 1}},
                 {"d=age(birth, at)", "minutes", NULL, {23, 24, 0, 0}},
                 {"d=age(birth, 2030-03-01)", "minutes", NULL, {29, 30, 5, 61}},
                 {"d=age(late, 2030-03-01)", "late=hours", NULL, {30, 30, 5, 60}},
                 {"d=bin(at, ..<2024-03-01T09:00, 2024-03-01 09:00 .. 2024-03-31T23:59, ..)",
                  "minutes",
                  "..<2024-03-01T09:00|2024-03-01T09:00..2024-03-31T23:59|..",
                  {1, 1, 2, 0}},
                 {"d=bin(at, ..2024-03-01, ..)", "drop", "..2024-03-01|..", {0, 0, 1, 0}}};
    const char *path = put("times.csv", "at,due,zone,birth,late\n"
                                        "2024-03-01T09:00,2024-03-01T09:00,2024-03-01T10:00+02:00,2000-03-02,"
                                        "2000-03-01T01:00\n"
                                        "2024-03-01 09:00:00,2024-03-01T10:00,2024-03-01T08:00Z,2000-02-29,"
                                        "2000-02-29T23:00\n"
                                        "2024-12-31T23:59,2024-03-01T00:00,2024-03-01T00:30+02:00,2024-12-31,"
                                        "2024-12-31T23:00\n"
                                        "1969-12-31T23:59,1970-01-01T01:00,2024-03-01T09:30+02:00,1969-01-01,"
                                        "1969-12-31T23:00\n");
    static const hb_cell_type cells[] = {HB_CELL_INTEGER, HB_CELL_WIDE, HB_CELL_REAL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
            const char *const derive[] = {cases[i].derive, NULL};
            hb_table *table;
            assert_ok(open_derived(path, cells[k], (hb_reading_words){.columns = "d", .time_of_day = cases[i].times},
                                   derive, &table));
            check_column(table, 0, cases[i].want, 4);
            check_labels(&hb_table_schema(table)->column[0], cases[i].labels);
            hb_table_close(table);
        }
    }
}

static void test_times_refused(void **state)
{
    (void)state;
    static const struct {
        const char *derive[3], *times, *form, *said;
        hb_status code;
    } cases[] = {
        {{"d=at == '2024-03-01T09:00'"}, NULL, NULL, "--time-of-day", HB_EDATA},
        {{"d=at == '2024-03-01'"}, "minutes", NULL, "'2024-03-01' is a date: at has times in minutes, as", HB_EUSAGE},
        {{"d=at == '9am'"}, "at=minutes", NULL, "'9am' is no time: at has times in minutes, as", HB_EUSAGE},
        {{"d=at < '2024-03-01T24:00'"}, "minutes", NULL, "24:00 is 00:00 of the next day", HB_EUSAGE},
        {{"d=at < '2024-03-01T09:00Z'"}, "minutes", NULL, "has a zone, and the times of at have none", HB_EUSAGE},
        {{"d=zone < '2024-03-01T09:00'"}, "minutes", NULL, "has no zone, and the times of zone have one", HB_EUSAGE},
        {{"d=at > zone"}, "minutes", NULL, "the two columns are not the same: dates, times in one unit", HB_EUSAGE},
        {{"d=at > birth"}, "minutes", NULL, "the two columns are not the same: dates, times in one unit", HB_EUSAGE},
        {{"d=bin(at, 60)"}, "minutes", NULL, "times have no width", HB_EUSAGE},
        {{"d=hour(birth)"},
         NULL,
         NULL,
         "column 'birth' holds no times; --time-of-day birth=minutes reads it so",
         HB_EUSAGE},
        {{"d=hour(zone)"}, "minutes", NULL, "the times of column 'zone' have a zone and are kept in UTC", HB_EUSAGE},
        {{"d=year(zone)"}, "minutes", NULL, "the times of column 'zone' have a zone and are kept in UTC", HB_EUSAGE},
        {{"d=age(birth, zone)"}, "minutes", NULL, "the times of column 'zone' have a zone", HB_EUSAGE},
        /* Labels are compared by their spelling, dates and numbers are not. */
        {{"d=birth == '31.12.2024'"}, NULL, "d.m.y", "'31.12.2024' is no date: birth has dates, YYYY-MM-DD", HB_EUSAGE},
        {{"d=birth == 'x'", "e=birth == '2024-12-31'"},
         NULL,
         NULL,
         "--derive 'd=birth == 'x'' reads column 'birth' as texts, and 'e=birth == '2024-12-31'' does not",
         HB_EUSAGE},
        {{"d=birth == '2024-12-31'", "e=birth == 'x'"},
         NULL,
         NULL,
         "--derive 'e=birth == 'x'' reads column 'birth' as texts, and 'd=birth == '2024-12-31'' does not",
         HB_EUSAGE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path =
            put("times.csv", cases[i].form != NULL ? "birth,n\n31.12.2024,1\n1.2.2024,2\n"
                                                   : "at,zone,birth\n2024-03-01T09:00,2024-03-01T10:00Z,2000-03-02\n");
        hb_table *table;
        assert_refused(open_derived(path, HB_CELL_INTEGER,
                                    (hb_reading_words){.columns = cases[i].derive[1] != NULL ? "d,e" : "d",
                                                       .time_of_day = cases[i].times,
                                                       .date_format = cases[i].form},
                                    cases[i].derive, &table),
                       cases[i].code, cases[i].said);
    }
    /* A truth value is one of the texts, where the column has others. */
    const char *path = put("answers.csv", "answer\nyes\nno\nmaybe\n");
    for (int turn = 0; turn < 2; turn++) {
        const char *const derive[] = {turn == 0 ? "d=answer == 'yes'" : "d=answer == 'maybe'",
                                      turn == 0 ? "e=answer == 'maybe'" : "e=answer == 'yes'", NULL};
        hb_table *table;
        assert_ok(open_derived(path, HB_CELL_INTEGER, (hb_reading_words){.columns = "d,e"}, derive, &table));
        check_column(table, (uint64_t)turn, (int64_t[]){1, 0, 0}, 3);
        check_column(table, (uint64_t)!turn, (int64_t[]){0, 0, 1}, 3);
        hb_table_close(table);
    }
}

static void test_files(void **state)
{
    (void)state;
    (void)put("a-1.csv", "age,ward\n5,ER\n23,ICU\n");
    (void)put("a-2.csv", "age,ward\n41,WARD\n");
    const char *const derive[] = {"d=bin(age, 10)", "icu=ward=='ICU'", NULL};
    hb_table *table;
    char pattern[512];
    snprintf(pattern, sizeof pattern, "%s", in_scratch("a-*.csv"));
    assert_ok(open_derived(pattern, HB_CELL_INTEGER, (hb_reading_words){.columns = "d,icu"}, derive, &table));
    assert_int_equal(hb_table_schema(table)->column[0].meaning.labels->count, 5);
    check_column(table, 0, (int64_t[]){0, 2, 4}, 3);
    check_column(table, 1, (int64_t[]){0, 1, 0}, 3);
    hb_table_close(table);
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *derive, *columns, *missing, *said;
        hb_status code;
    } cases[] = {
        {"d=bins(age, 10)", "d", NULL, "there is no function 'bins'; did you mean bin?", HB_EUSAGE},
        {"d=age/10", "d", NULL, "there is no function, no comparison and no difference of columns", HB_EUSAGE},
        {"d=bin(seen - birth, 10)", "d", NULL, "--derive 'inner=seen - birth' --derive 'd=bin(inner, 10)'", HB_EUSAGE},
        {"d=seen - birth >= 7", "d", NULL, "--derive 'inner=seen - birth' --derive 'd=inner >= 7'", HB_EUSAGE},
        {"d=seen + birth", "d", NULL, "dates and times have no sum", HB_EUSAGE},
        {"d=seen - age", "d", NULL, "differences and sums are of two columns of numbers, or", HB_EUSAGE},
        {"d=age - 3", "d", NULL, "differences and sums are of two columns; it is NAME=FUNCTION", HB_EUSAGE},
        {"d=age-age-age", "d", NULL, "make one of two, and one of that", HB_EUSAGE},
        {"d=age -", "d", NULL, "the name of a column is missing", HB_EUSAGE},
        {"d=days(seen)", "d", NULL, "days needs the column of a first date, and a later date", HB_EUSAGE},
        {"d=days(age, seen)", "d", NULL, "column 'age' holds no dates; --date age reads it as dates", HB_EUSAGE},
        {"age >= 65", "d", NULL, "the = behind the name of the column is missing", HB_EUSAGE},
        {"d=bin(age", "d", NULL, "a parenthesis is not closed", HB_EUSAGE},
        {"d=age(day born, 2024-01-01)", "d", NULL, "a name with blanks stands in double quotes", HB_EUSAGE},
        {"d=bin(age(born, 2024-01-01), 10)", "d", NULL,
         "do not nest: say two options, --derive 'inner=age(born, 2024-01-01)' --derive 'd=bin(inner, 10)'", HB_EUSAGE},
        {"d=bin(age)", "d", NULL, "bin needs a width, or bins", HB_EUSAGE},
        {"d=bin(age, 10) x", "d", NULL, "unexpected text after the parenthesis", HB_EUSAGE},
        {"d=age >= kg kg", "d", NULL, "unexpected text after the comparison", HB_EUSAGE},
        {"d=year(birth, 3)", "d", NULL, "the function takes one column", HB_EUSAGE},
        {"d=age(birth)", "d", NULL, "age needs a birth date and one other date", HB_EUSAGE},
        {"d=ward == 'ICU", "d", NULL, "a quote is not closed", HB_EUSAGE},
        {"d=bin(age, 0..10, 10..20)", "d", NULL, "the bins 0..10 and 10..20 have numbers in common", HB_EUSAGE},
        {"d=bin(age, 9..0)", "d", NULL, "a bin ends before it begins", HB_EUSAGE},
        {"d=bin(age, 3.25..3.75, ..)", "d", NULL, "no number of the column is in it", HB_EUSAGE},
        {"d=bin(age, ..9.5, 9..)", "d", NULL, "have numbers in common", HB_EUSAGE},
        {"d=bin(age, 2.5)", "d", NULL, "the width has more digits behind the point than the numbers", HB_EUSAGE},
        {"d=age > 1e99", "d", NULL, "'1e99' has more than 64 bits", HB_EUSAGE},
        {"d=seen >= 2024-02-28T12:00Z", "d", NULL, "is no date", HB_EUSAGE},
        {"d=bin(age, 0..9, 7)", "d", NULL, "a bin is A..B", HB_EUSAGE},
        {"d=bin(age, .., ..)", "d", NULL, "the bin .. stands there twice", HB_EUSAGE},
        {"d=bin(age, 0)", "d", NULL, "a width is above 0", HB_EUSAGE},
        {"d=bin(age, 9223372036854775807)", "d", NULL, "a width is below 2^62", HB_EUSAGE},
        {"d=bin(age, 0..x)", "d", NULL, "'x' is no number", HB_EUSAGE},
        {"d=bin(birth, 10)", "d", NULL, "dates have no width", HB_EUSAGE},
        {"d=bin(agee, 10)", "d", NULL, "--derive 'd=bin(agee, 10)': there is no column 'agee'", HB_EUSAGE},
        {"d=year(age)", "d", NULL, "column 'age' holds no dates; --date age reads it as dates", HB_EUSAGE},
        {"d=age(birth, age)", "d", NULL, "column 'age' holds no dates", HB_EUSAGE},
        {"d=age >= 'x'", "d,age", NULL, "column 'age' holds no labels", HB_EUSAGE},
        {"d=ward == ICU", "d", NULL, "there is no column 'ICU'; a text stands in single quotes, 'ICU'", HB_EUSAGE},
        {"d=ward == 'OR'", "d", NULL, "no row has the text 'OR' in column ward", HB_EUSAGE},
        {"d=ward < 'ICU'", "d", NULL, "have no order", HB_EUSAGE},
        {"d=age == birth", "d", NULL, "the two columns mean different things", HB_EUSAGE},
        {"age=year(birth)", "age", NULL, "the table has a column of that name", HB_EUSAGE},
        {"d=year(birth)", "d", "d=3", "'d' is made of column 'birth': give --missing for column 'birth'", HB_EUSAGE},
        {"d=year(birth)", "d", "d=mask,birth=drop", "the two are treated differently", HB_EUSAGE}};
    const char *path = put("people.csv", people);
    hb_table *table;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const derive[] = {cases[i].derive, NULL};
        const hb_reading_words words = {.columns = cases[i].columns, .missing = cases[i].missing};
        assert_refused(open_derived(path, HB_CELL_INTEGER, words, derive, &table), cases[i].code, cases[i].said);
    }
    /* Rows are refused where they are read, by their place and without their numbers. */
    static const struct {
        const char *derive, *said;
    } rows[] = {{"d=bin(age, 0..64)", "people.csv: row 2 (line 3), column age, --derive 'd=bin(age, 0..64)': the value "
                                      "is in no bin; a bin .. takes all others"},
                {"d=age(birth, 2010-01-01)", "people.csv: row 5 (line 6), column birth, --derive"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const derive[] = {rows[i].derive, NULL};
        uint64_t value[5];
        assert_ok(open_derived(path, HB_CELL_INTEGER, (hb_reading_words){.columns = "d"}, derive, &table));
        assert_refused(hb_table_read(table, &(hb_rectangle){.rows = 5, .columns = 1}, value), HB_EDATA, rows[i].said);
        hb_table_close(table);
    }
    static const struct {
        hb_cell_type cells;
        const char *derive, *said;
    } large[] = {{HB_CELL_INTEGER, "d=bin(x, 1)", "a number is too large for bins of one width: name the bins"},
                 {HB_CELL_REAL, "d=bin(x, 1)", "a number is too large for bins of one width: name the bins"},
                 {HB_CELL_INTEGER, "d=bin(y, 1)", "that makes more than 1024 bins: take a greater width"},
                 {HB_CELL_REAL, "d=bin(y, 1)", "that makes more than 1024 bins: take a greater width"}};
    const char *numbers = put("large.csv", "x,y\n9000000000000000000,0\n1,1024\n");
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        const char *const derive[] = {large[i].derive, NULL};
        assert_refused(open_derived(numbers, large[i].cells, (hb_reading_words){.columns = "d"}, derive, &table),
                       HB_EDATA, large[i].said);
    }
    const char *const twice[] = {"d=age>1", "d=age>2", NULL};
    assert_refused(open_derived(path, HB_CELL_INTEGER, (hb_reading_words){.columns = "d"}, twice, &table), HB_EUSAGE,
                   "the column is given twice");
}

HB_UNIT(table_derive)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values),  cmocka_unit_test(test_widths),
                                       cmocka_unit_test(test_columns), cmocka_unit_test(test_blanks),
                                       cmocka_unit_test(test_times),   cmocka_unit_test(test_times_refused),
                                       cmocka_unit_test(test_files),   cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
