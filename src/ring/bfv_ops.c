/* The front end of the operations of BFV. */
#include "bfv_ops.h"

#include "shape.h"

static void check_plain(const hb_engine *e, hb_batch r, hb_batch plain, uint16_t plain_id)
{
    hb_require_shape(e, r);
    hb_require_shape(e, plain);
    HB_ASSERT(plain.limbs == 1 && plain.ids[0] == plain_id);
}

hb_status hb_add_scaled_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_scale_plain *constants, hb_sign sign)
{
    check_plain(e, r, plain, constants->plain_id);
    HB_ASSERT(plain.count == r.count || plain.count == 1);
    return e->ops->bfv->add_scaled_plain(e, r, plain, constants, sign);
}

hb_status hb_lift_plain(hb_engine *e, hb_batch r, hb_batch plain, const hb_plain_lift *constants)
{
    check_plain(e, r, plain, constants->plain_id);
    HB_ASSERT(plain.count == r.count && (r.data != plain.data || r.count == 0));
    return e->ops->bfv->lift_plain(e, r, plain, constants);
}

hb_status hb_gamma_correct(hb_engine *e, hb_batch r, hb_batch a, const hb_gamma_correction *constants)
{
    hb_require_shape(e, r);
    hb_require_shape(e, a);
    HB_ASSERT(a.limbs == 2 && a.ids[0] == constants->plain_id && a.ids[1] == constants->gamma_id);
    HB_ASSERT(r.limbs == 1 && r.ids[0] == constants->plain_id && r.count == a.count);
    return e->ops->bfv->gamma_correct(e, r, a, constants);
}
