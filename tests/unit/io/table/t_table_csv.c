/* CSV tables against a reader that is as simple as can be: strtoll on what was printed. */
#include "unit/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "io/table/table.h"
#include "unit/io/table/made_schema.h"
#include "unit/unit.h"

static const char *put(const char *text)
{
    const char *path = in_scratch("t.csv");
    spit(path, text, strlen(text));
    return path;
}

static void check_table(const char *text, uint64_t rows, uint64_t columns, const uint64_t *values, const char *names)
{
    hb_table *table;
    assert_ok(hb_table_open(put(text), HB_CELL_INTEGER, &table));
    const hb_schema *schema = hb_table_schema(table);
    assert_int_equal(schema->rows, rows);
    assert_int_equal(schema->columns, columns);
    assert_true(schema->rank == 2 && schema->width == 8 && schema->named && !schema->big_endian);
    char joined[256] = "";
    for (uint64_t c = 0; c < columns; c++) {
        strcat(strcat(joined, c ? "|" : ""), schema->column[c].name);
    }
    assert_string_equal(joined, names);
    uint64_t read[16] = {0};
    hb_rectangle all = {.rows = rows, .columns = columns};
    assert_ok(hb_table_read(table, &all, read));
    assert_memory_equal(read, values, rows * columns * sizeof *read);
    hb_table_close(table);
}

static void test_forms(void **state)
{
    (void)state;
    const uint64_t abcd[] = {1, 2, 3, 4}, signs[] = {(uint64_t)-1, 2, (uint64_t)INT64_MIN, UINT64_MAX};
    check_table("a,b\n1,2\n3,4\n", 2, 2, abcd, "a|b");
    check_table("a,b\n1,2\n3,4", 2, 2, abcd, "a|b");
    check_table("a,b\r\n1,2\r\n3,4\r\n", 2, 2, abcd, "a|b");
    check_table("\xEF\xBB\xBF"
                "a,b\n1,2\n3,4\n\n \n\r\n",
                2, 2, abcd, "a|b");
    check_table(" a , b \n 1 ,\t2\n+3, +4 \n", 2, 2, abcd, "a|b");
    check_table("\"a\",\"say \"\"b\"\", c\"\n\"1\",\"2\"\n \" 3 \" ,0004\n", 2, 2, abcd, "a|say \"b\", c");
    check_table("a,b\n-1,2\n-9223372036854775808,18446744073709551615\n", 2, 2, signs, "a|b");
    check_table(",\n1,2\n3,4\n", 2, 2, abcd, "|");
    check_table("x\n1\n2\n3\n4\n", 4, 1, abcd, "x");
    check_table("x,y,z\n", 0, 3, abcd, "x|y|z");
    check_table("x", 0, 1, abcd, "x");
    hb_table *table;
    assert_ok(hb_table_open(put("a,b,c\n-1,2,-0\n3,18446744073709551615,0\n"), HB_CELL_INTEGER, &table));
    const hb_schema *schema = hb_table_schema(table);
    assert_true(schema->column[0].is_signed && !schema->column[1].is_signed && !schema->column[2].is_signed);
    hb_table_close(table);
}

static void test_refusals(void **state)
{
    (void)state;
    const struct {
        const char *text, *words;
    } cases[] = {
        {"", "is empty"},
        {"a,b\n1,2\n3,4\n5,1.5\n", "row 3 (line 4), column b: the field is not an integer: it has a decimal point"},
        {"a,b\n1,2\n3\n", "row 2 (line 3) has 1 field; the header line has 2"},
        {"a,b\n1,2,3\n", "row 1 (line 2) has more fields"},
        {"a,b\n1,\n", "row 1 (line 2), column b: the field is empty"},
        {"a,b\n1,2\n  ,4\n", "row 2 (line 3), column a: the field is empty"},
        {"a,b\n1,2\n\n3,4\n", "row 2 (line 3) is an empty line"},
        {"a,b\n1,18446744073709551616\n", "column b: the integer does not fit in 64 bits"},
        {"a,b\n1,99999999999999999999999999\n", "does not fit in 64 bits"},
        {"a,b\n1,-9223372036854775809\n", "does not fit in 64 bits"},
        {"a\n-5\n9223372036854775807\n9223372036854775808\n",
         "column a is negative in row 1 (line 2) and above 2^63 - 1 in row 3 (line 4)"},
        {"a,\n1,x\n", "row 1 (line 2), column 2: the field is not an integer: it has letters"},
        {"a\n\"1\n\"\n\"2\n\n\"\nx\n", "row 1 (line 2), column a: the field is not an integer: it has a control"},
        {"sep=;\r\na;b\r\n1;2\r\n3\r\n", "row 2 (line 4) has 1 field"},
        {"a,b\n1,2\n\n\n3,4\n", "row 2 (line 4) is an empty line"},
        {"a\n1 2\n", "is not an integer: it has signs"},
        {"a\n--1\n", "is not an integer: it has signs"},
        {"a\n1e5\n", "is not an integer: it has a decimal point or an exponent, and these parameters are for integers"},
        {"a\n\"1\n", "is not an integer: it has a quote"},
        {"a\n\"1\"2\n", "is not an integer: it has a quote"},
        {"a,b\n\"x, y\",2\n", "row 1 (line 2), column a: the field is not an integer: it has letters"},
        {"a\n\x01\x02\n", "is not an integer: it has a control character"},
        {"a,\"b\n1,2\n", "column 2 in the header line has a quote"},
        {"a\"b\n1\n", "column 1 in the header line has a quote"},
        {"a\x01\n1\n", "control character"},
        {"a,b\n1,2\n3\n", "has 2: an empty field needs its sign between fields, too"},
        {"a,b\n1,2\n3;4\n", "if another sign stands between fields, say which: --delimiter semicolon"},
        {"a;b\n1;2\n3,4\n", "if another sign stands between fields, say which: --delimiter comma"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        hb_table *table;
        assert_refused(hb_table_open(put(cases[i].text), HB_CELL_INTEGER, &table), HB_EDATA, cases[i].words);
        assert_non_null(strstr(hb_last_error()->text, "t.csv"));
    }
    hb_table *table;
    assert_refused(hb_table_open(in_scratch("none.csv"), HB_CELL_INTEGER, &table), HB_ENOINPUT, "No such file");
    assert_refused(hb_table_open(in_scratch("t.txt"), HB_CELL_INTEGER, &table), HB_EUSAGE, "FILE.csv");
    assert_refused(hb_table_open("t.h5:/x/", HB_CELL_INTEGER, &table), HB_EUSAGE, "FILE.h5:/DATASET");
    assert_refused(hb_table_open("t.parquet", HB_CELL_INTEGER, &table), HB_EUSAGE, "hebatch convert t.parquet t.csv");
    assert_refused(hb_table_open("t.XLSX", HB_CELL_INTEGER, &table), HB_EUSAGE, "a workbook; save its sheet as CSV");
    assert_refused(hb_table_probe("t.h5:/", false), HB_EUSAGE, "FILE.h5:/DATASET");
    assert_refused(hb_table_open(":/x", HB_CELL_INTEGER, &table), HB_EUSAGE, "FILE.h5:/DATASET");
    assert_refused(hb_table_open(".csv", HB_CELL_INTEGER, &table), HB_EUSAGE, "FILE.csv");
    char long_name[300];
    memset(long_name, 'n', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_refused(hb_table_open(put(long_name), HB_CELL_INTEGER, &table), HB_EDATA, "more than 255 bytes");
}

/* Messages end in logs: where the cell is and what is wrong with it, never what is in it. */
static void test_no_plaintext_in_messages(void **state)
{
    (void)state;
    const char *const tables[] = {"id,diagnosis\n1,\"ROE, HIV+\"\n",
                                  "id,diagnosis\n1,ROE\n",
                                  "id,diagnosis\n1,7 ROE\n",
                                  "id,diagnosis\n1,R\303\226E ROE\n", /* octal: hexadecimal would take the E */
                                  "id,diagnosis\n1,\"\"\"ROE\n",
                                  "1,ROE\n2,3,4\n", /* no line of names: the first row stands in its place */
                                  "1,ROE\n2,MUSTER\n",
                                  "1,ROE\n2,-1\n3,18446744073709551615\n",
                                  "2020-01-31,ROE\n2,99999999999999999999999\n"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        hb_table *table;
        assert_refused(hb_table_open(put(tables[i]), HB_CELL_INTEGER, &table), HB_EDATA, "row ");
        assert_null(strstr(hb_last_error()->text, "ROE"));
        assert_null(strstr(hb_last_error()->text, "MUSTER"));
        assert_null(strstr(hb_last_error()->text, "9999"));
    }
}

static void test_long_line(void **state)
{
    (void)state;
    const size_t bytes = (size_t)17 << 20;
    char *text = malloc(bytes);
    memset(text, ' ', bytes);
    memcpy(text, "a\n1\n", 4);
    spit(in_scratch("long.csv"), text, bytes);
    hb_table *table;
    assert_refused(hb_table_open(in_scratch("long.csv"), HB_CELL_INTEGER, &table), HB_EDATA,
                   "the line at byte 4 is longer");
    spit(in_scratch("long.csv"), text, bytes / 2); /* blank to the end */
    assert_ok(hb_table_open(in_scratch("long.csv"), HB_CELL_INTEGER, &table));
    assert_int_equal(hb_table_schema(table)->rows, 1);
    hb_table_close(table);
    free(text);
}

/* Cell (r, c) of a table that both sides can compute. */
static uint64_t cell(uint64_t r, uint64_t c)
{
    uint64_t state = r * 1000 + c + 1;
    uint64_t value = noise(&state);
    return c == 1 ? (uint64_t)((int64_t)value >> (r % 64)) : value >> (r % 64);
}

/* Rectangles in any order, over many index entries. */
static void test_any_rectangle(void **state)
{
    (void)state;
    const uint64_t rows = 10000, columns = 5;
    FILE *file = fopen(in_scratch("many.csv"), "w");
    fputs("a,b,c,d,e\n", file);
    for (uint64_t r = 0; r < rows; r++) {
        for (uint64_t c = 0; c < columns; c++) {
            fprintf(file, c == 1 ? "%" PRId64 : "%" PRIu64, cell(r, c));
            fputs(c + 1 == columns ? (r % 3 ? "\n" : "\r\n") : ",", file);
        }
    }
    fclose(file);
    hb_table *table;
    assert_ok(hb_table_open(in_scratch("many.csv"), HB_CELL_INTEGER, &table));
    assert_int_equal(hb_table_schema(table)->rows, rows);
    uint64_t state_of = 77, *values = malloc(rows * columns * sizeof *values);
    for (int i = 0; i < 200; i++) {
        hb_rectangle x = {.row = noise(&state_of) % rows, .column = noise(&state_of) % columns};
        x.rows = i == 0 ? rows - x.row : noise(&state_of) % (rows - x.row + 1) % 700;
        x.columns = 1 + noise(&state_of) % (columns - x.column);
        assert_ok(hb_table_read(table, &x, values));
        for (uint64_t r = 0; r < x.rows; r++) {
            for (uint64_t c = 0; c < x.columns; c++) {
                assert_true(values[r * x.columns + c] == cell(x.row + r, x.column + c));
            }
        }
    }
    /* a file that changes while it is read is noticed, not misread */
    assert_int_equal(truncate(in_scratch("many.csv"), 5000), 0);
    hb_rectangle last = {.row = rows - 1, .rows = 1, .columns = columns};
    assert_refused(hb_table_read(table, &last, values), HB_EDATA, "many.csv");
    free(values);
    hb_table_close(table);
}

static void test_write(void **state)
{
    (void)state;
    const char *const names[] = {"plain", "with \"quotes\", commas", " spaced "};
    hb_schema schema = make_schema(2, 3, names);
    char path[128];
    snprintf(path, sizeof path, "%s", in_scratch("out.csv"));
    hb_table_writer *writer, *other;
    assert_ok(hb_table_probe(path, false));
    assert_ok(hb_table_create(path, &schema, false, &writer));
    assert_ok(hb_table_join(path, &schema, NULL, &other));
    struct stat info;
    assert_int_equal(stat(in_scratch("out.csv.partial.raw"), &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    const uint64_t top[] = {(uint64_t)-7, 1, UINT64_MAX}, left[] = {(uint64_t)INT64_MIN}, right[] = {5, 6};
    assert_ok(hb_table_write(writer, &(hb_rectangle){.rows = 1, .columns = 3}, top));
    assert_ok(hb_table_write(other, &(hb_rectangle){.row = 1, .rows = 1, .columns = 1}, left));
    assert_ok(hb_table_write(other, &(hb_rectangle){.row = 1, .rows = 1, .column = 1, .columns = 2}, right));
    assert_ok(hb_table_sync(other));
    hb_table_writer_close(other);
    assert_true(is_there(in_scratch("out.csv.partial.raw")));
    assert_refused(hb_table_probe(path, false), HB_ECREATE, "another job is writing");
    assert_ok(hb_table_commit(writer));
    hb_table_writer_close(writer);
    size_t bytes;
    char *text = (char *)slurp(path, &bytes);
    assert_string_equal(text, "plain,\"with \"\"quotes\"\", commas\",\" spaced \"\n"
                              "-7,1,18446744073709551615\n-9223372036854775808,5,6\n");
    free(text);
    assert_false(is_there(in_scratch("out.csv.partial")) || is_there(in_scratch("out.csv.partial.raw")));

    assert_refused(hb_table_probe(path, false), HB_ECREATE, "exists already");
    assert_refused(hb_table_create(path, &schema, false, &writer), HB_ECREATE, "exists already");
    assert_ok(hb_table_create(path, &schema, true, &writer)); /* given up: the old file stays */
    hb_table_writer_close(writer);
    assert_true(is_there(path) && !is_there(in_scratch("out.csv.partial.raw")));
    assert_refused(hb_table_join(path, &schema, NULL, &other), HB_ECREATE, "No such file");
    assert_refused(hb_table_create(in_scratch("out.csv/x.csv"), &schema, false, &writer), HB_ECREATE, "not a folder");
    assert_refused(hb_table_create("/dev/null/x.csv", &schema, false, &writer), HB_ECREATE, "not a folder");
    hb_schema_clear(&schema);

    schema = make_schema(UINT64_MAX / 2, 3, names);
    assert_refused(hb_table_create(in_scratch("huge.csv"), &schema, false, &writer), HB_ECREATE, "more than a file");
    hb_schema_clear(&schema);
    schema = make_schema(0, 2, NULL);
    assert_ok(hb_table_create(in_scratch("empty.csv"), &schema, false, &writer));
    assert_ok(hb_table_commit(writer));
    hb_table_writer_close(writer);
    text = (char *)slurp(in_scratch("empty.csv"), &bytes);
    assert_string_equal(text, "column1,column2\n");
    free(text);
    hb_schema_clear(&schema);
}

/* Cells are read as they were written: 300000 of them, more than one buffer. */
static void test_round_trip(void **state)
{
    (void)state;
    const char *const names[] = {"u", "s", "w"};
    hb_schema schema = make_schema(100000, 3, names);
    schema.column[0].is_signed = false;
    schema.column[1].is_signed = true;
    uint64_t *values = malloc(300000 * sizeof *values), *read = malloc(300000 * sizeof *read);
    for (uint64_t i = 0; i < 300000; i++) {
        values[i] = cell(i / 3, i % 3);
    }
    hb_rectangle all = {.rows = 100000, .columns = 3};
    hb_table_writer *writer;
    hb_table *table;
    assert_ok(hb_table_create(in_scratch("round.csv"), &schema, false, &writer));
    assert_ok(hb_table_write(writer, &all, values));
    assert_ok(hb_table_commit(writer));
    hb_table_writer_close(writer);
    assert_ok(hb_table_open(in_scratch("round.csv"), HB_CELL_INTEGER, &table));
    assert_ok(hb_table_read(table, &all, read));
    assert_memory_equal(values, read, 300000 * sizeof *read);
    assert_true(hb_table_schema(table)->column[1].is_signed && !hb_table_schema(table)->column[0].is_signed);
    hb_table_close(table);
    hb_schema_clear(&schema);
    free(values);
    free(read);
}

static void write_into(const char *path, const char *how, const char *text)
{
    FILE *file = fopen(path, how);
    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Another number in the place of one is a change, a line behind the last is none. */
static void test_changed(void **state)
{
    (void)state;
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    const char *path = put("a\n1\n2\n");
    const hb_rectangle all = {.rows = 2, .columns = 1};
    uint64_t values[2] = {0};
    hb_table *table;
    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    assert_ok(hb_table_open(path, HB_CELL_INTEGER, &table));
    write_into(path, "a", "3\n");
    assert_ok(hb_table_read(table, &all, values));
    assert_true(values[0] == 1 && values[1] == 2);
    hb_table_close(table);

    assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
    assert_ok(hb_table_open(path, HB_CELL_INTEGER, &table));
    write_into(path, "r+", "a\n4");
    assert_refused(hb_table_read(table, &all, values), HB_EDATA, "was changed while it was read");
    hb_table_close(table);
}

/* Numbers of every length, in every place of a line, beside what strtoull makes of them; and what looks like digits to
 * whoever looks at 8 bytes at once. */
static void test_digits(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int length = 1; length <= 20; length++) {
        for (int turn = 0; turn < 60; turn++) {
            char text[256] = "a,b,c\n", number[3][32];
            uint64_t wanted[3], read[3];
            hb_table *table;
            for (int i = 0; i < 3; i++) {
                const int digits = i == 1 ? length : 1 + turn % 18;
                number[i][0] = turn % 3 == 1 && digits < 19 ? '-' : '+';
                for (int d = 1; d <= digits; d++) {
                    random = random * UINT64_C(6364136223846793005) + 1;
                    number[i][d] = (char)('0' + (digits == 20 && d == 1   ? 1
                                                 : digits == 20 && d == 2 ? 7
                                                                          : (random >> 40) % 10));
                }
                number[i][digits + 1] = '\0';
                const char *from = number[i] + (turn % 3 == 0 ? 1 : 0); /* without a sign */
                strcat(strcat(text, from), i < 2 ? "," : turn % 2 == 0 ? "\n" : "");
                wanted[i] = strtoull(number[i] + 1, NULL, 10);
                wanted[i] = number[i][0] == '-' ? 0 - wanted[i] : wanted[i];
            }
            assert_ok(hb_table_open(put(text), HB_CELL_INTEGER, &table));
            assert_ok(hb_table_read(table, &(hb_rectangle){.rows = 1, .columns = 3}, read));
            assert_memory_equal(read, wanted, sizeof read);
            hb_table_close(table);
        }
    }
    const char *const others[] = {"1234567:", "1234567/", "12345678:", "1234\xC2\xB2",
                                  "12345:78", "1234567-", "--123456",  "12 34567",
                                  "1234.567", "-",        ":2345678",  "/2345678"};
    for (size_t i = 0; i < 2 * (sizeof others / sizeof *others); i++) {
        char text[64];
        hb_table *table;
        snprintf(text, sizeof text, i % 2 == 0 ? "a,b\n%s,12345678\n" : "b,a\n12345678,%s\n", others[i / 2]);
        assert_refused(hb_table_open(put(text), HB_CELL_INTEGER, &table), HB_EDATA,
                       "row 1 (line 2), column a: the field is not an integer");
    }
}

HB_UNIT(table_csv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_no_plaintext_in_messages),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_any_rectangle),
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_digits),
    };
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
