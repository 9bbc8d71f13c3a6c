/* Reads rows of a CSV table that was opened. */
#include <inttypes.h>
#include <string.h>

#include "table_csv_private.h"

/* Returns the first character from `at` on that is no digit, or `end`. */
static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9') {
        at++;
    }
    return at;
}

/* Tells whether the text is a number such as 1.5, 1e5 or ,5, with a sign or without: the usual reason why a field is no
 * integer. */
static bool is_fraction(const char *at, const char *end)
{
    at += at < end && (*at == '-' || *at == '+');
    const char *whole = skip_digits(at, end), *point = whole;
    if (whole < end && (*whole == '.' || *whole == ',')) {
        point = skip_digits(whole + 1, end);
    }
    const char *exponent = point;
    if (point > at && point < end && (*point == 'e' || *point == 'E')) {
        exponent = point + 1;
        exponent += exponent < end && (*exponent == '-' || *exponent == '+');
        exponent = skip_digits(exponent, end);
    }
    return exponent == end && exponent > at + 1;
}

/* Says what keeps a field from being an integer, and nothing of what is in it: it is plaintext, and messages end in
 * logs. */
static const char *describe(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    while (end > at && (end[-1] == ' ' || end[-1] == '\t')) {
        end--;
    }
    if (at < end && *at == '"') {
        if (end - at < 2 || end[-1] != '"' || memchr(at + 1, '"', (size_t)(end - at) - 2) != NULL) {
            return "has a quote that is not closed, or quotes inside";
        }
        at++;
        end--;
    }
    if (is_fraction(at, end)) {
        return "has a decimal point or an exponent";
    }
    bool letter = false, control = false;
    for (; at < end; at++) {
        const unsigned char c = (unsigned char)*at;
        control |= c < 0x20 || c == 0x7f;
        letter |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
    }
    if (control) {
        return "has a control character";
    }
    if (letter) {
        return "has letters";
    }
    return "has signs that no integer has";
}

static hb_status refuse_field(const hb_csv_table *table, uint64_t row, uint64_t column, hb_csv_fault fault,
                              const char *field, const char *end)
{
    char label[HB_COLUMN_LABEL];
    hb_column_label(label, &table->base.schema, column);
    if (fault == HB_CSV_EMPTY) {
        return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 ", column %s: the field is empty", table->path, row + 1, label);
    }
    if (fault == HB_CSV_TOO_LARGE) {
        return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 ", column %s: the integer does not fit in 64 bits", table->path,
                       row + 1, label);
    }
    return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 ", column %s: the field is not an integer: it %s", table->path, row + 1,
                   label, describe(field, end));
}

hb_status hb_csv_table_field(const hb_csv_table *table, uint64_t row, uint64_t column, const char **at, const char *end,
                             hb_csv_number *number)
{
    if (column > 0) {
        if (*at == end) {
            return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 " has %" PRIu64 " fields; the header line has %" PRIu64,
                           table->path, row + 1, column, table->base.schema.columns);
        }
        /* Past the comma; a field before this one has left *at there. */
        (*at)++;
    }
    const char *field = *at;
    hb_csv_fault fault = hb_csv_parse_number(at, end, number);
    return fault == HB_CSV_GOOD ? HB_OK : refuse_field(table, row, column, fault, field, *at);
}

/* Goes to the beginning of `row` from the nearest place before it that is known, by reading lines. */
static hb_status go_to_row(hb_csv_table *table, uint64_t row)
{
    hb_csv_mark from = {.row = row / table->stride * table->stride, .offset = table->offsets[row / table->stride]};
    for (size_t i = 0; i < HB_CSV_RECENT; i++) {
        if (table->recent[i].row <= row && table->recent[i].row > from.row) {
            from = table->recent[i];
        }
    }
    hb_lines_seek(&table->lines, from.offset);
    for (; from.row < row; from.row++) {
        const char *line;
        size_t length;
        HB_TRY(hb_lines_next(&table->lines, &line, &length));
    }
    return HB_OK;
}

/* Reads one row of a rectangle. Everything was checked at opening: a refusal here means that the file was changed
 * since. */
static hb_status read_row(hb_csv_table *table, uint64_t row, const hb_rectangle *cells, uint64_t *values)
{
    const char *line;
    size_t length;
    HB_TRY(hb_lines_next(&table->lines, &line, &length));
    const char *end = line ? line + length : NULL;
    bool changed = !line;
    for (uint64_t c = 0; !changed && c < cells->column + cells->columns; c++) {
        hb_csv_number number;
        HB_TRY(hb_csv_table_field(table, row, c, &line, end, &number));
        /* A sign that the scan had not seen would be taken for another number. */
        bool is_signed = table->base.schema.column[c].is_signed;
        changed = is_signed ? !number.negative && number.magnitude > INT64_MAX : number.negative;
        if (c >= cells->column) {
            values[c - cells->column] = number.negative ? 0 - number.magnitude : number.magnitude;
        }
    }
    return changed ? HB_FAIL(HB_EDATA, "%s: row %" PRIu64 " was changed while the file was read", table->path, row + 1)
                   : HB_OK;
}

static void note_place(hb_csv_table *table, hb_csv_mark place)
{
    table->recent[table->turn++ % HB_CSV_RECENT] = place;
}

static hb_status read_rows(hb_csv_table *table, const hb_rectangle *cells, uint64_t *values)
{
    HB_TRY(go_to_row(table, cells->row));
    hb_csv_mark begin = {.row = cells->row, .offset = hb_lines_tell(&table->lines)};
    for (uint64_t r = 0; r < cells->rows; r++) {
        HB_TRY(read_row(table, cells->row + r, cells, values + r * cells->columns));
    }
    /* Threads read neighbouring rectangles, of the same rows or of those that follow. */
    note_place(table, begin);
    note_place(table, (hb_csv_mark){.row = cells->row + cells->rows, .offset = hb_lines_tell(&table->lines)});
    return HB_OK;
}

hb_status hb_csv_table_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    hb_csv_table *table = (hb_csv_table *)base;
    /* Parsing is done under the lock too: it works in the one buffer. */
    pthread_mutex_lock(&table->lock);
    const hb_status st = read_rows(table, cells, values);
    pthread_mutex_unlock(&table->lock);
    return st;
}
