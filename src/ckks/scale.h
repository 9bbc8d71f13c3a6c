/* Scales, the factors of values in ciphertexts: positive numbers m 2^e with m of 128 bits, never doubles, so that every
 * machine has the same. An operation gives the exact result cut down to 128 bits (semantics.md 9.2). Host only;
 * variable time, as no scale is secret. */
#ifndef HB_CKKS_SCALE_H
#define HB_CKKS_SCALE_H

#include <stdbool.h>

#include "base/double_double.h"
#include "base/natural.h"

/* The number (high 2^64 + low) 2^exponent; high has its uppermost bit set, so equal numbers have equal members. */
typedef struct hb_exact_scale {
    uint64_t high, low;
    int32_t exponent;
} hb_exact_scale;

/* Returns 2^bits. */
hb_exact_scale hb_exact_scale_power_of_two(int32_t bits);
/* Returns an integer, 1 or more, which is exact. */
hb_exact_scale hb_exact_scale_of(uint64_t number);
/* Returns a double above 0 and finite, which is exact. */
hb_exact_scale hb_exact_scale_of_double(double number);

/* Return a b and a / b, cut down to 128 bits. */
hb_exact_scale hb_exact_scale_multiply(hb_exact_scale a, hb_exact_scale b);
hb_exact_scale hb_exact_scale_divide(hb_exact_scale a, hb_exact_scale b);
/* Returns the square root of the exact product of a and b, cut once. b has at most 127 bits but zeros. */
hb_exact_scale hb_exact_scale_sqrt_product(hb_exact_scale a, hb_exact_scale b);

/* Returns the nearest double, of two as near the even one. */
double hb_exact_scale_double(hb_exact_scale a);
/* Returns that double and the double nearest to the remainder, ties to even likewise. */
hb_dd hb_exact_scale_dd(hb_exact_scale a);
/* Returns log2 of the number as a double, for bounds and for people. */
double hb_exact_scale_log2(hb_exact_scale a);
/* Return how far the number is from 1, of which a small distance loses nothing, and from the nearest integer, to within
 * a double's rounding. */
double hb_exact_scale_distance_from_one(hb_exact_scale a);
double hb_exact_scale_distance_from_integer(hb_exact_scale a);

/* Sets *magnitude and *negative to the integer floor(value over / under + 1/2), of the exact quotient: a real constant
 * in a ciphertext of that scale, or (value 1) the factor from one scale to another. Returns false where value is not
 * finite or the integer has more than HB_EXACT_SCALE_MOST_BITS bits; then nothing is set. */
#define HB_EXACT_SCALE_MOST_BITS 3200 /* the longest chain: 64 primes of 50 bits */
bool hb_exact_scale_nearest(hb_natural *magnitude, bool *negative, double value, hb_exact_scale over,
                            hb_exact_scale under);

/* Writes the exact number: "0xfffff4c3fc0751116427691fa91eb781 * 2^-87". */
#define HB_EXACT_SCALE_TEXT 64
void hb_exact_scale_text(char text[HB_EXACT_SCALE_TEXT], hb_exact_scale a);

#endif
