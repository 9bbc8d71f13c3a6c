#include "residue_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "io/files/durable.h"
#include "table/grouping.h"

hb_status hb_residue_table_name(const char *output, uint32_t residue, char **name)
{
    char *table, *dataset, suffix[48];
    if (hb_table_is_stdout(output)) {
        *name = strdup(output);
        return *name != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a name");
    }
    HB_TRY(hb_table_name_split(output, &table, &dataset));
    snprintf(suffix, sizeof suffix, ".residue-%" PRIu32 ".h5:/residues", residue);
    const hb_status st = hb_path_with(table, suffix, name);
    free(table);
    free(dataset);
    return st;
}

void hb_residue_table_schema(hb_schema *schema)
{
    schema->width = sizeof(uint64_t);
    schema->big_endian = false;
    hb_grouping_free(schema->grouping);
    schema->grouping = NULL;
    for (uint64_t c = 0; c < schema->columns; c++) {
        hb_column *column = &schema->column[c];
        hb_meaning_clear(&column->meaning);
        column->cells = HB_CELL_INTEGER;
        column->mask = column->full = column->fill = 0; /* residues are not shown */
        column->wide = column->ranged = column->is_signed = column->may_wrap = column->has_fill = false;
    }
}

/* The buffers of joining: some rows of each residue, and of cells. */
typedef struct rows {
    uint64_t *residue[HB_MOST_RESIDUES], *cells;
    uint64_t most; /* rows */
    size_t words;  /* of residues; twice as many of cells at most */
} rows;

static void rows_clear(rows *r)
{
    for (int i = 0; i < HB_MOST_RESIDUES; i++) {
        if (r->residue[i] != NULL) {
            hb_wipe(r->residue[i], r->words * sizeof *r->residue[i]);
        }
        free(r->residue[i]);
    }
    if (r->cells != NULL) {
        hb_wipe(r->cells, HB_WIDE_CELL * r->words * sizeof *r->cells);
    }
    free(r->cells);
}

static hb_status rows_alloc(rows *r, const char *output, uint64_t columns, uint32_t residues)
{
    enum { WORDS = 1 << 16 };
    *r = (rows){.most = columns < WORDS ? WORDS / columns : 1};
    r->words = (size_t)(r->most * columns);
    r->cells = calloc(HB_WIDE_CELL * r->words, sizeof *r->cells);
    bool whole = r->cells != NULL;
    for (uint32_t i = 0; i < residues; i++) {
        r->residue[i] = calloc(r->words, sizeof *r->residue[i]);
        whole = whole && r->residue[i] != NULL;
    }
    return whole ? HB_OK : HB_FAIL(HB_ENOMEM, "%s: no memory to join residues", output);
}

/* Rows of the residues' tables begin with row `first` of the dataset. */
static hb_status join_all(rows *r, const hb_residue_tables *residues, const hb_wide_join *join, uint64_t first,
                          uint64_t count, hb_table_writer *writer)
{
    for (hb_chunk c = hb_chunks(count, r->most); hb_chunk_next(&c);) {
        const hb_rectangle some = {.row = c.first, .rows = c.count, .columns = join->count};
        for (uint32_t i = 0; i < join->residues.count; i++) {
            HB_TRY(hb_table_read_back(residues->table[i], c.first, c.count, r->residue[i]));
        }
        HB_TRY(hb_wide_join_rows(join, first + c.first, c.count, (const uint64_t *const *)r->residue, r->cells));
        HB_TRY(hb_table_write(writer, &some, r->cells));
    }
    return HB_OK;
}

static hb_status find_kind(const char *output, bool *is_csv)
{
    char *file = NULL, *dataset = NULL;
    *is_csv = hb_table_is_stdout(output);
    if (*is_csv) {
        return HB_OK;
    }
    HB_TRY(hb_table_name_split(output, &file, &dataset));
    *is_csv = dataset == NULL;
    free(file);
    free(dataset);
    return HB_OK;
}

hb_status hb_residue_tables_join(const hb_residue_tables *residues, const hb_residue_output *output,
                                 const hb_header *header)
{
    const bool grouped = header->schema.grouping != NULL;
    const hb_table_view *own = grouped ? NULL : output->view;
    rows r = {.most = 0};
    hb_wide_join join;
    hb_schema schema = {.columns = 0};
    hb_table_writer *writer = NULL;
    bool is_csv;
    hb_status st;
    HB_GOTO(find_kind(output->name, &is_csv));
    HB_GOTO(hb_wide_join_init(&join, &header->schema, &header->spec, output->modulo, is_csv, own, &schema));
    HB_GOTO(rows_alloc(&r, output->name, join.count, join.residues.count));
    HB_GOTO(hb_table_create_view(output->name, &schema, grouped ? output->view : NULL, output->force, &writer));
    HB_GOTO(join_all(&r, residues, &join, own != NULL ? own->row : 0, schema.rows, writer));
    st = hb_table_commit(writer);
done:
    hb_table_writer_close(writer);
    rows_clear(&r);
    hb_schema_clear(&schema);
    return st;
}

void hb_residue_tables_close(hb_residue_tables *residues)
{
    const hb_error cause = *hb_last_error();
    for (uint32_t i = 0; i < HB_MOST_RESIDUES; i++) {
        hb_table_writer_close(residues->table[i]);
        residues->table[i] = NULL;
    }
    hb_set_error(&cause);
}
