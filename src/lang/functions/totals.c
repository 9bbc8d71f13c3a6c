/* sum, dot, mean, var and count: one row of all rows of a table, or of each group of them. Decryption computes
 * aggregates that are no sums themselves from sums (src/table/epilogue.h). */
#include <stdlib.h>

#include "aggregate.h"
#include "lang/ir/blocks.h"
#include "lang/ir/function.h"
#include "lang/ir/known.h"
#include "lang/ir/semantics.h"
#include "lang/types/lang_function.h"
#include "plain_conditions.h"

/* --- of plain values alone: numbers, in the clear */

static uint64_t rows_of(const hb_lowering *l, const hb_value *x)
{
    uint64_t rows = 1;
    for (uint32_t c = 0; c < x->columns; c++) {
        const uint64_t own = hb_plain_node_rows(&l->graph, l->pool[x->first + c]);
        rows = own != 1 ? own : rows;
    }
    return rows;
}

/* Columns [each] that are the sums of those of a node. */
static hb_status add_totals(hb_lowering *l, uint32_t node, uint64_t rows, uint32_t each, uint32_t *columns)
{
    for (uint32_t i = 0; i < each; i++) {
        hb_plain_value sum;
        HB_TRY(hb_plain_total(l, node, i, rows, &sum));
        HB_TRY(hb_derived_add_number(&l->graph.constants.derived, sum, &columns[i]));
    }
    return HB_OK;
}

/* One row, the sums of a plain value over so many rows. */
static hb_status plain_total(hb_lowering *l, const hb_value *x, uint64_t rows, hb_value *out)
{
    const uint32_t each = x->width > 0 ? x->width : 1;
    uint32_t *columns = malloc(each * sizeof *columns);
    hb_status st = columns != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the columns of an expression");
    *out = (hb_value){.kind = HB_TYPE_ROW, .names = x->names, .width = x->width};
    st = st == HB_OK ? hb_lower_columns(l, x->columns, out) : st;
    for (uint32_t c = 0; st == HB_OK && hb_graph_at_column(&l->graph, c, x->columns); c++) {
        const uint32_t node = l->pool[x->first + c];
        const hb_plain_place place = {l->graph.nodes[node].operand, l->graph.nodes[node].shape.image};
        uint32_t made = HB_NO_NODE;
        st = add_totals(l, node, rows, each, columns);
        st = st == HB_OK ? hb_graph_plain_node(&l->graph, &place, columns, each, &made) : st;
        l->pool[out->first + c] = made;
    }
    free(columns);
    return st;
}

/* The squares of distances to the mean, divided by one less than the number of rows. */
static hb_status plain_variance(hb_lowering *l, hb_value *x, hb_value *mean, hb_value *condition, uint64_t rows,
                                hb_value *count, hb_value *out)
{
    hb_value one = {.kind = HB_TYPE_NUMBER, .number = {.integer = 1, .real = 1}}, apart, square, sum, less;
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, x, mean, &apart));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &apart, &apart, &square));
    if (condition != NULL) {
        apart = square;
        HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &apart, condition, &square));
    }
    HB_TRY(plain_total(l, &square, rows, &sum));
    HB_TRY(hb_lower_binary(l, HB_ITEM_SUBTRACT, count, &one, &less));
    return hb_lower_plain(l, HB_ITEM_DIVIDE, &sum, &less, out);
}

/* There is no mean of no rows. */
static hb_status require_some(const hb_lowering *l, const hb_value *count)
{
    const hb_graph *g = &l->graph;
    const bool none = count->kind != HB_TYPE_NUMBER && hb_node_is_zero(g, l->pool[count->first]);
    return none ? HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                             "the condition on plain tables selects no row, so there is no mean")
                : HB_OK;
}

/* An aggregate of plain values, of the rows that a plain condition selects. */
static hb_status plain_aggregate(hb_lowering *l, const hb_item *item, const hb_value *argument, hb_value *out)
{
    const hb_epilogue *epilogue = hb_lang_function_of(item)->epilogue;
    const hb_value *selects = hb_lower_condition_of(l, argument);
    hb_value x = *argument, condition, selected, sum, mean;
    HB_TRY(hb_lower_load(l, &x));
    uint64_t rows = rows_of(l, &x);
    hb_value count = {.kind = HB_TYPE_NUMBER, .number = {.integer = (int64_t)rows, .real = (double)rows}};
    selected = x;
    if (selects != NULL) {
        condition = *selects;
        rows = rows == 1 ? rows_of(l, &condition) : rows;
        HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &x, &condition, &selected));
        HB_TRY(plain_total(l, &condition, rows, &count));
    }
    HB_TRY(plain_total(l, &selected, rows, &sum));
    *out = sum;
    if (!hb_epilogue_is_itself(epilogue)) {
        HB_TRY(require_some(l, &count));
        HB_TRY(hb_lower_plain(l, HB_ITEM_DIVIDE, &sum, &count, &mean));
        *out = mean;
    }
    if (epilogue == &hb_epilogue_variance) {
        HB_TRY(plain_variance(l, &x, &mean, selects != NULL ? &condition : NULL, rows, &count, out));
    }
    out->names = hb_lang_function_of(item)->counts ? NULL : x.names;
    return HB_OK;
}

/* Whether all that an aggregate is of is plain. */
static bool is_plain(const hb_lowering *l, const hb_value *x)
{
    const hb_value *condition = hb_lower_condition_of(l, x);
    return hb_value_plain(x) && (condition == NULL || hb_value_plain(condition));
}

/* --- of encrypted values */

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
    if (is_plain(l, x)) {
        return plain_aggregate(l, item, x, out);
    }
    if (condition != NULL && hb_value_plain(condition) && !hb_graph_packed(&l->graph)) {
        return hb_lower_aggregate(l, item, arguments, out); /* how many rows it is of is known */
    }
    HB_TRY(hb_lower_zeroed(l, x));
    if (condition != NULL && hb_lower_selects_none(l, condition) && x->kind == HB_TYPE_ROWS &&
        !hb_graph_packed(&l->graph)) {
        HB_TRY(total(l, x, (hb_column_operation){.unary = hb_graph_sum}, out));
        return hb_lower_zero_totals(l, out);
    }
    if (condition != NULL) {
        HB_TRY(hb_lower_selected(l, x, &selected));
        x = &selected;
    }
    return total(l, x, (hb_column_operation){.unary = hb_graph_sum}, out);
}

static hb_status dot(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_value products;
    (void)item;
    HB_TRY(hb_lower_zeroed(l, &arguments[0]));
    HB_TRY(hb_lower_zeroed(l, &arguments[1]));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &arguments[0], &arguments[1], &products));
    if (hb_value_plain(&products)) {
        return plain_total(l, &products, rows_of(l, &products), out);
    }
    return total(l, &products, (hb_column_operation){.unary = hb_graph_sum}, out);
}

/* Reals of all rows are multiplied by the inverse of their number. */
static hb_status mean(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    if (is_plain(l, &arguments[0])) {
        return plain_aggregate(l, item, &arguments[0], out);
    }
    return l->graph.semantics->reals && hb_lower_condition_of(l, &arguments[0]) == NULL &&
                   !hb_type_has_gaps(arguments[0].type)
               ? total(l, &arguments[0], (hb_column_operation){.unary = hb_graph_mean}, out)
               : hb_lower_aggregate(l, item, arguments, out);
}

static hb_status variance(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    return is_plain(l, &arguments[0]) ? plain_aggregate(l, item, &arguments[0], out)
                                      : hb_lower_aggregate(l, item, arguments, out);
}

/* The number of rows where one plain condition is true is known without a row of numbers. */
static hb_status count(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    if (item->arguments == 0 || !is_plain(l, &arguments[0]) || hb_value_width(&arguments[0]) == 1) {
        return hb_lower_aggregate(l, item, arguments, out);
    }
    HB_TRY(hb_lower_require_condition(l, "count", &arguments[0]));
    return plain_aggregate(l, item, &arguments[0], out);
}

/* --- their types */

/* Sums and means of categories, dates and times are refused. */
static hb_status take_aggregated(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    const hb_type *x = &operands[0];
    (void)item;
    (void)to;
    HB_TRY(hb_types_kinds(t, x, false));
    if (hb_type_has_meaning(x, HB_MEANING_TIME)) {
        return hb_types_refuse(t, "times have no sum and no mean; use the time since another one, as "
                                  "mean(x.at - '2000-01-01T00:00')");
    }
    return hb_type_has_meaning(x, HB_MEANING_DATE)
               ? hb_types_refuse(t, "dates have no sum and no mean; use the days since another date, as "
                                    "mean(x.day - '2000-01-01')")
               : HB_OK;
}

/* Totals of plain values alone: one row of numbers. */
static hb_status plain_totals(const hb_types *t, const hb_item *item, const hb_type *x, hb_type *out)
{
    const hb_lang_function *f = hb_lang_function_of(item);
    const bool divided = f->epilogue != NULL && !hb_epilogue_is_itself(f->epilogue);
    if (divided && !t->context.semantics->reals) {
        return hb_types_refuse(t, "means and variances of integers are divided when they are decrypted, and nothing is "
                                  "encrypted here: compute with sums and numbers of rows, as count()*x - sum(w)");
    }
    *out = (hb_type){.kind = HB_TYPE_ROW,
                     .columns = x->columns,
                     .rows = 1,
                     .names = f->counts ? NULL : x->names,
                     .means = hb_means_all(hb_meaning_decimals(1)),
                     /* of variances; others get their own */ .image = x->image};
    return HB_OK;
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
    const bool plain = condition != NULL && hb_type_plain(condition) && t->context.block <= 1;
    if (hb_type_plain(&operands[0]) && !item->grouped) {
        return plain_totals(t, item, &operands[0], out);
    }
    return item->grouped || plain ? hb_shape_aggregate(t, item, operands, out) : totals(t, item, operands, out);
}

static hb_status shape_of_dot(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    hb_type products;
    HB_TRY(hb_shape_binary(t, &operands[0], &operands[1], &products));
    return hb_type_plain(&products) ? plain_totals(t, item, &products, out) : totals(t, item, &products, out);
}

static hb_status shape_of_mean(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    if (hb_type_plain(&operands[0]) && !item->grouped) {
        return plain_totals(t, item, &operands[0], out);
    }
    const bool all = t->context.semantics->reals && !item->grouped && hb_types_condition_of(t, &operands[0]) == NULL &&
                     !hb_type_has_gaps(&operands[0]);
    return all ? totals(t, item, operands, out) : hb_shape_aggregate(t, item, operands, out);
}

static hb_status shape_of_variance(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    return hb_type_plain(&operands[0]) && !item->grouped ? plain_totals(t, item, &operands[0], out)
                                                         : hb_shape_aggregate(t, item, operands, out);
}

static hb_status shape_of_count(hb_types *t, const hb_item *item, const hb_type *operands, hb_type *out)
{
    const bool several = item->arguments > 0 && hb_type_plain(&operands[0]) && operands[0].columns > 1;
    if (!several || item->grouped) {
        return hb_shape_aggregate(t, item, operands, out);
    }
    HB_TRY(hb_types_condition(t, "count", &operands[0]));
    return plain_totals(t, item, &operands[0], out);
}

const hb_lang_function hb_lang_function_sum = {
    .call = {.name = "sum",
             .form = "sum(x)",
             .says = "the sum of each column over all rows: one row, which may be used with all rows again",
             .least = 1,
             .most = 1,
             .reserved = true,
             .aggregate = true},
    .meaning = {take_aggregated, HB_RESULT_TOTAL},
    .gaps = HB_GAPS_SKIPPED,
    .shape = shape_of_sum,
    .epilogue = &hb_epilogue_itself,
    .lower = sum,
};
const hb_lang_function hb_lang_function_dot = {
    .call = {.name = "dot",
             .form = "dot(x, y)",
             .says = "the sum of the products of x and y, of each column over all rows: one row, as of `sum`",
             .least = 2,
             .most = 2,
             .reserved = true,
             .matches = true},
    .meaning = {hb_take_product, HB_RESULT_PRODUCT},
    .gaps = HB_GAPS_SKIPPED,
    .shape = shape_of_dot,
    .lower = dot,
};
const hb_lang_function hb_lang_function_mean = {
    .call = {.name = "mean",
             .form = "mean(x)",
             .says = "the mean of each column over all rows; means of integers are computed at decryption (see "
                     "Aggregates)",
             .least = 1,
             .most = 1,
             .aggregate = true},
    .meaning = {take_aggregated, HB_RESULT_MEAN},
    .gaps = HB_GAPS_SKIPPED,
    .shape = shape_of_mean,
    .epilogue = &hb_epilogue_mean,
    .lower = mean,
};
const hb_lang_function hb_lang_function_var = {
    .call = {.name = "var",
             .form = "var(x)",
             .says = "the variance of each column over all rows, computed at decryption ([aggregates](aggregates.md))",
             .least = 1,
             .most = 1,
             .aggregate = true},
    .meaning = {take_aggregated, HB_RESULT_OWN},
    .gaps = HB_GAPS_SKIPPED,
    .shape = shape_of_variance,
    .epilogue = &hb_epilogue_variance,
    .lower = variance,
};
const hb_lang_function hb_lang_function_count = {
    .call = {.name = "count",
             .form = "count(condition), count(x) or count()",
             .says = "the number of rows where the condition is true; the number of cells of a column that are there; "
                     "the number of all rows, beside other columns",
             .least = 0,
             .most = 1,
             .aggregate = true},
    .meaning = {hb_take_all, HB_RESULT_WHOLE},
    .gaps = HB_GAPS_SKIPPED,
    .shape = shape_of_count,
    .counts = true,
    .epilogue = &hb_epilogue_itself,
    .lower = count,
};
