/* Primes of a chain that is chosen by rules, run by run. */
#ifndef HB_BOOTSTRAPPING_CHAIN_PRIMES_H
#define HB_BOOTSTRAPPING_CHAIN_PRIMES_H

#include "rlwe/params.h"

/* Primes that follow one another in a chain and are found by one rule: the nearest to a target in (2^32, most], nearest
 * first, of two equally near the smaller. Where target and most are one, they are the largest. */
typedef struct hb_prime_run {
    uint64_t target, most; /* most < 2^61 */
    uint32_t count;
} hb_prime_run;

/* Returns the rule for the largest primes of so many bits, 33 to 60. */
hb_prime_run hb_prime_run_longest(uint32_t bits, uint32_t count);
/* Returns what primes of chains for rings of n are 1 modulo: 2^17, so that any two rings of up to 2^16 have the same
 * primes and tests of small ones run the real chains; 2^18 for larger ones. */
uint64_t hb_prime_run_step(size_t n);
/* Adds a run to the end of a chain, and to the primes that no other run may have. HB_ECONFIG: there are too few. */
hb_status hb_prime_run_take(hb_params_spec *chain, hb_params_spec *taken, uint64_t step, hb_prime_run run);

#endif
