/* Doubles between slots and residues, on either engine: a butterfly of the slot transform, rounding to integers, and
 * the nearest double of a big integer. Each operation is rounded to nearest by itself: the house compiles without fused
 * products and sums, so that every machine has the same bits (semantics.md 9.7). Loops use local copies of constants:
 * the compiler must assume that a loop's stores change the originals. */
#ifndef HB_RING_REAL_ARITH_H
#define HB_RING_REAL_ARITH_H

#include <stdbool.h>

#include "base/cell.h"
#include "base/double_double.h"
#include "base/modarith.h"

/* A complex number in doubles. */
typedef struct hb_complex {
    double re, im;
} hb_complex;

/* Replaces a, b by a + b, (a - b) conj(w): a butterfly from slots to coefficients. */
HB_FN void hb_butterfly_to_coefficients(hb_complex *a, hb_complex *b, hb_complex w)
{
    const hb_complex u = {a->re + b->re, a->im + b->im}, d = {a->re - b->re, a->im - b->im};
    const hb_complex v = {d.re * w.re + d.im * w.im, d.im * w.re - d.re * w.im};
    *a = u;
    *b = v;
}

/* Replaces a, b by a + b w, a - b w: a butterfly from coefficients to slots. */
HB_FN void hb_butterfly_to_slots(hb_complex *a, hb_complex *b, hb_complex w)
{
    const hb_complex v = {b->re * w.re - b->im * w.im, b->re * w.im + b->im * w.re}, u = *a;
    *a = (hb_complex){u.re + v.re, u.im + v.im};
    *b = (hb_complex){u.re - v.re, u.im - v.im};
}

#define HB_REAL_BOUND 4611686018427387904.0 /* 2^62: coefficients are below it in magnitude */

/* Returns whether an integer is a coefficient: below the bound, and a number. */
HB_FN bool hb_real_holds(double x)
{
    return x < HB_REAL_BOUND && x > -HB_REAL_BOUND;
}

/* Returns whether residues modulo m can be made by hb_real_residue_f64. */
HB_FN bool hb_real_takes_f64(const hb_modulus *m)
{
    return m->f64 && m->bits > 11;
}

/* Returns the residue in [0, m) of an integer |x| < 2^62, for 2^11 <= m < 2^50. |x / m| < 2^51, where the quotient is
 * rounded to an integer as that of a product is (modarith.h). It is within 1/2 + |x / m| 2^-53 < 3/4 of x / m, so the
 * rest is an integer within 3m/4, which the fma returns exactly. */
HB_FN uint64_t hb_real_residue_f64(double x, const hb_modulus *m)
{
    const double quotient = hb_f64_round_product(x, m->f64_inverse);
    return hb_f64_residue(fma(-quotient, m->f64_value, x), m->value);
}

/* Returns the same for any modulus. */
HB_FN uint64_t hb_real_residue(double x, const hb_modulus *m)
{
    const int64_t word = (int64_t)x;
    const uint64_t negative = 0 - ((uint64_t)word >> 63); /* all ones or zero */
    const uint64_t residue = hb_mod_reduce(((uint64_t)word ^ negative) - negative, m);
    return hb_correct((residue ^ negative) + ((m->value + 1) & negative), m->value); /* m - r = ~r + 1 + m */
}

#define HB_REAL_WORDS 3 /* of the integers that are made doubles */

/* Sets the words of the magnitude of an integer |x| < 2^190. Without a branch, as all here that values go through. */
HB_FN void hb_real_words(uint64_t words[HB_REAL_WORDS], double x)
{
    const uint64_t bits = hb_real_word(x), mantissa = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    const uint32_t exponent = (uint32_t)(bits >> 52) & 2047;
    const uint32_t large = 0 - (uint32_t)(exponent >= 1075); /* all ones where no bit is behind the point */
    const uint64_t any = 0 - (uint64_t)(exponent >= 1023);   /* and where it is not 0 */
    const uint32_t up = (exponent - 1075) & large, down = (1075 - exponent) & ~large & 63, bit = up % 64;
    const uint64_t below = (mantissa & any) >> down;
    const uint64_t low = below << bit, high = below >> 1 >> (63 - bit);
    HB_UNROLL
    for (uint32_t w = 0; w < HB_REAL_WORDS; w++) {
        words[w] = (low & (0 - (uint64_t)(w == up / 64))) | (high & (0 - (uint64_t)(w == up / 64 + 1)));
    }
}

/* Returns an integer |x| < 2^126 modulo 2^128. */
HB_FN hb_u128 hb_real_integer(double x)
{
    uint64_t words[HB_REAL_WORDS];
    hb_real_words(words, x);
    const hb_u128 negative = 0 - (hb_u128)(hb_real_word(x) >> 63);
    return (((hb_u128)words[1] << 64 | words[0]) ^ negative) - negative;
}

/* An integer of up to 126 bits. */
typedef struct hb_wide_integer {
    hb_u128 magnitude;
    uint64_t negative; /* all ones, or 0 */
} hb_wide_integer;

#define HB_WIDE_BOUND 42535295865117307932921825928971026432.0 /* 2^125: wide coefficients are below it in magnitude */

/* Returns a double, or 0, as all ones or 0 mean. */
HB_FN double hb_real_if(double x, uint64_t held)
{
    return hb_real_of(hb_real_word(x) & held);
}

/* Sets *integer to rint(high) + rint((high - rint(high)) + low), which is nearest to the number up to the rounding of
 * that sum, and returns all ones. Where that is not below the bound, or NaN, sets it to 0 and returns 0. */
HB_FN uint64_t hb_dd_round(hb_dd x, hb_wide_integer *integer)
{
    const double high = rint(x.high), low = rint((x.high - high) + x.low);
    const uint64_t held = 0 - (uint64_t)((high < HB_WIDE_BOUND) & (high > -HB_WIDE_BOUND));
    const hb_u128 sum = hb_real_integer(hb_real_if(high, held)) + hb_real_integer(hb_real_if(low, held));
    const uint64_t negative = 0 - (uint64_t)(sum >> 127);
    const hb_u128 both = (hb_u128)negative << 64 | negative;
    *integer = (hb_wide_integer){(sum ^ both) - both, negative};
    return held;
}

/* Returns the residue in [0, m). */
HB_FN uint64_t hb_wide_residue(hb_wide_integer x, const hb_modulus *m)
{
    const uint64_t residue = hb_mod_reduce_wide(x.magnitude, m);
    return (residue & ~x.negative) | (hb_mod_negate(residue, m) & x.negative);
}

/* Returns the double nearest to the integer that these words are, ties to even. */
HB_FN double hb_real_nearest(uint64_t high, uint64_t middle, uint64_t low)
{
    /* The highest word that is not 0 comes to the top, then its highest bit, or the second at least. */
    uint32_t exponent = 128;
    for (uint32_t i = 1; i < HB_REAL_WORDS; i++) {
        const uint64_t empty = 0 - (uint64_t)(high == 0);
        high |= middle & empty;
        middle = (middle & ~empty) | (low & empty);
        low &= ~empty;
        exponent -= 64 & (uint32_t)empty;
    }
    /* A double's exponent tells how far: of the highest bit without the next, so that nothing is rounded up. */
    const uint64_t lead = high >> 1 & ~(high >> 2);
    const uint32_t left = 1085 - (uint32_t)(hb_real_word((double)(int64_t)(lead | 1)) >> 52); /* 0 .. 62; 1023 + 62 */
    const uint64_t top = high << left | middle >> 1 >> (63 - left);
    /* The lower bits matter for ties only: one sticky bit says whether any is set. The conversion then rounds once. It
     * converts half the number, below 2^63: unsigned conversion takes a branch on some processors. */
    const uint64_t sticky = (middle << left | low) != 0, half = top >> 1 | ((top | sticky) & 1);
    return (double)(int64_t)half * hb_real_of((uint64_t)(1024 + exponent - left) << 52); /* 2^(exponent - left + 1) */
}

#define HB_COMPOSITION_LIMBS 16

/* The constants of composing centred integers of few limbs (real_ops.h); plain data. With P_i = q_0 .. q_(i-1), an
 * integer in [0, Q) is x = d_0 + d_1 P_1 + d_2 P_2 + .., where d_i = (x mod q_i - lower terms) / P_i mod q_i. */
typedef struct hb_composition {
    uint32_t limbs;
    uint16_t ids[HB_COMPOSITION_LIMBS];
    uint32_t words[HB_COMPOSITION_LIMBS];                  /* of P_i */
    uint64_t inverse[HB_COMPOSITION_LIMBS];                /* 1 / P_i mod q_i */
    uint64_t quotient[HB_COMPOSITION_LIMBS];               /* Shoup's, of that */
    uint64_t product[HB_COMPOSITION_LIMBS][HB_REAL_WORDS]; /* P_i */
    uint64_t whole[HB_REAL_WORDS];                         /* Q, the product of all, below 2^189 */
    uint64_t half[HB_REAL_WORDS]; /* floor(Q / 2): integers above it stand for themselves - Q */
} hb_composition;

/* Adds d_i P_i to x. */
HB_FN void hb_compose_digit(uint64_t x[HB_REAL_WORDS], uint64_t digit, const hb_composition *c, uint32_t i)
{
    uint64_t carry = 0;
    HB_UNROLL
    for (uint32_t w = 0; w < HB_REAL_WORDS; w++) {
        const hb_u128 sum = (hb_u128)digit * c->product[i][w] + x[w] + carry;
        x[w] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}

/* Adds the term of limb i > 0 to the lower ones, x < P_i; a is the residue of the integer. */
HB_FN void hb_compose_term(uint64_t x[HB_REAL_WORDS], uint64_t a, const hb_composition *c, uint32_t i,
                           const hb_modulus *q)
{
    uint64_t lower = 0;
    HB_UNROLL
    for (uint32_t w = HB_REAL_WORDS; w-- > 0;) {
        lower = w < c->words[i] ? hb_mod_reduce_wide((hb_u128)lower << 64 | x[w], q) : 0;
    }
    hb_compose_digit(x, hb_mul_shoup(a + q->value - lower, c->inverse[i], c->quotient[i], q->value), c, i);
}

/* Sets r = a - b and returns the borrow, 0 or 1. */
HB_FN uint64_t hb_real_subtract(uint64_t r[HB_REAL_WORDS], const uint64_t a[HB_REAL_WORDS],
                                const uint64_t b[HB_REAL_WORDS])
{
    uint64_t borrow = 0;
    HB_UNROLL
    for (uint32_t w = 0; w < HB_REAL_WORDS; w++) {
        const hb_u128 difference = (hb_u128)a[w] - b[w] - borrow;
        r[w] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    return borrow;
}

/* Sets y to the magnitude of the centred representative of x in [0, Q), and returns all ones where it is negative, or
 * 0. */
HB_FN uint64_t hb_compose_magnitude(uint64_t y[HB_REAL_WORDS], const uint64_t x[HB_REAL_WORDS], const hb_composition *c)
{
    uint64_t other[HB_REAL_WORDS];
    const uint64_t negative = 0 - hb_real_subtract(other, c->half, x); /* all ones where x is above half */
    hb_real_subtract(other, c->whole, x);
    HB_UNROLL
    for (uint32_t w = 0; w < HB_REAL_WORDS; w++) {
        y[w] = (other[w] & negative) | (x[w] & ~negative);
    }
    return negative;
}

/* Returns a double, 0 or above, with the sign that all ones or 0 mean. */
HB_FN double hb_real_signed(double magnitude, uint64_t negative)
{
    return hb_real_of(hb_real_word(magnitude) ^ (negative & (uint64_t)1 << 63));
}

/* Returns the double nearest to the centred representative of x in [0, Q). */
HB_FN double hb_compose_centred(const uint64_t x[HB_REAL_WORDS], const hb_composition *c)
{
    uint64_t y[HB_REAL_WORDS];
    const uint64_t negative = hb_compose_magnitude(y, x, c);
    return hb_real_signed(hb_real_nearest(y[2], y[1], y[0]), negative);
}

/* Returns the double-double of the integer y < 2^190, words from the lowest: the double nearest to y, and the double
 * nearest to the remainder. */
HB_FN hb_dd hb_dd_nearest(const uint64_t y[HB_REAL_WORDS])
{
    uint64_t high[HB_REAL_WORDS], rest[HB_REAL_WORDS], other[HB_REAL_WORDS];
    const double nearest = hb_real_nearest(y[2], y[1], y[0]);
    hb_real_words(high, nearest);
    const uint64_t above = 0 - hb_real_subtract(rest, y, high); /* all ones where it was rounded up */
    hb_real_subtract(other, high, y);
    HB_UNROLL
    for (uint32_t w = 0; w < HB_REAL_WORDS; w++) {
        rest[w] = (other[w] & above) | (rest[w] & ~above);
    }
    return (hb_dd){nearest, hb_real_signed(hb_real_nearest(rest[2], rest[1], rest[0]), above)};
}

/* Returns the double-double of the centred representative of x in [0, Q). */
HB_FN hb_dd hb_compose_centred_wide(const uint64_t x[HB_REAL_WORDS], const hb_composition *c)
{
    uint64_t y[HB_REAL_WORDS];
    const uint64_t negative = hb_compose_magnitude(y, x, c);
    const hb_dd z = hb_dd_nearest(y);
    return (hb_dd){hb_real_signed(z.high, negative), hb_real_signed(z.low, negative)};
}

#endif
