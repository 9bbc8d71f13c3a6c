/* The words that designs work on: a function of their place, so that the GPU fills a batch and the CPU knows any
 * polynomial of it. */
#ifndef HB_BENCH_WORDS_H
#define HB_BENCH_WORDS_H

#include <stddef.h>

#include "base/modarith.h"

/* Added to the numbers of the polynomials of a second operand. */
#define HB_WORDS_OPERAND ((uint64_t)1 << 32)

/* Polynomial c of a batch has a number: 0 is the first, 1 the last of any batch, so one answer serves all counts. */
HB_FN uint64_t hb_words_number(size_t c, size_t count)
{
    return c == 0 ? 0 : count - c;
}

/* Word `index` (limb * n + j) of a polynomial, in [0, modulus); every second word of an odd polynomial is the largest
 * there is. The mixing is that of SplitMix64. */
HB_FN uint64_t hb_words_at(uint64_t number, uint64_t index, uint64_t modulus)
{
    uint64_t z = (number << 27) + index + 1; /* moduli and words of a polynomial: below 2^8 2^17 */
    z *= 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return (number & z & 1) != 0 ? modulus - 1 : hb_mul_high(z, modulus);
}

#endif
