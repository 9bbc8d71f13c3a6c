/* Sums of products in columns, for kernels that spell vectors out (vectors.h); such a file is compiled once per
 * instruction set.
 *
 * A sum is held in columns, each of them a sum of partial products: low + middle 2^s + high 2^(2s), of words split at
 * bit s; or low + high 2^52 where there are instructions for the halves of 52-bit products.
 *
 * Narrow words, below 2^50: s = 26, partial products are below 2^52, and thousands of them fit a column. The initial
 * value of a sum and up to 16 terms are below 2^104, so that low + middle 2^26, carried, is below 2^52 and so is high:
 * FP64 reduces these (base/modarith.h). For a modulus above 2^4 all quotients stay below 2^51.
 *
 * Other words, below 2^61: s = 31, partial products are below 2^62, 2^61 and 2^60. After four terms, with less than
 * 2^31 before them, low is below 4 (2^31 - 1)^2 + 2^31 < 2^64, and middle, with low's carry, below 8 (2^31
 * - 1) (2^30 - 1) + 2^31 + 2^33 < 2^64: then both are carried. high is below 2^64 as long as the whole sum is below
 * 2^126: of m < 2^b, 2^(65 - b) terms of which one factor is below m. For the end, low + middle 2^31 is below 2^62,
 * and high times 2^62 mod m by Shoup's multiplication below 4m < 2^63: together a word. */
#ifndef HB_CPU_COLUMNS_H
#define HB_CPU_COLUMNS_H

#include <stdbool.h>

#include "vectors_f64.h"
#include "vectors_shoup.h"

#if defined(__AVX512IFMA__)
#define HB_COLUMNS_OF_52_BITS true
#else
#define HB_COLUMNS_OF_52_BITS false
#endif

/* A sum in columns, in every lane. */
typedef struct hb_columns {
    hb_words low, middle, high;
} hb_columns;

/* A word split at bit s; whole in both where there are 52-bit products. */
typedef struct hb_pieces {
    hb_words low, high;
} hb_pieces;

HB_CLONED_INLINE hb_pieces hb_pieces_of(hb_words x, const bool narrow)
{
    const uint32_t s = narrow ? 26 : 31;
    const uint64_t mask = (UINT64_C(1) << s) - 1;
    return narrow && HB_COLUMNS_OF_52_BITS ? (hb_pieces){x, x} : (hb_pieces){x & mask, x >> s};
}

/* Adds the product of two words to a sum. Nothing is carried here: the columns have room, as said at the top. */
HB_CLONED_INLINE void hb_columns_add_product(hb_columns *sum, hb_pieces a, hb_pieces b, const bool narrow)
{
#if defined(__AVX512IFMA__)
    if (narrow) {
        sum->low = (hb_words)_mm512_madd52lo_epu64((__m512i)sum->low, (__m512i)a.low, (__m512i)b.low);
        sum->high = (hb_words)_mm512_madd52hi_epu64((__m512i)sum->high, (__m512i)a.low, (__m512i)b.low);
        return;
    }
#else
    (void)narrow;
#endif
    sum->low += hb_vector_mul_halves(a.low, b.low);
    sum->middle += hb_vector_mul_halves(a.low, b.high) + hb_vector_mul_halves(a.high, b.low);
    sum->high += hb_vector_mul_halves(a.high, b.high);
}

/* Carries the bits beyond the width of a column to the next one. */
HB_CLONED_INLINE void hb_columns_carry(hb_columns *sum, const bool narrow)
{
    const uint32_t s = narrow ? (HB_COLUMNS_OF_52_BITS ? 52 : 26) : 31;
    const uint64_t mask = (UINT64_C(1) << s) - 1;
    if (narrow && HB_COLUMNS_OF_52_BITS) {
        sum->high += sum->low >> s;
        sum->low &= mask;
        return;
    }
    sum->middle += sum->low >> s;
    sum->low &= mask;
    sum->high += sum->middle >> s;
    sum->middle &= mask;
}

/* Returns a sum of one word. */
HB_CLONED_INLINE hb_columns hb_columns_of(hb_words x, const bool narrow)
{
    hb_columns sum = {x, {0}, {0}};
    hb_columns_carry(&sum, narrow);
    return sum;
}

/* Constants for the reduction of sums. Narrow words: m and 2^52 mod m, balanced. Others: m, 2^62 mod m, and 1 as a
 * factor, whose quotient reduces any word. */
typedef struct hb_reducer {
    hb_vector_prime prime;
    hb_doubles narrow_above;
    hb_vector_factor above, one;
} hb_reducer;

static inline hb_reducer hb_reducer_of(const hb_modulus *m)
{
    const uint64_t narrow_above = hb_mod_reduce(UINT64_C(1) << 52, m), above = hb_mod_reduce(UINT64_C(1) << 62, m);
    return (hb_reducer){hb_vector_prime_of(m), hb_vector_all_f64(hb_f64_balanced(narrow_above, m->value)),
                        hb_vector_factor_of(hb_vector_all(above), hb_vector_all(hb_shoup_quotient(above, m->value))),
                        hb_vector_factor_of(hb_vector_all(1), hb_vector_all(m->barrett_hi))};
}

/* Returns the canonical residue of a narrow sum, low + high 2^52 after the carry, by one FP64 product and a
 * reduction. */
HB_CLONED_INLINE hb_words hb_columns_reduced_narrow(hb_columns sum, const hb_reducer *by)
{
    hb_columns_carry(&sum, true);
    const hb_words low = HB_COLUMNS_OF_52_BITS ? sum.low : sum.low | sum.middle << 26;
    const hb_doubles above = hb_vector_f64_mul(hb_vector_f64_from_word(sum.high), by->narrow_above, by->prime);
    return hb_vector_f64_residue(hb_vector_f64_reduce(above + hb_vector_f64_from_word(low), by->prime), by->prime);
}

/* Returns the canonical residue of a sum. */
HB_CLONED_INLINE hb_words hb_columns_reduced(hb_columns sum, const hb_reducer *by, const bool narrow)
{
    if (narrow) {
        return hb_columns_reduced_narrow(sum, by);
    }
    hb_columns_carry(&sum, false);
    const hb_words m = by->prime.word, low = sum.low | sum.middle << 31;
    const hb_words x = hb_vector_product(sum.high, by->above, m) + low;
    return hb_vector_canonical(x - hb_vector_quotient(x, by->one) * m, m);
}

#endif
