/* Quotients of reals: by constants and by values. */
#include <math.h>

#include "approximate_columns.h"
#include "lang/ir/semantics.h"
#include "lang/types/lang_function.h"
#include "lang/value/plain.h"

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
