/* Several tables of the same columns as one, whose rows stand behind one another. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "base/seed.h"
#include "table/alike.h"
#include "table/real_text.h"
#include "table_private.h"

enum { PIECE = 1 << 14 }; /* words that are read at a time, unless one row has more */

/* How a column of one part is read. */
typedef struct fitting {
    uint64_t *place; /* of a category: where each of its labels is among all; NULL: in the same place */
    bool check_sign; /* it has no sign, and the table's has */
    bool widen;      /* it is real, and the table's is complex */
} fitting;

typedef struct several {
    hb_table base;
    char *name;
    size_t count;
    hb_table **part;  /* [count] */
    uint64_t *first;  /* [count + 1]: the table's row that is the first of each */
    size_t fittings;  /* count x columns, which outlives the schema */
    fitting *fitting; /* [count][columns] */
} several;

static void several_close(hb_table *base)
{
    several *table = (several *)base;
    for (size_t i = 0; table->fitting != NULL && i < table->fittings; i++) {
        free(table->fitting[i].place);
    }
    for (size_t i = 0; table->part != NULL && i < table->count; i++) {
        hb_table_close(table->part[i]);
    }
    free(table->fitting);
    free(table->part);
    free(table->first);
    free(table->name);
    free(table);
}

/* --- reading */

/* Whether the mask of a column says what becomes of a part's cells: those that are missing are no labels, whose places
 * differ, and no numbers, which may be too large. */
static bool needs_mask(const several *table, size_t p, uint64_t c)
{
    const hb_schema *all = &table->base.schema;
    const fitting *how = &table->fitting[p * all->columns + c];
    return (how->place != NULL || how->check_sign) && all->column[c].mask > 0;
}

/* Puts a word of a part into column c of the table; `top` has the bit that would be a sign. */
static hb_status fit(const several *table, size_t p, uint64_t c, const uint64_t *from, uint64_t top, uint64_t *to)
{
    const fitting *how = &table->fitting[p * table->base.schema.columns + c];
    if (how->check_sign && top > INT64_MAX) {
        return HB_FAIL(HB_EDATA, "%s: a column has a value above 2^63 - 1, and one below 0 in another of these files",
                       table->part[p]->name);
    }
    *to = how->place != NULL ? how->place[*from] : *from;
    return HB_OK;
}

/* Returns a missing cell of a part: it has 0 where several_fill left that. */
static uint64_t missing(const several *table, size_t p, uint64_t c, const uint64_t *from)
{
    const fitting *how = &table->fitting[p * table->base.schema.columns + c];
    return how->place != NULL ? table->base.schema.column[c].fill : *from;
}

/* Fits a row of a part, whose words begin with those of column cells->column, and moves *to behind it. */
static hb_status fit_row(const several *table, size_t p, const hb_rectangle *cells, const uint64_t *row, uint64_t **to)
{
    const hb_schema *all = &table->base.schema, *own = hb_table_schema(table->part[p]);
    const uint64_t *from = row;
    for (uint64_t c = cells->column; c < cells->column + cells->columns; c++) {
        const fitting *how = &table->fitting[p * all->columns + c];
        const bool wide = all->column[c].cells == HB_CELL_WIDE;
        const uint64_t mask = needs_mask(table, p, c) ? all->column[c].mask - 1 : 0;
        const uint64_t at_mask = mask > 0 ? hb_schema_words(own, cells->column, mask - cells->column) : 0;
        if (mask > 0 && !hb_column_is_there(&all->column[c], row[at_mask])) {
            **to = missing(table, p, c, from);
        } else {
            HB_TRY(fit(table, p, c, from, wide ? from[1] : from[0], *to));
        }
        from++;
        (*to)++;
        if (wide) {
            *(*to)++ = *from++;
        } else if (all->column[c].halves != HB_HALVES_REAL) {
            *(*to)++ = how->widen ? hb_real_word(0) : *from++;
        }
    }
    return HB_OK;
}

/* Reads rows of one part through a buffer of its own words, together with the masks that are needed, which stand behind
 * the columns. */
static hb_status read_fitted(const several *table, size_t p, const hb_rectangle *cells, uint64_t *values)
{
    const hb_schema *own = hb_table_schema(table->part[p]);
    uint64_t end = cells->column + cells->columns;
    for (uint64_t c = cells->column; c < cells->column + cells->columns; c++) {
        const uint64_t mask = needs_mask(table, p, c) ? table->base.schema.column[c].mask : 0;
        end = mask > end ? mask : end;
    }
    const uint64_t words = hb_schema_words(own, cells->column, end - cells->column);
    const uint64_t rows = words < PIECE ? PIECE / words : 1;
    const size_t bytes = (size_t)(rows * words) * sizeof *values;
    uint64_t *buffer = malloc(bytes);
    if (buffer == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to read it", table->base.name);
    }
    hb_status st = HB_OK;
    for (hb_chunk c = hb_chunks((size_t)cells->rows, (size_t)rows); st == HB_OK && hb_chunk_next(&c);) {
        const hb_rectangle some = {cells->row + c.first, c.count, cells->column, end - cells->column};
        st = hb_table_read(table->part[p], &some, buffer);
        for (uint64_t r = 0; st == HB_OK && r < c.count; r++) {
            st = fit_row(table, p, cells, buffer + r * words, &values);
        }
    }
    /* It held plaintext. */
    hb_wipe(buffer, bytes);
    free(buffer);
    return st;
}

static bool fits_as_it_is(const several *table, size_t p)
{
    bool same = true;
    for (uint64_t c = 0; c < table->base.schema.columns; c++) {
        const fitting *how = &table->fitting[p * table->base.schema.columns + c];
        same = same && how->place == NULL && !how->check_sign && !how->widen;
    }
    return same;
}

/* Is hb_table_ops.read; what parts serve at a time is theirs to say. */
static hb_status several_read(hb_table *base, const hb_rectangle *cells, uint64_t *values)
{
    const several *table = (const several *)base;
    const uint64_t words = hb_schema_words(&base->schema, cells->column, cells->columns);
    const uint64_t end = cells->row + cells->rows;
    for (size_t p = 0; p < table->count; p++) {
        const uint64_t from = cells->row > table->first[p] ? cells->row : table->first[p];
        const uint64_t to = end < table->first[p + 1] ? end : table->first[p + 1];
        if (from < to) {
            const hb_rectangle own = {
                .row = from - table->first[p], .rows = to - from, .column = cells->column, .columns = cells->columns};
            uint64_t *at = values + (from - cells->row) * words;
            HB_TRY(fits_as_it_is(table, p) ? hb_table_read(table->part[p], &own, at) : read_fitted(table, p, &own, at));
        }
    }
    return HB_OK;
}

static hb_status several_find(hb_table *base, uint64_t row, const hb_table **of, hb_csv_place *place)
{
    const several *table = (const several *)base;
    size_t p = 0;
    while (p + 1 < table->count && row >= table->first[p + 1]) {
        p++;
    }
    return hb_table_find(table->part[p], row - table->first[p], of, place);
}

static void several_fill(hb_table *base, uint64_t column)
{
    const several *table = (const several *)base;
    for (size_t p = 0; p < table->count; p++) {
        const fitting *how = &table->fitting[p * base->schema.columns + column];
        if (how->place == NULL) { /* else the fill is no label of the part */
            hb_table_set_fill(table->part[p], column, base->schema.column[column].fill);
        }
    }
}

static const hb_table_ops several_ops = {
    .read = several_read, .find = several_find, .fill = several_fill, .close = several_close};

/* --- opening */

static hb_status no_memory(const several *table)
{
    return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", table->name);
}

static hb_status refuse(const several *table, size_t p, const char *what)
{
    return HB_FAIL(HB_EDATA, "%s: %s %s: files of one table have the same columns", table->part[p]->name, what,
                   table->part[0]->name);
}

/* The columns of a part are those of the first one. */
static hb_status check_columns(const several *table, size_t p)
{
    const hb_schema *one = hb_table_schema(table->part[0]), *other = hb_table_schema(table->part[p]);
    if (one->columns != other->columns || one->named != other->named) {
        return refuse(table, p, "has not as many columns, or names, as");
    }
    for (uint64_t c = 0; c < one->columns; c++) {
        const hb_meaning *a = &one->column[c].meaning, *b = &other->column[c].meaning;
        if (strcmp(one->column[c].name, other->column[c].name) != 0) {
            return refuse(table, p, "has other names of columns, or in another order, than");
        }
        if (hb_meaning_code(a) != hb_meaning_code(b) || hb_meaning_scale(a) != hb_meaning_scale(b)) {
            char label[HB_COLUMN_LABEL];
            hb_column_label(label, one, c);
            return HB_FAIL(HB_EDATA,
                           "%s: column %s means something else than in %s: say what it means, with --scale or "
                           "--date; of times all have a zone, or none",
                           table->part[p]->name, label, table->part[0]->name);
        }
    }
    return HB_OK;
}

static bool is_sorted(const hb_labels *labels)
{
    uint64_t i = 1;
    while (i < labels->count && (labels->folds ? hb_folds_compare(labels->text[i - 1], labels->text[i])
                                               : strcmp(labels->text[i - 1], labels->text[i])) < 0) {
        i++;
    }
    return i >= labels->count;
}

static int compare_labels(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool folds(const several *table, uint64_t c)
{
    return hb_table_schema(table->part[0])->column[c].meaning.labels->folds;
}

static int compare_folded(const void *a, const void *b)
{
    return hb_folds_compare(*(const char *const *)a, *(const char *const *)b);
}

/* Makes the labels of a category those of all parts: sorted where each part's are, so that they do not tell where one
 * came from, else in the order of the parts. */
static hb_status join_labels(several *table, uint64_t c)
{
    const size_t count = table->count;
    uint64_t most = 0, found = 0;
    bool sorted = true;
    for (size_t p = 0; p < count; p++) {
        const hb_labels *labels = hb_table_schema(table->part[p])->column[c].meaning.labels;
        most += labels->count;
        sorted = sorted && is_sorted(labels);
    }
    const char **text = calloc((size_t)most + 1, sizeof *text);
    hb_meaning *meaning = &table->base.schema.column[c].meaning;
    hb_status st = text == NULL ? no_memory(table) : HB_OK;
    for (size_t p = 0; st == HB_OK && p < count; p++) {
        const hb_labels *labels = hb_table_schema(table->part[p])->column[c].meaning.labels;
        for (uint64_t i = 0; i < labels->count; i++) {
            uint64_t place, q = 0;
            /* New is what no part before it has. */
            while (q < p && !hb_labels_find(hb_table_schema(table->part[q])->column[c].meaning.labels, labels->text[i],
                                            strlen(labels->text[i]), &place)) {
                q++;
            }
            text[found] = labels->text[i];
            found += q == p;
        }
    }
    if (st == HB_OK && sorted) {
        qsort(text, (size_t)found, sizeof *text, folds(table, c) ? compare_folded : compare_labels);
    }
    hb_meaning_clear(meaning);
    st = st == HB_OK ? (folds(table, c) ? hb_labels_make_folded : hb_labels_make)(text, found, &meaning->labels) : st;
    meaning->kind = st == HB_OK ? HB_MEANING_CATEGORY : HB_MEANING_NUMBER;
    free(text);
    return st;
}

/* Notes where the labels of a part are among all. */
static hb_status place_labels(several *table, size_t p, uint64_t c)
{
    const hb_labels *all = table->base.schema.column[c].meaning.labels;
    const hb_labels *own = hb_table_schema(table->part[p])->column[c].meaning.labels;
    fitting *how = &table->fitting[p * table->base.schema.columns + c];
    how->place = calloc((size_t)own->count + 1, sizeof *how->place);
    if (how->place == NULL) {
        return no_memory(table);
    }
    bool same = true;
    for (uint64_t i = 0; i < own->count; i++) {
        const size_t length = strlen(own->text[i]);
        HB_ASSERT(hb_labels_find(all, own->text[i], length, &how->place[i]));
        same = same && how->place[i] == i;
    }
    if (same) {
        free(how->place);
        how->place = NULL;
    }
    return HB_OK;
}

/* Bytes of integers that hold those of both; where they are not the same they are 64 bits at least. */
static uint32_t wider(uint32_t a, uint32_t b)
{
    const uint32_t most = a > b ? a : b;
    return a == b || most > sizeof(uint64_t) ? most : (uint32_t)sizeof(uint64_t);
}

/* Makes a column of the table able to hold that of every part. */
static hb_status join_column(several *table, uint64_t c)
{
    hb_schema *all = &table->base.schema;
    hb_column *column = &all->column[c];
    for (size_t p = 0; p < table->count; p++) {
        const hb_column *own = &hb_table_schema(table->part[p])->column[c];
        if (own->is_signed != column->is_signed) {
            all->width = wider(all->width, sizeof(uint64_t));
        }
        column->is_signed = column->is_signed || own->is_signed;
        column->halves = own->halves == HB_HALVES_REAL ? column->halves : own->halves;
    }
    if (column->meaning.kind == HB_MEANING_CATEGORY) {
        HB_TRY(join_labels(table, c));
    }
    for (size_t p = 0; p < table->count; p++) {
        const hb_column *own = &hb_table_schema(table->part[p])->column[c];
        fitting *how = &table->fitting[p * all->columns + c];
        how->check_sign = column->is_signed && !own->is_signed;
        how->widen = column->halves != HB_HALVES_REAL && own->halves == HB_HALVES_REAL;
        if (column->meaning.kind == HB_MEANING_CATEGORY) {
            HB_TRY(place_labels(table, p, c));
        }
    }
    return HB_OK;
}

static hb_status join_schemas(several *table)
{
    hb_schema *all = &table->base.schema;
    hb_left_out left_out = {.rows = 0};
    HB_TRY(hb_schema_copy(all, hb_table_schema(table->part[0])));
    table->fittings = table->count * (size_t)all->columns;
    table->fitting = calloc(table->fittings, sizeof *table->fitting);
    table->first = calloc(table->count + 1, sizeof *table->first);
    if (table->fitting == NULL || table->first == NULL) {
        return no_memory(table);
    }
    for (size_t p = 0; p < table->count; p++) {
        const hb_schema *own = hb_table_schema(table->part[p]);
        HB_TRY(check_columns(table, p));
        if (__builtin_add_overflow(table->first[p], own->rows, &table->first[p + 1])) {
            return HB_FAIL(HB_EDATA, "%s: has too many rows", table->name);
        }
        /* Facts that differ become such as hold all tables. */
        hb_left_out_join(&left_out, table->first[p] + left_out.rows, &own->left_out);
        all->rank = own->rank > all->rank ? own->rank : all->rank;
        all->big_endian = all->big_endian && own->big_endian;
        all->width = wider(all->width, own->width);
    }
    all->rows = table->first[table->count];
    all->left_out = left_out;
    for (uint64_t c = 0; c < all->columns; c++) {
        HB_TRY(join_column(table, c));
    }
    return HB_OK;
}

/* Adds the cells of a part's labels to those of all; where a label is folded into another one, so are its cells. */
static hb_status join_label_cells(several *table, size_t p, uint64_t c)
{
    const hb_table *part = table->part[p];
    hb_column_notes *notes = &table->base.notes[c];
    const hb_labels *own = hb_table_schema(part)->column[c].meaning.labels;
    const hb_labels *all = table->base.schema.column[c].meaning.labels;
    const uint64_t *place = table->fitting[p * table->base.schema.columns + c].place;
    const hb_label_cells *from = part->notes != NULL ? part->notes[c].label : NULL;
    if (from == NULL || own == NULL || all == NULL) {
        return HB_OK;
    }
    if (notes->label == NULL && (notes->label = calloc((size_t)all->count + 1, sizeof *notes->label)) == NULL) {
        return no_memory(table);
    }
    for (uint64_t i = 0; i < own->count; i++) {
        const uint64_t at = place != NULL ? place[i] : i;
        const bool kept = strcmp(own->text[i], all->text[at]) == 0;
        notes->label[at].all += from[i].all;
        notes->label[at].folded += kept ? from[i].folded : from[i].all;
    }
    return HB_OK;
}

/* The notes of all parts on texts that are not kept. */
static hb_status join_notes(several *table)
{
    const hb_schema *schema = &table->base.schema;
    table->base.notes = calloc((size_t)schema->columns + 1, sizeof *table->base.notes);
    if (table->base.notes == NULL) {
        return no_memory(table);
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        for (size_t p = 0; p < table->count; p++) {
            const hb_table *part = table->part[p];
            if (part->notes != NULL) {
                hb_column_notes_join(&table->base.notes[c], &part->notes[c], part->name);
            }
            HB_TRY(join_label_cells(table, p, c));
        }
    }
    return HB_OK;
}

/* Gaps of all parts. */
static hb_status join_gaps(several *table)
{
    const uint64_t columns = table->base.schema.columns;
    for (size_t p = 0; p < table->count; p++) {
        const hb_table *part = table->part[p];
        table->base.blank_lines += part->blank_lines;
        table->base.elsewhere = table->base.elsewhere || part->elsewhere;
        if (part->gaps != NULL && table->base.gaps == NULL) {
            table->base.gaps = calloc((size_t)columns, sizeof *table->base.gaps);
            if (table->base.gaps == NULL) {
                HB_TRY(no_memory(table));
            }
        }
        for (uint64_t c = 0; c < columns && part->gaps != NULL; c++) {
            table->base.gaps[c].left_out += part->gaps[c].left_out;
            table->base.gaps[c].replaced += part->gaps[c].replaced;
            table->base.gaps[c].masked += part->gaps[c].masked;
        }
    }
    return HB_OK;
}

/* "FIRST and N more", for messages; those about cells name the part. */
static char *describe(const hb_table_names *names)
{
    const size_t room = strlen(names->name[0]) + 40;
    char *text = malloc(room);
    if (text != NULL) {
        snprintf(text, room, "%s and %zu more", names->name[0], names->count - 1);
    }
    return text;
}

hb_status hb_table_open_concatenated(const hb_table_names *names, hb_cell_type cells, const hb_reading *reading,
                                     hb_table_one_opener open, hb_table **out)
{
    several *table = calloc(1, sizeof *table);
    if (table == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to open it", names->name[0]);
    }
    hb_status st = HB_OK;
    table->base = (hb_table){.ops = &several_ops, .fd = -1};
    table->name = describe(names);
    table->base.name = table->name;
    table->part = calloc(names->count, sizeof *table->part);
    if (table->name == NULL || table->part == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "%s: no memory to open it", names->name[0]));
    }
    for (; table->count < names->count; table->count++) {
        HB_GOTO(open(names->name[table->count], cells, reading, &table->part[table->count]));
    }
    HB_GOTO(hb_table_tell_blanks(names, cells, reading, open, table->part));
    st = join_schemas(table);
    st = st == HB_OK ? join_notes(table) : st;
    st = st == HB_OK ? join_gaps(table) : st;
done:
    if (st == HB_OK) {
        *out = &table->base;
    } else {
        hb_table_close(&table->base);
    }
    return st;
}
