/* The constants of one level of a modulus chain that every scheme needs. */
#ifndef HB_RLWE_LEVEL_H
#define HB_RLWE_LEVEL_H

#include "ring/basis.h"
#include "ring/engine.h"
#include "ring/garner.h"

typedef struct hb_level {
    hb_basis basis; /* limbs: 0 where the level does not exist */
    hb_garner garner;
    hb_drop_last drop_last; /* unused with one limb */
    /* Key switching at this level: its limbs and the special prime; unused where the parameters have none. */
    uint16_t switch_ids[HB_MAX_LIMBS];      /* [limbs + 1] */
    hb_drop_last drop_special;              /* of those */
    uint64_t inverse_last[HB_MAX_LIMBS];    /* what drop_last points to */
    uint64_t inverse_special[HB_MAX_LIMBS]; /* what drop_special points to */
} hb_level;

/* Makes the level of the first `limbs` of the ids[chain_limbs], of which the last one is the special prime of levels
 * below it. *level is zeroed before, and stays so where the product of its primes does not exceed `above`. ring is
 * borrowed. The caller clears it whatever happens. HB_ENOMEM. */
hb_status hb_level_init(hb_level *level, const hb_ring *ring, const uint16_t *ids, uint32_t chain_limbs, uint32_t limbs,
                        const hb_natural *above);
void hb_level_clear(hb_level *level);

#endif
