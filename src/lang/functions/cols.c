/* cols(a, b, ...), or (a, b, ...): several values as the columns of one. */
#include "lang/value/lang_function.h"

const hb_lang_function hb_lang_function_cols = {
    .call = {.name = "cols", .form = "cols(a, b, ...)", .least = 1, .most = UINT32_MAX, .parentheses = true},
    .meaning = {hb_take_all, HB_RESULT_OWN},
    .worked_out = true,
    .lower = hb_lower_cols,
};
