#include "composition.h"

#include <math.h>

hb_composition_outlook hb_composition_look(const hb_params *params, uint32_t limbs, hb_approximations *found,
                                           const hb_approximation *f)
{
    const uint32_t own = hb_params_level_limbs(params);
    hb_composition_outlook out = {.expected = HUGE_VAL};
    out.fits = limbs >= own * (hb_approximation_depth(f) + 1);
    if (!out.fits) {
        return out;
    }
    hb_quality quality = {.powers = 1};
    hb_drift_stage stages[HB_DRIFT_MOST_STAGES];
    hb_drift drift = {.kept = true};
    HB_ASSERT(f->stages <= HB_DRIFT_MOST_STAGES);
    for (uint32_t i = 0; i < f->stages; i++) {
        const bool last = i + 1 == f->stages;
        const double off = i > 0 ? hb_error_value_at(params, limbs, quality.worst) : 0;
        stages[i] = (hb_drift_stage){&f->stage[i], off, i > 0 ? f->margin[i - 1] : 0};
        if (i == 1) {
            /* Nothing was computed with the first operand, or little: it is less off than the first stage is by its
             * evaluation. Whether the result is proven is seen when errors are known (sign_drift.h). */
            stages[0].off = off / 16;
        }
        if (drift.kept && i > 0) {
            drift = hb_approximations_drift(found, stages, i + 1, last ? f->gap / f->high : 0);
        }
        const hb_stage stage = {.params = params,
                                .limbs = limbs,
                                .polynomial = &f->stage[i],
                                .error = last ? f->error : 0,
                                .margin = stages[i].margin,
                                .drift = !drift.kept ? HUGE_VAL
                                         : last      ? drift.beside
                                                     : 0,
                                .growth = drift.growth};
        quality = hb_stage_quality(&stage, quality);
        limbs -= own * hb_chebyshev_levels(&f->stage[i]);
    }
    out.kept = drift.kept;
    out.expected = hb_error_value_at(params, limbs, quality.expected);
    return out;
}

static uint32_t longest_stage(const hb_approximation *f)
{
    uint32_t degree = 0;
    for (uint32_t i = 0; i < f->stages; i++) {
        degree = f->stage[i].degree > degree ? f->stage[i].degree : degree;
    }
    return degree;
}

hb_status hb_composition_choose(const hb_params *params, uint32_t limbs, hb_approximations *found,
                                const hb_approximation_request *request, hb_approximation *out, bool *longer)
{
    static const uint32_t most[] = {63, 31, 15, 7};
    HB_TRY(hb_approximations_find(found, out, request, most[0]));
    hb_composition_outlook best = hb_composition_look(params, limbs, found, out);
    const uint32_t depth = hb_approximation_depth(out);
    uint32_t longest = longest_stage(out);
    for (size_t i = 1; best.fits && !best.kept && i < sizeof most / sizeof *most; i++) {
        if (longest <= most[i]) {
            continue; /* it would be the same again */
        }
        hb_approximation other;
        const hb_status st = hb_approximations_find(found, &other, request, most[i]);
        const hb_composition_outlook outlook =
            st == HB_OK ? hb_composition_look(params, limbs, found, &other) : (hb_composition_outlook){.fits = false};
        if (outlook.fits && (outlook.kept || outlook.expected < best.expected)) {
            const hb_approximation worse = *out;
            *out = other;
            other = worse;
            best = outlook;
        }
        longest = most[i];
        hb_approximation_clear(&other);
        if (st == HB_ENOMEM) {
            return st;
        }
    }
    *longer = hb_approximation_depth(out) > depth;
    return HB_OK;
}
