/* BFV as a scheme: adapts its functions, whose parameters differ from other schemes', to the table. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bfv/codec.h"
#include "bfv/decrypt.h"
#include "bfv/encrypt.h"
#include "bfv/evaluator.h"
#include "bfv/noise.h"
#include "bfv/presets.h"
#include "refresh/noise.h"
#include "refresh/refresh.h"
#include "refresh/table.h"
#include "scheme_ops.h"

/* t and gamma. */
static void check_moduli(const hb_params *params, uint16_t ids[2])
{
    ids[0] = hb_bfv_of(params)->plain_id;
    ids[1] = hb_bfv_of(params)->gamma_id;
}

/* Without an auxiliary base there are none. */
static bool has_products(const hb_params *params)
{
    return params->auxiliary_limbs > 0;
}

static bool has_slots(const hb_params *params)
{
    return hb_bfv_of(params)->batching;
}

static uint32_t generator(const hb_params_spec *spec)
{
    (void)spec;
    return HB_BFV_GENERATOR;
}

static uint64_t capacity(const hb_params_spec *spec, hb_encoding encoding)
{
    (void)encoding; /* as many slots as coefficients */
    return spec->n;
}

/* A permutation and its inverse, of either encoding. */
static uint64_t codec_bytes(const hb_params_spec *spec, hb_encoding encoding)
{
    (void)encoding;
    return 2 * spec->n * sizeof(uint32_t);
}

/* A plaintext is one limb mod t for ciphertexts of every level. */
static hb_status plaintexts_alloc(hb_batch *plain, hb_engine *engine, const hb_params *params, uint32_t limbs,
                                  size_t count)
{
    (void)limbs;
    return hb_bfv_plaintexts_alloc(plain, engine, params, count);
}

static size_t plaintext_words(const hb_params *params, uint32_t limbs)
{
    (void)limbs;
    return params->spec.n;
}

/* Integers are encrypted as they are, as many as t has. */
static double no_scale(const hb_params_spec *spec, uint32_t limbs)
{
    (void)spec, (void)limbs;
    return 0;
}

static double no_level_scale(const hb_params *params, uint32_t limbs)
{
    (void)params, (void)limbs;
    return 0;
}

static bool has_no_scale(hb_params_spec *spec, uint32_t limbs, double scale)
{
    (void)spec, (void)limbs;
    return scale == 0;
}

static bool go_down(const hb_params_spec *spec, uint32_t limbs)
{
    (void)spec, (void)limbs;
    return true;
}

/* Residues are refused nowhere: who makes them of cells has looked at their range. */
static hb_status refused(hb_codec *codec, hb_refusal *refusal)
{
    *refusal = (hb_refusal){0};
    return hb_finish(codec->engine);
}

static void bound_text(char text[HB_CODEC_TEXT], const hb_params_spec *spec)
{
    if (hb_spec_residues(spec) > 1) {
        snprintf(text, HB_CODEC_TEXT, "the product of %" PRIu32 " plain moduli", spec->bfv.plain_count);
        return;
    }
    snprintf(text, HB_CODEC_TEXT, "t = %" PRIu64, spec->bfv.plain);
}

/* For integers. */
static hb_status conjugate(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys)
{
    (void)keys;
    return hb_evaluator_copy(ev, r, a);
}

static hb_status multiply_i(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, hb_sign sign)
{
    (void)ev;
    (void)r;
    (void)a;
    (void)sign;
    return HB_FAIL(HB_ECONFIG, "integers mod t have no imaginary unit");
}

/* There is no scale. */
static hb_status scaled_number(const hb_params *params, uint64_t *residues, uint32_t limbs, double number)
{
    (void)residues, (void)limbs;
    return HB_FAIL(HB_ECONFIG, "parameters %s are of integers, which are not multiplied by %g", params->name, number);
}

static hb_quality fresh(const hb_params *params, bool public_key, hb_distribution errors)
{
    return hb_noise_fresh(params, &params->key_shape, public_key, errors);
}

static hb_status require_fresh(const hb_params *params, bool public_key)
{
    return hb_noise_require_fresh(params, &params->key_shape, public_key);
}

static hb_quality multiply_integer(const hb_params *params, hb_quality a, double magnitude)
{
    (void)params;
    return hb_noise_multiply_integer(a, magnitude);
}

/* Nothing is lost between slots and coefficients modulo t. */
static hb_quality transformed(const hb_params *params, uint32_t limbs, hb_quality a, hb_magnitude values)
{
    (void)params;
    (void)limbs;
    (void)values;
    return a;
}

static hb_quality multiply_number(const hb_params *params, uint32_t limbs, hb_quality_factor a, double number)
{
    (void)limbs;
    return multiply_integer(params, a.quality, number);
}

/* One value in every slot is one coefficient, which as a monomial is kept as it is, up to t; others are centred
 * (semantics.md 6.6). Values of any size are reduced modulo t. */
static hb_quality multiply_plain(const hb_params *params, uint32_t limbs, hb_quality_factor a, hb_plain_factor factor,
                                 hb_magnitude plain)
{
    (void)limbs;
    (void)plain;
    const double t = (double)params->spec.bfv.plain;
    return factor == HB_FACTOR_CONSTANT ? hb_noise_multiply_plain(params, a.quality, t, 1)
                                        : hb_noise_multiply_plain(params, a.quality, t / 2, (double)params->spec.n);
}

static hb_quality multiply(const hb_params *params, uint32_t limbs, hb_quality_factor a, hb_quality_factor b)
{
    return hb_noise_multiply(params, &params->key_shape, limbs, a.quality, a.size, b.quality, b.size);
}

static hb_quality square(const hb_params *params, uint32_t limbs, hb_quality_factor a)
{
    return hb_noise_square(params, &params->key_shape, limbs, a.quality, a.size);
}

static hb_quality key_switch(const hb_params *params, uint32_t limbs, hb_quality a, hb_switch_use use)
{
    const hb_key_shape *shape = &params->key_shape;
    return hb_noise_switch(params, shape, limbs, a, hb_key_shape_error(shape, use));
}

/* Noise is that of coefficients, in both. */
static hb_quality merged(const hb_params *params, hb_quality a)
{
    (void)params;
    return a;
}

static hb_quality sum_slots(const hb_params *params, uint32_t limbs, hb_quality a)
{
    return hb_noise_sum_slots(params, &params->key_shape, limbs, a);
}

static hb_quality mod_switch(const hb_params *params, uint32_t limbs, hb_quality a, uint32_t size)
{
    return hb_noise_mod_switch(params, &params->key_shape, limbs, a, size);
}

static hb_quality relinearize_rescale(const hb_params *params, uint32_t limbs, hb_quality a)
{
    return mod_switch(params, limbs, key_switch(params, limbs, a, HB_SWITCH_RELIN), 2);
}

/* By modulus switches, as values do not depend on the level. */
static hb_quality adjust(const hb_params *params, uint32_t limbs, hb_quality_factor a, uint32_t to)
{
    for (; limbs > to; limbs--) {
        a.quality = mod_switch(params, limbs, a.quality, a.size);
    }
    return a.quality;
}

/* t bounds values, on all levels. */
static double room(const hb_params *params, uint32_t limbs, hb_quality a)
{
    (void)params;
    (void)limbs;
    (void)a;
    return INFINITY;
}

const hb_scheme_ops hb_bfv_scheme = {
    .name = "BFV",
    .word = "bfv",
    .params =
        {
            .open = hb_bfv_params_open,
            .close = hb_bfv_params_close,
            .same = hb_bfv_params_same,
            .digest = hb_bfv_params_digest,
            .preset = hb_bfv_preset,
            .check_moduli = check_moduli,
            .has_products = has_products,
            .has_slots = has_slots,
            .require_slots = hb_bfv_require_batching,
        },
    .slots =
        {
            .rows = 2,
            .generator = generator,
            .swap_word = "swap",
        },
    .codec =
        {
            .cell_type = HB_CELL_INTEGER,
            .form = HB_COEFFICIENT_FORM,
            .scale = no_scale,
            .level_scale = no_level_scale,
            .state_scale = has_no_scale,
            .products_go_down = go_down,
            .capacity = capacity,
            .open = hb_bfv_codec_open,
            .close = hb_bfv_codec_close,
            .bytes = codec_bytes,
            .values_alloc = hb_bfv_plaintexts_alloc,
            .plaintexts_alloc = plaintexts_alloc,
            .plaintext_words = plaintext_words,
            .encode = hb_bfv_encode,
            .decode = hb_bfv_decode,
            .refused = refused,
            .cell_range = hb_bfv_cell_range,
            .from_cells = hb_bfv_from_cells,
            .to_cells = hb_bfv_to_cells,
            .from_number = hb_bfv_from_number,
            .bound_text = bound_text,
            .bound_name = "t",
            .bound_advice = "keygen --plain-bits chooses a larger one, params suggest one that serves an expression",
        },
    .cipher =
        {
            .encrypt = hb_bfv_encrypt,
            .decryptor_bytes = hb_bfv_decryptor_bytes,
            .decryptor_open = hb_bfv_decryptor_open,
            .decryptor_close = hb_bfv_decryptor_close,
            .decrypt = hb_bfv_decrypt,
            .measure = hb_bfv_noise_budget,
        },
    .evaluator =
        {
            .open = hb_bfv_evaluator_open,
            .close = hb_bfv_evaluator_close,
            .bytes = hb_bfv_evaluator_bytes,
            .add_plain = hb_bfv_add_plain,
            .multiply_plain = hb_bfv_multiply_plain,
            .multiply = hb_bfv_multiply,
            .add_number = hb_bfv_add_number,
            .multiply_number = hb_bfv_multiply_number,
            .scaled_number = scaled_number,
            .adjust = hb_bfv_adjust,
            .swap = hb_bfv_swap,
            .multiply_i = multiply_i,
            .conjugate = conjugate,
            .sum_slots = hb_bfv_sum_slots,
        },
    .bootstrap = {.key_purposes = hb_refresh_key_purposes,
                  .limbs = hb_refresh_limbs,
                  .open = hb_refresh_open,
                  .close = hb_refresh_close,
                  .memory = hb_refresh_memory,
                  .apply = hb_refresh_apply,
                  .apply_stage = hb_refresh_stage},
    .quality =
        {
            .name = "noise budget",
            .word = "noise_budget_bits",
            .margin = HB_NOISE_MARGIN,
            .fresh = fresh,
            .transformed = transformed,
            .decoded = transformed,
            .room = room,
            .bits = hb_noise_budget_of,
            .require_fresh = require_fresh,
            .sum = {.add = hb_noise_add,
                    .sum = hb_noise_sum,
                    .add_plain = hb_noise_add_plain,
                    .add_number = hb_noise_add_plain,
                    .again = hb_noise_again,
                    .merged = merged},
            .product = {.multiply_integer = multiply_integer,
                        .multiply_number = multiply_number,
                        .multiply_plain = multiply_plain,
                        .multiply = multiply,
                        .square = square},
            .level = {.key_switch = key_switch,
                      .sum_slots = sum_slots,
                      .mod_switch = mod_switch,
                      .relinearize_rescale = relinearize_rescale,
                      .adjust = adjust,
                      .refresh_bits = hb_refresh_noise_bits,
                      .refresh = hb_refresh_noise,
                      .table_bits = hb_refresh_table_bits,
                      .table = hb_refresh_table_noise},
        },
};
