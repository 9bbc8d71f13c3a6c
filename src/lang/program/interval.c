#include "interval.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/outward.h"
#include "scheme/codec.h"
#include "table/real_text.h"

static const hb_interval unknown = {.known = false};

hb_interval hb_interval_of_wide(hb_wide least, hb_wide most)
{
    return (hb_interval){.known = true,
                         .least = hb_wide_clamp(least),
                         .most = hb_wide_clamp(most),
                         .wide_least = least,
                         .wide_most = most};
}

/* Ends of 64 bits that mean that much or more do so however wide ends may be. */
static hb_wide widened(int64_t end)
{
    if (end == INT64_MAX || end == -INT64_MAX) {
        const hb_wide all = hb_wide_power(HB_WIDE_END_BITS);
        return end > 0 ? all : hb_wide_negate(all);
    }
    return hb_wide_of(end);
}

hb_interval hb_interval_of(int64_t least, int64_t most)
{
    return (hb_interval){
        .known = true, .least = least, .most = most, .wide_least = widened(least), .wide_most = widened(most)};
}

hb_interval hb_interval_of_number(int64_t number)
{
    return hb_interval_of_wide(hb_wide_of(number), hb_wide_of(number));
}

hb_interval hb_interval_of_reals(double low, double high)
{
    return (hb_interval){.known = true, .real = true, .low = low, .high = high};
}

static hb_wide smaller(hb_wide a, hb_wide b)
{
    return hb_wide_compare(a, b) < 0 ? a : b;
}

static hb_wide larger(hb_wide a, hb_wide b)
{
    return hb_wide_compare(a, b) > 0 ? a : b;
}

static bool saturated(hb_interval a)
{
    return hb_wide_saturated(a.wide_least) || hb_wide_saturated(a.wide_most);
}

hb_interval hb_interval_to_reals(hb_interval a)
{
    if (a.real || !a.known) {
        return a;
    }
    return hb_interval_of_reals(hb_wide_real(a.wide_least, false), hb_wide_real(a.wide_most, true));
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
    return hb_interval_of_wide(hb_wide_add(a.wide_least, b.wide_least), hb_wide_add(a.wide_most, b.wide_most));
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
    if (hb_wide_compare(b.wide_least, b.wide_most) == 0) { /* a number: most products of intervals */
        const hb_wide x = hb_wide_multiply(a.wide_least, b.wide_least), y = hb_wide_multiply(a.wide_most, b.wide_least);
        return hb_interval_of_wide(smaller(x, y), larger(x, y));
    }
    const hb_wide ends[] = {hb_wide_multiply(a.wide_least, b.wide_least), hb_wide_multiply(a.wide_least, b.wide_most),
                            hb_wide_multiply(a.wide_most, b.wide_least), hb_wide_multiply(a.wide_most, b.wide_most)};
    return hb_interval_of_wide(smaller(smaller(ends[0], ends[1]), smaller(ends[2], ends[3])),
                               larger(larger(ends[0], ends[1]), larger(ends[2], ends[3])));
}

/* One end to a power, by squares of squares; of reals the interval between the doubles around it. */
static hb_interval end_power(hb_interval end, uint32_t exponent)
{
    hb_interval r = end.real ? hb_interval_of_reals(1, 1) : hb_interval_of(1, 1);
    for (; exponent > 0; exponent /= 2) {
        r = exponent % 2 == 1 ? hb_interval_multiply(r, end) : r;
        end = exponent > 1 ? hb_interval_multiply(end, end) : end;
    }
    return r;
}

hb_interval hb_interval_power(hb_interval a, uint32_t exponent)
{
    if (!a.known) {
        return unknown;
    }
    const hb_interval low =
                          a.real ? hb_interval_of_reals(a.low, a.low) : hb_interval_of_wide(a.wide_least, a.wide_least),
                      high =
                          a.real ? hb_interval_of_reals(a.high, a.high) : hb_interval_of_wide(a.wide_most, a.wide_most);
    const hb_interval ends = hb_interval_join(end_power(low, exponent), end_power(high, exponent));
    const bool crosses =
        a.real ? a.low < 0 && a.high > 0 : hb_wide_sign(a.wide_least) < 0 && hb_wide_sign(a.wide_most) > 0;
    if (exponent % 2 == 1) { /* odd ones rise everywhere */
        return ends;
    }
    hb_interval even = crosses ? hb_interval_with_zero(ends) : ends;
    if (even.real) {
        even.low = fmax(even.low, 0); /* products are rounded outwards, also below 0 */
    }
    return even;
}

hb_interval hb_interval_square(hb_interval a)
{
    return hb_interval_power(a, 2);
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
    return hb_interval_of_wide(smaller(a.wide_least, b.wide_least), larger(a.wide_most, b.wide_most));
}

hb_interval hb_interval_meet(hb_interval a, hb_interval b)
{
    if (as_reals(&a, &b)) {
        const hb_interval both = hb_interval_of_reals(fmax(a.low, b.low), fmin(a.high, b.high));
        return both.low <= both.high ? both : unknown;
    }
    const hb_wide least = larger(a.wide_least, b.wide_least), most = smaller(a.wide_most, b.wide_most);
    return hb_wide_compare(least, most) <= 0 ? hb_interval_of_wide(least, most) : unknown;
}

double hb_interval_magnitude(hb_interval a)
{
    const hb_interval r = hb_interval_to_reals(a);
    return fmax(fabs(r.low), fabs(r.high));
}

static void write_end(char out[HB_WIDE_TEXT], hb_wide end)
{
    const uint32_t bits = hb_wide_bits(end);
    if (bits > 128) { /* too many digits to read */
        snprintf(out, HB_WIDE_TEXT, "%s2^%" PRIu32, hb_wide_sign(end) > 0 ? "more than " : "less than -", bits - 2);
    } else {
        hb_wide_text(out, end);
    }
}

void hb_interval_text(char out[HB_INTERVAL_TEXT], hb_interval a)
{
    char least[HB_WIDE_TEXT], most[HB_WIDE_TEXT];
    if (a.real) {
        hb_real_bound_text(least, a.low, false);
        hb_real_bound_text(most, a.high, true);
    } else {
        write_end(least, a.wide_least);
        write_end(most, a.wide_most);
    }
    snprintf(out, HB_INTERVAL_TEXT, "%s .. %s", least, most);
}

void hb_interval_option(char out[HB_INTERVAL_OPTION], hb_interval a)
{
    char least[HB_WIDE_TEXT], most[HB_WIDE_TEXT];
    if (!a.real) {
        hb_wide_text(least, a.wide_least);
        hb_wide_text(most, a.wide_most);
        snprintf(out, HB_INTERVAL_OPTION, "%s..%s", least, most);
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
    if (as_reals(&a, &b)) {
        return a.low >= b.low && a.high <= b.high;
    }
    return hb_wide_compare(a.wide_least, b.wide_least) >= 0 && hb_wide_compare(a.wide_most, b.wide_most) <= 0;
}

hb_interval hb_interval_held(const hb_params_spec *spec, bool is_signed)
{
    const hb_cell_range range = hb_codec_cell_range(spec, is_signed);
    if (hb_codec_cell_type(spec->scheme) == HB_CELL_REAL) {
        return hb_interval_of_reals(hb_real_of(range.least), hb_real_of(range.most));
    }
    hb_residues residues;
    if (hb_spec_residues(spec) > 1 && hb_residues_init(&residues, spec->bfv.plains, spec->bfv.plain_count) == HB_OK) {
        return hb_interval_of_wide(hb_residues_least(&residues, is_signed), hb_residues_most(&residues, is_signed));
    }
    HB_ASSERT(is_signed || range.most <= INT64_MAX);
    return hb_interval_of((int64_t)range.least, (int64_t)range.most);
}
