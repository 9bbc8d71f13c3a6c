/* Functions that are one operation of the graph on each column: they differ in data alone. */
#include "lang/ir/complex.h"
#include "lang/value/lowering.h"

const hb_lang_function hb_lang_function_swap = {
    .call = {.name = "swap",
             .form = "swap(x)",
             .says = "exchanges the two rows of each ciphertext of integers",
             .least = 1,
             .most = 1,
             .reserved = true},
    .meaning = {hb_take_whole_second, HB_RESULT_FIRST},
    .encrypted = true,
    .column = hb_graph_swap,
};
const hb_lang_function hb_lang_function_modswitch = {
    .call = {.name = "modswitch",
             .form = "modswitch(x)",
             .says = "lowers x by one level, which makes it smaller and faster; hebatch does this itself where "
                     "operands have different levels",
             .least = 1,
             .most = 1,
             .reserved = true},
    .meaning = {hb_take_whole_second, HB_RESULT_FIRST},
    .encrypted = true,
    .column = hb_graph_mod_switch,
};
static hb_status conjugate(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    (void)t;
    (void)item;
    *out = arguments[0].number;
    out->imaginary = -out->imaginary;
    return HB_OK;
}

static hb_status real_part(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    (void)t;
    (void)item;
    *out = arguments[0].number;
    out->imaginary = 0;
    return HB_OK;
}

static hb_status imaginary_part(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    (void)t;
    (void)item;
    *out = (hb_number){.real = arguments[0].number.imaginary};
    return HB_OK;
}

static hb_status modulus_square(const hb_types *t, const hb_item *item, const hb_type *arguments, hb_number *out)
{
    hb_number other;
    HB_TRY(conjugate(t, item, arguments, &other));
    return hb_fold_pair(t, HB_ITEM_MULTIPLY, arguments[0].number, other, out);
}

const hb_lang_function hb_lang_function_conj = {
    .call = {.name = "conj",
             .form = "conj(x)",
             .says = "on reals: the complex conjugate of each slot; real columns keep their values",
             .least = 1,
             .most = 1},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .gaps = HB_GAPS_ROWWISE,
    .encrypted = true,
    .constant = conjugate,
    .column = hb_graph_conjugate,
};
const hb_lang_function hb_lang_function_re = {
    .call = {.name = "re", .form = "re(x)", .says = "on reals: the real part", .least = 1, .most = 1, .complex = true},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .gaps = HB_GAPS_ROWWISE,
    .encrypted = true,
    .constant = real_part,
    .column = hb_graph_real_part,
};
const hb_lang_function hb_lang_function_im = {
    .call = {.name = "im",
             .form = "im(x)",
             .says = "on reals: the imaginary part, which is real",
             .least = 1,
             .most = 1,
             .complex = true},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .gaps = HB_GAPS_ROWWISE,
    .encrypted = true,
    .constant = imaginary_part,
    .column = hb_graph_imaginary_part,
};
const hb_lang_function hb_lang_function_abs2 = {
    .call = {.name = "abs2",
             .form = "abs2(x)",
             .says = "on reals: re² + im² of complex values, which is real",
             .least = 1,
             .most = 1,
             .complex = true},
    .meaning = {hb_take_whole, HB_RESULT_NUMBER},
    .gaps = HB_GAPS_ROWWISE,
    .encrypted = true,
    .constant = modulus_square,
    .column = hb_graph_modulus_square,
};
