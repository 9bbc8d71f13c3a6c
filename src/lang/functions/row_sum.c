/* rowsum(x): the sum of all columns of a value. */
#include "functions.h"
#include "lang/ir/blocks.h"
#include "lang/types/lang_function.h"
#include "lang/value/plain.h"

hb_status hb_lower_row_sum(hb_lowering *l, const hb_value *x, uint32_t group, bool everywhere, hb_value *out)
{
    hb_graph *g = &l->graph;
    uint32_t node = l->pool[x->first];
    *out = (hb_value){.kind = x->kind, .width = everywhere || x->width == 0 ? x->width : 1};
    HB_TRY(hb_lower_columns(l, x->width > 0 ? 1 : x->columns / group, out));
    hb_graph_at_column(g, 0, 1);
    if (x->width > 0) {
        HB_TRY(!everywhere        ? hb_graph_row_sum(g, node, &node)
               : group < x->width ? hb_graph_within_groups(g, node, group, 1, 1, &node)
                                  : hb_graph_row_sum_spread(g, node, x->width, &node));
        l->pool[out->first] = node;
        return HB_OK;
    }
    for (uint32_t k = 0; hb_graph_at_column(g, k, out->columns); k++) {
        node = l->pool[x->first + k * group];
        for (uint32_t i = 1; i < group; i++) {
            HB_TRY(hb_graph_add(g, node, l->pool[x->first + k * group + i], &node));
        }
        l->pool[out->first + k] = node;
    }
    return HB_OK;
}

static hb_status take_row(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)item;
    (void)to;
    HB_TRY(hb_types_numbers(t, operands, 1));
    hb_time_unit unit = HB_TIME_NONE; /* of those that count time */
    for (uint32_t i = 0; i < hb_type_meant_columns(&operands[0]); i++) {
        const hb_time_unit own = hb_type_meaning(&operands[0], i)->unit;
        if (own != HB_TIME_NONE && unit != HB_TIME_NONE && own != unit) {
            return hb_types_refuse(t, "the columns count different things: seconds, minutes, hours or days");
        }
        unit = own != HB_TIME_NONE ? own : unit;
    }
    return hb_types_scale(t, &operands[0], hb_type_scale(&operands[0]));
}

static hb_status shape(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    (void)t;
    (void)item;
    *out = (hb_type){.kind = operands[0].kind, .columns = 1, .rows = operands[0].rows};
    return HB_OK;
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    (void)item;
    return hb_lower_row_sum(l, &arguments[0], hb_value_width(&arguments[0]), false, out);
}

static hb_status lower_plain(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_value *x = &arguments[0];
    (void)item;
    for (uint32_t i = 0; i < hb_value_width(x); i++) {
        hb_value column = *x, before = *out;
        column.columns = 1;
        column.names = NULL;
        column.first += x->columns > 1 ? i : 0;
        if (x->width > 0) {
            HB_TRY(hb_lower_plain_repeat(l, i, &(hb_node_shape){.width = 1}, &column));
        }
        *out = column;
        if (i > 0) {
            HB_TRY(hb_lower_plain(l, HB_ITEM_ADD, &before, &column, out));
        }
    }
    return HB_OK;
}

const hb_lang_function hb_lang_function_rowsum = {
    .call = {.name = "rowsum",
             .form = "rowsum(x)",
             .says = "the sum of each row over all columns",
             .least = 1,
             .most = 1,
             .reserved = true,
             .row = true},
    .meaning = {take_row, HB_RESULT_TOTAL},
    .shape = shape,
    .encrypted = true,
    .lower = lower,
    .plain = lower_plain,
};
