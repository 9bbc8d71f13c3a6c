/* Between which values a polynomial in powers lies on an interval: exact where doubles are, rounded outwards elsewhere.
 * In the Bernstein basis of an interval a polynomial is no larger than its largest coefficient, and no smaller than its
 * smallest; the first and the last are its values at the ends. Halves of the interval have bases of their own (P. de
 * Casteljau), so halving comes as near as wanted (G. T. Cargo, O. Shisha, "The Bernstein form of a polynomial", J. Res.
 * NBS 70B, 1966). */
#ifndef HB_BASE_POLYNOMIAL_RANGE_H
#define HB_BASE_POLYNOMIAL_RANGE_H

#include <stdint.h>

#include "outward.h"

/* The longest. */
#define HB_POLYNOMIAL_RANGE_DEGREE 16

/* Returns bounds of sum c[k] x^k, k = 0 .. degree, for all x in that interval and all coefficients within theirs: wider
 * than the exact range by at most about 2^-40 of the largest magnitude of the coefficients. Infinite after an
 * overflow. */
hb_bounds hb_polynomial_range(const hb_bounds *c, uint32_t degree, hb_bounds x);

#endif
