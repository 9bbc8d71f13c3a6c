/* The functions: their values, where they are defined, and how large they become on complex numbers, from which follows
 * how fast their Chebyshev coefficients decrease. Private to the room. */
#ifndef HB_APPROX_FUNCTION_H
#define HB_APPROX_FUNCTION_H

#include <mpfr.h>

#include "approx.h"

/* Mantissas of all numbers here, in bits: as many as doubles have, as many as are wanted, and more than 100 to lose. */
#define HB_APPROX_PRECISION 192

/* Sets y to f(x), x where f is defined and y not x. It is off by less than 2^-(HB_APPROX_PRECISION - 8) of itself,
 * or, of gelu below 0, of x. The inexact flag of MPFR is set unless y is exact. Not of sign. */
void hb_function_value(hb_function function, mpfr_t y, const mpfr_t x);
/* Sets slope to an upper bound of |f'| on [low, high], where f is defined. Not of sign. */
void hb_function_slope(hb_function function, mpfr_t slope, double low, double high);
/* Checks an interval: HB_EUSAGE unless low <= high are finite, HB_EDATA with a sentence where f is not defined on all
 * of [low, high]. */
hb_status hb_function_defined(hb_function function, double low, double high);
/* Sets bound to an upper bound of |f| in the Bernstein ellipse with foci low and high: the image of |z| = rho > 1 under
 * (low + high) / 2 + (high - low) / 4 (z + 1/z) and all that is inside. Returns false where nothing is known: f has a
 * singularity in it or near it. Not of sign. */
bool hb_function_ellipse(hb_function function, mpfr_t bound, double low, double high, double rho);

#endif
