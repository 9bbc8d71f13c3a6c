/* CKKS's named parameter sets, and the rule by which primes are chosen. */
#ifndef HB_CKKS_PRESETS_H
#define HB_CKKS_PRESETS_H

#include "params.h"

/* Gets preset i, from 0: its name ("ckks-14" ...) and its literal, either of which may be NULL. Returns false after the
 * last one. Names live as long as the program. */
bool hb_ckks_preset(size_t i, const char **name, hb_params_spec *spec);

/* What is chosen of a chain of our own family. */
typedef struct hb_ckks_chain {
    uint32_t first_bits;    /* of q_0, 2 .. 50 */
    uint32_t scale_bits;    /* of the scale, and of the primes of levels, below 50 */
    uint32_t levels;        /* that products go down: primes q_1 .. q_levels */
    uint32_t special_limbs; /* special primes, and primes of a digit; 1 or more */
} hb_ckks_chain;

/* Completes a literal, whose n is set, with the scheme, scale, digits and primes of such a chain. Special primes are
 * the largest below 2^50, descending; q_0 is the largest that is left below 2^first_bits; then come the nearest to
 * 2^scale_bits, nearest first, of two as near the smaller. All are = 1 mod 2^17, and mod 2^18 for N = 2^17: so any two
 * rings have the same primes, and tests of small ones run the real chains. HB_ECONFIG where a number is out of range or
 * there are too few such primes; hb_ckks_params_open checks the rest. */
hb_status hb_ckks_find_chain(hb_params_spec *spec, const hb_ckks_chain *chain);

#endif
