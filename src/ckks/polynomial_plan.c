/* T_k is made of T_i and T_j, i the largest power of two below k, i + j = k: T_k = 2 T_i T_j - T_(i-j), so it is as
 * many levels below x as a balanced product of k factors is. A polynomial of degree d is split by g, the largest power
 * of two up to d, into q T_g + r: q is evaluated one level below its own products, so that it meets T_g without
 * rounding, and r is added to the product before anything is relinearized or rescaled. Degrees below `baby` are sums of
 * multiples of T_k where these are there at that level. (M. Paterson, L. Stockmeyer, SIAM J. Comput. 2, 1973; in the
 * Chebyshev basis: H. Chen, I. Chillotti, Y. Song, EUROCRYPT 2019; levels: J.-P. Bossuat et al., EUROCRYPT 2021.) */
#include "polynomial_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "evaluator_private.h"
#include "rlwe/evaluator_build.h"

#define NO_VALUE UINT16_MAX

/* What is planned. */
typedef struct planner {
    hb_polynomial_plan *plan;
    const hb_params *params;
    uint32_t own; /* limbs of one level */
    uint32_t baby;
    uint16_t power[HB_CHEBYSHEV_MOST_DEGREE + 1]; /* values of T_k; NO_VALUE: not there yet */
} planner;

/* Coefficients of a part of the polynomial, in [degree + 1]. */
typedef struct part {
    const double *c;
    uint32_t degree;
} part;

/* Where a part is evaluated: at the level of so many limbs, with that scale. */
typedef struct place {
    uint32_t limbs;
    hb_exact_scale scale;
} place;

static uint32_t ceil_log2(uint32_t n)
{
    return n <= 1 ? 0 : hb_bit_length(n - 1);
}

/* --- steps and values */

static hb_status room(void **array, uint32_t *capacity, uint32_t count, size_t each)
{
    if (count < *capacity) {
        return HB_OK;
    }
    const uint32_t more = *capacity == 0 ? 64 : 2 * *capacity;
    void *longer = realloc(*array, more * each);
    if (longer == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the plan of a polynomial");
    }
    *array = longer;
    *capacity = more;
    return HB_OK;
}

static hb_status new_value(planner *p, uint32_t size, place at, uint16_t *out)
{
    hb_polynomial_plan *plan = p->plan;
    void *values = plan->values;
    const hb_status st = room(&values, &plan->value_room, plan->value_count, sizeof *plan->values);
    plan->values = values;
    HB_TRY(st);
    plan->values[plan->value_count] =
        (hb_polynomial_value){.size = size,
                              .limbs = at.limbs,
                              .scale = at.scale,
                              .first = plan->step_count,
                              .last = plan->step_count,
                              .words = size * hb_words_of(p->params, 1, p->params->ids, at.limbs)};
    *out = (uint16_t)plan->value_count++;
    return HB_OK;
}

static hb_status add_step(planner *p, hb_polynomial_step step)
{
    hb_polynomial_plan *plan = p->plan;
    void *steps = plan->steps;
    const hb_status st = room(&steps, &plan->step_room, plan->step_count, sizeof *plan->steps);
    plan->steps = steps;
    HB_TRY(st);
    const uint16_t values[] = {step.to, step.a, step.b};
    for (int i = 0; i < 3; i++) {
        if (values[i] != NO_VALUE) {
            plan->values[values[i]].last = plan->step_count;
        }
    }
    plan->steps[plan->step_count++] = step;
    return HB_OK;
}

static hb_status add_value(planner *p, uint16_t to, uint16_t a, hb_sign sign)
{
    return add_step(p, (hb_polynomial_step){.op = HB_POLYNOMIAL_ADD, .to = to, .a = a, .b = NO_VALUE, .sign = sign});
}

/* to = a times the integer nearest to number scale / under. */
static hb_status multiple(planner *p, uint16_t to, uint16_t a, double number, hb_exact_scale scale,
                          hb_exact_scale under)
{
    return add_step(p, (hb_polynomial_step){.op = HB_POLYNOMIAL_MULTIPLE,
                                            .to = to,
                                            .a = a,
                                            .b = NO_VALUE,
                                            .number = number,
                                            .over = scale,
                                            .under = under});
}

static hb_status add_number(planner *p, uint16_t to, double number, hb_exact_scale scale)
{
    return add_step(p, (hb_polynomial_step){.op = HB_POLYNOMIAL_ADD_NUMBER,
                                            .to = to,
                                            .a = NO_VALUE,
                                            .b = NO_VALUE,
                                            .number = number,
                                            .over = scale,
                                            .under = hb_exact_scale_of(1)});
}

static hb_status tensor(planner *p, uint16_t a, uint16_t b, uint16_t *out)
{
    const hb_polynomial_value *x = &p->plan->values[a], *y = &p->plan->values[b];
    const place at = {x->limbs < y->limbs ? x->limbs : y->limbs, hb_exact_scale_multiply(x->scale, y->scale)};
    HB_TRY(new_value(p, 3, at, out));
    p->plan->products++;
    return add_step(p, (hb_polynomial_step){.op = HB_POLYNOMIAL_TENSOR, .to = *out, .a = a, .b = b});
}

static hb_status down(planner *p, uint16_t a, uint16_t *out)
{
    const hb_polynomial_value *x = &p->plan->values[a];
    const place at = {x->limbs - p->own, hb_exact_scale_divide(x->scale, hb_ckks_divisor(&p->params->spec, x->limbs))};
    HB_TRY(new_value(p, 2, at, out));
    return add_step(p, (hb_polynomial_step){.op = HB_POLYNOMIAL_DOWN, .to = *out, .a = a, .b = NO_VALUE});
}

/* --- powers */

static hb_status power(planner *p, uint32_t k, uint16_t *out)
{
    if (p->power[k] == NO_VALUE) {
        const uint32_t i = (uint32_t)1 << (ceil_log2(k) - 1), j = k - i;
        uint16_t a, b, less, product, term;
        HB_TRY(power(p, i, &a)); /* at most 10 deep: i has half of the bits of k - 1 */
        HB_TRY(power(p, j, &b));
        HB_TRY(i != j ? power(p, i - j, &less) : HB_OK);
        HB_TRY(tensor(p, a, b, &product));
        const hb_exact_scale scale = p->plan->values[product].scale;
        HB_TRY(add_value(p, product, product, HB_PLUS)); /* twice */
        if (i == j) {
            HB_TRY(add_number(p, product, -1, scale));
        } else {
            HB_TRY(new_value(p, 2, (place){p->plan->values[product].limbs, scale}, &term));
            HB_TRY(multiple(p, term, less, 1, scale, p->plan->values[less].scale));
            HB_TRY(add_value(p, product, term, HB_MINUS));
        }
        HB_TRY(down(p, product, &p->power[k]));
    }
    *out = p->power[k];
    return HB_OK;
}

/* Returns the limbs of T_k. */
static uint32_t power_limbs(const planner *p, uint32_t k)
{
    return p->plan->limbs - p->own * ceil_log2(k);
}

/* --- parts of the polynomial */

static hb_status evaluate(planner *p, part x, place at, uint16_t *out);

/* Adds sum c_k T_k to *sum, which is made by the first term where it is NO_VALUE. */
static hb_status add_terms(planner *p, part x, place at, uint16_t *sum)
{
    for (uint32_t k = 1; k <= x.degree; k++) {
        uint16_t t, term;
        if (x.c[k] == 0) {
            continue;
        }
        HB_TRY(power(p, k, &t));
        HB_TRY(new_value(p, 2, at, &term));
        HB_TRY(multiple(p, term, t, x.c[k], at.scale, p->plan->values[t].scale));
        if (*sum == NO_VALUE) {
            *sum = term;
        } else {
            HB_TRY(add_value(p, *sum, term, HB_PLUS));
        }
    }
    if (*sum == NO_VALUE) {
        HB_TRY(new_value(p, 2, at, sum));
        HB_TRY(add_step(p, (hb_polynomial_step){.op = HB_POLYNOMIAL_CLEAR, .to = *sum, .a = NO_VALUE, .b = NO_VALUE}));
    }
    return x.c[0] != 0 ? add_number(p, *sum, x.c[0], at.scale) : HB_OK;
}

/* Adds the part, not rescaled, to *sum, or makes it. */
static hb_status add_part(planner *p, part x, place at, uint16_t *sum)
{
    while (x.degree > 0 && x.c[x.degree] == 0) {
        x.degree--;
    }
    if (x.degree <= 1 || (x.degree < p->baby && power_limbs(p, x.degree) >= at.limbs)) {
        return add_terms(p, x, at, sum);
    }
    const uint32_t g = (uint32_t)1 << (hb_bit_length(x.degree) - 1), high = x.degree - g;
    double c[HB_CHEBYSHEV_MOST_DEGREE + 1]; /* the quotient, then the rest: 2 T_g T_j = T_(g+j) + T_(g-j) */
    double *q = c, *r = c + high + 1;
    uint16_t t, quotient, product;
    memcpy(r, x.c, g * sizeof *r);
    q[0] = x.c[g];
    for (uint32_t j = 1; j <= high; j++) {
        q[j] = 2 * x.c[g + j];
        r[g - j] -= x.c[g + j];
    }
    HB_TRY(power(p, g, &t));
    const place above = {at.limbs, hb_exact_scale_divide(at.scale, p->plan->values[t].scale)};
    HB_TRY(evaluate(p, (part){q, high}, above, &quotient));
    HB_TRY(tensor(p, quotient, t, &product));
    if (*sum == NO_VALUE) {
        *sum = product;
    } else {
        HB_TRY(add_value(p, *sum, product, HB_PLUS));
    }
    return add_part(p, (part){r, g - 1}, at, sum);
}

/* Evaluates a part at that level and scale: made one level above. */
static hb_status evaluate(planner *p, part x, place at, uint16_t *out)
{
    const uint32_t limbs = at.limbs + p->own;
    uint16_t sum = NO_VALUE;
    HB_TRY(add_part(p, x, (place){limbs, hb_exact_scale_multiply(at.scale, hb_ckks_divisor(&p->params->spec, limbs))},
                    &sum));
    return down(p, sum, out);
}

/* --- the whole */

static hb_status plan_with(hb_polynomial_plan *plan, const hb_params *params, uint32_t limbs, part whole, uint32_t baby)
{
    planner p = {.plan = plan, .params = params, .own = hb_params_level_limbs(params), .baby = baby};
    uint16_t out;
    *plan = (hb_polynomial_plan){.limbs = limbs, .baby = baby, .levels = ceil_log2(whole.degree + 1)};
    memset(p.power, 0xff, sizeof p.power); /* NO_VALUE */
    HB_TRY(new_value(&p, 2, (place){limbs, hb_ckks_scale(params, limbs)}, &p.power[1]));
    const uint32_t below = limbs - p.own * plan->levels;
    return evaluate(&p, whole, (place){below, hb_ckks_scale(params, below)}, &out);
}

/* Returns what a plan costs, about: transforms of one limb, 16 each, and limbs that are read or written. */
static uint64_t cost_of(const hb_polynomial_plan *plan, const hb_params *params)
{
    enum { TRANSFORM = 16 };
    uint64_t cost = 0;
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const hb_polynomial_step *step = &plan->steps[i];
        const hb_polynomial_value *to = &plan->values[step->to];
        const uint64_t all = (uint64_t)to->size * to->limbs;
        switch (step->op) {
        case HB_POLYNOMIAL_TENSOR:
            cost += 7 * (uint64_t)to->limbs;
            break;
        case HB_POLYNOMIAL_DOWN: {
            const hb_polynomial_value *a = &plan->values[step->a];
            const uint64_t digits = a->size == 3 ? params->gadget.levels[a->limbs].digits : 0;
            const uint64_t wide = a->limbs + params->special_limbs;
            cost += TRANSFORM * (2 * (uint64_t)a->limbs + (digits > 0 ? a->limbs + (digits + 2) * wide : 0)) +
                    3 * digits * wide;
            break;
        }
        default:
            cost += (step->op == HB_POLYNOMIAL_ADD ? 3 : 2) * all;
            break;
        }
    }
    return cost;
}

/* Values that are there at the same time get different places: each the first that is free. */
static void place_values(hb_polynomial_plan *plan)
{
    for (uint32_t i = 0; i < plan->value_count; i++) {
        hb_polynomial_value *v = &plan->values[i];
        v->offset = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (uint32_t j = 0; j < i; j++) {
                const hb_polynomial_value *other = &plan->values[j];
                const bool both = other->last >= v->first && v->last >= other->first;
                if (both && other->offset < v->offset + v->words && v->offset < other->offset + other->words) {
                    v->offset = other->offset + other->words;
                    moved = true;
                }
            }
        }
        plan->words = v->offset + v->words > plan->words ? v->offset + v->words : plan->words;
    }
}

static hb_status make_residues(hb_polynomial_plan *plan, const hb_params *params)
{
    plan->residues = calloc((size_t)plan->step_count * plan->limbs, sizeof *plan->residues);
    if (plan->residues == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the numbers of a polynomial");
    }
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const hb_polynomial_step *step = &plan->steps[i];
        if (step->op == HB_POLYNOMIAL_MULTIPLE || step->op == HB_POLYNOMIAL_ADD_NUMBER) {
            HB_TRY(hb_ckks_residues(params, plan->residues + (size_t)i * plan->limbs, plan->values[step->to].limbs,
                                    step->number, step->over, step->under));
        }
    }
    return HB_OK;
}

/* Of one scale for all levels, that of T_k departs from it about k times as far as a prime does. */
static hb_status check_scales(const hb_polynomial_plan *plan, const hb_params *params)
{
    const double scale = hb_exact_scale_log2(plan->values[0].scale);
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const hb_polynomial_step *step = &plan->steps[i];
        if (step->op == HB_POLYNOMIAL_DOWN && fabs(hb_exact_scale_log2(plan->values[step->to].scale) - scale) > 1) {
            return HB_FAIL(HB_ECONFIG,
                           "the primes of parameters %s are too far from their scale for this polynomial: a power "
                           "would have a scale of 2^%.1f in the place of 2^%.1f",
                           params->name, hb_exact_scale_log2(plan->values[step->to].scale), scale);
        }
    }
    return HB_OK;
}

/* Returns HB_EUSAGE unless the polynomial can be evaluated; *whole is it without zeros at its end. */
static hb_status check_polynomial(const hb_chebyshev *polynomial, part *whole)
{
    if (polynomial->degree > HB_CHEBYSHEV_MOST_DEGREE) {
        return HB_FAIL(HB_EUSAGE, "a polynomial of degree %u; the longest is of degree %d", polynomial->degree,
                       HB_CHEBYSHEV_MOST_DEGREE);
    }
    *whole = (part){polynomial->coefficients, polynomial->degree};
    for (uint32_t k = 0; k <= whole->degree; k++) {
        if (!isfinite(whole->c[k])) {
            return HB_FAIL(HB_EUSAGE, "coefficient %u of a polynomial is no number", k);
        }
    }
    whole->degree = hb_chebyshev_degree(polynomial);
    return whole->degree > 0 ? HB_OK
                             : HB_FAIL(HB_EUSAGE, "a polynomial that is a constant: nothing encrypted is in it");
}

static hb_status cheapest(uint32_t *baby, const hb_params *params, uint32_t limbs, part whole)
{
    uint64_t least = UINT64_MAX;
    hb_status st = HB_OK;
    for (uint32_t b = 2; st == HB_OK && b <= 2 * whole.degree; b *= 2) {
        hb_polynomial_plan plan;
        st = plan_with(&plan, params, limbs, whole, b);
        if (st == HB_OK && cost_of(&plan, params) < least) {
            least = cost_of(&plan, params);
            *baby = b;
        }
        hb_polynomial_plan_clear(&plan);
    }
    return st;
}

hb_status hb_polynomial_plan_init(hb_polynomial_plan *plan, const hb_params *params, uint32_t limbs,
                                  const hb_chebyshev *polynomial, uint32_t baby)
{
    part whole = {polynomial->coefficients, 0};
    *plan = (hb_polynomial_plan){.limbs = limbs};
    HB_TRY(check_polynomial(polynomial, &whole));
    const uint32_t levels = ceil_log2(whole.degree + 1), own = hb_params_level_limbs(params);
    if (limbs < own * (levels + 1)) {
        return HB_FAIL(HB_EDATA, "a polynomial of degree %u takes %u levels, and there are %u", whole.degree, levels,
                       limbs / own - 1);
    }
    if (baby == 0) {
        HB_TRY(cheapest(&baby, params, limbs, whole));
    }
    HB_TRY(plan_with(plan, params, limbs, whole, baby));
    HB_TRY(check_scales(plan, params));
    place_values(plan);
    return make_residues(plan, params);
}

void hb_polynomial_plan_clear(hb_polynomial_plan *plan)
{
    free(plan->steps);
    free(plan->values);
    free(plan->residues);
    memset(plan, 0, sizeof *plan);
}
