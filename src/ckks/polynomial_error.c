/* Bounds of the error of polynomials. The error of the result is, with x' = x + e what the operand really holds,
 *
 *     p(x') - p(x)  +  sum over the steps i of s_i(x') n_i,
 *
 * n_i what rescaling, relinearizing or a rounded constant adds in step i, s_i the derivative of the result by the value
 * that has it: polynomials in x, of degree d at most, and so is p'. They are computed here at many x, forwards and
 * backwards through the plan, so bounds know what cancels.
 *
 * Proven: of a polynomial of degree d, the largest magnitude on [-1, 1] is at most 1 / cos(pi d / 2M) times that at M >
 * d Chebyshev nodes (H. Ehlich, K. Zeller, "Schwankung von Polynomen zwischen Gitterpunkten", Math. Z. 86, 1964), and
 * within D of [-1, 1], all in the ellipse with foci 1 and -1 and half axes of sum R = 1 + D + sqrt(2D + D^2), it is at
 * most R^d times that (S. Bernstein). Products of errors n_i n_j are in no s_i: how much a derivative may differ where
 * values are as wrong as they can be is carried along.
 *
 * Expected: errors are independent; x is spread as error.c takes values to be, |x| = most U^a, with both signs, and its
 * error where |x| is such is peak U^b. The largest of N/2 slots is where the sum over x of exp(-t^2 / variance(x)) is 1
 * / N, as it is for one variance (error.c). */
#include <math.h>
#include <stdlib.h>

#include "evaluator_private.h"
#include "polynomial.h"
#include "polynomial_plan.h"
#include "rlwe/bounds.h"

enum { NODES_PER_DEGREE = 4, SAMPLES = 96, HALVINGS = 32 };

/* log2 of errors of which nothing is known. */
static const double hopeless = 4096;

/* What a step adds, in units of values: proven, also as a norm; a deviation, and what few slots have beside it. */
typedef struct noise {
    double worst, norm, deviation, few;
} noise;

/* Of one step. */
typedef struct record {
    noise added;
    double derivative; /* the largest of the result by its value */
    double more;       /* that where values are wrong */
} record;

/* Of one value. */
typedef struct state {
    double x, derivative;       /* at one point */
    double most, error, change; /* bounds: its magnitude, its error, how much its derivative may differ */
} state;

typedef struct analysis {
    const hb_params *params;
    const hb_polynomial_plan *plan;
    record *steps;       /* [step_count] */
    state *values;       /* [value_count] */
    double largest, own; /* magnitudes of p and p' */
} analysis;

/* --- at one point */

static double forwards(const analysis *w, double x)
{
    const hb_polynomial_plan *plan = w->plan;
    state *v = w->values;
    v[0].x = x;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const hb_polynomial_step *s = &plan->steps[i];
        switch (s->op) {
        case HB_POLYNOMIAL_TENSOR:
            v[s->to].x = v[s->a].x * v[s->b].x;
            break;
        case HB_POLYNOMIAL_MULTIPLE:
            v[s->to].x = v[s->a].x * s->number;
            break;
        case HB_POLYNOMIAL_CLEAR:
            v[s->to].x = 0;
            break;
        case HB_POLYNOMIAL_ADD:
            v[s->to].x += s->sign == HB_PLUS ? v[s->a].x : -v[s->a].x;
            break;
        case HB_POLYNOMIAL_ADD_NUMBER:
            v[s->to].x += s->number;
            break;
        case HB_POLYNOMIAL_DOWN:
            v[s->to].x = v[s->a].x;
            break;
        }
    }
    return v[plan->steps[plan->step_count - 1].to].x;
}

/* Brings the derivative by what a step makes to what it is made of. */
static void backwards_step(state *v, const hb_polynomial_step *s)
{
    const double d = v[s->to].derivative;
    switch (s->op) {
    case HB_POLYNOMIAL_TENSOR:
        v[s->a].derivative += d * v[s->b].x;
        v[s->b].derivative += d * v[s->a].x;
        break;
    case HB_POLYNOMIAL_MULTIPLE:
        v[s->a].derivative += d * s->number;
        break;
    case HB_POLYNOMIAL_ADD:
        v[s->a].derivative += s->sign == HB_PLUS ? d : -d;
        break;
    case HB_POLYNOMIAL_DOWN:
        v[s->a].derivative += d;
        break;
    default:
        break;
    }
}

/* Calls `at` for every step, from the last, when the derivative by its value is there. Returns p'(x). */
static double backwards(const analysis *w, void (*at)(void *context, uint32_t step, double derivative), void *context)
{
    const hb_polynomial_plan *plan = w->plan;
    for (uint32_t i = 0; i < plan->value_count; i++) {
        w->values[i].derivative = 0;
    }
    w->values[plan->steps[plan->step_count - 1].to].derivative = 1;
    for (uint32_t i = plan->step_count; i-- > 0;) {
        at(context, i, w->values[plan->steps[i].to].derivative);
        backwards_step(w->values, &plan->steps[i]);
    }
    return w->values[0].derivative;
}

/* --- what is added */

static noise noise_of(const analysis *w, const hb_polynomial_step *s)
{
    const hb_polynomial_value *values = w->plan->values;
    const double tail = log2(hb_error_tail(w->params));
    if (s->op == HB_POLYNOMIAL_DOWN) {
        const hb_polynomial_value *a = &values[s->a];
        const hb_quality nothing = {.worst = 0};
        const hb_quality added = a->size == 3 ? hb_error_relinearize_rescale(w->params, a->limbs, nothing)
                                              : hb_error_rescale(w->params, a->limbs, nothing, a->size);
        const double scale = hb_exact_scale_log2(values[s->to].scale);
        const double few =
            added.expected > added.even ? exp2(2 * (added.expected - scale)) - exp2(2 * (added.even - scale)) : 0;
        return (noise){exp2(added.worst - scale), exp2(added.norm - scale), exp2(added.even - tail - scale), sqrt(few)};
    }
    double most = 0;
    if (s->op == HB_POLYNOMIAL_ADD_NUMBER) {
        most = 0.5 * exp2(-hb_exact_scale_log2(s->over));
    } else if (s->op == HB_POLYNOMIAL_MULTIPLE) {
        most = 0.5 * exp2(hb_exact_scale_log2(s->under) - hb_exact_scale_log2(s->over)) * w->values[s->a].most;
    }
    return (noise){most, most, most / sqrt(3), 0};
}

/* --- proven */

static void keep_largest(void *context, uint32_t step, double derivative)
{
    record *r = &((record *)context)[step];
    r->derivative = fmax(r->derivative, fabs(derivative));
}

/* Finds the largest magnitudes of all values and derivatives within `off` of [-1, 1]. */
static void find_largest(analysis *w, uint32_t degree, double off)
{
    const double pi = acos(-1), nodes = NODES_PER_DEGREE * (double)degree;
    const double factor =
        pow(1 + off + sqrt(2 * off + off * off), degree) / cos(pi * degree / (2 * nodes)) * (1 + 0x1p-20);
    for (double j = 0; j < nodes; j++) {
        w->largest = fmax(w->largest, fabs(forwards(w, cos(pi * (j + 0.5) / nodes))));
        w->own = fmax(w->own, fabs(backwards(w, keep_largest, w->steps)));
        for (uint32_t i = 0; i < w->plan->value_count; i++) {
            w->values[i].most = fmax(w->values[i].most, fabs(w->values[i].x));
        }
    }
    w->largest *= factor;
    w->own *= factor;
    for (uint32_t i = 0; i < w->plan->value_count; i++) {
        w->values[i].most *= factor;
    }
    for (uint32_t i = 0; i < w->plan->step_count; i++) {
        w->steps[i].derivative *= factor;
    }
}

/* Follows the errors that steps add: what each value has. */
static void follow_errors(analysis *w)
{
    state *v = w->values;
    for (uint32_t i = 0; i < w->plan->step_count; i++) {
        const hb_polynomial_step *s = &w->plan->steps[i];
        const noise added = w->steps[i].added = noise_of(w, s);
        switch (s->op) {
        case HB_POLYNOMIAL_TENSOR:
            v[s->to].error = v[s->a].error * v[s->b].most + v[s->b].error * (v[s->a].most + v[s->a].error);
            break;
        case HB_POLYNOMIAL_MULTIPLE:
            v[s->to].error = v[s->a].error * fabs(s->number) + added.worst;
            break;
        case HB_POLYNOMIAL_ADD:
            v[s->to].error += v[s->a].error;
            break;
        case HB_POLYNOMIAL_DOWN:
            v[s->to].error = v[s->a].error + added.worst;
            break;
        default:
            v[s->to].error += added.worst;
            break;
        }
    }
}

/* Follows back how much derivatives differ where values have these errors. */
static void follow_changes(analysis *w)
{
    state *v = w->values;
    for (uint32_t i = w->plan->step_count; i-- > 0;) {
        const hb_polynomial_step *s = &w->plan->steps[i];
        const double change = v[s->to].change, most = w->steps[i].derivative;
        w->steps[i].more = change;
        switch (s->op) {
        case HB_POLYNOMIAL_TENSOR:
            v[s->a].change += change * (v[s->b].most + v[s->b].error) + most * v[s->b].error;
            v[s->b].change += change * (v[s->a].most + v[s->a].error) + most * v[s->a].error;
            break;
        case HB_POLYNOMIAL_MULTIPLE:
            v[s->a].change += change * fabs(s->number);
            break;
        case HB_POLYNOMIAL_ADD:
        case HB_POLYNOMIAL_DOWN:
            v[s->a].change += change;
            break;
        default:
            break;
        }
    }
}

/* Scales are cut to 128 bits in every step. */
static const double cut = 0x1p-110;

static void prove(analysis *w, uint32_t degree, hb_error_factor a, double scale, hb_quality *out)
{
    /* The largest values may have been rounded up. */
    const double most = fmax(exp2(a.values.most) - 1, 0);
    const double wrong = exp2(a.error.worst - scale), off = wrong + most,
                 norm = exp2(hb_quality_known_norm(a.error) - scale);
    find_largest(w, degree, off);
    follow_errors(w);
    follow_changes(w);
    double worst = w->own * wrong + cut * w->largest, mean = w->own * norm + cut * w->largest;
    for (uint32_t i = 0; i < w->plan->step_count; i++) {
        const record *r = &w->steps[i];
        worst += (r->derivative + r->more) * r->added.worst;
        mean += (r->derivative + r->more) * r->added.norm;
    }
    out->worst = isfinite(worst) ? log2(worst) : hopeless;
    out->norm = isfinite(mean) ? log2(mean) : hopeless;
}

/* --- expected */

typedef struct sum {
    const record *steps;
    double variance, few; /* squares */
} sum;

static void add_variance(void *context, uint32_t step, double derivative)
{
    sum *s = context;
    const noise *added = &s->steps[step].added;
    s->variance += derivative * derivative * added->deviation * added->deviation;
    s->few += derivative * derivative * added->few * added->few;
}

/* What is known of the operand: |x| = most U^spread, its deviation highest U^rise. */
typedef struct operand {
    double most, spread, highest, rise, few;
} operand;

static operand operand_of(const hb_params *params, hb_error_factor a, double scale)
{
    const hb_quality e = a.error;
    const double even = e.even != 0 ? e.even : e.expected, peak = e.peak != 0 ? fmax(e.peak, even) : even;
    const double spread = (exp2(2 * (a.values.peak - fmin(a.values.mean, a.values.peak))) - 1) / 2;
    const double few = e.expected > even ? sqrt(exp2(2 * (e.expected - scale)) - exp2(2 * (even - scale))) : 0;
    return (operand){.most = fmin(exp2(a.values.peak), 1),
                     /* Of who knows no mean nothing is known: evenly. */
                     .spread = spread > 0x1p-4 || a.values.common > 0 ? spread : 1,
                     .highest = exp2(peak - scale) / hb_error_tail(params),
                     .rise = (exp2(2 * (peak - even)) - 1) / 2,
                     .few = few};
}

/* Returns log2 of the t where the mean of exp(-t^2 / variance) is 1 / n. */
static double expected_largest(const double *variances, uint32_t count, double n, double largest)
{
    /* log2 t: with the largest variance everywhere, and in one sample alone. */
    double high = log2(largest * log(n)) / 2 + 0x1p-10, low = high - log2(n) - 10;
    for (int step = 0; step < HALVINGS; step++) {
        const double middle = (low + high) / 2, square = exp2(2 * middle);
        double mean = 0;
        for (uint32_t i = 0; i < count; i++) {
            mean += exp(-square / variances[i]) / count;
        }
        *(mean > 1 / n ? &low : &high) = middle;
    }
    return high;
}

static void expect(const analysis *w, hb_error_factor a, double scale, hb_quality *out)
{
    const operand x = operand_of(w->params, a, scale);
    double variances[2 * SAMPLES], mean = 0, few = 0, largest = 0, peak = 0, far = -1;
    for (uint32_t i = 0; i < 2 * SAMPLES; i++) {
        const double u = (i / 2 + 0.5) / SAMPLES, size = x.most * pow(u, x.spread);
        const double deviation = x.highest * pow(u, x.rise), p = forwards(w, i % 2 == 0 ? size : -size);
        sum s = {.steps = w->steps};
        const double own = backwards(w, add_variance, &s);
        variances[i] = s.variance + own * own * deviation * deviation + 0x1p-400;
        mean += variances[i] / (2 * SAMPLES);
        few += (s.few + own * own * x.few * x.few) / (2 * SAMPLES);
        largest = fmax(largest, variances[i]);
        peak = fabs(p) > far ? variances[i] : peak;
        far = fmax(far, fabs(p));
    }
    const double tail = log2(hb_error_tail(w->params));
    out->even = log2(mean) / 2 + tail;
    out->peak = log2(peak) / 2 + tail;
    const double most = expected_largest(variances, 2 * SAMPLES, (double)w->params->spec.n, largest);
    out->expected = fmax(few > 0 ? hb_log_root(most, log2(few) / 2) : most, out->even);
}

/* As files have bounds: 0 and above, with slack, what is expected not above what is proven. */
static hb_quality finished(hb_quality a, double scale)
{
    a.worst = fmax(a.worst + scale, 0) + HB_BOUND_SLACK;
    a.norm = fmax(fmin(a.norm + scale, a.worst), 0) + HB_BOUND_SLACK;
    a.expected = fmax(fmin(a.expected + scale, a.worst), 0) + HB_BOUND_SLACK;
    a.even = fmin(fmax(a.even + scale, 0) + HB_BOUND_SLACK, a.expected);
    a.peak = fmax(a.even, fmin(a.peak + scale, a.worst));
    a.powers = 1;
    return a;
}

/* Adds what the polynomial is not: at most 2^bits anywhere, and that over the root of 2 as a mean, as errors of the
 * best approximations go up and down. */
static void add_approximation(const hb_params *params, hb_quality *a, double bits)
{
    const double mean = bits - 0.5 + log2(hb_error_tail(params));
    a->worst = hb_log_sum(a->worst, bits);
    a->norm = hb_log_sum(a->norm, bits);
    a->even = hb_log_root(a->even, mean);
    a->peak = hb_log_root(a->peak, mean);
    a->expected = hb_log_root(a->expected, bits);
}

static hb_quality analyse(analysis *w, uint32_t degree, hb_error_factor a, double error)
{
    const hb_polynomial_plan *plan = w->plan;
    const double scale = hb_exact_scale_log2(plan->values[0].scale);
    const uint32_t below = hb_polynomial_plan_result_limbs(plan);
    hb_quality out = {.worst = hopeless};
    prove(w, degree, a, scale, &out);
    expect(w, a, scale, &out);
    if (error > 0) {
        add_approximation(w->params, &out, log2(error));
    }
    return finished(out, hb_exact_scale_log2(hb_ckks_scale(w->params, below)));
}

hb_status hb_error_polynomial(const hb_params *params, const hb_polynomial_spec *spec, const hb_chebyshev *polynomial,
                              hb_error_factor a, double error, hb_quality *out)
{
    hb_polynomial_plan plan;
    analysis w = {.params = params, .plan = &plan};
    hb_status st;
    HB_GOTO(hb_polynomial_plan_init(&plan, params, spec->limbs, polynomial, spec->baby));
    w.steps = calloc(plan.step_count, sizeof *w.steps);
    w.values = calloc(plan.value_count, sizeof *w.values);
    if (w.steps == NULL || w.values == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for the error of a polynomial"));
    }
    *out = analyse(&w, hb_chebyshev_degree(polynomial), a, error);
done:
    free(w.steps);
    free(w.values);
    hb_polynomial_plan_clear(&plan);
    return st;
}
