/* HDF5 tables that are made at the commit, of words that wait in a scratch file. Totals of groups are few, and one row;
 * they become the table that they stand for. Which cells are missing by a mask is known when all are there. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chunk.h"
#include "base/partition.h"
#include "base/seed.h"
#include "io/files/durable.h"
#include "io/files/file_lock.h"
#include "table/grouping.h"
#include "table_private.h"

enum { PIECE = 1 << 14 }; /* words that are read at a time, unless one row has more */

/* The rows and columns of the table that are shown, in their order. */
static hb_status choose(const hb_table_view *view, hb_schema *schema, uint64_t *values)
{
    hb_schema made = {0};
    const uint64_t words = hb_schema_words(schema, 0, schema->columns);
    uint64_t *row = malloc((size_t)words * sizeof *row), *to = values;
    if (row == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a row of %" PRIu64 " columns", schema->columns);
    }
    const hb_status st = hb_table_choose_columns(schema, view, &made);
    /* Fewer rows may have been fetched than were to be shown. */
    const uint64_t behind = view->row < schema->rows ? schema->rows - view->row : 0;
    made.rows = view->rows < behind ? view->rows : behind;
    for (uint64_t r = 0; st == HB_OK && r < made.rows; r++) {
        memcpy(row, values + (view->row + r) * words, (size_t)words * sizeof *row);
        for (uint64_t i = 0; i < view->count; i++) { /* never ahead of the read values */
            const uint64_t each = hb_column_words(&schema->column[view->columns[i]]);
            memcpy(to, row + hb_schema_words(schema, 0, view->columns[i]), (size_t)each * sizeof *to);
            to += each;
        }
    }
    hb_wipe(row, (size_t)words * sizeof *row); /* decrypted */
    free(row);
    if (st == HB_OK) {
        hb_schema_clear(schema);
        *schema = made;
    }
    return st;
}

hb_status hb_table_show_groups(const hb_table_writer *writer, hb_schema *schema, uint64_t **values)
{
    const size_t bytes = (size_t)hb_schema_words(&writer->schema, 0, writer->schema.columns) * sizeof(uint64_t);
    hb_status st = HB_OK;
    *schema = (hb_schema){0};
    *values = NULL;
    uint64_t *words = malloc(bytes);
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " totals", writer->file, writer->schema.columns);
    }
    HB_GOTO(hb_read_at(writer->fd, words, bytes, 0, writer->partial));
    HB_GOTO(hb_grouping_schema(&writer->schema, schema));
    *values = malloc(hb_table_shown_bytes(schema));
    if (*values == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory for a table of %" PRIu64 " groups", writer->file, schema->rows));
    }
    HB_GOTO(hb_grouping_show(&writer->schema, words, *values, &schema->rows));
    if (writer->shown_columns != NULL) {
        st = choose(&writer->shown, schema, *values);
    }
done:
    hb_wipe(words, bytes); /* decrypted */
    free(words);
    if (st != HB_OK) {
        hb_schema_clear(schema);
        free(*values);
        *values = NULL;
    }
    return st;
}

static hb_status grouped_make(const hb_table_writer *writer, bool fresh, int *fd)
{
    return hb_file_lock_new_file(writer->partial, 0600, fresh, fd);
}

static hb_status grouped_locate(hb_table_writer *writer)
{
    writer->offset = 0;
    return HB_OK;
}

static hb_status fail_beside(const hb_schema *schema, uint64_t column)
{
    char label[HB_COLUMN_LABEL];
    hb_column_label(label, schema, column);
    return HB_FAIL(
        HB_ECONFIG,
        "column %s has totals that one type of an HDF5 dataset does not hold beside the other columns: write "
        "a CSV, or choose columns, --columns",
        label);
}

static bool convert(const hb_column *column, const uint64_t *cell, bool real, uint64_t *to)
{
    const bool negative = column->is_signed && (int64_t)cell[0] < 0;
    const uint64_t word = cell[0], magnitude = negative ? 0 - word : word;
    const double value = (double)magnitude;
    if (column->cells == HB_CELL_WIDE && cell[1] != (negative ? UINT64_MAX : 0)) {
        return false;
    }
    *to = real ? hb_real_word(negative ? -value : value) : word;
    return !real || (value < 0x1p64 && (uint64_t)value == magnitude);
}

/* One type serves all columns of an HDF5 dataset: doubles where any are, else words. Rounding a total is refused. */
static hb_status make_alike(hb_schema *schema, uint64_t *values)
{
    bool real = false;
    uint64_t *to = values;
    const uint64_t *from = values;
    for (uint64_t c = 0; c < schema->columns; c++) {
        real |= schema->column[c].cells == HB_CELL_REAL;
    }
    for (uint64_t i = 0; i < schema->rows * schema->columns; i++, to++) {
        const hb_column *column = &schema->column[i % schema->columns];
        if (column->cells == HB_CELL_REAL) {
            *to = *from;
        } else if (!convert(column, from, real, to)) {
            return fail_beside(schema, i % schema->columns);
        }
        from += hb_column_words(column);
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        schema->column[c].cells = real ? HB_CELL_REAL : HB_CELL_INTEGER;
        schema->column[c].is_signed &= !real;
    }
    return HB_OK;
}

/* Describes a table of doubles or of words, [rows][columns], which is made as a table of its own, without its last
 * step; the caller closes inner->fd, also after a failure. */
static void describe_inner(const hb_table_writer *writer, const hb_schema *schema, hb_table_writer *inner)
{
    *inner = (hb_table_writer){.ops = &hb_table_writer_h5,
                               .schema = *schema,
                               .file = writer->file,
                               .dataset = writer->dataset,
                               .partial = writer->finished,
                               .fd = -1,
                               .direct = true,
                               .words = hb_schema_words(schema, 0, schema->columns),
                               .width = sizeof(uint64_t),
                               .big_endian = schema->big_endian,
                               .real = schema->column[0].cells == HB_CELL_REAL};
    inner->by_column = inner->real;
    for (uint64_t c = 0; c < schema->columns; c++) {
        inner->is_signed |= schema->column[c].is_signed;
        inner->mixed |= schema->column[c].is_signed != schema->column[0].is_signed;
    }
}

/* Makes its file; its cells are not written yet. */
static hb_status make_inner(hb_table_writer *writer, hb_table_writer *inner)
{
    const uint64_t words = inner->schema.rows * inner->words;
    HB_TRY(inner->ops->make(inner, writer->force, &inner->fd));
    writer->finishing = true; /* closing the writer removes it from now on */
    HB_TRY(inner->ops->locate(inner));
    return hb_set_length(inner->fd, inner->offset + words * inner->width, inner->partial);
}

static hb_status put_table(hb_table_writer *writer, const hb_schema *schema, const uint64_t *values)
{
    hb_table_writer inner = {.fd = -1};
    hb_status st = HB_OK;
    describe_inner(writer, schema, &inner);
    HB_GOTO(make_inner(writer, &inner));
    HB_GOTO(hb_table_write(&inner, &(hb_rectangle){0, schema->rows, 0, schema->columns}, values));
    st = hb_table_sync(&inner);
done:
    if (inner.fd >= 0) {
        close(inner.fd);
    }
    return st;
}

/* --- tables with masks: a cell that is missing is NaN, and all cells are doubles */

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
        if (!missing && column->cells != HB_CELL_REAL && !convert(column, value, true, words)) {
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

/* Opens the file that the creator has made. */
static hb_status join_inner(hb_table_writer *inner)
{
    inner->fd = open(inner->partial, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (inner->fd < 0) {
        return HB_FAIL(HB_ECREATE, "%s: cannot be opened to write: %s", inner->partial, strerror(errno));
    }
    return inner->ops->locate(inner);
}

/* Converts this rank's share of the rows. */
static hb_status put_masked(const hb_table_writer *writer, hb_table_writer *inner, const hb_table_ranks *ranks)
{
    const hb_share share = hb_partition(writer->schema.rows, (uint32_t)ranks->rank, (uint32_t)ranks->count);
    const hb_schema *from = &writer->schema, *shown = &inner->schema;
    const uint64_t most = writer->words < PIECE ? PIECE / writer->words : 1;
    const size_t bytes = (size_t)(most * writer->words) * sizeof(uint64_t);
    uint64_t *rows = malloc(2 * bytes);
    hb_status st = rows != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for a buffer", writer->partial);
    for (hb_chunk c = hb_chunks(share.count, most); st == HB_OK && hb_chunk_next(&c);) {
        uint64_t *cells = rows + most * writer->words, *to = cells;
        const hb_rectangle some = {share.first + c.first, c.count, 0, shown->columns};
        st = hb_table_read_back(writer, some.row, c.count, rows);
        for (uint64_t r = 0; st == HB_OK && r < c.count; r++) {
            st = convert_row(from, shown, some.row + r, rows + r * writer->words, &to);
        }
        st = st == HB_OK ? hb_table_write(inner, &some, cells) : st;
    }
    if (rows != NULL) {
        hb_wipe(rows, 2 * bytes); /* decrypted */
    }
    free(rows);
    return st == HB_OK ? hb_table_sync(inner) : st;
}

static hb_status begin_masked(hb_table_writer *writer, hb_schema *schema, hb_table_writer *inner)
{
    HB_TRY(make_schema(&writer->schema, schema));
    describe_inner(writer, schema, inner);
    return writer->creator ? make_inner(writer, inner) : HB_OK;
}

static hb_status write_masked(const hb_table_writer *writer, hb_table_writer *inner, const hb_table_ranks *ranks)
{
    if (!writer->creator) {
        HB_TRY(join_inner(inner));
    }
    return put_masked(writer, inner, ranks);
}

/* Collective. */
static hb_status masked_finish(hb_table_writer *writer, const hb_table_ranks *ranks)
{
    hb_schema schema = {0};
    hb_table_writer inner = {.fd = -1};
    hb_status st = HB_OK;
    HB_GOTO(hb_table_agree(ranks, begin_masked(writer, &schema, &inner)));
    st = hb_table_agree(ranks, write_masked(writer, &inner, ranks));
done:
    if (inner.fd >= 0) {
        close(inner.fd);
    }
    hb_schema_clear(&schema);
    return st;
}

static hb_status groups_finish(hb_table_writer *writer)
{
    hb_schema schema;
    uint64_t *values;
    HB_TRY(hb_table_show_groups(writer, &schema, &values));
    const size_t bytes = hb_table_shown_bytes(&schema);
    hb_status st = make_alike(&schema, values);
    st = st == HB_OK ? put_table(writer, &schema, values) : st;
    hb_wipe(values, bytes); /* decrypted */
    free(values);
    hb_schema_clear(&schema);
    return st;
}

static hb_status grouped_finish(hb_table_writer *writer, const hb_table_ranks *ranks, hb_table_text_size *text,
                                const char **finished)
{
    (void)text;
    *finished = writer->finished;
    if (writer->schema.grouping == NULL) {
        return masked_finish(writer, ranks);
    }
    /* Totals of groups are few: the creator writes all. */
    return hb_table_agree(ranks, writer->creator ? groups_finish(writer) : HB_OK);
}

const hb_table_writer_ops hb_table_writer_grouped_h5 = {
    .make = grouped_make, .locate = grouped_locate, .finish_together = grouped_finish};
