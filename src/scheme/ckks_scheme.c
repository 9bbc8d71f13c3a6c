/* CKKS as a scheme: adapts its functions, whose parameters differ from other schemes', to the table. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bootstrapping/chain.h"
#include "ckks/block_matrix.h"
#include "ckks/bootstrap.h"
#include "ckks/bootstrap_error.h"
#include "ckks/cipher.h"
#include "ckks/codec.h"
#include "ckks/error.h"
#include "ckks/error_terms.h"
#include "ckks/evaluator.h"
#include "ckks/flood.h"
#include "ckks/params.h"
#include "ckks/polynomial.h"
#include "ckks/presets.h"
#include "scheme_ops.h"

/* The common modulus, the longest, comes second. */
static void check_moduli(const hb_params *params, uint16_t ids[2])
{
    ids[0] = hb_ckks_of(params)->check_id;
    ids[1] = params->common_id;
}

static bool has_products(const hb_params *params)
{
    (void)params;
    return true;
}

static bool has_slots(const hb_params *params)
{
    (void)params;
    return true;
}

static hb_status require_slots(const hb_params *params)
{
    (void)params;
    return HB_OK;
}

/* Half as many slots as coefficients, as they are complex. */
static uint64_t capacity(const hb_params_spec *spec, hb_encoding encoding)
{
    const bool complex = encoding == HB_ENCODE_SLOTS || encoding == HB_ENCODE_SPREAD; /* X^(N/2) is i */
    return complex ? spec->n / 2 : spec->n;
}

static double scale_of_values(const hb_params_spec *spec, uint32_t limbs)
{
    hb_exact_scale scales[HB_MAX_LIMBS];
    const uint32_t own = hb_spec_level_limbs(spec), levels = hb_ckks_scales(scales, spec), level = limbs / own;
    return limbs % own == 0 && level >= 1 && level <= levels ? hb_exact_scale_double(scales[level - 1]) : 0;
}

static double level_scale(const hb_params *params, uint32_t limbs)
{
    const uint32_t own = hb_params_level_limbs(params);
    return limbs % own == 0 && limbs >= own && limbs <= params->fresh_limbs
               ? hb_exact_scale_double(hb_ckks_scale(params, limbs))
               : 0;
}

/* 1 at least, and at most half of the primes. */
static bool state_scale(hb_params_spec *spec, uint32_t limbs, double scale)
{
    hb_params_spec usual = *spec;
    usual.ckks.stated_limbs = 0;
    usual.ckks.stated_scale = 0;
    const double own = scale_of_values(&usual, limbs);
    double bits = -1;
    for (uint32_t i = 0; i < limbs && own > 0; i++) {
        bits += log2((double)spec->primes[i]);
    }
    if (scale == 0) {
        *spec = usual;
        return true;
    }
    if (!(own > 0 && (scale == own || (spec->ckks.like_seal && scale >= 1 && log2(scale) <= bits)))) { /* NaN too */
        return false;
    }
    if (scale != own) {
        usual.ckks.stated_limbs = limbs;
        usual.ckks.stated_scale = scale;
    }
    *spec = usual;
    return true;
}

/* N words a plaintext, as the slots are complex: real parts, then imaginary ones. */
static hb_status values_alloc(hb_batch *values, hb_engine *engine, const hb_params *params, size_t count)
{
    return hb_batch_alloc(engine, values, count, 1, &params->common_id);
}

/* In NTT form, modulo the primes of the ciphertexts that they meet. */
static hb_status plaintexts_alloc(hb_batch *plain, hb_engine *engine, const hb_params *params, uint32_t limbs,
                                  size_t count)
{
    return hb_batch_alloc(engine, plain, count, limbs, params->ids);
}

static size_t plaintext_words(const hb_params *params, uint32_t limbs)
{
    return params->spec.n * hb_params_most_limbs(params, params->ids, limbs);
}

/* Reals are signed, whether or not the column is. */
static hb_cell_range cell_range(const hb_params_spec *spec, bool is_signed)
{
    (void)is_signed;
    return hb_ckks_cell_range(spec);
}

/* Cells are doubles, and so are values. */
static void cells(const hb_params_spec *spec, hb_cell_words words, bool is_signed)
{
    (void)spec, (void)words, (void)is_signed;
}

static uint64_t from_number(const hb_params_spec *spec, int64_t number)
{
    (void)spec;
    return hb_real_word((double)number);
}

static void bound_text(char text[HB_CODEC_TEXT], const hb_params_spec *spec)
{
    snprintf(text, HB_CODEC_TEXT, "scale = 2^%" PRIu32, spec->ckks.scale_bits);
}

/* An error cannot be told from the message that it is added to, but in slots that hold nothing else. */
static hb_status measure(hb_decryptor *decryptor, uint32_t *bits, hb_batch phase)
{
    (void)decryptor, (void)bits, (void)phase;
    return HB_FAIL(HB_ECONFIG, "the precision of CKKS is told by decoded values, not by ciphertexts");
}

/* Slots are one row. */
static hb_status swap(hb_evaluator *ev, hb_ciphertexts r, hb_ciphertexts a, const hb_switch_keys *keys)
{
    (void)ev, (void)r, (void)a, (void)keys;
    return HB_FAIL(HB_ECONFIG, "slots of CKKS are one row: there are no two to swap");
}

/* --- quality: factors without their sizes, on which nothing depends until they are relinearized */

static hb_error_factor factor_of(hb_quality_factor a)
{
    return (hb_error_factor){a.quality, a.values, a.related};
}

static hb_quality multiply_number_bound(const hb_params *params, uint32_t limbs, hb_quality_factor a, double number)
{
    return hb_error_multiply_number(params, limbs, factor_of(a), number);
}

static hb_quality multiply_plain_bound(const hb_params *params, uint32_t limbs, hb_quality_factor a,
                                       hb_plain_factor factor, hb_magnitude plain)
{
    return hb_error_multiply_plain(params, limbs, factor_of(a), plain, factor == HB_FACTOR_CONSTANT);
}

static hb_quality multiply_bound(const hb_params *params, uint32_t limbs, hb_quality_factor a, hb_quality_factor b)
{
    return hb_error_multiply(params, limbs, factor_of(a), factor_of(b));
}

static hb_quality square_bound(const hb_params *params, uint32_t limbs, hb_quality_factor a)
{
    return hb_error_square(params, limbs, factor_of(a));
}

/* A coefficient of merged sums is the mean of a polynomial over its slots: no larger than the largest of them, nor than
 * the norm, and of the deviation of the number that is common to all slots of a sum. */
static hb_quality merged_bound(const hb_params *params, hb_quality a)
{
    a.worst = a.norm = fmin(a.worst, hb_quality_known_norm(a));
    a.even = a.peak = hb_quality_even(a) + (a.common > 0 ? log2(a.common) / 2 : 0);
    a.common = 1;
    return hb_error_bounded(hb_error_with_few(params, a, -INFINITY));
}

/* For factors it is asked whether they are related. */
static hb_quality again_bound(const hb_params *params, hb_quality a, uint32_t times)
{
    (void)params;
    (void)times;
    return a;
}

static hb_quality adjust_bound(const hb_params *params, uint32_t limbs, hb_quality_factor a, uint32_t to)
{
    return hb_error_adjust(params, limbs, factor_of(a), to);
}

static void bootstrap_limbs(const hb_params *params, bool lowest, uint32_t *operands, uint32_t *results)
{
    const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&params->spec);
    *operands = lowest ? 1 : levels.stc + 1;
    *results = (lowest ? hb_bootstrapping_lowest_levels_of(&params->spec).coefficients : levels.out) + 1;
}

/* The cheapest baby step is a function of the parameters and the polynomial. */
static hb_status polynomial_open(const hb_params *params, uint32_t limbs, const hb_chebyshev *polynomial,
                                 hb_polynomial **out)
{
    return hb_ckks_polynomial_open(params, &(hb_polynomial_spec){limbs, 0}, polynomial, out);
}

static hb_status polynomial_bound(const hb_params *params, uint32_t limbs, hb_quality_factor a,
                                  const hb_chebyshev *polynomial, double error, hb_quality *out)
{
    return hb_error_polynomial(params, &(hb_polynomial_spec){limbs, 0}, polynomial, factor_of(a), error, out);
}

static hb_status bootstrap_bound(const hb_params *params, hb_bootstrap_kind kind, uint32_t range_bits, bool twice,
                                 hb_quality_factor a, hb_quality *out)
{
    return hb_error_bootstrap(params, kind, range_bits, twice, factor_of(a), out);
}

static bool has_matrices(const hb_params_spec *spec)
{
    return hb_spec_switches_first(spec);
}

static void matrix_memory(const hb_params *params, const hb_block_outline *outline, uint32_t limbs, uint64_t *bytes,
                          size_t *words)
{
    const hb_linear_memory memory = hb_ckks_matrix_memory(params, outline, limbs);
    *bytes = memory.bytes;
    *words = memory.words;
}

static hb_quality matrix_bound(const hb_params *params, const hb_block_matrix *matrix, const hb_block_outline *outline,
                               uint32_t limbs, hb_quality_factor a)
{
    return hb_error_matrix(params, matrix, outline, limbs, factor_of(a));
}

const hb_scheme_ops hb_ckks_scheme = {
    .name = "CKKS",
    .word = "ckks",
    .params =
        {
            .open = hb_ckks_params_open,
            .close = hb_ckks_params_close,
            .same = hb_ckks_params_same,
            .digest = hb_ckks_params_digest,
            .preset = hb_ckks_preset,
            .check_moduli = check_moduli,
            .has_products = has_products,
            .has_slots = has_slots,
            .require_slots = require_slots,
        },
    .slots =
        {
            .rows = 1,
            .generator = hb_ckks_generator,
            .swap_word = "conj",
        },
    .codec =
        {
            .cell_type = HB_CELL_REAL,
            .form = HB_NTT_FORM,
            .scale = scale_of_values,
            .level_scale = level_scale,
            .state_scale = state_scale,
            .products_go_down = hb_ckks_products_go_down,
            .capacity = capacity,
            .open = hb_ckks_codec_open,
            .close = hb_ckks_codec_close,
            .bytes = hb_ckks_codec_bytes,
            .values_alloc = values_alloc,
            .plaintexts_alloc = plaintexts_alloc,
            .plaintext_words = plaintext_words,
            .encode = hb_ckks_encode,
            .decode = hb_ckks_decode,
            .refused = hb_ckks_codec_refused,
            .cell_range = cell_range,
            .from_cells = cells,
            .to_cells = cells,
            .from_number = from_number,
            .bound_text = bound_text,
            .bound_name = "scale",
            .bound_advice = "a smaller scale holds larger ones",
        },
    .cipher =
        {
            .encrypt = hb_ckks_encrypt,
            .decryptor_bytes = hb_ckks_decryptor_bytes,
            .decryptor_open = hb_ckks_decryptor_open,
            .decryptor_close = hb_ckks_decryptor_close,
            .decrypt = hb_ckks_decrypt,
            .measure = measure,
            .flood_plan = hb_ckks_flood_plan,
            .flood_round = hb_ckks_flood_round,
        },
    .evaluator =
        {
            .open = hb_ckks_evaluator_open,
            .close = hb_ckks_evaluator_close,
            .bytes = hb_ckks_evaluator_bytes,
            .add_plain = hb_ckks_add_plain,
            .multiply_plain = hb_ckks_multiply_plain,
            .multiply = hb_ckks_multiply,
            .add_number = hb_ckks_add_number,
            .multiply_number = hb_ckks_multiply_number,
            .multiply_i = hb_ckks_multiply_i,
            .scaled_number = hb_ckks_scaled_number,
            .adjust = hb_ckks_adjust,
            .swap = swap,
            .conjugate = hb_ckks_conjugate,
            .sum_slots = hb_ckks_sum_slots,
            .polynomial_open = polynomial_open,
            .polynomial_close = hb_ckks_polynomial_close,
            .polynomial = hb_ckks_polynomial_apply,
        },
    .bootstrap =
        {
            .key_purposes = hb_ckks_bootstrap_key_purposes,
            .open = hb_ckks_bootstrap_open,
            .close = hb_ckks_bootstrap_close,
            .memory = hb_ckks_bootstrap_memory,
            .apply = hb_ckks_bootstrap_apply,
            .limbs = bootstrap_limbs,
            .from_lowest = hb_ckks_bootstraps_lowest,
            .apply_stage = hb_ckks_bootstrap_stage,
        },
    .quality =
        {
            .name = "precision",
            .word = "precision_bits",
            .margin = HB_ERROR_MARGIN,
            .fresh = hb_error_fresh,
            .transformed = hb_error_transformed,
            .decoded = hb_error_decoded,
            .polynomial = polynomial_bound,
            .room = hb_error_room,
            .bits = hb_error_bits,
            .of_values = hb_ckks_precision,
            .require_fresh = hb_error_require_fresh,
            .sum = {.add = hb_error_add,
                    .sum = hb_error_sum,
                    .add_plain = hb_error_add_plain,
                    .add_number = hb_error_add_number,
                    .again = again_bound,
                    .merged = merged_bound},
            .product = {.multiply_integer = hb_error_multiply_integer,
                        .multiply_number = multiply_number_bound,
                        .multiply_plain = multiply_plain_bound,
                        .multiply = multiply_bound,
                        .square = square_bound},
            .level = {.key_switch = hb_error_switch,
                      .sum_slots = hb_error_sum_slots,
                      .sum_window = hb_error_sum_window,
                      .mod_switch = hb_error_rescale,
                      .relinearize_rescale = hb_error_relinearize_rescale,
                      .adjust = adjust_bound,
                      .bootstrap = bootstrap_bound},
        },
    .matrix =
        {
            .there = has_matrices,
            .outline = hb_ckks_matrix_outline,
            .outline_values = hb_ckks_matrix_outline_values,
            .steps = hb_ckks_matrix_steps,
            .memory = matrix_memory,
            .open = hb_ckks_matrices_open,
            .close = hb_ckks_matrix_close,
            .use = hb_ckks_matrix_use,
            .apply = hb_ckks_matrix_apply,
            .quality = matrix_bound,
        },
};
