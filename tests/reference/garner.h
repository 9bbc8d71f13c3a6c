/* Mixed-radix digits of one number, with 128-bit sums, as the engines' hb_garner_digits computes them for batches. */
#ifndef HB_TESTS_GARNER_H
#define HB_TESTS_GARNER_H

#include "base/modarith.h"
#include "ring/garner.h"

/* digits[0 .. limbs) of the number with these residues; digits may be residues. */
static inline void garner_digits(const hb_garner *garner, const uint64_t *residues, uint64_t *digits)
{
    const uint32_t limbs = garner->basis->limbs;
    for (uint32_t i = 0; i < limbs; i++) {
        const hb_modulus *m = &garner->basis->ring->moduli[garner->basis->ids[i]];
        const uint64_t *radix = &garner->radix[(size_t)i * limbs];
        hb_u128 known = 0; /* i < 64 terms below 2^61 * 2^61: less than 2^128 */
        for (uint32_t j = 0; j < i; j++) {
            known += (hb_u128)digits[j] * radix[j];
        }
        const uint64_t rest = hb_mod_sub(residues[i], hb_mod_reduce_wide(known, m), m);
        digits[i] = hb_mod_mul(rest, garner->inverse[i], m);
    }
}

#endif
