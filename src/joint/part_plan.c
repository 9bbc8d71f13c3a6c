#include "part_plan.h"

#include <inttypes.h>
#include <math.h>

#include "rlwe/bounds.h"
#include "scheme/quality.h"

/* Returns log2 of h. */
static double log_hellinger(uint32_t w)
{
    return log2(1 + (1 + w * log(2)) / 4) - 2.0 * w;
}

/* Returns log2 of sqrt(2 coefficients h). */
static double log_distance(double log_coefficients, uint32_t w)
{
    return (1 + log_coefficients + log_hellinger(w)) / 2;
}

/* Returns log2 of the largest noise of a sum of parts: v, the noise of the parts, and roundings of values in slots that
 * are no cell, which are within 1/2 and times t within (t + 1) / 2. */
static double log_combined(double noise_worst, double t, uint32_t owners, const hb_part_plan *plan)
{
    const double floods = log2(t * owners) + hb_log_sum((double)plan->u + plan->w, plan->u);
    return hb_log_sum(hb_log_sum(noise_worst, floods), log2(owners * (t + 1) / 2)) + HB_BOUND_SLACK;
}

hb_status hb_part_plan_make(const hb_params *params, uint32_t limbs, double noise_worst, uint32_t owners,
                            uint64_t results, hb_part_plan *out)
{
    const double t = (double)params->spec.bfv.plain;
    const double coefficients = log2((double)params->spec.n) + log2((double)results);
    HB_ASSERT(params->spec.scheme == HB_BFV && owners >= 1 && owners <= HB_MOST_OWNERS);
    if (results == 0) {
        return HB_FAIL(HB_EUSAGE, "parts of no results");
    }
    hb_part_plan plan = {.u = (uint32_t)ceil(hb_log_sum(noise_worst - log2(t), 1)), .w = HB_PART_DISTANCE_BITS};
    while (log_distance(coefficients, plan.w) > -HB_PART_DISTANCE_BITS) {
        plan.w++;
    }
    if (plan.w > HB_PART_MOST_WIDTH) {
        return HB_FAIL(HB_EUSAGE,
                       "%" PRIu64 " results under joint keys with N = %zu need noise of more than %d bits: promise "
                       "fewer",
                       results, params->spec.n, HB_PART_MOST_WIDTH);
    }
    plan.distance = log_distance(coefficients, plan.w);
    plan.worst = log_combined(noise_worst, t, owners, &plan);
    const double before = hb_quality_bits(params, limbs, noise_worst),
                 after = hb_quality_bits(params, limbs, plan.worst);
    if (after < 1) {
        return HB_FAIL(HB_EDATA, "parts of %" PRIu32 " owners need %.0f bits of noise budget, and %.0f are left",
                       owners, before - after + 1, fmax(before, 0));
    }
    *out = plan;
    return HB_OK;
}
