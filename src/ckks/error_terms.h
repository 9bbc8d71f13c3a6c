/* How bounds of errors are put together (error.c has the derivations): of parts, as sums, times values, with what few
 * slots have more than others. Logarithms are to the base 2. */
#ifndef HB_CKKS_ERROR_TERMS_H
#define HB_CKKS_ERROR_TERMS_H

#include "error.h"

/* The variance of what rounding to integers takes away. */
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
/* Returns what is known of the error where it is largest, as hb_quality_even of its mean square. */
double hb_error_peak(hb_quality a);
/* Returns log2 of the root of the difference of the squares, of a larger number and a smaller one. */
double hb_error_rest(double a, double b);
/* Returns the share that a term has in the mean square of a sum. */
double hb_error_share(double term, double sum);
/* Return what systematic errors come to: the sum of two, of different origin or of one sign; one times what
 * hb_error_times says, or times the number 2^bits; one with its slack, none where it is below 1; and what is expected
 * of an error, another part of which is `expected`, with this one. */
hb_systematic hb_error_systematic_sum(hb_systematic a, hb_systematic b);
hb_systematic hb_error_systematic_aligned(hb_systematic a, hb_systematic b);
hb_systematic hb_error_systematic_times(hb_systematic a, hb_magnitude factor);
hb_systematic hb_error_systematic_shifted(hb_systematic a, double bits);
hb_systematic hb_error_systematic_bounded(hb_systematic a, double worst);
double hb_error_with_systematic(double expected, hb_systematic part);
/* Return log2 of what the largest magnitude in a slot is multiplied by at most in a map of slots, by its largest row;
 * and what a systematic error comes to there. */
double hb_error_row_most(const hb_linear_size *size);
hb_systematic hb_error_systematic_rows(hb_systematic a, const hb_linear_size *size);
/* Returns the error with its slack; what is expected is never above what is proven, nor the norm above the largest
 * slot. log2 of errors below 1 is 0 and above: as files have it, and no norm is 0, which nobody knows. */
hb_quality hb_error_bounded(hb_quality a);
/* Return what is expected of the largest slot beside what follows from the mean square: of a few slots that have more
 * than others; and a with that. */
double hb_error_in_few(const hb_params *params, hb_quality a);
hb_quality hb_error_with_few(const hb_params *params, hb_quality a, double few);
/* Return the bound of a part; and of an error that is one number in all slots. */
hb_quality hb_error_of(const hb_params *params, hb_error_part x);
hb_quality hb_error_in_all(const hb_params *params, double most, double deviation);
/* Return the sum of errors of different origin; and of errors that are times values what the same cause makes them, of
 * one sign. */
hb_quality hb_error_together(const hb_params *params, hb_quality a, hb_quality b);
hb_quality hb_error_aligned(const hb_params *params, hb_quality a, hb_quality b);
/* Returns a and a part of another origin, bounded. */
hb_quality hb_error_with(const hb_params *params, hb_quality a, hb_error_part more);
/* Return a times what is at most 2^most at every root, about 2^mean at the mean; and times the number 2^bits. */
hb_quality hb_error_times(const hb_params *params, hb_quality a, hb_magnitude factor);
hb_quality hb_error_shifted(const hb_params *params, hb_quality a, double bits);
/* Returns by what factor the largest slot of roundings within a unit, of words that nobody chose, is smaller than that
 * of the worst there can be: they are taken to be no larger at any root than those of all but one in 2^80 drawn ones.
 * So are digits of key switching, which are uniform alike. */
double hb_error_drawn(const hb_params *params);
/* Returns roundings, within `most` each, of d_0 + d_1 s + ... + d_(size - 1) s^(size - 1). */
hb_error_part hb_error_rounded(double n, double most, uint32_t size);

#endif
