/* One coefficient of automorphisms and of the digits of key switching, on either engine. Loops use local copies of
 * moduli and constants: the compiler must assume that a loop's stores change the originals. */
#ifndef HB_RING_SWITCH_ARITH_H
#define HB_RING_SWITCH_ARITH_H

#include "base/modarith.h"

/* Returns 1 / element mod 2n for odd `element`, n a power of two up to 2^31. */
HB_FN uint32_t hb_galois_inverse(uint32_t element, uint64_t n)
{
    return hb_odd_inverse(element) & (uint32_t)(2 * n - 1);
}

/* Returns where coefficient j of a(X^element) comes from (semantics.md 6.9): i = from mod n with i element = j mod 2n,
 * or */
HB_FN uint32_t hb_galois_from(uint32_t j, uint32_t inverse, uint32_t n)
{
    return j * inverse & (2 * n - 1);
}

/* Returns x in [0, m), or -x mod m where from >= n, without a branch. */
HB_FN uint64_t hb_galois_sign(uint64_t x, uint32_t from, uint32_t n, uint64_t m)
{
    const uint64_t negative = 0 - (uint64_t)(from >= n); /* all ones or zero */
    return hb_correct(((m - x) & negative) | (x & ~negative), m);
}

/* How a whole row of integers in [0, q) is brought to [0, p): one way for all of its words. */
typedef enum hb_digit_way { HB_DIGIT_COPY, HB_DIGIT_CORRECT, HB_DIGIT_F64, HB_DIGIT_REDUCE } hb_digit_way;

/* Returns the cheapest way that is right for q and p. */
HB_FN hb_digit_way hb_digit_way_of(const hb_modulus *q, const hb_modulus *p)
{
    if (q->value <= p->value) {
        return HB_DIGIT_COPY;
    }
    if (q->value <= 2 * p->value) {
        return HB_DIGIT_CORRECT;
    }
    if (q->f64 != 0 && p->f64 != 0) {
        return HB_DIGIT_F64;
    }
    return HB_DIGIT_REDUCE;
}

/* Brings x in [0, 2^50) to [0, p), p < 2^50: x / p is below 2^51. */
HB_FN uint64_t hb_digit_f64(uint64_t x, const hb_modulus *p)
{
    return hb_f64_residue(hb_f64_reduce(hb_f64_from_word(x), p->f64_value, p->f64_inverse), p->value);
}

#endif
