/* The transform with 64-bit words and Shoup's multiplication (paper 003 section 2; Harvey's lazy butterflies), compiled
 * once per instruction set.
 *
 * Ranges, for m < 2^61. A product is in [0, 4m) for any word as a factor (vectors_shoup.h). A forward stage takes x, y
 * to x + p, x + 4m - p: the bound of words grows by 4m. From 2m on, 17 stages end below 70 m: where that is at most
 * 2^64, no stage reduces anything. Elsewhere every stage first brings x from [0, 8m) to [0, 4m). An inverse stage keeps
 * words in [0, 4m): sums are corrected, differences, with 4m added, are multiplied. */
#include "ntt.h"
#include "vectors_shoup.h"

#define PLANES 2

typedef hb_words element;

typedef hb_vector_factor factor;

/* A modulus for leave(), which takes small quotients of words by m, of b bits: floor(2^(b + 31) / m), and two
 * shifts. */
typedef struct prime {
    hb_words m, m4, inverse;
    uint32_t before, after;
} prime;

/* Words and Shoup's quotients are the two planes of a table. */
HB_CLONED_INLINE factor factor_of(hb_words w, hb_words q)
{
    return hb_vector_factor_of(w, q);
}

/* Spreads the constants of a modulus over vectors. The reciprocal is shifted down to floor(2^(bits + 31) / m), as 128 -
 * 97 = 31. */
HB_CLONED_INLINE prime prime_of(const hb_modulus *modulus)
{
    const hb_words m = hb_vector_all(modulus->value);
    const uint32_t before = modulus->bits > 25 ? modulus->bits - 25 : 0;
    const hb_u128 reciprocal = (hb_u128)modulus->barrett_hi << 64 | modulus->barrett_lo; /* floor(2^128 / m) */
    const uint64_t inverse = (uint64_t)(reciprocal >> (97 - modulus->bits));
    return (prime){m, 4 * m, hb_vector_all(inverse), before, modulus->bits + 31 - before};
}

HB_CLONED_INLINE hb_words product(hb_words x, factor f, prime m)
{
    return hb_vector_product(x, f, m.m);
}

/* a + 4m - b is not negative, as b < 4m; with `reduce` a is below 4m, so both results are below 8m. */
HB_CLONED_INLINE void butterfly(hb_words *x, hb_words *y, factor f, prime m, const bool reduce)
{
    const hb_words a = reduce ? hb_vector_correct(*x, m.m4) : *x, b = product(*y, f, m);
    *x = a + b;
    *y = a + m.m4 - b;
}

/* Both words are in [0, 4m): the difference with 4m added is in (0, 8m), and any word may enter a product. */
HB_CLONED_INLINE void inverse_butterfly(hb_words *x, hb_words *y, factor f, prime m, const bool reduce)
{
    const hb_words sum = *x + *y;
    *y = product(*x + m.m4 - *y, f, m);
    *x = reduce ? hb_vector_correct(sum, m.m4) : sum;
}

/* Words leave the transform canonical: leave_product takes products, in [0, 4m). */
HB_CLONED_INLINE hb_words leave_product(hb_words x, prime m)
{
    return hb_vector_canonical(x, m.m);
}

/* Takes any x < 2^7 m: x after the first shift is below 2^32, and inverse is in [2^31, 2^32]. Both are rounded down, by
 * less than 1, so the quotient is too small by less than 2^-24 m / m + 2^32 / 2^56, and 1 for its own rounding: at most
 * one. */
HB_CLONED_INLINE hb_words leave(hb_words x, prime m)
{
    const hb_words q = hb_vector_mul_halves(x >> m.before, m.inverse) >> m.after;
    return hb_vector_correct(x - q * m.m, m.m);
}

/* Words are the same inside the transform as outside. */
HB_CLONED_INLINE hb_words enter(hb_words x, prime m, const bool reduce)
{
    (void)m;
    (void)reduce; /* words below 2 m need not be */
    return x;
}

HB_CLONED_INLINE hb_words get(hb_words x)
{
    return x;
}

HB_CLONED_INLINE hb_words put(hb_words x)
{
    return x;
}

#include "ntt_stages.inc"

const hb_cpu_transform HB_BUILT(hb_cpu_ntt_u64) = {.planes = PLANES, .forward = forward, .inverse = inverse};
