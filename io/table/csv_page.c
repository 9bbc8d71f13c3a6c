/* The text of rows. It is made in memory, so that threads and ranks make parts of it at the same time. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/modarith.h"
#include "base/seed.h"
#include "csv_field.h"
#include "table/real_text.h"
#include "table_private.h"

/* Makes room for so many bytes more; false where there is no memory. */
static bool grow(hb_csv_page *page, size_t bytes)
{
    enum { LEAST = 1 << 16 };
    const size_t room = 2 * page->room + bytes + LEAST;
    char *more = hb_wipe_and_grow(page->bytes, page->used, page->room, room);
    if (more == NULL) {
        page->failed = true;
        return false;
    }
    page->bytes = more;
    page->room = room;
    return true;
}

static void put(void *to, const char *text, size_t bytes)
{
    hb_csv_page *page = to;
    if (bytes == 0 || (page->room - page->used < bytes && !grow(page, bytes))) {
        return;
    }
    memcpy(page->bytes + page->used, text, bytes);
    page->used += bytes;
}

static void put_char(hb_csv_page *page, char c)
{
    put(page, &c, 1);
}

static void put_text(hb_csv_page *page, const char *text)
{
    put(page, text, strlen(text));
}

/* Writes the digits where they stay: a copy elsewhere would have to be wiped. */
static void put_integer(hb_csv_page *page, bool is_signed, uint64_t value)
{
    enum { MOST = 20 }; /* of 2^64 - 1, and of -2^63 with its sign */
    const bool negative = is_signed && (int64_t)value < 0;
    uint64_t left = negative ? 0 - value : value;
    size_t digits = 1;
    for (uint64_t power = 10; digits < MOST && left >= power; power *= digits < MOST ? 10 : 1) {
        digits++;
    }
    if (page->room - page->used < MOST && !grow(page, MOST)) {
        return;
    }
    if (negative) {
        page->bytes[page->used++] = '-';
    }
    for (size_t i = digits; i > 0; i--, left /= 10) {
        page->bytes[page->used + i - 1] = (char)('0' + left % 10);
    }
    page->used += digits;
}

static void put_field(hb_csv_page *page, const char *text, char delimiter, bool alone)
{
    hb_csv_put_field(put, page, text, delimiter, alone);
}

/* The line of names; `sources` as in hb_csv_rows. */
static void put_names(hb_csv_page *page, const hb_schema *schema, const uint64_t *sources, char delimiter)
{
    const uint64_t shown = hb_schema_shown(schema);
    for (uint64_t c = 0; c < shown; c++) {
        if (c > 0) {
            put_char(page, delimiter);
        }
        size_t stem = 0;
        const uint64_t digits = hb_columns_digits(&schema->column[c], shown - c, &stem);
        if (schema->named && digits > 0) {
            char name[HB_COLUMN_NAME_MAX + 1] = "";
            memcpy(name, schema->column[c].name, stem); /* which is shorter than that of a digit */
            put_field(page, name, delimiter, shown == 1);
            c += digits - 1;
        } else if (schema->named) {
            put_field(page, schema->column[c].name, delimiter, shown == 1);
        } else {
            /* A CSV always has a line of names, as reading one needs it. */
            put_text(page, "column");
            put_integer(page, false, (sources != NULL ? sources[c] : c) + 1);
        }
    }
    put_char(page, '\n');
}

static void put_real(hb_csv_page *page, const char *plus, uint64_t value)
{
    char text[HB_REAL_TEXT];
    hb_real_text(text, hb_real_of(value));
    put_text(page, text[0] == '-' ? "" : plus);
    put_text(page, text);
    hb_wipe(text, sizeof text); /* decrypted */
}

/* Writes the meaning of an integer; false where it has none. Reals are errors away from integers. */
static bool put_meaning(hb_csv_page *page, const hb_column *column, uint64_t value, char delimiter)
{
    char room[HB_MEANING_TEXT];
    const bool real = column->cells == HB_CELL_REAL;
    const double nearest = real ? rint(hb_real_of(value)) : 0;
    if (!(fabs(nearest) < 0x1p62)) {
        return false;
    }
    const uint64_t integer = real ? (uint64_t)(int64_t)nearest : value;
    const char *text = hb_meaning_text(&column->meaning, real || column->is_signed, integer, room);
    if (text != NULL) {
        put_field(page, text, delimiter, false);
    }
    hb_wipe(room, sizeof room); /* decrypted */
    return text != NULL;
}

/* An integer, as a decimal with so many digits behind the point, but for zeros at its end. */
static void put_wide(hb_csv_page *page, bool is_signed, const uint64_t value[HB_WIDE_CELL], size_t behind)
{
    char text[HB_WIDE_TEXT], *digits = text;
    hb_wide_text(text, hb_wide_of_cell(value, is_signed));
    if (*digits == '-') {
        put_char(page, *digits++);
    }
    size_t length = strlen(digits);
    for (; behind > 0 && digits[length - 1] == '0'; behind--) {
        length -= length > 1; /* of 0 itself one digit stays */
    }
    const size_t whole = length > behind ? length - behind : 0;
    put(page, whole > 0 ? digits : "0", whole > 0 ? whole : 1);
    put_text(page, behind > 0 ? "." : "");
    for (size_t zeros = length; zeros < behind; zeros++) {
        put_char(page, '0');
    }
    put(page, digits + whole, length - whole);
    hb_wipe(text, sizeof text); /* decrypted */
}

/* Whether there is nothing of a value, as of a mean of no rows, or where the mask says so. */
static bool is_missing(const hb_schema *schema, uint64_t c, const uint64_t *row, const uint64_t *value)
{
    const hb_column *column = &schema->column[c];
    return (column->cells == HB_CELL_REAL && isnan(hb_real_of(value[0]))) || hb_table_is_masked(schema, c, row);
}

/* Writes a cell: one word, or two of a complex number or a wide integer. False where it has no text. */
static bool put_cell(hb_csv_page *page, const hb_column *column, const uint64_t *value, char delimiter)
{
    const bool wide = column->cells == HB_CELL_WIDE;
    if (wide && column->meaning.kind == HB_MEANING_NUMBER) {
        put_wide(page, column->is_signed, value, (size_t)hb_scale_digits(hb_meaning_scale(&column->meaning)));
        return true;
    }
    if (!hb_meaning_is_plain(&column->meaning)) {
        const uint64_t high = wide && column->is_signed && (int64_t)value[0] < 0 ? UINT64_MAX : 0;
        return (!wide || value[1] == high) && put_meaning(page, column, value[0], delimiter);
    }
    if (column->cells != HB_CELL_REAL) {
        put_integer(page, column->is_signed, value[0]);
        return true;
    }
    put_real(page, "", value[0]);
    if (column->halves == HB_HALVES_COMPLEX) {
        put_real(page, "+", value[1]);
        put_char(page, 'j');
    }
    return true;
}

/* Writes the number that digits are, the highest one first. */
static void put_digits(hb_csv_page *page, const hb_column *column, const uint64_t *values, uint64_t digits)
{
    hb_u128 number = 0;
    for (uint64_t i = 0; i < digits; i++) {
        number = number * column->digit_base + values[i * hb_column_words(column)];
    }
    uint64_t words[HB_WIDE_CELL] = {(uint64_t)number, (uint64_t)(number >> 64)};
    put_wide(page, false, words, 0);
    hb_wipe(words, sizeof words); /* decrypted */
}

/* How many columns, from each on, are the digits of one number; the caller frees it. */
static uint64_t *find_digits(const hb_schema *schema)
{
    uint64_t *digits = calloc((size_t)schema->columns + 1, sizeof *digits);
    for (uint64_t c = 0; digits != NULL && schema->named && c < schema->columns; c++) {
        size_t stem;
        digits[c] = hb_columns_digits(&schema->column[c], schema->columns - c, &stem); /* masks are none */
    }
    return digits;
}

static hb_status put_rows(hb_csv_page *page, const char *file, const hb_schema *schema, const uint64_t *digits,
                          const hb_csv_rows *some)
{
    const char delimiter = hb_table_delimiter(file);
    const uint64_t shown = hb_schema_shown(schema), width = hb_schema_words(schema, 0, schema->columns);
    for (uint64_t r = 0; r < some->rows && !page->failed; r++) {
        const uint64_t *from = some->values + r * width, *value = from;
        for (uint64_t c = 0; c < shown; c++) {
            if (digits[c] > 0) {
                put_digits(page, &schema->column[c], value, digits[c]);
                value += (digits[c] - 1) * hb_column_words(&schema->column[c]);
                c += digits[c] - 1;
            } else if (is_missing(schema, c, from, value)) {
                put_field(page, "", delimiter, shown == 1);
            } else if (!put_cell(page, &schema->column[c], value, delimiter)) {
                char label[HB_COLUMN_LABEL], words[HB_MEANING_WORDS];
                hb_column_label(label, schema, c);
                hb_meaning_words(&schema->column[c].meaning, words);
                return HB_FAIL(HB_EDATA,
                               "%s: row %" PRIu64 ", column %s: the value is none of the column, which has %s; was it "
                               "decrypted with the right key?",
                               file, some->row + r + 1, label, words);
            }
            value += hb_column_words(&schema->column[c]);
            put_char(page, c + 1 == shown ? '\n' : delimiter);
        }
    }
    return HB_OK;
}

hb_status hb_csv_page_add(hb_csv_page *page, const hb_schema *schema, const hb_csv_rows *rows, const char *file)
{
    if (rows->names) {
        put_names(page, schema, rows->sources, hb_table_delimiter(file));
    }
    uint64_t *digits = find_digits(schema);
    hb_status st = digits != NULL ? put_rows(page, file, schema, digits, rows)
                                  : HB_FAIL(HB_ENOMEM, "%s: no memory for its columns", file);
    if (st == HB_OK && page->failed) {
        st = HB_FAIL(HB_ENOMEM, "%s: no memory for its text", file);
    }
    free(digits);
    return st;
}
