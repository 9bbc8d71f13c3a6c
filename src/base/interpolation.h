/* Polynomials through given values mod a prime, at points that follow one another. */
#ifndef HB_BASE_INTERPOLATION_H
#define HB_BASE_INTERPOLATION_H

#include <stdbool.h>
#include <stddef.h>

#include "modulus.h"

/* The points, i = 0 .. count - 1. */
typedef enum hb_points {
    HB_POINTS_NUMBERS,     /* i */
    HB_POINTS_SQUARES,     /* i^2 */
    HB_POINTS_HALF_SQUARES /* (i + 1/2)^2, 1/2 mod the prime */
} hb_points;

/* Returns whether so many of these points are different mod an odd number: of numbers count <= t, of squares
 * 2 count <= t. */
bool hb_points_differ(hb_points points, size_t count, uint64_t t);

/* Stores in coefficients [count] those of the polynomial of degree below count, of the lowest power first, that is
 * values[i] at point i. prime: odd, below 2^60, and the points are different mod it; values and coefficients: [0,
 * prime). It takes O(count^1.6) operations: Lagrange's form, whose denominators are factorials of such points, summed
 * up along a tree of products (J. von zur Gathen, J. Gerhard, Modern Computer Algebra, 10.2) by Karatsuba's method. Its
 * time depends on the values, so they must be public. HB_ENOMEM. Rank-local. */
hb_status hb_interpolate_mod(const hb_modulus *prime, hb_points points, const uint64_t *values, size_t count,
                             uint64_t *coefficients);

#endif
