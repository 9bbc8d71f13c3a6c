/* Smooth functions of reals, by a polynomial that is near each where the values of x are: they differ in data alone,
 * which src/approx has by their names. */
#include <math.h>

#include "approximate_columns.h"
#include "lang/types/lang_function.h"

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_value *x = &arguments[0], *ends = item->arguments == 3 ? arguments + 1 : NULL;
    hb_interval values;
    double error;
    if (l->graph.params == NULL) {
        return hb_lower_any_polynomial(l, x, out);
    }
    const hb_function function = hb_function_find(item->call->name);
    HB_ASSERT(function < HB_FUNCTIONS);
    HB_TRY(hb_approximate_columns_interval(l, x, ends, item->call->name, &values));
    hb_approximation_wish w = {.function = function, .bits = l->approximations.bits, .scale = 1};
    return hb_approximate_columns_smooth(l, x, values, &w, &error, out);
}

/* The double nearest to the value, or one of its two neighbours. */
static hb_status constant(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    const double x = arguments[0].number.real;
    double least, most;
    HB_TRY(hb_fold_reals(t, arguments, item->arguments));
    const hb_status st = hb_function_range(hb_function_find(item->call->name), x, x, &least, &most);
    if (st == HB_EDATA) {
        const hb_error cause = *hb_last_error();
        return HB_FAIL_AT(HB_EUSAGE, t->context.syntax->text, item->at, "%.300s", cause.text);
    }
    *out = (hb_number){.real = isfinite(most) ? least : most};
    return st;
}

/* The members of a row. */
#define SMOOTH(NAME)                                                                                                \
    .call = {.name = NAME,                                                                                          \
             .form = NAME "(x) or " NAME "(x, low, high)",                                                          \
             .says = "on reals: a polynomial that is near the function on the range of x, or from low to high",     \
             .least = 1,                                                                                            \
             .most = 3,                                                                                             \
             .interval = true,                                                                                      \
             .reals = HB_NO_POLYNOMIAL},                                                                            \
    .meaning = {hb_take_whole, HB_RESULT_NUMBER}, .gaps = HB_GAPS_ROWWISE, .encrypted = true, .constant = constant, \
    .lower = lower

const hb_lang_function hb_lang_function_sigmoid = {SMOOTH("sigmoid")};
const hb_lang_function hb_lang_function_tanh = {SMOOTH("tanh")};
const hb_lang_function hb_lang_function_exp = {SMOOTH("exp")};
const hb_lang_function hb_lang_function_log = {SMOOTH("log")};
const hb_lang_function hb_lang_function_inv = {SMOOTH("inv")};
const hb_lang_function hb_lang_function_sqrt = {SMOOTH("sqrt")};
const hb_lang_function hb_lang_function_rsqrt = {SMOOTH("rsqrt")};
const hb_lang_function hb_lang_function_erf = {SMOOTH("erf")};
const hb_lang_function hb_lang_function_gelu = {SMOOTH("gelu")};
const hb_lang_function hb_lang_function_silu = {SMOOTH("silu")};
