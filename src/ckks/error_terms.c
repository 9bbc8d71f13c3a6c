#include "error_terms.h"

#include <math.h>

#include "rlwe/bounds.h"

double hb_error_tail(const hb_params *params)
{
    return sqrt(log(hb_error_degree(params)));
}

double hb_error_key(double n, double variance)
{
    const double nearest = cos(acos(-1) / 16);
    return sqrt(variance * n * (log(8 * n) + 80 * log(2))) / nearest;
}

double hb_error_secret(double n)
{
    return hb_error_key(n, 2.0 / 3);
}

double hb_error_secret_variance(double n)
{
    return 2 * n / 3;
}

/* Adds two parts whose signs have nothing to do with one another. */
static double sum_of_parts(double a, double b)
{
    return a == 0 ? b : b == 0 ? a : hb_log_root(a, b);
}

hb_systematic hb_error_systematic_sum(hb_systematic a, hb_systematic b)
{
    return (hb_systematic){sum_of_parts(a.most, b.most), sum_of_parts(a.mean, b.mean)};
}

/* The mean of the squares of products is bounded by the largest of one factor: nothing better is known if both factors
 * come from the same values. */
hb_systematic hb_error_systematic_times(hb_systematic a, hb_magnitude factor)
{
    if (a.most == 0) {
        return a;
    }
    const double mean = fmin(factor.mean, factor.peak);
    return (hb_systematic){a.most + factor.peak, fmin(a.most + mean, a.mean + factor.peak)};
}

double hb_error_with_systematic(double expected, hb_systematic part)
{
    return part.most == 0 ? expected : hb_log_root(expected, part.most);
}

static double sum_of_one_sign(double a, double b)
{
    return a == 0 ? b : b == 0 ? a : hb_log_sum(a, b);
}

hb_systematic hb_error_systematic_aligned(hb_systematic a, hb_systematic b)
{
    return (hb_systematic){sum_of_one_sign(a.most, b.most), sum_of_one_sign(a.mean, b.mean)};
}

hb_systematic hb_error_systematic_shifted(hb_systematic a, double bits)
{
    return hb_error_systematic_times(a, (hb_magnitude){bits, bits, 1, bits});
}

double hb_error_row_most(const hb_linear_size *size)
{
    return size->gain != NULL ? fmin(size->most, log2(size->gain->magnitudes) + HB_BOUND_SLACK) : size->most;
}

/* A part of the systematic error has one sign in all slots, and adds up as the weights do, with their signs. The rest
 * has either sign, by the value of each slot, and adds up by the root of the squares. The mean gets the larger of the
 * gains of both. The largest slot gets the sum of three terms: the mean with one sign, four times the mean with either
 * sign, and one slot at its largest. */
hb_systematic hb_error_systematic_rows(hb_systematic a, const hb_linear_size *size)
{
    const double all = hb_error_row_most(size);
    if (a.most == 0 || size->gain == NULL || !size->whole) {
        return hb_error_systematic_shifted(a, all);
    }
    const hb_block_gain *gain = size->gain;
    const double most =
        log2(exp2(a.mean - a.most) * (gain->sum + 4 * gain->root) + gain->largest) + a.most + HB_BOUND_SLACK;
    return (hb_systematic){fmin(most, a.most + all), fmin(a.mean + log2(gain->mean), a.most + all)};
}

/* A part below 1 is none. */
hb_systematic hb_error_systematic_bounded(hb_systematic a, double worst)
{
    const double most = fmin(a.most, worst) + HB_BOUND_SLACK;
    return a.most <= 0 ? (hb_systematic){0, 0} : (hb_systematic){most, fmin(a.mean + HB_BOUND_SLACK, most)};
}

hb_quality hb_error_bounded(hb_quality a)
{
    a.worst = fmax(a.worst, 0) + HB_BOUND_SLACK;
    a.norm = fmax(fmin(a.norm, a.worst), 0) + HB_BOUND_SLACK;
    const double even = fmin(hb_quality_even(a), a.worst);
    a.expected = fmax(fmin(a.expected, a.worst), 0) + HB_BOUND_SLACK;
    a.even = fmax(even, 0) + HB_BOUND_SLACK;
    a.peak = fmax(a.even, fmin(a.peak, a.worst));
    a.systematic = hb_error_systematic_bounded(a.systematic, a.worst);
    a.powers = 1;
    return a;
}

double hb_error_peak(hb_quality a)
{
    return a.peak != 0 ? fmax(a.peak, hb_quality_even(a)) : hb_quality_even(a);
}

double hb_error_rest(double a, double b)
{
    return a > b ? a + log2(1 - exp2(2 * (b - a))) / 2 : -INFINITY;
}

/* Returns by how many bits the largest of all slots is expected above that of an even error with the same mean square,
 * where deviations of slots are peak u^k, u evenly spread. With peak^2 = 2^(2 bits) times the mean square, 2 k + 1 is
 * that, and n slots have a largest square x peak^2, x + ln(1 + 2 k x) = ln n: the mean over u of exp(-x u^(-2 k)) is
 * about exp(-x) / (1 + 2 k x). The left side is concave in x: Newton's steps from 0 on rise to the solution. */
static double largest_above_even(const hb_params *params, double bits)
{
    if (bits <= 0) {
        return 0;
    }
    const double most = log(hb_error_degree(params)), rise = exp2(2 * fmin(bits, 100)) - 1;
    double x = 0, step = 1;
    for (int i = 0; i < 50 && step > x * 0x1p-40; i++) {
        step = (most - x - log(1 + rise * x)) / (1 + rise / (1 + rise * x));
        x += step;
    }
    return fmax(bits + log2(x / most) / 2, 0);
}

/* Returns the expected error of the largest slot, where slots differ by their values alone: one standard deviation of
 * the common part, which is one number, and all of the systematic part. */
static double in_most(const hb_params *params, hb_quality a)
{
    const double tail = hb_error_tail(params), even = hb_quality_even(a);
    const double drawn =
        even + largest_above_even(params, hb_error_peak(a) - even) + log2(1 - a.common + a.common / (tail * tail)) / 2;
    return hb_error_with_systematic(drawn, a.systematic);
}

double hb_error_in_few(const hb_params *params, hb_quality a)
{
    return hb_error_rest(a.expected, in_most(params, a));
}

hb_quality hb_error_with_few(const hb_params *params, hb_quality a, double few)
{
    a.expected = hb_log_root(in_most(params, a), few);
    return a;
}

hb_quality hb_error_of(const hb_params *params, hb_error_part x)
{
    const double even = log2(x.deviation * hb_error_tail(params));
    return (hb_quality){.worst = log2(x.worst), .norm = log2(x.norm), .expected = even, .even = even};
}

hb_quality hb_error_in_all(const hb_params *params, double most, double deviation)
{
    hb_quality a = hb_error_of(params, (hb_error_part){most, most, deviation});
    a.common = 1;
    return hb_error_with_few(params, a, -INFINITY);
}

double hb_error_share(double term, double sum)
{
    return fmin(exp2(2 * (term - sum)), 1);
}

hb_quality hb_error_together(const hb_params *params, hb_quality a, hb_quality b)
{
    const double left = hb_quality_even(a), right = hb_quality_even(b);
    hb_quality sum = {.worst = hb_log_sum(a.worst, b.worst),
                      .norm = hb_log_sum(hb_quality_known_norm(a), hb_quality_known_norm(b)),
                      .even = hb_log_root(left, right),
                      .peak = hb_log_root(hb_error_peak(a), hb_error_peak(b)),
                      .systematic = hb_error_systematic_sum(a.systematic, b.systematic)};
    sum.common = a.common * hb_error_share(left, sum.even) + b.common * hb_error_share(right, sum.even);
    return hb_error_with_few(params, sum, hb_log_root(hb_error_in_few(params, a), hb_error_in_few(params, b)));
}

hb_quality hb_error_aligned(const hb_params *params, hb_quality a, hb_quality b)
{
    const double left = hb_quality_even(a), right = hb_quality_even(b);
    hb_quality sum = hb_error_together(params, a, b);
    sum.even = hb_log_sum(left, right);
    sum.peak = hb_log_sum(hb_error_peak(a), hb_error_peak(b));
    sum.common =
        pow(sqrt(a.common * hb_error_share(left, sum.even)) + sqrt(b.common * hb_error_share(right, sum.even)), 2);
    return hb_error_with_few(params, sum, hb_log_root(hb_error_in_few(params, a), hb_error_in_few(params, b)));
}

hb_quality hb_error_with(const hb_params *params, hb_quality a, hb_error_part more)
{
    return hb_error_bounded(hb_error_together(params, a, hb_error_of(params, more)));
}

hb_quality hb_error_times(const hb_params *params, hb_quality a, hb_magnitude factor)
{
    const double mean = fmin(factor.mean, factor.most);
    const hb_quality r = {.worst = a.worst + factor.most,
                          .norm = hb_quality_known_norm(a) + factor.most,
                          .even = hb_quality_even(a) + mean,
                          .peak = hb_error_peak(a) + factor.peak,
                          .common = a.common * factor.common,
                          .systematic = hb_error_systematic_times(a.systematic, factor)};
    return hb_error_with_few(params, r, hb_error_in_few(params, a) + mean);
}

hb_quality hb_error_shifted(const hb_params *params, hb_quality a, double bits)
{
    return hb_error_times(params, a, (hb_magnitude){bits, bits, 1, bits});
}

double hb_error_drawn(const hb_params *params)
{
    const double n = hb_error_degree(params);
    return fmin(hb_error_key(n, HB_ROUNDING_VARIANCE) / (n / 2), 1);
}

hb_error_part hb_error_rounded(double n, double most, uint32_t size)
{
    hb_error_part sum = {0, 0, 0};
    double power = 1, variance = 1;
    for (uint32_t i = 0; i < size; i++) {
        sum.worst += n * most * power;
        sum.norm += sqrt(n) * most * power;
        sum.deviation += n * HB_ROUNDING_VARIANCE * variance;
        power *= hb_error_secret(n);
        variance *= (i + 1) * hb_error_secret_variance(n);
    }
    sum.deviation = sqrt(sum.deviation);
    return sum;
}
