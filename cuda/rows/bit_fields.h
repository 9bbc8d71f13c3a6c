/* Fields of `bits` <= 61 bits, one after another in 64-bit words, least significant first: functions for one word or
 * one field of a packed row at a time. C and CUDA. */
#ifndef HB_CUDA_ROWS_BIT_FIELDS_H
#define HB_CUDA_ROWS_BIT_FIELDS_H

#include <stdint.h>

#include "base/hostdevice.h"

/* Returns word k of the packed fields x[0], x[1], ..., each below 2^bits. The fields end with a whole word, so none
 * beyond them is read. */
HB_FN uint64_t hb_word_of_fields(const uint64_t *x, uint32_t bits, uint32_t k)
{
    uint32_t j = 64 * k / bits, skipped = 64 * k - j * bits;
    uint64_t word = x[j] >> skipped;
    for (uint32_t filled = bits - skipped; filled < 64; filled += bits) {
        word |= x[++j] << filled;
    }
    return word;
}

/* Returns field j of words[0 .. last]. */
HB_FN uint64_t hb_field_of_words(const uint64_t *words, uint32_t last, uint32_t bits, uint32_t j)
{
    uint32_t k = j * bits / 64, shift = j * bits % 64, next = k < last ? k + 1 : last;
    uint64_t mask = (UINT64_C(1) << bits) - 1;
    /* The next word is shifted in two steps, as a shift by 64 is undefined for shift = 0. Where the field ends in word
     * k the next word falls outside the mask. */
    return ((words[k] >> shift) | ((words[next] << 1) << (63 - shift))) & mask;
}

#endif
