/* Rows of a CSV table that was opened. */
#include <inttypes.h>
#include <string.h>

#include "table_csv_private.h"

static hb_status refuse_field(const hb_csv_table *table, uint64_t row, uint64_t column, hb_csv_fault fault,
                              const char *field, const char *end)
{
    char label[HB_COLUMN_LABEL];
    hb_column_label(label, &table->base.schema, column);
    if (fault == HB_CSV_EMPTY) {
        return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 ", column %s: the field is empty", table->path, row + 1, label);
    }
    char text[41];
    size_t length = (size_t)(end - field) < sizeof text - 1 ? (size_t)(end - field) : sizeof text - 1;
    for (size_t i = 0; i < length; i++) {
        text[i] = (unsigned char)field[i] < 0x20 || field[i] == 0x7f ? '?' : field[i];
    }
    text[length] = '\0';
    return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 ", column %s: '%s' %s", table->path, row + 1, label, text,
                   fault == HB_CSV_TOO_LARGE ? "does not fit in 64 bits" : "is not an integer");
}

hb_status hb_csv_table_field(const hb_csv_table *table, uint64_t row, uint64_t column, const char **at, const char *end,
                             hb_csv_number *number)
{
    if (column > 0) {
        if (*at == end) {
            return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 " has %" PRIu64 " fields; the header line has %" PRIu64,
                           table->path, row + 1, column, table->base.schema.columns);
        }
        (*at)++;
    }
    const char *field = *at;
    hb_csv_fault fault = hb_csv_parse_number(at, end, number);
    return fault == HB_CSV_GOOD ? HB_OK : refuse_field(table, row, column, fault, field, *at);
}

/* Goes to the beginning of `row` from the nearest place before it that is known. */
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

/* One row of a rectangle. Everything was checked at open: a refusal here means that the file was changed since. */
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
    note_place(table, begin);
    note_place(table, (hb_csv_mark){.row = cells->row + cells->rows, .offset = hb_lines_tell(&table->lines)});
    return HB_OK;
}

hb_status hb_csv_table_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    hb_csv_table *table = (hb_csv_table *)base;
    pthread_mutex_lock(&table->lock);
    const hb_status st = read_rows(table, cells, values);
    pthread_mutex_unlock(&table->lock);
    return st;
}
