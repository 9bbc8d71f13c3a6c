/* One operation on every column of a value: the sign, powers. */
#include "lang/ir/polynomial.h"
#include "lowering.h"
#include "plain.h"

static hb_status raise(hb_graph *g, uint32_t a, int64_t number, uint32_t *out)
{
    return hb_graph_power(g, a, (uint32_t)number, out);
}

/* x keeps its columns and their names. */
hb_status hb_lower_each_column(hb_lowering *l, const hb_value *x, hb_column_operation operation, hb_value *out)
{
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, x->columns); i++) {
        const uint32_t column = l->pool[x->first + i];
        uint32_t node;
        HB_TRY(operation.by_number != NULL ? operation.by_number(&l->graph, column, operation.number, &node)
                                           : operation.unary(&l->graph, column, &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

hb_status hb_lower_in_rows(hb_lowering *l, hb_value *x)
{
    hb_value made;
    HB_TRY(hb_lower_load(l, x));
    if (x->kind == HB_TYPE_TOTALS) {
        HB_TRY(hb_lower_each_column(l, x, (hb_column_operation){.unary = hb_graph_in_rows}, &made));
        *x = made;
        x->kind = HB_TYPE_ROWS;
    }
    return HB_OK;
}

hb_status hb_lower_negate(hb_lowering *l, hb_value *x, hb_value *out)
{
    if (x->kind == HB_TYPE_NUMBER) {
        return hb_lower_numbers(l, HB_ITEM_SUBTRACT, (hb_number){.integer = 0}, x->number, out);
    }
    if (hb_value_plain(x)) {
        hb_value zero = {.kind = HB_TYPE_NUMBER};
        HB_TRY(hb_lower_load(l, x));
        return hb_lower_plain(l, HB_ITEM_SUBTRACT, &zero, x, out);
    }
    HB_TRY(hb_lower_load(l, x));
    return hb_lower_each_column(l, x, (hb_column_operation){.unary = hb_graph_negate}, out);
}

/* Products of squares, from the highest bit of the exponent on. */
static hb_status raise_plain(hb_lowering *l, hb_value base, int64_t exponent, hb_value *out)
{
    int bit = 0;
    while (exponent >> (bit + 1) != 0) {
        bit++;
    }
    HB_TRY(hb_lower_load(l, &base));
    *out = base;
    while (bit-- > 0) {
        hb_value factor = *out;
        HB_TRY(hb_lower_plain(l, HB_ITEM_MULTIPLY, &factor, &factor, out));
        if ((exponent >> bit & 1) != 0) {
            factor = *out;
            HB_TRY(hb_lower_plain(l, HB_ITEM_MULTIPLY, &factor, &base, out));
        }
    }
    return HB_OK;
}

hb_status hb_lower_power(hb_lowering *l, hb_value *x, const hb_value *exponent, hb_value *out)
{
    int64_t number;
    if (!hb_lower_whole(l, exponent, &number) || number < 1 || number > HB_POWER_MAX_EXPONENT) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                          "expected a constant exponent from 1 to %u", HB_POWER_MAX_EXPONENT);
    }
    if (x->kind == HB_TYPE_NUMBER) {
        const hb_value base = *x;
        *out = base;
        for (int64_t i = 1; i < number; i++) {
            HB_TRY(hb_lower_numbers(l, HB_ITEM_MULTIPLY, out->number, base.number, out));
        }
        return HB_OK;
    }
    if (hb_value_plain(x)) {
        return raise_plain(l, *x, number, out);
    }
    HB_TRY(hb_lower_load(l, x));
    return hb_lower_each_column(l, x, (hb_column_operation){.by_number = raise, .number = number}, out);
}
