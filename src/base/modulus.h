/* One modulus with its reduction constants. Arithmetic on it: modarith.h. */
#ifndef HB_BASE_MODULUS_H
#define HB_BASE_MODULUS_H

#include <stdint.h>

#include "status.h"

#define HB_MODULUS_MAX_BITS 61
#define HB_F64_MAX_BITS 50 /* primes below 2^50 take the FP64 path; the range argument is in modarith.h */

typedef struct hb_modulus {
    uint64_t value;      /* m, 2 <= m < 2^61 */
    uint64_t barrett_hi; /* floor(2^128 / m), high word ... */
    uint64_t barrett_lo; /* ... and low word: 128-bit Barrett reduction */
    double f64_value;    /* m as a double; exact whenever bits <= 53 */
    double f64_inverse;  /* 1/m, rounded to nearest */
    uint32_t bits;       /* bit length of m: width of a packed residue is that of m - 1 */
    uint32_t f64;        /* 1 if residues mod m may be handled by the FP64 path */
} hb_modulus;

/* Fills *m for any value in [2, 2^61); HB_ECONFIG otherwise. Primality is not looked at. Rank-local. */
hb_status hb_modulus_init(hb_modulus *m, uint64_t value);

/* base^exponent mod m; any base. Host only; variable time. */
uint64_t hb_mod_pow(uint64_t base, uint64_t exponent, const hb_modulus *m);

/* 1/a mod m for a coprime to m (any m, prime or not), in [1, m); 0 when they share a factor. Host only; variable time.
 */
uint64_t hb_mod_inverse(uint64_t a, const hb_modulus *m);

#endif
