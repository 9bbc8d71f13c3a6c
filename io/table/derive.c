/* A table with columns that are derived from its own, row by row (table/derivation.h). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "table_private.h"

enum { PIECE = 1 << 14, MOST_YEAR = 9999 }; /* words that are read at a time, unless one row has more */

/* Columns first .. last of the inner table. */
typedef struct span {
    uint64_t first, last;
} span;

/* A derived column. */
typedef struct derived_column {
    hb_derived_rule rule;
    const char *name;
    struct {
        bool there, derived; /* it is one before it; else a column of the inner table */
        uint64_t column;
    } from[HB_DERIVED_SOURCES];
    span reads;              /* with masks */
    const char *mask_ending; /* of the name of its mask; NULL: none of its cells is missing */
} derived_column;

/* A column of the table. */
typedef struct shown_column {
    enum { COPY, VALUE, MASK } kind;
    uint64_t of; /* column of the inner table, or place among the derived ones */
} shown_column;

typedef struct derived_table {
    hb_table base;
    hb_table *inner;
    uint64_t *offset; /* [columns of inner + 1] words before a column in a row */
    hb_derivations derivations;
    derived_column *derived; /* [count] */
    uint64_t count;
    shown_column *output; /* [base.schema.columns] */
} derived_table;

static hb_status no_memory(const derived_table *table)
{
    return HB_FAIL(HB_ENOMEM, "%s: no memory for derived columns", table->base.name);
}

/* --- reading */

/* Reads the cell of a column from a row that begins with column `first`. */
static hb_derived_cell cell_of(const derived_table *table, uint64_t first, const uint64_t *row, uint64_t c)
{
    const hb_column *column = &hb_table_schema(table->inner)->column[c];
    const uint64_t *word = row + (table->offset[c] - table->offset[first]);
    hb_derived_cell cell = hb_derived_cell_of(column, word);
    if (column->mask > 0) {
        const uint64_t mask = row[table->offset[column->mask - 1] - table->offset[first]];
        cell.missing = !hb_column_is_there(column, mask);
    }
    return cell;
}

/* Makes the cells that are needed of a row. */
static hb_status make_cells(const derived_table *table, uint64_t row, uint64_t first, const uint64_t *words,
                            const bool *needed, hb_derived_cell *cell)
{
    for (uint64_t m = 0; m < table->count; m++) {
        const derived_column *next = &table->derived[m];
        hb_derived_cell own[HB_DERIVED_SOURCES];
        const hb_derived_cell *from[HB_DERIVED_SOURCES] = {NULL};
        for (int i = 0; i < HB_DERIVED_SOURCES && needed[m]; i++) {
            if (next->from[i].there && !next->from[i].derived) {
                own[i] = cell_of(table, first, words, next->from[i].column);
            }
            from[i] = !next->from[i].there ? NULL : next->from[i].derived ? &cell[next->from[i].column] : &own[i];
        }
        const char *fault = needed[m] ? next->rule.make(&next->rule, from, &cell[m]) : NULL;
        if (fault != NULL) {
            char where[HB_TABLE_PLACE];
            return HB_FAIL(HB_EDATA, "%s, column %.64s, --derive '%.100s': %s",
                           hb_table_place_text(table->inner, row, where), next->rule.of->source[0], next->rule.of->text,
                           fault);
        }
    }
    return HB_OK;
}

/* Notes which columns are needed to make one. */
static void need(const derived_table *table, uint64_t m, bool *needed)
{
    needed[m] = true;
    for (uint64_t i = m + 1; i-- > 0;) {
        for (int k = 0; k < HB_DERIVED_SOURCES && needed[i]; k++) {
            if (table->derived[i].from[k].there && table->derived[i].from[k].derived) {
                needed[table->derived[i].from[k].column] = true;
            }
        }
    }
}

static span join(span a, span b)
{
    return (span){a.first < b.first ? a.first : b.first, a.last > b.last ? a.last : b.last};
}

/* Stores the cell of one column; returns where the next one goes. */
static uint64_t *put(const derived_table *table, uint64_t c, uint64_t first, const uint64_t *row,
                     const hb_derived_cell *cell, uint64_t *values)
{
    const shown_column *output = &table->output[c];
    const hb_column *column = &table->base.schema.column[c];
    const uint64_t words = hb_column_words(column);
    if (output->kind == COPY) {
        memcpy(values, row + (table->offset[output->of] - table->offset[first]), (size_t)words * sizeof *values);
        return values + words;
    }
    const hb_derived_cell *of = &cell[output->of];
    const bool mask = output->kind == MASK;
    values[0] = !mask && of->missing            ? column->fill
                : column->cells == HB_CELL_REAL ? hb_real_word(mask ? !of->missing : of->number)
                                                : (uint64_t)(mask ? !of->missing : of->integer);
    values[words - 1] = words > 1 ? 0 - (values[0] >> 63) : values[0]; /* the sign of wide ones */
    return values + words;
}

/* Room for rows of the inner table, and for cells that are made of one. */
typedef struct row_room {
    span reads;
    uint64_t words, rows; /* words of a row; rows that fit */
    uint64_t *word;
    bool *needed;
    hb_derived_cell *cell;
} row_room;

static hb_status room_make(const derived_table *table, span reads, row_room *room)
{
    room->reads = reads;
    room->words = table->offset[reads.last + 1] - table->offset[reads.first];
    room->rows = room->words < PIECE ? PIECE / room->words : 1;
    room->word = malloc((size_t)(room->rows * room->words) * sizeof *room->word);
    room->needed = calloc((size_t)table->count + 1, sizeof *room->needed);
    room->cell = calloc((size_t)table->count + 1, sizeof *room->cell);
    return room->word != NULL && room->needed != NULL && room->cell != NULL ? HB_OK : no_memory(table);
}

static void room_clear(const derived_table *table, row_room *room)
{
    if (room->word != NULL) {
        hb_wipe(room->word, (size_t)(room->rows * room->words) * sizeof *room->word); /* plaintext */
    }
    if (room->cell != NULL) {
        hb_wipe(room->cell, (size_t)table->count * sizeof *room->cell);
    }
    free(room->word);
    free(room->needed);
    free(room->cell);
}

static hb_status derived_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    const derived_table *table = (const derived_table *)base;
    span reads = {UINT64_MAX, 0};
    row_room room = {.word = NULL};
    hb_status st;
    for (uint64_t c = cells->column; c < cells->column + cells->columns; c++) {
        const shown_column *output = &table->output[c];
        const span own = {output->of, output->of};
        reads = join(reads, output->kind == COPY ? own : table->derived[output->of].reads);
    }
    HB_GOTO(room_make(table, reads, &room));
    for (uint64_t c = cells->column; c < cells->column + cells->columns; c++) {
        if (table->output[c].kind != COPY) {
            need(table, table->output[c].of, room.needed);
        }
    }
    for (hb_chunk c = hb_chunks(cells->rows, room.rows); hb_chunk_next(&c);) {
        const hb_rectangle some = {cells->row + c.first, c.count, reads.first, reads.last - reads.first + 1};
        HB_GOTO(hb_table_read(table->inner, &some, room.word));
        for (uint64_t r = 0; r < some.rows; r++) {
            const uint64_t *row = room.word + r * room.words;
            HB_GOTO(make_cells(table, some.row + r, reads.first, row, room.needed, room.cell));
            for (uint64_t to = cells->column; to < cells->column + cells->columns; to++) {
                values = put(table, to, reads.first, row, room.cell, values);
            }
        }
    }
done:
    room_clear(table, &room);
    return st;
}

static hb_status derived_find(hb_table *base, uint64_t row, const hb_table **of, hb_csv_place *place)
{
    return hb_table_find(((const derived_table *)base)->inner, row, of, place);
}

static void derived_close(hb_table *base)
{
    derived_table *table = (derived_table *)base;
    for (uint64_t m = 0; table->derived != NULL && m < table->count; m++) {
        hb_derived_rule_clear(&table->derived[m].rule);
    }
    hb_table_close(table->inner);
    hb_derivations_clear(&table->derivations);
    free(table->derived);
    free(table->output);
    free(table->offset);
    free(table);
}

static void derived_fill(hb_table *base, uint64_t column)
{
    const derived_table *table = (const derived_table *)base;
    if (table->output[column].kind == COPY) {
        hb_table_set_fill(table->inner, table->output[column].of, base->schema.column[column].fill);
    }
}

static const hb_table_ops derived_ops = {
    .read = derived_read, .find = derived_find, .fill = derived_fill, .close = derived_close};

/* --- derived columns */

/* A column whose greatest and least numbers are wanted. */
typedef struct search {
    const derived_table *table;
    span reads;
    bool real, derived; /* one of the table's derived columns; else of the inner table */
    uint64_t column;
} search;

/* Is hb_derived_extremes.find. */
static hb_status find_extremes(void *context, hb_derived_cell ends[2])
{
    const search *looking = context;
    const derived_table *table = looking->table;
    const uint64_t of = looking->column;
    row_room room = {.word = NULL};
    hb_status st;
    ends[0] = ends[1] = (hb_derived_cell){.missing = true};
    HB_GOTO(room_make(table, looking->reads, &room));
    if (looking->derived) {
        need(table, of, room.needed);
    }
    for (hb_chunk c = hb_chunks(hb_table_schema(table->inner)->rows, room.rows); hb_chunk_next(&c);) {
        const uint64_t first = room.reads.first;
        HB_GOTO(hb_table_read(table->inner, &(hb_rectangle){c.first, c.count, first, room.reads.last - first + 1},
                              room.word));
        for (uint64_t r = 0; r < c.count; r++) {
            const uint64_t *row = room.word + r * room.words;
            HB_GOTO(make_cells(table, c.first + r, first, row, room.needed, room.cell));
            const hb_derived_cell cell = looking->derived ? room.cell[of] : cell_of(table, first, row, of);
            const bool less = looking->real ? cell.number < ends[0].number : cell.integer < ends[0].integer;
            const bool more = looking->real ? cell.number > ends[1].number : cell.integer > ends[1].integer;
            ends[0] = !cell.missing && (ends[0].missing || less) ? cell : ends[0];
            ends[1] = !cell.missing && (ends[1].missing || more) ? cell : ends[1];
        }
    }
done:
    room_clear(table, &room);
    return st;
}

/* Numbers that are computed have a sign where one of them is below 0, as those of a CSV. */
static hb_status find_sign(search *looking, hb_column *column)
{
    hb_derived_cell ends[2];
    const hb_status st = find_extremes(looking, ends);
    column->is_signed = st == HB_OK && !ends[0].missing && ends[0].integer < 0;
    return st;
}

/* Finds a source of the next column; its own name begins no search. False: there is none. */
static bool find_source(const derived_table *table, derived_column *next, int i, const hb_column **column)
{
    const hb_schema *inner = hb_table_schema(table->inner);
    const char *name = next->rule.of->source[i];
    uint64_t m = 0, c = 0;
    while (m < table->count && strcmp(table->derived[m].name, name) != 0) {
        m++;
    }
    next->from[i].there = true;
    next->from[i].derived = m < table->count;
    if (next->from[i].derived) {
        const derived_column *of = &table->derived[m];
        next->from[i].column = m;
        next->reads = join(next->reads, of->reads);
        next->mask_ending = of->mask_ending != NULL ? of->mask_ending : next->mask_ending;
        *column = &of->rule.column;
        return true;
    }
    while (c < hb_schema_shown(inner) && strcmp(inner->column[c].name, name) != 0) {
        c++;
    }
    if (c == hb_schema_shown(inner)) {
        return false;
    }
    next->from[i].column = c;
    next->reads = join(next->reads, (span){c, c});
    *column = &inner->column[c];
    if ((*column)->mask > 0) {
        next->reads = join(next->reads, (span){(*column)->mask - 1, (*column)->mask - 1});
        next->mask_ending = inner->column[(*column)->mask - 1].name + strlen(name);
    }
    return true;
}

/* The meaning that a column has in a dataset; NULL: there is none. */
static hb_status find_alike(const hb_reading *reading, const char *name, const hb_meaning **alike)
{
    const hb_column_reading *how = hb_reading_of(reading, name);
    *alike = how != NULL && how->has_meaning && how->is_alike ? &how->meaning : NULL;
    const bool spelt = how != NULL && (how->folds || how->percent || how->has_decimal || how->na != NULL);
    return !spelt && (how == NULL || !how->has_meaning || how->is_alike)
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "column '%.64s': --derive makes it; leave other options for it out", name);
}

/* Makes the next column. Several tables are one: a table without a source has no such column. */
static hb_status make_column(derived_table *table, const hb_reading *reading, const hb_derivation *of)
{
    derived_column *next = &table->derived[table->count];
    const hb_column *from[HB_DERIVED_SOURCES] = {NULL};
    const hb_meaning *alike;
    *next = (derived_column){.name = of->name, .rule.of = of, .reads = {UINT64_MAX, 0}};
    for (int i = 0; i < HB_DERIVED_SOURCES && of->source[i] != NULL; i++) {
        if (!find_source(table, next, i, &from[i])) {
            return reading->columns_optional ? HB_OK
                                             : HB_FAIL(HB_EUSAGE, "%s: --derive '%.120s': there is no column '%.64s'",
                                                       table->base.name, of->text, of->source[i]);
        }
    }
    HB_TRY(find_alike(reading, of->name, &alike));
    search looking = {table, next->reads, from[0]->cells == HB_CELL_REAL, next->from[0].derived, next->from[0].column};
    const hb_derived_extremes extremes = {find_extremes, &looking};
    const hb_status st = hb_derived_rule_make(&next->rule, of, from, alike, &extremes);
    if (st != HB_OK) {
        hb_derived_rule_clear(&next->rule);
        return st;
    }
    next->rule.column.name = of->name; /* for messages; not owned */
    looking.derived = true;
    looking.column = table->count++;
    return hb_derivation_computes(of) && !looking.real ? find_sign(&looking, &next->rule.column) : HB_OK;
}

/* --- the schema */

/* Whether a column of the inner table is read only because others are made of it. */
static bool is_hidden(const hb_reading *inner, const char *name)
{
    const hb_column_reading *how = inner->selects ? hb_reading_of(inner, name) : NULL;
    return how != NULL && how->derives != NULL;
}

/* A derived column has a range where its meaning says one; in types that are narrow it always has. */
static void fit_range(uint32_t width, hb_column *column)
{
    const hb_labels *labels = column->meaning.labels;
    if (!column->ranged && column->cells == HB_CELL_INTEGER && width < sizeof(uint64_t)) {
        column->ranged = true;
        column->most = column->meaning.kind == HB_MEANING_BOOL ? 1 : labels != NULL ? labels->count - 1 : MOST_YEAR;
    }
}

/* Makes one column of the schema. `mask`: the number of its mask and one; 0: it has none. */
static hb_status set_column(derived_table *table, uint64_t c, shown_column of, uint64_t mask)
{
    const hb_schema *inner = hb_table_schema(table->inner);
    const derived_column *own = of.kind == COPY ? NULL : &table->derived[of.of];
    hb_column *to = &table->base.schema.column[c];
    table->output[c] = of;
    const hb_column plain = {.name = (char *)(uintptr_t) "", .cells = inner->column[0].cells, .full = 1};
    if (!hb_column_copy(to, of.kind == COPY ? &inner->column[of.of] : of.kind == VALUE ? &own->rule.column : &plain)) {
        return no_memory(table);
    }
    to->mask = mask;
    if (of.kind == VALUE) {
        to->has_fill = mask > 0;
        fit_range(table->base.schema.width, to);
    } else if (of.kind == MASK) {
        free(to->name);
        if (asprintf(&to->name, "%s%s", own->name, own->mask_ending) < 0) {
            to->name = NULL;
            return no_memory(table);
        }
    }
    return strlen(to->name) <= HB_COLUMN_NAME_MAX
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: the name of column '%.64s' is too long for one with a mask", table->base.name,
                         to->name);
}

/* Columns that are shown, derived ones behind them, and masks behind all. */
static hb_status set_columns(derived_table *table, const hb_reading *inner_reading, const bool *shown)
{
    const hb_schema *inner = hb_table_schema(table->inner);
    const uint64_t own = hb_schema_shown(inner);
    hb_schema *schema = &table->base.schema;
    shown_column *all = calloc((size_t)(own + table->count) + 1, sizeof *all);
    uint64_t count = 0, masks = 0;
    bool computes = false; /* numbers that need not fit into the type of others */
    hb_status st = HB_OK;
    for (uint64_t c = 0; all != NULL && c < own; c++) {
        if (!is_hidden(inner_reading, inner->column[c].name)) {
            all[count++] = (shown_column){COPY, c};
            masks += inner->column[c].mask > 0;
        }
    }
    for (uint64_t m = 0; all != NULL && m < table->count; m++) {
        if (shown[m]) {
            all[count++] = (shown_column){VALUE, m};
            masks += table->derived[m].mask_ending != NULL;
            computes = computes || hb_derivation_computes(table->derived[m].rule.of);
        }
    }
    *schema = *inner;
    schema->column = NULL;
    schema->grouping = NULL;
    HB_GOTO(hb_schema_alloc(schema, inner->rows, count + masks));
    schema->rank = 2;
    schema->width = computes && schema->width < sizeof(uint64_t) ? (uint32_t)sizeof(uint64_t) : schema->width;
    table->output = calloc((size_t)(count + masks) + 1, sizeof *table->output);
    HB_GOTO(all != NULL && table->output != NULL ? HB_OK : no_memory(table));
    for (uint64_t c = 0, mask = count; c < count; c++) {
        const shown_column of = all[c];
        const bool masked = of.kind == COPY ? inner->column[of.of].mask > 0 : table->derived[of.of].mask_ending != NULL;
        HB_GOTO(set_column(table, c, of, masked ? mask + 1 : 0));
        if (masked) {
            const shown_column its =
                of.kind == COPY ? (shown_column){COPY, inner->column[of.of].mask - 1} : (shown_column){MASK, of.of};
            HB_GOTO(set_column(table, mask++, its, 0));
        }
    }
done:
    free(all);
    return st;
}

static hb_status make_columns(derived_table *table, const hb_reading *reading, const hb_reading *inner,
                              const bool *wanted)
{
    const hb_schema *schema = hb_table_schema(table->inner);
    const size_t count = reading->derived.count;
    const char **text = calloc(count, sizeof *text);
    bool *shown = calloc(count, sizeof *shown);
    hb_status st = HB_OK;
    table->derived = calloc(count, sizeof *table->derived);
    table->offset = calloc((size_t)schema->columns + 1, sizeof *table->offset);
    if (text == NULL || shown == NULL || table->derived == NULL || table->offset == NULL) {
        HB_GOTO(no_memory(table));
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        table->offset[c + 1] = table->offset[c] + hb_column_words(&schema->column[c]);
    }
    for (size_t i = 0; i < count; i++) {
        text[i] = reading->derived.item[i].text;
    }
    HB_GOTO(hb_derivations_parse(text, count, &table->derivations)); /* which live as long as the table */
    for (size_t i = 0; i < count; i++) {
        const hb_column_reading *how = hb_reading_of(reading, table->derivations.item[i].name);
        const uint64_t before = table->count;
        HB_GOTO(wanted[i] ? make_column(table, reading, &table->derivations.item[i]) : HB_OK);
        if (table->count > before) {
            shown[before] = !reading->selects || (how != NULL && how->selected);
        }
    }
    st = table->count > 0 ? set_columns(table, inner, shown) : HB_OK;
done:
    free(text);
    free(shown);
    return st;
}

hb_status hb_table_derive(const hb_reading *reading, const hb_reading *inner, const bool *wanted, hb_table **io)
{
    const hb_schema *schema = hb_table_schema(*io);
    if (!schema->named) {
        return reading->columns_optional ? HB_OK
                                         : HB_FAIL(HB_EUSAGE, "%s: --derive needs columns with names", (*io)->name);
    }
    derived_table *table = calloc(1, sizeof *table);
    if (table == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", (*io)->name);
    }
    table->base = (hb_table){.ops = &derived_ops, .fd = -1, .name = (*io)->name};
    table->base.original = (*io)->original != NULL ? (*io)->original : *io;
    table->inner = *io;
    const hb_status st = make_columns(table, reading, inner, wanted);
    if (st == HB_OK && table->count > 0) {
        *io = &table->base;
    } else {
        table->inner = NULL;
        hb_table_close(&table->base);
    }
    return st;
}
