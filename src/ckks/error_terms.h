/* Operations on bounds of errors (error.c has the derivations): their parts, sums, products with values, and the larger
 * errors of a few slots. Logarithms are to the base 2. */
#ifndef HB_CKKS_ERROR_TERMS_H
#define HB_CKKS_ERROR_TERMS_H

#include "error.h"

/* The variance of the error of rounding to integers. */
#define HB_ROUNDING_VARIANCE (1.0 / 12)

/* An error as it is put together: not logarithms, largest, norm, and standard deviation at a root. */
typedef struct hb_error_part {
    double worst, norm, deviation;
} hb_error_part;

/* Returns N. */
static inline double hb_error_degree(const hb_params *params)
{
    return (double)params->spec.n;
}

/* Return H(variance), of n coefficients, and for the secret that and the variance of a root. */
double hb_error_key(double n, double variance);
double hb_error_secret(double n);
double hb_error_secret_variance(double n);
/* The errors in a switching key: the largest magnitude at a root, and the variance of a coefficient. */
typedef struct hb_key_errors {
    double most, variance;
} hb_key_errors;
/* Returns those of the keys of a use. One that was made with a public key has -e u + e_0 + e_1 s; u is taken for as
 * honest as the secret. */
static inline hb_key_errors hb_error_of_key(const hb_params *params, hb_switch_use use)
{
    const double n = hb_error_degree(params), most = hb_error_key(n, HB_KEY_ERROR_VARIANCE);
    return use == HB_SWITCH_REKEY
               ? (hb_key_errors){(2 * hb_error_secret(n) + 1) * most, params->key_shape.rekey.variance}
               : (hb_key_errors){most, HB_KEY_ERROR_VARIANCE};
}
/* Returns a bound of the error where it is largest, as hb_quality_even of its mean square. */
double hb_error_peak(hb_quality a);
/* Returns log2 of the root of the difference of the squares, of a larger number and a smaller one. */
double hb_error_rest(double a, double b);
/* Returns the share that a term has in the mean square of a sum. */
double hb_error_share(double term, double sum);
/* Operations on systematic errors. Sums: of two of different origin; of two of one sign. Products: with the factor of
 * hb_error_times; with 2^bits. Bounded: with its slack, none where it is below 1. Last: the expected error of a sum of
 * this one and another part, `expected`. */
hb_systematic hb_error_systematic_sum(hb_systematic a, hb_systematic b);
hb_systematic hb_error_systematic_aligned(hb_systematic a, hb_systematic b);
hb_systematic hb_error_systematic_times(hb_systematic a, hb_magnitude factor);
hb_systematic hb_error_systematic_shifted(hb_systematic a, double bits);
hb_systematic hb_error_systematic_bounded(hb_systematic a, double worst);
double hb_error_with_systematic(double expected, hb_systematic part);
/* Return log2 of the most by which a map of slots multiplies the largest magnitude in a slot, that of its largest row;
 * and a systematic error after the map. */
double hb_error_row_most(const hb_linear_size *size);
hb_systematic hb_error_systematic_rows(hb_systematic a, const hb_linear_size *size);
/* Returns the error with its slack; the expected error is never above the proven one, nor the norm above the largest
 * slot. log2 of an error is at least 0, as in files, so that a norm is never 0, which means unknown. */
hb_quality hb_error_bounded(hb_quality a);
/* Return the expected error of the largest slot that the mean square does not show, as a few slots have more than
 * others; and a with that. */
double hb_error_in_few(const hb_params *params, hb_quality a);
hb_quality hb_error_with_few(const hb_params *params, hb_quality a, double few);
/* Return the bound of a part; and of an error that is one number in all slots. */
hb_quality hb_error_of(const hb_params *params, hb_error_part x);
hb_quality hb_error_in_all(const hb_params *params, double most, double deviation);
/* Return the sum of errors of different origin; and the sum of errors of one sign that one cause makes in proportion to
 * values. */
hb_quality hb_error_together(const hb_params *params, hb_quality a, hb_quality b);
hb_quality hb_error_aligned(const hb_params *params, hb_quality a, hb_quality b);
/* Returns a and a part of another origin, bounded. */
hb_quality hb_error_with(const hb_params *params, hb_quality a, hb_error_part more);
/* Return a times a factor that is at most 2^most at every root and about 2^mean on average; and a times 2^bits. */
hb_quality hb_error_times(const hb_params *params, hb_quality a, hb_magnitude factor);
hb_quality hb_error_shifted(const hb_params *params, hb_quality a, double bits);
/* Returns the factor by which roundings within a unit, of words that no attacker chose, are smaller in the largest slot
 * than in the worst case. They are taken to be no larger at any root than all but one in 2^80 random ones. The same
 * holds for digits of key switching, which are uniform as well. */
double hb_error_drawn(const hb_params *params);
/* Returns roundings, within `most` each, of d_0 + d_1 s + ... + d_(size - 1) s^(size - 1). */
hb_error_part hb_error_rounded(double n, double most, uint32_t size);

#endif
