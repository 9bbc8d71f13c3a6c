#include "polynomial_sums.h"

#include <stdlib.h>

#include "polynomial_planner.h"

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
    case HB_POLYNOMIAL_DOWN:
        break;
    }
    return false;
}

/* Finds what the sum of the value that step `end` brings down is made of; false: it is no such sum. */
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

hb_status hb_polynomial_find_sums(hb_polynomial_plan *plan)
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
