/* Noise of exact bits (sample_ops.h), word by word: arithmetic that the engines share. C and CUDA.
 *
 * F = 2^u (A - B + 2^w) + sum over k of 2^(64 k) U_k - (2^(u + w) + 2^(u - 1)), U_k the words of U from the lowest. A -
 * B + 2^w and each U_k are words without a sign, times a power of two modulo q. */
#ifndef HB_RING_FLOOD_ARITH_H
#define HB_RING_FLOOD_ARITH_H

#include "base/modarith.h"
#include "sample_ops.h"

/* The streams of a polynomial: item 0 for A, 1 for B, 2 + k for U_k. */
enum { HB_EXACT_FLOOD_A, HB_EXACT_FLOOD_B, HB_EXACT_FLOOD_U };

/* Returns the number of words of U. */
static inline uint32_t hb_exact_flood_words(hb_exact_flood flood)
{
    return (flood.u + 63) / 64;
}

/* Returns how many bits of word k of U are drawn, 1 to 64. */
static inline uint32_t hb_exact_flood_bits(hb_exact_flood flood, uint32_t k)
{
    return k + 1 < hb_exact_flood_words(flood) ? 64 : flood.u - 64 * k;
}

/* Returns the low bits of a word, 1 to 64. */
HB_FN uint64_t hb_exact_flood_low(uint64_t word, uint32_t bits)
{
    return word & UINT64_MAX >> (64 - bits);
}

/* Returns A - B + 2^w of two words of their streams: below 2^63, as w <= HB_EXACT_FLOOD_MOST_WIDTH. */
HB_FN uint64_t hb_exact_flood_difference(uint64_t a, uint64_t b, uint32_t w)
{
    return hb_exact_flood_low(a, w) + ((uint64_t)1 << w) - hb_exact_flood_low(b, w);
}

/* The factor of words in one limb, with Shoup's quotient, and a number that is added to the product; both below q. */
typedef struct hb_exact_flood_term {
    uint64_t factor, quotient, shift;
} hb_exact_flood_term;

/* Returns r + word * factor + shift mod m, for r < m and any word. */
HB_FN uint64_t hb_exact_flood_add(uint64_t r, uint64_t word, hb_exact_flood_term term, uint64_t m)
{
    const uint64_t product = hb_mul_shoup(word, term.factor, term.quotient, m);
    return hb_correct(hb_correct(r + product, m) + term.shift, m);
}

static inline hb_exact_flood_term hb_exact_flood_term_of(uint64_t exponent, uint64_t shift, const hb_modulus *q)
{
    const uint64_t factor = hb_mod_pow(2, exponent, q);
    return (hb_exact_flood_term){factor, hb_shoup_quotient(factor, q->value), shift};
}

/* Returns the term of A - B + 2^w, which has the constant, too. */
static inline hb_exact_flood_term hb_exact_flood_term_difference(hb_exact_flood flood, const hb_modulus *q)
{
    const uint64_t high = hb_mod_pow(2, (uint64_t)flood.u + flood.w, q), low = hb_mod_pow(2, flood.u - 1, q);
    return hb_exact_flood_term_of(flood.u, hb_mod_negate(hb_mod_add(high, low, q), q), q);
}

/* Returns the term of U_k. */
static inline hb_exact_flood_term hb_exact_flood_term_word(uint32_t k, const hb_modulus *q)
{
    return hb_exact_flood_term_of((uint64_t)64 * k, 0, q);
}

#endif
