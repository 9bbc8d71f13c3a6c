/* Open tables of all kinds: reading cells, checking that the file is unchanged, closing. */
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "csv_columns.h"
#include "io/files/durable.h"
#include "table/real_text.h"
#include "table_private.h"

const hb_schema *hb_table_schema(const hb_table *table)
{
    return &table->schema;
}

hb_status hb_table_open_file(hb_table *table, const char *file)
{
    mode_t mode;
    struct stat info;
    HB_TRY(hb_open_file(file, true, &table->fd, &table->bytes, &mode));
    if (fstat(table->fd, &info) < 0) {
        return HB_FAIL(HB_EIO, "%s: cannot look at it: %s", file, strerror(errno));
    }
    /* Size and time of one moment: opening and this look are two. */
    table->bytes = (uint64_t)info.st_size;
    table->changed = info.st_mtim;
    return HB_OK;
}

/* Sees by its time and size that the file was not changed. The values alone do not show it: HDF5 gives zeros for
 * numbers that a file has lost, and a changed number is still a number. */
static hb_status check_unchanged(const hb_table *table)
{
    struct stat info;
    if (table->fd < 0) {
        return HB_OK; /* the tables that it is made of see to it */
    }
    if (fstat(table->fd, &info) < 0) {
        return HB_FAIL(HB_EIO, "%s: cannot look at it: %s", table->name, strerror(errno));
    }
    const uint64_t bytes = (uint64_t)info.st_size;
    const bool same = bytes == table->bytes && info.st_mtim.tv_sec == table->changed.tv_sec &&
                      info.st_mtim.tv_nsec == table->changed.tv_nsec;
    if (!same && (!table->grows || bytes <= table->bytes)) {
        return HB_FAIL(HB_EDATA, "%s: was changed while it was read", table->name);
    }
    return HB_OK;
}

const char hb_table_unheld[] =
    "is an integer that no double is, and reals would round it: take BFV, or leave its column out "
    "(--columns); with an exponent, or stored as a double, it is a real";

/* Names the place of the first real that is not finite, which is word `at` of the rectangle; most programs write NaN
 * where a value is missing. */
static hb_status refuse_real(const hb_table *table, const hb_rectangle *cells, size_t at, double value)
{
    char label[HB_COLUMN_LABEL];
    const uint64_t words = hb_schema_words(&table->schema, cells->column, cells->columns);
    uint64_t column = cells->column;
    for (uint64_t left = at % words; left >= hb_column_words(&table->schema.column[column]); column++) {
        left -= hb_column_words(&table->schema.column[column]);
    }
    hb_column_label(label, &table->schema, column);
    return HB_FAIL(HB_EDATA, "%s: row %" PRIu64 ", column %s: the value %s", table->name, cells->row + at / words + 1,
                   label,
                   hb_h5_is_unheld(hb_real_word(value)) ? hb_table_unheld
                   : isnan(value)                       ? "is missing (NaN); --missing drop leaves such rows out"
                                                        : "is infinite");
}

/* All columns are of one type. */
static hb_status check_reals(const hb_table *table, const hb_rectangle *cells, const uint64_t *values)
{
    if (table->schema.column[0].cells != HB_CELL_REAL || table->raw) {
        return HB_OK;
    }
    const size_t count = (size_t)(cells->rows * hb_schema_words(&table->schema, cells->column, cells->columns));
    for (size_t i = 0; i < count; i++) {
        const double value = hb_real_of(values[i]);
        if (!isfinite(value)) {
            return refuse_real(table, cells, i, value);
        }
    }
    return HB_OK;
}

/* Puts the second word behind each of `count` integers, whose columns follow one another from `column` on: zeros, or
 * the sign. From the last one, as there is room behind it. */
static void widen(const hb_schema *schema, uint64_t column, uint64_t columns, size_t count, uint64_t *values)
{
    for (size_t i = count; i-- > 0;) {
        const uint64_t value = values[i];
        values[2 * i] = value;
        values[2 * i + 1] = schema->column[column + i % columns].is_signed && (int64_t)value < 0 ? UINT64_MAX : 0;
    }
}

hb_status hb_table_read(hb_table *table, const hb_rectangle *cells, uint64_t *values)
{
    const hb_schema *schema = &table->schema;
    HB_ASSERT(cells->rows <= schema->rows && cells->row <= schema->rows - cells->rows);
    HB_ASSERT(cells->columns <= schema->columns && cells->column <= schema->columns - cells->columns);
    if (cells->rows == 0 || cells->columns == 0) {
        return HB_OK;
    }
    /* The check comes after reading, so that it covers the read cells. */
    HB_TRY(table->ops->read(table, cells, values));
    HB_TRY(check_unchanged(table));
    if (table->widens) {
        widen(schema, cells->column, cells->columns, (size_t)(cells->rows * cells->columns), values);
    }
    return check_reals(table, cells, values);
}

void hb_table_set_fill(hb_table *table, uint64_t column, uint64_t fill)
{
    table->schema.column[column].fill = fill;
    if (table->ops->fill != NULL) {
        table->ops->fill(table, column);
    }
}

void hb_table_set_fills(hb_table *table, const hb_schema *like)
{
    for (uint64_t c = 0; c < table->schema.columns && c < like->columns; c++) {
        if (table->schema.column[c].mask > 0 && like->column[c].has_fill) {
            hb_table_set_fill(table, c, like->column[c].fill);
        }
    }
}

hb_status hb_table_find(hb_table *table, uint64_t row, const hb_table **of, hb_csv_place *place)
{
    *of = table;
    *place = (hb_csv_place){.row = row + 1};
    return table->ops->find != NULL ? table->ops->find(table, row, of, place) : HB_OK;
}

const char *hb_table_place_text(hb_table *table, uint64_t row, char out[HB_TABLE_PLACE])
{
    const hb_table *of = table;
    hb_csv_place place = {.row = row + 1};
    char where[HB_CSV_PLACE];
    if (table != NULL && hb_table_find(table, row, &of, &place) != HB_OK) {
        of = table;
        place = (hb_csv_place){.row = row + 1};
    }
    snprintf(out, HB_TABLE_PLACE, "%.300s%s%s", of != NULL ? of->name : "", of != NULL ? ": " : "",
             hb_csv_place_text(where, place));
    return out;
}

hb_table_findings hb_table_findings_of(const hb_table *table)
{
    const hb_table *from = table->original != NULL ? table->original : table;
    return (hb_table_findings){&from->schema, from->gaps, from->blank_lines, from->notes, from->elsewhere};
}

void hb_table_close(hb_table *table)
{
    if (table) {
        for (uint64_t c = 0; table->notes != NULL && c < table->schema.columns; c++) {
            free(table->notes[c].label);
        }
        free(table->notes);
        free(table->gaps);
        hb_schema_clear(&table->schema);
        table->ops->close(table);
    }
}
