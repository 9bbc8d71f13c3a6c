#include "polynomial_analysis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "evaluator_private.h"

enum { NODES_PER_DEGREE = 4, HALVINGS = 32 };

hb_status hb_polynomial_analysis_init(hb_polynomial_analysis *w, const hb_params *params,
                                      const hb_polynomial_plan *plan)
{
    *w = (hb_polynomial_analysis){.params = params,
                                  .plan = plan,
                                  .rounding = 1,
                                  .steps = calloc(plan->step_count, sizeof *w->steps),
                                  .values = calloc(plan->value_count, sizeof *w->values)};
    return w->steps != NULL && w->values != NULL ? HB_OK
                                                 : HB_FAIL(HB_ENOMEM, "no memory for the error of a polynomial");
}

void hb_polynomial_analysis_clear(hb_polynomial_analysis *w)
{
    free(w->steps);
    free(w->values);
    *w = (hb_polynomial_analysis){0};
}

hb_polynomial_steps hb_polynomial_all_steps(const hb_polynomial_plan *plan, uint32_t degree)
{
    return (hb_polynomial_steps){0, plan->step_count, 0, plan->steps[plan->step_count - 1].to, degree};
}

/* --- at one point */

static double forwards(const hb_polynomial_analysis *w, const hb_polynomial_steps *steps, double x)
{
    const hb_polynomial_plan *plan = w->plan;
    hb_polynomial_state *v = w->values;
    v[steps->x].x = x;
    for (uint32_t i = steps->first; i < steps->end; i++) {
        const hb_polynomial_step *s = &plan->steps[i];
        switch (s->op) {
        case HB_POLYNOMIAL_TENSOR:
            v[s->to].x = v[s->a].x * v[s->b].x;
            break;
        case HB_POLYNOMIAL_MULTIPLE:
        case HB_POLYNOMIAL_DOWN:
            v[s->to].x = v[s->a].x * s->number;
            break;
        case HB_POLYNOMIAL_CLEAR:
            v[s->to].x = 0;
            break;
        case HB_POLYNOMIAL_TURN: /* plans of tables are not analysed */
            HB_ASSERT(s->op != HB_POLYNOMIAL_TURN);
            break;
        case HB_POLYNOMIAL_ADD:
            v[s->to].x += s->sign == HB_PLUS ? v[s->a].x : -v[s->a].x;
            break;
        case HB_POLYNOMIAL_ADD_NUMBER:
            v[s->to].x += s->number;
            break;
        }
    }
    return v[steps->r].x;
}

/* Propagates the derivative from the result of a step to its operands. */
static void backwards_step(hb_polynomial_state *v, const hb_polynomial_step *s)
{
    const double d = v[s->to].derivative;
    switch (s->op) {
    case HB_POLYNOMIAL_TENSOR:
        v[s->a].derivative += d * v[s->b].x;
        v[s->b].derivative += d * v[s->a].x;
        break;
    case HB_POLYNOMIAL_MULTIPLE:
    case HB_POLYNOMIAL_DOWN:
        v[s->a].derivative += d * s->number;
        break;
    case HB_POLYNOMIAL_ADD:
        v[s->a].derivative += s->sign == HB_PLUS ? d : -d;
        break;
    case HB_POLYNOMIAL_CLEAR:
    case HB_POLYNOMIAL_ADD_NUMBER:
    case HB_POLYNOMIAL_TURN:
        break;
    }
}

/* Calls `at` for every step, from the last, when the derivative by its value is there. Returns p'(x). */
static double backwards(const hb_polynomial_analysis *w, const hb_polynomial_steps *steps,
                        void (*at)(void *context, uint32_t step, double derivative), void *context)
{
    const hb_polynomial_plan *plan = w->plan;
    for (uint32_t i = 0; i < plan->value_count; i++) {
        w->values[i].derivative = 0;
    }
    w->values[steps->r].derivative = 1;
    for (uint32_t i = steps->end; i-- > steps->first;) {
        at(context, i, w->values[plan->steps[i].to].derivative);
        backwards_step(w->values, &plan->steps[i]);
    }
    return w->values[steps->x].derivative;
}

/* --- errors that steps add */

static hb_polynomial_noise noise_of(const hb_polynomial_analysis *w, const hb_polynomial_step *s)
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
        const double worst = w->rounding * exp2(added.worst - scale);
        return (hb_polynomial_noise){worst, fmin(exp2(added.norm - scale), worst), exp2(added.even - tail - scale),
                                     sqrt(few)};
    }
    double most = 0, seen = 0;
    if (s->op == HB_POLYNOMIAL_ADD_NUMBER) {
        most = seen = 0.5 * exp2(-hb_exact_scale_log2(values[s->to].scale));
    } else if (s->op == HB_POLYNOMIAL_MULTIPLE) {
        const double each = 0.5 * exp2(hb_exact_scale_log2(s->under) - hb_exact_scale_log2(s->over));
        most = each * w->values[s->a].most;
        seen = each * w->values[s->a].seen;
    }
    return (hb_polynomial_noise){most, most, seen / sqrt(3), 0};
}

/* --- proven */

static void keep_largest(void *context, uint32_t step, double derivative)
{
    hb_polynomial_record *r = &((hb_polynomial_record *)context)[step];
    r->derivative = fmax(r->derivative, fabs(derivative));
}

/* Finds the largest magnitudes of all values and derivatives where operands may be. */
static void find_largest(hb_polynomial_analysis *w, const hb_polynomial_steps *steps, const hb_polynomial_operand *x)
{
    const double pi = acos(-1), degree = steps->degree, nodes = NODES_PER_DEGREE * degree, off = x->wrong / x->half;
    const double factor =
        pow(1 + off + sqrt(2 * off + off * off), degree) / cos(pi * degree / (2 * nodes)) * (1 + 0x1p-20);
    for (double j = 0; j < nodes; j++) {
        w->largest = fmax(w->largest, fabs(forwards(w, steps, x->middle + x->half * cos(pi * (j + 0.5) / nodes))));
        w->own = fmax(w->own, fabs(backwards(w, steps, keep_largest, w->steps)));
        for (uint32_t i = 0; i < w->plan->value_count; i++) {
            w->values[i].most = fmax(w->values[i].most, fabs(w->values[i].x));
        }
    }
    w->largest *= factor;
    w->own *= factor;
    for (uint32_t i = 0; i < w->plan->value_count; i++) {
        w->values[i].seen = w->values[i].most;
        w->values[i].most *= factor;
    }
    for (uint32_t i = steps->first; i < steps->end; i++) {
        w->steps[i].derivative *= factor;
    }
}

/* Follows the errors that steps add to each value. */
static void follow_errors(hb_polynomial_analysis *w, const hb_polynomial_steps *steps)
{
    hb_polynomial_state *v = w->values;
    for (uint32_t i = steps->first; i < steps->end; i++) {
        const hb_polynomial_step *s = &w->plan->steps[i];
        const hb_polynomial_noise added = w->steps[i].added = noise_of(w, s);
        switch (s->op) {
        case HB_POLYNOMIAL_TENSOR:
            v[s->to].error = v[s->a].error * v[s->b].most + v[s->b].error * (v[s->a].most + v[s->a].error);
            break;
        case HB_POLYNOMIAL_ADD:
            v[s->to].error += v[s->a].error;
            break;
        case HB_POLYNOMIAL_MULTIPLE:
        case HB_POLYNOMIAL_DOWN:
            v[s->to].error = v[s->a].error * fabs(s->number) + added.worst;
            break;
        case HB_POLYNOMIAL_CLEAR:
        case HB_POLYNOMIAL_ADD_NUMBER:
        case HB_POLYNOMIAL_TURN:
            v[s->to].error += added.worst;
            break;
        }
    }
}

/* Follows back how much derivatives differ where values have these errors. */
static void follow_changes(hb_polynomial_analysis *w, const hb_polynomial_steps *steps)
{
    hb_polynomial_state *v = w->values;
    for (uint32_t i = steps->end; i-- > steps->first;) {
        const hb_polynomial_step *s = &w->plan->steps[i];
        const double change = v[s->to].change, most = w->steps[i].derivative;
        w->steps[i].more = change;
        switch (s->op) {
        case HB_POLYNOMIAL_TENSOR:
            v[s->a].change += change * (v[s->b].most + v[s->b].error) + most * v[s->b].error;
            v[s->b].change += change * (v[s->a].most + v[s->a].error) + most * v[s->a].error;
            break;
        case HB_POLYNOMIAL_MULTIPLE:
        case HB_POLYNOMIAL_DOWN:
            v[s->a].change += change * fabs(s->number);
            break;
        case HB_POLYNOMIAL_ADD:
            v[s->a].change += change;
            break;
        case HB_POLYNOMIAL_CLEAR:
        case HB_POLYNOMIAL_ADD_NUMBER:
        case HB_POLYNOMIAL_TURN:
            break;
        }
    }
}

/* Scales are cut to 128 bits in every step. */
static const double cut = 0x1p-110;

void hb_polynomial_prove(hb_polynomial_analysis *w, const hb_polynomial_steps *steps,
                         const hb_polynomial_operand *operand, hb_quality *out)
{
    w->largest = w->own = 0;
    memset(w->values, 0, w->plan->value_count * sizeof *w->values);
    memset(w->steps + steps->first, 0, (steps->end - steps->first) * sizeof *w->steps);
    find_largest(w, steps, operand);
    follow_errors(w, steps);
    follow_changes(w, steps);
    double worst = w->own * operand->wrong + cut * w->largest, mean = w->own * operand->norm + cut * w->largest;
    double sum = 0, squares = 0;
    for (uint32_t i = steps->first; i < steps->end; i++) {
        const hb_polynomial_record *r = &w->steps[i];
        const double each = (r->derivative + r->more) * r->added.worst;
        sum += each;
        squares += each * each;
        mean += (r->derivative + r->more) * r->added.norm;
    }
    worst += w->rounding < 1 ? sqrt(squares) : sum;
    out->worst = isfinite(worst) ? log2(worst) : HB_ERROR_HOPELESS;
    out->norm = isfinite(mean) ? log2(mean) : HB_ERROR_HOPELESS;
}

/* --- expected */

typedef struct sum {
    const hb_polynomial_record *steps;
    double variance, few; /* squares */
} sum;

static void add_variance(void *context, uint32_t step, double derivative)
{
    sum *s = context;
    const hb_polynomial_noise *added = &s->steps[step].added;
    s->variance += derivative * derivative * added->deviation * added->deviation;
    s->few += derivative * derivative * added->few * added->few;
}

hb_polynomial_point hb_polynomial_at(const hb_polynomial_analysis *w, const hb_polynomial_steps *steps, double x)
{
    sum s = {.steps = w->steps};
    const double value = forwards(w, steps, x), derivative = backwards(w, steps, add_variance, &s);
    return (hb_polynomial_point){value, derivative, s.variance, s.few};
}

double hb_expected_largest(const hb_weighted_variance *variances, uint32_t count, double n, double largest)
{
    /* log2 t: with the largest variance everywhere, and in one sample alone. */
    double high = log2(largest * log(n)) / 2 + 0x1p-10, low = high - log2(n) - 10;
    for (int step = 0; step < HALVINGS; step++) {
        const double middle = (low + high) / 2, square = exp2(2 * middle);
        double mean = 0;
        for (uint32_t i = 0; i < count; i++) {
            mean += exp(-square / variances[i].variance) * variances[i].weight;
        }
        *(mean > 1 / n ? &low : &high) = middle;
    }
    return high;
}
