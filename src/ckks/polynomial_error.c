/* Bounds of the error of polynomials (polynomial_analysis.h). The expected error takes x to be spread as error.c takes
 * values to be: |x| = most U^a, with both signs. The error of such an x is peak U^b. */
#include <math.h>

#include "error_terms.h"
#include "polynomial.h"
#include "polynomial_analysis.h"
#include "rlwe/bounds.h"

enum { SAMPLES = 96 };

static void prove(hb_polynomial_analysis *w, uint32_t degree, hb_error_factor a, double scale, hb_quality *out)
{
    /* The largest values may have been rounded up. */
    const double most = fmax(exp2(a.values.most) - 1, 0);
    const hb_polynomial_operand x = {0, 1 + most, exp2(a.error.worst - scale),
                                     exp2(hb_quality_known_norm(a.error) - scale)};
    const hb_polynomial_steps steps = hb_polynomial_all_steps(w->plan, degree);
    hb_polynomial_prove(w, &steps, &x, out);
}

/* The likely values of the operand: |x| = most U^spread, its deviation highest U^rise. */
typedef struct operand {
    double most, spread, highest, rise, few;
} operand;

/* The part of `expected` that is neither from even errors nor systematic, as a value; 0: none. */
static double few_of(hb_quality e, double even, double scale)
{
    const double rest = hb_error_rest(e.expected, hb_error_with_systematic(even, e.systematic));
    return e.expected > even ? exp2(rest - scale) : 0;
}

static operand operand_of(const hb_params *params, hb_error_factor a, double scale)
{
    const hb_quality e = a.error;
    const double even = e.even != 0 ? e.even : e.expected, peak = e.peak != 0 ? fmax(e.peak, even) : even;
    const double spread = (exp2(2 * (a.values.peak - fmin(a.values.mean, a.values.peak))) - 1) / 2;
    return (operand){.most = fmin(exp2(a.values.peak), 1),
                     /* Without a known mean, values are taken to be spread evenly. */
                     .spread = spread > 0x1p-4 || a.values.common > 0 ? spread : 1,
                     .highest = exp2(peak - scale) / hb_error_tail(params),
                     .rise = (exp2(2 * (peak - even)) - 1) / 2,
                     .few = few_of(e, even, scale)};
}

static void expect(const hb_polynomial_analysis *w, uint32_t degree, hb_error_factor a, double scale, hb_quality *out)
{
    const operand x = operand_of(w->params, a, scale);
    const hb_polynomial_steps steps = hb_polynomial_all_steps(w->plan, degree);
    hb_weighted_variance variances[2 * SAMPLES];
    double mean = 0, operands = 0, few = 0, largest = 0, peak = 0, far = -1, slopes = 0, steepest = 0;
    for (uint32_t i = 0; i < 2 * SAMPLES; i++) {
        const double u = (i / 2 + 0.5) / SAMPLES, size = x.most * pow(u, x.spread);
        const double deviation = x.highest * pow(u, x.rise);
        const hb_polynomial_point p = hb_polynomial_at(w, &steps, i % 2 == 0 ? size : -size);
        const double own = p.derivative * p.derivative;
        const double given = own * deviation * deviation, variance = p.variance + given + 0x1p-400;
        variances[i] = (hb_weighted_variance){variance, 1.0 / (2 * SAMPLES)};
        mean += variance / (2 * SAMPLES);
        operands += given / (2 * SAMPLES);
        few += (p.few + own * x.few * x.few) / (2 * SAMPLES);
        largest = fmax(largest, variance);
        slopes += own / (2 * SAMPLES);
        steepest = fmax(steepest, own);
        peak = fabs(p.value) > far ? variance : peak;
        far = fmax(far, fabs(p.value));
    }
    const double tail = log2(hb_error_tail(w->params));
    out->even = log2(mean) / 2 + tail;
    out->peak = log2(peak) / 2 + tail;
    out->common = a.error.common * a.values.common * (operands / mean);
    const double most = hb_expected_largest(variances, 2 * SAMPLES, (double)w->params->spec.n, largest);
    out->expected = fmax(few > 0 ? hb_log_root(most, log2(few) / 2) : most, out->even);
    const hb_magnitude slope = {.mean = log2(slopes) / 2, .peak = log2(steepest) / 2};
    const hb_systematic given = hb_error_systematic_shifted(a.error.systematic, -scale);
    out->systematic = hb_error_systematic_times(given, slope);
}

/* Bounds as in files: at least 0, with slack, the expected one not above the proven one. */
static hb_quality finished(hb_quality a, double scale)
{
    a.expected = hb_error_with_systematic(a.expected, a.systematic);
    a.worst = fmax(a.worst + scale, 0) + HB_BOUND_SLACK;
    a.systematic = hb_error_systematic_bounded(hb_error_systematic_shifted(a.systematic, scale), a.worst);
    a.norm = fmax(fmin(a.norm + scale, a.worst), 0) + HB_BOUND_SLACK;
    a.expected = fmax(fmin(a.expected + scale, a.worst), 0) + HB_BOUND_SLACK;
    a.even = fmin(fmax(a.even + scale, 0) + HB_BOUND_SLACK, a.expected);
    a.peak = fmax(a.even, fmin(a.peak + scale, a.worst));
    a.powers = 1;
    return a;
}

/* Adds the distance of the polynomial from the function: at most 2^bits anywhere, and that over the root of 2 as a
 * mean, as errors of the best approximations go up and down. */
static void add_approximation(hb_quality *a, double bits)
{
    a->worst = hb_log_sum(a->worst, bits);
    a->norm = hb_log_sum(a->norm, bits);
    a->systematic = hb_error_systematic_sum(a->systematic, (hb_systematic){bits, bits - 0.5});
}

static hb_quality analyse(hb_polynomial_analysis *w, uint32_t degree, hb_error_factor a, double error)
{
    const hb_polynomial_plan *plan = w->plan;
    const double scale = hb_exact_scale_log2(plan->values[0].scale);
    const uint32_t below = hb_polynomial_plan_result_limbs(plan);
    hb_quality out = {.worst = HB_ERROR_HOPELESS};
    prove(w, degree, a, scale, &out);
    expect(w, degree, a, scale, &out);
    if (error > 0) {
        add_approximation(&out, log2(error));
    }
    return finished(out, hb_exact_scale_log2(hb_ckks_scale(w->params, below)));
}

hb_status hb_error_polynomial(const hb_params *params, const hb_polynomial_spec *spec, const hb_chebyshev *polynomial,
                              hb_error_factor a, double error, hb_quality *out)
{
    hb_polynomial_plan plan;
    hb_polynomial_analysis w = {.params = params};
    hb_status st;
    HB_GOTO(hb_polynomial_plan_init(&plan, params, spec->limbs, polynomial, spec->baby));
    HB_GOTO(hb_polynomial_analysis_init(&w, params, &plan));
    *out = analyse(&w, hb_chebyshev_degree(polynomial), a, error);
done:
    hb_polynomial_analysis_clear(&w);
    hb_polynomial_plan_clear(&plan);
    return st;
}
