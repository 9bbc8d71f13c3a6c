/* Labels whose spellings differ by capitals and blanks: which are one, which spelling is kept, and what is said. */
#include "unit/scratch.h"

#include "table/alike.h"
#include "unit/io/table/said_table.h"
#include "unit/unit.h"

/* Whether two texts fold into one label. */
static bool are_one(const char *one, const char *other)
{
    hb_folds folds;
    uint64_t place;
    assert_ok(hb_folds_make(&one, NULL, 1, &folds));
    const bool found = hb_folds_find(&folds, other, strlen(other), &place);
    hb_folds_clear(&folds);
    return found;
}

static void test_texts(void **state)
{
    (void)state;
    static const struct {
        const char *one, *other;
        bool same;
    } cases[] = {{"Hypertension ", "hypertension", true},
                 {"\t a\xC2\xA0 b", "A B", true}, /* a no-break space */
                 {"a\xC2\xAD"
                  "b",
                  "AB", true},         /* a soft hyphen is not seen */
                 {"ab", "a b", false}, /* blanks between words part them */
                 {"1 12", "11 2", false},
                 {"M\xC3\x9CLLER", "m\xC3\xBCller", true},
                 {"m\xC3\xBCller", "mu\xCC\x88ller", true}, /* in one character and in two */
                 {"m\xC3\xBCller", "muller", false},
                 {"STRASSE",
                  "stra\xC3\x9F"
                  "e",
                  true},
                 {"\xCE\xA3", "\xCF\x83", true}, /* sigma */
                 {"", " ", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(are_one(cases[i].one, cases[i].other), cases[i].same);
    }
    hb_folds none = {.count = 0};
    uint64_t place;
    assert_false(hb_folds_find(&none, "a", 1, &place));
    hb_folds_clear(&none);
}

/* Opens tables whose column c has these labels, folded; the caller closes *table. */
static hb_status open_folded(const char *const *files, size_t count, const char *category, hb_table **table)
{
    const hb_reading_words words = {.categories = &category, .category_count = 1, .fold = "c"};
    const hb_table_list list = {files, count};
    hb_reading reading;
    hb_status st = hb_reading_parse(&words, &reading);
    st = st == HB_OK ? hb_table_open_list(list, HB_CELL_INTEGER, &reading, table) : st;
    hb_reading_clear(&reading);
    return st;
}

static void assert_read(hb_table *table, const char *const *labels, uint64_t count, const uint64_t *places,
                        const char *note)
{
    char said[HB_TABLE_NOTE];
    const hb_schema *schema = hb_table_schema(table);
    assert_int_equal(schema->column[0].meaning.labels->count, count);
    for (uint64_t i = 0; i < count; i++) {
        assert_string_equal(schema->column[0].meaning.labels->text[i], labels[i]);
    }
    for (uint64_t r = 0; r < schema->rows; r++) {
        uint64_t value;
        assert_ok(hb_table_read(table, &(hb_rectangle){r, 1, 0, 1}, &value));
        assert_int_equal(value, places[r]);
    }
    assert_ok(note_of(table, 0, HB_NOTE_FOLDED, said));
    assert_string_equal(said, note);
    assert_ok(note_of(table, 0, HB_NOTE_ALIKE, said));
    assert_string_equal(said, "");
    hb_table_close(table);
}

/* The spelling that most cells have is kept, and the first one by its bytes where several are as frequent. */
static void test_found(void **state)
{
    (void)state;
    const char *file = put("t.csv", "c,n\nICU ,1\n\" icu\",2\nicu,3\nward,4\nWard,5\n");
    hb_table *table;
    assert_ok(open_folded(&file, 1, "c", &table));
    assert_read(table, (const char *const[]){"icu", "Ward"}, 2, (const uint64_t[]){0, 0, 0, 1, 1},
                "column c: 3 cells are folded into other spellings: 2 into 'icu', 1 into 'Ward'");
}

static void test_said(void **state)
{
    (void)state;
    const char *file = put("t.csv", "c\nF \nf\nm\nM\n");
    hb_table *table;
    assert_ok(open_folded(&file, 1, "c=m,f", &table));
    assert_read(table, (const char *const[]){"m", "f"}, 2, (const uint64_t[]){1, 1, 0, 0},
                "column c: 2 cells are folded into other spellings: 1 into 'm', 1 into 'f'");
    assert_refused(open_folded(&file, 1, "c=m,f,F", &table), HB_EUSAGE,
                   "--fold, column 'c': labels 2 and 3 of a category are one, folded");
    assert_refused(open_folded(&file, 1, "c=m", &table), HB_EDATA, "row 1 (line 2), column c: the field is no label");
    assert_refused(open_said(file, HB_CELL_INTEGER, (hb_reading_words){.fold = "d"}, &table), HB_EUSAGE,
                   "there is no column 'd'");
}

/* A text that stands for missing cells is the spelling of none. */
static void test_stand_in(void **state)
{
    (void)state;
    const hb_reading_words words = {
        .categories = (const char *const[]){"c"}, .category_count = 1, .fold = "c", .missing = "c=ICU"};
    hb_table *table;
    assert_ok(open_said(put("t.csv", "c,n\nicu,1\n,2\n,3\nIcu,4\n"), HB_CELL_INTEGER, words, &table));
    char said[HB_TABLE_NOTE];
    assert_ok(note_of(table, 0, HB_NOTE_FOLDED, said));
    assert_string_equal(said, "column c: 1 cell is folded into other spellings: 1 into 'Icu'");
    hb_table_close(table);
}

/* Many labels are not all named. */
static void test_many(void **state)
{
    (void)state;
    char rows[1 << 12] = "c\n", said[HB_TABLE_NOTE];
    for (int i = 10; i < 60; i++) {
        sprintf(rows + strlen(rows), "label%d\nlabel%d\nLabel%d\n", i, i, i);
    }
    const char *file = put("t.csv", rows);
    hb_table *table;
    assert_ok(open_folded(&file, 1, "c", &table));
    assert_ok(note_of(table, 0, HB_NOTE_FOLDED, said));
    assert_ptr_equal(strstr(said, "column c: 50 cells are folded into other spellings: 1 into 'label10', "), said);
    assert_non_null(strstr(said, ", the others into 39 more labels"));
    hb_table_close(table);
}

/* Where labels differ so, the option is named with the column as a shell takes it. */
static void test_advice(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *category, *advice;
    } cases[] = {{"my ward\nicu\nICU\n", "\"my ward\"", "; --fold '\"my ward\"' makes one of such labels"},
                 {"c\nicu\nICU\n", "c", "; --fold c makes one of such labels"},
                 {"c\nicu\ni c u\n", "c", "'i c u' and 'icu'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hb_reading_words words = {.categories = &cases[i].category, .category_count = 1};
        char said[HB_TABLE_NOTE];
        hb_table *table;
        assert_ok(open_said(put("t.csv", cases[i].rows), HB_CELL_INTEGER, words, &table));
        assert_ok(note_of(table, 0, HB_NOTE_ALIKE, said));
        assert_non_null(strstr(said, cases[i].advice));
        assert_string_equal(strstr(said, cases[i].advice), cases[i].advice);
        hb_table_close(table);
    }
}

/* The first file's spelling is kept. */
static void test_files(void **state)
{
    (void)state;
    const char *const files[] = {put("1.csv", "c\nicu\nicu\n"), put("2.csv", "c\nward\nICU\nICU\nICU\n")};
    hb_table *table;
    assert_ok(open_folded(files, 2, "c", &table));
    assert_read(table, (const char *const[]){"icu", "ward"}, 2, (const uint64_t[]){0, 0, 1, 0, 0, 0},
                "column c: 3 cells are folded into other spellings: 3 into 'icu'");
}

/* Labels stand in the order of their small letters, so that tables that spell them in other ways have one order. */
static void test_order(void **state)
{
    (void)state;
    const char *one = put("1.csv", "c,n\nzoo,1\nICU,2\nHeart,3\n"),
               *other = put("2.csv", "c,n\nheart,1\nZOO,2\nicu,3\n");
    hb_table *table[2];
    assert_ok(open_folded(&one, 1, "c", &table[0]));
    assert_ok(open_folded(&other, 1, "c", &table[1]));
    assert_true(
        hb_meaning_same(&hb_table_schema(table[0])->column[0].meaning, &hb_table_schema(table[1])->column[0].meaning));
    hb_table_close(table[1]);
    assert_read(table[0], (const char *const[]){"Heart", "ICU", "zoo"}, 3, (const uint64_t[]){2, 1, 0}, "");
}

/* A table that is read as a dataset whose labels fold folds, too. */
static void test_like(void **state)
{
    (void)state;
    const char *file = put("1.csv", "c,n\nicu,1\nWard,2\n"), *other = put("2.csv", "c,n\n\"ward \",1\nICU,2\n");
    hb_table *table, *like;
    hb_reading reading = {0};
    assert_ok(open_folded(&file, 1, "c", &like));
    assert_ok(hb_reading_like(&reading, hb_table_schema(like)));
    assert_ok(hb_table_open_as(other, HB_CELL_INTEGER, &reading, &table));
    assert_read(table, (const char *const[]){"icu", "Ward"}, 2, (const uint64_t[]){1, 0},
                "column c: 2 cells are folded into other spellings: 1 into 'icu', 1 into 'Ward'");
    hb_reading_clear(&reading);
    hb_table_close(like);
}

HB_UNIT(table_fold)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),    cmocka_unit_test(test_found), cmocka_unit_test(test_said),
        cmocka_unit_test(test_stand_in), cmocka_unit_test(test_many),  cmocka_unit_test(test_advice),
        cmocka_unit_test(test_files),    cmocka_unit_test(test_order), cmocka_unit_test(test_like)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
