/* Between table values and values of the scheme (cells.h), column by column. */
#include <inttypes.h>
#include <math.h>

#include "base/clones.h"
#include "cells.h"
#include "column_values.h"
#include "table/real_text.h"

/* For reals: the range of columns without their own. */
static void held_text(char text[HB_VALUES_TEXT], const hb_cells *cells, const hb_column *of)
{
    const hb_cell_range range = hb_codec_cell_range(cells->spec, of->is_signed);
    const hb_column all = {.cells = of->cells, .ranged = true, .least = range.least, .most = range.most};
    hb_values_text(text, &all);
}

static hb_status out_of_range(const hb_cells *cells, hb_table *table, uint64_t row, uint64_t column)
{
    const hb_column *of = &cells->schema->column[column];
    const hb_column_text name = hb_cells_column(cells->schema, column);
    char values[HB_VALUES_TEXT], bound[HB_CODEC_TEXT], where[HB_TABLE_PLACE];
    (void)hb_table_place_text(table, row - cells->before, where);
    if (of->ranged) {
        hb_values_text(values, of);
        return HB_FAIL(HB_EDATA, "%s, column %s: the value is outside %s, which %s", where, name.text, values,
                       cells->before == 0 ? "--range says of the column"
                                          : "the dataset says of the column; --range makes it larger");
    }
    const hb_cell_range range = hb_codec_cell_range(cells->spec, of->is_signed);
    hb_codec_bound_text(bound, cells->spec);
    if (of->cells == HB_CELL_REAL) {
        held_text(values, cells, of);
        return HB_FAIL(HB_EDATA, "%s, column %s: the value is outside %s, what %s can hold; %s", where, name.text,
                       values, bound, hb_codec_bound_advice(cells->spec->scheme));
    }
    const char *units = of->meaning.kind != HB_MEANING_TIME
                            ? ""
                            : ". Times up to the year 2099 take 32 bits in seconds, 27 in minutes, 21 in hours: "
                              "--time-of-day";
    return HB_FAIL(HB_EDATA, "%s, column %s: the value is outside [%" PRId64 ", %" PRId64 "], what %s can hold%s; %s%s",
                   where, name.text, (int64_t)range.least, (int64_t)range.most, bound,
                   of->is_signed ? " of a signed column" : "", hb_codec_bound_advice(cells->spec->scheme), units);
}

/* The allowed values of a column. */
typedef struct bounds {
    hb_cell_type cells;
    uint64_t least, span; /* integers: x - least, as an unsigned word, is at most `span` */
    bool none;            /* no word of the table stands for a value of the column */
    double low, high;     /* reals; of complex values, moduli */
    double apart;         /* how far they may be from whole numbers */
    size_t imaginary;     /* how far behind a real part its imaginary one stands; 0: there is none */
} bounds;

/* Words of integers whose sign is another than the column's: of those above 2^63 - 1, which are negative in one of the
 * two, none is a value of the other. */
static bounds other_sign(hb_cell_range range, bool is_signed)
{
    const bool none = (is_signed ? range.most : range.least) > INT64_MAX;
    const uint64_t least = range.least > INT64_MAX ? 0 : range.least;
    const uint64_t most = range.most > INT64_MAX ? INT64_MAX : range.most;
    return (bounds){.cells = HB_CELL_INTEGER, .least = least, .span = most - least, .none = none};
}

/* Labels, dates and truth values are as near to whole numbers as their errors are small. Where errors of a half are
 * possible, a value nearer to the middle than to a whole number is refused. */
static bounds bounds_of_whole(double slack)
{
    return (bounds){.cells = HB_CELL_REAL, .low = -HUGE_VAL, .high = HUGE_VAL, .apart = slack < 0.5 ? slack : 0.25};
}

static bool is_discrete(const hb_column *of)
{
    return of->cells == HB_CELL_REAL && hb_meaning_is_discrete(&of->meaning);
}

/* `table`: whose words they are; NULL: the dataset's. */
static bounds bounds_of(const hb_cells *cells, uint64_t column, double slack, const hb_schema *table)
{
    const hb_column *of = &cells->schema->column[column];
    hb_cell_range range = {of->least, of->most};
    if (!of->ranged) {
        range = hb_codec_cell_range(cells->spec, of->is_signed);
    }
    if (of->cells == HB_CELL_REAL) {
        return (bounds){.cells = of->cells,
                        .low = hb_real_of(range.least) - slack,
                        .high = hb_real_of(range.most) + slack,
                        .apart = HUGE_VAL,
                        .imaginary = of->halves == HB_HALVES_REAL ? 0 : (size_t)cells->packing.capacity};
    }
    if (table != NULL && table->column[column].is_signed != of->is_signed) {
        return other_sign(range, of->is_signed);
    }
    return (bounds){.cells = of->cells, .least = range.least, .span = range.most - range.least};
}

/* Every step-th of count * step values. */
HB_CLONED_INLINE uint64_t count_outside(const uint64_t *values, size_t count, size_t step, bounds in)
{
    uint64_t outside = 0;
    for (size_t i = 0; i < count; i++) {
        outside += values[i * step] - in.least > in.span;
    }
    return outside;
}

HB_CLONED_INLINE uint64_t count_reals_outside(const uint64_t *values, size_t count, size_t step, bounds in)
{
    uint64_t outside = 0;
    for (size_t i = 0; i < count; i++) {
        const double value = hb_real_of(values[i * step]);
        outside += !(value >= in.low && value <= in.high && fabs(value - rint(value)) <= in.apart); /* nor is a NaN */
    }
    return outside;
}

static uint64_t count_moduli_outside(const uint64_t *values, size_t count, size_t step, bounds in)
{
    uint64_t outside = 0;
    for (size_t i = 0; i < count; i++, values += step) {
        const double modulus = hypot(hb_real_of(values[0]), hb_real_of(values[in.imaginary]));
        outside += modulus <= in.high ? 0 : 1; /* so is a NaN */
    }
    return outside;
}

/* The loops over one column, the only one apart: those vectorise. */
HB_CLONES static uint64_t column_outside(const uint64_t *values, size_t count, size_t step, bounds in)
{
    if (in.none) {
        return count;
    }
    if (in.imaginary > 0) {
        return count_moduli_outside(values, count, step, in);
    }
    if (in.cells == HB_CELL_REAL) {
        return step == 1 ? count_reals_outside(values, count, 1, in) : count_reals_outside(values, count, step, in);
    }
    return step == 1 ? count_outside(values, count, 1, in) : count_outside(values, count, step, in);
}

/* The check of values: that they are in their ranges; or, for labels, dates and truth values as reals, that they are
 * near whole numbers. Reals get that slack. */
typedef struct inspection {
    bool whole;
    double slack;
    hb_table *table; /* for the report: that they were read from; NULL: none */
    hb_status (*report)(const hb_cells *, hb_table *table, uint64_t row, uint64_t column);
} inspection;

/* Checks all values, words of a table with that schema, or, where it is NULL, of the dataset; the first of a
 * ciphertext that is outside, row by row, is reported. */
static hb_status check(const hb_cells *cells, const hb_rectangle *own, const uint64_t *values, const hb_schema *table,
                       const inspection *how)
{
    const size_t rows = (size_t)own->rows, columns = (size_t)own->columns;
    const size_t stride = hb_packing_stride(&cells->packing, own);
    size_t first = rows * stride;
    for (size_t c = 0; c < columns; c++) {
        if (how->whole && !is_discrete(&cells->schema->column[own->column + c])) {
            continue;
        }
        const bounds in =
            how->whole ? bounds_of_whole(how->slack) : bounds_of(cells, own->column + c, how->slack, table);
        if (column_outside(values + c, rows, stride, in) == 0) {
            continue;
        }
        for (size_t i = c; i < first; i += stride) {
            first = column_outside(values + i, 1, 1, in) != 0 ? i : first;
        }
    }
    return first == rows * stride
               ? HB_OK
               : how->report(cells, how->table, own->row + first / stride, own->column + first % stride);
}

hb_status hb_cells_to_values(const hb_cells *cells, hb_table *table, uint64_t first, size_t count, uint64_t *values)
{
    if (hb_spec_residues(cells->spec) > 1) {
        return HB_OK; /* they were read as residues, within their ranges */
    }
    const inspection how = {.table = table, .report = out_of_range};
    for (size_t i = 0; i < count; i++, values += cells->stride) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        const size_t rows = (size_t)own.rows, columns = (size_t)own.columns;
        const size_t stride = hb_packing_stride(&cells->packing, &own);
        const uint64_t before = hb_cells_before(cells, own.row, own.rows);
        const hb_rectangle there = {own.row + before, own.rows - before, own.column, own.columns};
        HB_TRY(check(cells, &there, values + before * stride, cells->table, &how));
        for (size_t c = 0; c < columns; c++) {
            hb_codec_from_cells(cells->spec, (hb_cell_words){values + c, rows, stride},
                                cells->schema->column[own.column + c].is_signed);
        }
    }
    return HB_OK;
}

/* Imaginary parts that are nothing but errors. */
static void clear_errors(hb_cell_words real, size_t imaginary)
{
    for (size_t i = 0; i < real.count; i++) {
        real.words[i * real.stride + imaginary] = 0;
    }
}

void hb_cells_from_values(const hb_cells *cells, uint64_t first, size_t count, uint64_t *values)
{
    if (hb_spec_residues(cells->spec) > 1) {
        return; /* one residue is no cell */
    }
    for (size_t i = 0; i < count; i++, values += cells->stride) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        for (size_t c = 0; c < own.columns; c++) {
            const hb_column *of = &cells->schema->column[own.column + c];
            const size_t stride = hb_packing_stride(&cells->packing, &own);
            const hb_cell_words words = {values + c, (size_t)own.rows, stride};
            hb_codec_to_cells(cells->spec, words, of->is_signed);
            if (cells->places.half != NULL && of->halves == HB_HALVES_REAL) {
                clear_errors(words, (size_t)cells->packing.capacity);
            }
        }
    }
}

/* Row and column as the table has them, never the value. */
static hb_status not_as_said(const hb_cells *cells, hb_table *table, uint64_t row, uint64_t column)
{
    (void)table;
    const hb_column *of = &cells->schema->column[column];
    char values[HB_VALUES_TEXT], bound[HB_CODEC_TEXT];
    if (!of->ranged) {
        held_text(values, cells, of);
        hb_codec_bound_text(bound, cells->spec);
        return HB_FAIL(HB_EDATA,
                       "row %" PRIu64 ", column %s: the value is outside %s, what tables of %s can hold, and nobody "
                       "says that it may be: it is damaged, or hebatch eval with --range makes a dataset that says so",
                       row + 1, hb_cells_column(cells->schema, column).text, values, bound);
    }
    hb_values_text(values, of);
    return HB_FAIL(HB_EDATA,
                   "row %" PRIu64 ", column %s: the value is outside %s, where the dataset says that all are: it was "
                   "computed with a --range that was not true, or is damaged",
                   row + 1, hb_cells_column(cells->schema, column).text, values);
}

/* Likewise. */
static hb_status no_label(const hb_cells *cells, hb_table *table, uint64_t row, uint64_t column)
{
    (void)table;
    return HB_FAIL(HB_EDATA,
                   "row %" PRIu64
                   ", column %s: the value is between two labels, dates or truth values, further from each "
                   "than its error: a comparison that chose it was neither true nor false, as what it compared was "
                   "nearer than its gap",
                   row + 1, hb_cells_column(cells->schema, column).text);
}

hb_status hb_cells_check_ranges(const hb_cells *cells, uint64_t first, size_t count, const uint64_t *values)
{
    if (hb_spec_residues(cells->spec) > 1) {
        return HB_OK; /* nor has it a range */
    }
    const inspection ranges = {.slack = cells->slack, .report = not_as_said};
    const inspection whole = {.whole = true, .slack = cells->slack, .report = no_label};
    for (size_t i = 0; i < count; i++, values += cells->stride) {
        const hb_rectangle own = hb_packing_cells(&cells->packing, first + i);
        HB_TRY(check(cells, &own, values, NULL, &ranges));
        HB_TRY(check(cells, &own, values, NULL, &whole));
    }
    return HB_OK;
}
