/* A function's Chebyshev coefficients on an interval, by interpolation where T_n is +-1, to a degree n at which the
 * remainder is proven to be negligible. Private to the room.
 *
 * In an ellipse (function.h) with |f| <= M, coefficients are at most 2 M rho^-k, and the interpolant of f in the n + 1
 * points is off by at most 4 M rho^-n / (rho - 1) (L. N. Trefethen, Approximation Theory and Approximation Practice,
 * theorem 8.2). */
#ifndef HB_APPROX_EXPANSION_H
#define HB_APPROX_EXPANSION_H

#include <mpfr.h>

#include "function.h"

/* The longest expansion. */
#define HB_EXPANSION_MOST_DEGREE 32768

/* f = sum c_k T_k(u), off by at most error, u as in hb_approximation. */
typedef struct hb_expansion {
    uint32_t degree; /* a power of two */
    mpfr_t *c;       /* [degree + 1]; owned */
    mpfr_t error;    /* HB_APPROX_PRECISION bits, rounded up */
} hb_expansion;

/* Sets bits to a lower bound of -log2 of the error of truncation to, or interpolation of, this degree, from the best
 * of many ellipses; -infinity where there is none. f is defined on [low, high], and is not sign; low < high. */
double hb_expansion_bits(hb_function function, double low, double high, uint32_t degree);
/* Makes the expansion of the least degree, a power of two, whose hb_expansion_bits are at least `bits`. HB_ECONFIG,
 * without a sentence of its own, where it is above HB_EXPANSION_MOST_DEGREE; HB_ENOMEM. The caller clears it whatever
 * happens. */
hb_status hb_expansion_init(hb_expansion *e, hb_function function, double low, double high, double bits);
/* Frees its memory; a zeroed one is allowed. */
void hb_expansion_clear(hb_expansion *e);

#endif
