/* Makes one coefficient of one 64-bit word of a keystream. The map is part of the file format for HB_DRAW_UNIFORM
 * (public seeds in files expand by it) and the same on every engine.
 *
 * All of it is constant time: no branch, table index or library call depends on a word. */
#ifndef HB_BASE_SAMPLE_H
#define HB_BASE_SAMPLE_H

#include <stdint.h>

#include "hostdevice.h"

/* Which words a sampler takes: those with ((word - offset) & mask) < bound. It rejects the others, and draws again for
 * their coefficients (seed.h). */
typedef struct hb_acceptance {
    uint64_t offset, mask, bound;
} hb_acceptance;

/* Returns 1 if the rule takes the word, else 0. */
HB_FN int hb_accepts(hb_acceptance rule, uint64_t word)
{
    return ((word - rule.offset) & rule.mask) < rule.bound;
}

/* Returns the rule for residues uniform on [0, m): a word is taken if its low `bits` bits are below m, where bits is
 * the bit length of m - 1, 1 <= bits <= 61. More than half of all words are taken; the residue is word & mask. */
HB_FN hb_acceptance hb_accept_uniform(uint64_t m, uint32_t bits)
{
    hb_acceptance rule = {0, (UINT64_C(1) << bits) - 1, m};
    return rule;
}

/* Returns the rule for ternary coefficients, all words but 0: the other 2^64 - 1 are a multiple of 3. */
HB_FN hb_acceptance hb_accept_ternary(void)
{
    hb_acceptance rule = {1, UINT64_MAX, UINT64_MAX};
    return rule;
}

/* Returns the rule that takes every word. */
HB_FN hb_acceptance hb_accept_all(void)
{
    hb_acceptance rule = {0, 0, 1};
    return rule;
}

/* Returns floor(3 w / 2^64) - 1, computed by 32-bit halves. Each of -1, 0, 1 comes from exactly (2^64 - 1) / 3 of the
 * words that the rule takes. */
HB_FN int64_t hb_sample_ternary(uint64_t w)
{
    uint64_t low = 3 * (w & UINT32_MAX);
    uint64_t high = 3 * (w >> 32) + (low >> 32);
    return (int64_t)(high >> 32) - 1;
}

#define HB_GAUSSIAN_BOUND 19 /* = floor(6 sigma) */

/* thresholds[k] = round(2^63 P(|X| <= k)) for k < 19, where P(X = x) is proportional to exp(-x^2 / (2 sigma^2)) on
 * |x| <= 19 and sigma = 3.2. */
extern const uint64_t hb_gaussian_thresholds[HB_GAUSSIAN_BOUND];

/* Returns a Gaussian coefficient x: |x| is the number of thresholds not above the low 63 bits of w, and the top bit is
 * its sign. The result differs from the distribution above by at most 20 * 2^-64 in statistical distance. All
 * thresholds are always compared, so the time does not depend on w. */
HB_FN int64_t hb_sample_gaussian(uint64_t w, const uint64_t *thresholds)
{
    uint64_t low = w & (UINT64_MAX >> 1);
    uint64_t magnitude = HB_GAUSSIAN_BOUND;
    for (int k = 0; k < HB_GAUSSIAN_BOUND; k++) {
        magnitude -= (low - thresholds[k]) >> 63; /* both below 2^63: 1 exactly when low < threshold */
    }
    uint64_t sign = w >> 63;
    /* Two's complement: with sign = 1 all bits flip and 1 is added. */
    return (int64_t)((magnitude ^ (0 - sign)) + sign);
}

/* Half the bits of a centred binomial coefficient: the variance is 21 / 2, a standard deviation of 3.24. */
#define HB_BINOMIAL_BOUND 21

/* Returns the ones among bits 0 .. 20 of w minus those among bits 21 .. 41; both are counted at once in the halves of
 * one word. */
HB_FN int64_t hb_sample_binomial(uint64_t w)
{
    const uint64_t mask = (UINT64_C(1) << HB_BINOMIAL_BOUND) - 1;
    uint64_t x = (w & mask) | (((w >> HB_BINOMIAL_BOUND) & mask) << 32);
    x = x - ((x >> 1) & UINT64_C(0x5555555555555555));                                  /* sums of 2 bits */
    x = (x & UINT64_C(0x3333333333333333)) + ((x >> 2) & UINT64_C(0x3333333333333333)); /* of 4 */
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);                                  /* of 8, each at most 8 */
    x += x >> 8;
    x += x >> 16; /* bytes 0 and 4: the sums of their halves, at most 21 */
    return (int64_t)(x & UINT8_MAX) - (int64_t)((x >> 32) & UINT8_MAX);
}

/* Returns the residue of x modulo m, in [0, m), for m > |x|, without a branch. */
HB_FN uint64_t hb_residue_of_small(int64_t x, uint64_t m)
{
    return (uint64_t)x + (m & (0 - ((uint64_t)x >> 63)));
}

#endif
