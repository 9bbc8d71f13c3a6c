/* The shape of keys: how large the secret is, and the errors in keys, from which bounds of errors are made. A key of
 * one owner has a ternary secret. Joint keys have the sum of the ternary secrets of n owners, and are sums of what each
 * owner contributes; errors add up, and those of relinearization are products of sums:
 *
 *                        one owner     n owners, worst              n owners, variance
 *   |s|_1                N             n N
 *   squares of s         2N/3          2 n N/3                      (expected)
 *   public key, Galois   21; 10.5      21 n                         10.5 n
 *   relinearization      21; 10.5      42 n^2 N + 21 n              14 n^2 N + 10.5 n
 *   keys to a public key               21 (2 n N + 1)               10.5 (4 n N/3 + 1)
 *
 * An error of relinearization is s e_0 + u e_1 + e_2, s and u sums of n ternary polynomials, e_j of n errors. A key to
 * the public key b = -(a s + e) encrypts by it: -u e + e_0 + e_1 s with one ternary u. Pure functions. */
#ifndef HB_RLWE_KEY_SHAPE_H
#define HB_RLWE_KEY_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

#define HB_MOST_OWNERS 64

/* The largest magnitude and the variance of the errors that one owner draws for a key, of either distribution
 * (ring/sample_ops.h). */
#define HB_KEY_ERROR_BOUND 21.0
#define HB_KEY_ERROR_VARIANCE 10.5

/* The errors in a key: the largest magnitude of a coefficient, and its variance. */
typedef struct hb_key_error {
    double worst, variance;
} hb_key_error;

typedef struct hb_key_shape {
    double norm;   /* |s|_1 at most: the sum of the magnitudes of the coefficients */
    double square; /* the sum of their squares, as expected */
    hb_key_error public_key, relin, galois;
    hb_key_error rekey; /* keys that switch from another secret to this one, made with the public key alone */
} hb_key_shape;

/* The keys by which polynomials are switched. A key between two secrets that one person has is made as Galois keys are,
 * and has their errors. */
typedef enum hb_switch_use { HB_SWITCH_RELIN, HB_SWITCH_GALOIS, HB_SWITCH_REKEY } hb_switch_use;

/* Returns the shape of keys of `owners` owners, 1 .. HB_MOST_OWNERS, in a ring of degree n. */
static inline hb_key_shape hb_key_shape_of(size_t n, uint32_t owners)
{
    HB_ASSERT(owners >= 1 && owners <= HB_MOST_OWNERS);
    const double norm = (double)owners * (double)n, square = owners * (2 * (double)n / 3);
    const hb_key_error sum = {owners * HB_KEY_ERROR_BOUND, owners * HB_KEY_ERROR_VARIANCE};
    hb_key_shape shape = {.norm = norm, .square = square, .public_key = sum, .relin = sum, .galois = sum};
    if (owners > 1) {
        shape.relin = (hb_key_error){(2 * norm + 1) * sum.worst, (2 * square + 1) * sum.variance};
    }
    shape.rekey = (hb_key_error){(2 * norm + 1) * HB_KEY_ERROR_BOUND, (2 * square + 1) * HB_KEY_ERROR_VARIANCE};
    return shape;
}

/* Returns the errors of these keys. */
static inline hb_key_error hb_key_shape_error(const hb_key_shape *shape, hb_switch_use use)
{
    return use == HB_SWITCH_RELIN ? shape->relin : use == HB_SWITCH_GALOIS ? shape->galois : shape->rekey;
}

#endif
