/* The front end of the operations of BFV. Every member has t and gamma. */
#include "bfv_ops.h"

#include "local.h"
#include "shape.h"

/* Checks the shapes that both operations on plaintexts share: the plaintext has one limb, modulo t. */
static void check_plain(const hb_engine *e, hb_batch r, hb_batch plain, uint16_t plain_id)
{
    hb_require_shape(e, r);
    hb_require_shape(e, plain);
    HB_ASSERT(plain.limbs == 1 && plain.ids[0] == plain_id);
}

hb_status hb_add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants, hb_sign sign)
{
    check_plain(e, r, plain, constants->plain_id);
    /* A plaintext alone serves all ciphertexts. */
    HB_ASSERT(plain.count == r.count || plain.count == 1);
    hb_local here;
    uint64_t delta[HB_MAX_LIMBS];
    hb_scale_plain cut = *constants;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    /* The factors of the limbs that are here; the rest of the constants is common to all. */
    cut.delta = hb_local_table(&here, constants->delta, delta);
    return here.engine->ops->bfv->add_scaled_plain(here.engine, hb_local_view(&here, r), plain, &cut, sign);
}

hb_status hb_lift_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants)
{
    check_plain(e, r, plain, constants->plain_id);
    /* Every limb of r is made of the same words of the plaintext: they may not be overwritten by the first. */
    HB_ASSERT(plain.count == r.count && (r.data != plain.data || r.count == 0));
    hb_local here;
    if (!hb_local_of(&here, e, r)) {
        return HB_OK;
    }
    return here.engine->ops->bfv->lift_plain(here.engine, hb_local_view(&here, r), plain, constants);
}

hb_status hb_gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants)
{
    hb_require_shape(e, r);
    hb_require_shape(e, a);
    HB_ASSERT(a.limbs == 2 && a.ids[0] == constants->plain_id && a.ids[1] == constants->gamma_id);
    HB_ASSERT(r.limbs == 1 && r.ids[0] == constants->plain_id && r.count == a.count);
    hb_local here;
    /* Every member has t: there always is something to do. */
    (void)hb_local_of(&here, e, r);
    return here.engine->ops->bfv->gamma_correct(here.engine, r, a, constants);
}
