/* The building blocks of error bounds, in every scheme (bfv/noise.c, ckks/error.c): numbers kept as logarithms to the
 * base 2, the small errors of keys and ciphertexts, the digits of key switching. Pure functions. */
#ifndef HB_RLWE_BOUNDS_H
#define HB_RLWE_BOUNDS_H

#include "params.h"

/* Bits that every bound is raised by, against rounding of logarithms below 2^12, whose last place is 2^-41. */
#define HB_BOUND_SLACK 0x1p-32

/* Returns log2(2^a + 2^b), without overflow. */
double hb_log_sum(double a, double b);
/* Returns log2 of the root of the sum of squares: independent errors add their variances. */
double hb_log_root(double a, double b);

/* Return the largest magnitude and the variance of the small errors (ring/engine.h). */
double hb_error_bound(hb_distribution errors);
double hb_error_variance(hb_distribution errors);

/* Returns log2 of the product of the first `limbs` primes. */
double hb_log_modulus(const hb_params *params, uint32_t limbs);
/* Returns the product of the first special primes; 1 of none. Infinite above 2^1023. */
double hb_special_product(const hb_params *params, uint32_t primes);
/* Returns the most by which the rounded quotient by `primes` primes differs from the exact one (ring/mod_down.h). */
double hb_division_error(uint32_t primes);

/* Returns the largest magnitude of coefficients of digit j of key switching, at the level of `limbs` limbs, over P: q_j
 * for digits that are residues; w D_j / 2 for centred digits, which are sums of w words within D_j / 2. D_j is the
 * product of the digit's w primes. */
double hb_digit_bound(const hb_params *params, uint32_t j, uint32_t limbs);

#endif
