/* Opens CSV tables. One scan at opening checks every field and keeps the file offset of some rows, so that a rectangle
 * is read without a scan from the top, and memory stays small for any number of rows. */
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "table_csv_private.h"

#define FIRST_STRIDE 1024 /* rows between two offsets that are kept */
#define MAX_OFFSETS ((size_t)1 << 16)

/* What a column has shown so far; rows are counted from 1, 0 means none. */
typedef struct column_range {
    uint64_t negative, large; /* first row below 0, first row above 2^63 - 1 */
} column_range;

static void csv_close(hb_table *base)
{
    hb_csv_table *table = (hb_csv_table *)base;
    hb_lines_clear(&table->lines);
    if (base->fd >= 0) {
        close(base->fd);
    }
    pthread_mutex_destroy(&table->lock);
    free(table->offsets);
    free(table->path);
    free(table);
}

static hb_status read_header(hb_csv_table *table)
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
        HB_TRY(hb_csv_parse_name(&line, end, table->path, c + 1, &schema->column[c].name));
        line += line < end ? 1 : 0;
    }
    return HB_OK;
}

/* Remembers where `row` begins, if it is one of those that are kept. When the array is full every other offset goes. */
static void keep_offset(hb_csv_table *table, uint64_t row, uint64_t offset)
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
static hb_status note_range(const hb_csv_table *table, column_range *range, uint64_t row, uint64_t column,
                            const hb_csv_number *number)
{
    if (number->negative && range->negative == 0) {
        range->negative = row + 1;
    }
    if (!number->negative && number->magnitude > INT64_MAX && range->large == 0) {
        range->large = row + 1;
    }
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

static hb_status scan_row(const hb_csv_table *table, uint64_t row, const char *line, size_t length,
                          column_range *ranges)
{
    const char *end = line + length;
    uint64_t columns = table->base.schema.columns;
    for (uint64_t c = 0; c < columns; c++) {
        hb_csv_number number;
        HB_TRY(hb_csv_table_field(table, row, c, &line, end, &number));
        HB_TRY(note_range(table, &ranges[c], row, c, &number));
    }
    if (line < end) {
        return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 " has more fields than the header line, which has %" PRIu64,
                       table->path, row + 1, columns);
    }
    return HB_OK;
}

static hb_status scan_rows(hb_csv_table *table, column_range *ranges)
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
    }
    return HB_OK;
}

/* One way through the whole file. */
static hb_status scan(hb_csv_table *table)
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

static const hb_table_ops csv_ops = {.read = hb_csv_table_read, .close = csv_close};

hb_status hb_table_open_csv(const char *file, hb_table **out)
{
    hb_csv_table *table = calloc(1, sizeof *table);
    if (!table) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", file);
    }
    table->base.ops = &csv_ops;
    table->base.fd = -1;
    pthread_mutex_init(&table->lock, NULL); /* on Linux it cannot fail */
    table->base.grows = true;
    table->stride = FIRST_STRIDE;
    table->path = strdup(file);
    table->offsets = malloc(MAX_OFFSETS * sizeof *table->offsets);
    hb_status st = HB_OK;
    if (!table->path || !table->offsets) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory to open it", file));
    }
    table->base.name = table->path;
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
