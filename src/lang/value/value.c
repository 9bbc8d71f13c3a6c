/* What is known of a value by itself. */
#include "lowering.h"
#include "meaning.h"

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
