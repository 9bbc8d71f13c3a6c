/* Tables as people have them: columns that are chosen, decimals, categories, dates, truth values, missing cells,
 * delimiters, quotes; and the way back. */
#include "unit/scratch.h"

#include <inttypes.h>

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

static uint64_t *read_all(hb_table *table)
{
    const hb_schema *schema = hb_table_schema(table);
    const uint64_t words = hb_schema_words(schema, 0, schema->columns);
    uint64_t *values = calloc((size_t)(schema->rows * words) + 1, sizeof *values);
    assert_ok(hb_table_read(table, &(hb_rectangle){0, schema->rows, 0, schema->columns}, values));
    return values;
}

/* Writes what a table holds as another one, and compares its text. */
static void check_written(hb_table *table, const char *name, const char *text)
{
    const char *path = in_scratch(name);
    const hb_schema *schema = hb_table_schema(table);
    uint64_t *values = read_all(table);
    hb_table_writer *writer;
    assert_ok(hb_table_create(path, schema, true, &writer));
    assert_ok(hb_table_write(writer, &(hb_rectangle){0, schema->rows, 0, schema->columns}, values));
    assert_ok(hb_table_commit(writer));
    hb_table_writer_close(writer);
    free(values);
    size_t bytes;
    uint8_t *back = slurp(path, &bytes);
    assert_string_equal((char *)back, text);
    free(back);
}

static const char hospital[] = "\xEF\xBB\xBFid;name;sex;\"admitted on\";temperature;smoker;visits\r\n"
                               "7;\"M\xC3\xBCller, \"\"Max\"\"\";m;1998-09-02;36.6;yes;3\r\n"
                               "8;\"O'Neill; Jane\";f;1969-12-31;-37.25; No ;\r\n"
                               "9;\"Doe\nJohn\";\"m\";2020-02-29;38;TRUE;-2\r\n"
                               "10;Ann;f; \"2000-01-01\" ;NA;no;5\r\n\r\n";

/* All kinds at once: what is stored, and the text that it becomes again. */
static void test_hospital(void **state)
{
    (void)state;
    const char *const sex[] = {"sex"};
    const hb_reading_words words = {.columns = "visits,sex,\"admitted on\",temperature,smoker",
                                    .scale = "temperature=100",
                                    .categories = sex,
                                    .category_count = 1,
                                    .missing = "drop,visits=0"};
    const int64_t expected[3][5] = {{1, 10471, 3660, 1, 3}, {0, -1, -3725, 0, 0}, {1, 18321, 3800, 1, -2}};
    static const hb_meaning_kind kinds[] = {HB_MEANING_CATEGORY, HB_MEANING_DATE, HB_MEANING_NUMBER, HB_MEANING_BOOL,
                                            HB_MEANING_NUMBER};
    hb_table *table;
    for (int real = 0; real <= 1; real++) {
        hb_reading_words said = words;
        said.scale = real == 1 ? NULL : words.scale;
        assert_ok(open_said(put("hospital.csv", hospital), real == 1 ? HB_CELL_REAL : HB_CELL_INTEGER, said, &table));
        const hb_schema *schema = hb_table_schema(table);
        assert_int_equal(schema->rows, 3);
        assert_int_equal(schema->columns, 5);
        uint64_t *values = read_all(table);
        for (uint64_t i = 0; i < 15; i++) {
            const bool scaled = real == 1 && i % 5 == 2;
            assert_int_equal(schema->column[i % 5].meaning.kind, kinds[i % 5]);
            if (real == 1) {
                assert_true(hb_real_of(values[i]) == (double)expected[i / 5][i % 5] / (scaled ? 100 : 1));
            } else {
                assert_true((int64_t)values[i] == expected[i / 5][i % 5]);
            }
        }
        free(values);
        check_written(table, "back.csv",
                      "sex,admitted on,temperature,smoker,visits\nm,1998-09-02,36.6,true,3\nf,1969-12-31,-37.25,false,"
                      "0\nm,2020-02-29,38,true,-2\n");
        check_written(table, "back.tsv",
                      "sex\tadmitted on\ttemperature\tsmoker\tvisits\nm\t1998-09-02\t36.6\ttrue\t3\nf\t1969-12-31\t-37."
                      "25\tfalse\t0\nm\t2020-02-29\t38\ttrue\t-2\n");
        /* A written column is read as the same, by its meaning. */
        hb_reading like = {.columns_optional = true};
        hb_table *back;
        assert_ok(hb_reading_like(&like, schema));
        assert_ok(hb_table_open_as(in_scratch("back.tsv"), real == 1 ? HB_CELL_REAL : HB_CELL_INTEGER, &like, &back));
        for (uint64_t c = 0; c < 5; c++) {
            assert_true(hb_meaning_same(&hb_table_schema(back)->column[c].meaning, &schema->column[c].meaning));
        }
        hb_reading_clear(&like);
        hb_table_close(back);
        hb_table_close(table);
    }
}

/* One message names all columns that cannot be read, no cell, and what would read the rest; which then does. */
static void test_all_faults(void **state)
{
    (void)state;
    hb_table *table;
    const char *path = put("hospital.csv", hospital);
    assert_refused(hb_table_open(path, HB_CELL_INTEGER, &table), HB_EDATA,
                   "row 1 (line 2), column name: the field is not an integer: it has letters; row 1 (line 2), column "
                   "sex: the field is "
                   "not an integer: it has letters; ");
    const char *text = hb_last_error()->text;
    assert_non_null(strstr(text, "; 4 such columns in all: name, sex, temperature, visits; read with --columns id,"
                                 "'\"admitted on\"',temperature,smoker,visits --scale temperature=100 --missing drop "
                                 "(it leaves out name, sex: texts); texts can only be read as labels, whose list "
                                 "is PUBLIC (hebatch help meanings); or keygen --params ckks-14 for reals"));
    assert_null(strstr(text, "Max"));
    assert_null(strstr(text, "36"));
    const char *const sex[] = {"sex"};
    assert_ok(open_said(path, HB_CELL_INTEGER,
                        (hb_reading_words){.scale = "temperature=100",
                                           .categories = sex,
                                           .category_count = 1,
                                           .missing = "drop",
                                           .columns = "id,sex,\"admitted on\",temperature,smoker,visits"},
                        &table));
    hb_table_close(table);
    /* Texts of very many kinds are no category: the column is left out. */
    char *many = calloc(1, 1 << 14), *to = many + sprintf(many, "k,n\n");
    for (int i = 0; i < 300; i++) {
        to += sprintf(to, "p%d,%d\n", i, i);
    }
    assert_refused(hb_table_open(put("many.csv", many), HB_CELL_INTEGER, &table), HB_EDATA, "; read with --columns n");
    free(many);
    assert_refused(hb_table_open(put("t.csv", "a b\n1.5\n"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "; read with --scale '\"a b\"'=10");
    assert_refused(hb_table_open(put("t.csv", "a\n1\n2020-01-01\n"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "row 2 (line 3), column a: the field is not an integer, where others are");
    assert_refused(hb_table_open(put("t.csv", "a\nyes\n2020-01-01\n"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "row 1 (line 2), column a: the field is not an integer, where others are");
}

/* Options that do not suit. */
static void test_refused_words(void **state)
{
    (void)state;
    static const char text[] = "a,b,c,d\n1.5,x,2020-01-01,yes\n2.25,y,2020-01-02,no\n";
    const struct {
        hb_reading_words words;
        const char *category;
        hb_status code;
        const char *says;
    } cases[] = {
        {{.columns = "a,e"}, NULL, HB_EUSAGE, "there is no column 'e'"},
        {{.columns = "a,"}, NULL, HB_EUSAGE, "--columns a,: it is COLUMN,COLUMN"},
        {{.columns = "a,c,a"}, NULL, HB_EUSAGE, "--columns: column 'a' stands there twice"},
        {{.missing = "a=1,c=2,a=3"}, NULL, HB_EUSAGE, "--missing: two are given for column 'a'"},
        {{.missing = "drop,a=1,refuse"}, NULL, HB_EUSAGE, "--missing: two are given for all columns"},
        {{.columns = "\"a"}, NULL, HB_EUSAGE, "in double quotes"},
        {{.columns = "\"a\"b"}, NULL, HB_EUSAGE, "in double quotes"},
        {{.columns = "b", .scale = "a=10"}, NULL, HB_EUSAGE, "column 'a' is given a meaning, but --columns leaves it"},
        {{.columns = "a", .scale = "a=10"},
         NULL,
         HB_EDATA,
         "row 2 (line 3), column a: the field has more digits behind the"},
        {{.scale = "a=20"}, NULL, HB_EUSAGE, "powers of ten up to 10^18"},
        {{.scale = "a"}, NULL, HB_EUSAGE, "powers of ten up to 10^18"},
        {{.scale = "a=10000000000000000000"}, NULL, HB_EUSAGE, "powers of ten up to 10^18"},
        {{.scale = "a=10", .date = "a"}, NULL, HB_EUSAGE, "column 'a' is given two meanings"},
        {{.columns = "c,b", .date = "b"}, NULL, HB_EDATA, "row 1 (line 2), column b: the field is no date, YYYY-MM-DD"},
        {{.columns = "b"},
         "b=x,z",
         HB_EDATA,
         "row 2 (line 3), column b: the field is no label of b, whose labels are x, z"},
        {{.columns = "b"}, "b=x,x", HB_EUSAGE, "--category: two labels of a category are the same"},
        {{.columns = "b"}, "b=", HB_EUSAGE, "COLUMN or COLUMN=LABEL"},
        {{.columns = "d", .missing = "e=3"}, NULL, HB_EUSAGE, "there is no column 'e'"},
        {{.columns = "c,b", .date = "b"}, NULL, HB_EDATA, "without a time of day, or as --date-format says"},
        {{.decimal = "x"}, NULL, HB_EUSAGE, "--decimal x: it is point or comma"},
        {{.date_format = "d.m/y"}, NULL, HB_EUSAGE, "--date-format d.m/y: it is d.m.y, m/d/y or another order"},
        {{.date_format = "d.d.y"}, NULL, HB_EUSAGE, "--date-format d.d.y"},
        {{.na = (const char *[]){"a,"}, .na_count = 1}, NULL, HB_EUSAGE, "--na a,: it is TEXT,TEXT"},
        {{.delimiter = "x"}, NULL, HB_EUSAGE, "it is comma, semicolon, tab or pipe"},
        {{.delimiter = "tab"}, NULL, HB_EDATA, "row 1 (line 2), column a,b,c,d: the field is not an integer"},
    };
    hb_table *table;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_reading_words words = cases[i].words;
        words.categories = &cases[i].category;
        words.category_count = cases[i].category != NULL;
        assert_refused(open_said(put("t.csv", text), HB_CELL_INTEGER, words, &table), cases[i].code, cases[i].says);
    }
    const char *const twice[] = {"a=16", "b=4", "a=4"};
    assert_refused(
        open_said(put("t.csv", text), HB_CELL_INTEGER, (hb_reading_words){.digits = twice, .digit_count = 3}, &table),
        HB_EUSAGE, "--digits: column 'a' is given twice");
    assert_refused(
        open_said(put("t.csv", text), HB_CELL_REAL, (hb_reading_words){.columns = "a", .scale = "a=10"}, &table),
        HB_EUSAGE, "reals have no scale");
}

static void test_refused_columns(void **state)
{
    (void)state;
    const char *const c[] = {"c"};
    hb_table *table;
    assert_refused(open_said(put("t.csv", "c\n"), HB_CELL_INTEGER,
                             (hb_reading_words){.categories = c, .category_count = 1}, &table),
                   HB_EDATA, "column c has no labels");
    assert_refused(
        open_said(put("t.csv", "c\nyes\n\"\"\n"), HB_CELL_INTEGER, (hb_reading_words){.missing = "7"}, &table),
        HB_EUSAGE, "'7' is no value of column c, which has true or false");
    assert_refused(open_said(put("t.csv", "c\n\xff\n"), HB_CELL_INTEGER,
                             (hb_reading_words){.categories = c, .category_count = 1}, &table),
                   HB_EDATA, "not UTF-8");
    assert_refused(hb_table_open(put("t.csv", "a\n\"1\n2\n3\n"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "row 1 (line 2), column a: the field is not an integer: it has a quote");
    /* Line breaks within quotes are lines of the file. */
    assert_refused(open_said(put("t.csv", "c,n\n\"x\ny\n\",1\n\"x\"\"\n\",z\n"), HB_CELL_INTEGER,
                             (hb_reading_words){.columns = "n"}, &table),
                   HB_EDATA, "row 2 (line 5), column n: the field is not an integer");
}

/* Decimals, thousands, dates and missing cells as they are written elsewhere: all columns of a row, stored. */
static void test_spellings(void **state)
{
    (void)state;
    enum { MOST = 8 };
    const struct {
        const char *text;
        hb_reading_words words;
        uint64_t rows;
        int64_t cells[MOST];
    } cases[] = {
        {"a;b\n1.234,5;-7\n-0,05;1.000.000\n", {.scale = "a=100", .decimal = "comma"}, 2, {123450, -7, -5, 1000000}},
        {"a;b\n\"1,234.50\";12\n", {.scale = "a=100", .decimal = "point"}, 1, {123450, 12}},
        {"d;n\n31.12.2024;1\n1.2.2025 00:00;2\n", {.date_format = "d.m.y"}, 2, {20088, 1, 20120, 2}},
        {"d,n\n12/31/2024,1\n", {.date_format = "m/d/y", .date = "d"}, 1, {20088, 1}},
        {"d,n\n2024-12-31 00:00:00,1\n2025-02-01T00:00:00.000Z,2\n", {0}, 2, {20088, 1, 20120, 2}},
        {"a\n3.0999999046325684\n-3.25\n2.345\n2\n", {.scale = "a=10", .round = true}, 4, {31, -33, 23, 20}},
        {"a\n0.30000000000000004441\n-12345.678901234567890123\n",
         {.scale = "a=1000", .round = true},
         2,
         {300, -12345679}},
        {"a,b\n?,1\n2,unknown\n3,4\n#N/A,5\n<NA>,6\nNone,7\nNaT,8\n",
         {.missing = "drop", .na = (const char *[]){"?,unknown"}, .na_count = 1},
         1,
         {3, 4}},
        {"sep=;\na;b\n1;2\n", {0}, 1, {1, 2}},
        {"a,b\n1,1\n-999,2\n3,99\n4,\"99\"\n-9990,-99\n",
         {.missing = "drop", .na = (const char *[]){"-999,99"}, .na_count = 1},
         2,
         {1, 1, -9990, -99}},
        {"a\n1.0\n-999.0\n3\n-999.04\n999\n",
         {.scale = "a=10", .missing = "drop", .na = (const char *[]){"-999"}, .na_count = 1, .round = true},
         4,
         {10, 30, -9990, 9990}},
        {"a;b\n1.234;7\n5;99\n",
         {.decimal = "comma", .missing = "a=8", .na = (const char *[]){"1.234"}, .na_count = 1},
         2,
         {8, 7, 5, 99}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_table *table;
        assert_ok(open_said(put("t.csv", cases[i].text), HB_CELL_INTEGER, cases[i].words, &table));
        const hb_schema *schema = hb_table_schema(table);
        assert_int_equal(schema->rows, cases[i].rows);
        uint64_t *values = read_all(table);
        for (uint64_t c = 0; c < schema->rows * schema->columns; c++) {
            assert_int_equal((int64_t)values[c], cases[i].cells[c]);
        }
        free(values);
        hb_table_close(table);
    }
}

static void test_refused_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *text, *decimal, *date_format, *says;
    } refused[] = {
        {"a;b\n12.34;1\n", "comma", NULL, "row 1 (line 2), column a"}, /* no thousands */
        {"a;b\n0.123;1\n", "comma", NULL, "row 1"},
        {"a;b\n1.2345;1\n", "comma", NULL, "row 1 (line 2), column a"},
        {"a;b\n1,23;1\n", NULL, NULL, "has a comma where a point should be (--decimal comma reads it)"},
        {"d;b\n1.1.2024;1\n31.02.2024;1\n", NULL, "d.m.y",
         "row 2 (line 3), column d: the field is no date: there is no such day"},
        {"d;b\n32.12.2024;1\n", NULL, "d.m.y", "row 1 (line 2), column d: the field is no date"},
        {"d,b\n2024-01-01,1\n2024-13-01,1\n", NULL, NULL,
         "row 2 (line 3), column d: the field is no date: there is no such day"},
        {"d,b\n2023-02-29 00:00:00,1\n", NULL, NULL, "the field is no date: there is no such day"},
        {"d,b\n31.02.2024,1\n", NULL, NULL,
         "the field is no date: its order is not YYYY-MM-DD; --date-format says which it is, as d.m.y"},
        {"d,b\n12/31/2024,1\n", NULL, "d/m/y", "the field is no date: its order is not d/m/y: --date-format m/d/y"},
        {"d,b\n2024-13-01,1\n", NULL, "d.m.y", "the field is no date: its order is not d.m.y"},
        {"d,b\n2024-01-01,1\n2024-01-01,1\n2024-13-01,1\n2024-01-01,1\n", NULL, NULL, "read with --columns b"},
        {"d,b\n192.168.1.1,1\n", NULL, NULL, "the field is not an integer: it has signs that no integer has"},
        {"d;b\n31.12.24;1\n", NULL, "d.m.y", "row 1 (line 2), column d"},
        {"d,b\n2024-12-31 13:45:00,1\n", NULL, NULL,
         "row 1 (line 2), column d: the field is no date: it has a time of day (--time-of-day drop reads"},
        {"d,b\n2024-12-31 00:00:00+02:00,1\n", NULL, NULL, "row 1 (line 2), column d"},
        {"Report,,\nx,y,z\n1,2,3\n", NULL, NULL, "line 1 looks like a title, and line 2 like the names"},
        {"a\r1\r2\r", NULL, NULL, "carriage returns alone"},
        {"\xff\xfe"
         "a\n1",
         NULL, NULL, "byte 4 is no character of UTF-16"},
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        hb_table *table;
        const hb_reading_words words = {.decimal = refused[i].decimal, .date_format = refused[i].date_format};
        assert_refused(open_said(put("t.csv", refused[i].text), HB_CELL_INTEGER, words, &table), HB_EDATA,
                       refused[i].says);
        assert_null(strstr(hb_last_error()->text, "--category"));
    }
}

/* Numbers, too, stand for missing cells where they are said, however they are written. */
static void test_numbers_said(void **state)
{
    (void)state;
    static const char text[] = "a,b\n1.5,2\n99,3\n2,1e300\n99.0,4\n9.9e1,5\n+99,6\n3,\"99.00\"\n-99,4\n";
    const double wanted[] = {1.5, 2, -99, 4};
    hb_table *table;
    assert_refused(open_said(put("t.csv", text), HB_CELL_REAL,
                             (hb_reading_words){.na = (const char *[]){"99"}, .na_count = 1}, &table),
                   HB_EDATA, "row 2 (line 3), column a");
    assert_ok(open_said(put("t.csv", text), HB_CELL_REAL,
                        (hb_reading_words){.na = (const char *[]){"99,1e300"}, .na_count = 1, .missing = "drop"},
                        &table));
    uint64_t *values = read_all(table);
    assert_int_equal(hb_table_schema(table)->rows, 2);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_true(hb_real_of(values[i]) == wanted[i]);
    }
    free(values);
    hb_table_close(table);
}

/* In quotes NA is a text where texts are wanted, and missing elsewhere; nothing is missing everywhere. */
static void test_quoted(void **state)
{
    (void)state;
    const char *const category[] = {"c"};
    hb_table *table;
    const char *path = put("t.csv", "c,x\n\"EU\",1\n\"NA\",\"2\"\nNA,3\n\"\",4\nAS,\"NA\"\n");
    assert_ok(open_said(path, HB_CELL_INTEGER,
                        (hb_reading_words){.categories = category, .category_count = 1, .missing = "drop"}, &table));
    const hb_schema *schema = hb_table_schema(table);
    assert_int_equal(schema->rows, 2);
    assert_int_equal(schema->column[0].meaning.labels->count, 2); /* AS is in no row that is left */
    hb_table_close(table);
}

/* Missing cells, in every way; labels may be called as they are. */
static void test_missing(void **state)
{
    (void)state;
    const char *const region[] = {"r=NA,EU"}, *const collected[] = {"r"};
    hb_table *table;
    const char *path = put("t.csv", "r,n\nNA,1\nEU,\nnull,3\n\"\",N/A\n");
    assert_ok(open_said(path, HB_CELL_INTEGER,
                        (hb_reading_words){.categories = region, .category_count = 1, .missing = "n=-5,r=EU"}, &table));
    uint64_t *values = read_all(table);
    const int64_t expected[] = {0, 1, 1, -5, 1, 3, 1, -5};
    for (int i = 0; i < 8; i++) {
        assert_true((int64_t)values[i] == expected[i]);
    }
    assert_true(hb_table_schema(table)->column[1].is_signed);
    free(values);
    hb_table_close(table);
    assert_ok(open_said(
        path, HB_CELL_INTEGER,
        (hb_reading_words){.categories = collected, .category_count = 1, .missing = "n=0,r=\"not, said\""}, &table));
    check_written(table, "back.csv", "r,n\n\"not, said\",1\nEU,0\n\"not, said\",3\n\"not, said\",0\n");
    hb_table_close(table);
    assert_refused(open_said(path, HB_CELL_INTEGER,
                             (hb_reading_words){.categories = collected, .category_count = 1, .missing = "drop"},
                             &table),
                   HB_EDATA, "column r has no labels");
    assert_ok(open_said(path, HB_CELL_INTEGER,
                        (hb_reading_words){.categories = region, .category_count = 1, .missing = "drop"}, &table));
    assert_int_equal(hb_table_schema(table)->rows, 1);
    hb_table_close(table);
}

/* Decimals of 128 bits, which no other text of a number has. */
static void test_wide(void **state)
{
    (void)state;
    uint64_t words[][2] = {{0, 0},
                           {5, 0},
                           {10, 0},
                           {(uint64_t)-100, UINT64_MAX},
                           {(uint64_t)-12345, UINT64_MAX},
                           {0, (uint64_t)1 << 36},
                           {0, (uint64_t)3 << 62}}; /* the last two 2^100, -2^126 */
    const char *text = "cents\n0\n0.05\n0.1\n-1\n-123.45\n12676506002282294014967032053.76\n"
                       "-850705917302346158658436518579420528.64\n";
    enum { ROWS = sizeof words / sizeof *words };
    hb_schema schema = {.rank = 2, .width = 16, .named = true};
    hb_table_writer *writer;
    assert_ok(hb_schema_alloc(&schema, ROWS, 1));
    schema.column[0] =
        (hb_column){.name = strdup("cents"), .cells = HB_CELL_WIDE, .is_signed = true, .meaning = {.scale = 100}};
    const char *path = in_scratch("wide.csv");
    assert_ok(hb_table_create(path, &schema, true, &writer));
    assert_ok(hb_table_write(writer, &(hb_rectangle){0, ROWS, 0, 1}, words[0]));
    assert_ok(hb_table_commit(writer));
    hb_table_writer_close(writer);
    hb_schema_clear(&schema);
    size_t bytes;
    uint8_t *back = slurp(path, &bytes);
    assert_string_equal((char *)back, text);
    free(back);
}

HB_UNIT(table_meanings)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hospital),      cmocka_unit_test(test_all_faults),
                                       cmocka_unit_test(test_refused_words), cmocka_unit_test(test_refused_columns),
                                       cmocka_unit_test(test_spellings),     cmocka_unit_test(test_refused_spellings),
                                       cmocka_unit_test(test_numbers_said),  cmocka_unit_test(test_quoted),
                                       cmocka_unit_test(test_missing),       cmocka_unit_test(test_wide)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
