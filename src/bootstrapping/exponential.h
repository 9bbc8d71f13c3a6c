/* The constants by which a table reads coefficients on the circle (ckks/table_plan.c, semantics.md 9.16).
 *
 * Behind the raise a slot holds x = t / (bound + 1/2), t = I + m / p + noise, |t| <= bound + 1/2, bound that of the
 * form fine. Two polynomials in x are the cosine and the sine of 2 pi t / 2^doublings. Their sum, the second times i,
 * squared `doublings` times is e^(2 pi i t), from which the integer I is gone. */
#ifndef HB_BOOTSTRAPPING_EXPONENTIAL_H
#define HB_BOOTSTRAPPING_EXPONENTIAL_H

/* Degrees of both, and the degrees below which they are sums of multiples. */
enum { HB_COSINE_DEGREE = 30, HB_SINE_DEGREE = 31, HB_EXPONENTIAL_BABY = 4, HB_EXPONENTIAL_DOUBLINGS = 3 };

/* Coefficients in the Chebyshev basis. The odd ones of the cosine are 0, and the even ones of the sine. */
extern const double hb_exponential_cosine[HB_COSINE_DEGREE + 1];
extern const double hb_exponential_sine[HB_SINE_DEGREE + 1];

/* Returns cos(2 pi k / 256), the nearest double; k: any. */
double hb_exponential_root(unsigned k);

#endif
