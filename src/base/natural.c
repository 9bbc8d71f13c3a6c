#include "natural.h"

#include "modarith.h"

/* Restores the invariant that the highest word in use is not 0, on which comparison and bit length rely. */
static void trim(hb_natural *r)
{
    while (r->words > 0 && r->word[r->words - 1] == 0) {
        r->words--;
    }
}

void hb_natural_set(hb_natural *r, uint64_t value)
{
    r->word[0] = value;
    r->words = value != 0;
}

void hb_natural_mul_add(hb_natural *r, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;
    for (uint32_t i = 0; i < r->words; i++) {
        /* (2^64 - 1)^2 + (2^64 - 1) < 2^128: the carry never leaves its word. */
        hb_u128 sum = (hb_u128)r->word[i] * factor + carry;
        r->word[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    if (carry != 0) {
        /* Callers know their bounds: a number that does not fit is a defect. */
        HB_ASSERT(r->words < HB_NATURAL_WORDS);
        r->word[r->words++] = carry;
    }
    trim(r); /* factor 0 */
}

uint64_t hb_natural_div(hb_natural *r, uint64_t divisor)
{
    HB_ASSERT(divisor > 0);
    uint64_t remainder = 0;
    for (uint32_t i = r->words; i-- > 0;) {
        /* Schoolbook division by one word, from the most significant word down. */
        hb_u128 part = (hb_u128)remainder << 64 | r->word[i];
        r->word[i] = (uint64_t)(part / divisor); /* remainder < divisor: the quotient fits a word */
        remainder = (uint64_t)(part % divisor);
    }
    trim(r);
    return remainder;
}

uint64_t hb_natural_mod(const hb_natural *a, const hb_modulus *m)
{
    uint64_t remainder = 0;
    /* Horner's rule in base 2^64: remainder < m < 2^61, so the two words are a valid 128-bit operand. */
    for (uint32_t i = a->words; i-- > 0;) {
        remainder = hb_mod_reduce_wide((hb_u128)remainder << 64 | a->word[i], m);
    }
    return remainder;
}

int hb_natural_compare(const hb_natural *a, const hb_natural *b)
{
    if (a->words != b->words) {
        return a->words < b->words ? -1 : 1;
    }
    for (uint32_t i = a->words; i-- > 0;) {
        if (a->word[i] != b->word[i]) {
            return a->word[i] < b->word[i] ? -1 : 1;
        }
    }
    return 0;
}

uint32_t hb_natural_bits(const hb_natural *a)
{
    return a->words == 0 ? 0 : 64 * a->words - (uint32_t)__builtin_clzll(a->word[a->words - 1]);
}
