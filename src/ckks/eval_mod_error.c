/* EvalMod goes by its plan (polynomial_analysis.h), up to where values are read as z on all of [-1, 1], as its sine is
 * near its polynomial between integers too; the polynomial that undoes the sine goes for |z| <= 1 and errors alone, as
 * between integers that operand would be ratio / (2 pi) times as large. The expected error depends on the likely I: t
 * is the sum of h + 1 evenly spread numbers, of width 1, so has the variance (h + 1) / 12, and doublings multiply
 * errors by 2^doublings over the cosine of an angle that depends on I: few slots have the largest errors. The result is
 * off by at most the form's distortion and fit_bits. By fit_bits as I is, and over the root of 2 in the mean square, as
 * it goes up and down; the rest after undoing the sine is a function of z, and small where z is. */
#include "eval_mod_error.h"

#include <math.h>

#include "error_terms.h"
#include "polynomial_analysis.h"
#include "rlwe/bounds.h"

/* Integers at which EvalMod is looked at, around 0, and how the secret is at slots. */
enum { INTEGERS = 11, SAMPLES_OF_U = 16 };
static const double least_u = 0x1p-5, most_u = 0x1p4;

static double square(double x)
{
    return x * x;
}

/* The expected errors for one integer I: its share, and the variances of the steps' errors and of x's error. */
typedef struct chance {
    double share, steps, x;
} chance;

/* Finds the chances of the integers that matter, and returns how many there are. few: the excess in a few slots. */
static uint32_t find_chances(const hb_bootstrap_analysis *b, const hb_polynomial_analysis *w, double variance,
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
static void expect(const hb_bootstrap_analysis *b, const hb_polynomial_analysis *w, double variance, bool both,
                   hb_quality *out)
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

hb_status hb_eval_mod_error(const hb_bootstrap_analysis *b, hb_eval_mod_use use, hb_quality *out, double *largest)
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
