/* What is known of the values of inputs before a computation. */
#include <inttypes.h>
#include <stdlib.h>

#include "batch/cells.h"
#include "input.h"

/* Cells of a plain table that is looked at for this, as it will be read once more. */
#define MOST_CELLS ((uint64_t)1 << 20)

/* Returns the extremes of one column of cells; not known where some are above 2^63 - 1. */
static hb_interval extremes(const hb_schema *schema, uint64_t column, const uint64_t *cells)
{
    hb_interval found = {.known = false};
    for (uint64_t row = 0; row < schema->rows; row++) {
        const uint64_t cell = cells[row * schema->columns + column];
        if (!schema->column[column].is_signed && cell > INT64_MAX) {
            return (hb_interval){.known = false};
        }
        found = hb_interval_join(found, hb_interval_of((int64_t)cell, (int64_t)cell));
    }
    return found;
}

/* Puts what the table holds, where it was looked at, in the place of what was declared. HB_EDATA when it holds more. */
static hb_status replace(hb_interval *declared, hb_interval real, const hb_eval_input *input, uint64_t column)
{
    if (declared->known && real.known && (real.least < declared->least || real.most > declared->most)) {
        return HB_FAIL(HB_EDATA, "%s: column %s has values outside the range that was declared, %" PRId64 "..%" PRId64,
                       input->path, hb_cells_column(&input->header->schema, column).text, (int64_t)declared->least,
                       (int64_t)declared->most);
    }
    *declared = real.known ? real : *declared;
    return HB_OK;
}

/* Holds a plain table that is not looked at to what was declared: its cells are checked as they are read
 * (hb_cells_to_values). */
static hb_status hold_to(hb_eval_input *input, const hb_operand *operand, const hb_interval *columns)
{
    hb_schema *schema = &input->as_dataset.schema;
    for (uint64_t c = 0; c < schema->columns; c++) {
        hb_column *column = &schema->column[c];
        const hb_interval all = hb_interval_of(operand->least, operand->most);
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
        column->ranged = true;
        column->least = (uint64_t)said.least;
        column->most = (uint64_t)said.most;
    }
    return HB_OK;
}

/* Finds the values of a plain table; `columns` has what was declared of single columns. */
static hb_status look(hb_eval_input *input, const hb_operand *operand, hb_interval *columns)
{
    const hb_schema *schema = &input->header->schema;
    /* Too large to look at: its declared ranges are believed, and each cell is held to them later. */
    if (schema->rows == 0 || schema->columns > MOST_CELLS / schema->rows) {
        return hold_to(input, operand, columns);
    }
    const hb_rectangle all = {.rows = schema->rows, .columns = schema->columns};
    const size_t bytes = (size_t)(all.rows * all.columns) * sizeof(uint64_t);
    uint64_t *cells = malloc(bytes);
    if (cells == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to look at its values", input->path);
    }
    hb_status st = hb_table_read(input->table, &all, cells);
    for (uint64_t c = 0; st == HB_OK && c < schema->columns; c++) {
        if (!columns[c].known && operand->ranged) {
            columns[c] = hb_interval_of(operand->least, operand->most);
        }
        st = replace(&columns[c], extremes(schema, c, cells), input, c);
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
        /* Ranges of the compiler are of signed 64 bits. */
        if (!column->ranged || (!column->is_signed && column->most > INT64_MAX)) {
            continue;
        }
        const hb_interval stored = hb_interval_of((int64_t)column->least, (int64_t)column->most);
        if (!columns[c].known) {
            columns[c] = operand->ranged ? hb_interval_of(operand->least, operand->most) : stored;
        }
        const hb_interval both = hb_interval_meet(columns[c], stored);
        if (!both.known) {
            return HB_FAIL(HB_EDATA,
                           "--range: %s says that the values of column %s lie in %" PRId64 "..%" PRId64
                           ": none of them is in %" PRId64 "..%" PRId64,
                           input->path, hb_cells_column(schema, c).text, stored.least, stored.most, columns[c].least,
                           columns[c].most);
        }
        columns[c] = both;
    }
    return HB_OK;
}

hb_status hb_eval_ranges(hb_eval_inputs *inputs, const hb_range *ranges, uint32_t range_count, hb_operand *operands,
                         hb_interval **columns)
{
    const char *stranger = hb_ranges_stranger(ranges, range_count, operands, inputs->count);
    if (stranger != NULL) {
        return HB_FAIL(HB_EUSAGE, "--range %s=...: the expression reads no %s", stranger, stranger);
    }
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
            HB_TRY(look(input, &operands[i], next));
        }
        next += operands[i].schema->columns;
    }
    return HB_OK;
}
