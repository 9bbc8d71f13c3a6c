/* Between plaintext and ciphertext moduli, on the limbs that are here. Every member has t. */
#include "divided_private.h"
#include "ring/bfv_ops.h"

static hb_status add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants,
                                  hb_sign sign)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    uint64_t delta[HB_MAX_LIMBS];
    hb_scale_plain here = *constants;
    hb_own_limbs_pick(&s, constants->delta, delta);
    here.delta = delta;
    return s.limbs == 0 ? HB_OK
                        : hb_add_scaled_plain(hb_divided_of(e)->device, hb_on_device(&s, r), plain, &here, sign);
}

static hb_status lift_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants)
{
    const hb_own_limbs s = hb_own_limbs_here(e, r.ids, r.limbs);
    return s.limbs == 0 ? HB_OK : hb_lift_plain(hb_divided_of(e)->device, hb_on_device(&s, r), plain, constants);
}

/* Every member has t and gamma. */
static hb_status gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants)
{
    return hb_gamma_correct(hb_divided_of(e)->device, r, a, constants);
}

const hb_bfv_ops hb_divided_bfv_ops = {
    .add_scaled_plain = add_scaled_plain,
    .lift_plain = lift_plain,
    .gamma_correct = gamma_correct,
};
