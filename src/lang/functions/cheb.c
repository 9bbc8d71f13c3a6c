/* cheb(x, low, high, c0, c1, ...): a polynomial of reals that is given by its Chebyshev coefficients. */
#include <math.h>
#include <stdlib.h>

#include "approximate_columns.h"
#include "lang/types/lang_function.h"

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_value *x = &arguments[0], *ends = arguments + 1, *coefficients = arguments + 3;
    const uint32_t count = item->arguments - 3;
    const hb_graph *g = &l->graph;
    hb_interval values;
    uint32_t degree = 0;
    if (count > HB_CHEBYSHEV_MOST_DEGREE + 1) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at, "a polynomial has at most degree %d",
                          HB_CHEBYSHEV_MOST_DEGREE);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (coefficients[i].kind != HB_TYPE_NUMBER) {
            return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                              "the coefficients of cheb(x, low, high, c0, c1, ...) are constants");
        }
        degree = coefficients[i].number.real != 0 ? i : degree;
    }
    if (degree == 0) {
        return HB_FAIL_AT(HB_EUSAGE, g->syntax->text, g->position.item->at,
                          "the polynomial is a constant, which everyone could read (a transparent ciphertext, which is "
                          "refused)");
    }
    if (g->params == NULL) {
        return hb_lower_any_polynomial(l, x, out);
    }
    HB_TRY(hb_approximate_columns_interval(l, x, ends, "cheb", &values));
    double *c = calloc((size_t)degree + 1, sizeof *c), sum = 0, margin = 0;
    if (c == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the coefficients of a polynomial");
    }
    for (uint32_t i = 0; i <= degree; i++) {
        c[i] = coefficients[i].number.real;
        sum += fabs(c[i]);
    }
    hb_chebyshev stage = {degree, c};
    const hb_approximation f = {
        .low = values.low, .high = values.high, .stages = 1, .stage = &stage, .margin = &margin};
    const hb_mapping mapping = hb_mapping_of(values.low, values.high);
    sum *= 1 + 0x1p-40;
    const hb_interval range = hb_interval_of_reals(-sum, sum);
    const hb_status st = hb_approximate_columns_apply(l, x, &mapping, NULL, &f, &range, out);
    free(c);
    return st;
}

/* By C. W. Clenshaw's recurrence. */
static hb_status constant(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    const double low = arguments[1].number.real, high = arguments[2].number.real, x = arguments[0].number.real;
    double next = 0, behind = 0;
    HB_TRY(hb_fold_reals(t, arguments, item->arguments));
    if (!(low < high && x >= low && x <= high)) {
        return hb_types_refuse(t, "cheb(x, low, high, c0, c1, ...) takes an x between low and high");
    }
    const double u = (2 * x - low - high) / (high - low);
    for (uint32_t i = item->arguments - 1; i > 3; i--) {
        const double made = arguments[i].number.real + 2 * u * next - behind;
        behind = next;
        next = made;
    }
    *out = (hb_number){.real = arguments[3].number.real + u * next - behind};
    return HB_OK;
}

const hb_lang_function hb_lang_function_cheb = {
    .call = {.name = "cheb",
             .form = "cheb(x, low, high, c0, c1, ...)",
             .says = "on reals: c0 + c1 T1(u) + c2 T2(u) ..., a sum of Chebyshev polynomials of u; u is -1 at `low` "
                     "and 1 at `high`",
             .least = 4,
             .most = UINT32_MAX,
             .reals = "its coefficients are reals, and these are integers; poly(x, c0, c1, ...) is exact"},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .encrypted = true,
    .constant = constant,
    .lower = lower,
};
