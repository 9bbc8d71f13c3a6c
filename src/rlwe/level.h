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
    hb_mod_down rescale; /* by the last primes, which the level owns; unused where none would be left */
} hb_level;

#endif
