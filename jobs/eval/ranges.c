/* The ranges of inputs before a computation. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "batch/cells/cells.h"
#include "batch/cells/plain_look.h"
#include "input.h"
#include "lang/program/interval_words.h"
#include "lang/program/range.h"
#include "table/real_text.h"

/* Replaces a declared range by the table's own, where the table was read. HB_EDATA when the table exceeds the declared
 * range. */
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

/* Holds a plain table that is not read beforehand to its declared range: its cells are checked as they are read
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
            return HB_FAIL(HB_EDATA, "--range: no value that %s can have in column %s lies in it", input->path,
                           hb_cells_column(schema, c).text);
        }
        store(column, said);
    }
    return HB_OK;
}

/* Finds the values of a plain table; `columns` has the declared ranges of single columns. */
static hb_status find_table_ranges(hb_eval_input *input, bool weights, const hb_operand *operand, hb_interval *columns)
{
    const hb_schema *schema = hb_table_schema(input->table); /* of the values, not of their residues */
    /* Too large to look at: its declared ranges are believed, and each cell is held to them later. */
    if (!hb_plain_is_small(schema, weights)) {
        return hold_to(input, operand, columns);
    }
    hb_interval *found = calloc((size_t)schema->columns + 1, sizeof *found);
    if (found == NULL) {
        return HB_FAIL(HB_ENOMEM, "%s: no memory to look at its values", input->path);
    }
    hb_status st = hb_plain_look(input->table, input->path, found, weights ? &input->numbers : NULL);
    for (uint64_t c = 0; st == HB_OK && c < schema->columns; c++) {
        if (!columns[c].known && operand->ranged) {
            columns[c] = hb_operand_declared(operand);
        }
        st = replace(&columns[c], found[c], input, c);
    }
    free(found);
    return st;
}

/* Joins the dataset's ranges with the declared ones: a value lies in both. */
static hb_status join(const hb_eval_input *input, const hb_operand *operand, hb_interval *columns)
{
    const hb_schema *schema = &input->header->schema;
    for (uint64_t c = 0; c < schema->columns; c++) {
        const hb_column *column = &schema->column[c];
        if (!column->ranged) {
            continue;
        }
        const hb_interval stored = hb_column_stored(column);
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
            HB_TRY(find_table_ranges(input, weights, &operands[i], next));
            operands[i].cells = input->numbers;
        }
        next += operands[i].schema->columns;
    }
    return HB_OK;
}
