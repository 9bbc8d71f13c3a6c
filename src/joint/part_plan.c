#include "part_plan.h"

#include <inttypes.h>
#include <math.h>

#include "rlwe/bounds.h"
#include "scheme/quality.h"

/* Returns log2 of the largest noise that the parts of so many owners add: that of the parts; roundings of values in
 * slots that are no cell, which are within 1/2 and times t within (t + 1) / 2; u e_r and e s of a receiver. */
static double log_added(const hb_params *params, const hb_part_plan *plan, uint32_t owners, uint32_t receiving)
{
    const double t = (double)params->spec.bfv.plain, n = (double)params->spec.n;
    const double flood = log2(t) + hb_exact_flood_most(plan->flood);
    const double rest = (t + 1) / 2 + t * 2 * HB_KEY_ERROR_BOUND * n * receiving;
    return log2(owners) + hb_log_sum(flood, log2(rest));
}

/* The noise v of any ciphertext is bounded by 2 t or more, for rounding alone makes as much. So V is at most 2^(worst +
 * 1) / t, u below worst - log2 t + 2, t times the magnitude of a part's noise below 2^(worst + w + 2) (1 + 2^-w), and
 * the rest, which is smaller than that of one part, and the bit that has to be left take less than two bits more. So it
 * is for any receiver: N is 2^17 at most, and owners are 64, so u e_r and e s are below t 2^29, and a part's noise is
 * t 2^(u + w) and more, w above 40. */
double hb_part_budget(const hb_params *params)
{
    const hb_joint_spec *joint = &params->spec.joint;
    if (joint->owners < 2) {
        return 0;
    }
    const uint32_t w =
        hb_exact_flood_least_width(log2((double)params->spec.n) + log2((double)joint->results), HB_PART_DISTANCE_BITS);
    return w <= HB_PART_MOST_WIDTH ? log2(hb_spec_threshold(&params->spec)) + w + 4 : INFINITY;
}

hb_status hb_part_plan_make(const hb_params *params, uint32_t limbs, double noise_worst, uint32_t owners,
                            uint64_t results, uint32_t receiving, hb_part_plan *out)
{
    const double coefficients = log2((double)params->spec.n) + log2((double)results);
    HB_ASSERT(params->spec.scheme == HB_BFV && owners >= 1 && owners <= HB_MOST_OWNERS && receiving <= HB_MOST_OWNERS);
    if (results == 0) {
        return HB_FAIL(HB_EUSAGE, "parts of no results");
    }
    if (!(noise_worst <= 64.0 * HB_MAX_LIMBS)) { /* more than any chain has, or no number; u is made of it */
        return HB_FAIL(HB_EDATA, "noise of %g bits: there are no parts that hide it", noise_worst);
    }
    hb_part_plan plan = {.flood = {hb_exact_flood_least_shift(noise_worst, params->spec.bfv.plain),
                                   hb_exact_flood_least_width(coefficients, HB_PART_DISTANCE_BITS)}};
    if (plan.flood.w > HB_PART_MOST_WIDTH) {
        return HB_FAIL(HB_EUSAGE,
                       "%" PRIu64 " results under joint keys with N = %zu need noise of more than %d bits: promise "
                       "fewer",
                       results, params->spec.n, HB_PART_MOST_WIDTH);
    }
    plan.distance = hb_exact_flood_distance(coefficients, plan.flood.w);
    plan.worst = hb_log_sum(noise_worst, log_added(params, &plan, owners, receiving)) + HB_BOUND_SLACK;
    if (receiving > 0) { /* as the receiver's dataset says it: rounding up must not take the last bit */
        plan.worst = hb_quality_from_file(hb_quality_to_file(plan.worst));
    }
    const double before = hb_quality_bits(params, limbs, noise_worst),
                 after = hb_quality_bits(params, limbs, plan.worst);
    if (!(after >= 1)) {
        return HB_FAIL(HB_EDATA, "parts of %" PRIu32 " owners need %.0f bits of noise budget, and %.0f are left",
                       owners, before - after + 1, fmax(before, 0));
    }
    *out = plan;
    return HB_OK;
}
