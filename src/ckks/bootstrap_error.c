/* Derivations. Errors here are those of values z = v / 2^range_bits, of parts within 1, not times a scale; at the end
 * they are brought to the scale of the result. The error that an operation adds, by its place:
 *
 * Before the modulus is raised. Values become coefficients: an error w that map j makes in its slots passes through the
 * maps behind it, and all maps together make coefficients of values. So coefficients see the inverse of maps 1 .. j
 * applied to w. Its stages each take two numbers to half of their sum and of their difference, turned. A coefficient is
 * then wrong by no more than the largest of w, and if errors of slots are
 * independent by 2^(-s/2) of it, s the stages of the first j maps. Errors of the operand become those of coefficients
 * as they are.
 *
 * Where it is raised. Switching to the sparse secret t, of weight h, adds g e / p_0 + d_0 + d_1 t to the phase modulo
 * q_0, g the centred c_1, |g| <= q_0 / 2, d_i roundings: a coefficient at most N q_0 21 / (2 p_0) + (1 + h) / 2, with
 * the variance N q_0^2 10.5 / (12 p_0^2) + (1 + h) / 12. Read modulo more primes the phase is z q_0 / ratio + q_0 I,
 * and nothing is lost. The switch back adds what any switch does, to coefficients of z ratio times that over q_0.
 *
 * Diagonals of a map repeat after the slots of its widest stage, so that as polynomials they have twice as many
 * coefficients, which are rounded; the others are 0.
 *
 * A slot of t is the sum of N coefficients, turned; of a ciphertext that nobody made for it these are sums of h + 1
 * evenly spread numbers, and no slot is larger than those of all but one in 2^80 drawn ones (error.c: H). The errors of
 * encoded diagonals are multiplied by that.
 *
 * Likewise roundings in a bootstrap, and digits of key switching, are of words that no attacker chose: they are taken
 * to be random, independent, and no larger at any slot than all but one in 2^80 (hb_error_drawn), where error.c takes
 * the worst.
 *
 * CoeffsToSlots takes a coefficient t = I + z / ratio to the real or the imaginary part of t / (2 B), B = bound + 1/2,
 * whose sum with its conjugate is x = t / B. The error of a map reaches x through the later maps, 2^s f^m as large at
 * most and 2^(s/2) f^m in the mean square, s their stages, m their number and f the root of the constant which each
 * has; and twice that as a real part, sqrt(2) times in the mean square. The conjugation adds a switch of its own.
 *
 * The parts of complex values have an EvalMod each, and errors of both come together.
 *
 * From the lowest level (HB_BOOTSTRAP_LOWEST) z = v Z, v the values, Z the size that hb_bootstrap_lowest_size gives a
 * value of 1, the same as in semantics.md 9.13.
 *
 * The slots v of a polynomial are sums of its N coefficients, turned, and no coefficient is larger than the largest
 * slot. The modulus is raised over the coefficients as they are, so that their errors are those of key switches there
 * and those of the operand. EvalMod adds to each coefficient what it adds to a slot of the other order. Then the maps
 * sum all of these up for each slot: of errors that are at most w, slots have at most 2^s w behind s stages of two
 * terms each, and of independent ones 2^(s/2) times the deviation. Errors of the maps themselves go through the later
 * ones in the same way (hb_error_linear_at).
 *
 * The distortion of EvalMod's form follows from values. So it has one sign in all slots where they are alike, and sums
 * of slots or of row blocks have as many times it: it is the systematic part of the expected error. From the lowest
 * level it follows from coefficients: that of the first one, the mean of the slots, is the same in all slots.
 *
 * Errors of the operand pass through everything as values do. So they are expected to come out as they went in; in the
 * proven bound they are those of coefficients, and are summed up with all others.
 *
 * Coefficients of values that are spread evenly are as much smaller than slots as there are more of them, and EvalMod's
 * form distorts them less. A number that is in all slots has one coefficient of their size: all are taken to have it. A
 * few slots in which EvalMod's errors are larger than elsewhere are in the sums of all others.
 *
 * A second bootstrap of the errors: error_of_second_bootstrap. */
#include "bootstrap_error.h"

#include <inttypes.h>
#include <math.h>

#include "base/bits.h"
#include "base/chebyshev.h"
#include "base/outward.h"
#include "bootstrap_maps.h"
#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "error_terms.h"
#include "eval_mod_error.h"
#include "rlwe/bounds.h"

/* An error as it is put together: at most, and the square of a deviation. */
typedef struct sum {
    double worst, variance;
} sum;

static void add(sum *to, double worst, double deviation)
{
    to->worst += worst;
    to->variance += deviation * deviation;
}

/* log2 of a number far below every error. */
static const double nothing = -1000;

static const hb_quality no_error = {.worst = nothing, .norm = nothing, .expected = nothing, .even = nothing};

static double deviation_of(const hb_params *params, hb_quality a)
{
    return exp2(hb_quality_even(a)) / hb_error_tail(params);
}

/* Returns the stages of map i of some: of all log2 n of them as many each, the first or the last maps one more. */
static uint32_t stages_of(const hb_bootstrap_analysis *b, uint32_t maps, uint32_t i, bool first_more)
{
    const uint32_t all = hb_bit_length((uint64_t)b->slots) - 1;
    return all / maps + ((first_more ? i : maps - 1 - i) < all % maps);
}

/* The stages of a map: how many, of how many slots the widest of them is, and the factor 2^bits on them. */
typedef struct map_stages {
    uint32_t count;
    size_t period;
    double bits;
} map_stages;

/* Returns the error that a map adds to operands of such values at that scale; it is times the scale of the result. */
static hb_quality error_of_map(const hb_bootstrap_analysis *b, uint32_t limbs, map_stages stages, hb_magnitude values,
                               const hb_linear_scales *scales)
{
    /* The map with the widest stage has half as many diagonals, and perhaps fewer baby steps. */
    const uint32_t half = (uint32_t)1 << stages.count, diagonals = 2 * half - 1;
    const hb_linear_size size = {.diagonals = diagonals,
                                 .giants = (diagonals - 1) / hb_bootstrap_baby(half),
                                 .most = stages.count + stages.bits,
                                 .mean = stages.count / 2.0 + stages.bits,
                                 .period = stages.period};
    return hb_error_linear_at(b->params, limbs, (hb_error_factor){no_error, values, false}, &size, scales);
}

/* Where errors of the maps from slots to coefficients are looked at: in the coefficients that the maps make of values,
 * or in the slots behind them. */
typedef enum map_view { IN_COEFFICIENTS, IN_SLOTS } map_view;

/* Returns the errors of the maps from slots to coefficients, of such values; after the last one they have the scale
 * 2^end. */
static sum error_of_maps(const hb_bootstrap_analysis *b, hb_magnitude values, double end, map_view view)
{
    const hb_params *params = b->params;
    const uint32_t first = b->levels.stc + 1, maps = b->levels.stc - b->levels.coefficients,
                   all = hb_bit_length((uint64_t)b->slots) - 1;
    const double scale = hb_exact_scale_log2(hb_ckks_scale(params, first));
    sum out = {0, 0};
    uint32_t done = 0;
    for (uint32_t i = 0; i < maps; i++) {
        const uint32_t stages = stages_of(b, maps, i, false), limbs = first - i;
        const double q = hb_exact_scale_log2(hb_ckks_divisor(&params->spec, limbs)),
                     after = i == maps - 1 ? end : scale;
        done += stages;
        const hb_quality w = error_of_map(b, limbs, (map_stages){stages, (size_t)1 << done, 0}, values,
                                          &(hb_linear_scales){scale, after - scale + q});
        const double left = view == IN_SLOTS ? all - done : 0, mean = view == IN_SLOTS ? left / 2 : done / -2.0;
        add(&out, exp2(w.worst - after + left), deviation_of(params, w) * exp2(mean - after));
        values.most += stages;
        values.peak += stages;
        values.mean += stages / 2.0;
    }
    return out;
}

/* --- before and where the modulus is raised: errors of coefficients of z, two of them, those of a slot, as one */

/* Adds the errors of both key switches where the modulus is raised. */
static void add_raising(const hb_bootstrap_analysis *b, sum *all)
{
    const hb_params *params = b->params;
    const double q0 = (double)params->spec.primes[0], ratio = b->form->ratio,
                 p0 = (double)params->ring.moduli[hb_params_special_ids(params)[0]].value,
                 weight = params->spec.bootstrapping.sparse_weight, digit = q0 / p0;
    add(all, (b->n * digit * HB_KEY_ERROR_BOUND / 2 + (1 + weight) / 2) * ratio / q0,
        sqrt(2 * (b->n * digit * digit * HB_KEY_ERROR_VARIANCE + 1 + weight) / 12) * ratio / q0);
    const hb_quality back = hb_error_switch(params, b->levels.top + 1, no_error, HB_SWITCH_GALOIS);
    add(all, exp2(hb_quality_known_norm(back)) * ratio / q0, deviation_of(params, back) * sqrt(2 / b->n) * ratio / q0);
}

static sum error_of_coefficients(const hb_bootstrap_analysis *b, uint32_t range_bits)
{
    /* z is 2^-range_bits of the values, which the scale of the last map's diagonals says. */
    const double end = log2((double)b->params->spec.primes[0]) - b->form->ratio_bits - range_bits;
    sum all = error_of_maps(b, (hb_magnitude){range_bits, fmin(b->values.mean, 0) + range_bits, 0, range_bits}, end,
                            IN_COEFFICIENTS);
    all = (sum){all.worst * exp2(-1.0 * range_bits), all.variance * exp2(-2.0 * range_bits)};
    add_raising(b, &all);
    return all;
}

/* --- between that and EvalMod: errors of x */

static sum error_of_slots(const hb_bootstrap_analysis *b)
{
    const hb_params *params = b->params;
    const uint32_t maps = b->levels.top - b->levels.eval_mod, end = b->levels.eval_mod + 1;
    const double factor = -log2(2 * b->slots * b->width) / maps, weight = params->spec.bootstrapping.sparse_weight,
                 q0 = log2((double)params->spec.primes[0]),
                 x_scale = hb_exact_scale_log2(hb_ckks_divisor(&params->spec, end));
    /* The values are the slots of t, a polynomial with N coefficients that no attacker chose. */
    hb_magnitude values = {log2(fmin(b->n * b->width, hb_error_key(b->n, (weight + 1) / 12))),
                           log2(b->n * (weight + 1) / 12) / 2, 0, 0};
    values.peak = values.mean + log2(hb_error_tail(params));
    sum all = {0, 0};
    uint32_t left = hb_bit_length((uint64_t)b->slots) - 1;
    for (uint32_t i = 0; i < maps; i++) {
        const uint32_t stages = stages_of(b, maps, i, true), limbs = b->levels.top + 1 - i;
        const double q = hb_exact_scale_log2(hb_ckks_divisor(&params->spec, limbs));
        const double after = i == maps - 1 ? x_scale : q0;
        const hb_quality w = error_of_map(b, limbs, (map_stages){stages, (size_t)1 << left, factor}, values,
                                          &(hb_linear_scales){q0, after - q0 + q});
        left -= stages;
        const double behind = factor * (maps - 1 - i);
        add(&all, 2 * exp2(w.worst - after + left + behind),
            sqrt(2) * deviation_of(params, w) * exp2(-after + left / 2.0 + behind));
        values.most += stages + factor;
        values.peak += stages / 2.0 + factor;
        values.mean += stages / 2.0 + factor;
    }
    const hb_quality turned = hb_error_switch(params, end, no_error, HB_SWITCH_GALOIS);
    add(&all, hb_error_drawn(params) * exp2(turned.worst - x_scale), deviation_of(params, turned) * exp2(-x_scale));
    return all;
}

/* --- the whole */

static double square(double x)
{
    return x * x;
}

/* Returns the result for z without any errors but the form's. */
static double undone(const hb_eval_mod_form *form, double z)
{
    const double e = 2 * acos(-1) / form->ratio, sine = sin(e * z) / e;
    if (form->undo_degree > 0) {
        const hb_chebyshev undo = {form->undo_degree, (double *)form->undo};
        return hb_chebyshev_value(&undo, sine);
    }
    return form->cubic ? sine * (form->linear + form->third * sine * sine) : sine;
}

/* Returns the distortion after undoing the sine, a function of z. Likely z are |z| = peak U^spread as in error.c, the
 * most of any smaller one. */
static hb_systematic distortion_of_likely(const hb_bootstrap_analysis *b, hb_magnitude values)
{
    enum { SAMPLES = 64 };
    const double peak = exp2(fmin(values.peak, 0)),
                 spread = (exp2(2 * (values.peak - fmin(values.mean, values.peak))) - 1) / 2;
    const double power = 1 / fmax(spread, 0x1p-7);
    double most = 0, square = 0;
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const double from = i / (double)SAMPLES, to = (i + 1) / (double)SAMPLES;
        most = fmax(most, fabs(undone(b->form, to * peak) - to * peak));
        square += most * most * (pow(to, power) - pow(from, power));
    }
    most = fmin(most, b->form->distortion);
    const bool known = spread > 0x1p-7 || values.common > 0; /* of who knows no mean it is between both */
    return (hb_systematic){fmax(log2(most), nothing), fmax(known ? log2(square) / 2 : log2(most) - 0.5, nothing)};
}

/* Returns the error of a form in exact arithmetic. The error of the sine's polynomial depends on I. The rest follows
 * from the values, with one sign where they have one. */
static hb_quality distortion_of(const hb_bootstrap_analysis *b, hb_magnitude values)
{
    const double fit = b->form->fit_bits, mean = fit - 0.5 + log2(hb_error_tail(b->params));
    const hb_systematic part = distortion_of_likely(b, values);
    const double most = log2(b->form->distortion + exp2(fit));
    return (hb_quality){.worst = most,
                        .norm = most,
                        .expected = hb_error_with_systematic(fmax(mean, fit), part),
                        .even = mean,
                        .peak = fmax(mean, fit),
                        .systematic = part};
}

/* Returns the error where values have nothing to do with those that its systematic part follows from. */
static hb_quality as_drawn(const hb_bootstrap_analysis *b, hb_quality a)
{
    if (a.systematic.most != 0) {
        a.even = hb_log_root(hb_quality_even(a), a.systematic.mean + log2(hb_error_tail(b->params)));
        a.peak = hb_log_root(hb_error_peak(a), a.systematic.most);
        a.expected = fmax(a.expected, a.even);
        a.systematic = (hb_systematic){0, 0};
    }
    return a;
}

/* Returns the error of a result from an error of both parts, or of one. */
static hb_quality error_of_parts(const hb_bootstrap_analysis *b, hb_quality a, hb_bootstrap_kind kind, bool both)
{
    if (kind == HB_BOOTSTRAP_COMPLEX) {
        return both ? a : hb_error_times(b->params, a, (hb_magnitude){1, 0.5, 1, 0.5});
    }
    if (!both || kind != HB_BOOTSTRAP_REAL) {
        return a;
    }
    /* The systematic part of real values is real. */
    const hb_systematic part = a.systematic;
    a.systematic = (hb_systematic){0, 0};
    a.expected = hb_error_rest(a.expected, part.most == 0 ? nothing : part.most);
    a = hb_error_times(b->params, a, (hb_magnitude){0, -0.5, 1, -0.5});
    a.expected = hb_error_with_systematic(a.expected, part);
    a.systematic = part;
    return a;
}

/* Finds the error of z behind EvalMod, of coefficients with such errors and an operand with one of at most 2^operand:
 * the proven bound has it, the expected one has not. */
static hb_status error_reduced(const hb_bootstrap_analysis *b, hb_bootstrap_kind kind, sum coefficients, double operand,
                               hb_quality *out)
{
    const sum slots = error_of_slots(b);
    const double to_x = 1 / (b->form->ratio * b->width);
    /* A coefficient has half of the variance of a complex slot. */
    const hb_eval_mod_use use = {.wrong = (exp2(operand) + coefficients.worst) * to_x + slots.worst,
                                 .variance = coefficients.variance / 2 * square(to_x) + slots.variance,
                                 .both = kind == HB_BOOTSTRAP_COMPLEX};
    double largest;
    HB_TRY(hb_eval_mod_error(b, use, out, &largest));
    *out = error_of_parts(b, hb_error_together(b->params, *out, distortion_of(b, b->values)), kind, false);
    return HB_OK;
}

/* Finds the error of z after one bootstrap; `operand` is its error before. */
static hb_status error_of_bootstrap(const hb_bootstrap_analysis *b, hb_bootstrap_kind kind, uint32_t range_bits,
                                    hb_quality operand, hb_quality *out)
{
    hb_quality added = {.worst = 0};
    HB_TRY(error_reduced(b, kind, error_of_coefficients(b, range_bits), operand.worst, &added));
    const double worst = added.worst; /* with that of the operand */
    *out = hb_error_together(b->params, error_of_parts(b, operand, kind, true), added);
    out->worst = out->norm = worst;
    return HB_OK;
}

/* Finds the error of z when that of `once`, of the first bootstrap, has been bootstrapped. The first bootstrap leaves
 * an error e. A second bootstrap adds the difference d of operand and result, after its own bootstrap. Its error is
 * 2^-error_bits times that of a bootstrap of 2^error_bits d, except for divisions at the scale of levels behind that
 * factor. d has the error of the operand, and of bringing the result down to its level. d is within 1 by expectation
 * but not by proof. So the proven bound is that of the first bootstrap plus the largest error that a second one can
 * add. */
static hb_status error_of_second_bootstrap(const hb_bootstrap_analysis *b, hb_bootstrap_kind kind, uint32_t range_bits,
                                           hb_quality operand, hb_quality once, hb_quality *out)
{
    kind = hb_bootstrap_as_one(kind) > 1 ? HB_BOOTSTRAP_REAL : kind; /* each of its own */
    const hb_params *params = b->params;
    const double less = b->form->error_bits,
                 scale = hb_exact_scale_log2(hb_ckks_scale(params, b->levels.stc + 1)) + range_bits;
    const sum coefficients = error_of_coefficients(b, range_bits), slots = error_of_slots(b);
    const double to_x = 1 / (b->form->ratio * b->width);
    hb_eval_mod_use use = {.wrong = coefficients.worst * to_x + slots.worst,
                           .variance = coefficients.variance / 2 * square(to_x) + slots.variance,
                           .fewer_bits = b->form->error_bits,
                           .both = kind == HB_BOOTSTRAP_COMPLEX};
    hb_quality added = {.worst = 0}, down = hb_error_rescale(params, b->levels.stc + 2, no_error, 2);
    double largest;
    HB_TRY(hb_eval_mod_error(b, use, &added, &largest));
    added = hb_error_together(params, added,
                              hb_error_shifted(params, as_drawn(b, distortion_of(b, (hb_magnitude){0})), -less));
    added = error_of_parts(b, added, kind, false);
    operand = hb_error_together(params, operand, hb_error_shifted(params, down, -scale));
    *out = hb_error_together(params, error_of_parts(b, operand, kind, true), added);
    out->worst = out->norm = hb_log_sum(once.worst, log2(2 * largest));
    return HB_OK;
}

static hb_status require(const hb_params *params, uint32_t range_bits, hb_magnitude values)
{
    if (!hb_params_can_bootstrap(params)) {
        return HB_FAIL(HB_ECONFIG, "parameters %s have no levels for bootstrapping", params->name);
    }
    return values.most <= range_bits
               ? HB_OK
               : HB_FAIL(HB_EDATA, "values up to 2^%.1f are not within the range of bootstrapping, 2^%" PRIu32,
                         hb_decimal_up(values.most, 1), range_bits);
}

static hb_bootstrap_analysis analysis_of(const hb_params *params, hb_magnitude values)
{
    const hb_eval_mod_form *form = hb_eval_mod_form_of(params->spec.bootstrapping.eval_mod);
    return (hb_bootstrap_analysis){.params = params,
                                   .form = form,
                                   .levels = hb_bootstrapping_levels_of(&params->spec),
                                   .n = hb_error_degree(params),
                                   .slots = hb_error_degree(params) / 2,
                                   .width = form->bound + 0.5,
                                   .values = values};
}

/* --- from the lowest level */

/* Returns the likely sizes of coefficients, two of them as one complex number, of slots of such values. */
static hb_magnitude coefficients_of(const hb_params *params, hb_magnitude values)
{
    if (values.common > 0) {
        return values;
    }
    values.mean -= log2(hb_error_degree(params) / 2) / 2;
    values.peak = fmin(values.peak, values.mean + log2(hb_error_tail(params)));
    return values;
}

/* Takes the error of z, complex slots that are coefficients, through the maps to that of v. size: log2 of Z. The
 * distortion of the first coefficient, the mean of all values, is one number in all slots: with the largest mean that
 * slots of z within their range can have. The distortions of all others have every sign, and come together as drawn
 * ones do. */
static hb_quality behind_maps(const hb_bootstrap_analysis *b, double size, hb_quality error, hb_magnitude slots)
{
    const hb_params *params = b->params;
    const uint32_t stages = hb_bit_length((uint64_t)b->slots) - 1;
    const double end = hb_exact_scale_log2(hb_ckks_scale(params, b->levels.coefficients + 1));
    sum all =
        error_of_maps(b, (hb_magnitude){0.5, fmin(b->values.mean, 0.5), 0, 0.5}, /* of two coefficients within 1 */
                      end - size, IN_SLOTS);
    const double in_all = distortion_of_likely(b, (hb_magnitude){slots.most, slots.most, 1, slots.most}).most - size;
    error = as_drawn(b, error);
    add(&all, exp2(error.worst + stages), deviation_of(params, error) * exp2(stages / 2.0));
    const double worst = log2(all.worst) - size, even = log2(all.variance) / 2 + log2(hb_error_tail(params)) - size;
    const hb_systematic part = {in_all, in_all};
    return (hb_quality){.worst = worst,
                        .norm = worst,
                        .expected = hb_error_with_systematic(even, part),
                        .even = even,
                        .peak = even,
                        .systematic = part};
}

static hb_status error_from_lowest(const hb_params *params, uint32_t range_bits, hb_error_factor a, hb_quality *out)
{
    uint32_t gain;
    hb_exact_scale size_of_one;
    HB_TRY(hb_bootstrap_require_lowest(params, range_bits));
    const bool fits = hb_bootstrap_lowest_size(params, range_bits, &gain, &size_of_one);
    HB_ASSERT(fits);
    const double size = hb_exact_scale_log2(size_of_one), in_scale = hb_exact_scale_log2(hb_ckks_scale(params, 1));
    const hb_magnitude slots = {a.values.most + size, a.values.mean + size, a.values.common, a.values.peak + size};
    hb_bootstrap_analysis b = analysis_of(params, coefficients_of(params, slots));
    b.levels = hb_bootstrapping_lowest_levels_of(&params->spec);
    const double end = hb_exact_scale_log2(hb_ckks_scale(params, b.levels.coefficients + 1));
    sum raising = {0, 0};
    hb_quality made = {.worst = 0};
    add_raising(&b, &raising);
    HB_TRY(error_reduced(&b, HB_BOOTSTRAP_COMPLEX, raising, a.error.worst - in_scale + size, &made));
    made = hb_error_shifted(params, behind_maps(&b, size, made, slots), end);
    const double worst = made.worst; /* with that of the operand */
    *out = hb_error_together(params, hb_error_shifted(params, a.error, end - in_scale), made);
    out->worst = out->norm = worst;
    *out = hb_error_bounded(*out);
    return HB_OK;
}

hb_status hb_error_bootstrap(const hb_params *params, hb_bootstrap_kind kind, uint32_t range_bits, bool twice,
                             hb_error_factor a, hb_quality *out)
{
    HB_TRY(require(params, range_bits, a.values));
    if (kind == HB_BOOTSTRAP_LOWEST) {
        return error_from_lowest(params, range_bits, a, out);
    }
    const hb_bootstrap_analysis b =
        analysis_of(params, (hb_magnitude){a.values.most - range_bits, a.values.mean - range_bits, a.values.common,
                                           a.values.peak - range_bits});
    const double in_scale = hb_exact_scale_log2(hb_ckks_scale(params, b.levels.stc + 1)) + range_bits,
                 out_scale = hb_exact_scale_log2(hb_ckks_scale(params, b.levels.out + 1)) + range_bits;
    const hb_quality operand = hb_error_shifted(params, a.error, -in_scale);
    hb_quality result = {.worst = 0}, once = {.worst = 0};
    HB_TRY(error_of_bootstrap(&b, kind, range_bits, operand, &result));
    if (twice) {
        once = result;
        HB_TRY(error_of_second_bootstrap(&b, kind, range_bits, operand, once, &result));
    }
    *out = hb_error_bounded(hb_error_shifted(params, result, out_scale));
    return HB_OK;
}

/* Noise is read as one part of a slot, and then it is a coefficient again: nothing is summed up. Where it comes down to
 * q_0 two roundings are added, one of them times the secret, and the maps to coefficients come last. */
hb_status hb_error_read_noise(const hb_params *params, double *worst)
{
    const hb_bootstrap_analysis b = analysis_of(params, (hb_magnitude){0, 0, 0, 0});
    const double q0 = (double)params->spec.primes[0], to_x = 1 / (b.form->ratio * b.width);
    sum before = {0, 0};
    add(&before, (1 + params->key_shape.norm) * hb_division_error(b.levels.coefficients) * b.form->ratio / q0, 0);
    add_raising(&b, &before);
    const double end = hb_exact_scale_log2(hb_ckks_scale(params, b.levels.coefficients + 1));
    const sum behind = error_of_maps(&b, (hb_magnitude){0}, end, IN_COEFFICIENTS);
    const hb_eval_mod_use use = {.wrong = before.worst * to_x + error_of_slots(&b).worst};
    double largest;
    hb_quality added = {.worst = 0};
    HB_TRY(hb_eval_mod_error(&b, use, &added, &largest));
    *worst = log2(exp2(added.worst) + b.form->distortion + exp2(b.form->fit_bits) + behind.worst);
    return HB_OK;
}
