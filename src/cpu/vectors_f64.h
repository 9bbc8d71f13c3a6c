/* FP64 arithmetic over vectors (vectors.h), for moduli m < 2^50. Each function is that of base/modarith.h of the same
 * name without `vector`, with the same ranges. */
#ifndef HB_CPU_VECTORS_F64_H
#define HB_CPU_VECTORS_F64_H

#include "vectors.h"

/* A modulus in every lane: as a double, its inverse, and as a word. */
typedef struct hb_vector_prime {
    hb_doubles value, inverse;
    hb_words word; /* the value as an integer */
} hb_vector_prime;

/* Returns a modulus in every lane. */
HB_CLONED_INLINE hb_vector_prime hb_vector_prime_of(const hb_modulus *m)
{
    return (hb_vector_prime){hb_vector_all_f64(m->f64_value), hb_vector_all_f64(m->f64_inverse),
                             hb_vector_all(m->value)};
}

/* Converts words in [0, 2^52) to doubles, exactly. */
HB_CLONED_INLINE hb_doubles hb_vector_f64_from_word(hb_words x)
{
    return (hb_doubles)(x | HB_F64_TWO52_BITS) - HB_F64_TWO52;
}

/* Returns the nearest integers to a b, |a b| < 2^51, as doubles. */
HB_CLONED_INLINE hb_doubles hb_vector_f64_round_product(hb_doubles a, hb_doubles b)
{
    return hb_vector_fma(a, b, hb_vector_all_f64(HB_F64_MAGIC)) - HB_F64_MAGIC;
}

/* Returns a b mod m, of magnitude at most m (1/2 + |a b / m| 2^-52), for |a b| / m < 2^51. */
HB_CLONED_INLINE hb_doubles hb_vector_f64_mul(hb_doubles a, hb_doubles b, hb_vector_prime m)
{
    const hb_doubles high = a * b, low = hb_vector_fma(a, b, -high), q = hb_vector_f64_round_product(high, m.inverse);
    return hb_vector_fma(-q, m.value, high) + low;
}

/* Reduces integers |x| < 2^52 to |result| <= (m + 1) / 2, congruent modulo m. */
HB_CLONED_INLINE hb_doubles hb_vector_f64_reduce(hb_doubles x, hb_vector_prime m)
{
    return hb_vector_fma(-hb_vector_f64_round_product(x, m.inverse), m.value, x);
}

/* Converts integers in [-m, m) to words in [0, m). */
HB_CLONED_INLINE hb_words hb_vector_f64_residue(hb_doubles x, hb_vector_prime m)
{
    return hb_vector_from_signed((hb_words)(x + HB_F64_MAGIC) - HB_F64_MAGIC_BITS, m.word);
}

#endif
