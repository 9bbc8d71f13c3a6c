/* poly(x, c0, c1, ...): a polynomial that is given by its coefficients. */
#include <stdlib.h>

#include "lang/ir/polynomial.h"
#include "lang/ir/semantics.h"
#include "lang/value/plain.h"

/* Gives every term c x^i the same scale: the columns get one scale, and each coefficient the rest. */
static hb_status align_polynomial(hb_types *t, hb_type *x, hb_type *coefficients, uint32_t count, uint64_t *scale)
{
    const uint64_t own = hb_type_scale(x);
    uint64_t power = 1;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t digits = hb_type_scale(&coefficients[i]);
        if (power == 0 || digits > HB_MOST_SCALE / power) {
            return hb_types_refuse(t, "the polynomial has more than 18 digits behind the point");
        }
        *scale = digits * power > *scale ? digits * power : *scale;
        power = power <= HB_MOST_SCALE / own ? power * own : 0;
    }
    HB_TRY(hb_types_scale(t, x, own));
    power = 1;
    for (uint32_t i = 0; i < count; i++) {
        HB_TRY(hb_types_scale(t, &coefficients[i], *scale / power));
        power *= i + 1 < count ? own : 1;
    }
    return HB_OK;
}

static hb_status take_polynomial(hb_types *t, const hb_item *item, hb_type *operands, hb_result_rule *to)
{
    HB_TRY(hb_types_numbers(t, operands, item->arguments));
    return align_polynomial(t, &operands[0], operands + 1, item->arguments - 1, &to->scale);
}

/* c: [count], filled from the coefficients, which are from the constant one on. */
static hb_status poly_of(hb_lowering *l, const hb_value *x, const hb_value *coefficients, uint32_t count, hb_number *c,
                         hb_value *out)
{
    const hb_graph *g = &l->graph;
    const char *text = g->syntax->text;
    uint32_t degree = 0, k = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (coefficients[i].kind != HB_TYPE_NUMBER) {
            return HB_FAIL_AT(HB_EUSAGE, text, g->position.item->at,
                              "the coefficients of poly(x, c0, c1, ...) are constants");
        }
        c[i] = coefficients[i].number;
        degree = hb_graph_is_zero(g, c[i]) ? degree : i;
    }
    if (degree == 0) {
        return HB_FAIL_AT(HB_EUSAGE, text, g->position.item->at,
                          "the polynomial is a constant, which everyone could read (a transparent ciphertext, which is "
                          "refused)");
    }
    HB_TRY(hb_polynomial_block(g, c, degree, &k));
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; hb_graph_at_column(&l->graph, i, x->columns); i++) {
        uint32_t node;
        HB_TRY(hb_graph_poly(&l->graph, l->pool[x->first + i], c, degree, k, &node));
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const uint32_t count = item->arguments - 1;
    if (count > HB_POLYNOMIAL_MAX_DEGREE + 1) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at,
                          "a polynomial has at most degree %u", HB_POLYNOMIAL_MAX_DEGREE);
    }
    hb_number *c = calloc((size_t)count + 1, sizeof *c);
    if (c == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the coefficients of a polynomial");
    }
    const hb_status st = poly_of(l, &arguments[0], arguments + 1, count, c, out);
    free(c);
    return st;
}

/* (c x + c) x + c .., from the highest coefficient on. */
static hb_status lower_plain(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    *out = arguments[item->arguments - 1];
    for (uint32_t i = item->arguments - 1; i > 0; i--) {
        hb_value sum = *out, product;
        if (arguments[i].kind != HB_TYPE_NUMBER) {
            return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, item->at,
                              "the coefficients of poly(x, c0, c1, ...) are constants");
        }
        if (i + 1 < item->arguments) {
            HB_TRY(hb_lower_plain(l, HB_ITEM_MULTIPLY, &sum, &arguments[0], &product));
            HB_TRY(hb_lower_plain(l, HB_ITEM_ADD, &product, &arguments[i], out));
        }
    }
    return HB_OK;
}

/* As in the clear. */
static hb_status constant(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    *out = arguments[item->arguments - 1].number;
    for (uint32_t i = item->arguments - 2; i > 0; i--) {
        HB_TRY(hb_fold_pair(t, HB_ITEM_MULTIPLY, *out, arguments[0].number, out));
        HB_TRY(hb_fold_pair(t, HB_ITEM_ADD, *out, arguments[i].number, out));
    }
    return HB_OK;
}

const hb_lang_function hb_lang_function_poly = {
    .call = {.name = "poly",
             .form = "poly(x, c0, c1, ...)",
             .says = "c0 + c1 x + c2 x² ..., where the c are constants",
             .least = 2,
             .most = UINT32_MAX,
             .reserved = true},
    .meaning = {take_polynomial, HB_RESULT_NUMBER},
    .gaps = HB_GAPS_ROWWISE,
    .encrypted = true,
    .constant = constant,
    .lower = lower,
    .plain = lower_plain,
};
