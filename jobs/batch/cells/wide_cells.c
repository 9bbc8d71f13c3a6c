#include "wide_cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/modarith.h"
#include "base/seed.h"
#include "cells.h"
#include "lang/program/interval_words.h"
#include "lang/program/range.h"
#include "scheme/codec.h"
#include "table/grouping.h"

hb_cell_type hb_wide_cell_type(const hb_params_spec *spec)
{
    return hb_spec_residues(spec) > 1 ? HB_CELL_WIDE : hb_codec_cell_type(spec->scheme);
}

void hb_wide_schema(hb_schema *schema, const hb_params_spec *spec)
{
    for (uint64_t c = 0; c < schema->columns && hb_spec_residues(spec) > 1; c++) {
        const hb_interval range = hb_column_interval(&schema->column[c]); /* of a column that is made */
        schema->column[c].cells = HB_CELL_INTEGER;
        schema->column[c].wide = true;
        schema->column[c].least = schema->column[c].most = 0; /* a wide range is elsewhere */
        if (range.known) {
            hb_column_set_interval(&schema->column[c], range);
        }
    }
}

/* The allowed values of a column of cells: those whose distance from `least`, as an unsigned number of 128 bits, is at
 * most `span`. */
typedef struct bounds {
    hb_u128 least, span;
    bool is_signed, none;
    hb_modulus modulus; /* of the residues that are wanted */
    hb_table *table;    /* that the cells are from, for messages */
} bounds;

static hb_u128 cell_of(hb_wide value)
{
    return (hb_u128)value.word[1] << 64 | value.word[0];
}

/* The nearest integer that a cell has. */
static hb_wide in_cell(hb_wide value, bool is_signed)
{
    const hb_wide one = hb_wide_of(1), half = hb_wide_power(127);
    const hb_wide least = is_signed ? hb_wide_negate(half) : hb_wide_of(0);
    const hb_wide most = hb_wide_add(is_signed ? half : hb_wide_power(128), hb_wide_negate(one));
    if (hb_wide_compare(value, least) < 0) {
        return least;
    }
    return hb_wide_compare(value, most) > 0 ? most : value;
}

static bounds bounds_of(const hb_column *of, bool table_signed, const hb_params_spec *spec)
{
    const hb_interval held = of->ranged ? hb_column_interval(of) : hb_interval_held(spec, of->is_signed);
    const hb_wide least = in_cell(held.wide_least, table_signed), most = in_cell(held.wide_most, table_signed);
    const bool none = hb_wide_compare(least, held.wide_most) > 0 || hb_wide_compare(most, held.wide_least) < 0;
    return (bounds){
        .least = cell_of(least), .span = cell_of(most) - cell_of(least), .is_signed = table_signed, .none = none};
}

static hb_status out_of_range(const hb_schema *schema, hb_table *table, uint64_t row, uint64_t column,
                              const hb_params_spec *spec)
{
    const hb_column *of = &schema->column[column];
    const hb_column_text name = hb_cells_column(schema, column);
    char values[HB_INTERVAL_TEXT], where[HB_TABLE_PLACE];
    (void)hb_table_place_text(table, row, where);
    if (of->ranged) {
        hb_interval_words(values, hb_column_interval(of), &of->meaning);
        return HB_FAIL(HB_EDATA, "%s, column %s: the value is outside %s, which --range says of the column", where,
                       name.text, values);
    }
    hb_interval_words(values, hb_interval_held(spec, of->is_signed), &of->meaning);
    return HB_FAIL(HB_EDATA,
                   "%s, column %s: the value is outside %s, what %" PRIu32
                   " plain moduli can hold%s; more of them, or longer ones, hold more: keygen --wide",
                   where, name.text, values, hb_spec_residues(spec), of->is_signed ? " of a signed column" : "");
}

/* One column of cells, the first of which is in `row`. */
static hb_status reduce(const hb_schema *schema, const hb_rectangle *of, uint64_t column, const bounds *in,
                        const hb_params_spec *spec, const uint64_t *cells, uint64_t *values)
{
    const size_t stride = (size_t)of->columns;
    for (uint64_t r = 0; r < of->rows; r++, cells += HB_WIDE_CELL * stride, values += stride) {
        const hb_u128 cell = (hb_u128)cells[1] << 64 | cells[0];
        if (in->none || cell - in->least > in->span) {
            return out_of_range(schema, in->table, of->row + r, column, spec);
        }
        hb_residues_of_cells(values, cells, 1, in->is_signed, &in->modulus);
    }
    return HB_OK;
}

hb_status hb_wide_read(hb_table *table, const hb_rectangle *cells, const hb_schema *schema, const hb_params_spec *spec,
                       uint64_t *values)
{
    const size_t words = (size_t)(cells->rows * cells->columns) * HB_WIDE_CELL;
    uint64_t *wide = malloc((words + 1) * sizeof *wide);
    hb_modulus m;
    hb_status st = HB_OK;
    if (wide == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu cells", words / HB_WIDE_CELL);
    }
    HB_GOTO(hb_table_read(table, cells, wide));
    HB_GOTO(hb_modulus_init(&m, spec->bfv.plain));
    for (uint64_t c = 0; c < cells->columns && cells->rows > 0; c++) {
        const uint64_t column = cells->column + c;
        bounds in = bounds_of(&schema->column[column], hb_table_schema(table)->column[column].is_signed, spec);
        in.modulus = m;
        in.table = table;
        HB_GOTO(reduce(schema, cells, column, &in, spec, wide + c * HB_WIDE_CELL, values + c));
    }
done:
    hb_wipe(wide, words * sizeof *wide); /* plaintext */
    free(wide);
    return st;
}

/* Whether a cell of 64 bits holds all values of the column. */
static bool fits_word(const hb_column *column, bool is_signed)
{
    const hb_interval values = hb_column_interval(column);
    const hb_wide half = hb_wide_power(63);
    const hb_wide least = is_signed ? hb_wide_negate(half) : hb_wide_of(0);
    const hb_wide end = is_signed ? half : hb_wide_power(64);
    return column->ranged && hb_wide_compare(values.wide_least, least) >= 0 &&
           hb_wide_compare(values.wide_most, end) < 0;
}

/* Finds a column that holds no numbers, of all or of those that are shown; NULL where all do. `words` names its
 * contents. Residues of numbers are numbers. A residue of a label or a date would be another label or date, and
 * aggregates do not follow from residues of totals. */
static const char *find_other(const hb_schema *schema, const hb_table_view *view, char words[HB_MEANING_WORDS])
{
    const hb_grouping *g = schema->grouping;
    for (uint64_t c = 0; g != NULL && c < g->columns; c++) {
        if (!hb_epilogue_is_itself(g->column[c].epilogue)) {
            snprintf(words, HB_MEANING_WORDS, "%s, which are worked out of totals", g->column[c].epilogue->name);
            return g->column[c].name;
        }
    }
    for (uint64_t i = 0; i < (view != NULL ? view->count : schema->columns); i++) {
        const hb_column *column = &schema->column[view != NULL ? view->columns[i] : i];
        if (!hb_meaning_is_plain(&column->meaning)) {
            hb_meaning_words(&column->meaning, words);
            return column->name;
        }
    }
    return NULL;
}

/* A value that wrapped around the product of the plain moduli is another one modulo a power of two. */
static hb_status check_not_wrapped(const hb_schema *schema, const hb_table_view *view)
{
    for (uint64_t i = 0; i < (view != NULL ? view->count : schema->columns); i++) {
        const hb_column *column = &schema->column[view != NULL ? view->columns[i] : i];
        if (column->may_wrap) {
            return HB_FAIL(HB_EDATA,
                           "--modulo: column '%.64s' may have wrapped around the product of the plain moduli, and its "
                           "values would be others modulo a power of two: decrypt without --modulo, or compute the "
                           "column again with the ranges of its operands (eval --range) and without --wrap",
                           column->name);
        }
    }
    return HB_OK;
}

static hb_status check_residues(const hb_schema *schema, const hb_table_view *view)
{
    char words[HB_MEANING_WORDS];
    if (schema->grouping != NULL && schema->grouping->fetched > 0) {
        return HB_FAIL(HB_EUSAGE, "--modulo shows numbers modulo a power of two, and these are rows that are fetched");
    }
    const char *name = find_other(schema, view, words);
    return name == NULL
               ? check_not_wrapped(schema, view)
               : HB_FAIL(HB_EUSAGE,
                         "--modulo shows numbers modulo a power of two, and column '%.64s' has %s: decrypt it without, "
                         "or choose other columns, --columns",
                         name, words);
}

/* Which values a column may have: those of its range, or, where that is not known, all that the plain moduli hold. Not
 * known of one that has the cells of a table, as they were read: these are shown as they were. */
static hb_interval possible(const hb_column *column, const hb_params_spec *spec)
{
    return column->ranged     ? hb_column_interval(column)
           : column->may_wrap ? hb_interval_held(spec, column->is_signed)
                              : (hb_interval){.known = false};
}

/* Whether values of a column may be in no cell of 128 bits. */
static bool may_pass_cells(const hb_column *column, const hb_params_spec *spec)
{
    const hb_interval values = possible(column, spec);
    uint64_t cell[HB_WIDE_CELL];
    return values.known && !(hb_wide_to_cell(values.wide_least, column->is_signed, cell) &&
                             hb_wide_to_cell(values.wide_most, column->is_signed, cell));
}

/* Whether a column of integers stands for dates or times, and may have days that are in no calendar. In a group the
 * column counts only if its own values are shown, and not only numbers worked out of them. */
static bool may_pass_dates(const hb_schema *schema, uint64_t c, const hb_params_spec *spec)
{
    const hb_column *column = &schema->column[c];
    const hb_grouping *g = schema->grouping;
    const hb_interval values = possible(column, spec);
    bool shown = g == NULL;
    char room[HB_MEANING_TEXT];
    for (uint64_t i = 0; g != NULL && i < g->columns; i++) {
        shown = shown || (hb_epilogue_is_itself(g->column[i].epilogue) && g->column[i].part[0] == c % g->parts);
    }
    return shown && values.known && hb_meaning_is_moment(&column->meaning) &&
           !(hb_moment_text(&column->meaning, hb_wide_clamp(values.wide_least), room) &&
             hb_moment_text(&column->meaning, hb_wide_clamp(values.wide_most), room));
}

/* Advice for a column that cannot be shown. */
#define WAY_TEXT 400
static void say_way(char way[WAY_TEXT], const hb_column *column, const char *unranged)
{
    if (!column->ranged) {
        snprintf(way, WAY_TEXT, "not all ranges of the inputs are known: say them, --range%s%s",
                 unranged != NULL ? " " : "", unranged != NULL ? unranged : "");
    } else {
        snprintf(way, WAY_TEXT, "give tighter ranges of the inputs, --range");
    }
}

hb_status hb_wide_check_shown(const hb_schema *schema, const hb_params_spec *spec, const char *result,
                              const char *unranged)
{
    /* Rows that are fetched follow from sums modulo t, and have ranges of their own. */
    const bool fetched = schema->grouping != NULL && schema->grouping->fetched > 0;
    for (uint64_t c = 0; c < schema->columns && !fetched; c++) {
        const hb_column *column = &schema->column[c];
        const hb_table_view one = {.rows = schema->rows, .columns = &c, .count = 1};
        char words[HB_MEANING_WORDS], way[WAY_TEXT];
        if (column->cells == HB_CELL_REAL) {
            continue;
        }
        say_way(way, column, unranged);
        if (may_pass_dates(schema, c, spec)) {
            return HB_FAIL(
                HB_EDATA,
                "%s: column %s has dates or times, and may leave the years 1 to 9999, in which case decrypt shows "
                "nothing: %s",
                result, hb_cells_column(schema, c).text, way);
        }
        const char *other =
            may_pass_cells(column, spec) ? find_other(schema, schema->grouping == NULL ? &one : NULL, words) : NULL;
        if (other != NULL) {
            return HB_FAIL(HB_EDATA,
                           "%s: values of column %s may have more than 128 bits, which decrypt does not show where "
                           "column '%.64s' has %s: %s, or encrypt with a smaller --scale; of whole numbers alone, "
                           "without any that are worked out of totals, decrypt --modulo 64 shows values modulo 2^64",
                           result, hb_cells_column(schema, c).text, other, words, way);
        }
    }
    return HB_OK;
}

hb_status hb_wide_join_init(hb_wide_join *join, const hb_schema *schema, const hb_params_spec *spec, uint32_t modulo,
                            bool is_csv, const hb_table_view *view, hb_schema *table)
{
    *join = (hb_wide_join){.schema = schema, .modulo = modulo, .one_type = !is_csv, .count = schema->columns};
    if (modulo > 0) {
        HB_TRY(check_residues(schema, view));
    }
    HB_TRY(hb_residues_init(&join->residues, spec->bfv.plains, spec->bfv.plain_count));
    HB_TRY(view != NULL ? hb_table_choose_columns(schema, view, table) : hb_schema_copy(table, schema));
    if (view != NULL) {
        join->columns = view->columns;
        join->count = view->count;
    }
    for (uint64_t c = 0; c < schema->columns; c++) {
        join->is_signed = join->is_signed || schema->column[c].is_signed;
    }
    bool word = !is_csv || schema->grouping != NULL;
    for (uint64_t c = 0; c < schema->columns; c++) {
        word = word && (modulo > 0 ? modulo <= 64 : fits_word(&schema->column[c], join->is_signed));
    }
    join->words = word ? 1 : HB_WIDE_CELL;
    table->width = word ? sizeof(uint64_t) : HB_WIDE_CELL * sizeof(uint64_t);
    if (modulo > 0 && word) {
        table->width = modulo <= 8 ? 1 : modulo <= 16 ? 2 : modulo <= 32 ? 4 : 8;
    }
    for (uint64_t c = 0; c < table->columns; c++) {
        hb_column *column = &table->column[c];
        column->cells = word ? HB_CELL_INTEGER : HB_CELL_WIDE;
        column->ranged = column->wide = column->may_wrap = false;
        column->wide_least = column->wide_most = hb_wide_of(0);
    }
    return HB_OK;
}

/* Row and column as the table has them, never the value. */
static hb_status not_as_said(const hb_wide_join *join, uint64_t row, uint64_t column, bool outside)
{
    const hb_column *of = &join->schema->column[column];
    const hb_column_text name = hb_cells_column(join->schema, column);
    if (outside) {
        char values[HB_INTERVAL_TEXT];
        hb_interval_words(values, hb_column_interval(of), &of->meaning);
        return HB_FAIL(HB_EDATA,
                       "row %" PRIu64 ", column %s: the value is outside %s, where the dataset says that all are: it "
                       "was computed with a --range that was not true, or is damaged",
                       row + 1, name.text, values);
    }
    char words[HB_MEANING_WORDS];
    const hb_table_view one = {.rows = join->schema->rows, .columns = &column, .count = 1};
    const char *other = find_other(join->schema, join->schema->grouping == NULL ? &one : NULL, words);
    if (other != NULL) {
        return HB_FAIL(HB_EDATA,
                       "row %" PRIu64 ", column %s: the value has more than 128 bits, which are not shown where column "
                       "'%.64s' has %s: compute it from inputs with a smaller --scale, or as whole numbers without "
                       "any that are worked out of totals",
                       row + 1, name.text, other, words);
    }
    return HB_FAIL(HB_EDATA,
                   "row %" PRIu64 ", column %s: the value has more than 128 bits; --modulo 64 gives it modulo 2^64, or "
                   "any power of two up to 2^128",
                   row + 1, name.text);
}

/* Whether the value is in the column's known range, if it has one. */
static bool is_within(const hb_column *column, hb_wide value)
{
    return !column->ranged ||
           (hb_wide_compare(value, column->wide_least) >= 0 && hb_wide_compare(value, column->wide_most) <= 0);
}

hb_status hb_wide_join_rows(const hb_wide_join *join, uint64_t row, uint64_t rows, const uint64_t *const *residue,
                            uint64_t *cells)
{
    const uint64_t columns = join->count;
    uint64_t one[HB_MOST_RESIDUES], cell[HB_WIDE_CELL];
    for (uint64_t i = 0; i < rows * columns; i++, cells += join->words) {
        const uint64_t column = join->columns != NULL ? join->columns[i % columns] : i % columns;
        const hb_column *of = &join->schema->column[column];
        for (uint32_t r = 0; r < join->residues.count; r++) {
            one[r] = residue[r][i];
        }
        hb_wide value = hb_residues_join(&join->residues, one, of->is_signed);
        const bool outside = !is_within(of, value);
        if (!outside && join->modulo > 0) {
            value = hb_wide_wrap(value, join->modulo, of->is_signed);
        }
        /* One type may be signed for the sake of another column. */
        if (outside || !hb_wide_to_cell(value, join->one_type ? join->is_signed : of->is_signed, cell)) {
            return not_as_said(join, row + i / columns, column, outside);
        }
        cells[0] = cell[0];
        if (join->words > 1) {
            cells[1] = cell[1];
        }
    }
    return HB_OK;
}
