/* Noise of an exact distribution that hides the noise of ciphertexts (hb_add_exact_flood), and what it proves.
 *
 * Let a phase x differ from round(Q m / t) by at most V. Every coefficient of
 *
 *     F = 2^u (A - B) + U - 2^(u - 1),  A and B of w uniform bits, U of u, V <= 2^u,
 *
 * is below 2^(u + w) in magnitude. A shift by at most V carries from U into A - B with a probability of at most 1 and
 * leaves the low part uniform. The squared Hellinger distance of A - B and A - B + 1 is 4^-w times the sum of (sqrt(m +
 * 1) - sqrt m)^2 over m < 2^w, at most h = (1 + (1 + w ln 2) / 4) / 4^w. It adds up over coefficients, also where
 * ciphertexts are chosen in view of earlier ones. So of C coefficients x + F is within sqrt(2 C h), in statistical
 * distance, of a function of the message alone. Distributions are exact: all bits of F are random bits.
 *
 * All functions are pure. */
#ifndef HB_RLWE_EXACT_FLOOD_H
#define HB_RLWE_EXACT_FLOOD_H

#include "ring/sample_ops.h"

/* Returns the least u that hides noise of at most 2^noise_worst under the plain modulus t: of V = 2^noise_worst / t +
 * 2, of which the roundings of a second message are a part. 1 or more. */
uint32_t hb_exact_flood_least_shift(double noise_worst, uint64_t t);
/* Returns log2 of the bound of the distance, of 2^log_coefficients coefficients together. */
double hb_exact_flood_distance(double log_coefficients, uint32_t w);
/* Returns the least w, no less than `bits`, whose distance is at most 2^-bits; it may be above
 * HB_EXACT_FLOOD_MOST_WIDTH. */
uint32_t hb_exact_flood_least_width(double log_coefficients, uint32_t bits);
/* Returns log2 of a bound of the magnitude of F. */
double hb_exact_flood_most(hb_exact_flood flood);

#endif
