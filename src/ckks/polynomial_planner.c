/* T_k is made of T_i and T_j, i the largest power of two below k, i + j = k: T_k = 2 T_i T_j - T_(i-j), so it is as
 * many levels below x as a balanced product of k factors is. A polynomial of degree d is split by g, the largest power
 * of two up to d, into q T_g + r: q is evaluated one level below its own products, so that it meets T_g without
 * rounding, and r is added to the product before anything is relinearized or rescaled. Degrees below `baby` are sums of
 * multiples of T_k where these are there at that level. (M. Paterson, L. Stockmeyer, SIAM J. Comput. 2, 1973; in the
 * Chebyshev basis: H. Chen, I. Chillotti, Y. Song, EUROCRYPT 2019; levels: J.-P. Bossuat et al., EUROCRYPT 2021.) */
#include "polynomial_planner.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/modarith.h"
#include "evaluator_private.h"
#include "polynomial_plan.h"
#include "rlwe/evaluator_build.h"

/* --- steps of polynomials as sums */

/* Returns whether a step changes or makes a value between two others. */
static bool is_made_between(const hb_polynomial_plan *plan, uint16_t value, uint32_t first, uint32_t end)
{
    for (uint32_t s = first + 1; s < end; s++) {
        if (plan->steps[s].to == value) {
            return true;
        }
    }
    return false;
}

/* Adds a product or a multiple, made by step s, to a sum that step `end` takes; false: there is no room, or an operand
 * has changed by then. */
static bool add_operand(const hb_polynomial_plan *plan, hb_polynomial_sum *sum, uint32_t s, hb_sign sign, uint32_t end)
{
    const hb_polynomial_step *step = &plan->steps[s];
    if (step->op == HB_POLYNOMIAL_MULTIPLE) {
        sum->sign[sum->multiples] = sign;
        sum->multiple[sum->multiples] = (uint16_t)s;
        return ++sum->multiples < HB_SUM_MULTIPLES && !is_made_between(plan, step->a, s, end);
    }
    /* All products are doubled, or none. */
    if (step->op != HB_POLYNOMIAL_TENSOR || sign != HB_PLUS || sum->twice) {
        return false;
    }
    sum->product[sum->products] = (uint16_t)s;
    return ++sum->products < HB_SUM_PRODUCTS && !is_made_between(plan, step->a, s, end) &&
           !is_made_between(plan, step->b, s, end);
}

/* Returns the one step that makes a value which nothing but step s reads; HB_NO_VALUE: it is none. */
static uint16_t maker_of(const hb_polynomial_plan *plan, uint16_t value, uint32_t s)
{
    const hb_polynomial_value *v = &plan->values[value];
    const bool made_once =
        value != 0 && plan->steps[v->first].to == value && !is_made_between(plan, value, v->first, s);
    for (uint32_t i = v->first + 1; i < s; i++) {
        if (plan->steps[i].a == value || plan->steps[i].b == value) {
            return HB_NO_VALUE;
        }
    }
    return made_once && v->last == s ? (uint16_t)v->first : HB_NO_VALUE;
}

/* Takes step s, which makes or changes the value that step `end` brings down, into the sum; false: that cannot be. */
static bool take_step(const hb_polynomial_plan *plan, hb_polynomial_sum *sum, uint32_t s, uint32_t end)
{
    const hb_polynomial_step *step = &plan->steps[s];
    switch (step->op) {
    case HB_POLYNOMIAL_TENSOR:
    case HB_POLYNOMIAL_MULTIPLE:
        return add_operand(plan, sum, s, HB_PLUS, end);
    case HB_POLYNOMIAL_ADD: {
        if (step->a == step->to) {
            const bool alone = !sum->twice && sum->multiples == 0 && sum->number == HB_NO_VALUE;
            sum->twice = true;
            return alone && step->sign == HB_PLUS;
        }
        const uint16_t maker = maker_of(plan, step->a, s);
        return maker != HB_NO_VALUE && add_operand(plan, sum, maker, step->sign, end);
    }
    case HB_POLYNOMIAL_ADD_NUMBER: {
        const bool first = sum->number == HB_NO_VALUE;
        sum->number = (uint16_t)s;
        return first;
    }
    case HB_POLYNOMIAL_CLEAR:
    case HB_POLYNOMIAL_TURN:
    case HB_POLYNOMIAL_DOWN:
        break;
    }
    return false;
}

/* Finds the terms of the sum that step `end` brings down; false: it is no such sum. */
static bool find(const hb_polynomial_plan *plan, hb_polynomial_sum *sum, uint32_t end)
{
    const uint16_t value = plan->steps[end].a;
    *sum = (hb_polynomial_sum){.step = (uint16_t)end, .number = HB_NO_VALUE};
    if (value == 0 || plan->values[value].last != end) {
        return false;
    }
    for (uint32_t s = 0; s < end; s++) {
        const hb_polynomial_step *step = &plan->steps[s];
        const bool read = step->to != value && (step->a == value || step->b == value);
        if (read || (step->to == value && !take_step(plan, sum, s, end))) {
            return false;
        }
    }
    return sum->products + sum->multiples > 0;
}

/* Values that step s reads stay until the sum is made. */
static void keep(hb_polynomial_plan *plan, uint32_t s, uint32_t end)
{
    const uint16_t read[] = {plan->steps[s].a, plan->steps[s].b};
    for (int i = 0; i < 2; i++) {
        if (read[i] != HB_NO_VALUE && plan->values[read[i]].last < end) {
            plan->values[read[i]].last = end;
        }
    }
}

/* The steps of the sum are absorbed. Values that they make, other than that of the sum, need no place. */
static void absorb(hb_polynomial_plan *plan, const hb_polynomial_sum *sum)
{
    const uint32_t end = sum->step;
    const uint16_t value = plan->steps[end].a;
    for (uint32_t i = 0; i < (uint32_t)sum->products + sum->multiples; i++) {
        const uint16_t s = i < sum->products ? sum->product[i] : sum->multiple[i - sum->products];
        plan->steps[s].absorbed = true;
        keep(plan, s, end);
        if (plan->steps[s].to != value) {
            plan->values[plan->steps[s].to].words = 0;
        }
    }
    for (uint32_t s = 0; s < end; s++) {
        plan->steps[s].absorbed = plan->steps[s].absorbed || plan->steps[s].to == value;
    }
    plan->values[value].first = end;
}

/* Finds the sums: of each value that is brought down, if all of its steps can wait until then. These steps are
 * absorbed: their operands stay until then, and their intermediate results need no place. Comes before places are
 * found. HB_ENOMEM. */
static hb_status polynomial_find_sums(hb_polynomial_plan *plan)
{
    plan->sums = calloc(plan->step_count, sizeof *plan->sums);
    if (plan->sums == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the sums of a polynomial");
    }
    for (uint32_t end = 0; end < plan->step_count; end++) {
        hb_polynomial_sum *sum = &plan->sums[plan->sum_count];
        if (plan->steps[end].op == HB_POLYNOMIAL_DOWN && find(plan, sum, end)) {
            absorb(plan, sum);
            plan->sum_count++;
        }
    }
    return HB_OK;
}

/* --- plans */

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

static hb_status new_value(hb_polynomial_planner *p, uint32_t size, hb_polynomial_place at, uint16_t *out)
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

static hb_status add_step(hb_polynomial_planner *p, hb_polynomial_step step)
{
    hb_polynomial_plan *plan = p->plan;
    void *steps = plan->steps;
    const hb_status st = room(&steps, &plan->step_room, plan->step_count, sizeof *plan->steps);
    plan->steps = steps;
    HB_TRY(st);
    const uint16_t values[] = {step.to, step.a, step.b};
    for (int i = 0; i < 3; i++) {
        if (values[i] != HB_NO_VALUE) {
            plan->values[values[i]].last = plan->step_count;
        }
    }
    plan->steps[plan->step_count++] = step;
    return HB_OK;
}

hb_status hb_polynomial_planner_add(hb_polynomial_planner *p, uint16_t to, uint16_t a, hb_sign sign)
{
    return add_step(p, (hb_polynomial_step){.op = HB_POLYNOMIAL_ADD, .to = to, .a = a, .b = HB_NO_VALUE, .sign = sign});
}

hb_status hb_polynomial_planner_add_number(hb_polynomial_planner *p, uint16_t to, double numerator,
                                           uint32_t denominator, hb_exact_scale scale)
{
    return add_step(p, (hb_polynomial_step){.op = HB_POLYNOMIAL_ADD_NUMBER,
                                            .to = to,
                                            .a = HB_NO_VALUE,
                                            .b = HB_NO_VALUE,
                                            .number = numerator / denominator,
                                            .numerator = numerator,
                                            .over = scale,
                                            .under = hb_exact_scale_of(denominator)});
}

hb_status hb_polynomial_planner_turn(hb_polynomial_planner *p, uint16_t to)
{
    return add_step(p, (hb_polynomial_step){.op = HB_POLYNOMIAL_TURN, .to = to, .a = HB_NO_VALUE, .b = HB_NO_VALUE});
}

hb_status hb_polynomial_planner_multiple(hb_polynomial_planner *p, uint16_t a, double number, hb_polynomial_place at,
                                         uint16_t *out)
{
    HB_TRY(new_value(p, 2, at, out));
    return add_step(p, (hb_polynomial_step){.op = HB_POLYNOMIAL_MULTIPLE,
                                            .to = *out,
                                            .a = a,
                                            .b = HB_NO_VALUE,
                                            .number = number,
                                            .numerator = number,
                                            .over = at.scale,
                                            .under = p->plan->values[a].scale});
}

hb_status hb_polynomial_planner_tensor(hb_polynomial_planner *p, uint16_t a, uint16_t b, uint16_t *out)
{
    const hb_polynomial_value *x = &p->plan->values[a], *y = &p->plan->values[b];
    const hb_polynomial_place at = {x->limbs < y->limbs ? x->limbs : y->limbs,
                                    hb_exact_scale_multiply(x->scale, y->scale)};
    HB_TRY(new_value(p, 3, at, out));
    p->plan->products++;
    return add_step(p, (hb_polynomial_step){.op = HB_POLYNOMIAL_TENSOR, .to = *out, .a = a, .b = b});
}

hb_status hb_polynomial_planner_down(hb_polynomial_planner *p, uint16_t a, double factor, uint16_t *out)
{
    const hb_polynomial_value *x = &p->plan->values[a];
    const hb_exact_scale scale = hb_exact_scale_divide(x->scale, hb_ckks_divisor(&p->params->spec, x->limbs));
    const hb_polynomial_place at = {
        x->limbs - p->own, factor == 1 ? scale : hb_exact_scale_divide(scale, hb_exact_scale_of_double(factor))};
    HB_TRY(new_value(p, 2, at, out));
    return add_step(
        p, (hb_polynomial_step){.op = HB_POLYNOMIAL_DOWN, .to = *out, .a = a, .b = HB_NO_VALUE, .number = factor});
}

hb_status hb_polynomial_planner_begin(hb_polynomial_planner *p, hb_polynomial_plan *plan, const hb_params *params,
                                      hb_polynomial_place x, uint32_t baby)
{
    *plan = (hb_polynomial_plan){.limbs = x.limbs, .baby = baby};
    p->plan = plan;
    p->params = params;
    p->own = hb_params_level_limbs(params);
    uint16_t first;
    HB_TRY(new_value(p, 2, x, &first));
    hb_polynomial_planner_operand(p, first);
    return HB_OK;
}

void hb_polynomial_planner_operand(hb_polynomial_planner *p, uint16_t x)
{
    memset(p->power, 0xff, sizeof p->power); /* HB_NO_VALUE */
    p->power[1] = x;
}

/* --- powers */

static hb_status power(hb_polynomial_planner *p, uint32_t k, uint16_t *out)
{
    if (p->power[k] == HB_NO_VALUE) {
        const uint32_t i = (uint32_t)1 << (ceil_log2(k) - 1), j = k - i;
        uint16_t a, b, less, product, term;
        HB_TRY(power(p, i, &a)); /* at most 10 deep: i has half of the bits of k - 1 */
        HB_TRY(power(p, j, &b));
        if (i != j) {
            HB_TRY(power(p, i - j, &less));
        }
        HB_TRY(hb_polynomial_planner_tensor(p, a, b, &product));
        const hb_polynomial_place at = {p->plan->values[product].limbs, p->plan->values[product].scale};
        HB_TRY(hb_polynomial_planner_add(p, product, product, HB_PLUS)); /* twice */
        if (i == j) {
            HB_TRY(hb_polynomial_planner_add_number(p, product, -1, 1, at.scale));
        } else {
            HB_TRY(hb_polynomial_planner_multiple(p, less, 1, at, &term));
            HB_TRY(hb_polynomial_planner_add(p, product, term, HB_MINUS));
        }
        HB_TRY(hb_polynomial_planner_down(p, product, 1, &p->power[k]));
    }
    *out = p->power[k];
    return HB_OK;
}

/* Returns the limbs of T_k. */
static uint32_t power_limbs(const hb_polynomial_planner *p, uint32_t k)
{
    return p->plan->values[p->power[1]].limbs - p->own * ceil_log2(k);
}

/* --- parts of the polynomial */

/* Adds sum c_k T_k to *sum, which is made by the first term where it is HB_NO_VALUE. */
static hb_status add_terms(hb_polynomial_planner *p, hb_polynomial_part x, hb_polynomial_place at, uint16_t *sum)
{
    for (uint32_t k = 1; k <= x.degree; k++) {
        uint16_t t, term;
        if (x.c[k] == 0) {
            continue;
        }
        HB_TRY(power(p, k, &t));
        HB_TRY(hb_polynomial_planner_multiple(p, t, x.c[k], at, &term));
        if (*sum == HB_NO_VALUE) {
            *sum = term;
        } else {
            HB_TRY(hb_polynomial_planner_add(p, *sum, term, HB_PLUS));
        }
    }
    if (*sum == HB_NO_VALUE) {
        HB_TRY(new_value(p, 2, at, sum));
        HB_TRY(add_step(
            p, (hb_polynomial_step){.op = HB_POLYNOMIAL_CLEAR, .to = *sum, .a = HB_NO_VALUE, .b = HB_NO_VALUE}));
    }
    return x.c[0] != 0 ? hb_polynomial_planner_add_number(p, *sum, x.c[0], 1, at.scale) : HB_OK;
}

/* Adds the part, not rescaled, to *sum, or makes it. */
static hb_status add_part(hb_polynomial_planner *p, hb_polynomial_part x, hb_polynomial_place at, uint16_t *sum)
{
    while (x.degree > 0 && x.c[x.degree] == 0) {
        x.degree--;
    }
    if (x.degree <= 1 || (x.degree < p->plan->baby && power_limbs(p, x.degree) >= at.limbs)) {
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
    const hb_polynomial_place above = {at.limbs, hb_exact_scale_divide(at.scale, p->plan->values[t].scale)};
    HB_TRY(hb_polynomial_planner_evaluate(p, (hb_polynomial_part){q, high}, above, &quotient));
    HB_TRY(hb_polynomial_planner_tensor(p, quotient, t, &product));
    if (*sum == HB_NO_VALUE) {
        *sum = product;
    } else {
        HB_TRY(hb_polynomial_planner_add(p, *sum, product, HB_PLUS));
    }
    return add_part(p, (hb_polynomial_part){r, g - 1}, at, sum);
}

hb_status hb_polynomial_planner_evaluate(hb_polynomial_planner *p, hb_polynomial_part x, hb_polynomial_place at,
                                         uint16_t *out)
{
    const uint32_t limbs = at.limbs + p->own;
    uint16_t sum = HB_NO_VALUE;
    HB_TRY(add_part(
        p, x, (hb_polynomial_place){limbs, hb_exact_scale_multiply(at.scale, hb_ckks_divisor(&p->params->spec, limbs))},
        &sum));
    return hb_polynomial_planner_down(p, sum, 1, out);
}

/* --- places and residues */

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

/* Negates the numbers of multiples that sums subtract. */
static void negate_multiples(const hb_polynomial_plan *plan, const hb_params *params)
{
    for (uint32_t i = 0; i < plan->sum_count; i++) {
        const hb_polynomial_sum *sum = &plan->sums[i];
        for (uint32_t t = 0; t < sum->multiples; t++) {
            uint64_t *residues = plan->residues + (size_t)sum->multiple[t] * plan->limbs;
            for (uint32_t l = 0; sum->sign[t] == HB_MINUS && l < plan->limbs; l++) {
                residues[l] = hb_mod_negate(residues[l], &params->ring.moduli[params->ids[l]]);
            }
        }
    }
}

hb_status hb_polynomial_planner_finish(hb_polynomial_planner *p)
{
    hb_polynomial_plan *plan = p->plan;
    const hb_params *params = p->params;
    HB_TRY(polynomial_find_sums(plan));
    place_values(plan);
    plan->residues = calloc((size_t)plan->step_count * plan->limbs, sizeof *plan->residues);
    if (plan->residues == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the numbers of a polynomial");
    }
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const hb_polynomial_step *step = &plan->steps[i];
        if (step->op == HB_POLYNOMIAL_MULTIPLE || step->op == HB_POLYNOMIAL_ADD_NUMBER) {
            HB_TRY(hb_ckks_residues(params, plan->residues + (size_t)i * plan->limbs, plan->values[step->to].limbs,
                                    step->numerator, step->over, step->under));
        }
    }
    negate_multiples(plan, params);
    return HB_OK;
}
