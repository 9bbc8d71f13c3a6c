/* onehot(x, 1..12): a column for each number, 1 where x is that number. */
#include "lang/ir/predicate.h"
#include "lang/value/lowering.h"

static hb_status take_members(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    (void)to;
    for (uint32_t i = 1; i < item->arguments; i++) {
        if (operands[i].kind == HB_TYPE_ENTRY) {
            return hb_types_refuse(t, "entries are for lookup");
        }
        HB_TRY(hb_types_member(t, &operands[i], &operands[0]));
    }
    return hb_type_scale(&operands[0]) == 1 ? HB_OK : hb_types_refuse(t, "decimals can be compared, but not looked up");
}

static hb_status shape(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_type *x = &operands[0];
    uint64_t columns = 0;
    if (x->columns != 1) {
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, item->at, "onehot takes one column, and here are %u",
                          x->columns);
    }
    for (uint32_t i = 1; i < item->arguments; i++) {
        const hb_member *member = &operands[i].member;
        columns += (uint64_t)(member->high.integer - member->low.integer) + 1;
        if (columns > HB_GRAPH_MAX_NODES) {
            return hb_types_refuse(t, "onehot makes a column for each number, and these are too many");
        }
    }
    *out = (hb_type){.kind = x->kind, .columns = (uint32_t)columns};
    return HB_OK;
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_graph *g = &l->graph;
    hb_value *x = &arguments[0];
    const hb_value one = *x;
    *out = (hb_value){.kind = x->kind};
    HB_TRY(hb_lower_columns(l, l->type->columns, out));
    uint32_t column = 0;
    for (uint32_t i = 1; i < item->arguments; i++) {
        const hb_member member = hb_value_member(&arguments[i]);
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
    .call = {.name = "onehot",
             .form = "onehot(x, 1..12)",
             .says = "on integers: a column for each number, with 1 where x is this number, and 0 elsewhere",
             .least = 2,
             .most = UINT32_MAX,
             .members = true},
    .meaning = {take_members, HB_RESULT_NUMBER},
    .shape = shape,
    .integers = true,
    .encrypted = true,
    .lower = lower,
};
