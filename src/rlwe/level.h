/* The constants of one level of a modulus chain that every scheme needs. */
#ifndef HB_RLWE_LEVEL_H
#define HB_RLWE_LEVEL_H

#include "ring/basis.h"
#include "ring/engine.h"
#include "ring/garner.h"
#include "ring/mod_down.h"

typedef struct hb_level {
    hb_basis basis; /* limbs: 0 where the level does not exist */
    hb_garner garner;
    hb_mod_down rescale; /* by the last primes, those that the level owns; unused where none would be left */
} hb_level;

/* Makes the level of ids[limbs], of which it owns the last `own`, 1 or more; several are above 2^32. *level is zeroed
 * before, and stays so where the product of its primes does not exceed `above`. ring and ids are borrowed. The caller
 * clears it whatever happens. HB_ENOMEM. */
hb_status hb_level_init(hb_level *level, const hb_ring *ring, const uint16_t *ids, uint32_t limbs, uint32_t own,
                        const hb_natural *above);
void hb_level_clear(hb_level *level);

#endif
