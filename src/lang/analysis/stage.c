#include "stage.h"

#include <math.h>

static hb_quality quality_of(const hb_stage *s, hb_quality operand)
{
    const hb_quality_factor factor = {operand, 2, s->values, false};
    hb_quality quality = {.worst = HUGE_VAL, .expected = HUGE_VAL};
    (void)hb_quality_polynomial(s->params, s->limbs, factor, s->polynomial, s->error, &quality);
    return quality;
}

static hb_quality with_drift(const hb_stage *s, hb_quality quality)
{
    const uint32_t limbs = s->limbs - hb_params_level_limbs(s->params) * hb_chebyshev_levels(s->polynomial);
    const double drift = s->drift * exp2(hb_quality_bits(s->params, limbs, 0));
    if (drift > 0) {
        quality.norm = log2(exp2(hb_quality_known_norm(quality)) + drift);
        quality.worst = log2(exp2(quality.worst) + drift);
    }
    return quality;
}

hb_quality hb_stage_quality(const hb_stage *s, hb_quality operand)
{
    const hb_quality exact = {.powers = operand.powers};
    const double worst = hb_error_value_at(s->params, s->limbs, operand.worst);
    const double likely = hb_error_value_at(s->params, s->limbs, operand.expected + hb_quality_margin(s->params));
    if (s->margin > 0 && worst <= s->margin && isfinite(s->drift)) {
        return with_drift(s, quality_of(s, exact));
    }
    hb_quality quality = quality_of(s, operand);
    if (!isfinite(s->drift)) {
        quality.worst = quality.norm = HUGE_VAL;
    }
    if (s->margin > 0 && likely <= s->margin) {
        const hb_quality kept = quality_of(s, exact);
        quality.expected = kept.expected;
        quality.even = kept.even;
        quality.peak = kept.peak;
        quality.common = kept.common;
        quality.systematic = kept.systematic;
    }
    return quality;
}
