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

/* Returns the limbs of r that are not the digit's, where they stand, as a scattered batch. */
static hb_batch others_of(const hb_engine *e, hb_batch r, const hb_mod_up *up,
                          hb_limb_address limb_addresses[HB_MAX_LIMBS])
{
    /* Memory has the limbs that are here only: positions are counted among those. */
    const uint32_t before = hb_limbs_here(e, r.ids, up->first), own = hb_limbs_here(e, r.ids + up->first, up->limbs);
    const uint32_t here = hb_limbs_here(e, up->ids, up->others);
    for (uint32_t l = 0; l < here; l++) {
        limb_addresses[l] = hb_batch_limb_address(e, r, l < before ? l : l + own);
    }
    return (hb_batch){.ids = up->ids, .limbs = up->others, .count = r.count, .limb_addresses = limb_addresses};
}

hb_status hb_mod_up_apply(hb_engine *e, hb_batch r, hb_batch a, hb_batch own, const hb_mod_up *up)
{
    hb_limb_address limb_addresses[HB_MAX_LIMBS];
    HB_ASSERT(r.limbs == up->limbs + up->others && a.limbs >= up->first + up->limbs && r.count == a.count);
    HB_TRY(hb_base_convert(e, others_of(e, r, up, limb_addresses), hb_batch_limbs(e, a, up->first, up->limbs),
                           &up->conversion));
    if (own.data == NULL) {
        return HB_OK;
    }
    /* The digit's own limbs are its residues already. */
    return hb_copy(e, hb_batch_limbs(e, r, up->first, up->limbs), hb_batch_limbs(e, own, up->first, up->limbs));
}
