/* Tables with masks: a cell that is missing is empty in a CSV, and NaN in an HDF5 dataset, whose cells are doubles
 * then. Which cells are missing is known when all are there, so they wait in a scratch file until the commit. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "io/files/file_lock.h"
#include "table_private.h"

enum { PIECE = 1 << 14 }; /* words that are read at a time, unless one row has more */

bool hb_table_is_masked(const hb_schema *schema, uint64_t column, const uint64_t *row)
{
    const uint64_t mask = schema->column[column].mask;
    if (mask == 0) {
        return false;
    }
    const hb_column *of = &schema->column[mask - 1];
    const uint64_t *value = row + hb_schema_words(schema, 0, mask - 1);
    if (of->cells == HB_CELL_REAL) {
        return rint(hb_real_of(value[0])) != (double)of->full; /* reals are errors away from integers */
    }
    return value[0] != of->full || (of->cells == HB_CELL_WIDE && value[1] != 0);
}

static hb_status masked_make(const hb_table_writer *writer, bool fresh, int *fd)
{
    return hb_file_lock_new_file(writer->partial, 0600, fresh, fd);
}

static hb_status masked_locate(hb_table_writer *writer)
{
    writer->offset = 0;
    return HB_OK;
}

/* The columns that are shown, as doubles. */
static hb_status make_schema(const hb_schema *from, hb_schema *to)
{
    const uint64_t count = hb_schema_shown(from);
    uint64_t *columns = malloc((size_t)count * sizeof *columns);
    if (columns == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", count);
    }
    for (uint64_t c = 0; c < count; c++) {
        columns[c] = c;
    }
    const hb_status st =
        hb_table_choose_columns(from, &(hb_table_view){.rows = from->rows, .columns = columns, .count = count}, to);
    free(columns);
    for (uint64_t c = 0; st == HB_OK && c < count; c++) {
        to->column[c].cells = HB_CELL_REAL;
        to->column[c].is_signed = false;
        to->column[c].halves = hb_schema_has_halves(from) ? HB_HALVES_COMPLEX : HB_HALVES_REAL; /* one type for all */
    }
    return st;
}

/* Makes doubles of the cells of a row; returns where those of the next one go. */
static hb_status convert_row(const hb_schema *from, const hb_schema *shown, uint64_t r, const uint64_t *row,
                             uint64_t **to)
{
    const uint64_t *value = row;
    for (uint64_t c = 0; c < shown->columns; c++) {
        const hb_column *column = &from->column[c];
        const bool both = shown->column[c].halves != HB_HALVES_REAL, missing = hb_table_is_masked(from, c, row);
        uint64_t words[2] = {value[0], column->halves != HB_HALVES_REAL ? value[1] : 0};
        if (!missing && column->cells != HB_CELL_REAL && !hb_table_cell_alike(column, value, true, words)) {
            char label[HB_COLUMN_LABEL];
            hb_column_label(label, from, c);
            return HB_FAIL(HB_ECONFIG,
                           "row %" PRIu64 ", column %s: the number has more bits than a double, which HDF5 tables with "
                           "missing cells are made of: write a CSV, or choose columns, --columns",
                           r + 1, label);
        }
        for (uint32_t i = 0; i < (both ? 2 : 1); i++) {
            *(*to)++ = missing ? hb_real_word(NAN) : words[i];
        }
        value += hb_column_words(column);
    }
    return HB_OK;
}

static hb_status convert(hb_table_writer *writer, hb_table_writer *inner)
{
    const hb_schema *from = &writer->schema, *shown = &inner->schema;
    const uint64_t most = writer->words < PIECE ? PIECE / writer->words : 1;
    const size_t bytes = (size_t)(most * writer->words) * sizeof(uint64_t);
    uint64_t *rows = malloc(2 * bytes);
    hb_status st = rows != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for a buffer", writer->partial);
    for (hb_chunk c = hb_chunks(from->rows, most); st == HB_OK && hb_chunk_next(&c);) {
        uint64_t *cells = rows + most * writer->words, *to = cells;
        st = hb_table_read_back(writer, c.first, c.count, rows);
        for (uint64_t r = 0; st == HB_OK && r < c.count; r++) {
            st = convert_row(from, shown, c.first + r, rows + r * writer->words, &to);
        }
        st = st == HB_OK ? hb_table_write(inner, &(hb_rectangle){c.first, c.count, 0, shown->columns}, cells) : st;
    }
    if (rows != NULL) {
        hb_wipe(rows, 2 * bytes); /* decrypted */
    }
    free(rows);
    return st == HB_OK ? hb_table_sync(inner) : st;
}

static hb_status masked_finish(hb_table_writer *writer, const char **finished)
{
    hb_schema schema = {0};
    hb_table_writer inner = {.fd = -1};
    hb_status st = HB_OK;
    HB_GOTO(make_schema(&writer->schema, &schema));
    HB_GOTO(hb_table_begin_inner(writer, &schema, &inner));
    st = convert(writer, &inner);
done:
    if (inner.fd >= 0) {
        close(inner.fd);
    }
    hb_schema_clear(&schema);
    *finished = writer->formatted;
    return st;
}

const hb_table_writer_ops hb_table_writer_masked_h5 = {
    .make = masked_make, .locate = masked_locate, .finish = masked_finish};
