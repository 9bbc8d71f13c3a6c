#include "plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/outward.h"
#include "batch/unit/predicted.h"
#include "output/change_job.h"
#include "scheme/params.h"
#include "scheme/quality.h"

/* --- what is refused */

static hb_status check_dataset(const hb_params *params, const hb_header *header, const char *name)
{
    if (header->cells == HB_CELL_REAL) {
        return HB_FAIL(HB_EDATA,
                       "%s: encrypts reals: eval bootstraps these where levels run out; refresh is for integers", name);
    }
    if (!hb_params_can_bootstrap(params)) {
        return HB_FAIL(HB_EDATA,
                       "%s: its parameters, %s, have no levels for bootstrapping: encrypt under parameters called "
                       "int-... (hebatch params list)",
                       name, params->name);
    }
    if (header->kept > 0) {
        return HB_FAIL(HB_EDATA,
                       "%s: of its packed totals some coefficients alone are stored, and a pass reads all: refresh "
                       "the dataset that they were computed from",
                       name);
    }
    return header->noise_assumed
               ? HB_FAIL(HB_EDATA,
                         "%s: the bound of its noise is assumed, and a pass that relies on a wrong one loses the "
                         "message: re-encrypt it",
                         name)
               : HB_OK;
}

/* Says of which dataset a refusal is. */
static hb_status refuse(hb_status st, const hb_header *header, const char *name)
{
    const hb_error cause = *hb_last_error();
    if (st != HB_EDATA) {
        return HB_FAIL(st, "%s: %.600s", name, cause.text);
    }
    return HB_FAIL(HB_EDATA, "%s: %.600s: %s", name, cause.text,
                   header->past.computed_limbs > 0 ? "eval made it compact (eval --compact off)"
                                                   : "refresh earlier, before the last product");
}

static hb_status check_failure(const hb_params *params, const hb_header *header, const char *name,
                               hb_refresh_plan *plan)
{
    const uint64_t ciphertexts = header->ciphertexts * hb_spec_residues(&params->spec);
    plan->failure_bits = hb_quality_refresh_failure(params, plan->passes * fmax((double)ciphertexts, 1));
    return plan->failure_bits <= HB_QUALITY_MOST_FAILURE
               ? HB_OK
               : HB_FAIL(HB_EDATA,
                         "%s: %" PRIu32 " passes over %" PRIu64
                         " ciphertexts lose one of them with a probability of 2^%.1f, and more than 2^%d is refused: "
                         "take parameters whose passes cannot fail, as int-16-sure",
                         name, plan->passes, ciphertexts, hb_decimal_up(plan->failure_bits, 1),
                         HB_QUALITY_MOST_FAILURE);
}

/* --- the passes */

/* Returns the bits of budget that the bound leaves behind a pass, as the header would say them. */
static double bits_behind(const hb_params *params, hb_quality a)
{
    return hb_quality_bits(params, hb_params_fresh_limbs(params), hb_quality_from_file(hb_quality_to_file(a.worst)));
}

/* Adds passes until none is wanted, or one gives less than a bit. */
static hb_status add_passes(const hb_params *params, const hb_refresh_wish *wish, hb_refresh_plan *plan)
{
    const uint32_t most =
        wish->passes > 0 && wish->passes < HB_REFRESH_MOST_PASSES ? wish->passes : HB_REFRESH_MOST_PASSES;
    while (plan->passes < most) {
        uint32_t k;
        hb_quality behind = {.powers = 0}; /* what integers have not stays 0: it is in files */
        HB_TRY(hb_quality_refresh_bits(params, wish->certainty, plan->quality, &k));
        HB_TRY(hb_quality_refresh(params, wish->certainty, k, plan->quality, &behind));
        behind.certainty = hb_certainty_of_both(behind.certainty, plan->quality.certainty);
        const double bits = bits_behind(params, behind);
        if (bits < plan->bits[plan->passes] + 1) {
            break;
        }
        plan->quality = behind;
        plan->k[plan->passes] = k;
        plan->bits[++plan->passes] = bits;
    }
    return HB_OK;
}

static hb_status make_header(hb_header *header, const hb_params *params, const hb_header *old,
                             const hb_refresh_plan *plan, const uint8_t sum[HB_DIGEST_BYTES])
{
    HB_TRY(hb_change_header_begin(header, old));
    header->limbs = hb_params_fresh_limbs(params);
    header->past.computed_limbs = 0;
    hb_header_quality(header, plan->quality);
    hb_history_add(&header->past, HB_HISTORY_REFRESH, old->key_id, sum);
    return HB_OK;
}

hb_status hb_refresh_plan_make(const hb_params *params, const hb_header *old, const hb_refresh_wish *wish,
                               hb_header *header, hb_refresh_plan *plan)
{
    const uint32_t users = hb_params_fresh_limbs(params);
    *plan = (hb_refresh_plan){.passes = 0};
    HB_TRY(check_dataset(params, old, wish->name));
    const hb_quality noise = hb_predicted_quality(params, old);
    plan->quality = old->limbs < users ? hb_quality_extend(params, old->limbs, noise, users) : noise;
    plan->bits[0] =
        hb_quality_bits(params, users, hb_quality_bound(plan->quality, wish->certainty, hb_quality_margin(params)));
    plan->expected_before = hb_quality_bits(params, users, plan->quality.expected);
    const hb_status st = add_passes(params, wish, plan);
    if (st != HB_OK) {
        return refuse(st, old, wish->name);
    }
    if (plan->passes == 0) {
        const hb_predicted there = hb_predicted_budget(params, old); /* as info says it */
        return HB_FAIL(HB_EDATA,
                       "%s: has %.0f bits of noise budget (%s), to which a pass adds nothing: compute with it first",
                       wish->name, hb_decimal_down(there.worst, 0), hb_predicted_word(there));
    }
    plan->expected_behind = hb_quality_bits(params, users, plan->quality.expected);
    HB_TRY(check_failure(params, old, wish->name, plan));
    return make_header(header, params, old, plan, wish->sum);
}
