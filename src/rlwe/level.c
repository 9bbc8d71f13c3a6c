#include "level.h"

#include <string.h>

hb_status hb_level_init(hb_level *level, const hb_ring *ring, const uint16_t *ids, uint32_t limbs, uint32_t own,
                        const hb_natural *above)
{
    HB_TRY(hb_basis_init(&level->basis, ring, ids, limbs));
    if (hb_natural_compare(&level->basis.product, above) <= 0) {
        memset(level, 0, sizeof *level);
        return HB_OK;
    }
    HB_TRY(hb_garner_init(&level->garner, &level->basis));
    return limbs <= own ? HB_OK : hb_mod_down_init(&level->rescale, ring, ids, limbs - own, own);
}

void hb_level_clear(hb_level *level)
{
    hb_garner_clear(&level->garner);
    hb_mod_down_clear(&level->rescale);
    memset(level, 0, sizeof *level);
}
