#include "public_range.h"

#include <math.h>
#include <stdbool.h>

#include "base/cell.h"

/* Returns the power of two nearest to a magnitude, on the far side of it from 0 or on the near one; on the near side 0
 * for magnitudes below 2^LEAST_BITS, which is precise enough. */
static double power_of_two(double magnitude, bool far)
{
    enum { LEAST_BITS = -32 };
    if (magnitude < ldexp(1, LEAST_BITS)) {
        return far ? ldexp(1, LEAST_BITS) : 0;
    }
    int bits;
    const bool whole = frexp(magnitude, &bits) == 0.5; /* a power of two itself */
    return ldexp(1, far && !whole ? bits : bits - 1);
}

/* Moves both ends outwards; *low < *high afterwards. */
static void move_outwards(double *low, double *high)
{
    const bool below = *low < 0;
    const bool above = *high > 0 || !below;
    *low = below ? -power_of_two(-*low, true) : power_of_two(*low, false);
    *high = above ? power_of_two(*high, true) : 0 - power_of_two(-*high, false); /* 0, and never -0 */
    if (*low == *high) {
        /* All values are the same power of two, which stays secret. */
        *(above ? high : low) *= 2;
    }
}

hb_interval hb_public_measured(const hb_column *column, hb_interval values)
{
    const hb_interval domain = hb_column_domain(column);
    if (domain.known) {
        return values.real ? hb_interval_to_reals(domain) : domain;
    }
    if (values.real) {
        move_outwards(&values.low, &values.high);
    }
    return values;
}

/* The whole number of a range of reals that is nearest to 0, if it is to be the fill; else 0. */
static double real_fill(hb_interval range)
{
    const double end = range.low > 0 ? ceil(range.low) : range.high < 0 ? floor(range.high) : 0;
    /* Masks times larger numbers take a level (ckks_semantics.c). */
    const bool held = end >= range.low && end <= range.high && fabs(end) <= 0x1p31;
    return held && fabs(end) >= range.high - range.low ? end : 0;
}

static int64_t whole_fill(hb_interval range)
{
    const int64_t end = range.least > 0 ? range.least : range.most < 0 ? range.most : 0;
    return end < INT64_MAX && end > -INT64_MAX ? end : 0; /* these mean that much or more */
}

void hb_public_fill(hb_column *column, hb_interval *range)
{
    if (column->mask == 0) {
        return;
    }
    column->has_fill = true;
    column->fill = 0;
    if (range->known && column->halves == HB_HALVES_REAL) {
        column->fill = range->real ? hb_real_word(real_fill(*range)) : (uint64_t)whole_fill(*range);
    }
    if (range->known && column->fill == 0) {
        *range = hb_interval_with_zero(*range);
    }
}

hb_interval hb_public_declared(const hb_column *column, hb_interval said)
{
    const hb_interval domain = hb_column_domain(column);
    return domain.known ? hb_interval_meet(said, domain) : said;
}
