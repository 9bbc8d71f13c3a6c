/* Natural numbers of a fixed maximal size, for products of RNS moduli and for results of Garner's reconstruction. Host
 * only; variable time. */
#ifndef HB_BASE_NATURAL_H
#define HB_BASE_NATURAL_H

#include <stddef.h>
#include <stdint.h>

#include "modulus.h"

#define HB_NATURAL_WORDS 64 /* 64 moduli of 61 bits need 61 words; the rest is room for one more factor */

/* A natural number below 2^4096 (64 words). The caller owns the struct; nothing is allocated. */
typedef struct hb_natural {
    uint32_t words;                  /* significant words: word[words - 1] != 0; zero has none */
    uint64_t word[HB_NATURAL_WORDS]; /* least significant first */
} hb_natural;

/* Sets r to `value`. */
void hb_natural_set(hb_natural *r, uint64_t value);
/* Replaces r by r * factor + addend. The result must fit HB_NATURAL_WORDS words (HB_ASSERT). */
void hb_natural_mul_add(hb_natural *r, uint64_t factor, uint64_t addend);
/* Replaces r by floor(r / divisor) and returns the remainder; divisor > 0 (HB_ASSERT). */
uint64_t hb_natural_div(hb_natural *r, uint64_t divisor);
/* Returns a mod m, in [0, m). */
uint64_t hb_natural_mod(const hb_natural *a, const hb_modulus *m);
/* Returns a number below, equal to or above 0 as a < b, a = b or a > b. */
int hb_natural_compare(const hb_natural *a, const hb_natural *b);
/* Returns the bit length of a; 0 for zero. */
uint32_t hb_natural_bits(const hb_natural *a);

#endif
