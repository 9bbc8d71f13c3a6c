/* Totals of groups are few, and one row: they wait in a scratch file, and the table that they stand for is made at the
 * commit. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/seed.h"
#include "io/base/claim.h"
#include "io/base/durable.h"
#include "io/base/grouping.h"
#include "table_private.h"

/* The rows and columns of the table that are shown, in their order. */
static hb_status choose(const hb_table_view *view, hb_schema *schema, uint64_t *values)
{
    hb_schema made = {0};
    const uint64_t columns = schema->columns;
    uint64_t *row = malloc((size_t)columns * sizeof *row);
    if (row == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a row of %" PRIu64 " columns", columns);
    }
    const hb_status st = hb_table_choose_columns(schema, view, &made);
    /* Fewer rows may have been fetched than were to be shown. */
    const uint64_t behind = view->row < schema->rows ? schema->rows - view->row : 0;
    made.rows = view->rows < behind ? view->rows : behind;
    for (uint64_t r = 0; st == HB_OK && r < made.rows; r++) {
        memcpy(row, values + (view->row + r) * columns, (size_t)columns * sizeof *row);
        for (uint64_t i = 0; i < view->count; i++) {
            values[r * view->count + i] = row[view->columns[i]]; /* never ahead of what is read */
        }
    }
    hb_wipe(row, (size_t)columns * sizeof *row); /* decrypted */
    free(row);
    if (st == HB_OK) {
        hb_schema_clear(schema);
        *schema = made;
    }
    return st;
}

hb_status hb_table_show_groups(const hb_table_writer *writer, hb_schema *schema, uint64_t **values)
{
    const size_t bytes = (size_t)writer->schema.columns * sizeof(uint64_t);
    hb_status st = HB_OK;
    *schema = (hb_schema){0};
    *values = NULL;
    uint64_t *words = malloc(bytes);
    if (words == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for %" PRIu64 " totals", writer->file, writer->schema.columns);
    }
    HB_GOTO(hb_read_at(writer->fd, words, bytes, 0, writer->partial));
    HB_GOTO(hb_grouping_schema(&writer->schema, schema));
    *values = malloc((size_t)(schema->rows * schema->columns) * sizeof **values);
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
    return hb_claim_new_file(writer->partial, 0600, fresh, fd);
}

static hb_status grouped_locate(hb_table_writer *writer)
{
    writer->offset = 0;
    return HB_OK;
}

/* One type serves all columns of an HDF5 dataset. */
static void make_alike(hb_schema *schema, uint64_t *values)
{
    bool real = false;
    for (uint64_t c = 0; c < schema->columns; c++) {
        real |= schema->column[c].cells == HB_CELL_REAL;
    }
    for (uint64_t c = 0; c < schema->columns && real; c++) {
        hb_column *column = &schema->column[c];
        for (uint64_t r = 0; r < schema->rows && column->cells == HB_CELL_INTEGER; r++) {
            uint64_t *value = &values[r * schema->columns + c];
            *value = hb_real_word(column->is_signed ? (double)(int64_t)*value : (double)*value);
        }
        column->cells = HB_CELL_REAL;
        column->is_signed = false;
    }
}

/* Makes the HDF5 file as a table of its own is made, without its last step. */
static hb_status put_table(hb_table_writer *writer, const hb_schema *schema, const uint64_t *values)
{
    hb_table_writer inner = {.ops = &hb_table_writer_h5,
                             .schema = *schema,
                             .file = writer->file,
                             .dataset = writer->dataset,
                             .partial = writer->formatted,
                             .fd = -1,
                             .direct = true,
                             .words = schema->columns,
                             .width = sizeof(uint64_t),
                             .big_endian = schema->big_endian,
                             .real = schema->column[0].cells == HB_CELL_REAL};
    inner.by_column = inner.real;
    for (uint64_t c = 0; c < schema->columns; c++) {
        inner.is_signed |= schema->column[c].is_signed;
        inner.mixed |= schema->column[c].is_signed != schema->column[0].is_signed;
    }
    HB_TRY(inner.ops->make(&inner, writer->force, &inner.fd));
    writer->formatting = true; /* closing the writer removes it from now on */
    hb_status st = HB_OK;
    HB_GOTO(inner.ops->locate(&inner));
    HB_GOTO(hb_set_length(inner.fd, inner.offset + schema->rows * inner.words * inner.width, inner.partial));
    HB_GOTO(hb_table_write(&inner, &(hb_rectangle){0, schema->rows, 0, schema->columns}, values));
    st = hb_table_sync(&inner);
done:
    close(inner.fd);
    return st;
}

static hb_status grouped_finish(hb_table_writer *writer, const char **finished)
{
    hb_schema schema;
    uint64_t *values;
    HB_TRY(hb_table_show_groups(writer, &schema, &values));
    make_alike(&schema, values);
    const hb_status st = put_table(writer, &schema, values);
    hb_wipe(values, (size_t)(schema.rows * schema.columns) * sizeof *values); /* decrypted */
    free(values);
    hb_schema_clear(&schema);
    *finished = writer->formatted;
    return st;
}

const hb_table_writer_ops hb_table_writer_grouped_h5 = {
    .make = grouped_make, .locate = grouped_locate, .finish = grouped_finish};
