/* Coefficients are those of weighted least squares in 220 bits at t = I, I +- 1/2 / ratio and I +- 1 / ratio, |I| <=
 * bound, for odd polynomials in (t - 1/4) / (bound + 1/2), rounded to doubles. Results depend on their bits: other
 * coefficients make other words. Sine, not cosine, as a doubling multiplies errors by 2 / |its value|: 2^doublings over
 * the cosine of the angle together, where it is 2^doublings over the sine, 5 times as much for the I that occur
 * most. */
#include "eval_mod.h"

#include <math.h>

static const double cubic_sine[32] = {
    [1] = -0x1.68b1a3c5abea3p-2,   [3] = -0x1.878203f86363dp-2,   [5] = -0x1.343c92c77c2fdp-2,
    [7] = 0x1.977b487b8f98cp-4,    [9] = 0x1.d8bbc005462f4p-2,    [11] = -0x1.77e599307cb68p-2,
    [13] = 0x1.102a85bf754ddp-3,   [15] = -0x1.e7a362f4fd722p-6,  [17] = 0x1.30f20b9b87fbcp-8,
    [19] = -0x1.1ccba0c8fd31ep-11, [21] = 0x1.9f14ba29f8434p-15,  [23] = -0x1.e71cf47861ce7p-19,
    [25] = 0x1.d755d72ba72c1p-23,  [27] = -0x1.7f41a7ca412f2p-27, [29] = 0x1.0898b739cab3ep-31,
    [31] = -0x1.5326e2b446ef8p-36,
};

static const double sure_sine[52] = {
    [1] = 0x1.774e10f2bdb33p-9,    [3] = 0x1.1174b86aa662ep-5,    [5] = 0x1.78f51a240574cp-4,
    [7] = 0x1.4efb3af5eaf4fp-3,    [9] = 0x1.a29dc0801d9d3p-3,    [11] = 0x1.2ad14f2b6aa5ep-3,
    [13] = -0x1.3f40e5c2e8dccp-5,  [15] = -0x1.b30d8813f9663p-3,  [17] = -0x1.b69c5e8da4696p-4,
    [19] = 0x1.a7021faef9f31p-3,   [21] = 0x1.670f212eda07fp-4,   [23] = -0x1.2317f349c8a88p-2,
    [25] = 0x1.f47639ac19b3ep-3,   [27] = -0x1.07b32b83c7dc8p-3,  [29] = 0x1.91caaeb80c7bcp-5,
    [31] = -0x1.dc39d4665cb09p-7,  [33] = 0x1.ca24837af9fbcp-9,   [35] = -0x1.6ffe2010b875bp-11,
    [37] = 0x1.f7c4b2c1646ecp-14,  [39] = -0x1.2a7831ad64514p-16, [41] = 0x1.35f04b43a061dp-19,
    [43] = -0x1.1d0247dee0d22p-22, [45] = 0x1.d3540e033473fp-26,  [47] = -0x1.5bfa2a21553dep-29,
    [49] = 0x1.b7eee9668756bp-33,  [51] = -0x1.61bea5b7434b4p-36,
};

static const double light_sine[32] = {
    [1] = -0x1.68b1a3c828c29p-2,   [3] = -0x1.878203fad806fp-2,   [5] = -0x1.343c92c9dffa4p-2,
    [7] = 0x1.977b48726926cp-4,    [9] = 0x1.d8bbc00320bc1p-2,    [11] = -0x1.77e5993273ce2p-2,
    [13] = 0x1.102a85bbf701cp-3,   [15] = -0x1.e7a3630cf2effp-6,  [17] = 0x1.30f20b4ce150bp-8,
    [19] = -0x1.1ccba2b2bdc4fp-11, [21] = 0x1.9f14a3d588dc0p-15,  [23] = -0x1.e71de4d9eb64cp-19,
    [25] = 0x1.d74cbbf2cf8b0p-23,  [27] = -0x1.7f8e3c54bcecap-27, [29] = 0x1.0691d00a3effdp-31,
    [31] = -0x1.655577819c12ep-36,
};

static const double fine_sine[32] = {
    [1] = -0x1.68b1a3c59f2c6p-2,   [3] = -0x1.878203f856d9fp-2,   [5] = -0x1.343c92c7700e0p-2,
    [7] = 0x1.977b487bbdb1bp-4,    [9] = 0x1.d8bbc00550e88p-2,    [11] = -0x1.77e5993072f6ep-2,
    [13] = 0x1.102a85bf86911p-3,   [15] = -0x1.e7a362f486c0ep-6,  [17] = 0x1.30f20b9d12a3bp-8,
    [19] = -0x1.1ccba0bf1cf43p-11, [21] = 0x1.9f14baa34557dp-15,  [23] = -0x1.e71ceeedee09ep-19,
    [25] = 0x1.d7561426c2630p-23,  [27] = -0x1.7f3f3df5130f5p-27, [29] = 0x1.08ae2469c5281p-31,
    [31] = -0x1.520771250018ap-36,
};

static const double fine_sure_sine[52] = {
    [1] = 0x1.774e16e4fb8c7p-9,    [3] = 0x1.1174b8c8a96d4p-5,    [5] = 0x1.78f51a51ebd5ap-4,
    [7] = 0x1.4efb3b0c1093ap-3,    [9] = 0x1.a29dc0953d023p-3,    [11] = 0x1.2ad14f3f53d5fp-3,
    [13] = -0x1.3f40e578b736dp-5,  [15] = -0x1.b30d8802e6a31p-3,  [17] = -0x1.b69c5e6e9895ap-4,
    [19] = 0x1.a7021fbce93fcp-3,   [21] = 0x1.670f214789ca5p-4,   [23] = -0x1.2317f34464bd0p-2,
    [25] = 0x1.f47639b55ff8fp-3,   [27] = -0x1.07b32b7beee65p-3,  [29] = 0x1.91caaed21e536p-5,
    [31] = -0x1.dc39d411965d8p-7,  [33] = 0x1.ca248487f3093p-9,   [35] = -0x1.6ffe1cd2fbd81p-11,
    [37] = 0x1.f7c4c621b41c6p-14,  [39] = -0x1.2a77f9befa8b9p-16, [41] = 0x1.35f181b5ea729p-19,
    [43] = -0x1.1cfbdd8c69155p-22, [45] = 0x1.d39389d054e1ep-26,  [47] = -0x1.5adf9a6a89ec3p-29,
    [49] = 0x1.c01796de2a2f0p-33,  [51] = -0x1.4d61170635367p-36,
};

static const double fine_undo[8] = {
    [1] = 0x1.01407cbf8da41p+0,
    [3] = 0x1.ae761112ea019p-10,
    [5] = 0x1.e6fe4300ea737p-18,
    [7] = 0x1.6c459cfdcff7fp-25,
};

/* distortion: with e = 2 pi / ratio, of the cubic with c = 3/40 e^4, third = e^2/6 + 5/4 c and linear = 1 - 5/16 c,
 * which leave the error of c z^5's best cubic, and terms behind it; for the polynomial of degree 7 the error of the
 * best one; without any 1 - sin(e) / e. */
static const hb_eval_mod_form forms[] = {
    [HB_EVAL_MOD_CUBIC] = {.ratio_bits = 7,
                           .ratio = 0x1p+7,
                           .bound = 14,
                           .degree = 31,
                           .doublings = 3,
                           .baby = 4,
                           .amplitude = 0x1.96e8bf627cee4p-1,
                           .coefficients = cubic_sine,
                           .cubic = true,
                           .linear = 0x1.fffffb6f1745cp-1,
                           .third = 0x1.a5ac833c79736p-12,
                           .distortion = 0x1.d9983d22918bp-26,
                           .fit_bits = -32.08,
                           .failure_bits = -72.7,
                           .error_bits = 17,
                           .read_bits = 36.2},
    [HB_EVAL_MOD_SURE] = {.ratio_bits = 7,
                          .ratio = 0x1p+7,
                          .bound = 16,
                          .degree = 51,
                          .doublings = 2,
                          .baby = 8,
                          .amplitude = 0x1.43638953eaed2p-1,
                          .coefficients = sure_sine,
                          .cubic = true,
                          .linear = 0x1.fffffb6f1745cp-1,
                          .third = 0x1.a5ac833c79736p-12,
                          .distortion = 0x1.d9983d22918bp-26,
                          .fit_bits = -32.68,
                          .failure_bits = -INFINITY,
                          .error_bits = 16,
                          .read_bits = 35.6},
    [HB_EVAL_MOD_LIGHT] = {.ratio_bits = 11.5,
                           .ratio = 0x1.6a09e667f3bcdp+11,
                           .bound = 14,
                           .degree = 31,
                           .doublings = 3,
                           .baby = 4,
                           .amplitude = 0x1.96e8bf627cee4p-1,
                           .coefficients = light_sine,
                           .distortion = 0x1.a51a5fa6bdb97p-21,
                           .fit_bits = -26.69,
                           .failure_bits = -72.7,
                           .error_bits = 12,
                           .read_bits = 36.2},
    [HB_EVAL_MOD_FINE] = {.ratio_bits = 5,
                          .ratio = 0x1p+5,
                          .bound = 14,
                          .degree = 31,
                          .doublings = 3,
                          .baby = 4,
                          .amplitude = 0x1.96e8bf627cee4p-1,
                          .coefficients = fine_sine,
                          .undo = fine_undo,
                          .undo_degree = 7,
                          .distortion = 0x1.2631780363f28p-32,
                          .fit_bits = -32.83,
                          .failure_bits = -72.7,
                          .error_bits = 19,
                          .read_bits = 36.2},
    [HB_EVAL_MOD_FINE_SURE] = {.ratio_bits = 5,
                               .ratio = 0x1p+5,
                               .bound = 16,
                               .degree = 51,
                               .doublings = 2,
                               .baby = 8,
                               .amplitude = 0x1.43638953eaed2p-1,
                               .coefficients = fine_sure_sine,
                               .undo = fine_undo,
                               .undo_degree = 7,
                               .distortion = 0x1.2631780363f28p-32,
                               .fit_bits = -33.13,
                               .failure_bits = -INFINITY,
                               .error_bits = 18,
                               .read_bits = 35.6},
};
_Static_assert(sizeof forms / sizeof *forms == HB_EVAL_MODS, "the table has a row for every form");

const hb_eval_mod_form *hb_eval_mod_form_of(hb_eval_mod eval_mod)
{
    HB_ASSERT(eval_mod != HB_EVAL_MOD_NONE && (size_t)eval_mod < HB_EVAL_MODS);
    return &forms[eval_mod];
}

/* Returns the levels of a polynomial of that degree. */
static uint32_t levels_of(uint32_t degree)
{
    uint32_t levels = 0;
    for (; degree > 0; degree /= 2) {
        levels++;
    }
    return levels;
}

uint32_t hb_eval_mod_levels(const hb_eval_mod_form *form)
{
    return levels_of(form->degree) + form->doublings;
}

uint32_t hb_eval_mod_correction_levels(const hb_eval_mod_form *form)
{
    return form->cubic ? 2 : levels_of(form->undo_degree);
}
