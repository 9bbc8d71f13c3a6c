/* Columns of times of day: units, zones, and what is refused of them. */
#include "unit/scratch.h"

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

/* The meaning of the first column of a table, and its first cell; the cell is 0 where the table is refused. */
static hb_status first_cell(const char *text, hb_reading_words words, hb_meaning *meaning, int64_t *cell)
{
    hb_table *table;
    uint64_t value = 0;
    hb_status st = open_said(put("t.csv", text), HB_CELL_INTEGER, words, &table);
    if (st == HB_OK) {
        *meaning = hb_table_schema(table)->column[0].meaning;
        st = hb_table_read(table, &(hb_rectangle){0, 1, 0, 1}, &value);
        hb_table_close(table);
    }
    *cell = (int64_t)value;
    return st;
}

static void test_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *times, *order;
        hb_meaning_kind kind;
        hb_time_unit unit;
        bool zoned;
        int64_t cell;
    } cases[] = {
        {"a,n\n2026-11-28T14:03:05,1\n", "seconds", NULL, HB_MEANING_TIME, HB_TIME_SECONDS, false, 1795874585},
        {"a,n\n2026-11-28 14:03,1\n", "minutes", NULL, HB_MEANING_TIME, HB_TIME_MINUTES, false, 29931243},
        {"a,n\n2026-11-28T14:00:00.000,1\n", "hours", NULL, HB_MEANING_TIME, HB_TIME_HOURS, false, 498854},
        {"a,n\n2026-11-28T14:03+02:00,1\n", "a=minutes", NULL, HB_MEANING_TIME, HB_TIME_MINUTES, true, 29931123},
        {"a,n\n2026-11-28T14:03Z,1\n2026-07-28T14:03+02:00,1\n", "n=drop,a=minutes", NULL, HB_MEANING_TIME,
         HB_TIME_MINUTES, true, 29931243},
        {"a,n\n1969-12-31T23:00,1\n", "hours", NULL, HB_MEANING_TIME, HB_TIME_HOURS, false, -1},
        {"a,n\n2024-02-29T00:00,1\n", "hours", NULL, HB_MEANING_TIME, HB_TIME_HOURS, false, 474768},
        {"a,n\n2024-02-29T00:00,1\n", NULL, NULL, HB_MEANING_DATE, HB_TIME_NONE, false, 19782},
        {"a,n\n2024-02-29,1\n", "minutes", NULL, HB_MEANING_DATE, HB_TIME_NONE, false, 19782},
        {"a,n\n2024-02-29T10:00,1\n", "minutes,a=drop", NULL, HB_MEANING_DATE, HB_TIME_NONE, false, 19782},
        {"a;n\n28.11.2026 14:03;1\n", "minutes", "d.m.y", HB_MEANING_TIME, HB_TIME_MINUTES, false, 29931243},
        {"a;n\n11/28/2026 2:03 PM;1\n", "minutes", "m/d/y", HB_MEANING_TIME, HB_TIME_MINUTES, false, 29931243},
        {"a,n\nNA,1\n2024-02-29T10:00,1\n", "hours", NULL, HB_MEANING_TIME, HB_TIME_HOURS, false, 474778},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hb_reading_words words = {
            .time_of_day = cases[i].times, .date_format = cases[i].order, .missing = "drop"};
        hb_meaning meaning;
        int64_t cell;
        assert_ok(first_cell(cases[i].text, words, &meaning, &cell));
        assert_int_equal(meaning.kind, cases[i].kind);
        assert_int_equal(meaning.unit, cases[i].unit);
        assert_int_equal(meaning.zoned, cases[i].zoned);
        assert_int_equal(cell, cases[i].cell);
    }
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *times, *says;
        hb_status status;
    } cases[] = {
        {"a,n\n2026-11-28T14:03:00,1\n2026-11-28T14:03:05,1\n", "minutes",
         "row 2 (line 3), column a: the field is no time: it is no whole minute (--time-of-day seconds reads it)",
         HB_EDATA},
        {"a,n\n2026-11-28T14:03,1\n", "hours",
         "row 1 (line 2), column a: the field is no time: it is no whole hour (--time-of-day minutes reads it)",
         HB_EDATA},
        {"a,n\n2026-11-28T14:00+05:30,1\n", "hours", "it is no whole hour of UTC (--time-of-day minutes", HB_EDATA},
        {"a,n\n2026-11-28T14:00:05,1\n", "hours", "it is no whole hour (--time-of-day seconds reads it)", HB_EDATA},
        {"a,n\n2026-11-28T14:00:00.5,1\n", "seconds", "it has a fraction of a second", HB_EDATA},
        {"a,n\n2026-11-28T24:00,1\n", "minutes", "24:00 is no time of day: write 00:00 of the next day", HB_EDATA},
        {"a,n\n2016-12-31T23:59:60Z,1\n", "seconds", "a leap second, :60, is not counted", HB_EDATA},
        {"a,n\n2023-02-29T10:00,1\n", "minutes", "there is no such day or time of day", HB_EDATA},
        {"a,n\n2026-11-28T25:00,1\n", "minutes", "there is no such day or time of day", HB_EDATA},
        {"a,n\n9999-12-31T23:30-01:00,1\n", "minutes", "in UTC it is outside the years 1 to 9999", HB_EDATA},
        {"a,n\n2026-11-28T14:03Z,1\n2026-11-28T14:03,1\n", "minutes",
         "row 2 (line 3), column a: the field is no time: it has no zone, where others have one", HB_EDATA},
        {"a,n\n2026-11-28T14:03,1\n2026-11-28T14:03+02:00,1\n", "minutes",
         "row 2 (line 3), column a: the field is no time: it has a zone, where others have none", HB_EDATA},
        {"a,n\n2026-11-28T14:03,1\n2026-11-28,1\n", "minutes",
         "row 2 (line 3), column a: the field is no time: it has no time of day, where others have one", HB_EDATA},
        {"a,n\n2026-11-28,1\n2026-11-28T14:03,1\n", "minutes",
         "row 2 (line 3), column a: the field is no time: it has a time of day, where others have none", HB_EDATA},
        {"a,n\n2026-11-28,1\n", "a=minutes", "it has no time of day, which --time-of-day wants in every cell",
         HB_EDATA},
        {"a,n\n7,1\n", "a=minutes", "--time-of-day: column 'a' has no times", HB_EUSAGE},
        {"a,n\n2026-11-28T14:03,1\n7,1\n", "minutes", "column a: the field is not an integer, where others are",
         HB_EDATA},
        {"a,n\n2026-11-28T14:03x,1\n", "minutes", "row 1 (line 2), column a: the field is no date", HB_EDATA},
        {"a,n\n28.11.2026 14:03,1\n", "minutes", "its order is not YYYY-MM-DD: --date-format d.m.y reads it", HB_EDATA},
        {"a,n\n2026-11-28T14:03,1\n", "a=minutes,a=hours", "--time-of-day: two are given for column 'a'", HB_EUSAGE},
        {"a,n\n2026-11-28T14:03,1\n", "minutes,hours", "--time-of-day: two are given for all columns", HB_EUSAGE},
        {"a,n\n2026-11-28T14:03,1\n", "a=", "--time-of-day a=: it is refuse, drop", HB_EUSAGE},
        {"a,n\n2026-11-28T14:03,1\n", "b=hours", "there is no column 'b'", HB_EUSAGE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_meaning meaning;
        int64_t cell;
        assert_refused(first_cell(cases[i].text, (hb_reading_words){.time_of_day = cases[i].times}, &meaning, &cell),
                       cases[i].status, cases[i].says);
        assert_null(strstr(hb_last_error()->text, "14:0")); /* plaintext */
    }
    hb_meaning meaning;
    int64_t cell;
    assert_refused(first_cell("a\n2026-11-28T14:03\n", (hb_reading_words){.time_of_day = "a=minutes", .date = "a"},
                              &meaning, &cell),
                   HB_EUSAGE, "--time-of-day: column 'a' is given two meanings");
}

/* A cell that stands for missing ones, and notes about spellings that decrypt writes in another way. */
static void test_missing_and_notes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *times, *note;
    } cases[] = {
        {"a\n2026-11-28T14:03\n\"\"\n", "minutes", ""},
        {"a\n2026-11-28T14:03Z\n\"\"\n", "minutes", ""},
        {"a\n2026-11-28 14:03\n\"\"\n", "minutes",
         "column a: times are read in another spelling; decrypt writes YYYY-MM-DDTHH:MM to a CSV"},
        {"a\n2026-11-28T14:03+02:00\n\"\"\n", "seconds",
         "column a: times are read in another spelling or zone; decrypt writes YYYY-MM-DDTHH:MM:SSZ to a CSV"}};
    char note[HB_TABLE_NOTE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool zoned = strpbrk(cases[i].text + 2, "Z+") != NULL;
        hb_table *table;
        uint64_t value[2];
        assert_ok(open_said(put("t.csv", cases[i].text), HB_CELL_INTEGER,
                            (hb_reading_words){.time_of_day = cases[i].times,
                                               .missing = zoned ? "a=1970-01-01T00:02Z" : "a=1970-01-01T00:02"},
                            &table));
        assert_ok(hb_table_read(table, &(hb_rectangle){0, 2, 0, 1}, value));
        assert_int_equal(value[1], strcmp(cases[i].times, "minutes") == 0 ? 2 : 120);
        assert_ok(note_of(table, 0, HB_NOTE_SPELLING, note));
        assert_string_equal(note, cases[i].note);
        hb_table_close(table);
    }
}

HB_UNIT(table_times)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_read), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_missing_and_notes)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
