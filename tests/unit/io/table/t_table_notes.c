/* Notices about a table that is read: numbers that lose zeros in front, labels that look alike. */
#include "unit/scratch.h"

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

/* Checks the notice about the first of two columns, or "" for none. */
static void check_note(const char *const *files, size_t count, hb_cell_type cells, hb_reading_words words,
                       const char *says)
{
    hb_reading reading;
    hb_table *table;
    char note[HB_TABLE_NOTE];
    assert_ok(hb_reading_parse(&words, &reading));
    assert_ok(hb_table_open_list((hb_table_list){files, count}, cells, &reading, &table));
    hb_reading_clear(&reading);
    assert_int_equal(hb_table_noted(table), 2);
    bool found = says[0] == '\0';
    for (int kind = 0; kind < HB_NOTE_KINDS; kind++) {
        assert_ok(note_of(table, 1, (hb_note_kind)kind, note));
        assert_string_equal(note, "");
        assert_ok(note_of(table, 0, (hb_note_kind)kind, note));
        assert_true(note[0] == '\0' || strcmp(note, says) == 0);
        found = found || note[0] != '\0';
    }
    assert_true(found);
    hb_table_close(table);
}

/* Zeros in front of numbers, and labels that look alike, in one file and in two. */
static void test_notes(void **state)
{
    (void)state;
    static const char padded[] = "column a: 2 numbers with zeros in front lose them, as 007 becomes 7; read as labels, "
                                 "which are PUBLIC, they stay as they are: --category";
    static const char mixed[] =
        "column a: 1 number with zeros in front loses them, as 007 becomes 7; others have fewer "
        "digits: ids such as 007 and 7 become one; read as labels, which are PUBLIC, they stay as they are: --category";
    const struct {
        const char *text;
        hb_reading_words words;
        const char *says;
    } cases[] = {
        {"a,b\n007,1\n123,0\n \"-010\" ,-0\n", {0}, padded},
        {"a,b\n00,1\n0,1\n", {0}, mixed},
        {"a,b\n01,1\n,1\n9,1\n", {.missing = "drop"}, mixed},
        {"a,b\n007,1\n010,2\n", {.missing = "a=0"}, padded}, /* what stands in for a cell is none of the file's */
        {"a,b\n007,1\n7,2\n", {.scale = "a=1"}, ""},         /* it is said that these are numbers */
        {"a;b\n007;1\n1.000;2\n010;1\n", {.decimal = "comma"}, padded},
        {"a,b\n007,1\n999,2\n010,1\n", {.digits = (const char *const[]){"a=10"}, .digit_count = 1}, padded},
        {"a,b\n0,1\n10,2\n", {0}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *file = put("t.csv", cases[i].text);
        check_note(&file, 1, HB_CELL_INTEGER, cases[i].words, cases[i].says);
    }
    const char *const files[] = {in_scratch("1.csv"), in_scratch("2.csv")};
    const hb_reading_words categories = {.categories = (const char *const[]){"a"}, .category_count = 1};
    put("1.csv", "a,b\n0.5,1\n00.5,2\n1e01,3\n");
    check_note(files, 1, HB_CELL_REAL, (hb_reading_words){0}, ""); /* a number that is measured is no id */
    put("1.csv", "a,b\n007,1\n");
    put("2.csv", "a,b\n7,1\n");
    check_note(files, 1, HB_CELL_REAL, (hb_reading_words){0},
               "column a: 1 number with zeros in front loses them, as 007 becomes 7; read as labels, which are PUBLIC, "
               "they stay as they are: --category");
    check_note(files, 2, HB_CELL_REAL, (hb_reading_words){0}, mixed);
    put("1.csv", "a,b\nflu,1\nCold,1\n");
    put("2.csv", "a,b\n\"cold \",1\n");
    check_note(files, 1, HB_CELL_INTEGER, categories, "");
    check_note(files, 2, HB_CELL_INTEGER, categories,
               "column a: 2 of 3 labels differ from another one by blanks, capitals or Unicode form alone, and stay "
               "apart, as 'Cold' and 'cold '; --fold a makes one of such labels");
    put("1.csv", "a,b\nUnknown,1\nflu,1\n?,2\n");
    check_note(files, 1, HB_CELL_INTEGER, categories,
               "column a: '?,Unknown' are labels as any other, while among numbers each means a missing cell; where "
               "--na has it, it is one here, too");
    check_note(files, 1, HB_CELL_INTEGER,
               (hb_reading_words){.categories = (const char *const[]){"a"},
                                  .category_count = 1,
                                  .na = (const char *[]){"?,Unknown"},
                                  .na_count = 1,
                                  .missing = "a=flu"},
               "");
}

/* Names of columns that look alike. */
static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"caf\xC3\xA9,cafe\xCC\x81\n1,2\n",
         "columns 1 and 2 have names that differ by blanks, capitals or Unicode form alone, 'caf\xC3\xA9' and "
         "'cafe\xCC\x81', and stay two columns"},
        {"kg,\"Kg \"\n1,2\n",
         "columns 1 and 2 have names that differ by blanks, capitals or Unicode form alone, 'kg' and 'Kg ', and "
         "stay two columns"},
        {"kg,kgs\n1,2\n", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_table *table;
        char note[HB_TABLE_NOTE];
        assert_ok(hb_table_open(put("t.csv", cases[i].text), HB_CELL_INTEGER, &table));
        assert_ok(note_of(table, 0, HB_NOTE_NAME, note));
        assert_string_equal(note, "");
        assert_ok(note_of(table, 1, HB_NOTE_NAME, note));
        assert_string_equal(note, cases[i].says);
        hb_table_close(table);
    }
}

/* Blanks around names of columns, which only quotes keep: said once, of the columns that are read. */
static void test_name_blanks(void **state)
{
    (void)state;
    const hb_reading_words all = {0}, last = {.columns = "c"};
    static const char two[] =
        "2 columns lose the blanks around their names, the first one is 'b'; in quotes blanks stay";
    static const char one[] = "1 column loses the blanks around its name, which is 'c'; in quotes blanks stay";
    const struct {
        const char *text;
        const hb_reading_words *words;
        uint64_t column;
        const char *says;
    } cases[] = {
        {"a, b,c \r\n1,2,3\r\n", &all, 1, two}, {"a, b,c \n1,2,3\n", &all, 2, ""},
        {"a, b,\tc\n1,2,3\n", &last, 0, one},   {"a, \"b\" ,\" c\"\n1,2,3\n", &all, 1, ""},
        {"a, ,c\n1,2,3\n", &all, 1, ""},        {"a\tb \tc\n1\t2\t3\n", &all, 2, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_reading reading;
        hb_table *table;
        char note[HB_TABLE_NOTE];
        assert_ok(hb_reading_parse(cases[i].words, &reading));
        assert_ok(hb_table_open_as(put("t.csv", cases[i].text), HB_CELL_INTEGER, &reading, &table));
        hb_reading_clear(&reading);
        assert_ok(note_of(table, cases[i].column, HB_NOTE_BLANKS, note));
        assert_string_equal(note, cases[i].says);
        hb_table_close(table);
    }
}

/* Blanks around labels, which only quotes keep. */
static void test_trimmed(void **state)
{
    (void)state;
    const hb_reading_words found = {.categories = (const char *const[]){"a"}, .category_count = 1};
    const hb_reading_words said = {.categories = (const char *const[]){"a=ICU,ER"}, .category_count = 1};
    const struct {
        const char *text;
        hb_reading_words words;
        const char *says;
    } cases[] = {
        {"a,b\nICU,1\nICU ,2\n\tER,3\n", found,
         "column a: 2 labels without quotes lose blanks in front or behind, first in row 2 (line 3); in quotes they "
         "stay"},
        {"a,b\nICU,1\n  ER,2\n", said,
         "column a: 1 label without quotes loses blanks in front or behind, in row 2 (line 3); in quotes they stay"},
        {"a,b\n\"ICU\" ,1\n \"ER\",2\nICU,3\n", found, ""}, /* quotes say what the label is */
        {"a,b\nICU,1\n ,2\nNA ,2\n", {.categories = found.categories, .category_count = 1, .missing = "drop"}, ""},
        {"a,b\n5 ,1\n 6,2\n", {0}, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *file = put("t.csv", cases[i].text);
        check_note(&file, 1, HB_CELL_INTEGER, cases[i].words, cases[i].says);
    }
    const char *const files[] = {in_scratch("1.csv"), in_scratch("2.csv")};
    char says[400];
    put("1.csv", "a,b\nICU,1\n");
    put("2.csv", "a,b\nER,1\n ICU,1\n");
    snprintf(says, sizeof says, "row 2 (line 3) of %.60s; in quotes they stay", files[1]);
    hb_reading reading;
    hb_table *table;
    assert_ok(hb_reading_parse(&found, &reading));
    assert_ok(hb_table_open_list((hb_table_list){files, 2}, HB_CELL_INTEGER, &reading, &table));
    hb_reading_clear(&reading);
    char note[HB_TABLE_NOTE];
    assert_ok(note_of(table, 0, HB_NOTE_TRIMMED, note));
    assert_non_null(strstr(note, says));
    hb_table_close(table);
}

/* Truth values and dates that come back in another spelling; nothing tells which value a column has. */
static void test_spellings(void **state)
{
    (void)state;
    const struct {
        const char *text;
        hb_reading_words words;
        const char *says;
    } cases[] = {
        {"a,b\nYes,1\nYes,2\n", {0}, "column a: truth values are read from Yes/No; decrypt writes true/false to a CSV"},
        {"a,b\nno,1\nFALSE,2\nyEs,2\n",
         {0},
         "column a: truth values are read from TRUE/FALSE, yes/no, yes/no in mixed letters; decrypt writes true/false "
         "to "
         "a "
         "CSV"},
        {"a,b\ntRUE,1\nNO,2\nTrue,3\n",
         {0},
         "column a: truth values are read from True/False, true/false in mixed letters, YES/NO; decrypt writes "
         "true/false "
         "to a CSV"},
        {"a,b\ntrue,1\nfalse,2\n", {0}, ""},
        {"a,b\n2024-03-01,1\n", {0}, ""},
        {"a,b\n2024-03-01T00:00,1\n",
         {0},
         "column a: dates are read without their times of day; decrypt writes YYYY-MM-DD to a CSV"},
        {"a,b\n31.12.2024,1\n",
         {.date_format = "d.m.y"},
         "column a: dates are read in another order; decrypt writes YYYY-MM-DD to a CSV"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *file = put("t.csv", cases[i].text);
        check_note(&file, 1, HB_CELL_INTEGER, cases[i].words, cases[i].says);
        check_note(&file, 1, HB_CELL_REAL, cases[i].words, cases[i].says);
    }
}

HB_UNIT(table_notes)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_notes), cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_name_blanks), cmocka_unit_test(test_trimmed),
                                       cmocka_unit_test(test_spellings)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
