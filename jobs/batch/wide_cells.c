#include "wide_cells.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/modarith.h"
#include "base/seed.h"
#include "cells.h"
#include "expression/program/range.h"
#include "scheme/codec.h"

hb_cell_type hb_wide_cell_type(const hb_params_spec *spec)
{
    return hb_spec_residues(spec) > 1 ? HB_CELL_WIDE : hb_codec_cell_type(spec->scheme);
}

void hb_wide_schema(hb_schema *schema, const hb_params_spec *spec)
{
    for (uint64_t c = 0; c < schema->columns && hb_spec_residues(spec) > 1; c++) {
        schema->column[c].cells = HB_CELL_INTEGER;
        schema->column[c].wide = true;
    }
}

/* What a column of cells may hold: those whose distance from `least`, as an unsigned number of 128 bits, is at most
 * `span`. */
typedef struct bounds {
    hb_u128 least, span;
    bool is_signed, none;
    hb_modulus modulus; /* of the residues that are wanted */
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

static hb_status out_of_range(const hb_schema *schema, uint64_t row, uint64_t column, const hb_params_spec *spec)
{
    const hb_column *of = &schema->column[column];
    const hb_column_text name = hb_cells_column(schema, column);
    char values[HB_INTERVAL_TEXT];
    if (of->ranged) {
        hb_interval_text(values, hb_column_interval(of));
        return HB_FAIL(HB_EDATA,
                       "row %" PRIu64 ", column %s: the value is outside %s, which --range says of the column", row + 1,
                       name.text, values);
    }
    hb_interval_text(values, hb_interval_held(spec, of->is_signed));
    return HB_FAIL(HB_EDATA,
                   "row %" PRIu64 ", column %s: the value is outside %s, what %" PRIu32
                   " plain moduli can hold%s; more of them, or longer ones, hold more: keygen --wide",
                   row + 1, name.text, values, hb_spec_residues(spec), of->is_signed ? " of a signed column" : "");
}

/* One column of cells, the first of which is in `row`. */
static hb_status reduce(const hb_schema *schema, const hb_rectangle *of, uint64_t column, const bounds *in,
                        const hb_params_spec *spec, const uint64_t *cells, uint64_t *values)
{
    const size_t stride = (size_t)of->columns;
    for (uint64_t r = 0; r < of->rows; r++, cells += HB_WIDE_CELL * stride, values += stride) {
        const hb_u128 cell = (hb_u128)cells[1] << 64 | cells[0];
        if (in->none || cell - in->least > in->span) {
            return out_of_range(schema, of->row + r, column, spec);
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

hb_status hb_wide_join_init(hb_wide_join *join, const hb_schema *schema, const hb_params_spec *spec, uint32_t modulo,
                            bool is_csv, const hb_table_view *view, hb_schema *table)
{
    *join = (hb_wide_join){.schema = schema, .modulo = modulo, .one_type = !is_csv, .count = schema->columns};
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
    if (!word && schema->grouping != NULL) {
        return HB_FAIL(HB_ECONFIG, "totals of groups that may pass 64 bits are not shown; --modulo 64 shows them "
                                   "modulo 2^64, or tighter ranges let them stay below");
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
        hb_interval_text(values, hb_column_interval(of));
        return HB_FAIL(HB_EDATA,
                       "row %" PRIu64 ", column %s: the value is outside %s, where the dataset says that all are: it "
                       "was computed with a --range that was not true, or is damaged",
                       row + 1, name.text, values);
    }
    return HB_FAIL(HB_EDATA,
                   "row %" PRIu64 ", column %s: the value has more than 128 bits; --modulo 64 gives it modulo 2^64, or "
                   "any power of two up to 2^128",
                   row + 1, name.text);
}

/* What the column is known to be, if it is. */
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
