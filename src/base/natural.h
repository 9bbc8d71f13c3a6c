/* Natural numbers of a fixed maximal size: products of RNS moduli and what Garner's reconstruction gives back. */
#ifndef HB_BASE_NATURAL_H
#define HB_BASE_NATURAL_H

#include <stddef.h>
#include <stdint.h>

#include "modulus.h"

#define HB_NATURAL_WORDS 64 /* 64 moduli of 61 bits need 61 words; the rest is room for one more factor */

typedef struct hb_natural {
    uint32_t words;                  /* significant words: word[words - 1] != 0; zero has none */
    uint64_t word[HB_NATURAL_WORDS]; /* least significant first */
} hb_natural;

void hb_natural_set(hb_natural *r, uint64_t value);
/* r = r * factor + addend; the result must fit (HB_ASSERT). */
void hb_natural_mul_add(hb_natural *r, uint64_t factor, uint64_t addend);
/* r = floor(r / divisor), returns the remainder; divisor > 0. */
uint64_t hb_natural_div(hb_natural *r, uint64_t divisor);
uint64_t hb_natural_mod(const hb_natural *a, const hb_modulus *m);
/* < 0, 0, > 0 as a < b, a = b, a > b. */
int hb_natural_compare(const hb_natural *a, const hb_natural *b);
/* Bit length; 0 for zero. */
uint32_t hb_natural_bits(const hb_natural *a);

#endif
