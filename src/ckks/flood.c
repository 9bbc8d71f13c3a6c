#include "flood.h"

#include <inttypes.h>
#include <math.h>

#include "base/cell.h"
#include "base/gaussian.h"
#include "base/outward.h"
#include "error.h"
#include "rlwe/bounds.h"

/* 2^(s / 2), s = 30 bits of statistical security. */
static const double statistical_bits = 15;

/* A slot of the noise has variance N sigma^2, and the largest of N/2 comes to hb_error_tail deviations; a bit more than
 * that, 4 deviations in all, so that a rounded value is seldom off by more than its last bit. */
static double noise_in_slots(const hb_params *params, double log2_sigma)
{
    const double n = (double)params->spec.n;
    return log2_sigma + log2(n) / 2 + log2(fmax(hb_error_tail(params), 4));
}

hb_status hb_ckks_flood_plan(const hb_params *params, uint32_t limbs, hb_quality quality, uint64_t results,
                             hb_flood *out)
{
    HB_ASSERT(results >= 1);
    const double sigma = log2(12 * (double)results) / 2 + statistical_bits + hb_quality_known_norm(quality);
    const double left = hb_error_bits(params, limbs, hb_log_sum(quality.worst, noise_in_slots(params, sigma)));
    const double sigma_most = log2(HB_WIDE_GAUSSIAN_MOST);
    if (!(left >= HB_FLOOD_LEAST_BITS) || sigma > sigma_most) {
        return HB_FAIL(HB_EDATA,
                       "noise that hides the error of %" PRIu64
                       " results is too large: %.1f bits more of scale, fewer results, or fewer products before them "
                       "leave the %d bits of precision that are needed",
                       results, hb_decimal_up(fmax(HB_FLOOD_LEAST_BITS - left, sigma - sigma_most), 1),
                       HB_FLOOD_LEAST_BITS);
    }
    *out = (hb_flood){exp2(sigma), (int)floor(left)};
    return HB_OK;
}

void hb_ckks_flood_round(const hb_flood *flood, uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = hb_real_word(ldexp(rint(ldexp(hb_real_of(values[i]), flood->bits)), -flood->bits));
    }
}
