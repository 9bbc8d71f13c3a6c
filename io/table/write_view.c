/* Parts of tables that are written: which rows and columns, where they stand in the file, and their cells. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "io/files/durable.h"
#include "table/grouping.h"
#include "table_private.h"

enum { BUFFER = 1 << 20 }; /* bytes */

static hb_status check_view(const hb_table_view *view, uint64_t rows, uint64_t columns, const char *file)
{
    if (view->rows > rows || view->row > rows - view->rows) {
        return HB_FAIL(HB_EUSAGE, "%s: rows %" PRIu64 " to %" PRIu64 " are not in a table of %" PRIu64, file,
                       view->row + 1, view->row + view->rows, rows);
    }
    for (uint64_t i = 0; i < view->count; i++) {
        if (view->columns[i] >= columns) {
            return HB_FAIL(HB_EUSAGE, "%s: there is no column %" PRIu64 " in a table of %" PRIu64, file,
                           view->columns[i] + 1, columns);
        }
    }
    return view->count > 0 ? HB_OK : HB_FAIL(HB_EUSAGE, "%s: no column is to be written", file);
}

static hb_status copy_columns(const hb_table_view *view, uint64_t **columns)
{
    *columns = malloc((size_t)view->count * sizeof **columns);
    if (*columns == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu64 " columns", view->count);
    }
    memcpy(*columns, view->columns, (size_t)view->count * sizeof **columns);
    return HB_OK;
}

hb_status hb_table_choose_columns(const hb_schema *from, const hb_table_view *view, hb_schema *to)
{
    hb_schema made = *from;
    made.column = NULL;
    made.grouping = NULL;
    HB_TRY(hb_schema_alloc(&made, view->rows, view->count));
    bool whole = true;
    for (uint64_t i = 0; i < view->count; i++) {
        whole = whole && hb_column_copy(&made.column[i], &from->column[view->columns[i]]);
    }
    for (uint64_t i = 0; whole && i < view->count; i++) { /* masks have other numbers */
        const uint64_t mask = made.column[i].mask;
        made.column[i].mask = 0;
        for (uint64_t m = 0; mask > 0 && m < view->count; m++) {
            made.column[i].mask = view->columns[m] + 1 == mask ? m + 1 : made.column[i].mask;
        }
        made.column[i].has_fill = made.column[i].has_fill && made.column[i].mask > 0;
        made.column[i].fill = made.column[i].has_fill ? made.column[i].fill : 0;
    }
    if (!whole) {
        hb_schema_clear(&made);
        return HB_FAIL(HB_ENOMEM, "no memory for the names of %" PRIu64 " columns", view->count);
    }
    *to = made;
    return HB_OK;
}

static hb_status set_shown(hb_table_writer *writer, const hb_schema *schema, const hb_table_view *view)
{
    const hb_grouping *g = schema->grouping;
    const uint64_t rows = g->fetched > 0 ? g->fetched : g->keys.rows;
    HB_TRY(check_view(view, rows, g->keys.columns + g->columns, writer->file));
    HB_TRY(copy_columns(view, &writer->shown_columns));
    writer->shown = *view;
    writer->shown.columns = writer->shown_columns;
    return HB_OK;
}

hb_status hb_table_set_view(hb_table_writer *writer, const hb_schema *schema, const hb_table_view *view)
{
    HB_TRY(hb_schema_copy(&writer->schema, schema));
    const bool all = writer->direct && hb_schema_has_halves(schema);
    for (uint64_t c = 0; c < schema->columns && all; c++) {
        writer->schema.column[c].halves = HB_HALVES_COMPLEX;
    }
    if (view == NULL) {
        return HB_OK;
    }
    if (schema->grouping != NULL) {
        return set_shown(writer, schema, view);
    }
    HB_TRY(check_view(view, schema->rows, schema->columns, writer->file));
    HB_TRY(copy_columns(view, &writer->sources));
    writer->whole = writer->schema;
    writer->schema = (hb_schema){0};
    writer->view_row = view->row;
    return hb_table_choose_columns(&writer->whole, view, &writer->schema);
}

/* Copies the words of columns first .. first + count of the file from some rows of a rectangle, `wide` words each. */
static void gather(const hb_table_writer *writer, const hb_rectangle *cells, uint64_t first, uint64_t count,
                   const uint64_t *values, uint64_t *out)
{
    const uint64_t wide = hb_schema_words(&writer->whole, cells->column, cells->columns);
    for (uint64_t i = first; i < first + count; i++) {
        const uint64_t source = writer->sources[i], words = hb_column_words(&writer->whole.column[source]);
        const uint64_t from = hb_schema_words(&writer->whole, cells->column, source - cells->column);
        const uint64_t to = hb_schema_words(&writer->schema, first, i - first);
        const uint64_t width = hb_schema_words(&writer->schema, first, count);
        for (uint64_t r = 0; r < cells->rows; r++) {
            memcpy(out + r * width + to, values + r * wide + from, (size_t)words * sizeof *out);
        }
    }
}

static bool has(const hb_rectangle *cells, uint64_t column)
{
    return column >= cells->column && column - cells->column < cells->columns;
}

/* Writes words of cells that follow one another in the file, a buffer at a time, from that word of the row on. */
static hb_status write_run(const hb_table_writer *writer, uint8_t *buffer, uint64_t row, uint64_t word, uint64_t count,
                           const uint64_t *values)
{
    const uint64_t words = writer->words, most = BUFFER / writer->width;
    for (hb_chunk c = hb_chunks(count, most); hb_chunk_next(&c);) {
        /* A run goes on in the next row where all columns are written. */
        const uint64_t at = row * words + word + c.first;
        HB_TRY(hb_table_cells(writer, at / words, at % words, c.count, values + c.first, buffer));
        HB_TRY(hb_write_beside_others(writer->fd, buffer, c.count * writer->width, writer->offset + at * writer->width,
                                      writer->partial));
    }
    return HB_OK;
}

/* Writes a rectangle of the file's cells. */
static hb_status write_cells(hb_table_writer *writer, const hb_rectangle *cells, const uint64_t *values)
{
    const hb_schema *schema = &writer->schema;
    HB_ASSERT(cells->rows <= schema->rows && cells->row <= schema->rows - cells->rows);
    HB_ASSERT(cells->columns <= schema->columns && cells->column <= schema->columns - cells->columns);
    const uint64_t words = hb_schema_words(schema, cells->column, cells->columns);
    const uint64_t word = hb_schema_words(schema, 0, cells->column);
    uint8_t *buffer = malloc(BUFFER); /* a thread may have a short stack */
    hb_status st = HB_OK;
    if (!buffer) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for a buffer", writer->partial);
    }
    if (cells->columns == schema->columns) {
        st = write_run(writer, buffer, cells->row, 0, cells->rows * words, values);
        /* The sync in the end then has little left to do. */
        hb_begin_writing(writer->fd, (size_t)(cells->rows * words * writer->width),
                         writer->offset + cells->row * words * writer->width);
    } else {
        for (uint64_t r = 0; r < cells->rows && cells->columns > 0 && st == HB_OK; r++) {
            st = write_run(writer, buffer, cells->row + r, word, words, values + r * words);
        }
    }
    hb_wipe(buffer, BUFFER); /* decrypted values */
    free(buffer);
    return st;
}

/* Writes the part of a rectangle that the view has. */
static hb_status write_view(hb_table_writer *writer, const hb_rectangle *cells, const uint64_t *values)
{
    const uint64_t end = writer->view_row + writer->schema.rows;
    const uint64_t begin = cells->row > writer->view_row ? cells->row : writer->view_row;
    const uint64_t last = cells->row + cells->rows < end ? cells->row + cells->rows : end;
    const uint64_t wide = hb_schema_words(&writer->whole, cells->column, cells->columns);
    if (begin >= last) {
        return HB_OK;
    }
    const hb_rectangle some = {begin, last - begin, cells->column, cells->columns};
    const size_t bytes = (size_t)(some.rows * wide) * sizeof(uint64_t);
    uint64_t *words = malloc(bytes + 1);
    hb_status st = words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory for a buffer", writer->partial);
    for (uint64_t first = 0, count; st == HB_OK && first < writer->schema.columns; first += count) {
        /* Columns that follow one another in the file are written together. */
        const bool here = has(cells, writer->sources[first]);
        count = 1;
        while (first + count < writer->schema.columns && has(cells, writer->sources[first + count]) == here) {
            count++;
        }
        if (here) {
            gather(writer, &some, first, count, values + (begin - cells->row) * wide, words);
            st = write_cells(writer, &(hb_rectangle){begin - writer->view_row, some.rows, first, count}, words);
        }
    }
    if (words != NULL) {
        hb_wipe(words, bytes); /* decrypted */
    }
    free(words);
    return st;
}

hb_status hb_table_write(hb_table_writer *writer, const hb_rectangle *cells, const uint64_t *values)
{
    return writer->sources == NULL ? write_cells(writer, cells, values) : write_view(writer, cells, values);
}

const hb_schema *hb_table_writer_schema(const hb_table_writer *writer)
{
    return writer->sources == NULL ? &writer->schema : &writer->whole;
}

hb_status hb_table_sync(const hb_table_writer *writer)
{
    return hb_sync(writer->fd, writer->partial);
}

hb_status hb_table_read_back(const hb_table_writer *writer, uint64_t row, uint64_t rows, uint64_t *values)
{
    const uint64_t bytes = writer->words * sizeof *values;
    HB_ASSERT(writer->width == sizeof *values && !writer->big_endian);
    return hb_read_at(writer->fd, values, (size_t)(rows * bytes), writer->offset + row * bytes, writer->partial);
}
