/* Functions of reals that are no polynomials. What jumps or has a corner is made of sign: step, comparisons, relu, abs,
 * max, min. */
#include <math.h>
#include <stdlib.h>

#include "semantics.h"
#include "wanted.h"

/* --- what is made of sign */

/* In the units of what is compared: a share of the largest magnitude. */
static double gap_of(const hb_lowering *l, double most)
{
    return (l->functions_gap > 0 ? l->functions_gap : HB_LOWERING_GAP) * fmax(most, 0x1p-20);
}

static hb_status stepped(hb_lowering *l, const hb_value *x, hb_interval values, double scale, double shift,
                         hb_value *out)
{
    const double gap = gap_of(l, hb_interval_magnitude(values));
    double error;
    hb_wanted w = {.bits = l->functions_bits, .gap = gap, .scale = scale, .shift = shift};
    return hb_wanted_jump(l, x, values, &w, &error, out);
}

/* x times sign or step of it: |x| or relu(x). Where x is in the gap the error is that of the corner, for |x| an eighth
 * of the gap, 3/16 at the smallest gaps, and beside it x times that of sign: of what the result may be off by, twice
 * what functions may be, three quarters go to the corner, whose gap is what costs levels. */
static hb_status cornered(hb_lowering *l, const hb_value *x, hb_interval values, bool absolute, double *error,
                          hb_value *out)
{
    const double most = fmax(hb_interval_magnitude(values), 0x1p-20);
    const bool by_bits = l->bits_wanted && l->functions_gap == 0;
    const double scale = absolute ? 1 : 0.5, wider = by_bits ? 16 / (3 * scale) : 1;
    const double share = fmin(by_bits ? wider * 0.75 * exp2(1 - l->functions_bits) / most : gap_of(l, 1), 0.5);
    hb_wanted w = {.bits = 2 - log2(share / wider),
                   .gap = share * most,
                   .scale = scale,
                   .shift = absolute ? 0 : 0.5,
                   .beside = true};
    hb_value signs;
    HB_TRY(hb_wanted_jump(l, x, values, &w, error, &signs));
    const double beside = most * *error, inside = w.corner;
    *error = beside + inside;
    const hb_interval range = hb_interval_of_reals(-*error, (absolute ? most : fmax(values.high, 0)) + *error);
    *out = *x;
    HB_TRY(hb_lower_columns(l, x->columns, out));
    for (uint32_t i = 0; i < x->columns; i++) {
        uint32_t node;
        l->graph.value_column = i;
        HB_TRY(hb_graph_multiply(&l->graph, l->pool[x->first + i], l->pool[signs.first + i], &node));
        hb_graph_narrow(&l->graph, node, range);
        hb_graph_misses(&l->graph, node, inside);
        l->graph.nodes[node].cornered = w.gap;
        l->pool[out->first + i] = node;
    }
    return HB_OK;
}

static hb_status difference(hb_lowering *l, hb_value *x, hb_value *y, hb_value *out)
{
    return hb_lower_binary(l, HB_ITEM_SUBTRACT, x, y, out);
}

static hb_interval column_values(const hb_lowering *l, const hb_value *x, uint32_t column)
{
    if (x->kind == HB_VALUE_NUMBER) {
        return hb_interval_of_reals(x->number.real, x->number.real);
    }
    return l->graph.nodes[l->pool[x->first + (x->columns > 1 ? column : 0)]].interval;
}

/* max(x, y) = y + relu(x - y), min(x, y) = y - relu(y - x). */
hb_status hb_lower_extreme(hb_lowering *l, hb_value *x, hb_value *y, bool largest, hb_value *out)
{
    hb_value apart, above;
    hb_interval values;
    double error;
    if (!hb_value_encrypted(y)) { /* the encrypted one is added to last, so that constants are below it */
        hb_value *other = x;
        x = y;
        y = other;
    }
    HB_TRY(difference(l, largest ? x : y, largest ? y : x, &apart));
    if (l->graph.params == NULL) {
        HB_TRY(hb_lower_any_polynomial(l, &apart, &above));
        return hb_lower_binary(l, HB_ITEM_ADD, &above, y, out);
    }
    HB_TRY(hb_wanted_values(l, &apart, largest ? "max" : "min", &values));
    HB_TRY(cornered(l, &apart, values, false, &error, &above));
    HB_TRY(hb_lower_binary(l, largest ? HB_ITEM_ADD : HB_ITEM_SUBTRACT, y, &above, out));
    for (uint32_t i = 0; i < out->columns; i++) {
        const hb_interval a = column_values(l, x, i), b = column_values(l, y, i);
        const double low = largest ? fmax(a.low, b.low) : fmin(a.low, b.low);
        const double high = largest ? fmax(a.high, b.high) : fmin(a.high, b.high);
        if (a.known && b.known) {
            hb_graph_narrow(&l->graph, l->pool[out->first + i], hb_interval_of_reals(low - error, high + error));
        }
    }
    return HB_OK;
}

hb_status hb_lower_compare(hb_lowering *l, hb_value *below, hb_value *above, hb_value *out)
{
    hb_value apart;
    hb_interval values;
    HB_TRY(difference(l, above, below, &apart));
    if (!hb_value_encrypted(&apart)) {
        return HB_FAIL_AT(HB_EUSAGE, l->graph.syntax->text, l->graph.item->at, "two constants are compared");
    }
    if (l->graph.params == NULL) {
        return hb_lower_any_polynomial(l, &apart, out);
    }
    HB_TRY(hb_wanted_values(l, &apart, "a comparison", &values));
    return stepped(l, &apart, values, 0.5, 0.5, out);
}

hb_status hb_lower_step(hb_lowering *l, const hb_value *x, double most, double gap, hb_value *out)
{
    hb_wanted w = {.bits = l->functions_bits, .gap = gap, .scale = 0.5, .shift = 0.5};
    double error;
    return l->graph.params == NULL ? hb_lower_any_polynomial(l, x, out)
                                   : hb_wanted_jump(l, x, hb_interval_of_reals(-most, most), &w, &error, out);
}

/* --- calls */

/* A polynomial that is given by its coefficients, between two ends. */
static hb_status chebyshev(hb_lowering *l, const hb_value *x, const hb_value *arguments, uint32_t count, hb_value *out)
{
    const hb_graph *g = &l->graph;
    hb_interval values;
    uint32_t degree = 0;
    if (count > HB_CHEBYSHEV_MOST_DEGREE + 1) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at, "a polynomial has at most degree %d",
                          HB_CHEBYSHEV_MOST_DEGREE);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (arguments[2 + i].kind != HB_VALUE_NUMBER) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                              "the coefficients of cheb(x, low, high, c0, c1, ...) are constants");
        }
        degree = arguments[2 + i].number.real != 0 ? i : degree;
    }
    if (degree == 0) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->item->at,
                          "the polynomial is a constant, which everyone could read (a transparent ciphertext, which is "
                          "refused)");
    }
    if (g->params == NULL) {
        return hb_lower_any_polynomial(l, x, out);
    }
    HB_TRY(hb_wanted_interval(l, x, arguments, "cheb", &values));
    double *c = calloc((size_t)degree + 1, sizeof *c), sum = 0, margin = 0;
    if (c == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the coefficients of a polynomial");
    }
    for (uint32_t i = 0; i <= degree; i++) {
        c[i] = arguments[2 + i].number.real;
        sum += fabs(c[i]);
    }
    hb_chebyshev stage = {degree, c};
    const hb_approximation f = {
        .low = values.low, .high = values.high, .stages = 1, .stage = &stage, .margin = &margin};
    const hb_mapping mapping = hb_mapping_of(values.low, values.high);
    sum *= 1 + 0x1p-40;
    const hb_interval range = hb_interval_of_reals(-sum, sum);
    const hb_status st = hb_wanted_apply(l, x, &mapping, NULL, &f, &range, out);
    free(c);
    return st;
}

hb_status hb_lower_function(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    hb_value *x = &arguments[0];
    const char *name = hb_call_names[item->call];
    const hb_function function = hb_function_find(name);
    hb_interval values;
    double error;
    if (item->call == HB_CALL_CHEB) {
        return chebyshev(l, x, arguments + 1, item->arguments - 3, out);
    }
    if (item->call == HB_CALL_SOFTMAX) {
        return hb_lower_softmax(l, x, out);
    }
    if (l->graph.params == NULL) {
        return hb_lower_any_polynomial(l, x, out);
    }
    HB_TRY(hb_wanted_interval(l, x, item->arguments == 3 ? arguments + 1 : NULL, name, &values));
    switch (item->call) {
    case HB_CALL_SIGN:
        return stepped(l, x, values, 1, 0, out);
    case HB_CALL_STEP:
        return stepped(l, x, values, 0.5, 0.5, out);
    case HB_CALL_RELU:
        return cornered(l, x, values, false, &error, out);
    case HB_CALL_ABS:
        return cornered(l, x, values, true, &error, out);
    default: {
        hb_wanted w = {.function = function, .bits = l->functions_bits, .scale = 1};
        return hb_wanted_smooth(l, x, values, &w, &error, out);
    }
    }
}
