/* A polynomial p = sum_k c_k T_k on [-1, 1], T_k the Chebyshev polynomial of degree k: T_0 = 1, T_1 = x, T_(k+1) = 2 x
 * T_k - T_(k-1). Values of T_k on [-1, 1] are in [-1, 1] too, so sum |c_k| bounds those of p. */
#ifndef HB_BASE_CHEBYSHEV_H
#define HB_BASE_CHEBYSHEV_H

#include <stdint.h>

/* The longest that is evaluated (log2 of one more: 10 levels). */
#define HB_CHEBYSHEV_MOST_DEGREE 1023

/* Whose coefficients are: said where it is passed. All are finite. The last one may be 0. */
typedef struct hb_chebyshev {
    uint32_t degree;      /* 0 .. HB_CHEBYSHEV_MOST_DEGREE */
    double *coefficients; /* [degree + 1] */
} hb_chebyshev;

#endif
