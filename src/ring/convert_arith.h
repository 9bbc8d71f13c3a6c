/* One coefficient between bases, on either engine. Loops use local copies of moduli and constants: the compiler must
 * assume that a loop's stores change the originals.
 *
 * Base conversion (basis.h) is one sum of products for each target: the kept limbs, the y_i, and the overflow. The
 * overflow k is signed. With k' = (k - half) mod m in [0, m), k = k' - (m - half): k' is a word like the others, and
 * the rest is a constant of the sum.
 *
 * Division by the last prime p with rounding (semantics.md 6.7): r = floor((a + half) / p) = (a + half - l) / p with l
 * = (a + half) mod p, modulo each of the other moduli. */
#ifndef HB_RING_CONVERT_ARITH_H
#define HB_RING_CONVERT_ARITH_H

#include "base/modarith.h"

#define HB_OVERFLOW_WORD ((uint64_t)1 << 32) /* m of a binary overflow */

/* Returns k' from k in [0, m), 1 <= half <= m, m <= 2^61. */
HB_FN uint64_t hb_overflow_shifted(uint64_t k, uint64_t half, uint64_t m)
{
    return hb_correct(k + m - half, m);
}

/* Returns the constant - (m - half) factor mod p; factor < p. */
HB_FN uint64_t hb_overflow_start(uint64_t half, uint64_t m, uint64_t factor, const hb_modulus *p)
{
    return hb_mod_negate(hb_mod_mul(m - half, factor, p), p);
}

/* Return the share of a source y in [0, q) in the overflow, in units of 2^-32. Centred: 1 if y is above q / 2. Rounded:
 * that, and z / q to 32 bits for z = y + floor(q / 2) mod q. weight = floor(2^96 / q), q odd: then y + floor(q / 2) >=
 * q exactly where y is above q / 2. */
HB_FN uint64_t hb_overflow_centred(uint64_t y, uint64_t q)
{
    return (uint64_t)(y > q / 2) << 32;
}

HB_FN uint64_t hb_overflow_rounded(uint64_t y, uint64_t q, uint64_t weight)
{
    return hb_overflow_centred(y, q) + hb_mul_high(hb_correct(y + q / 2, q), weight);
}

/* Returns the overflow from the sum of these; half is 2^31 where nothing is rounded. */
HB_FN uint64_t hb_overflow_of_fixed(uint64_t sum, uint64_t half)
{
    return (sum + ((uint64_t)1 << 31) - half) >> 32;
}

/* Returns l from the last limb of a, an integer in [0, p). */
HB_FN uint64_t hb_divide_remainder(uint64_t a, uint64_t half, uint64_t p)
{
    return hb_correct(a + half, p);
}

/* Returns (a - l + half) inverse mod m for m, p < 2^50. |a - l + half| < m + p / 2 < 0.75 * 2^51, inverse < m: the
 * quotient stays below 2^51 and its error below 1/2 + 0.4, so the product is inside (-m, m). */
HB_FN uint64_t hb_divide_exact_f64(uint64_t a, uint64_t l, uint64_t half, uint64_t inverse, const hb_modulus *m)
{
    const double x = hb_f64_from_word(a) - hb_f64_from_word(l) + hb_f64_from_word(half);
    return hb_f64_residue(hb_f64_mul(x, hb_f64_from_word(inverse), m->f64_value, m->f64_inverse), m->value);
}

/* Returns the same for any m and p. half_mod = half mod m; quotient is Shoup's of inverse. */
HB_FN uint64_t hb_divide_exact(uint64_t a, uint64_t l, uint64_t half_mod, uint64_t inverse, uint64_t quotient,
                               const hb_modulus *m)
{
    const uint64_t x = a + half_mod + m->value - hb_mod_reduce(l, m); /* in [0, 3m) */
    return hb_mul_shoup(x, inverse, quotient, m->value);
}

#endif
