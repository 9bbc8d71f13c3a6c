/* Quotients of reals: by constants, by values, and of each column by the sum of all, as softmax is. */
#include <math.h>

#include "approximate_columns.h"
#include "lang/ir/semantics.h"
#include "lang/types/lang_function.h"
#include "lang/value/plain.h"

/* --- quotients */

static hb_status inverse(hb_lowering *l, const hb_value *x, double scale, hb_value *out)
{
    hb_interval values;
    double error;
    if (l->graph.params == NULL) {
        return hb_lower_any_polynomial(l, x, out);
    }
    HB_TRY(hb_approximate_columns_values(l, x, "the inverse", &values));
    hb_approximation_wish w = {.function = HB_INV, .bits = l->approximations.bits, .scale = scale};
    return hb_approximate_columns_smooth(l, x, values, &w, &error, out);
}

hb_status hb_lower_divide(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out)
{
    const bool plain = !hb_value_encrypted(x) && !hb_value_encrypted(y) && (hb_value_plain(x) || hb_value_plain(y));
    if (plain) {
        HB_TRY(hb_lower_load(l, x));
        HB_TRY(hb_lower_load(l, y));
        return hb_lower_plain(l, HB_ITEM_DIVIDE, x, y, out);
    }
    if (y->kind == HB_TYPE_NUMBER) {
        hb_value factor = {.kind = HB_TYPE_NUMBER, .number = hb_number_inverse(y->number)};
        if (hb_graph_is_zero(&l->graph, y->number)) { /* a number of rows */
            return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.position.item->at, "a division by 0");
        }
        return hb_lower_binary(l, HB_ITEM_MULTIPLY, x, &factor, out);
    }
    hb_value inverses;
    if (hb_value_plain(y)) {
        hb_value one = {.kind = HB_TYPE_NUMBER, .number = {.real = 1}};
        HB_TRY(hb_lower_load(l, y));
        HB_TRY(hb_lower_plain(l, HB_ITEM_DIVIDE, &one, y, &inverses));
        return hb_lower_binary(l, HB_ITEM_MULTIPLY, x, &inverses, out);
    }
    HB_TRY(hb_lower_load(l, y));
    if (x->kind == HB_TYPE_NUMBER && x->number.imaginary == 0 && x->number.real != 0) {
        return inverse(l, y, x->number.real, out);
    }
    HB_TRY(inverse(l, y, 1, &inverses));
    return hb_lower_binary(l, HB_ITEM_MULTIPLY, x, &inverses, out);
}

/* --- softmax: e^(x - c) of each column, times a constant, times the inverse of their sum */

/* e^(x - c) <= 1, and the sum of all of them lies in [*least, *most]. */
static hb_status sum_of_exponentials(const hb_lowering *l, const hb_value *x, double centre, double *least,
                                     double *most)
{
    *least = *most = 0;
    for (uint32_t i = 0; i < x->columns; i++) {
        const hb_interval values = l->graph.nodes[l->pool[x->first + i]].range.interval;
        double low, high, unused;
        HB_TRY(hb_function_range(HB_EXP, values.low - centre, values.low - centre, &low, &unused));
        HB_TRY(hb_function_range(HB_EXP, values.high - centre, values.high - centre, &unused, &high));
        *least += x->width > 0 ? x->width * low : low;
        *most += x->width > 0 ? x->width * high : high;
    }
    *least *= 1 - 0x1p-30;
    *most *= 1 + 0x1p-30;
    return HB_OK;
}

static const char made_of[] = "softmax is made of exp and inv: ";

/* Slots between the channels of a smaller image are in no sum, so a quotient has no bound there. */
static hb_status require_order(const hb_lowering *l, const hb_value *x)
{
    const hb_graph *g = &l->graph;
    if (x->width > 0 && g->nodes[l->pool[x->first]].shape.image.gap > 0) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "softmax takes columns in their order, not an image that a convolution made smaller, "
                          "whose channels stand in each other's gaps: W @ x has them in their order");
    }
    return HB_OK;
}

static hb_status softmax(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_value *x = &arguments[0];
    (void)item;
    hb_value powers, sum, inverses;
    hb_interval values;
    double least, most, off_inverse;
    if (l->graph.params == NULL) {
        return hb_lower_any_polynomial(l, x, out);
    }
    HB_TRY(require_order(l, x));
    HB_TRY(hb_approximate_columns_values(l, x, "softmax", &values));
    const double centre = values.high;
    HB_TRY(sum_of_exponentials(l, x, centre, &least, &most));
    /* Sums that are at most 2 apart are mapped without a level. */
    const double factor = exp2(floor(log2(1.9375 / (most - least + 0x1p-20))));
    const double smallest = factor * least;
    hb_approximation_wish w = {.function = HB_EXP,
                               .bits = l->approximations.bits + 2 - log2(fmin(smallest, 1)),
                               .scale = factor,
                               .made_of = made_of};
    const hb_mapping mapping = hb_mapping_around(values, hb_approximate_columns_absorb(l, x), HB_POLE_NONE);
    const hb_approximation *f = NULL;
    /* e^(x - c) where x is in the interval is e^x on one that lies c lower. */
    w.low = mapping.low - centre;
    w.high = mapping.high - centre;
    w.bits += log2(factor);
    HB_TRY(hb_approximate_columns_find(l, &w, &f));
    const double error = f->error;
    const hb_interval range = hb_interval_of_reals(0, factor * (1 + 0x1p-30));
    HB_TRY(hb_approximate_columns_apply(l, x, &mapping, &w, f, &range, &powers));
    HB_TRY(hb_lower_row_sum(l, &powers, true, &sum));
    const double columns = hb_value_width(x), off = columns * error;
    hb_graph_narrow(&l->graph, l->pool[sum.first],
                    hb_interval_of_reals(smallest - off, factor * most * (1 + 0x1p-30) + off));
    HB_TRY(hb_approximate_columns_values(l, &sum, "softmax", &values));
    hb_approximation_wish inverted = {
        .function = HB_INV, .bits = l->approximations.bits + 2 + log2(fmax(factor, 1)), .scale = 1, .made_of = made_of};
    HB_TRY(hb_approximate_columns_smooth(l, &sum, values, &inverted, &off_inverse, &inverses));
    HB_TRY(hb_lower_binary(l, HB_ITEM_MULTIPLY, &powers, &inverses, out));
    out->names = x->names;
    const double missed = (columns + 1) * error / (smallest - off) + (factor + error) * off_inverse;
    for (uint32_t i = 0; i < out->columns; i++) {
        hb_graph_narrow(&l->graph, l->pool[out->first + i], hb_interval_of_reals(-missed, 1 + missed));
    }
    return HB_OK;
}

const hb_lang_function hb_lang_function_softmax = {
    .call = {.name = "softmax",
             .form = "softmax(x)",
             .says = "on reals: e^x over the sum of e^x, of each row over the columns",
             .least = 1,
             .most = 1,
             .reals = HB_NO_POLYNOMIAL},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .encrypted = true,
    .lower = softmax,
};
