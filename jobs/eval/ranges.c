/* What is known of the values of inputs before a computation. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "batch/cells/cells.h"
#include "input.h"
#include "lang/program/interval_words.h"
#include "lang/program/range.h"
#include "table/real_text.h"

/* Cells of a plain table that is looked at for this, as it will be read once more. */
#define MOST_CELLS ((uint64_t)1 << 20)

/* Returns a cell as an interval; not known where it is above 2^63 - 1. */
static hb_interval cell_of(const hb_column *column, uint64_t cell)
{
    if (column->cells == HB_CELL_REAL) {
        return hb_interval_of_reals(hb_real_of(cell), hb_real_of(cell));
    }
    if (!column->is_signed && cell > INT64_MAX) {
        return (hb_interval){.known = false};
    }
    return hb_interval_of((int64_t)cell, (int64_t)cell);
}

/* Returns what is known of a plain cell by its words: of a complex number that its modulus is so large. */
static hb_interval plain_cell(const hb_column *column, const uint64_t *words)
{
    if (column->cells == HB_CELL_WIDE) {
        const hb_wide value = hb_wide_of_cell(words, column->is_signed);
        return hb_interval_of_wide(value, value);
    }
    if (column->halves == HB_HALVES_REAL) {
        return cell_of(column, words[0]);
    }
    const double modulus = nextafter(hypot(hb_real_of(words[0]), hb_real_of(words[1])), HUGE_VAL);
    return hb_interval_of_reals(-modulus, modulus);
}

/* Returns the extremes of one column of cells; not known where some are above 2^63 - 1. */
static hb_interval extremes(const hb_schema *schema, uint64_t column, const uint64_t *cells)
{
    const uint64_t words = hb_schema_words(schema, 0, schema->columns), at = hb_schema_words(schema, 0, column);
    hb_interval found = {.known = false};
    for (uint64_t row = 0; row < schema->rows; row++) {
        const hb_interval cell = plain_cell(&schema->column[column], cells + row * words + at);
        if (!cell.known) {
            return cell;
        }
        found = hb_interval_join(found, cell);
    }
    return found;
}

/* Puts what the table holds, where it was looked at, in the place of what was declared. HB_EDATA when it holds more. */
static hb_status replace(hb_interval *declared, hb_interval real, const hb_eval_input *input, uint64_t column)
{
    if (declared->known && real.known && !hb_interval_within(real, *declared)) {
        char said[HB_INTERVAL_OPTION];
        hb_interval_meant_option(said, *declared, &input->header->schema.column[column].meaning);
        return HB_FAIL(HB_EDATA, "%s: column %s has values outside the range that was declared, %s", input->path,
                       hb_cells_column(&input->header->schema, column).text, said);
    }
    *declared = real.known ? real : *declared;
    return HB_OK;
}

static void store(hb_column *column, hb_interval values)
{
    const hb_interval reals = hb_halves_range(column->halves, hb_interval_to_reals(values));
    const bool real = column->cells == HB_CELL_REAL;
    if (!real) {
        hb_column_set_interval(column, values);
        return;
    }
    column->ranged = true;
    column->least = hb_real_word(reals.low);
    column->most = hb_real_word(reals.high);
}

/* Holds a plain table that is not looked at to what was declared: its cells are checked as they are read
 * (hb_cells_to_values). */
static hb_status hold_to(hb_eval_input *input, const hb_operand *operand, const hb_interval *columns)
{
    hb_schema *schema = &input->as_dataset.schema;
    for (uint64_t c = 0; c < schema->columns; c++) {
        hb_column *column = &schema->column[c];
        const hb_interval all = hb_operand_declared(operand);
        const hb_interval held = hb_interval_held(&input->header->spec, column->is_signed);
        /* Values of the column that the parameters can hold, of those declared. */
        const hb_interval said = hb_interval_meet(columns[c].known ? columns[c] : all, held);
        if (!columns[c].known && !operand->ranged) {
            continue;
        }
        if (!said.known) {
            return HB_FAIL(HB_EDATA, "--range: none of the values that %s can have in column %s is in it", input->path,
                           hb_cells_column(schema, c).text);
        }
        store(column, said);
    }
    return HB_OK;
}

/* Keeps the cells as numbers, of which expressions make constants. */
static hb_status keep_numbers(hb_eval_input *input, const uint64_t *cells)
{
    const hb_schema *schema = hb_table_schema(input->table);
    input->numbers = calloc((size_t)(schema->rows * schema->columns) + 1, sizeof *input->numbers);
    if (input->numbers == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory for its numbers", input->path);
    }
    for (uint64_t i = 0; i < schema->rows * schema->columns; i++) {
        const hb_column *column = &schema->column[i % schema->columns];
        const hb_interval cell = column->cells == HB_CELL_WIDE ? plain_cell(column, cells) : cell_of(column, cells[0]);
        /* For a number that no scheme of integers has, one that it has not either. */
        const int64_t integer = cell.known ? cell.least : INT64_MAX;
        input->numbers[i] =
            cell.real ? (hb_number){.real = cell.low} : (hb_number){.integer = integer, .real = (double)integer};
        if (column->halves == HB_HALVES_COMPLEX) {
            input->numbers[i].imaginary = hb_real_of(cells[1]);
        }
        cells += hb_column_words(column);
    }
    return HB_OK;
}

/* Finds the values of a plain table; `columns` has what was declared of single columns. */
static hb_status look(hb_eval_input *input, bool weights, const hb_operand *operand, hb_interval *columns)
{
    const hb_schema *schema = hb_table_schema(input->table); /* of what is read, and not of residues of it */
    /* Too large to look at: its declared ranges are believed, and each cell is held to them later. */
    if (schema->rows == 0 || schema->columns > MOST_CELLS / schema->rows) {
        return hold_to(input, operand, columns);
    }
    const hb_rectangle all = {.rows = schema->rows, .columns = schema->columns};
    const size_t bytes = (size_t)(all.rows * hb_schema_words(schema, 0, all.columns)) * sizeof(uint64_t);
    uint64_t *cells = malloc(bytes);
    if (cells == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to look at its values", input->path);
    }
    hb_status st = hb_table_read(input->table, &all, cells);
    for (uint64_t c = 0; st == HB_OK && c < schema->columns; c++) {
        if (!columns[c].known && operand->ranged) {
            columns[c] = hb_operand_declared(operand);
        }
        st = replace(&columns[c], extremes(schema, c, cells), input, c);
    }
    if (st == HB_OK && weights) {
        st = keep_numbers(input, cells);
    }
    hb_wipe(cells, bytes);
    free(cells);
    return st;
}

/* Joins what a dataset says of its values with what was declared: a value lies in both ranges. */
static hb_status join(const hb_eval_input *input, const hb_operand *operand, hb_interval *columns)
{
    const hb_schema *schema = &input->header->schema;
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_column *column = &schema->column[c];
        if (!column->ranged) {
            continue;
        }
        const hb_interval stored = column->cells == HB_CELL_REAL
                                       ? hb_interval_of_reals(hb_real_of(column->least), hb_real_of(column->most))
                                       : hb_column_interval(column);
        if (!columns[c].known) {
            columns[c] = operand->ranged ? hb_operand_declared(operand) : stored;
        }
        const hb_interval both = hb_interval_meet(columns[c], stored);
        if (!both.known) {
            char own[HB_INTERVAL_OPTION], declared[HB_INTERVAL_OPTION];
            hb_interval_meant_option(own, stored, &column->meaning);
            hb_interval_meant_option(declared, columns[c], &column->meaning);
            return HB_FAIL(HB_EDATA, "--range: %s says that the values of column %s lie in %s: none of them is in %s",
                           input->path, hb_cells_column(schema, c).text, own, declared);
        }
        columns[c] = both;
    }
    return HB_OK;
}

hb_status hb_eval_ranges(hb_eval_inputs *inputs, const hb_range *ranges, uint32_t range_count, bool weights,
                         hb_operand *operands, hb_interval **columns)
{
    /* One array for all inputs; each operand has its piece of it. */
    uint64_t all = 0;
    for (uint32_t i = 0; i < inputs->count; i++) {
        all += operands[i].schema->columns;
    }
    hb_interval *next = *columns = calloc((size_t)all + 1, sizeof *next);
    if (next == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the ranges of %" PRIu64 " columns", all);
    }
    for (uint32_t i = 0; i < inputs->count; i++) {
        hb_eval_input *input = &inputs->input[i];
        HB_TRY(hb_ranges_apply(ranges, range_count, &operands[i], next));
        if (operands[i].encrypted) {
            HB_TRY(join(input, &operands[i], next));
        } else {
            HB_TRY(look(input, weights, &operands[i], next));
            operands[i].cells = input->numbers;
        }
        next += operands[i].schema->columns;
    }
    return HB_OK;
}
