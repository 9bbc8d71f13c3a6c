/* sum, dot, mean, var and count: one row of all rows of a table, or of each group of them. What is no sum is worked out
 * of sums by decryption (src/table/epilogue.h). */
#include "aggregate.h"
#include "lang/ir/blocks.h"
#include "lang/ir/function.h"
#include "lang/ir/semantics.h"
#include "lang/value/lang_function.h"

static hb_status total(hb_lowering *l, hb_value *x, const char *what, hb_column_operation operation, hb_value *out)
{
    HB_TRY(hb_lower_require_encrypted(l, what, x));
    HB_TRY(hb_lower_each_column(l, x, operation, out));
    out->kind = HB_VALUE_TOTALS;
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
    return total(l, x, "sum", (hb_column_operation){.plain = hb_graph_sum}, out);
}

static hb_status dot(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_value products;
    (void)item;
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &arguments[0], &arguments[1], &products));
    return total(l, &products, "dot", (hb_column_operation){.plain = hb_graph_sum}, out);
}

/* Reals of all rows are multiplied by the inverse of their number. */
static hb_status mean(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    return l->graph.semantics->reals && hb_lower_condition_of(l, &arguments[0]) == NULL
               ? total(l, &arguments[0], "mean", (hb_column_operation){.plain = hb_graph_mean}, out)
               : hb_lower_aggregate(l, item, arguments, out);
}

const hb_lang_function hb_lang_function_sum = {
    .call = {.name = "sum", .form = "sum(x)", .least = 1, .most = 1, .reserved = true, .aggregate = true},
    .meaning = {hb_take_aggregated, HB_RESULT_TOTAL},
    .epilogue = &hb_epilogue_itself,
    .lower = sum,
};
const hb_lang_function hb_lang_function_dot = {
    .call = {.name = "dot", .form = "dot(x, y)", .least = 2, .most = 2, .reserved = true, .matches = true},
    .meaning = {hb_take_product, HB_RESULT_PRODUCT},
    .lower = dot,
};
const hb_lang_function hb_lang_function_mean = {
    .call = {.name = "mean", .form = "mean(x)", .least = 1, .most = 1, .aggregate = true},
    .meaning = {hb_take_aggregated, HB_RESULT_TOTAL},
    .epilogue = &hb_epilogue_mean,
    .lower = mean,
};
const hb_lang_function hb_lang_function_var = {
    .call = {.name = "var", .form = "var(x)", .least = 1, .most = 1, .aggregate = true},
    .meaning = {hb_take_all, HB_RESULT_OWN},
    .epilogue = &hb_epilogue_variance,
    .lower = hb_lower_aggregate,
};
const hb_lang_function hb_lang_function_count = {
    .call = {.name = "count", .form = "count(condition) or count()", .least = 0, .most = 1, .aggregate = true},
    .meaning = {hb_take_all, HB_RESULT_OWN},
    .counts = true,
    .epilogue = &hb_epilogue_itself,
    .lower = hb_lower_aggregate,
};
