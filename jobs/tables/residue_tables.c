#include "residue_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "io/base/durable.h"
#include "io/base/grouping.h"

static hb_status file_of(const char *output, uint32_t residue, char **file)
{
    char *table, *dataset, suffix[32];
    if (hb_table_is_stdout(output)) {
        return HB_FAIL(HB_EUSAGE, "values of several plain moduli go through files beside the output: name one");
    }
    HB_TRY(hb_table_name_split(output, &table, &dataset));
    snprintf(suffix, sizeof suffix, ".residue-%" PRIu32 ".h5", residue);
    const hb_status st = hb_path_with(table, suffix, file);
    free(table);
    free(dataset);
    return st;
}

hb_status hb_residue_table_name(const char *output, uint32_t residue, char **name)
{
    char *file;
    HB_TRY(file_of(output, residue, &file));
    const hb_status st = hb_path_with(file, ":/residues", name);
    free(file);
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
        column->wide = column->ranged = column->is_signed = column->may_wrap = false;
    }
}

/* What joining takes: some rows of each residue, and of cells. */
typedef struct rows {
    hb_table *table[HB_MOST_RESIDUES];
    uint64_t *residue[HB_MOST_RESIDUES], *cells;
    uint64_t most; /* rows */
    size_t words;  /* of residues; twice as many of cells at most */
} rows;

static void rows_clear(rows *r)
{
    for (int i = 0; i < HB_MOST_RESIDUES; i++) {
        hb_table_close(r->table[i]);
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

static hb_status rows_open(rows *r, const char *output, const hb_header *header)
{
    enum { WORDS = 1 << 16 };
    const uint64_t columns = header->schema.columns;
    const uint32_t count = hb_spec_residues(&header->spec);
    *r = (rows){.most = columns < WORDS ? WORDS / columns : 1};
    r->words = (size_t)(r->most * columns);
    r->cells = calloc(HB_WIDE_CELL * r->words, sizeof *r->cells);
    bool whole = r->cells != NULL;
    for (uint32_t i = 0; i < count; i++) {
        r->residue[i] = calloc(r->words, sizeof *r->residue[i]);
        whole = whole && r->residue[i] != NULL;
    }
    if (!whole) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to join residues", output);
    }
    for (uint32_t i = 0; i < count; i++) {
        char *name;
        HB_TRY(hb_residue_table_name(output, i, &name));
        const hb_status st = hb_table_open(name, HB_CELL_INTEGER, &r->table[i]);
        free(name);
        HB_TRY(st);
    }
    return HB_OK;
}

static hb_status join_all(rows *r, const hb_wide_join *join, const hb_header *header, hb_table_writer *writer)
{
    for (hb_chunk c = hb_chunks(header->schema.rows, r->most); hb_chunk_next(&c);) {
        const hb_rectangle some = {.row = c.first, .rows = c.count, .columns = header->schema.columns};
        for (uint32_t i = 0; i < hb_spec_residues(&header->spec); i++) {
            HB_TRY(hb_table_read(r->table[i], &some, r->residue[i]));
        }
        HB_TRY(hb_wide_join_rows(join, some.row, some.rows, (const uint64_t *const *)r->residue, r->cells));
        HB_TRY(hb_table_write(writer, &some, r->cells));
    }
    return HB_OK;
}

hb_status hb_residue_tables_join(const hb_residue_output *output, const hb_header *header)
{
    rows r = {.most = 0};
    hb_wide_join join;
    hb_schema schema = {.columns = 0};
    hb_table_writer *writer = NULL;
    char *file = NULL, *dataset = NULL;
    hb_status st;
    HB_GOTO(hb_table_name_split(output->name, &file, &dataset));
    HB_GOTO(rows_open(&r, output->name, header));
    HB_GOTO(hb_wide_join_init(&join, &header->schema, &header->spec, output->modulo, dataset == NULL, &schema));
    HB_GOTO(hb_table_create_view(output->name, &schema, output->view, output->force, &writer));
    HB_GOTO(join_all(&r, &join, header, writer));
    st = hb_table_commit(writer);
done:
    hb_table_writer_close(writer);
    rows_clear(&r);
    hb_schema_clear(&schema);
    free(file);
    free(dataset);
    return st;
}

void hb_residue_tables_remove(const char *output, uint32_t residues)
{
    const hb_error cause = *hb_last_error();
    for (uint32_t i = 0; i < residues; i++) {
        char *file;
        if (file_of(output, i, &file) == HB_OK) {
            (void)unlink(file);
            free(file);
        }
    }
    hb_set_error(&cause);
}
