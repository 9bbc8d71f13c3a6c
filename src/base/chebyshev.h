/* A polynomial p = sum_k c_k T_k on [-1, 1], T_k the Chebyshev polynomial of degree k: T_0 = 1, T_1 = x, T_(k+1) = 2 x
 * T_k - T_(k-1). Values of T_k on [-1, 1] are in [-1, 1] too, so sum |c_k| bounds those of p. Results are the same on
 * every machine: sums, products, quotients and roots of doubles, no functions of libraries. */
#ifndef HB_BASE_CHEBYSHEV_H
#define HB_BASE_CHEBYSHEV_H

#include <stdint.h>

#include "status.h"

/* The longest that is evaluated (log2 of one more: 10 levels). */
#define HB_CHEBYSHEV_MOST_DEGREE 1023

/* The owner of the coefficients is said where it is passed. All are finite. The last one may be 0. */
typedef struct hb_chebyshev {
    uint32_t degree;      /* 0 .. HB_CHEBYSHEV_MOST_DEGREE */
    double *coefficients; /* [degree + 1] */
} hb_chebyshev;

/* Returns the degree without zeros at the end, and the levels below its operand at which such a polynomial of
 * ciphertexts stands: ceil(log2(degree + 1)). */
uint32_t hb_chebyshev_degree(const hb_chebyshev *p);
uint32_t hb_chebyshev_levels(const hb_chebyshev *p);
/* Returns T_k(x), by its recurrence. */
double hb_chebyshev_term(uint32_t k, double x);
/* Returns p(x), by C. W. Clenshaw's recurrence (Math. Comp. 9, 1955). */
double hb_chebyshev_value(const hb_chebyshev *p, double x);
/* Returns the same, by another recurrence, and sets *slope to p'(x). */
double hb_chebyshev_value_and_slope(const hb_chebyshev *p, double x, double *slope);
/* Returns sum k^2 |c_k|, which bounds |p'| on [-1, 1], up to rounding: there |T_k'| <= k^2. */
double hb_chebyshev_slope(const hb_chebyshev *p);
/* Returns a bound of |p(z)|, as a share of the largest |p| on [-1, 1], for p of that degree and all z with real and
 * imaginary parts of at most x and y in magnitude: they are in an ellipse with foci -1 and 1, and where its half axes
 * have the sum R, the bound is R^degree (S. Bernstein). */
double hb_chebyshev_growth(double x, double y, uint32_t degree);
/* Finds bounds of the values of p within `off` of [-1, 1], 2^-20 or less: *low <= p(x) <= *high. Up to degree 16 they
 * are as near as polynomial_range.h has them; above that degree, with off 0, they are too wide by about a fiftieth of
 * the range's width at most. They follow from the values at 8 degree Chebyshev nodes (H. Ehlich, K. Zeller, Math. Z.
 * 86, 1964), and outside [-1, 1] from S. Bernstein's inequality. */
void hb_chebyshev_range(const hb_chebyshev *p, double off, double *low, double *high);

/* A polynomial in powers, converted to the Chebyshev basis. */
typedef struct hb_chebyshev_conversion {
    hb_chebyshev polynomial; /* of u = (2 x - low - high) / (high - low); coefficients: owned */
    double error; /* the most by which values on [-1, 1] differ from those of the powers; infinite: unknown */
} hb_chebyshev_conversion;
/* Converts sum powers[k] x^k, k = 0 .. degree, on low <= x <= high, low < high: in double-doubles, then rounded. The
 * caller frees the coefficients. HB_ENOMEM. */
hb_status hb_chebyshev_from_powers(hb_chebyshev_conversion *out, const double *powers, uint32_t degree, double low,
                                   double high);

#endif
