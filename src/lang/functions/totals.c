/* sum, dot, mean, var and count: one row of all rows of a table, or of each group of them. What is no sum is worked out
 * of sums by decryption (src/table/epilogue.h). */
#include "aggregate.h"
#include "lang/ir/blocks.h"
#include "lang/ir/function.h"
#include "lang/ir/semantics.h"
#include "lang/types/lang_function.h"

static hb_status total(hb_lowering *l, hb_value *x, hb_column_operation operation, hb_value *out)
{
    HB_TRY(hb_lower_load(l, x));
    HB_TRY(hb_lower_each_column(l, x, operation, out));
    out->kind = HB_TYPE_TOTALS;
    return HB_OK;
}

static hb_status sum(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_value *x = &arguments[0], selected;
    const hb_value *condition = hb_lower_condition_of(l, x);
    if (condition != NULL && hb_value_plain(condition) && !hb_graph_packed(&l->graph)) {
        return hb_lower_aggregate(l, item, arguments, out); /* how many rows it is of is known */
    }
    if (condition != NULL) {
        HB_TRY(hb_lower_selected(l, x, &selected));
        x = &selected;
    }
    return total(l, x, (hb_column_operation){.plain = hb_graph_sum}, out);
}

static hb_status dot(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_value products;
    (void)item;
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &arguments[0], &arguments[1], &products));
    return total(l, &products, (hb_column_operation){.plain = hb_graph_sum}, out);
}

/* Reals of all rows are multiplied by the inverse of their number. */
static hb_status mean(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    return l->graph.semantics->reals && hb_lower_condition_of(l, &arguments[0]) == NULL
               ? total(l, &arguments[0], (hb_column_operation){.plain = hb_graph_mean}, out)
               : hb_lower_aggregate(l, item, arguments, out);
}

/* --- their types */

/* Sums and means of categories and dates are refused. */
static hb_status take_aggregated(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    const hb_type *x = &operands[0];
    (void)item;
    (void)to;
    HB_TRY(hb_types_kinds(t, x, false));
    return hb_type_has_meaning(x, HB_MEANING_DATE)
               ? hb_types_refuse(t, "dates have no sum and no mean; take that of the days since another date, as "
                                    "mean(x.day - '2000-01-01')")
               : HB_OK;
}

static hb_status totals(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_type *x = &operands[0];
    *out = (hb_type){.kind = HB_TYPE_TOTALS, .columns = x->columns, .names = x->names, .image = x->image};
    return hb_types_encrypted(t, item->call->name, x);
}

static hb_status shape_of_sum(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const hb_type *condition = hb_types_condition_of(t, &operands[0]);
    const bool plain = condition != NULL && hb_type_plain(condition) && t->world.block <= 1;
    return item->grouped || plain ? hb_shape_aggregate(t, item, operands, out) : totals(t, item, operands, out);
}

static hb_status shape_of_dot(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    hb_type products;
    HB_TRY(hb_shape_binary(t, &operands[0], &operands[1], &products));
    return totals(t, item, &products, out);
}

static hb_status shape_of_mean(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const bool all = t->world.semantics->reals && !item->grouped && hb_types_condition_of(t, &operands[0]) == NULL;
    return all ? totals(t, item, operands, out) : hb_shape_aggregate(t, item, operands, out);
}

const hb_lang_function hb_lang_function_sum = {
    .call = {.name = "sum", .form = "sum(x)", .least = 1, .most = 1, .reserved = true, .aggregate = true},
    .meaning = {take_aggregated, HB_RESULT_TOTAL},
    .shape = shape_of_sum,
    .epilogue = &hb_epilogue_itself,
    .lower = sum,
};
const hb_lang_function hb_lang_function_dot = {
    .call = {.name = "dot", .form = "dot(x, y)", .least = 2, .most = 2, .reserved = true, .matches = true},
    .meaning = {hb_take_product, HB_RESULT_PRODUCT},
    .shape = shape_of_dot,
    .lower = dot,
};
const hb_lang_function hb_lang_function_mean = {
    .call = {.name = "mean", .form = "mean(x)", .least = 1, .most = 1, .aggregate = true},
    .meaning = {take_aggregated, HB_RESULT_TOTAL},
    .shape = shape_of_mean,
    .epilogue = &hb_epilogue_mean,
    .lower = mean,
};
const hb_lang_function hb_lang_function_var = {
    .call = {.name = "var", .form = "var(x)", .least = 1, .most = 1, .aggregate = true},
    .meaning = {take_aggregated, HB_RESULT_OWN},
    .shape = hb_shape_aggregate,
    .epilogue = &hb_epilogue_variance,
    .lower = hb_lower_aggregate,
};
const hb_lang_function hb_lang_function_count = {
    .call = {.name = "count", .form = "count(condition) or count()", .least = 0, .most = 1, .aggregate = true},
    .meaning = {hb_take_all, HB_RESULT_NUMBER},
    .shape = hb_shape_aggregate,
    .counts = true,
    .epilogue = &hb_epilogue_itself,
    .lower = hb_lower_aggregate,
};
