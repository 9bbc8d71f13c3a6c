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

enum { AT_ONCE = 8 }; /* digits: what a GPU has too little to do for by itself */

/* Converts digits first .. first + count - 1, at most AT_ONCE. */
static hb_status convert_some(hb_engine *e, hb_batch r, const hb_mod_up_operands *x, uint32_t first, uint32_t count)
{
    hb_limb_address limb_addresses[AT_ONCE][HB_MAX_LIMBS];
    hb_base_conversion conversion[AT_ONCE];
    hb_batch to[AT_ONCE], from[AT_ONCE];
    for (uint32_t i = 0; i < count; i++) {
        const hb_mod_up *up = &x->up[first + i];
        conversion[i] = hb_mod_up_conversion(up, x->scaled);
        to[i] = hb_mod_up_others(e, hb_mod_up_digit(r, x->digits, first + i), up, limb_addresses[i]);
        from[i] = hb_batch_limbs(e, x->a, up->first, up->limbs);
    }
    return hb_base_convert_each(e, to, from, conversion, count);
}

hb_status hb_mod_up_convert(hb_engine *e, hb_batch r, const hb_mod_up_operands *x)
{
    for (uint32_t first = 0; first < x->digits; first += AT_ONCE) {
        const uint32_t left = x->digits - first;
        HB_TRY(convert_some(e, r, x, first, left < AT_ONCE ? left : AT_ONCE));
    }
    return HB_OK;
}

/* The digits' own limbs are their residues already. */
static hb_status copy_own(hb_engine *e, hb_batch r, const hb_mod_up_operands *x)
{
    for (uint32_t j = 0; x->own.data != NULL && j < x->digits; j++) {
        const hb_mod_up *up = &x->up[j];
        HB_TRY(hb_copy(e, hb_batch_limbs(e, hb_mod_up_digit(r, x->digits, j), up->first, up->limbs),
                       hb_batch_limbs(e, x->own, up->first, up->limbs)));
    }
    return HB_OK;
}

hb_status hb_mod_up_apply(hb_engine *e, hb_batch r, hb_batch a, hb_batch own, const hb_mod_up *up)
{
    const hb_mod_up_operands one = {.a = a, .own = own, .up = up, .digits = 1};
    HB_ASSERT(r.limbs == up->limbs + up->others && a.limbs >= up->first + up->limbs && r.count == a.count);
    HB_TRY(hb_mod_up_convert(e, r, &one));
    return copy_own(e, r, &one);
}

/* All conversions go before all transforms: a GPU has more to do at a time. */
static hb_status each_digit(hb_engine *e, hb_batch r, const hb_mod_up_operands *x)
{
    hb_limb_range own[HB_MAX_LIMBS];
    HB_TRY(hb_mod_up_convert(e, r, x));
    HB_TRY(copy_own(e, r, x));
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
    HB_ASSERT(!x->scaled || x->own.data != x->a.data || r.count == 0);
    if (r.count == 0) {
        return HB_OK;
    }
    return e->ops->products->mod_up_digits != NULL ? e->ops->products->mod_up_digits(e, r, x) : each_digit(e, r, x);
}
