/* square(x). */
#include "lang/value/lowering.h"

static hb_status lower(hb_lowering *l, const hb_item *item, hb_value *arguments, hb_value *out)
{
    const hb_value two = {.kind = HB_TYPE_NUMBER, .number = {.integer = 2, .real = 2}};
    (void)item;
    return hb_lower_power(l, &arguments[0], &two, out);
}

static hb_status constant(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    (void)item;
    return hb_fold_pair(t, HB_ITEM_MULTIPLY, arguments[0].number, arguments[0].number, out);
}

const hb_lang_function hb_lang_function_square = {
    .call = {.name = "square", .form = "square(x)", .says = "x²", .least = 1, .most = 1, .reserved = true},
    .meaning = {hb_take_power, HB_RESULT_POWER},
    .gaps = HB_GAPS_ROWWISE,
    .shape = hb_shape_power,
    .constant = constant,
    .lower = lower,
};
