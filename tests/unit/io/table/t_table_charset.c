/* Texts in other encodings than UTF-8: any part of them, labels, what is no character, and what is said of them. */
#include "unit/scratch.h"

#include <zlib.h>

#include "unit/io/table/said_table.h"
#include "unit/unit.h"

static const char *const category[] = {"c"};

/* Opens the bytes as a table whose column c is a category. */
static hb_status open_bytes(const char *bytes, size_t count, const char *charset, hb_table **table)
{
    const char *path = in_scratch("t.csv");
    spit(path, bytes, count);
    return open_said(path, HB_CELL_INTEGER,
                     (hb_reading_words){.categories = category, .category_count = 1, .charset = charset}, table);
}

static void assert_label(const char *bytes, size_t count, const char *charset, const char *label)
{
    hb_table *table;
    assert_ok(open_bytes(bytes, count, charset, &table));
    const hb_labels *labels = hb_table_schema(table)->column[0].meaning.labels;
    assert_int_equal(labels->count, 1);
    assert_string_equal(labels->text[0], label);
    hb_table_close(table);
}

/* A text, whose zeros are no end. */
#define BYTES(text) text, sizeof(text) - 1

static void test_encodings(void **state)
{
    (void)state;
    assert_label(BYTES("c\nM\xFCller\n"), "latin-1", "M\xC3\xBCller");
    assert_label(BYTES("c\r\n\x80 5\r\n"), "windows-1252", "\xE2\x82\xAC 5");
    assert_label(BYTES("\xff\xfe"
                       "c\0\n\0\xfc\0\n\0"),
                 NULL, "\xC3\xBC");
    assert_label(BYTES("\xfe\xff\0c\0\r\0\n\0\xfc\0\r\0\n"), NULL, "\xC3\xBC");
    assert_label(BYTES("\xfe\xff\0c\0\n\0\xfc\0\n"), "UTF-16", "\xC3\xBC");
    assert_label(BYTES("c\0\n\0\xfc\0\n\0"), "utf-16", "\xC3\xBC"); /* without a mark, as Windows writes it */
    assert_label(BYTES("\0c\0\n\0\xfc\0\n"), "utf-16", "\xC3\xBC"); /* nor the high byte first */
    assert_label(BYTES("c\0\n\0\x3d\xd8\0\xde\n\0"), "utf-16", "\xF0\x9F\x98\x80"); /* two halves */
    assert_label(BYTES("\xEF\xBB\xBF"
                       "c\n\xC3\xBC\n"),
                 "utf-8", "\xC3\xBC");
}

static void test_faults(void **state)
{
    (void)state;
    hb_table *table;
    static const struct {
        const char *bytes;
        size_t count;
        const char *charset, *says;
    } cases[] = {
        {BYTES("c\n\xfc\n"), NULL, "row 1 (line 2), column c: a label is not UTF-8; this is likely Latin-1: --charset"},
        {BYTES("c\nx\n\x80\n"), NULL, "row 2 (line 3), column c: a label is not UTF-8; this is likely Windows-1252"},
        {BYTES("c\n\x80\n"), "latin-1", "byte 2 is no character of Latin-1: --charset windows-1252 may read it"},
        {BYTES("c\n\x81\n"), "windows-1252", "byte 2 is no character of Windows-1252"},
        {BYTES("c\0\n\0\xfc\0\n"), "utf-16", "byte 6 is no character of UTF-16"},     /* half a unit */
        {BYTES("c\0\n\0\0\xde\n\0"), "utf-16", "byte 4 is no character of UTF-16"},   /* a second half alone */
        {BYTES("c\0\n\0\x3d\xd8"), "utf-16", "byte 4 is no character of UTF-16"},     /* a first half at the end */
        {BYTES("c\0\n\0\x3d\xd8\n\0"), "utf-16", "byte 4 is no character of UTF-16"}, /* and before another one */
        {BYTES("c\0\n\0x\0\n\0"), NULL, "it is no text in UTF-8; if it is UTF-16, --charset utf-16 reads it"},
        {BYTES("\xff\xfe"
               "c\0\n\0"),
         "utf-8", "is UTF-16: --charset utf-16 reads it"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_refused(open_bytes(cases[i].bytes, cases[i].count, cases[i].charset, &table), HB_EDATA, cases[i].says);
    }
    /* A UTF-8 text that is said to be in another encoding would have labels such as "MÃ¼ller". */
    static const char *const others[] = {"latin-1", "windows-1252", "utf-16"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_refused(open_bytes(BYTES("\xEF\xBB\xBF"
                                        "c\nx\n"),
                                  others[i], &table),
                       HB_EDATA, "t.csv: begins with the mark of UTF-8: leave --charset out");
        assert_refused(open_bytes(BYTES("\xff\xfe"
                                        "c\0\n\0"),
                                  i < 2 ? others[i] : "utf-8", &table),
                       HB_EDATA, "UTF-16: --charset utf-16 reads it");
        assert_refused(open_bytes(BYTES("c\nM\xC3\xBCller\n\xC3\x84\n\xE2\x82\xAC\n"), others[i % 2], &table),
                       HB_EDATA, "t.csv: is UTF-8, and --charset says another encoding: leave --charset out");
    }
    assert_refused(open_bytes(BYTES("b,\xC3\xA4\n1,2\n"), "latin-1", &table), HB_EDATA, "t.csv: is UTF-8");
    assert_label(BYTES("c\n\xC3\xBC\xFC\n"), "latin-1", "\xC3\x83\xC2\xBC\xC3\xBC");
    assert_label(BYTES("c\n\xC3\xBC\xC3\n"), "latin-1", "\xC3\x83\xC2\xBC\xC3\x83");
    assert_label(BYTES("c\n\xED\xA0\xA1\n"), "latin-1", "\xC3\xAD\xC2\xA0\xC2\xA1"); /* a half in UTF-8 */
    assert_label(BYTES("c\nx\n"), "latin-1", "x");
    assert_refused(open_bytes(BYTES("c\nx\n"), "ebcdic", &table), HB_EUSAGE,
                   "--charset ebcdic: it is utf-8, latin-1, windows-1252 or utf-16");
    assert_refused(open_said("t.h5:/t", HB_CELL_INTEGER, (hb_reading_words){.charset = "latin-1"}, &table), HB_EUSAGE,
                   "--charset");
}

enum { ROWS = 90000 }; /* many pieces of the decoder */

/* Rows of a number and a label that is made of characters of two halves, so that some stand where pieces meet. */
static char *make_rows(size_t *bytes)
{
    char *text = calloc(ROWS + 2, 40), *to = text;
    const char head[] = "c,n\n";
    for (size_t i = 0; i < sizeof head - 1; i++, to += 2) {
        *to = head[i];
    }
    for (int r = 0; r < ROWS; r++) {
        char line[24];
        memcpy(to, "\x3d\xd8\0\xde\x3d\xd8\0\xde", 8);
        to += 8;
        const int length = snprintf(line, sizeof line, "%s,%d\n", r % 3 == 0 ? "x" : "", r);
        for (int i = 0; i < length; i++, to += 2) {
            *to = line[i];
        }
    }
    *bytes = (size_t)(to - text);
    return text;
}

static void check_rows(const char *path)
{
    hb_table *table;
    assert_ok(open_said(path, HB_CELL_INTEGER,
                        (hb_reading_words){.categories = category, .category_count = 1, .charset = "utf-16"}, &table));
    assert_int_equal(hb_table_schema(table)->rows, ROWS);
    assert_int_equal(hb_table_schema(table)->column[0].meaning.labels->count, 2);
    uint64_t row = 0, values[200];
    for (int turn = 0; turn < 60; turn++) {
        assert_ok(hb_table_read(table, &(hb_rectangle){row, 100, 0, 2}, values));
        for (uint64_t r = 0; r < 100; r++) {
            assert_int_equal(values[2 * r], (row + r) % 3 == 0);
            assert_int_equal(values[2 * r + 1], row + r);
        }
        row = (row * 31 + 54321) % (ROWS - 100);
    }
    hb_table_close(table);
}

/* Rectangles in any order, from a file of many pieces, plain and compressed. */
static void test_places(void **state)
{
    (void)state;
    size_t bytes;
    char *text = make_rows(&bytes);
    const char *path = in_scratch("t.csv");
    spit(path, text, bytes);
    check_rows(path);
    path = in_scratch("t.csv.gz");
    gzFile file = gzopen(path, "wb1");
    assert_int_equal(gzwrite(file, text, (unsigned)bytes), bytes);
    assert_int_equal(gzclose(file), Z_OK);
    check_rows(path);
    free(text);
}

HB_UNIT(table_charset)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_encodings), cmocka_unit_test(test_faults),
                                       cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, scratch_make, scratch_remove);
}
