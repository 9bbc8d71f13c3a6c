/* Scalar arithmetic modulo one word, compiled by gcc and by nvcc: tests on the CPU test the code of the GPU.
 *
 * Two paths, chosen per modulus (modulus.h):
 *   integer: any m < 2^61, 64- and 128-bit words;
 *   FP64:    m < 2^50, residues held as integers in doubles. The product h = a b rounded, its error l = fma(a, b, -h)
 *            and the quotient q = round(h / m) give a b - q m = fma(-q, m, h) + l without any rounding (below).
 *
 * Exactness of the FP64 product. Let |a b| / m < 2^51. l is exact because |a b| < 2^102 has no underflow or overflow.
 * With h = a b (1 + d1), inverse = (1 + d2) / m, |d| <= 2^-53, the exact product h inverse is below 2^51 (1 + 2^-52) <
 * 2^51 + 1/2 in magnitude, where hb_f64_round_product still rounds it to the nearest integer. So |q - a b / m| <=
 * 1/2 + |a b / m| 2^-52 (1 + 2^-53) =: 1/2 + e. h - q m is an integer below m (1/2 + e) + ulp(h) < 2^53, so the fma
 * returns it exactly; adding l gives the integer a b - q m, of magnitude at most m (1/2 + e) < 2^52, exactly again. */
#ifndef HB_BASE_MODARITH_H
#define HB_BASE_MODARITH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "hostdevice.h"
#include "modulus.h"

__extension__ typedef unsigned __int128 hb_u128;
__extension__ typedef __int128 hb_i128;

/* Returns the high word of a b. */
HB_FN uint64_t hb_mul_high(uint64_t a, uint64_t b)
{
    return (uint64_t)(((hb_u128)a * b) >> 64);
}

/* Maps x in [0, 2m) to [0, m), without a branch; m <= 2^62. */
HB_FN uint64_t hb_correct(uint64_t x, uint64_t m)
{
    uint64_t y = x - m;
    return y + (m & (0 - (y >> 63))); /* y is in [-m, m): negative exactly when its top bit is set */
}

/* Returns 1 / odd mod 2^32 by Newton's iteration: x e = 1 mod 2^b gives x (2 - x e) e = 1 mod 2^(2b), and it starts
 * with b = 3, since e e = 1 mod 8. */
HB_FN uint32_t hb_odd_inverse(uint32_t odd)
{
    uint32_t x = odd;
    for (int bits = 3; bits < 32; bits *= 2) {
        x *= 2 - x * odd;
    }
    return x;
}

/* Returns 1 if x >= bound, else 0, without a branch; x < 2^63, 1 <= bound < 2^63. bound - 1 - x is negative, with its
 * top bit set, exactly when x >= bound. */
HB_FN uint64_t hb_at_least(uint64_t x, uint64_t bound)
{
    return (bound - 1 - x) >> 63;
}

/* Returns a + b mod m in [0, m), for a, b in [0, m). */
HB_FN uint64_t hb_mod_add(uint64_t a, uint64_t b, const hb_modulus *m)
{
    return hb_correct(a + b, m->value);
}

/* Returns a - b mod m in [0, m), for a, b in [0, m). */
HB_FN uint64_t hb_mod_sub(uint64_t a, uint64_t b, const hb_modulus *m)
{
    return hb_correct(a + m->value - b, m->value);
}

/* Returns -a mod m in [0, m), for a in [0, m); 0 stays 0, since hb_correct takes m to 0. */
HB_FN uint64_t hb_mod_negate(uint64_t a, const hb_modulus *m)
{
    return hb_correct(m->value - a, m->value);
}

/* Returns the residue in [0, m) of a signed integer in (-m, m), without a branch: m is added exactly when the sign is
 * set. */
HB_FN uint64_t hb_mod_from_signed(int64_t value, uint64_t m)
{
    return (uint64_t)value + (m & (0 - ((uint64_t)value >> 63)));
}

/* Returns the representative of a residue in [0, m) that lies in [-floor((m - 1) / 2), floor(m / 2)]. */
HB_FN int64_t hb_mod_to_signed(uint64_t residue, uint64_t m)
{
    return (int64_t)(residue - (residue > m / 2 ? m : 0));
}

/* Reduces any word to [0, m). barrett_hi = floor(2^64 / m) makes the quotient at most one too small. */
HB_FN uint64_t hb_mod_reduce(uint64_t x, const hb_modulus *m)
{
    return hb_correct(x - hb_mul_high(x, m->barrett_hi) * m->value, m->value);
}

/* Returns the residue in [0, m) of any signed integer, without a branch. */
HB_FN uint64_t hb_mod_reduce_signed(int64_t value, const hb_modulus *m)
{
    const uint64_t negative = 0 - ((uint64_t)value >> 63), magnitude = ((uint64_t)value ^ negative) - negative;
    const uint64_t r = hb_mod_reduce(magnitude, m);
    return (r & ~negative) | (hb_mod_negate(r, m) & negative);
}

/* Reduces any 128-bit number to [0, m). q = floor(x floor(2^128 / m) / 2^128), computed exactly from the four partial
 * products, is at most one below floor(x / m), so the remainder is in [0, 2m). The quotient's own high words are not
 * needed: only q m mod 2^64 is. */
HB_FN uint64_t hb_mod_reduce_wide(hb_u128 x, const hb_modulus *m)
{
    uint64_t lo = (uint64_t)x, hi = (uint64_t)(x >> 64);
    hb_u128 middle = (hb_u128)lo * m->barrett_hi + hb_mul_high(lo, m->barrett_lo);
    hb_u128 cross = (hb_u128)hi * m->barrett_lo + (uint64_t)middle;
    uint64_t q = hi * m->barrett_hi + (uint64_t)(middle >> 64) + (uint64_t)(cross >> 64);
    return hb_correct(lo - q * m->value, m->value);
}

/* Returns the residue in [0, m) of any signed 128-bit number. */
HB_FN uint64_t hb_mod_reduce_signed_wide(hb_i128 value, const hb_modulus *m)
{
    const uint64_t r = hb_mod_reduce_wide(value < 0 ? 0 - (hb_u128)value : (hb_u128)value, m);
    return value < 0 ? hb_mod_negate(r, m) : r;
}

/* Returns a b mod m in [0, m), for any two words: their product always fits 128 bits. */
HB_FN uint64_t hb_mod_mul(uint64_t a, uint64_t b, const hb_modulus *m)
{
    return hb_mod_reduce_wide((hb_u128)a * b, m);
}

/* Returns x w mod m in [0, 2m) by Shoup's multiplication with a fixed w in [0, m), given w_quotient = floor(w 2^64 /
 * m), for any word x. The quotient floor(x w_quotient / 2^64) is at most one below floor(x w / m); both products are
 * only needed mod 2^64. D. Harvey, "Faster Arithmetic for Number-Theoretic Transforms". */
HB_FN uint64_t hb_mul_shoup_lazy(uint64_t x, uint64_t w, uint64_t w_quotient, uint64_t m)
{
    return x * w - hb_mul_high(x, w_quotient) * m;
}

/* Returns x w mod m in [0, m), otherwise as hb_mul_shoup_lazy. */
HB_FN uint64_t hb_mul_shoup(uint64_t x, uint64_t w, uint64_t w_quotient, uint64_t m)
{
    return hb_correct(hb_mul_shoup_lazy(x, w, w_quotient, m), m);
}

/* Returns Shoup's quotient floor(w 2^64 / m) of a factor w in [0, m): below 2^64 because w < m. */
HB_FN uint64_t hb_shoup_quotient(uint64_t w, uint64_t m)
{
    return (uint64_t)(((hb_u128)w << 64) / m);
}

#define HB_F64_TWO52 4503599627370496.0       /* 2^52: its neighbours are one apart */
#define HB_F64_MAGIC 6755399441055744.0       /* 1.5 * 2^52: stays in [2^52, 2^53) when 2^51 is added or subtracted */
#define HB_F64_TWO52_BITS 0x4330000000000000u /* bit pattern of 2^52 */
#define HB_F64_MAGIC_BITS 0x4338000000000000u /* bit pattern of 1.5 * 2^52 */

/* Converts a word in [0, 2^52) to the same integer as a double: x becomes the low bits of a double in [2^52, 2^53),
 * from which 2^52 is subtracted exactly. It vectorises where there is no conversion instruction. */
HB_FN double hb_f64_from_word(uint64_t x)
{
    double d;
    x |= HB_F64_TWO52_BITS;
    memcpy(&d, &x, sizeof d);
    return d - HB_F64_TWO52;
}

/* Converts an integer |x| < 2^51 to a word in two's complement: 1.5 * 2^52 + x is exact, and its low bits count up from
 * those of 1.5 * 2^52. */
HB_FN uint64_t hb_f64_to_word(double x)
{
    uint64_t bits;
    x += HB_F64_MAGIC;
    memcpy(&bits, &x, sizeof bits);
    return bits - HB_F64_MAGIC_BITS;
}

/* Returns the nearest integer to the exact product a b (ties to even), for |a b| < 2^51: adding 1.5 * 2^52 leaves no
 * bits after the point, and the fma rounds once. */
HB_FN double hb_f64_round_product(double a, double b)
{
    return fma(a, b, HB_F64_MAGIC) - HB_F64_MAGIC;
}

/* Maps a in [0, m), m < 2^50, to its balanced representative, |result| <= m / 2. */
HB_FN double hb_f64_balanced(uint64_t a, uint64_t m)
{
    return a > m / 2 ? -(double)(m - a) : (double)a;
}

/* Returns a b mod m in (-m (1/2 + e), m (1/2 + e)), e = |a b / m| 2^-52, for integers a, b with |a b| / m < 2^51 (the
 * argument is at the top of this file). With both in [-m, m] and m < 2^50, e < 1/4 and the result is within 3m/4. */
HB_FN double hb_f64_mul(double a, double b, double m, double inverse)
{
    double h = a * b;
    double l = fma(a, b, -h);
    double q = hb_f64_round_product(h, inverse);
    return fma(-q, m, h) + l;
}

/* Reduces an integer |x| < 2^52 to a congruent one, |result| <= (m + 1) / 2: the quotient is off by at most |x / m|
 * 2^-53 beyond rounding, which moves the result by at most 1/2. With |x| < 2^51 and m odd the result is the balanced
 * representative itself. */
HB_FN double hb_f64_reduce(double x, double m, double inverse)
{
    return fma(-hb_f64_round_product(x, inverse), m, x);
}

/* Converts an integer in [-m, m), m < 2^50, to a word in [0, m). It does so in integers, because a compiler without
 * vectors turns a comparison of doubles into a branch, which may depend on a secret. */
HB_FN uint64_t hb_f64_residue(double x, uint64_t m)
{
    const uint64_t word = hb_f64_to_word(x);
    return word + (m & (0 - (word >> 63)));
}

/* Returns a b mod m in [0, m) by the FP64 path, for words a, b in [0, m), m < 2^50, with a b / m < 2^50. */
HB_FN uint64_t hb_f64_mod_mul(uint64_t a, uint64_t b, const hb_modulus *m)
{
    return hb_f64_residue(hb_f64_mul(hb_f64_from_word(a), hb_f64_from_word(b), m->f64_value, m->f64_inverse), m->value);
}

#endif
