/* The parts that params.c puts together. */
#ifndef HB_BFV_PARAMS_PRIVATE_H
#define HB_BFV_PARAMS_PRIVATE_H

#include "params.h"

/* What the checks find out on their way. */
typedef struct hb_params_facts {
    uint32_t chain_bits; /* bits of the product of all primes */
    bool insecure;       /* the chain exceeds its row of the table, and spec->insecure allowed that */
} hb_params_facts;

/* Every check of a spec; nothing in it is trusted. HB_ECONFIG at the first that fails. */
hb_status hb_params_check(const hb_params_spec *spec, hb_params_facts *facts);

/* The prime = 1 mod step in [low, high] that is nearest to value and not in the chain; 0: there is none. step >= 1,
 * 2 <= low, high < 2^61. For the advice in refusals. */
uint64_t hb_params_nearest_prime(const hb_params_spec *spec, uint64_t value, uint64_t step, uint64_t low,
                                 uint64_t high);

/* Every table of the level of `limbs` limbs, on the ring and the ids of params. *level is zeroed before, and stays so
 * if Q does not exceed t. On failure clear it all the same. */
hb_status hb_level_init(hb_level *level, const hb_params *params, uint32_t limbs);
void hb_level_clear(hb_level *level);

#endif
