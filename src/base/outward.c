#include "outward.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Ends are rounded outwards where they are not exact: `error` is the exact value less the rounded one. */

/* Returns the next double, up or down, as nextafter does, which takes most of the time of sums of many terms. */
static double next(double x, bool up)
{
    uint64_t bits;
    if (isnan(x) || x == (up ? HUGE_VAL : -HUGE_VAL)) {
        return x;
    }
    if (x == 0) {
        return up ? 0x1p-1074 : -0x1p-1074;
    }
    memcpy(&bits, &x, sizeof bits); /* magnitudes are in the order of their bits */
    bits += (x > 0) == up ? 1 : UINT64_MAX;
    memcpy(&x, &bits, sizeof bits);
    return x;
}

static double down(double x, double error)
{
    return error < 0 || isnan(error) ? next(x, false) : x;
}

static double up(double x, double error)
{
    return error > 0 || isnan(error) ? next(x, true) : x;
}

/* By Knuth (TAOCP 4.2.2): exact unless something overflows, which makes it a NaN. */
static double error_of_sum(double a, double b, double sum)
{
    const double part = sum - a;
    return (a - (sum - part)) + (b - part);
}

hb_bounds hb_bounds_add(hb_bounds a, hb_bounds b)
{
    const double low = a.low + b.low, high = a.high + b.high;
    return (hb_bounds){down(low, error_of_sum(a.low, b.low, low)), up(high, error_of_sum(a.high, b.high, high))};
}

/* 0 times an end that is infinite, "or more", is 0. A product may lose bits below the least double, which fma does not
 * see; it is taken for inexact there. */
static inline hb_bounds product(double a, double b)
{
    if (a == 0 || b == 0) {
        return (hb_bounds){0, 0};
    }
    const double p = a * b, error = fabs(p) < 0x1p-900 ? (double)NAN : fma(a, b, -p);
    return (hb_bounds){down(p, error), up(p, error)};
}

static hb_bounds joined(hb_bounds a, hb_bounds b)
{
    return (hb_bounds){fmin(a.low, b.low), fmax(a.high, b.high)};
}

hb_bounds hb_bounds_multiply(hb_bounds a, hb_bounds b)
{
    if (a.low == a.high && b.low == b.high) {
        return product(a.low, b.low);
    }
    return joined(joined(product(a.low, b.low), product(a.low, b.high)),
                  joined(product(a.high, b.low), product(a.high, b.high)));
}

hb_bounds hb_bounds_add_product(hb_bounds sum, hb_bounds a, double number)
{
    const double least = number < 0 ? a.high : a.low, most = number < 0 ? a.low : a.high;
    return hb_bounds_add(sum, (hb_bounds){product(least, number).low, product(most, number).high});
}

hb_bounds hb_bounds_divide(hb_bounds a, double number)
{
    const double low = a.low / number, high = a.high / number;
    return (hb_bounds){down(low, -fma(low, number, -a.low)), up(high, -fma(high, number, -a.high))};
}

double hb_decimal_down(double x, int digits)
{
    const double unit = pow(10, digits), whole = rint(x * unit), nearest = whole / unit;
    if (!isfinite(whole)) {
        return x;
    }
    return (nearest <= x ? nearest : (whole - 1) / unit) + 0.0; /* -0 + 0 is 0 */
}

double hb_decimal_up(double x, int digits)
{
    return 0.0 - hb_decimal_down(-x, digits);
}

double hb_significant_up(double x, int digits)
{
    return x == 0 || !isfinite(x) ? x : hb_decimal_up(x, digits - 1 - (int)floor(log10(fabs(x))));
}
