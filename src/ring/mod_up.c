#include "mod_up.h"

#include <string.h>

hb_status hb_mod_up_init(hb_mod_up *up, const hb_ring *ring, const uint16_t *ids, uint32_t all, uint32_t first,
                         uint32_t limbs)
{
    hb_basis digit;
    HB_ASSERT(all <= HB_MAX_LIMBS && limbs >= 1 && first < all && limbs < all && first + limbs <= all);
    *up = (hb_mod_up){.first = first, .limbs = limbs, .others = all - limbs};
    /* The list without the digit's own limbs. */
    memcpy(up->ids, ids, first * sizeof *ids);
    memcpy(up->ids + first, ids + first + limbs, (all - first - limbs) * sizeof *ids);
    HB_TRY(hb_basis_init(&digit, ring, ids + first, limbs));
    HB_TRY(hb_base_conversion_init_centred(&up->conversion, &digit, HB_OVERFLOW_CENTRED, up->ids, up->others));
    /* `digit` ends with this function: the conversion borrows the caller's list instead. */
    up->conversion.from_ids = ids + first;
    return HB_OK;
}

void hb_mod_up_clear(hb_mod_up *up)
{
    hb_base_conversion_clear(&up->conversion);
    memset(up, 0, sizeof *up);
}

hb_status hb_mod_up_apply(hb_engine *e, hb_batch r, hb_batch a, hb_batch own, const hb_mod_up *up)
{
    hb_limb_address limb_addresses[HB_MAX_LIMBS];
    HB_ASSERT(r.limbs == up->limbs + up->others && a.limbs >= up->first + up->limbs && r.count == a.count);
    HB_TRY(hb_base_convert(e, hb_mod_up_others(e, r, up, limb_addresses), hb_batch_limbs(e, a, up->first, up->limbs),
                           &up->conversion));
    if (own.data == NULL) {
        return HB_OK;
    }
    /* The digit's own limbs are its residues already. */
    return hb_copy(e, hb_batch_limbs(e, r, up->first, up->limbs), hb_batch_limbs(e, own, up->first, up->limbs));
}

/* Digit by digit. */
static hb_status each_digit(hb_engine *e, hb_batch r, const hb_mod_up_operands *x)
{
    hb_limb_range own[HB_MAX_LIMBS];
    for (uint32_t j = 0; j < x->digits; j++) {
        HB_TRY(hb_mod_up_apply(e, hb_mod_up_digit(r, x->digits, j), x->a, x->own, &x->up[j]));
    }
    /* All digits together: a GPU has more to do at a time. */
    hb_mod_up_own(x->up, x->digits, own);
    return x->transformed ? hb_ntt_except(e, r, x->digits, own) : hb_ntt(e, r);
}

hb_status hb_mod_up_digits(hb_engine *e, hb_batch r, const hb_mod_up_operands *x)
{
    HB_ASSERT(x->digits >= 1 && x->digits <= HB_MAX_LIMBS && r.count == x->a.count * x->digits);
    HB_ASSERT(x->up[0].first == 0 && r.limbs == x->up[0].limbs + x->up[0].others);
    for (uint32_t j = 1; j < x->digits; j++) {
        HB_ASSERT(x->up[j].first == x->up[j - 1].first + x->up[j - 1].limbs);
    }
    if (r.count == 0) {
        return HB_OK;
    }
    return e->ops->products->mod_up_digits != NULL ? e->ops->products->mod_up_digits(e, r, x) : each_digit(e, r, x);
}
