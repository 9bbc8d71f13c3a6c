/* Shoup's multiplication over vectors (vectors.h), for moduli m < 2^61: by a fixed w in [0, m) with its quotient
 * q = floor(w 2^64 / m) (base/modarith.h). */
#ifndef HB_CPU_VECTORS_SHOUP_H
#define HB_CPU_VECTORS_SHOUP_H

#include "vectors.h"

/* A factor in every lane with its quotient, and the quotient's high half. */
typedef struct hb_vector_factor {
    hb_words w, q, q_high; /* w, its quotient, and the high half of that */
} hb_vector_factor;

/* Returns the factor w with its quotient q. */
HB_CLONED_INLINE hb_vector_factor hb_vector_factor_of(hb_words w, hb_words q)
{
    return (hb_vector_factor){w, q, q >> 32};
}

/* Returns floor(x q / 2^64), or one or two less. With halves x1, x0 and q1, q0 it is x1 q1 + floor((x1 q0 + x0 q1) /
 * 2^32 + x0 q0 / 2^64). Here the two middle products are rounded down each by itself and the last one is left out,
 * which makes less than 3. */
HB_CLONED_INLINE hb_words hb_vector_quotient(hb_words x, hb_vector_factor f)
{
    const hb_words high = x >> 32;
    return hb_vector_mul_halves(high, f.q_high) + (hb_vector_mul_halves(high, f.q) >> 32) +
           (hb_vector_mul_halves(x, f.q_high) >> 32);
}

/* Returns x w mod m in [0, 4m) for any word x: the exact Shoup quotient would leave [0, 2m). */
HB_CLONED_INLINE hb_words hb_vector_product(hb_words x, hb_vector_factor f, hb_words m)
{
    return x * f.w - hb_vector_quotient(x, f) * m;
}

/* Maps [0, 4m) to [0, m). */
HB_CLONED_INLINE hb_words hb_vector_canonical(hb_words x, hb_words m)
{
    return hb_vector_correct(hb_vector_correct(x, 2 * m), m);
}

#endif
