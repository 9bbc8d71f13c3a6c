/* Functions, powers and the sign. */
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "complex.h"
#include "lower.h"
#include "lower_plain.h"
#include "polynomial.h"
#include "semantics.h"

static hb_status require_encrypted(hb_lowering *l, const char *what, hb_value *x)
{
    if (!hb_value_encrypted(x)) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.item->at,
                          "%s works on encrypted values, and this is %s", what,
                          x->kind == HB_VALUE_NUMBER ? "a number" : "a plain table");
    }
    return hb_lower_load(l, x);
}

/* What a function does to one column: one of the two. */
typedef struct column_operation {
    hb_status (*plain)(hb_graph *g, uint32_t a, uint32_t *out);
    hb_status (*by_number)(hb_graph *g, uint32_t a, int64_t number, uint32_t *out);
    int64_t number;
} column_operation;

static hb_status raise(hb_graph *g, uint32_t a, int64_t number, uint32_t *out)
{
    return hb_graph_power(g, a, (uint32_t)number, out);
}

/* x keeps its columns and their names. */
static hb_status each_column(hb_lowering *l, const hb_value *x, column_operation operation, hb_value *out)
{
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; i < x->columns; i++) {
        l->graph.value_column = i;
        const uint32_t column = l->pool[x->first + i];
        uint32_t node;
        HB_TRY(operation.by_number != NULL ? operation.by_number(&l->graph, column, operation.number, &node)
                                           : operation.plain(&l->graph, column, &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

hb_status hb_lower_negate(hb_lowering *l, hb_value *x, hb_value *out)
{
    if (x->kind == HB_VALUE_NUMBER) {
        const hb_number number = {-x->number.integer, -x->number.real, -x->number.imaginary};
        return hb_lower_number(l, number, false, out);
    }
    HB_TRY(require_encrypted(l, "-", x));
    return each_column(l, x, (column_operation){.plain = hb_graph_negate}, out);
}

hb_status hb_lower_power(hb_lowering *l, hb_value *x, const hb_value *exponent, hb_value *out)
{
    int64_t number;
    if (!hb_lower_whole(l, exponent, &number) || number < 1 || number > HB_POWER_MAX_EXPONENT) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.item->at,
                          "expected a constant exponent from 1 to %u", HB_POWER_MAX_EXPONENT);
    }
    if (x->kind == HB_VALUE_NUMBER) {
        const hb_value base = *x;
        *out = base;
        for (int64_t i = 1; i < number; i++) {
            HB_TRY(hb_lower_numbers(l, HB_ITEM_MULTIPLY, out->number, base.number, out));
        }
        return HB_OK;
    }
    HB_TRY(require_encrypted(l, "^", x));
    return each_column(l, x, (column_operation){.by_number = raise, .number = number}, out);
}

static hb_status rotate(hb_lowering *l, const hb_value *x, const hb_value *step, hb_value *out)
{
    int64_t number;
    if (!hb_lower_whole(l, step, &number)) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.item->at,
                          "the step of a rotation is a constant integer, as in rotate(x, -1)");
    }
    return each_column(l, x, (column_operation){.by_number = hb_graph_rotate, .number = number}, out);
}

hb_status hb_lower_row_sum(hb_lowering *l, const hb_value *x, bool everywhere, hb_value *out)
{
    uint32_t node = l->pool[x->first];
    *out = (hb_value){.kind = x->kind, .width = everywhere || x->width == 0 ? x->width : 1};
    HB_TRY(hb_lower_columns(l, 1, out));
    l->graph.value_column = 0;
    if (x->width > 0) {
        HB_TRY(everywhere ? hb_graph_row_sum_spread(&l->graph, node, x->width, &node)
                          : hb_graph_row_sum(&l->graph, node, &node));
        l->pool[out->first] = node;
        return HB_OK;
    }
    for (uint32_t i = 1; i < x->columns; i++) {
        HB_TRY(hb_graph_add(&l->graph, node, l->pool[x->first + i], &node));
    }
    l->pool[out->first] = node;
    return HB_OK;
}

/* c: [count], filled from the coefficients, which are from the constant one on. */
static hb_status poly_of(hb_lowering *l, const hb_value *x, const hb_value *coefficients, uint32_t count, hb_number *c,
                         hb_value *out)
{
    const hb_graph *g = &l->graph;
    const char *text = g->syntax->text;
    uint32_t degree = 0, k = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (coefficients[i].kind != HB_VALUE_NUMBER) {
            return HB_FAIL_AT(HB_EUSAGE, text, g->item->at, "the coefficients of poly(x, c0, c1, ...) are constants");
        }
        c[i] = coefficients[i].number;
        degree = hb_graph_is_zero(g, c[i]) ? degree : i;
    }
    if (degree == 0) {
        return HB_FAIL_AT(HB_EUSAGE, text, g->item->at,
                          "the polynomial is a constant, which everyone could read (a transparent ciphertext, which is "
                          "refused)");
    }
    HB_TRY(hb_polynomial_block(g, c, degree, &k));
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; i < x->columns; i++) {
        l->graph.value_column = i;
        uint32_t node;
        HB_TRY(hb_graph_poly(&l->graph, l->pool[x->first + i], c, degree, k, &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

static hb_status poly(hb_lowering *l, const hb_value *x, const hb_value *coefficients, uint32_t count, hb_value *out)
{
    if (count > HB_POLYNOMIAL_MAX_DEGREE + 1) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.item->at, "a polynomial has at most degree %u",
                          HB_POLYNOMIAL_MAX_DEGREE);
    }
    hb_number *c = calloc((size_t)count + 1, sizeof *c);
    if (c == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the coefficients of a polynomial");
    }
    const hb_status st = poly_of(l, x, coefficients, count, c, out);
    free(c);
    return st;
}

static hb_status total(hb_lowering *l, const hb_value *x, column_operation operation, hb_value *out)
{
    HB_TRY(each_column(l, x, operation, out));
    out->kind = HB_VALUE_TOTALS;
    return HB_OK;
}

/* Whether an aggregate is more than one sum over all rows. */
static bool is_aggregate(const hb_lowering *l, const hb_item *item, const hb_value *x)
{
    const hb_call_form *form = hb_call_form_of(item->call);
    const bool whole = item->call == HB_CALL_MEAN && l->graph.semantics->reals && x->kind != HB_VALUE_WHERE;
    if (item->call == HB_CALL_SUM && x->kind == HB_VALUE_WHERE && hb_value_plain(&l->pairs[x->first][1])) {
        return true; /* how many rows it is of is known */
    }
    return item->grouped || form->groups || item->call == HB_CALL_COLS ||
           (form->aggregate && item->call != HB_CALL_SUM && !whole);
}

static hb_status aggregate(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    if (item->call == HB_CALL_COLS) {
        return hb_lower_cols(l, item, arguments, out);
    }
    if (item->call == HB_CALL_FETCH) {
        return hb_lower_fetch(l, item, arguments, out);
    }
    const bool groups = hb_call_form_of(item->call)->groups || item->call == HB_CALL_HISTOGRAM;
    return groups && !item->grouped ? hb_lower_groups(l, item, arguments, out)
                                    : hb_lower_aggregate(l, item, arguments, out);
}

static hb_status extreme(hb_lowering *l, const hb_item *item, hb_value *x, hb_value *y, hb_value *out)
{
    const bool largest = item->call == HB_CALL_MAX;
    HB_TRY(require_encrypted(l, hb_call_names[item->call], hb_value_encrypted(x) ? x : y));
    return l->graph.semantics->reals ? hb_lower_extreme(l, x, y, largest, out)
                                     : hb_lower_extreme_integer(l, x, y, largest, out);
}

hb_status hb_lower_call(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_value *x = &arguments[0], products, selected;
    const hb_call_form *form = hb_call_form_of(item->call);
    if (form->reals && !l->graph.semantics->reals) {
        return hb_fail_function(l->graph.syntax, item);
    }
    if (is_aggregate(l, item, x)) {
        return aggregate(l, item, arguments, out);
    }
    if (item->arguments > 0 && x->kind == HB_VALUE_WHERE) {
        HB_TRY(hb_lower_selected(l, x, &selected));
        x = &selected;
    }
    if (item->call == HB_CALL_CONV) {
        return hb_lower_convolution(l, item, arguments, out);
    }
    if (form->choice) {
        return hb_lower_choice(l, item, arguments, out);
    }
    if (item->call == HB_CALL_MAX || item->call == HB_CALL_MIN) {
        return extreme(l, item, x, &arguments[1], out);
    }
    if (item->call == HB_CALL_SQUARE) {
        const hb_value two = {.kind = HB_VALUE_NUMBER, .number = {.integer = 2, .real = 2}};
        return hb_lower_power(l, x, &two, out);
    }
    if (item->call == HB_CALL_DOT) {
        HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, x, &arguments[1], &products));
        x = &products;
    }
    HB_TRY(require_encrypted(l, hb_call_names[item->call], x));
    if (item->call == HB_CALL_ABS && !l->graph.semantics->reals) {
        return item->arguments == 1 ? hb_lower_absolute(l, x, out) : hb_fail_function(l->graph.syntax, item);
    }
    switch (item->call) {
    case HB_CALL_ROTATE:
        return rotate(l, x, &arguments[1], out);
    case HB_CALL_SWAP:
        return each_column(l, x, (column_operation){.plain = hb_graph_swap}, out);
    case HB_CALL_POLY:
        return poly(l, x, arguments + 1, item->arguments - 1, out);
    case HB_CALL_ROWSUM:
        return hb_lower_row_sum(l, x, false, out);
    case HB_CALL_MODSWITCH:
        return each_column(l, x, (column_operation){.plain = hb_graph_mod_switch}, out);
    case HB_CALL_CONJ:
        return each_column(l, x, (column_operation){.plain = hb_graph_conjugate}, out);
    case HB_CALL_RE:
        return each_column(l, x, (column_operation){.plain = hb_graph_real_part}, out);
    case HB_CALL_IM:
        return each_column(l, x, (column_operation){.plain = hb_graph_imaginary_part}, out);
    case HB_CALL_ABS2:
        return each_column(l, x, (column_operation){.plain = hb_graph_modulus_square}, out);
    case HB_CALL_MEAN:
        return total(l, x, (column_operation){.plain = hb_graph_mean}, out);
    case HB_CALL_SUM:
    case HB_CALL_DOT:
        return total(l, x, (column_operation){.plain = hb_graph_sum}, out);
    default:
        return hb_lower_function(l, item, arguments, out);
    }
}
