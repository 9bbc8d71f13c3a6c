#include "stage.h"

#include <math.h>

static hb_quality quality_of(const hb_stage *s, hb_quality operand)
{
    const hb_quality_factor factor = {operand, 2, s->values, false};
    hb_quality quality = {.worst = HUGE_VAL, .expected = HUGE_VAL};
    (void)hb_quality_polynomial(s->params, s->limbs, factor, s->polynomial, s->error, &quality);
    return quality;
}

/* Returns log2(2^a + 2^b). */
static double added(double a, double b)
{
    const double most = fmax(a, b), least = fmin(a, b);
    return isfinite(most) ? most + log2(1 + exp2(least - most)) : most;
}

static hb_quality with_error(hb_quality quality, double error)
{
    quality.norm = added(hb_quality_known_norm(quality), error);
    quality.worst = added(quality.worst, error);
    return quality;
}

/* Returns the bounds for an operand whose real part is exact. Errors of steps go through polynomials of complex values,
 * of no higher degree than the stage's. */
static hb_quality quality_off_reals(const hb_stage *s, uint32_t powers)
{
    const hb_quality exact = {.powers = powers};
    const uint32_t limbs = s->limbs - hb_params_level_limbs(s->params) * hb_chebyshev_levels(s->polynomial);
    hb_stage itself = *s;
    itself.error = 0;
    hb_quality quality = quality_of(s, exact);
    if (s->growth > 1) {
        quality = with_error(quality, quality_of(&itself, exact).worst + log2(s->growth - 1));
    }
    return s->drift > 0 ? with_error(quality, log2(s->drift) + hb_quality_bits(s->params, limbs, 0)) : quality;
}

hb_quality hb_stage_quality(const hb_stage *s, hb_quality operand)
{
    const double worst = hb_error_value_at(s->params, s->limbs, operand.worst);
    const double likely = hb_error_value_at(s->params, s->limbs, operand.expected + hb_quality_margin(s->params));
    if (s->margin > 0 && worst <= s->margin && isfinite(s->drift)) {
        return quality_off_reals(s, operand.powers);
    }
    hb_quality quality = quality_of(s, operand);
    if (!isfinite(s->drift)) {
        quality.worst = quality.norm = HUGE_VAL;
    }
    if (s->margin > 0 && likely <= s->margin) {
        const hb_quality kept = quality_of(s, (hb_quality){.powers = operand.powers});
        quality.expected = kept.expected;
        quality.even = kept.even;
        quality.peak = kept.peak;
        quality.common = kept.common;
        quality.systematic = kept.systematic;
    }
    return quality;
}
