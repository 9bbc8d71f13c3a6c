#include "interval.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/outward.h"
#include "io/base/real_text.h"
#include "scheme/codec.h"

static const hb_interval unknown = {.known = false};

hb_interval hb_interval_of(int64_t least, int64_t most)
{
    return (hb_interval){.known = true, .least = least, .most = most};
}

hb_interval hb_interval_of_reals(double low, double high)
{
    return (hb_interval){.known = true, .real = true, .low = low, .high = high};
}

/* --- ends of integers, which saturate */

static int64_t add(int64_t a, int64_t b)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum) || sum == INT64_MIN) {
        return a > 0 ? INT64_MAX : -INT64_MAX;
    }
    return sum;
}

static int64_t multiply(int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a, b, &product) || product == INT64_MIN) {
        return (a > 0) == (b > 0) ? INT64_MAX : -INT64_MAX;
    }
    return product;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool saturated(hb_interval a)
{
    return a.least == -INT64_MAX || a.least == INT64_MAX || a.most == -INT64_MAX || a.most == INT64_MAX;
}

static double from_integer(int64_t end, bool upper)
{
    const double near = (double)end; /* rounded */
    if (end == INT64_MAX || end <= -INT64_MAX) {
        return end > 0 ? HUGE_VAL : -HUGE_VAL;
    }
    if (upper) {
        return near < 0x1p63 && (int64_t)near < end ? nextafter(near, HUGE_VAL) : near;
    }
    return near >= 0x1p63 || (int64_t)near > end ? nextafter(near, -HUGE_VAL) : near;
}

hb_interval hb_interval_to_reals(hb_interval a)
{
    if (a.real || !a.known) {
        return a;
    }
    return hb_interval_of_reals(from_integer(a.least, false), from_integer(a.most, true));
}

/* Makes both of reals where one is. Returns whether they are. */
static bool as_reals(hb_interval *a, hb_interval *b)
{
    if (a->real || b->real) {
        *a = hb_interval_to_reals(*a);
        *b = hb_interval_to_reals(*b);
        return true;
    }
    return false;
}

static hb_bounds ends_of(hb_interval a)
{
    return (hb_bounds){a.low, a.high};
}

static hb_interval between(hb_bounds ends)
{
    return hb_interval_of_reals(ends.low, ends.high);
}

hb_interval hb_interval_add(hb_interval a, hb_interval b)
{
    if (!a.known || !b.known) {
        return unknown;
    }
    if (as_reals(&a, &b)) {
        return between(hb_bounds_add(ends_of(a), ends_of(b)));
    }
    if (saturated(a) || saturated(b)) {
        return hb_interval_of(-INT64_MAX, INT64_MAX); /* ends that are not known do not cancel */
    }
    return hb_interval_of(add(a.least, b.least), add(a.most, b.most));
}

hb_interval hb_interval_negate(hb_interval a)
{
    return a.real ? hb_interval_of_reals(-a.high, -a.low) : hb_interval_multiply(a, hb_interval_of(-1, -1));
}

hb_interval hb_interval_multiply(hb_interval a, hb_interval b)
{
    if (!a.known || !b.known) {
        return unknown;
    }
    if (as_reals(&a, &b)) {
        return between(hb_bounds_multiply(ends_of(a), ends_of(b)));
    }
    const int64_t ends[] = {multiply(a.least, b.least), multiply(a.least, b.most), multiply(a.most, b.least),
                            multiply(a.most, b.most)};
    return hb_interval_of(smaller(smaller(ends[0], ends[1]), smaller(ends[2], ends[3])),
                          larger(larger(ends[0], ends[1]), larger(ends[2], ends[3])));
}

hb_interval hb_interval_square(hb_interval a)
{
    hb_interval r = hb_interval_multiply(a, a);
    /* The smallest end is a product of both ends where 0 lies between them. */
    if (r.real) {
        r.low = fmax(r.low, 0);
    } else {
        r.least = larger(r.least, 0);
    }
    return r;
}

hb_interval hb_interval_with_zero(hb_interval a)
{
    if (!a.known) {
        return unknown;
    }
    return hb_interval_join(a, a.real ? hb_interval_of_reals(0, 0) : hb_interval_of(0, 0));
}

hb_interval hb_interval_join(hb_interval a, hb_interval b)
{
    if (!a.known || !b.known) {
        return a.known ? a : b;
    }
    if (as_reals(&a, &b)) {
        return hb_interval_of_reals(fmin(a.low, b.low), fmax(a.high, b.high));
    }
    return hb_interval_of(smaller(a.least, b.least), larger(a.most, b.most));
}

hb_interval hb_interval_meet(hb_interval a, hb_interval b)
{
    if (as_reals(&a, &b)) {
        const hb_interval both = hb_interval_of_reals(fmax(a.low, b.low), fmin(a.high, b.high));
        return both.low <= both.high ? both : unknown;
    }
    const hb_interval both = hb_interval_of(larger(a.least, b.least), smaller(a.most, b.most));
    return both.least <= both.most ? both : unknown;
}

double hb_interval_magnitude(hb_interval a)
{
    const hb_interval r = hb_interval_to_reals(a);
    return fmax(fabs(r.low), fabs(r.high));
}

static void end_text(char out[HB_REAL_TEXT], int64_t end)
{
    if (end == INT64_MAX || end <= -INT64_MAX) {
        strcpy(out, end > 0 ? "more than 2^62" : "less than -2^62");
    } else {
        snprintf(out, HB_REAL_TEXT, "%" PRId64, end);
    }
}

void hb_interval_text(char out[HB_INTERVAL_TEXT], hb_interval a)
{
    char least[HB_REAL_TEXT], most[HB_REAL_TEXT];
    if (a.real) {
        hb_real_bound_text(least, a.low, false);
        hb_real_bound_text(most, a.high, true);
    } else {
        end_text(least, a.least);
        end_text(most, a.most);
    }
    snprintf(out, HB_INTERVAL_TEXT, "%s .. %s", least, most);
}

void hb_interval_option(char out[HB_INTERVAL_OPTION], hb_interval a)
{
    char least[HB_REAL_TEXT], most[HB_REAL_TEXT];
    if (!a.real) {
        snprintf(out, HB_INTERVAL_OPTION, "%" PRId64 "..%" PRId64, a.least, a.most);
        return;
    }
    hb_real_text(least, a.low);
    hb_real_text(most, a.high);
    snprintf(out, HB_INTERVAL_OPTION, "%s..%s", least, most);
}

bool hb_interval_within(hb_interval a, hb_interval b)
{
    if (!a.known || !b.known) {
        return false;
    }
    return as_reals(&a, &b) ? a.low >= b.low && a.high <= b.high : a.least >= b.least && a.most <= b.most;
}

hb_interval hb_interval_held(const hb_params_spec *spec, bool is_signed)
{
    const hb_cell_range range = hb_codec_cell_range(spec, is_signed);
    if (hb_codec_cell_type(spec->scheme) == HB_CELL_REAL) {
        return hb_interval_of_reals(hb_real_of(range.least), hb_real_of(range.most));
    }
    HB_ASSERT(is_signed || range.most <= INT64_MAX);
    return hb_interval_of((int64_t)range.least, (int64_t)range.most);
}
