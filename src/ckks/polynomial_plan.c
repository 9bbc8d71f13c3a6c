#include "polynomial_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "polynomial_planner.h"

static hb_status plan_with(hb_polynomial_planner *p, hb_polynomial_plan *plan, const hb_params *params, uint32_t limbs,
                           hb_polynomial_part whole, uint32_t baby)
{
    uint16_t out;
    HB_TRY(
        hb_polynomial_planner_begin(p, plan, params, (hb_polynomial_place){limbs, hb_ckks_scale(params, limbs)}, baby));
    plan->levels = hb_bit_length(whole.degree);
    const uint32_t below = limbs - p->own * plan->levels;
    return hb_polynomial_planner_evaluate(p, whole, (hb_polynomial_place){below, hb_ckks_scale(params, below)}, &out);
}

/* Returns the approximate cost of a plan: transforms of one limb, 16 each, and limbs that are read or written. */
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

/* Like SEAL's, that of T_k may depart from that of its level about k times as far as a prime does. */
static hb_status check_scales(const hb_polynomial_plan *plan, const hb_params *params)
{
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const hb_polynomial_step *step = &plan->steps[i];
        const hb_polynomial_value *to = &plan->values[step->to];
        const double scale = hb_exact_scale_log2(hb_ckks_scale(params, to->limbs));
        if (step->op == HB_POLYNOMIAL_DOWN && fabs(hb_exact_scale_log2(to->scale) - scale) > 1) {
            return HB_FAIL(HB_ECONFIG,
                           "the primes of parameters %s are too far from their scale for this polynomial: a power "
                           "would have a scale of 2^%.1f in the place of 2^%.1f",
                           params->name, hb_exact_scale_log2(to->scale), scale);
        }
    }
    return HB_OK;
}

/* Returns HB_EUSAGE unless the polynomial can be evaluated; *whole is it without zeros at its end. */
static hb_status check_polynomial(const hb_chebyshev *polynomial, hb_polynomial_part *whole)
{
    if (polynomial->degree > HB_CHEBYSHEV_MOST_DEGREE) {
        return HB_FAIL(HB_EUSAGE, "a polynomial of degree %u; the longest is of degree %d", polynomial->degree,
                       HB_CHEBYSHEV_MOST_DEGREE);
    }
    *whole = (hb_polynomial_part){polynomial->coefficients, polynomial->degree};
    for (uint32_t k = 0; k <= whole->degree; k++) {
        if (!isfinite(whole->c[k])) {
            return HB_FAIL(HB_EUSAGE, "coefficient %u of a polynomial is no number", k);
        }
    }
    whole->degree = hb_chebyshev_degree(polynomial);
    return whole->degree > 0 ? HB_OK
                             : HB_FAIL(HB_EUSAGE, "a polynomial that is a constant: nothing encrypted is in it");
}

static hb_status cheapest(uint32_t *baby, const hb_params *params, uint32_t limbs, hb_polynomial_part whole)
{
    uint64_t least = UINT64_MAX;
    hb_status st = HB_OK;
    for (uint32_t b = 2; st == HB_OK && b <= 2 * whole.degree; b *= 2) {
        hb_polynomial_plan plan;
        hb_polynomial_planner p;
        st = plan_with(&p, &plan, params, limbs, whole, b);
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
    hb_polynomial_part whole = {polynomial->coefficients, 0};
    *plan = (hb_polynomial_plan){.limbs = limbs};
    HB_TRY(check_polynomial(polynomial, &whole));
    const uint32_t levels = hb_bit_length(whole.degree), own = hb_params_level_limbs(params);
    if (limbs < own * (levels + 1)) {
        return HB_FAIL(HB_EDATA, "a polynomial of degree %u takes %u levels, and there are %u", whole.degree, levels,
                       limbs / own - 1);
    }
    if (baby == 0) {
        HB_TRY(cheapest(&baby, params, limbs, whole));
    }
    hb_polynomial_planner p;
    HB_TRY(plan_with(&p, plan, params, limbs, whole, baby));
    HB_TRY(check_scales(plan, params));
    return hb_polynomial_planner_finish(&p);
}

void hb_polynomial_plan_clear(hb_polynomial_plan *plan)
{
    free(plan->steps);
    free(plan->values);
    free(plan->residues);
    free(plan->sums);
    memset(plan, 0, sizeof *plan);
}
