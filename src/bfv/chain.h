/* The rule by which chains of integers that bootstrap are chosen: int-16's, for other numbers of users' primes and
 * other forms. */
#ifndef HB_BFV_CHAIN_H
#define HB_BFV_CHAIN_H

#include "rlwe/params.h"

/* The free choices. */
typedef struct hb_bfv_chain {
    uint32_t user_limbs; /* primes of users' ciphertexts, 50 bits each; 2 or more */
    hb_eval_mod eval_mod;
} hb_bfv_chain;

/* The bits of each prime of users. */
enum { HB_BFV_USER_PRIME_BITS = 50 };

/* Completes a literal, whose n is set, with the scheme, bootstrapping, digits and primes of such a chain; t stays as it
 * is. Primes are found in this order: special ones, the largest below 2^50; those of users, likewise; 3 of 40 bits for
 * the maps to coefficients; those of 48 bits that undo the sine, as many as the form has levels for it; EvalMod's, the
 * largest below 2^49.999; 3 of 48 bits for the maps to slots. There are three digits, of as many primes as there are
 * special ones; where these are not 6 bits longer than a digit of users' primes, there is one special prime more, and
 * all are the nearest to so many bits as that takes. All are = 1 mod 2^17, and mod 2^18 for N = 2^17. HB_ECONFIG for
 * fewer than 2 primes of users, and for more primes than a chain can have; hb_bfv_params_open checks the rest. */
hb_status hb_bfv_choose_chain(hb_params_spec *spec, const hb_bfv_chain *chain);

#endif
