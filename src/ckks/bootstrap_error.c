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
 * EvalMod goes by its plan (polynomial_analysis.h), up to where values are read as z on all of [-1, 1], as its sine is
 * near its polynomial between integers too; the polynomial that undoes the sine goes for |z| <= 1 and errors alone, as
 * between integers that operand would be ratio / (2 pi) times as large. The expected error depends on the likely I: t
 * is the sum of h + 1 evenly spread numbers, of width 1, so has the variance (h + 1) / 12, and doublings multiply
 * errors by 2^doublings over the cosine of an angle that depends on I: few slots have the largest errors. The result is
 * off by at most the form's distortion and fit_bits. By fit_bits as I is, and over the root of 2 in the mean square, as
 * it goes up and down; the rest after undoing the sine is a function of z, and small where z is.
 *
 * The parts of complex values have an EvalMod each, and errors of both come together.
 *
 * A second bootstrap of the errors: error_of_second_bootstrap. */
#include "bootstrap_error.h"

#include <inttypes.h>
#include <math.h>

#include "base/bits.h"
#include "base/outward.h"
#include "bootstrap_maps.h"
#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "error_terms.h"
#include "polynomial_analysis.h"
#include "rlwe/bounds.h"

/* Integers at which EvalMod is looked at, around 0, and how the secret is at slots. */
enum { INTEGERS = 11, SAMPLES_OF_U = 16 };
static const double least_u = 0x1p-5, most_u = 0x1p4;

/* An error as it is put together: at most, and as a deviation. */
typedef struct sum {
    double worst, variance;
} sum;

static void add(sum *to, double worst, double deviation)
{
    to->worst += worst;
    to->variance += deviation * deviation;
}

/* The bootstrap under analysis. */
typedef struct bootstrap {
    const hb_params *params;
    const hb_eval_mod_form *form;
    hb_bootstrapping_levels levels;
    double n, slots, width; /* N, N/2, B */
    hb_magnitude values;    /* of z */
} bootstrap;

/* log2 of a number far below every error. */
static const double nothing = -1000;

static const hb_quality no_error = {.worst = nothing, .norm = nothing, .expected = nothing, .even = nothing};

static double deviation_of(const hb_params *params, hb_quality a)
{
    return exp2(hb_quality_even(a)) / hb_error_tail(params);
}

/* Returns the stages of map i of some: of all log2 n of them as many each, the first or the last maps one more. */
static uint32_t stages_of(const bootstrap *b, uint32_t maps, uint32_t i, bool first_more)
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
static hb_quality error_of_map(const bootstrap *b, uint32_t limbs, map_stages stages, hb_magnitude values,
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

/* --- before and where the modulus is raised: errors of coefficients of z, two of them, those of a slot, as one */

/* Adds the errors of the maps from slots to coefficients; after the last one values have the scale 2^end. */
static void add_maps_to_coefficients(const bootstrap *b, uint32_t range_bits, double end, sum *all)
{
    const hb_params *params = b->params;
    const uint32_t first = b->levels.stc + 1, maps = b->levels.stc - b->levels.coefficients;
    const double scale = hb_exact_scale_log2(hb_ckks_scale(params, first));
    hb_magnitude values = {range_bits, fmin(b->values.mean, 0) + range_bits, 0, range_bits};
    uint32_t done = 0;
    for (uint32_t i = 0; i < maps; i++) {
        const uint32_t stages = stages_of(b, maps, i, false), limbs = first - i;
        const double q = hb_exact_scale_log2(hb_ckks_divisor(&params->spec, limbs));
        /* z is 2^-range_bits of the values, which the scale of the last map's diagonals says. */
        const double after = i == maps - 1 ? end : scale;
        done += stages;
        const hb_quality w = error_of_map(b, limbs, (map_stages){stages, (size_t)1 << done, 0}, values,
                                          &(hb_linear_scales){scale, after - scale + q});
        add(all, exp2(w.worst - after - range_bits), deviation_of(params, w) * exp2(-after - range_bits - done / 2.0));
        values.most += stages;
        values.peak += stages;
        values.mean += stages / 2.0;
    }
}

/* Adds the errors of both key switches where the modulus is raised. */
static void add_raising(const bootstrap *b, sum *all)
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

static sum error_of_coefficients(const bootstrap *b, uint32_t range_bits)
{
    sum all = {0, 0};
    add_maps_to_coefficients(b, range_bits, log2((double)b->params->spec.primes[0]) - b->form->ratio_bits - range_bits,
                             &all);
    add_raising(b, &all);
    return all;
}

/* --- between that and EvalMod: errors of x */

static sum error_of_slots(const bootstrap *b)
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

/* --- EvalMod: from errors of x to those of z */

static double square(double x)
{
    return x * x;
}

/* The expected errors for one integer I: its share, and the variances of the steps' errors and of x's error. */
typedef struct chance {
    double share, steps, x;
} chance;

/* Finds the chances of the integers that matter, and returns how many there are. few: the excess in a few slots. */
static uint32_t find_chances(const bootstrap *b, const hb_polynomial_analysis *w, double variance,
                             chance chances[INTEGERS], double *few)
{
    const hb_polynomial_steps all = hb_polynomial_all_steps(w->plan, 0);
    const double weight = b->params->spec.bootstrapping.sparse_weight, spread = (weight + 1) / 12;
    double total = 0;
    for (int i = 0; i < INTEGERS; i++) {
        const int integer = i - INTEGERS / 2;
        const hb_polynomial_point p = hb_polynomial_at(w, &all, (integer + 0.5 / b->form->ratio) / b->width);
        const double share = exp(-square(integer) / (2 * spread));
        chances[i] = (chance){share, p.variance, square(p.derivative) * variance};
        total += share;
        *few += share * p.few;
    }
    for (int i = 0; i < INTEGERS; i++) {
        chances[i].share /= total;
    }
    *few /= total;
    return INTEGERS;
}

/* Finds the expected error of results of one part each, or, without the root of 2, of `both`; w has been proven.
 * Rounding errors are mostly a polynomial times the secret, in all steps as large as the secret at that slot: the
 * squares of the secret at slots are exponentials, beside their mean u with the density exp(-u). */
static void expect(const bootstrap *b, const hb_polynomial_analysis *w, double variance, bool both, hb_quality *out)
{
    const double step = (log(most_u) - log(least_u)) / SAMPLES_OF_U;
    chance chances[INTEGERS];
    hb_weighted_variance variances[INTEGERS * (INTEGERS + 1) / 2 * SAMPLES_OF_U];
    uint32_t count = 0;
    double few = 0, mean = 0, largest = 0, weights = 0;
    const uint32_t integers = find_chances(b, w, variance, chances, &few);
    for (uint32_t i = 0; i < integers; i++) {
        mean += chances[i].share * (chances[i].steps + chances[i].x);
        for (uint32_t j = both ? 0 : i; j <= i; j++) {
            const double times = i == j ? 1 : 2,
                         share = both ? times * chances[i].share * chances[j].share : chances[i].share;
            for (int k = 0; k < SAMPLES_OF_U; k++) {
                const double u = least_u * exp((k + 0.5) * step);
                const double here = (u * (chances[i].steps + chances[j].steps) + chances[i].x + chances[j].x) / 2;
                variances[count++] = (hb_weighted_variance){here, share * u * exp(-u)};
                weights += share * u * exp(-u);
                largest = fmax(largest, here);
            }
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        variances[i].weight /= weights;
    }
    out->even = out->peak = log2(mean) / 2 + log2(hb_error_tail(b->params));
    const double most = hb_expected_largest(variances, count, b->n, largest);
    out->expected = fmax(few > 0 ? hb_log_root(most, log2(few) / 2) : most, out->even);
}

/* Returns the step with which values come to be read as z: the only one with a factor. */
static uint32_t reading_of(const hb_polynomial_plan *plan)
{
    uint32_t i = 0;
    while (plan->steps[i].op != HB_POLYNOMIAL_DOWN || plan->steps[i].number == 1) {
        i++;
        HB_ASSERT(i < plan->step_count);
    }
    return i;
}

/* A use of EvalMod: errors of x are at most `wrong`, expected ones have that variance, results are 2^-fewer_bits times
 * z, and the largest one is that of `both` parts. */
typedef struct eval_mod_use {
    double wrong, variance;
    uint32_t fewer_bits;
    bool both;
} eval_mod_use;

/* Finds the error of results, without its distortion, and their largest magnitude, for any operand. */
static hb_status error_of_eval_mod(const bootstrap *b, eval_mod_use use, hb_quality *out, double *largest)
{
    hb_polynomial_plan plan;
    hb_polynomial_analysis w = {0};
    hb_status st;
    HB_GOTO(hb_polynomial_plan_init_eval_mod(&plan, b->params, use.fewer_bits));
    HB_GOTO(hb_polynomial_analysis_init(&w, b->params, &plan));
    w.rounding = hb_error_drawn(b->params);
    const hb_polynomial_steps all = hb_polynomial_all_steps(&plan, 0);
    const uint32_t reading = reading_of(&plan), degree = b->form->degree << b->form->doublings;
    const hb_polynomial_steps sine = {0, reading + 1, 0, plan.steps[reading].to, degree};
    const hb_polynomial_operand x = {0, (b->form->bound + 1 / b->form->ratio) / b->width, use.wrong, use.wrong};
    hb_polynomial_prove(&w, &sine, &x, out);
    if (reading + 1 < all.end && out->worst < HB_ERROR_HOPELESS) {
        const hb_polynomial_steps undoing = {reading + 1, all.end, sine.r, all.r,
                                             b->form->cubic ? 3 : b->form->undo_degree};
        const hb_polynomial_operand z = {0, 1, exp2(out->worst), exp2(out->worst)};
        hb_polynomial_prove(&w, &undoing, &z, out);
    }
    out->norm = out->worst;
    expect(b, &w, use.variance, use.both, out);
    /* The sine is largest there, and the polynomial that undoes it rises with it. */
    *largest = fabs(hb_polynomial_at(&w, &all, 0.25 / b->width).value) + exp2(out->worst);
done:
    hb_polynomial_analysis_clear(&w);
    hb_polynomial_plan_clear(&plan);
    return st;
}

/* --- the whole */

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
static hb_systematic distortion_of_likely(const bootstrap *b, hb_magnitude values)
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

/* Returns the error of a form in exact arithmetic. The error of the sine's polynomial depends on I. The rest goes up
 * and down with the values, and where its slope is large they are not: it is taken as random. */
static hb_quality distortion_of(const bootstrap *b, hb_magnitude values)
{
    const double fit = b->form->fit_bits, tail = log2(hb_error_tail(b->params));
    const hb_systematic part = distortion_of_likely(b, values);
    const double most = log2(b->form->distortion + exp2(fit)), likely = hb_log_root(part.most, fit);
    const double mean = hb_log_root(part.mean, fit - 0.5) + tail;
    return (hb_quality){
        .worst = most, .norm = most, .expected = fmax(mean, likely), .even = mean, .peak = fmax(mean, likely)};
}

/* Returns the error of a result from an error of both parts, or of one. */
static hb_quality error_of_parts(const bootstrap *b, hb_quality a, hb_bootstrap_kind kind, bool both)
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

/* Finds the error of z after one bootstrap; `operand` is its error before. */
static hb_status error_of_bootstrap(const bootstrap *b, hb_bootstrap_kind kind, uint32_t range_bits, hb_quality operand,
                                    hb_quality *out)
{
    const sum coefficients = error_of_coefficients(b, range_bits), slots = error_of_slots(b);
    const double to_x = 1 / (b->form->ratio * b->width);
    /* A coefficient has half of the variance of a complex slot. */
    const eval_mod_use use = {.wrong = (exp2(operand.worst) + coefficients.worst) * to_x + slots.worst,
                              .variance = coefficients.variance / 2 * square(to_x) + slots.variance,
                              .both = kind == HB_BOOTSTRAP_COMPLEX};
    double largest;
    hb_quality added = {.worst = 0};
    HB_TRY(error_of_eval_mod(b, use, &added, &largest));
    added = error_of_parts(b, hb_error_together(b->params, added, distortion_of(b, b->values)), kind, false);
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
static hb_status error_of_second_bootstrap(const bootstrap *b, hb_bootstrap_kind kind, uint32_t range_bits,
                                           hb_quality operand, hb_quality once, hb_quality *out)
{
    kind = hb_bootstrap_as_one(kind) > 1 ? HB_BOOTSTRAP_REAL : kind; /* each of its own */
    const hb_params *params = b->params;
    const double less = b->form->error_bits,
                 scale = hb_exact_scale_log2(hb_ckks_scale(params, b->levels.stc + 1)) + range_bits;
    const sum coefficients = error_of_coefficients(b, range_bits), slots = error_of_slots(b);
    const double to_x = 1 / (b->form->ratio * b->width);
    eval_mod_use use = {.wrong = coefficients.worst * to_x + slots.worst,
                        .variance = coefficients.variance / 2 * square(to_x) + slots.variance,
                        .fewer_bits = b->form->error_bits,
                        .both = kind == HB_BOOTSTRAP_COMPLEX};
    hb_quality added = {.worst = 0}, down = hb_error_rescale(params, b->levels.stc + 2, no_error, 2);
    double largest;
    HB_TRY(error_of_eval_mod(b, use, &added, &largest));
    added = hb_error_together(params, added, hb_error_shifted(params, distortion_of(b, (hb_magnitude){0}), -less));
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

static bootstrap analysis_of(const hb_params *params, hb_magnitude values)
{
    const hb_eval_mod_form *form = hb_eval_mod_form_of(params->spec.bootstrapping.eval_mod);
    return (bootstrap){.params = params,
                       .form = form,
                       .levels = hb_bootstrapping_levels_of(&params->spec),
                       .n = hb_error_degree(params),
                       .slots = hb_error_degree(params) / 2,
                       .width = form->bound + 0.5,
                       .values = values};
}

hb_status hb_error_bootstrap(const hb_params *params, hb_bootstrap_kind kind, uint32_t range_bits, bool twice,
                             hb_error_factor a, hb_quality *out)
{
    HB_TRY(require(params, range_bits, a.values));
    const bootstrap b = analysis_of(params, (hb_magnitude){a.values.most - range_bits, a.values.mean - range_bits,
                                                           a.values.common, a.values.peak - range_bits});
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
    const bootstrap b = analysis_of(params, (hb_magnitude){0, 0, 0, 0});
    const double q0 = (double)params->spec.primes[0], to_x = 1 / (b.form->ratio * b.width);
    sum before = {0, 0}, behind = {0, 0};
    add(&before, (1 + params->key_shape.norm) * hb_division_error(b.levels.coefficients) * b.form->ratio / q0, 0);
    add_raising(&b, &before);
    add_maps_to_coefficients(&b, 0, hb_exact_scale_log2(hb_ckks_scale(params, b.levels.coefficients + 1)), &behind);
    const eval_mod_use use = {.wrong = before.worst * to_x + error_of_slots(&b).worst};
    double largest;
    hb_quality added = {.worst = 0};
    HB_TRY(error_of_eval_mod(&b, use, &added, &largest));
    *worst = log2(exp2(added.worst) + b.form->distortion + exp2(b.form->fit_bits) + behind.worst);
    return HB_OK;
}
