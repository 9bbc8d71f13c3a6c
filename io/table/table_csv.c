/* CSV tables. One scan at opening checks every field and keeps the file offset of some rows, so that a rectangle
 * is read without a scan from the top, and memory stays small for any number of rows. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csv_private.h"
#include "io/base/real_text.h"
#include "table_private.h"

#define FIRST_STRIDE 1024 /* rows between two offsets that are kept */
#define MAX_OFFSETS ((size_t)1 << 16)

/* A row, and where it begins in the file. */
typedef struct mark {
    uint64_t row, offset;
} mark;

/* Places that are remembered: the next rectangle mostly begins where one of the last ones began or ended. */
enum { RECENT = 16 };

/* A CSV table that was opened. */
typedef struct csv_table {
    hb_table base;
    char *path;
    hb_cell_type cells; /* as which fields are read */
    hb_lines lines;
    uint64_t *offsets; /* [count] of rows 0, stride, 2 stride ...; the stride doubles when MAX_OFFSETS is reached */
    uint64_t stride;
    size_t count;
    mark recent[RECENT];  /* where the last rectangles began and ended: the next one mostly begins at one of them */
    size_t turn;          /* counts marks; turn % RECENT is replaced next */
    pthread_mutex_t lock; /* over lines, recent and turn: one thread reads at a time */
} csv_table;

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

/* Tells whether the text is a number up to an exponent that has no digits, such as 1e or 1.5e-. */
static bool is_cut_short(const char *at, const char *end)
{
    end -= end - at > 1 && (end[-1] == '-' || end[-1] == '+');
    return end - at > 1 && (end[-1] == 'e' || end[-1] == 'E') && memchr(at, ',', (size_t)(end - at)) == NULL;
}

/* Says what keeps a field from being a number of this type, and nothing of what is in it: it is plaintext, and messages
 * end in logs. */
static const char *describe(const char *at, const char *end, hb_cell_type cells)
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
        if (at == end) {
            return "has nothing in its quotes";
        }
    }
    /* The likeliest reasons first. */
    if (is_fraction(at, end)) {
        if (cells == HB_CELL_REAL) {
            return is_cut_short(at, end) ? "has an exponent without digits" : "has a comma where a point should be";
        }
        return "has a decimal point or an exponent, and these parameters are for integers; keygen --params ckks-14 "
               "makes keys for reals, params suggest --scheme ckks finds parameters";
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
    return cells == HB_CELL_REAL ? "has signs that no number has" : "has signs that no integer has";
}

/* Names row and column as people count them, and nothing of what the field has. */
static hb_status refuse_field(const csv_table *table, uint64_t row, uint64_t column, hb_csv_fault fault,
                              const char *field, const char *end)
{
    char label[HB_COLUMN_LABEL];
    hb_column_label(label, &table->base.schema, column);
    if (fault == HB_CSV_EMPTY) {
        return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 ", column %s: the field is empty", table->path, row + 1, label);
    }
    const bool real = table->cells == HB_CELL_REAL;
    if (fault == HB_CSV_TOO_LARGE) {
        return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 ", column %s: the %s", table->path, row + 1, label,
                       real ? "number is too large for a double" : "integer does not fit in 64 bits");
    }
    if (fault == HB_CSV_NO_MEMORY) {
        return HB_FAIL(HB_ENOMEM, "%s: row %" PRIu64 ", column %s: no memory to read it", table->path, row + 1, label);
    }
    return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 ", column %s: the field is not %s: it %s", table->path, row + 1, label,
                   real ? "a number" : "an integer", describe(field, end, table->cells));
}

/* Parses field `column` of a row, both counted from 0; *at is where the field before it ended, or the beginning of the
 * line. HB_EDATA with the row, the column and what is wrong, but nothing of the text: it is plaintext. */
static hb_status read_field(const csv_table *table, uint64_t row, uint64_t column, const char **at, const char *end,
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
    hb_csv_fault fault = hb_csv_parse_number(at, end, table->cells, number);
    return fault == HB_CSV_GOOD ? HB_OK : refuse_field(table, row, column, fault, field, *at);
}

/* Goes to the beginning of `row` from the nearest place before it that is known, by reading lines. */
static hb_status go_to_row(csv_table *table, uint64_t row)
{
    mark from = {.row = row / table->stride * table->stride, .offset = table->offsets[row / table->stride]};
    /* Marks that were never set have row 0 and lose against any offset that is kept. */
    for (size_t i = 0; i < RECENT; i++) {
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

/* Stores the words of a number; returns where the next one goes. */
static uint64_t *put_number(uint64_t *values, const hb_column *column, const hb_csv_number *number)
{
    const uint64_t integer = number->negative ? 0 - number->magnitude : number->magnitude;
    *values++ = column->cells == HB_CELL_REAL ? hb_real_word(number->real) : integer;
    if (column->halves == HB_HALVES_COMPLEX) {
        *values++ = hb_real_word(number->imaginary);
    }
    return values;
}

/* Reads one row of a rectangle. Everything was checked at opening: a refusal here means that the file was changed
 * since. */
static hb_status read_row(csv_table *table, uint64_t row, const hb_rectangle *cells, uint64_t *values)
{
    const char *line;
    size_t length;
    HB_TRY(hb_lines_next(&table->lines, &line, &length));
    const char *end = line ? line + length : NULL;
    bool changed = !line;
    for (uint64_t c = 0; !changed && c < cells->column + cells->columns; c++) {
        hb_csv_number number = {0};
        HB_TRY(read_field(table, row, c, &line, end, &number));
        /* A sign that the scan had not seen would be taken for another number. */
        const hb_column *column = &table->base.schema.column[c];
        changed = column->is_signed ? !number.negative && number.magnitude > INT64_MAX : number.negative;
        changed = changed || (number.is_complex && column->halves == HB_HALVES_REAL);
        if (c >= cells->column) {
            values = put_number(values, column, &number);
        }
    }
    return changed ? HB_FAIL(HB_EDATA, "%s: row %" PRIu64 " was changed while the file was read", table->path, row + 1)
                   : HB_OK;
}

static void note_place(csv_table *table, mark place)
{
    table->recent[table->turn++ % RECENT] = place;
}

/* Reads a rectangle under the lock, and remembers where it began and ended. */
static hb_status read_rows(csv_table *table, const hb_rectangle *cells, uint64_t *values)
{
    const uint64_t words = hb_schema_words(&table->base.schema, cells->column, cells->columns);
    HB_TRY(go_to_row(table, cells->row));
    mark begin = {.row = cells->row, .offset = hb_lines_tell(&table->lines)};
    for (uint64_t r = 0; r < cells->rows; r++) {
        HB_TRY(read_row(table, cells->row + r, cells, values + r * words));
    }
    /* Threads read neighbouring rectangles, of the same rows or of those that follow. */
    note_place(table, begin);
    note_place(table, (mark){.row = cells->row + cells->rows, .offset = hb_lines_tell(&table->lines)});
    return HB_OK;
}

/* Is hb_table_ops.read of a CSV; any number of threads, one after another. */
static hb_status csv_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    csv_table *table = (csv_table *)base;
    /* Parsing is done under the lock too: it works in the one buffer. */
    pthread_mutex_lock(&table->lock);
    const hb_status st = read_rows(table, cells, values);
    pthread_mutex_unlock(&table->lock);
    return st;
}

/* What a column has shown so far; rows are counted from 1, 0 means none. */
typedef struct column_range {
    uint64_t negative, large; /* first row below 0, first row above 2^63 - 1 */
    bool is_complex;          /* one of its numbers is */
} column_range;

/* Frees what hb_table_open_csv has made, however far it came. */
static void csv_close(hb_table *base)
{
    csv_table *table = (csv_table *)base;
    hb_lines_clear(&table->lines);
    if (base->fd >= 0) {
        close(base->fd);
    }
    pthread_mutex_destroy(&table->lock);
    free(table->offsets);
    free(table->path);
    free(table);
}

/* Takes the names of the columns from the first line. */
static hb_status read_header(csv_table *table)
{
    const char *line;
    size_t length;
    HB_TRY(hb_lines_next(&table->lines, &line, &length));
    if (!line) {
        return HB_FAIL(HB_EDATA, "%s: is empty: it needs a header line with the names of its columns", table->path);
    }
    /* A byte order mark, as spreadsheets write it, is no part of the first name. */
    if (length >= 3 && memcmp(line, "\xEF\xBB\xBF", 3) == 0) {
        line += 3;
        length -= 3;
    }
    const char *end = line + length;
    /* Counted first, so that the schema is allocated once. */
    uint64_t columns = 1;
    for (const char *at = hb_csv_field_end(line, end); at < end; at = hb_csv_field_end(at + 1, end)) {
        columns++;
    }
    hb_schema *schema = &table->base.schema;
    HB_TRY(hb_schema_alloc(schema, 0, columns));
    schema->rank = 2;
    schema->width = 8;
    schema->named = true;
    for (uint64_t c = 0; c < columns; c++) {
        schema->column[c].cells = table->cells;
        HB_TRY(hb_csv_parse_name(&line, end, table->path, c + 1, &schema->column[c].name));
        line += line < end ? 1 : 0;
    }
    return HB_OK;
}

/* Remembers where `row` begins, if it is one of those that are kept. When the array is full every other offset goes. */
static void keep_offset(csv_table *table, uint64_t row, uint64_t offset)
{
    if (row % table->stride != 0) {
        return;
    }
    if (table->count == MAX_OFFSETS) {
        for (size_t i = 0; i < MAX_OFFSETS / 2; i++) {
            table->offsets[i] = table->offsets[2 * i];
        }
        table->count /= 2;
        table->stride *= 2;
    }
    table->offsets[table->count++] = offset;
}

/* Fails as soon as a column holds values of which no 64-bit type holds both. */
static hb_status note_range(const csv_table *table, column_range *range, uint64_t row, uint64_t column,
                            const hb_csv_number *number)
{
    range->is_complex = range->is_complex || number->is_complex;
    if (number->negative && range->negative == 0) {
        range->negative = row + 1;
    }
    if (!number->negative && number->magnitude > INT64_MAX && range->large == 0) {
        range->large = row + 1;
    }
    /* Each alone is fine: the column is signed, or it is not. */
    if (range->negative == 0 || range->large == 0) {
        return HB_OK;
    }
    char label[HB_COLUMN_LABEL];
    hb_column_label(label, &table->base.schema, column);
    return HB_FAIL(HB_EDATA,
                   "%s: column %s is negative in row %" PRIu64 " and above 2^63 - 1 in row %" PRIu64
                   ": no 64-bit type holds both",
                   table->path, label, range->negative, range->large);
}

/* Checks every field of a row, and notes what its column needs. */
static hb_status scan_row(const csv_table *table, uint64_t row, const char *line, size_t length, column_range *ranges)
{
    const char *end = line + length;
    uint64_t columns = table->base.schema.columns;
    for (uint64_t c = 0; c < columns; c++) {
        hb_csv_number number = {0}; /* as which a real leaves no mark in the range */
        HB_TRY(read_field(table, row, c, &line, end, &number));
        /* Whether a column is signed is known only at the end of the file. */
        HB_TRY(note_range(table, &ranges[c], row, c, &number));
    }
    if (line < end) {
        return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 " has more fields than the header line, which has %" PRIu64,
                       table->path, row + 1, columns);
    }
    return HB_OK;
}

/* Counts the rows, and decides at the end which columns are signed, and which complex. */
static hb_status scan_rows(csv_table *table, column_range *ranges)
{
    hb_schema *schema = &table->base.schema;
    bool ended = false;
    for (;;) {
        /* Before the line is read, which may move the buffer. */
        uint64_t offset = hb_lines_tell(&table->lines);
        const char *line;
        size_t length;
        HB_TRY(hb_lines_next(&table->lines, &line, &length));
        if (!line) {
            break;
        }
        if (hb_csv_is_blank(line, length)) {
            ended = true; /* fine at the end of the file, and only there */
            continue;
        }
        if (ended) {
            return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 " is an empty line", table->path, schema->rows + 1);
        }
        keep_offset(table, schema->rows, offset);
        HB_TRY(scan_row(table, schema->rows, line, length, ranges));
        schema->rows++;
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        schema->column[c].is_signed = ranges[c].negative != 0;
        schema->column[c].halves = ranges[c].is_complex ? HB_HALVES_COMPLEX : HB_HALVES_REAL;
    }
    return HB_OK;
}

/* One way through the whole file. */
static hb_status scan(csv_table *table)
{
    HB_TRY(read_header(table));
    column_range *ranges = calloc((size_t)table->base.schema.columns, sizeof *ranges);
    if (!ranges) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " columns", table->path, table->base.schema.columns);
    }
    hb_status st = scan_rows(table, ranges);
    free(ranges);
    return st;
}

static const hb_table_ops csv_ops = {.read = csv_read, .close = csv_close};

hb_status hb_table_open_csv(const char *file, hb_cell_type cells, hb_table **out)
{
    csv_table *table = calloc(1, sizeof *table);
    if (!table) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", file);
    }
    table->base.ops = &csv_ops;
    table->base.fd = -1;
    pthread_mutex_init(&table->lock, NULL); /* on Linux it cannot fail */
    /* Lines that a logger appends meanwhile are no change: the rows that were counted stay. */
    table->base.grows = true;
    table->cells = cells;
    table->stride = FIRST_STRIDE;
    table->path = strdup(file);
    table->offsets = malloc(MAX_OFFSETS * sizeof *table->offsets);
    hb_status st = HB_OK;
    if (!table->path || !table->offsets) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory to open it", file));
    }
    table->base.name = table->path;
    /* Its size at this moment is what is scanned: lines that come later are not read. */
    HB_GOTO(hb_table_open_file(&table->base, file));
    HB_GOTO(hb_lines_init(&table->lines, table->base.fd, table->base.bytes, table->path));
    st = scan(table);
done:
    if (st == HB_OK) {
        *out = &table->base;
    } else {
        hb_table_close(&table->base);
    }
    return st;
}
