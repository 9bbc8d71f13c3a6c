#include "interval.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scheme/codec.h"

static const hb_interval unknown = {false, 0, 0};

hb_interval hb_interval_of(int64_t least, int64_t most)
{
    return (hb_interval){true, least, most};
}

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

hb_interval hb_interval_add(hb_interval a, hb_interval b)
{
    if (!a.known || !b.known) {
        return unknown;
    }
    if (saturated(a) || saturated(b)) {
        return hb_interval_of(-INT64_MAX, INT64_MAX); /* ends that are not known do not cancel */
    }
    return hb_interval_of(add(a.least, b.least), add(a.most, b.most));
}

hb_interval hb_interval_negate(hb_interval a)
{
    return hb_interval_multiply(a, hb_interval_of(-1, -1));
}

hb_interval hb_interval_multiply(hb_interval a, hb_interval b)
{
    if (!a.known || !b.known) {
        return unknown;
    }
    const int64_t ends[] = {multiply(a.least, b.least), multiply(a.least, b.most), multiply(a.most, b.least),
                            multiply(a.most, b.most)};
    return hb_interval_of(smaller(smaller(ends[0], ends[1]), smaller(ends[2], ends[3])),
                          larger(larger(ends[0], ends[1]), larger(ends[2], ends[3])));
}

hb_interval hb_interval_square(hb_interval a)
{
    hb_interval r = hb_interval_multiply(a, a);
    r.least = larger(r.least, 0); /* the smallest end is a product of both ends where 0 lies between them */
    return r;
}

hb_interval hb_interval_with_zero(hb_interval a)
{
    return (hb_interval){a.known, smaller(a.least, 0), larger(a.most, 0)};
}

hb_interval hb_interval_join(hb_interval a, hb_interval b)
{
    if (!a.known || !b.known) {
        return a.known ? a : b;
    }
    return hb_interval_of(smaller(a.least, b.least), larger(a.most, b.most));
}

hb_interval hb_interval_meet(hb_interval a, hb_interval b)
{
    const hb_interval both = hb_interval_of(larger(a.least, b.least), smaller(a.most, b.most));
    return both.least <= both.most ? both : unknown;
}

static void end_text(char out[24], int64_t end)
{
    if (end == INT64_MAX || end <= -INT64_MAX) {
        strcpy(out, end > 0 ? "more than 2^62" : "less than -2^62");
    } else {
        snprintf(out, 24, "%" PRId64, end);
    }
}

void hb_interval_text(char out[64], hb_interval a)
{
    char least[24], most[24];
    end_text(least, a.least);
    end_text(most, a.most);
    snprintf(out, 64, "%s .. %s", least, most);
}

bool hb_interval_within(hb_interval a, hb_interval b)
{
    return a.known && b.known && a.least >= b.least && a.most <= b.most;
}

hb_interval hb_interval_held(const hb_params_spec *spec, bool is_signed)
{
    const hb_cell_range range = hb_codec_cell_range(spec, is_signed);
    HB_ASSERT(is_signed || range.most <= INT64_MAX);
    return hb_interval_of((int64_t)range.least, (int64_t)range.most);
}
