#include "plain_columns.h"

#include <stdlib.h>

#include "blocks.h"
#include "lang/program/interval_words.h"
#include "lang/program/range.h"
#include "semantics.h"

static hb_derived *derived_of(hb_graph *g)
{
    g->constants.derived.reals = g->semantics->reals;
    return &g->constants.derived;
}

/* Says where in the expression a column cannot be computed. */
static hb_status placed(const hb_graph *g, hb_status st)
{
    if (st != HB_EDATA) {
        return st;
    }
    const hb_error cause = *hb_last_error();
    return HB_FAIL_AT(st, g->syntax->text, g->position.item->at, "%.400s", cause.text);
}

/* --- columns of tables */

/* Copies a column of a table that was looked at. */
static hb_status copy_cells(const hb_graph *g, const hb_operand *operand, uint32_t column, hb_plain_cells *out)
{
    const uint64_t rows = operand->schema->rows, columns = operand->schema->columns;
    const hb_number *number = operand->cells + column;
    hb_plain_layout type = g->semantics->reals ? HB_PLAIN_REALS : HB_PLAIN_WORDS;
    for (uint64_t row = 0; row < rows && type != HB_PLAIN_WORDS; row++) {
        type = number[row * columns].imaginary != 0 ? HB_PLAIN_COMPLEX : type;
    }
    void *cells = malloc((size_t)rows * hb_plain_cell_bytes(type) + 1);
    if (cells == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for a column of a plain table");
    }
    for (uint64_t row = 0; row < rows; row++, number += columns) {
        if (type == HB_PLAIN_WORDS) {
            ((int64_t *)cells)[row] = number->integer;
        } else if (type == HB_PLAIN_REALS) {
            ((double *)cells)[row] = number->real;
        } else {
            ((double *)cells)[2 * row] = number->real;
            ((double *)cells)[2 * row + 1] = number->imaginary;
        }
    }
    *out = (hb_plain_cells){type, rows, cells};
    return HB_OK;
}

/* Where only keys are asked for, a table is not at hand: its columns are true in every other row, so that they neither
 * settle a condition nor leave a group without rows. */
static hb_status alternate(const hb_graph *g, const hb_operand *operand, hb_plain_cells *out)
{
    const bool reals = g->semantics->reals;
    const uint64_t rows = operand->schema->rows;
    int64_t *words = malloc((size_t)rows * sizeof *words + 1);
    double *numbers = malloc((size_t)rows * sizeof *numbers + 1);
    if (words == NULL || numbers == NULL) {
        free(words);
        free(numbers);
        return HB_FAIL(HB_ENOMEM, "no memory for a column of a plain table");
    }
    for (uint64_t row = 0; row < rows; row++) {
        words[row] = row % 2 == 0;
        numbers[row] = row % 2 == 0;
    }
    *out = (hb_plain_cells){reals ? HB_PLAIN_REALS : HB_PLAIN_WORDS, rows, reals ? (void *)numbers : words};
    free(reals ? (void *)words : numbers);
    return HB_OK;
}

/* Checks values against their declared range. */
static hb_status check_declared(hb_graph *g, const hb_operand *operand, uint32_t column, hb_interval values)
{
    const hb_interval *own = operand->column_ranges != NULL ? &operand->column_ranges[column] : NULL;
    const bool one = own != NULL && own->known;
    if (!values.known || (!one && !operand->ranged) ||
        hb_interval_within(values, one ? *own : hb_operand_declared(operand))) {
        return HB_OK;
    }
    char said[HB_INTERVAL_OPTION], word[64] = "";
    hb_interval_option(said, one ? *own : hb_operand_declared(operand));
    hb_column_word(word, operand->schema, column);
    return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                      "%.40s%s has values outside the range that was declared, %s", operand->name, word, said);
}

/* A column of a table. */
static hb_status read_column(hb_graph *g, uint32_t number, uint32_t column, uint32_t *out)
{
    const hb_operand *operand = &g->operands[number];
    hb_derived_column made = {.kind = HB_ITEM_NAME, .a = number, .b = column};
    if (operand->source != NULL) {
        HB_TRY(placed(g, operand->source->column(operand->source, column, &made.cells)));
    } else if (operand->cells != NULL) {
        HB_TRY(copy_cells(g, operand, column, &made.cells));
        made.owned = true;
    } else if (g->params == NULL) {
        HB_TRY(alternate(g, operand, &made.cells));
        made.owned = true;
    } else {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the values of the plain table %.40s are not known here", operand->name);
    }
    hb_derived *d = derived_of(g);
    HB_TRY(placed(g, hb_derived_add(d, &made, out)));
    return check_declared(g, operand, column, d->column[*out].values);
}

hb_status hb_graph_plain_column(hb_graph *g, uint32_t node, uint32_t i, uint32_t *column)
{
    const hb_node *x = &g->nodes[node];
    const uint64_t columns = g->operands[x->operand].schema->columns;
    HB_ASSERT(x->op == HB_OP_LOAD_PLAIN);
    if (x->column < columns) {
        return read_column(g, x->operand, x->column + i, column);
    }
    *column = hb_derived_loaded(&g->constants.derived, x->column - (uint32_t)columns, i);
    return HB_OK;
}

/* --- nodes */

hb_status hb_graph_plain_node(hb_graph *g, const hb_plain_place *of, const uint32_t *columns, uint32_t count,
                              uint32_t *out)
{
    const hb_derived *d = derived_of(g);
    const hb_operand *operand = &g->operands[of->operand];
    hb_interval values = {.known = false};
    bool complex = false;
    uint32_t load;
    HB_TRY(hb_derived_add_load(&g->constants.derived, columns, count, &load));
    for (uint32_t i = 0; i < count; i++) {
        values = hb_interval_join(values, d->column[columns[i]].values);
        complex = complex || d->column[columns[i]].complex;
    }
    const hb_halves halves = complex ? HB_HALVES_COMPLEX : HB_HALVES_REAL;
    const hb_node node = {.op = HB_OP_LOAD_PLAIN,
                          .a = HB_NO_NODE,
                          .b = HB_NO_NODE,
                          .operand = of->operand,
                          .column = (uint32_t)operand->schema->columns + load,
                          .shape.plain = true,
                          .shape.padding_zero = true,
                          .shape.tail_zero = true,
                          .shape.width = hb_graph_packed(g) ? count : 1,
                          .shape.is_signed = !g->semantics->reals && values.known && values.least < 0,
                          .shape.limbs = operand->limbs + (g->boundless ? HB_BOUNDLESS_LIMBS : 0),
                          .shape.image = of->image,
                          .shape.halves = halves,
                          .range.interval = hb_halves_range(halves, values)};
    return hb_graph_node(g, &node, out);
}

hb_status hb_graph_plain_times(hb_graph *g, uint32_t node, double number, uint32_t *out)
{
    const hb_node x = g->nodes[node];
    const hb_plain_place place = {x.operand, x.shape.image};
    const uint32_t count = hb_graph_packed(g) ? x.shape.width : 1;
    uint32_t *columns = malloc(count * sizeof *columns), factor;
    if (columns == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    hb_status st = hb_derived_add_number(derived_of(g), (hb_plain_value){.real = number}, &factor);
    for (uint32_t i = 0; st == HB_OK && i < count; i++) {
        st = hb_graph_plain_column(g, node, i, &columns[i]);
        st = st == HB_OK
                 ? placed(g, hb_derived_add_pair(derived_of(g), HB_ITEM_MULTIPLY, columns[i], factor, &columns[i]))
                 : st;
    }
    st = st == HB_OK ? hb_graph_plain_node(g, &place, columns, count, out) : st;
    free(columns);
    return st;
}
