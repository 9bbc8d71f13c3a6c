#include "residue_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chunk.h"
#include "base/partition.h"
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

/* Joins the rows of a share. Rows of the residues' tables begin with row `first` of the dataset. */
static hb_status join_share(rows *r, const hb_residue_tables *residues, const hb_wide_join *join, uint64_t first,
                            hb_share share, hb_table_writer *writer)
{
    for (hb_chunk c = hb_chunks(share.count, r->most); hb_chunk_next(&c);) {
        const uint64_t row = share.first + c.first;
        const hb_rectangle some = {.row = row, .rows = c.count, .columns = join->count};
        for (uint32_t i = 0; i < join->residues.count; i++) {
            HB_TRY(hb_table_read_back(residues->table[i], row, c.count, r->residue[i]));
        }
        HB_TRY(hb_wide_join_rows(join, first + row, c.count, (const uint64_t *const *)r->residue, r->cells));
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

/* The work of joining. */
typedef struct joining {
    rows rows;
    hb_wide_join join;
    hb_schema schema; /* of the output */
    hb_table_writer *writer;
} joining;

/* Opens the tables of residues on a rank that did not make them: now, so that it sees what other hosts have synced. */
static hb_status open_residues(hb_residue_tables *residues, const hb_residue_output *output, const hb_table_view *view,
                               uint32_t count)
{
    hb_status st = HB_OK;
    for (uint32_t i = 0; st == HB_OK && i < count; i++) {
        char *name;
        HB_TRY(hb_residue_table_name(output->name, i, &name));
        st = hb_table_join(name, output->residue, view, &residues->table[i]);
        free(name);
    }
    return st;
}

/* Makes the output on rank 0, and all that joining needs on each rank. */
static hb_status begin_joining(joining *j, hb_residue_tables *residues, const hb_residue_output *output,
                               const hb_header *header, bool creates)
{
    const bool grouped = header->schema.grouping != NULL;
    const hb_table_view *own = grouped ? NULL : output->view;
    bool is_csv;
    HB_TRY(find_kind(output->name, &is_csv));
    HB_TRY(hb_wide_join_init(&j->join, &header->schema, &header->spec, output->modulo, is_csv, own, &j->schema));
    HB_TRY(rows_alloc(&j->rows, output->name, j->join.count, j->join.residues.count));
    if (!creates) {
        return open_residues(residues, output, own, j->join.residues.count);
    }
    return hb_table_create_view(output->name, &j->schema, grouped ? output->view : NULL, output->force, &j->writer);
}

/* Joins this rank's share. */
static hb_status join_rows(joining *j, const hb_residue_tables *residues, const hb_residue_output *output,
                           const hb_header *header, const hb_group *writers)
{
    const bool grouped = header->schema.grouping != NULL;
    const hb_table_view *own = grouped ? NULL : output->view;
    const hb_share share = hb_partition(j->schema.rows, (uint32_t)writers->rank, (uint32_t)writers->size);
    if (j->writer == NULL) {
        HB_TRY(hb_table_join(output->name, &j->schema, grouped ? output->view : NULL, &j->writer));
    }
    HB_TRY(join_share(&j->rows, residues, &j->join, own != NULL ? own->row : 0, share, j->writer));
    return writers->size > 1 ? hb_table_sync(j->writer) : HB_OK; /* the commit of a rank alone does */
}

hb_status hb_residue_tables_join(hb_residue_tables *residues, const hb_residue_output *output, const hb_header *header,
                                 const hb_table_team *team, hb_table_text_size *text)
{
    hb_group *writers = team->writers;
    joining j = {.writer = NULL};
    hb_status st = HB_OK;
    HB_GOTO(hb_agree(writers, begin_joining(&j, residues, output, header, writers->rank == 0)));
    HB_GOTO(hb_agree(writers, join_rows(&j, residues, output, header, writers)));
    st = hb_table_team_commit(team, j.writer, text);
done:
    hb_table_writer_close(j.writer);
    rows_clear(&j.rows);
    hb_schema_clear(&j.schema);
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
