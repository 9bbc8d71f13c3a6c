/* The transform with FP64 fused multiply-adds, for primes below 2^50, compiled once per instruction set. Between its
 * first and its last pass a row holds doubles.
 *
 * Ranges. Let every element be at most B p in magnitude and every twiddle balanced, |w| <= p/2. Then |w y| / p <= B
 * p/2, so a product is exact for B p < 2^52 and |w y mod p| <= (1/2 + B p 2^-53) p (base/modarith.h). A forward stage
 * makes B' = B + 1/2 + B p 2^-53, or 1 + 1/p + B p 2^-53 if it reduces its first operand. An inverse stage makes
 * sums of 2 B, or (p + 1) / 2 if it reduces them, and products of (1/2 + 2 B p 2^-53) p, and needs 2 B p < 2^52.
 * Which stages reduce is planned once (ntt.c): no forward stage for p < 2^48 and N <= 2^17; an inverse one
 * as soon as doubling has used up the room, about every (51 - bits)-th. */
#include "ntt.h"
#include "vectors_f64.h"

#define PLANES 1

typedef hb_doubles element;

typedef struct factor {
    hb_doubles w;
} factor;

typedef hb_vector_prime prime;

HB_CLONED_INLINE prime prime_of(const hb_modulus *m)
{
    return hb_vector_prime_of(m);
}

/* A table holds balanced doubles in one plane; there is no second one to read. */
HB_CLONED_INLINE factor factor_of(hb_words w, hb_words same)
{
    (void)same;
    return (factor){(hb_doubles)w};
}

/* Returns x w mod m as a balanced double, in the range that the head of this file gives. */
HB_CLONED_INLINE hb_doubles product(hb_doubles x, factor f, prime m)
{
    return hb_vector_f64_mul(x, f.w, m);
}

/* Sums and differences of doubles in range are exact, as integers below 2^53. */
HB_CLONED_INLINE void butterfly(hb_doubles *x, hb_doubles *y, factor f, prime m, const bool reduce)
{
    const hb_doubles a = reduce ? hb_vector_f64_reduce(*x, m) : *x, b = product(*y, f, m);
    *x = a + b;
    *y = a - b;
}

/* The difference, up to twice as large as an element, enters the product unreduced: that is why the bound here is 2 B p
 * < 2^52. */
HB_CLONED_INLINE void inverse_butterfly(hb_doubles *x, hb_doubles *y, factor f, prime m, const bool reduce)
{
    const hb_doubles sum = *x + *y;
    *y = product(*x - *y, f, m);
    *x = reduce ? hb_vector_f64_reduce(sum, m) : sum;
}

/* Between passes a row holds doubles, in the memory of its words. */
HB_CLONED_INLINE hb_doubles get(hb_words x)
{
    return (hb_doubles)x;
}

HB_CLONED_INLINE hb_words put(hb_doubles x)
{
    return (hb_words)x;
}

/* Canonical words become doubles; at the end products, or any words in range, become canonical. */
HB_CLONED_INLINE hb_doubles enter(hb_words x, prime m, const bool reduce)
{
    const hb_doubles word = hb_vector_f64_from_word(x);
    return reduce ? hb_vector_f64_reduce(word, m) : word;
}

HB_CLONED_INLINE hb_words leave_product(hb_doubles x, prime m)
{
    return hb_vector_f64_residue(x, m);
}

/* The last stage forward leaves sums that may be out of a residue's range: they are reduced first. */
HB_CLONED_INLINE hb_words leave(hb_doubles x, prime m)
{
    return leave_product(hb_vector_f64_reduce(x, m), m);
}

#include "ntt_stages.inc"

const hb_cpu_transform HB_BUILT(hb_cpu_ntt_f64) = {.planes = PLANES, .forward = forward, .inverse = inverse};
