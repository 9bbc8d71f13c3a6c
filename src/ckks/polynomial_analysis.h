/* The propagation of errors through a plan of a polynomial (polynomial_plan.h), or through some steps of it that take
 * the earlier ones as one value. The error of the result is, with x' = x + e the values that the operand really holds,
 *
 *     p(x') - p(x)  +  sum over the steps i of s_i(x') n_i,
 *
 * n_i the error that rescaling, relinearizing or a rounded constant adds in step i, s_i the derivative of the result by
 * that step's value. The s_i are polynomials in x, of degree d at most, and so is p'. They are computed here at many x,
 * forwards and backwards through the plan, so that bounds see cancellations.
 *
 * Proven: of a polynomial of degree d, the largest magnitude on an interval is at most 1 / cos(pi d / 2M) times that at
 * M > d Chebyshev nodes (H. Ehlich, K. Zeller, "Schwankung von Polynomen zwischen Gitterpunkten", Math. Z. 86, 1964),
 * and within D of [-1, 1], all in the ellipse with foci 1 and -1 and half axes of sum R = 1 + D + sqrt(2D + D^2), it is
 * at most R^d times that (S. Bernstein). Products of errors n_i n_j are in no s_i: how much a derivative may differ
 * where values are as wrong as they can be is carried along.
 *
 * Expected: errors are independent; the largest of N/2 slots is where the sum over x of exp(-t^2 / variance(x)) is 1 /
 * N, as it is for one variance (error.c). All errors here are those of values, not times a scale, and no logarithms
 * unless they say so. */
#ifndef HB_CKKS_POLYNOMIAL_ANALYSIS_H
#define HB_CKKS_POLYNOMIAL_ANALYSIS_H

#include "polynomial_plan.h"
#include "rlwe/quality.h"

/* log2 of errors of which nothing is known. */
#define HB_ERROR_HOPELESS 4096.0

/* The error that a step adds: proven, also as a norm; a standard deviation, and the excess in a few slots. */
typedef struct hb_polynomial_noise {
    double worst, norm, deviation, few;
} hb_polynomial_noise;

/* For one step. */
typedef struct hb_polynomial_record {
    hb_polynomial_noise added;
    double derivative; /* the largest of the result by its value */
    double more;       /* how much more that is where values are wrong */
} hb_polynomial_record;

/* For one value. */
typedef struct hb_polynomial_state {
    double x, derivative;       /* at one point */
    double seen;                /* the largest magnitude at the points where operands are not wrong */
    double most, error, change; /* bounds: its magnitude, its error, how much its derivative may differ */
} hb_polynomial_state;

/* Which steps: first .. end - 1, of value x to value r; and of which degree r is in x at most. */
typedef struct hb_polynomial_steps {
    uint32_t first, end;
    uint16_t x, r;
    uint32_t degree;
} hb_polynomial_steps;

typedef struct hb_polynomial_analysis {
    const hb_params *params;
    const hb_polynomial_plan *plan;
    hb_polynomial_record *steps; /* [step_count] */
    hb_polynomial_state *values; /* [value_count] */
    double largest, own;         /* magnitudes of p and p' */
    /* The factor of the worst case of divisions: 1, or hb_error_drawn where no attacker chose the words. Random
     * roundings are independent, so a sum of them with factors is like one rounding times the root of the sum of the
     * factors' squares. */
    double rounding;
} hb_polynomial_analysis;

/* Allocates for a plan, which is borrowed; the caller clears it, also after a failure. HB_ENOMEM. */
hb_status hb_polynomial_analysis_init(hb_polynomial_analysis *w, const hb_params *params,
                                      const hb_polynomial_plan *plan);
void hb_polynomial_analysis_clear(hb_polynomial_analysis *w);
/* Returns all steps, of value 0 to the result. */
hb_polynomial_steps hb_polynomial_all_steps(const hb_polynomial_plan *plan, uint32_t degree);

/* An operand: all of its values are at most `half` from `middle`. The computed values are wrong by at most `wrong`;
 * `norm` is a proven bound of the root of the mean square of that error. */
typedef struct hb_polynomial_operand {
    double middle, half, wrong, norm;
} hb_polynomial_operand;
/* Proves bounds of the sum of the errors of all steps: log2 of them in out->worst and out->norm. */
void hb_polynomial_prove(hb_polynomial_analysis *w, const hb_polynomial_steps *steps,
                         const hb_polynomial_operand *operand, hb_quality *out);

/* The result at one x, after hb_polynomial_prove: its value, the derivative by x, and the variances of the errors of
 * steps; `few` is the variance of the excess in a few slots. */
typedef struct hb_polynomial_point {
    double value, derivative, variance, few;
} hb_polynomial_point;
hb_polynomial_point hb_polynomial_at(const hb_polynomial_analysis *w, const hb_polynomial_steps *steps, double x);

/* One of the variances that errors of slots may have, and how often it is the one: weights sum up to 1. */
typedef struct hb_weighted_variance {
    double variance, weight;
} hb_weighted_variance;
/* Returns log2 of the t where the mean of exp(-t^2 / variance) is 1 / n; `largest` is the largest of the variances. */
double hb_expected_largest(const hb_weighted_variance *variances, uint32_t count, double n, double largest);

#endif
