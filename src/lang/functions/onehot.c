/* onehot(x, 1..12): a column for each number, 1 where x is that number. */
#include "lang/ir/predicate.h"
#include "lang/value/lang_function.h"

static hb_status take_column(hb_lowering *l, const hb_item *item, hb_value *values, hb_lowered_meaning *to)
{
    (void)item;
    (void)to;
    return hb_value_scale(&values[0]) == 1 ? HB_OK : hb_lower_refuse(l, "decimals are compared, and not looked up");
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_graph *g = &l->graph;
    hb_value *x = &arguments[0];
    uint64_t columns = 0;
    hb_member member;
    if (x->columns != 1) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at, "onehot is of one column, and here are %u", x->columns);
    }
    for (uint32_t i = 1; i < item->arguments; i++) {
        HB_TRY(hb_lower_member(l, &arguments[i], x, &member));
        columns += (uint64_t)(member.high.integer - member.low.integer) + 1;
        if (member.entry || columns > HB_GRAPH_MAX_NODES) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, item->at,
                              member.entry ? "entries are for lookup"
                                           : "onehot makes one column of each number, and "
                                             "these are too many");
        }
    }
    const hb_value one = *x;
    *out = (hb_value){.kind = x->kind};
    HB_TRY(hb_lower_columns(l, (uint32_t)columns, out));
    uint32_t column = 0;
    for (uint32_t i = 1; i < item->arguments; i++) {
        HB_TRY(hb_lower_member(l, &arguments[i], x, &member));
        for (int64_t number = member.low.integer; number <= member.high.integer; number++) {
            const hb_predicate predicate = {.kind = HB_PREDICATE_EQUAL, .number = number};
            hb_graph_at_column(g, column, out->columns);
            HB_TRY(
                hb_graph_predicate(g, &l->predicates, l->pool[one.first], &predicate, &l->pool[out->first + column]));
            column++;
        }
    }
    return HB_OK;
}

const hb_lang_function hb_lang_function_onehot = {
    .call = {.name = "onehot", .form = "onehot(x, 1..12)", .least = 2, .most = UINT32_MAX, .members = true},
    .meaning = {take_column, HB_RESULT_NUMBER},
    .integers = true,
    .encrypted = true,
    .lower = lower,
};
