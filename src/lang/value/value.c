/* What is known of a value by itself, and room for its columns. */
#include <stdlib.h>
#include <string.h>

#include "lowering.h"
#include "meaning.h"

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
    return value->kind == HB_VALUE_ROWS || value->kind == HB_VALUE_TOTALS;
}

bool hb_value_plain(const hb_value *value)
{
    return value->kind == HB_VALUE_TABLE || value->kind == HB_VALUE_ROW;
}

bool hb_value_constant(const hb_value *value)
{
    return value->kind == HB_VALUE_NUMBER || value->kind == HB_VALUE_NONE;
}

hb_value *hb_lower_operand_of(const hb_lowering *l, const hb_item *item, uint32_t i)
{
    const hb_item *operand = item - 1;
    for (uint32_t back = hb_item_operands(item) - 1; back > i; back--) {
        operand -= operand->size;
    }
    return &l->values[operand - l->graph.syntax->items];
}

const hb_meaning *hb_value_meaning(const hb_value *value, uint32_t column)
{
    const bool one = hb_value_constant(value) || hb_value_width(value) <= 1;
    if (hb_value_constant(value) && value->means.all == NULL) {
        return hb_meaning_decimals(1);
    }
    return hb_means_of(value->means, one ? 0 : column);
}

uint64_t hb_value_scale(const hb_value *value)
{
    uint64_t largest = 1;
    for (uint32_t i = 0; i < hb_value_meant_columns(value); i++) {
        largest = hb_value_scale_at(value, i) > largest ? hb_value_scale_at(value, i) : largest;
    }
    return largest;
}

bool hb_value_has_kind(const hb_value *value, hb_meaning_kind kind)
{
    bool any = false;
    for (uint32_t i = 0; i < hb_value_meant_columns(value) && !any; i++) {
        any = hb_value_meaning(value, i)->kind == kind;
    }
    return any;
}

const hb_column *hb_value_names(const hb_value *x, const hb_value *y)
{
    if (y->kind == HB_VALUE_NUMBER || hb_value_width(x) != hb_value_width(y)) {
        return y->kind == HB_VALUE_NUMBER || hb_value_width(x) > hb_value_width(y) ? x->names : y->names;
    }
    if (x->names == NULL || y->names == NULL || x->names == y->names) {
        return x->names != NULL ? x->names : y->names;
    }
    for (uint32_t i = 0; i < hb_value_width(x); i++) {
        if (strcmp(x->names[i].name, y->names[i].name) != 0) {
            return NULL;
        }
    }
    return x->names;
}
