#include "public_range.h"

#include <math.h>
#include <stdbool.h>

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

hb_interval hb_public_declared(const hb_column *column, hb_interval said)
{
    const hb_interval domain = hb_column_domain(column);
    return domain.known ? hb_interval_meet(said, domain) : said;
}
