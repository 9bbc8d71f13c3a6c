/* Noise of an exact distribution that hides the noise of ciphertexts, and what it proves.
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
 * The first four functions are pure. */
#ifndef HB_RLWE_EXACT_FLOOD_H
#define HB_RLWE_EXACT_FLOOD_H

#include "base/seed.h"
#include "params.h"

#define HB_EXACT_FLOOD_MOST_WIDTH 62 /* A - B + 2^w is below 2^63 */

typedef struct hb_exact_flood {
    uint32_t u, w; /* u: 1 or more; w: 1 .. HB_EXACT_FLOOD_MOST_WIDTH */
} hb_exact_flood;

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

/* Adds such noise, on one queue. */
typedef struct hb_exact_flooder hb_exact_flooder;

/* Opens a flooder for polynomials modulo the first `limbs` primes, up to max_count at a time; borrows engine and
 * params. HB_ENOMEM. Closing wipes its memory; NULL is allowed. */
hb_status hb_exact_flooder_open(hb_engine *engine, const hb_params *params, uint32_t limbs, hb_exact_flood flood,
                                size_t max_count, hb_exact_flooder **out);
void hb_exact_flooder_close(hb_exact_flooder *flooder);
/* Returns the bytes of the engine's memory that it takes; on the member with most limbs, where limbs are divided. */
uint64_t hb_exact_flooder_bytes(const hb_params *params, uint32_t limbs, size_t max_count);
/* Adds noise to c, [count][limbs], coefficient form, count <= max_count. F of polynomial i is of seeds[i] (host,
 * secret): streams of HB_DRAW_EXACT_FLOOD (base/seed.h), item 0 for A, 1 for B, 2 and on for the words of U from the
 * lowest; word k of each is coefficient k's, and its low bits are taken. Constant time. Waits. Errors of the engine. */
hb_status hb_exact_flooder_add(hb_exact_flooder *flooder, hb_batch c, const hb_seed *seeds);

#endif
