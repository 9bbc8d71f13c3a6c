/* Which stages of a transform reduce. Bounds are multiples of the modulus. */
#include "base/modarith.h"
#include "ntt.h"

/* Of the pass that begins at stage s. A stage 0 alone reduces nothing whatever is planned: forward it need not, and
 * inverse its sums go into a product. */
static uint32_t stages_of(const hb_cpu_ntt *t, uint32_t s)
{
    return s >= t->outer || (s == 0 && t->outer % 2 == 1) ? 1 : 2;
}

/* Words that no stage reduces grow by 4 m a stage, and are below m before (ntt_u64.c). */
static void plan_integer(hb_cpu_ntt *t)
{
    const bool lazy = 4 * (uint64_t)t->log_n + 1 <= UINT64_MAX / t->modulus.value;
    for (uint32_t s = t->outer % 2; s < t->log_n; s += stages_of(t, s)) {
        t->reductions[s] = lazy ? 0 : (uint8_t)stages_of(t, s);
        t->inverse_reductions[s] = (uint8_t)stages_of(t, s);
    }
}

/* What one stage makes of `bound` (ntt_f64.c). */
static double forward_bound(double bound, double p, bool reduce)
{
    const double product = 0.5 + bound * p / (2 * HB_F64_TWO52);
    return product + (reduce ? 0.5 + 1 / p : bound);
}

static double inverse_bound(double bound, double p, bool reduce)
{
    const double product = 0.5 + 2 * bound * p / (2 * HB_F64_TWO52);
    const double sum = reduce ? 0.5 + 1 / p : 2 * bound;
    return sum > product ? sum : product;
}

/* As few reductions as keep a pass of `stages` stages in range, in the stages that run last. */
static uint8_t plan_pass(double *bound, double p, uint32_t stages, double (*next)(double, double, bool), double room)
{
    for (uint8_t reductions = 0; reductions <= stages; reductions++) {
        double b = *bound;
        bool fits = true;
        for (uint32_t k = 0; k < stages; k++) {
            b = next(b, p, k + reductions >= stages);
            fits = fits && b * p < room;
        }
        if (fits) {
            *bound = b;
            return reductions;
        }
    }
    HB_ASSERT(false);
    return 0;
}

static void plan_f64(hb_cpu_ntt *t)
{
    const double p = t->modulus.f64_value;
    double bound = 1;
    for (uint32_t s = 0; s < t->log_n; s += stages_of(t, s)) {
        t->reductions[s] = plan_pass(&bound, p, stages_of(t, s), forward_bound, HB_F64_TWO52);
    }
    bound = 1;
    for (uint32_t s = t->log_n; s > 0;) {
        const uint32_t stages = s > t->outer || s == 1 ? 1 : 2;
        s -= stages;
        t->inverse_reductions[s] = plan_pass(&bound, p, stages, inverse_bound, HB_F64_TWO52 / 2);
    }
}

void hb_cpu_ntt_plan(hb_cpu_ntt *t)
{
    if (t->transform->planes == 2) {
        plan_integer(t);
    } else {
        plan_f64(t);
    }
}
