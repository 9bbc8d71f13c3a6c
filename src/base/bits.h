/* Bit counts of words. */
#ifndef HB_BASE_BITS_H
#define HB_BASE_BITS_H

#include <stdint.h>

#include "hostdevice.h"

/* Returns the position of the highest one bit plus one: the number of bits that x needs; 0 for 0. */
HB_FN uint32_t hb_bit_length(uint64_t x)
{
    uint32_t bits = 0;
    /* A binary search, so that host and GPU run the same code; at the end x is 0 or 1. */
    for (uint32_t step = 32; step != 0; step /= 2) {
        if (x >> step != 0) {
            x >>= step;
            bits += step;
        }
    }
    return bits + (uint32_t)x;
}

/* Returns the low `bits` bits of x in reverse order, bits <= 32. It maps positions of NTT form to exponents and
 * back. */
HB_FN uint32_t hb_bit_reverse(uint32_t x, uint32_t bits)
{
    /* All 32 bits, by exchanges of halves, without a branch: compilers make vectors of loops that call this. */
    uint32_t r = x >> 16 | x << 16;
    r = (r >> 8 & 0x00ff00ff) | (r & 0x00ff00ff) << 8;
    r = (r >> 4 & 0x0f0f0f0f) | (r & 0x0f0f0f0f) << 4;
    r = (r >> 2 & 0x33333333) | (r & 0x33333333) << 2;
    r = (r >> 1 & 0x55555555) | (r & 0x55555555) << 1;
    return bits > 0 ? r >> (32 - bits) : 0;
}

/* Returns a / b, rounded up; b is not 0. */
HB_FN uint64_t hb_divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

#endif
