/* Columns of plain values that are rearranged, or taken as numbers of the expression. */
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"
#include "lang/ir/blocks.h"
#include "lang/ir/semantics.h"
#include "plain.h"

enum { MOST_NUMBERS = 1 << 24 };

/* --- of rows within slots */

hb_status hb_lower_plain_repeat(hb_lowering *l, uint32_t i, const hb_node_shape *like, hb_value *value)
{
    const uint32_t node = l->pool[value->first], width = like->width;
    const hb_plain_place place = {l->graph.nodes[node].operand, like->image};
    uint32_t made = HB_NO_NODE, column = HB_NO_INDEX, *columns = malloc(width * sizeof *columns);
    if (columns == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    }
    hb_status st = hb_plain_column(l, node, i, &column);
    for (uint32_t c = 0; c < width; c++) {
        columns[c] = column;
    }
    st = st == HB_OK ? hb_graph_plain_node(&l->graph, &place, columns, width, &made) : st;
    free(columns);
    HB_TRY(st);
    HB_TRY(hb_lower_columns(l, 1, value));
    l->pool[value->first] = made;
    value->width = width;
    return HB_OK;
}

/* --- as numbers */

/* Makes a value a number of the expression. */
static hb_status number_of(hb_lowering *l, uint64_t row, hb_plain_value value, hb_number *out)
{
    const hb_graph *g = &l->graph;
    if (g->semantics->reals) {
        *out = (hb_number){.real = value.real, .imaginary = value.imaginary};
        return HB_OK;
    }
    if (value.integer < INT64_MIN || value.integer > INT64_MAX) {
        l->hopeless = true;
        return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                          "row %llu of the plain table: a number has more than 64 bits, which tables of weights and "
                          "numbers have at most; compute with a part of it at a time",
                          (unsigned long long)row + 1);
    }
    *out = (hb_number){.integer = (int64_t)value.integer, .real = (double)value.integer};
    return HB_OK;
}

/* Writes column c of a table. values: [rows], room. */
static hb_status fill_column(hb_lowering *l, hb_lowered_table *table, const hb_value *from, uint32_t c,
                             hb_plain_value *values)
{
    const hb_graph *g = &l->graph;
    hb_schema *schema = &table->schema;
    const uint32_t node = l->pool[from->first + (from->columns > 1 ? c : 0)];
    const uint32_t first = g->nodes[l->pool[from->first]].operand;
    uint32_t column;
    uint64_t rows;
    if (hb_plain_node_rows(g, node) != 1) {
        HB_TRY(hb_plain_rows(l, &g->operands[first], &g->operands[g->nodes[node].operand], &rows));
    }
    HB_TRY(hb_plain_column(l, node, from->width > 1 ? c : 0, &column));
    HB_TRY(hb_derived_values(&l->graph.constants.derived, column, 0, schema->rows, values));
    for (uint64_t row = 0; row < schema->rows; row++) {
        HB_TRY(number_of(l, row, values[row], &table->cells[row * schema->columns + c]));
    }
    schema->column[c].meaning = hb_meaning_share(hb_value_meaning(from, c));
    return HB_OK;
}

/* How messages call it: by the words of the expression. */
static void name_table(const hb_lowering *l, hb_lowered_table *table)
{
    const hb_item *item = l->graph.position.item, *items[2];
    const bool second = item->kind == HB_ITEM_CALL && item->call->table == 2;
    if (hb_item_operands(item) == 2) {
        hb_item_find_operands(item, items);
        hb_excerpt(table->name, sizeof table->name, l->graph.syntax->text, items[second]->from, items[second]->to);
    } else {
        hb_excerpt(table->name, sizeof table->name, l->graph.syntax->text, item->from, item->to);
    }
}

hb_status hb_lower_plain_table(hb_lowering *l, const hb_value *value, const hb_operand **out)
{
    const hb_graph *g = &l->graph;
    const hb_schema *like = g->operands[g->nodes[l->pool[value->first]].operand].schema;
    const uint64_t rows = hb_plain_node_rows(g, l->pool[value->first]), columns = hb_value_width(value);
    if (rows > MOST_NUMBERS / columns) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the plain table has too many numbers here, which are constants: 2^24 at most");
    }
    hb_lowered_table *table = calloc(1, sizeof *table);
    hb_plain_value *values = malloc((size_t)rows * sizeof *values + 1);
    if (table == NULL || values == NULL) {
        free(table);
        free(values);
        return HB_FAIL(HB_ENOMEM, "no memory for the numbers of a plain table");
    }
    table->next = l->tables;
    l->tables = table;
    hb_status st = hb_schema_alloc(&table->schema, rows, columns);
    table->cells = st == HB_OK ? calloc((size_t)(rows * columns) + 1, sizeof *table->cells) : NULL;
    st = st == HB_OK && table->cells == NULL ? HB_FAIL(HB_ENOMEM, "no memory for the numbers of a plain table") : st;
    for (uint32_t c = 0; st == HB_OK && c < columns; c++) {
        st = fill_column(l, table, value, c, values);
    }
    hb_wipe(values, (size_t)rows * sizeof *values);
    free(values);
    HB_TRY(st);
    name_table(l, table);
    table->schema.left_out = like->left_out;
    table->operand = (hb_operand){.name = table->name, .schema = &table->schema, .cells = table->cells};
    *out = &table->operand;
    return HB_OK;
}
