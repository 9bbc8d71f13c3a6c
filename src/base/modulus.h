/* One modulus with its reduction constants, which are const after hb_modulus_init. modarith.h has the arithmetic. */
#ifndef HB_BASE_MODULUS_H
#define HB_BASE_MODULUS_H

#include <stdint.h>

#include "status.h"

/* Sums of two residues, and the correction of lazy results below 4m, stay below 2^63. */
#define HB_MODULUS_MAX_BITS 61
#define HB_F64_MAX_BITS 50 /* primes below 2^50 take the FP64 path; the range argument is in modarith.h */

/* A modulus m and the constants of reduction by it. It is plain data: engines copy it to the memory of a GPU. */
typedef struct hb_modulus {
    uint64_t value;      /* m, 2 <= m < 2^61 */
    uint64_t barrett_hi; /* floor(2^128 / m) for 128-bit Barrett reduction: its high word */
    uint64_t barrett_lo; /* and its low word */
    double f64_value;    /* m as a double; exact whenever bits <= 53 */
    double f64_inverse;  /* 1/m, rounded to nearest */
    uint32_t bits;       /* bit length of m; a packed residue has the bit length of m - 1 */
    uint32_t f64;        /* 1 if residues mod m may be handled by the FP64 path */
} hb_modulus;

/* Fills *m for any value in [2, 2^61); HB_ECONFIG otherwise, and *m is unchanged. It does not test for primality.
 * Rank-local. */
hb_status hb_modulus_init(hb_modulus *m, uint64_t value);

/* Returns base^exponent mod m, in [0, m), for any base. Host only; variable time, so never on secrets. */
uint64_t hb_mod_pow(uint64_t base, uint64_t exponent, const hb_modulus *m);

/* Returns 1/a mod m, in [1, m), for a coprime to m (m prime or not); 0 when they share a factor. Host only; variable
 * time. */
uint64_t hb_mod_inverse(uint64_t a, const hb_modulus *m);

#endif
