#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "batch/cells/cells.h"
#include "batch/cells/plain_look.h"
#include "lang/program/interval_words.h"
#include "lang/text/binding.h"
#include "scheme/codec.h"
#include "search.h"
#include "tables.h"

static const uint64_t buffer_values = ((uint64_t)1 << 20) / sizeof(uint64_t);

/* For a text that is taken for the table of the only name that the expression reads. */
static hb_status check_path(const char *option, const char *text, const char *read)
{
    const size_t length = strcspn(text, "=");
    char name[64];
    struct stat info;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), text);
    if (text[length] != '=' || !hb_name_valid(name) || stat(text, &info) == 0) {
        return HB_OK;
    }
    return HB_FAIL(HB_EUSAGE,
                   "--%s %.64s=..: the expression reads no %.64s, but %.64s; if that is a column, write "
                   "%.64s.%.64s",
                   option, name, name, read, name, read);
}

/* Finds the paths in the list of an option; plain: it names plain tables. */
static hb_status find_paths(hb_ranged_table *tables, char *const *reads, uint32_t count, const char *text, bool plain)
{
    const char *option = plain ? "plain-table" : "table";
    while (text != NULL) {
        uint32_t i = hb_path_list_name(text, reads, count);
        if (i == count && count != 1) {
            return HB_FAIL(HB_EUSAGE, "--%s: expected NAME=FILE of a name that the expression reads, as %.40s=%s",
                           option, count > 0 ? reads[0] : "a", "patients.csv");
        }
        if (i == count) {
            HB_TRY(check_path(option, text, reads[0]));
        }
        text += i < count ? strlen(reads[i]) + 1 : 0;
        i = i < count ? i : 0;
        const size_t length = hb_path_list_length(text, reads, count);
        if (tables[i].path != NULL || length == 0) {
            return HB_FAIL(HB_EUSAGE, "--%s: %s of %.40s", option, length == 0 ? "no file" : "two files", reads[i]);
        }
        tables[i].path = strndup(text, length);
        tables[i].plain = plain;
        if (tables[i].path == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for the name of a table");
        }
        text = text[length] == ',' ? text + length + 1 : NULL;
    }
    return HB_OK;
}

/* Values of a rectangle of all columns, of up to 128 bits. */
static void widen(hb_ranged_table *of, const uint64_t *values, uint64_t rows)
{
    for (uint64_t c = 0; c < of->schema.columns; c++) {
        hb_interval range = of->columns[c];
        for (uint64_t r = 0; r < rows; r++) {
            const uint64_t *row = values + r * of->schema.columns * HB_WIDE_CELL, *cell = row + c * HB_WIDE_CELL;
            const uint64_t mask = of->schema.column[c].mask;
            if (mask > 0 && !hb_column_is_there(&of->schema.column[c], row[(mask - 1) * HB_WIDE_CELL])) {
                continue;
            }
            const hb_wide value = hb_wide_of_cell(cell, of->schema.column[c].is_signed);
            if (!range.known || hb_wide_compare(value, range.wide_least) < 0 ||
                hb_wide_compare(value, range.wide_most) > 0) {
                range = hb_interval_join(range, hb_interval_of_wide(value, value));
            }
        }
        of->columns[c] = range;
    }
}

/* The same of reals; of complex ones the range is that of moduli. */
static void widen_reals(hb_ranged_table *of, const uint64_t *values, uint64_t rows)
{
    const uint64_t words = hb_schema_words(&of->schema, 0, of->schema.columns);
    for (uint64_t c = 0, at = 0; c < of->schema.columns; at += hb_column_words(&of->schema.column[c++])) {
        for (uint64_t r = 0; r < rows; r++) {
            const uint64_t *row = values + r * words, *word = row + at;
            const uint64_t mask = of->schema.column[c].mask;
            const uint64_t at_mask = mask > 0 ? hb_schema_words(&of->schema, 0, mask - 1) : 0;
            if (mask > 0 && !hb_column_is_there(&of->schema.column[c], row[at_mask])) {
                continue;
            }
            const bool is_complex = of->schema.column[c].halves == HB_HALVES_COMPLEX;
            const double value = is_complex ? hypot(hb_real_of(word[0]), hb_real_of(word[1])) : hb_real_of(word[0]);
            const double least = is_complex ? -value : value;
            of->columns[c] = hb_interval_join(of->columns[c], hb_interval_of_reals(least, value));
        }
    }
}

/* Columns that --derive makes may have a range by themselves, with which they are encrypted. One with a mask, of
 * which no cell is there, gets 0, as encrypt has it. */
static void take_ranges(hb_ranged_table *of)
{
    for (uint64_t c = 0; c < of->schema.columns; c++) {
        const hb_column *column = &of->schema.column[c];
        if (column->mask > 0 && !of->columns[c].known) {
            of->columns[c] = column->cells == HB_CELL_REAL ? hb_interval_of_reals(0, 0) : hb_interval_of(0, 0);
        }
        if (column->ranged) {
            of->columns[c] = hb_interval_join(of->columns[c], hb_column_stored(column));
        }
    }
}

static hb_status scan(hb_ranged_table *of, hb_table *table, uint64_t *values, uint64_t step)
{
    for (hb_chunk c = hb_chunks(of->schema.rows, step); hb_chunk_next(&c);) {
        const hb_rectangle cells = {.row = c.first, .rows = c.count, .columns = of->schema.columns};
        HB_TRY(hb_table_read(table, &cells, values));
        if (hb_table_schema(table)->column[0].cells == HB_CELL_REAL) {
            widen_reals(of, values, cells.rows);
        } else {
            widen(of, values, cells.rows);
        }
    }
    take_ranges(of);
    return HB_OK;
}

/* Whether rows are left out for a cell that is missing in some column. */
static bool drops(const hb_reading *reading)
{
    bool any = reading->missing == HB_MISSING_DROP;
    for (size_t r = 0; r < reading->count && !any; r++) {
        any = reading->column[r].has_missing && reading->column[r].missing == HB_MISSING_DROP;
    }
    return any;
}

static hb_status look_at(hb_ranged_table *of, const hb_suggest_request *request, const hb_reading *reading)
{
    hb_table *table = NULL;
    uint64_t *values = NULL;
    uint64_t capacity = 0;
    hb_status st;
    /* As wide as they come: several plain moduli may hold them. */
    const hb_cell_type cells = hb_codec_cell_type(request->scheme);
    HB_GOTO(hb_table_open_as(of->path, cells == HB_CELL_INTEGER ? HB_CELL_WIDE : cells, reading, &table));
    HB_GOTO(hb_schema_copy(&of->schema, hb_table_schema(table)));
    if (of->schema.rows == 0 && drops(reading)) {
        HB_GOTO(
            HB_FAIL(HB_EDATA,
                    "%s: no row is left, as each has a missing cell for which --missing drop leaves it out; --missing "
                    "mask keeps the other cells of such a row",
                    of->path));
    }
    if (of->schema.rows == 0) {
        HB_GOTO(HB_FAIL(HB_EDATA,
                        "%s has no rows: params suggest plans for rows that come later with --range and --rows",
                        of->path));
    }
    const uint64_t words = hb_schema_words(&of->schema, 0, of->schema.columns);
    const uint64_t fit = buffer_values / words, step = fit > 0 ? fit : 1;
    capacity = step * words;
    of->columns = calloc((size_t)of->schema.columns, sizeof *of->columns);
    values = malloc((size_t)capacity * sizeof *values);
    if (of->columns == NULL || values == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory to look at its values", of->path));
    }
    st = scan(of, table, values, step);
    if (st == HB_OK && request->ranges != NULL) { /* a refusal of a range looks for the row */
        of->table = table;
        table = NULL;
    }
done:
    if (values != NULL) {
        hb_wipe(values, (size_t)capacity * sizeof *values);
    }
    free(values);
    hb_table_close(table);
    return st;
}

/* Reads the selected columns where no option names others. */
static hb_status read_table(hb_ranged_table *of, const hb_suggest_request *request, const char *name, bool alone)
{
    hb_table_words words = *request->words;
    hb_reading own;
    words.columns = words.columns == NULL ? of->selected : words.columns;
    hb_status st = hb_table_words_parse(&words, &own);
    own.columns_optional = !alone; /* of several tables, one may lack columns of another */
    own.table_name = name;
    own.said.columns = request->words->columns;
    own.may_mask = request->words->digits.count == 0;
    own.needs_all = of->selected != NULL; /* the question reads them */
    own.unread_allowed = request->words->columns == NULL && of->selected != NULL;
    st = st == HB_OK ? look_at(of, request, &own) : st;
    hb_reading_clear(&own);
    return st;
}

/* That some table has each column that is to be read. */
static hb_status check_columns(const hb_ranged_table *tables, uint32_t count, const hb_reading *reading)
{
    for (size_t r = 0; reading->selects && r < reading->count; r++) {
        bool found = !reading->column[r].selected;
        for (uint32_t i = 0; i < count && !found; i++) {
            const hb_schema *schema = &tables[i].schema;
            for (uint64_t c = 0; schema->named && c < schema->columns && !found; c++) {
                found = strcmp(schema->column[c].name, reading->column[r].name) == 0;
            }
        }
        if (!found) {
            return HB_FAIL(HB_EUSAGE, "--columns: no table has a column '%.64s'", reading->column[r].name);
        }
    }
    return HB_OK;
}

hb_status hb_ranged_tables_find(hb_ranged_table *tables, char *const *reads, uint32_t count,
                                const hb_suggest_request *request)
{
    HB_TRY(find_paths(tables, reads, count, request->tables, false));
    return find_paths(tables, reads, count, request->plain_tables, true);
}

hb_status hb_ranged_tables_read(hb_ranged_table *tables, char *const *reads, uint32_t count,
                                const hb_suggest_request *request)
{
    uint32_t paths = 0;
    for (uint32_t i = 0; i < count; i++) {
        paths += tables[i].path != NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (tables[i].path != NULL && tables[i].plain) {
            HB_TRY(hb_plain_table_open(&tables[i], request));
        } else if (tables[i].path != NULL) {
            HB_TRY(read_table(&tables[i], request, reads[i], paths == 1));
        }
    }
    return paths > 1 ? check_columns(tables, count, request->reading) : HB_OK;
}

/* Reads the columns that the expression does, as eval. */
static hb_status open_plain(hb_ranged_table *of, const hb_suggest_request *request)
{
    hb_reading own = {0};
    hb_table_close(of->table);
    of->table = NULL;
    hb_status st = hb_plain_reading(request->reading, of->selected, &own);
    /* As wide as they come: several plain moduli may hold them. */
    const hb_cell_type cells = hb_codec_cell_type(request->scheme);
    st = st == HB_OK ? hb_table_open_as(of->path, cells == HB_CELL_INTEGER ? HB_CELL_WIDE : cells, &own, &of->table)
                     : st;
    hb_reading_clear(&own);
    return st;
}

hb_status hb_plain_table_open(hb_ranged_table *of, const hb_suggest_request *request)
{
    HB_TRY(open_plain(of, request));
    const hb_schema *schema = hb_table_schema(of->table);
    if (schema->rows == 0) {
        return HB_FAIL(HB_EDATA, "%s has no rows", of->path);
    }
    HB_TRY(hb_schema_check_names(schema, of->path));
    HB_TRY(hb_schema_refuse_masks(schema, of->path, hb_plain_without_masks));
    hb_schema_clear(&of->schema);
    HB_TRY(hb_schema_copy(&of->schema, schema));
    for (uint64_t c = 0; c < schema->columns; c++) {
        of->schema.column[c].cells = hb_codec_cell_type(request->scheme);
    }
    free(of->columns);
    of->columns = calloc((size_t)schema->columns, sizeof *of->columns);
    if (of->columns == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to look at its values", of->path);
    }
    HB_TRY(hb_plain_columns_init(&of->source, of->table, of->path));
    return hb_plain_is_small(schema, hb_program_may_weigh(request->expression))
               ? hb_plain_look(of->table, of->path, of->columns, &of->cells)
               : HB_OK;
}

/* Finds the first row whose value of a column is outside a range; the number of rows: none is. */
static hb_status find_outside(const hb_ranged_table *of, uint64_t column, hb_interval range, uint64_t *found)
{
    enum { STEP = 1 << 10 };
    hb_ranged_table one = *of;
    const uint64_t rows = of->schema.rows, words = hb_schema_words(&of->schema, 0, of->schema.columns);
    const bool reals = hb_table_schema(of->table)->column[0].cells == HB_CELL_REAL;
    const uint64_t width = reals ? words : of->schema.columns * HB_WIDE_CELL;
    uint64_t *values = calloc((size_t)(STEP * width), sizeof *values);
    one.columns = calloc((size_t)of->schema.columns, sizeof *one.columns);
    hb_status st = values != NULL && one.columns != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for a row");
    *found = rows;
    for (hb_chunk c = hb_chunks(rows, STEP); st == HB_OK && *found == rows && hb_chunk_next(&c);) {
        const hb_rectangle cells = {.row = c.first, .rows = c.count, .columns = of->schema.columns};
        st = hb_table_read(of->table, &cells, values);
        for (uint64_t r = 0; r < c.count && st == HB_OK && *found == rows; r++) {
            one.columns[column] = (hb_interval){.known = false};
            (reals ? widen_reals : widen)(&one, values + r * width, 1);
            const hb_interval value = one.columns[column];
            *found = value.known && !hb_interval_within(value, range) ? c.first + r : rows;
        }
    }
    if (values != NULL) {
        hb_wipe(values, (size_t)(STEP * width) * sizeof *values);
    }
    free(values);
    free(one.columns);
    return st;
}

hb_status hb_ranged_table_refuse(const hb_ranged_table *of, uint64_t column, hb_interval range)
{
    char where[HB_TABLE_PLACE], said[HB_INTERVAL_OPTION];
    const char *name = hb_cells_column(&of->schema, column).text;
    uint64_t row = of->schema.rows;
    if (of->table != NULL) {
        HB_TRY(find_outside(of, column, range, &row));
    }
    if (row == of->schema.rows) {
        return HB_FAIL(HB_EDATA, "%s: column %s has values outside its --range", of->path, name);
    }
    hb_interval_meant_option(said, range, &of->schema.column[column].meaning);
    return HB_FAIL(HB_EDATA, "%s, column %s: the value is outside %s, which --range says of the column",
                   hb_table_place_text(of->table, row, where), name, said);
}

void hb_ranged_tables_clear(hb_ranged_table *tables, uint32_t count)
{
    for (uint32_t i = 0; tables != NULL && i < count; i++) {
        free(tables[i].path);
        free(tables[i].selected);
        free(tables[i].columns);
        if (tables[i].cells != NULL) {
            hb_wipe(tables[i].cells, (size_t)(tables[i].schema.rows * tables[i].schema.columns) * sizeof(hb_number));
        }
        free(tables[i].cells);
        hb_plain_columns_clear(&tables[i].source);
        hb_table_close(tables[i].table);
        hb_schema_clear(&tables[i].schema);
    }
}
