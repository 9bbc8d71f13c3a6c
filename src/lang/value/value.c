/* Facts about a value by itself, and memory for its columns. */
#include <stdlib.h>

#include "lowering.h"

#include "lang/ir/semantics.h"

/* Columns of all values together; more than a graph has nodes, for a node may serve many values. */
#define MAX_POOL (64 * HB_GRAPH_MAX_NODES)

hb_status hb_lower_columns(hb_lowering *l, uint32_t columns, hb_value *out)
{
    if (columns > MAX_POOL - l->pool_count) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                          "too many columns for all these statements; split the expression into several");
    }
    if (columns > l->pool_capacity - l->pool_count) {
        const uint32_t capacity = 2 * (l->pool_count + columns);
        uint32_t *pool = realloc(l->pool, capacity * sizeof *pool);
        if (!pool) {
            return HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
        }
        l->pool = pool;
        l->pool_capacity = capacity;
    }
    out->columns = columns;
    out->first = l->pool_count;
    l->pool_count += columns;
    return HB_OK;
}

bool hb_value_encrypted(const hb_value *value)
{
    return value->kind == HB_TYPE_ROWS || value->kind == HB_TYPE_TOTALS;
}

bool hb_value_plain(const hb_value *value)
{
    return value->kind == HB_TYPE_TABLE || value->kind == HB_TYPE_ROW;
}

hb_value *hb_lower_operand_of(const hb_lowering *l, const hb_item *item, uint32_t i)
{
    return &l->values[hb_item_operand(item, i) - l->graph.syntax->items];
}

const hb_meaning *hb_value_meaning(const hb_value *value, uint32_t column)
{
    if (value->kind == HB_TYPE_NUMBER && value->means.all == NULL) {
        return hb_meaning_decimals(1);
    }
    return hb_means_of(value->means, hb_value_width(value) <= 1 ? 0 : column);
}

static hb_types_context context_of(const hb_lowering *l)
{
    const hb_graph *g = &l->graph;
    return (hb_types_context){.syntax = g->syntax, .spec = g->spec, .semantics = g->semantics};
}

hb_status hb_lower_number(const hb_lowering *l, hb_number number, hb_value *out)
{
    const hb_types_context context = context_of(l);
    HB_TRY(hb_number_check(&context, l->graph.position.item->at, number, false));
    HB_TRY(hb_number_check_encrypted(&context, l->graph.position.item->at, number));
    *out = (hb_value){.kind = HB_TYPE_NUMBER, .number = number};
    return HB_OK;
}

hb_status hb_lower_cell(hb_lowering *l, hb_number cell, hb_value *out)
{
    const hb_graph *g = &l->graph;
    if (!g->semantics->reals && (cell.integer >= INT64_MAX || cell.integer <= -INT64_MAX)) {
        l->hopeless = true;
        return HB_FAIL_AT(HB_EDATA, g->syntax->text, g->position.item->at,
                          "a number of the plain table is 2^63 - 1 or larger, or is that far below 0; weights and "
                          "numbers that are looked up are smaller");
    }
    return hb_lower_number(l, cell, out);
}

hb_status hb_lower_numbers(const hb_lowering *l, hb_item_kind kind, hb_number a, hb_number b, hb_value *out)
{
    const hb_types_context context = context_of(l);
    bool overflow;
    *out = (hb_value){.kind = HB_TYPE_NUMBER, .number = hb_numbers_combine(kind, a, b, &overflow)};
    return hb_number_check(&context, l->graph.position.item->at, out->number, overflow);
}

bool hb_lower_whole(const hb_lowering *l, const hb_value *value, int64_t *whole)
{
    const hb_types_context context = context_of(l);
    const hb_type type = {.kind = value->kind, .number = value->number, .means = value->means};
    return hb_type_whole(&context, &type, whole);
}

static bool is_whole(const hb_lowering *l, const hb_value *x, uint32_t column)
{
    int64_t whole;
    return x->kind == HB_TYPE_NUMBER && hb_value_meaning(x, 0)->kind == HB_MEANING_NUMBER
               ? hb_lower_whole(l, x, &whole)
               : hb_meaning_wholeness(hb_value_meaning(x, column)) != HB_ANY_NUMBER;
}

bool hb_lower_are_whole(const hb_lowering *l, const hb_value *x, const hb_value *y, uint32_t column)
{
    return is_whole(l, x, column) && is_whole(l, y, column);
}
