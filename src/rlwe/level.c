#include "level.h"

#include <string.h>

#include "base/modarith.h"

static hb_drop_last drop_of(const hb_level *level, uint16_t id, uint32_t limbs, uint64_t *inverse)
{
    const uint64_t p = level->basis.ring->moduli[id].value;
    for (uint32_t i = 0; i < limbs; i++) {
        inverse[i] = hb_mod_inverse(p, hb_basis_modulus(&level->basis, i));
    }
    return (hb_drop_last){id, p / 2, inverse};
}

hb_status hb_level_init(hb_level *level, const hb_ring *ring, const uint16_t *ids, uint32_t chain_limbs, uint32_t limbs,
                        const hb_natural *above)
{
    HB_TRY(hb_basis_init(&level->basis, ring, ids, limbs));
    if (hb_natural_compare(&level->basis.product, above) <= 0) {
        memset(level, 0, sizeof *level);
        return HB_OK;
    }
    HB_TRY(hb_garner_init(&level->garner, &level->basis));
    level->drop_last = drop_of(level, ids[limbs - 1], limbs - 1, level->inverse_last);
    if (limbs < chain_limbs) {
        memcpy(level->switch_ids, ids, limbs * sizeof *ids);
        level->switch_ids[limbs] = ids[chain_limbs - 1];
        level->drop_special = drop_of(level, ids[chain_limbs - 1], limbs, level->inverse_special);
    }
    return HB_OK;
}

void hb_level_clear(hb_level *level)
{
    hb_garner_clear(&level->garner);
    memset(level, 0, sizeof *level);
}
