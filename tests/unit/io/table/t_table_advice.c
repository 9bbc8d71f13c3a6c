/* Proposals of a refusal of a CSV: options that read the rest, and none that publish a column that nobody asked for. */
#include "io/table/dialect.h"
#include "unit/scratch.h"

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

/* Labels are public: no column is ever proposed as such, also none of few words, which may be diagnoses. */
static void test_public(void **state)
{
    (void)state;
    static const char *const private[] = {
        "a,n\n1.5,1\nx,2\nx,3\n1.5,4\n",
        "a,n\n12%,1\n12 %%,2\n",
        "a,n\n\"1,234.50\",1\n\"1,234.50\",2\n",
        "a,n\n$5,1\n$5,2\n",
        "a,n\n5 kg,1\n5 kg,2\n",
        "a,n\n31.12.2024,1\n31.12.2024,2\n",
        "a,n\n2024-01-01 13:45:00,1\n2024-01-01 13:45:00,2\n",
        "a,n\nRoe,1\nDoe,2\nRoe,3\nDoe,4\nPoe,5\nPoe,6\n", /* a label for two rows each */
        "a,n\nRoe,1\nRoe,2\nRoe,3\nDoe,4\n",               /* one that one row has */
        "patient,n\nRoe,1\nRoe,2\nRoe,3\nRoe,4\n",
        "e_mail,n\na@b,1\na@b,2\n",
        "a,n\nx,1\nx,2\ny,3\ny,4\n",
        "hiv,n\npositive,1\npositive,2\nnegative,3\nnegative,4\n",
    };
    hb_table *table;
    for (size_t i = 0; i < sizeof private / sizeof *private; i++) {
        assert_refused(hb_table_open(put("t.csv", private[i]), HB_CELL_INTEGER, &table), HB_EDATA,
                       "; read with --columns n");
        assert_null(strstr(hb_last_error()->text, "--category"));
    }
    assert_refused(hb_table_open(put("t.csv", "a,n\nx,1\nx,2\ny,3\ny,4\n"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "; read with --columns n (it leaves out a: texts); texts can only be read as labels, whose list is "
                   "PUBLIC (hebatch help meanings)");
    const char *const said[] = {"b"}; /* of another column */
    assert_refused(open_said(put("t.csv", "a,b,n\nx,u,1\nx,u,2\n"), HB_CELL_INTEGER,
                             (hb_reading_words){.categories = said, .category_count = 1}, &table),
                   HB_EDATA, "; read with --columns b,n --category b (it leaves out a: texts)");
}

/* Signs in numbers, and the option that reads each: no sign is taken for another one without a word. */
static void test_signs(void **state)
{
    (void)state;
    static const struct {
        const char *text, *decimal, *says;
        hb_cell_type cells;
    } cases[] = {
        {"a\n\"1,234\"\n", NULL,
         "has a comma: between thousands (--decimal point) or in front of decimals (--decimal comma)", HB_CELL_INTEGER},
        {"a\n\"12,34\"\n", NULL, "has a comma where a point should be (--decimal comma reads it)", HB_CELL_REAL},
        {"a\n\"1,234.50\"\n", NULL, "has commas between thousands (--decimal point reads it)", HB_CELL_REAL},
        {"a\n\"1.234,50\"\n", NULL, "has points between thousands (--decimal comma reads it)", HB_CELL_INTEGER},
        {"a;b\n80,5;1\n", "comma", "these parameters are for integers; read with --scale a=10 --decimal comma; or",
         HB_CELL_INTEGER},
        {"a;b\n1.234;1\n12.500;2\n", NULL,
         "read with --scale a=1000; --decimal point with --scale reads 1.234 as it stands, and --decimal comma as "
         "1234; or keygen",
         HB_CELL_INTEGER},
        {"a;b\n1.5e3;1\n", "comma", "has a point where --decimal comma wants a comma", HB_CELL_REAL},
        {"a;b\n80.5;1\n", "comma", "has a point where --decimal comma wants a comma", HB_CELL_REAL},
        {"a\n12%\n", NULL, "has a percent sign (--percent reads 12.5 % as 0.125)", HB_CELL_REAL},
        {"a\n$5\n", NULL, "has a currency sign: write the number alone, without it", HB_CELL_INTEGER},
        {"a\n5 \xE2\x82\xAC\n", NULL, "has a currency sign", HB_CELL_INTEGER},
        {"a\n1 234\n", NULL, "has blanks between thousands", HB_CELL_INTEGER},
        {"a\n-12\xC2\xA0"
         "345\xC2\xA0"
         "678.5\n",
         NULL, "has blanks between thousands", HB_CELL_REAL},
        {"a\n1'234\n", NULL, "has apostrophes between thousands", HB_CELL_INTEGER},
        {"a b\n1 2\n", NULL, "has signs that no integer has", HB_CELL_INTEGER},
        {"a\n\xE2\x88\x92"
         "5\n",
         NULL, "has a minus sign that is no hyphen: write -", HB_CELL_REAL},
        {"a\n(5)\n", NULL, "is negative as accountants write it: write a minus in front", HB_CELL_INTEGER},
        {"a\n5-\n", NULL, "is negative as accountants write it", HB_CELL_INTEGER},
        {"a\n-Infinity\n", NULL, "it is infinite", HB_CELL_REAL},
        {"a\n5\xC2\xA0\n", NULL, "has a no-break space: take it out of the table", HB_CELL_INTEGER},
        {"\na\n5\n", NULL, "line 1 is empty, where the names of the columns should be", HB_CELL_INTEGER},
    };
    hb_table *table;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hb_reading_words words = {.decimal = cases[i].decimal};
        assert_refused(open_said(put("t.csv", cases[i].text), cases[i].cells, words, &table), HB_EDATA, cases[i].says);
    }
    /* Decimals of a scale are refused in the words of numbers without one. */
    static const struct {
        const char *text, *decimal, *na, *says;
    } scaled[] = {{"a\n1.5\n", "comma", NULL, "the field has a point where --decimal comma wants a comma"},
                  {"a;b\n1,5;1\n", "point", NULL, "the field has a comma where --decimal point wants a point"},
                  {"a;b\n1,5;1\n", NULL, NULL, "has a comma where a point should be (--decimal comma reads it)"},
                  {"a;b\n1,234;1\n", NULL, NULL, "has a comma: between thousands (--decimal point) or in front"},
                  {"a;b\n1e;1\n", NULL, NULL, "has an exponent without digits"},
                  {"a\n-999.0\n", NULL, "-999", "column a: the value is one that --na calls missing"},
                  {"a\n?\n", NULL, "?", "column a: the value is one that --na calls missing"},
                  {"a\nNA\n", NULL, "?", "column a: the value is missing (NA, NaN or null)"}};
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++) {
        const hb_reading_words words = {
            .decimal = scaled[i].decimal, .na = &scaled[i].na, .na_count = scaled[i].na != NULL, .scale = "a=1000"};
        assert_refused(open_said(put("t.csv", scaled[i].text), HB_CELL_INTEGER, words, &table), HB_EDATA,
                       scaled[i].says);
    }
    /* A number in another spelling is none that may be said to be missing. */
    static const char *const spelt[] = {"(5)", "\xE2\x88\x92\x35", "5-", "7%", "$5", "1 234", "-inf"};
    for (size_t i = 0; i < sizeof spelt / sizeof *spelt; i++) {
        char text[32];
        snprintf(text, sizeof text, "a\n%s\n6\n", spelt[i]);
        assert_refused(open_said(put("t.csv", text), HB_CELL_INTEGER, (hb_reading_words){0}, &table), HB_EDATA,
                       "row 1");
        assert_null(strstr(hb_last_error()->text, "--na"));
    }
    assert_refused(open_said(put("t.csv", "a\nunknown\n6\n"), HB_CELL_INTEGER, (hb_reading_words){0}, &table), HB_EDATA,
                   "--na TEXT");
}

/* Each reason why a text is no label, by itself. */
static void test_labels(void **state)
{
    (void)state;
    const char *const category[] = {"c"};
    char text[512] = "c\n";
    hb_table *table;
    memset(text + 2, 'x', 300);
    const struct {
        const char *text, *says;
    } cases[] = {{text, "longer than 255 bytes"},
                 {"c\nM\xFCller\n",
                  "row 1 (line 2), column c: a label is not UTF-8; this is likely Latin-1: --charset latin-1 reads it"},
                 {"c\na\001b\n", "control character"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_refused(open_said(put("t.csv", cases[i].text), HB_CELL_INTEGER,
                                 (hb_reading_words){.categories = category, .category_count = 1}, &table),
                       HB_EDATA, cases[i].says);
        assert_null(strstr(hb_last_error()->text, ", or "));
    }
}

/* An order of dates is written with one letter or with as many as digits. */
static void test_letters(void **state)
{
    (void)state;
    static const char *const same[] = {"d.m.y", "dd.mm.yyyy", "DD.MM.YYYY", "d.mm.yyyy"};
    static const char *const none[] = {"dd.mm.yy", "ddd.m.y", "d.m", "d.m.y.d", "dd.mm.yyyyy", "d.m-y", ""};
    hb_dialect spelling = {0};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(hb_dialect_parse(&spelling, NULL, same[i], NULL), HB_OK);
        assert_string_equal(spelling.date, "d.m.y");
    }
    assert_int_equal(hb_dialect_parse(&spelling, NULL, "yyyy/mm/dd", NULL), HB_OK);
    assert_string_equal(spelling.date, "y/m/d");
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        assert_int_equal(hb_dialect_parse(&spelling, NULL, none[i], NULL), HB_EUSAGE);
    }
}

/* Numbers are never proposed as labels, which are public, nor scales of single precision. */
static void test_advice(void **state)
{
    (void)state;
    hb_table *table;
    assert_refused(hb_table_open(put("t.csv", "a,b\n1,1\n?,2\n?,3\n1,4\n"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "; read with --columns b (it leaves out a: signs that no integer has); if the text stands for a "
                   "missing value, name it: --na TEXT");
    assert_refused(hb_table_open(put("t.csv", "a\n3.0999999046325684\n"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "; --scale with --round rounds decimals of single or double precision");
    assert_null(strstr(hb_last_error()->text, "=1000"));
    assert_refused(hb_table_open(put("t.csv", "kg,n\n80.5,1\nunknown,2\n79.25,3\n"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "row 2 (line 3), column kg: the field is not an integer: it has letters; read with --columns n (it "
                   "leaves out kg: letters); if the "
                   "text stands for a missing value, name it: --na TEXT, and decimals have a scale: --scale kg=100");
    /* A scale that 64 bits do not hold is none. */
    assert_refused(hb_table_open(put("t.csv", "a,n\n123456789012345.5,1\n1.12345,2\n"), HB_CELL_INTEGER, &table),
                   HB_EDATA,
                   "; read with --columns n (it leaves out a: decimals, --scale and --round); or keygen "
                   "--params ckks-14 for reals");
    assert_refused(hb_table_open(put("t.csv", "a\n0.30000000000000004441\n"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "; --scale with --round rounds decimals of single or double precision");
    /* Advice is pasted into a shell, and the table may be a stranger's. */
    assert_refused(hb_table_open(put("t.csv", "a,n,\"o';id;'\"\n?,1,5\n2,2,6\n"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "; read with --columns n,COLUMN");
    const char *const days[] = {"2024-13-01", "31.02.2024"};
    for (int i = 0; i < 2; i++) { /* said to be dates */
        char text[32];
        snprintf(text, sizeof text, "d\n%s\n", days[i]);
        const hb_reading_words words = {.date = "d", .date_format = i == 1 ? "d.m.y" : NULL};
        assert_refused(open_said(put("t.csv", text), HB_CELL_INTEGER, words, &table), HB_EDATA,
                       "row 1 (line 2), column d: the field is no date: there is no such day");
    }
}

/* Dates of another order than is read: the one that it can be is named, and none where it may be two. */
static void test_orders(void **state)
{
    (void)state;
    static const struct {
        const char *text, *form, *says;
    } cases[] = {
        {"d\n2024-12-31\n", "d.m.y", "the field is no date: its order is not d.m.y: --date-format y-m-d reads it"},
        {"d\n31.12.2024\n", NULL, "its order is not YYYY-MM-DD: --date-format d.m.y reads it"},
        {"d\n12/31/2024\n", NULL, "its order is not YYYY-MM-DD: --date-format m/d/y reads it"},
        {"d\n03/04/2024\n", NULL, "its order is not YYYY-MM-DD; --date-format says which it is, as d.m.y"},
        {"d\n04/04/2024\n", NULL, "its order is not YYYY-MM-DD; --date-format says which it is"},
        {"d\n31.12.2024\n2024-12-31\n", "d.m.y", "its order is not d.m.y, as that of others is: write all alike"},
        {"d\n31.12.24\n", NULL,
         "the field is no date: a year of two digits may be of two centuries: write all four digits"},
        {"d\n24-12-31\n", "d.m.y",
         "the field is no date: a year of two digits may be of two centuries: write all four digits"},
        {"d\n40.50.60\n", NULL, "it has signs that no integer has"},
        {"d\n1.2.3\n", NULL, "it has signs that no integer has"},
    };
    hb_table *table;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int said = 0; said < 2 && (said == 0 || strstr(cases[i].says, "signs") == NULL); said++) {
            const hb_reading_words words = {.date = said == 1 ? "d" : NULL, .date_format = cases[i].form};
            assert_refused(open_said(put("t.csv", cases[i].text), HB_CELL_INTEGER, words, &table), HB_EDATA,
                           cases[i].says);
        }
    }
}

/* A fault of a whole file is told before its consequences, with a line that mends it. */
static void test_first_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text, *columns, *line, *to;
    } cases[] = {
        {"Report 2024;;\nname;age;n\nx;1;2\n", NULL, "line 1 looks like a title, .*: tail -n +2 ", " >table.csv"},
        {"Report\nward,age\n1,2\n", NULL, "line 1 looks like a title, .*: tail -n +2 ", " >table.csv"},
        {"Report\n\nward;age\n1;2\n", NULL, "line 1 looks like a title, .*: tail -n +3 ", " >table.csv"},
        {"Report\nward;age\n1;2\n", "age", "line 1 looks like a title, .*: tail -n +2 ", " >table.csv"},
    };
    hb_table *table;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = put("t.csv", cases[i].text);
        char says[512];
        const char *from = strstr(cases[i].line, ".*: ");
        snprintf(says, sizeof says, "%s%s%s", from != NULL ? from + 2 : cases[i].line, path, cases[i].to);
        const hb_status code = cases[i].columns != NULL ? HB_EUSAGE : HB_EDATA;
        assert_refused(open_said(path, HB_CELL_INTEGER, (hb_reading_words){.columns = cases[i].columns}, &table), code,
                       says);
        assert_true(from == NULL || strstr(hb_last_error()->text, ": line 1 looks like a title, and line ") != NULL);
    }
    /* No title: numbers stand below, or as many fields. */
    assert_refused(hb_table_open(put("t.csv", "a\n1,2\n"), HB_CELL_INTEGER, &table), HB_EDATA, "has more fields");
    assert_refused(hb_table_open(put("t.csv", "a,b\nx,y\n"), HB_CELL_INTEGER, &table), HB_EDATA, "has letters");
    assert_refused(hb_table_open(put("t.csv", "a\nx\n"), HB_CELL_INTEGER, &table), HB_EDATA, "has letters");
    /* A line is pasted into a shell. */
    static const char title[] = "Report\nward;age\n1;2\n";
    assert_refused(hb_table_open(put("a b;id.csv", title), HB_CELL_INTEGER, &table), HB_EDATA,
                   "a b;id.csv' >table.csv");
    assert_refused(hb_table_open(put("a'b.csv", title), HB_CELL_INTEGER, &table), HB_EDATA, "+2 FILE >table.csv");
}

/* Two columns of one name are told by their places in the file, and no option names them. */
static void test_twins(void **state)
{
    (void)state;
    hb_table *table;
    assert_refused(hb_table_open(put("t.csv", "n,s,a,s\n1,2,x,3\n"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "it has letters; columns 2 and 4 have the same name: rename one in the header");
    assert_null(strstr(hb_last_error()->text, "--columns"));
    assert_refused(
        open_said(put("t.csv", "n,s,a,s\n1,2,x,3\n"), HB_CELL_INTEGER, (hb_reading_words){.columns = "n,s"}, &table),
        HB_EDATA, "columns 2 and 4 have the same name: rename one in the header");
    assert_ok(
        open_said(put("t.csv", "n,s,a,s\n1,2,x,3\n"), HB_CELL_INTEGER, (hb_reading_words){.columns = "n"}, &table));
    hb_table_close(table);
}

/* Columns that are a dataset's stay what they are: no option that chooses them is proposed. */
static void test_fixed(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"ward,kg\nlab,1\ner,2\n",
         "row 2 (line 3), column ward: the field is no label of ward, whose labels are icu, lab; "
         "mend it, or say all labels and behind them the new one: --category "
         "ward=icu,lab,NEW (PUBLIC)"},
        {"ward,kg\nlab,1.255\n",
         "; the dataset keeps 2 digits behind the point: --round, or encrypt the tables anew with "
         "a larger scale"},
        {"ward;kg\nlab;\"1,25\"\n", "has a comma where a point should be (--decimal comma reads it)"},
        {"ward,kg\nlab,1\nlab,ill\n", "; if the text stands for a missing value, name it: --na TEXT"},
        {"ward,kg\nlab,1\nlab,\n", "; read with --missing drop"},
    };
    static const char *const never[] = {"--columns", "--scale", "keygen", "with --category"};
    const char *const category[] = {"ward"};
    const hb_reading_words like = {.scale = "kg=100", .categories = category, .category_count = 1};
    hb_table *table;
    assert_ok(open_said(put("d.csv", "ward,kg\nlab,1\nicu,2\n"), HB_CELL_INTEGER, like, &table));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_reading reading = {.grows = true};
        hb_table *other;
        assert_ok(hb_reading_like(&reading, hb_table_schema(table)));
        assert_refused(hb_table_open_as(put("t.csv", cases[i].text), HB_CELL_INTEGER, &reading, &other), HB_EDATA,
                       cases[i].says);
        for (size_t n = 0; n < sizeof never / sizeof *never; n++) {
            assert_null(strstr(hb_last_error()->text, never[n]));
        }
        hb_reading_clear(&reading);
    }
    hb_table_close(table);
}

/* Files of other programs; a table whose first column has a name like the beginning of one is no such file. */
static void test_foreign(void **state)
{
    (void)state;
    static const struct {
        const char *begin, *says;
    } cases[] = {{"PK\3\4\24", "is a workbook"},
                 {"PAR1\x15\4\x15", "is Parquet: python3 -m hebatch convert"},
                 {"\x89HDF\r\n\x1a\n", "is HDF5"},
                 {"RDX3\nX\n", "is a file of R"},
                 {"$FL2@(#) IBM SPSS", "is a file of SPSS"},
                 {"%PDF-1.7\n", "is PDF"},
                 {"<stata_dta><header><release>118", "is a file of Stata"},
                 {"BZh91AY&SY", "is compressed by bzip2"},
                 {"<html><table>\n", "is a page of HTML"},
                 {"<HTML lang=en>\n", "is a page of HTML"},
                 {"\n\n<!doctype html>\n", "is a page of HTML"},
                 {"\xEF\xBB\xBF<Table\nborder=1>", "is a page of HTML"},
                 {"<?xml version=\"1.0\"?>\n", "is XML"},
                 {"{\"a\": [1, 2]}\n", "looks like JSON"},
                 {"[{\"a\": 1}]\n", "looks like JSON"},
                 {"[\n{\"a\": 1}]\n", "looks like JSON"},
                 {"{\r\n  \"a\": [1, 2]}\n", "looks like JSON"},
                 {"[\n  [1, 2]\n]\n", "looks like JSON"}};
    static const char *const names[] = {"PAR,BZ",  "PAR1,PAR2",      "RDX,b",  "RDX2,b",   "BZh,b",
                                        "BZh1,b",  "$FL,b",          "%PDF,b", "ARROW1,b", "<html>,<b>",
                                        "[a],[b]", "<table_size>,b", "{a},b",  "<xml,b",   "[,]"};
    hb_table *table;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_refused(hb_table_open(put("t.csv", cases[i].begin), HB_CELL_INTEGER, &table), HB_EDATA, cases[i].says);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s\n1,2\n", names[i]);
        assert_ok(hb_table_open(put("t.csv", text), HB_CELL_INTEGER, &table));
        hb_table_close(table);
    }
}

/* R writes a text "NA" in quotes, and a missing one without. A label that was said is one without quotes, too. */
static void test_labels_like_missing(void **state)
{
    (void)state;
    static const char text[] = "w,a\n\"NA\",1\nNA,2\nx,3\n\"null\",4\nNULL,5\n";
    const char *const found[] = {"w"}, *const said[] = {"w=NA,null,x"};
    const struct {
        const char *const *category;
        const char *na;
        uint64_t rows, values[5]; /* of a */
    } cases[] = {{found, NULL, 3, {1, 3, 4}},
                 {found, "NA", 3, {1, 3, 4}},
                 {said, NULL, 4, {1, 2, 3, 4}}, /* NULL is no label */
                 {said, "NA", 3, {1, 3, 4}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_table *table;
        uint64_t values[5];
        const hb_reading_words words = {.categories = cases[i].category,
                                        .category_count = 1,
                                        .missing = "drop",
                                        .na = &cases[i].na,
                                        .na_count = cases[i].na != NULL};
        assert_ok(open_said(put("na.csv", text), HB_CELL_INTEGER, words, &table));
        assert_int_equal(hb_table_schema(table)->rows, cases[i].rows);
        assert_ok(hb_table_read(table, &(hb_rectangle){.column = 1, .rows = cases[i].rows, .columns = 1}, values));
        assert_memory_equal(values, cases[i].values, (size_t)cases[i].rows * sizeof *values);
        if (i == 0) { /* rows that are added: nobody can tell without quotes, unless it is said */
            hb_reading like;
            const hb_reading_words more = {.missing = "drop"},
                                   more_said = {.missing = "drop", .na = (const char *[]){"NA,NULL"}, .na_count = 1};
            hb_table *next;
            assert_ok(hb_reading_parse(&more, &like));
            like.grows = true;
            assert_ok(hb_reading_like(&like, hb_table_schema(table)));
            assert_refused(hb_table_open_as(in_scratch("na.csv"), HB_CELL_INTEGER, &like, &next), HB_EDATA,
                           "row 2 (line 3), column w: the field may be the label of this name or a missing cell");
            hb_reading_clear(&like);
            assert_ok(hb_reading_parse(&more_said, &like));
            like.grows = true;
            assert_ok(hb_reading_like(&like, hb_table_schema(table)));
            assert_ok(hb_table_open_as(in_scratch("na.csv"), HB_CELL_INTEGER, &like, &next));
            assert_int_equal(hb_table_schema(next)->rows, 3);
            hb_reading_clear(&like);
            hb_table_close(next);
        }
        hb_table_close(table);
    }
}

/* Lines of spreadsheets that end in the sign between fields. */
static void test_trailing(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"a,b\n1,2,\n3,4,\n",
         "row 1 (line 2) has more fields than the header line, which has 2; it ends in a comma, which the header line "
         "does not: take it out at the end of every line"},
        {"a;b\n1;2\n3;4;; \n",
         "row 2 (line 3) has more fields than the header line, which has 2; it ends in a semicolon"},
        {"a\tb\n1\t2\t\n", "; it ends in a tab"},
        {"a|b\n1|2|\n", "; it ends in a pipe"},
        {"a,b\n1,2,3\n", "; the header has to name every column, and a text with the sign between fields stands in "
                         "quotes"},
        {"a,b,\n1,2,\n3,4,\n", "column 3: the field is empty; lines end in the sign between fields: take it out there"},
        {"a,b,\n1,2\n", "2 fields; the header line has 3, as it ends in the sign between fields: take it out there"},
        {"a,,\n1,2,\n", "; the first line does not name all columns: is it a title? Remove it"},
        {"a,b,c\n1,2\n", "the header line has 3: an empty field needs its sign between fields, too"},
    };
    hb_table *table;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_refused(hb_table_open(put("t.csv", cases[i].text), HB_CELL_INTEGER, &table), HB_EDATA, cases[i].says);
    }
}

/* Why each column is left out, those of one reason together, and how many there are in all; the best reason of each. */
static void test_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"id,ward,born,rate,notes,kg\n1,ICU,31.12.2024,5%,x y,80.5\n2,ER,30.12.2024,6%,z,1.25\n",
         "; 5 such columns in all: ward, born, rate, notes, kg; read with --columns id,rate,kg --percent rate --scale "
         "rate=100,kg=100 (it leaves out ward, notes: texts; born: dates, --date-format d.m.y); texts can only be read "
         "as labels, whose list is PUBLIC (hebatch help meanings); or keygen"},
        {"a,b\n03.04.2024,1\n", "(it leaves out a: dates, --date-format)"},
        {"a,b\n31.12.24,1\n", "(it leaves out a: a year of two digits may be of two centuries)"},
        {"a,b\n1,1\nyes,1\n", "(it leaves out a: numbers beside dates or truth values)"},
        {"a;b\n\"12,34\";1\n", "(it leaves out a: a comma where a point should be, --decimal)"},
        {"a,b\n99999999999999999999,1\n", "(it leaves out a: too large numbers)"},
        {"a,b\n1e400,1\n", "(it leaves out a: too large numbers)"},
        {"a,b\n-1.5E+30,1\n2.5,1\n", "(it leaves out a: too large numbers)"},
        {"a,b\n1.5e3,1\n", "read with --scale a=1; or keygen"},
        {"a,b\n\"1,2\n3,4\n", "row 1 (line 2) has a quote that is not closed"},
        {"a,b,c\n1,2,\"\n", "row 1 (line 2)"},
        {"\"a,x\",b\r1,2\r", "its lines end in carriage returns alone"},
        {"a,b\n-,1\n?,1\n5%,1\n", "row 3 (line 4), column a: the field is not an integer: it has a percent sign"},
        {"a,b\n1,1\n?,1\n$5,1\n", "row 3 (line 4), column a: the field is not an integer: it has a currency sign"},
    };
    hb_table *table;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_refused(hb_table_open(put("t.csv", cases[i].text), HB_CELL_INTEGER, &table), HB_EDATA, cases[i].says);
        assert_null(strstr(hb_last_error()->text, "--category"));
    }
    assert_refused(
        open_said(put("t.csv", "a;b\n5%;1\n"), HB_CELL_INTEGER, (hb_reading_words){.decimal = "comma"}, &table),
        HB_EDATA, "it has a percent sign (--percent reads 12.5 % as 0.125)");
    /* Decimals are told of as other numbers are. */
    static const struct {
        const char *text, *says;
    } decimals[] = {
        {"a,b\n12%,1\n", "column a: the field has a percent sign (--percent reads 12.5 % as 0.125)"},
        {"a,b\nn/a,1\n$5,1\n", "row 2 (line 3), column a: the field has a currency sign"},
        {"a,b\n1.5,1\n5 kg,1\n", "column a: the field has a unit behind its number: write the number alone"}};
    for (size_t i = 0; i < sizeof decimals / sizeof *decimals; i++) {
        assert_refused(
            open_said(put("t.csv", decimals[i].text), HB_CELL_INTEGER, (hb_reading_words){.scale = "a=10"}, &table),
            HB_EDATA, decimals[i].says);
    }
    /* Ten are named, and whatever helps is whole. */
    char text[2048] = "n", *to = text + 1;
    for (int i = 0; i < 40; i++) {
        to += sprintf(to, ",a%d", i);
    }
    to += sprintf(to, "\n1");
    for (int i = 0; i < 40; i++) {
        to += sprintf(to, ",x");
    }
    (void)sprintf(to, "\n");
    assert_refused(hb_table_open(put("t.csv", text), HB_CELL_INTEGER, &table), HB_EDATA,
                   "; 40 such columns in all: a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, ..; read with --columns n (it "
                   "leaves out a0, a1, ");
    assert_non_null(strstr(hb_last_error()->text, ", ..: texts); texts can only be read as labels, whose list "
                                                  "is PUBLIC (hebatch help meanings)"));
}

HB_UNIT(table_advice)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_left_out), cmocka_unit_test(test_trailing),    cmocka_unit_test(test_public),
        cmocka_unit_test(test_signs),    cmocka_unit_test(test_labels),      cmocka_unit_test(test_labels_like_missing),
        cmocka_unit_test(test_foreign),  cmocka_unit_test(test_advice),      cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_orders),   cmocka_unit_test(test_first_lines), cmocka_unit_test(test_letters),
        cmocka_unit_test(test_twins)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
