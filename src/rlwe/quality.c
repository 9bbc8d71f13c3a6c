#include "quality.h"

#include <math.h>

/* With values peak u^k, u evenly spread, the mean of the squares is peak^2 / (2 k + 1), that of fourth powers peak^4 /
 * (4 k + 1). */
hb_magnitude hb_magnitude_squared(hb_magnitude values)
{
    const double ratio = exp2(2 * fmin(values.mean - values.peak, 0)); /* of the mean square to the largest */
    return (hb_magnitude){.most = 2 * values.most,
                          .mean = 2 * values.peak + log2(ratio / (2 - ratio)) / 2,
                          .common = ratio * (2 - ratio),
                          .peak = 2 * values.peak};
}

uint64_t hb_quality_to_file(double log2_error)
{
    return (uint64_t)ceil(fmin(fmax(log2_error, 0), HB_QUALITY_MOST_BITS) * 0x1p10);
}

double hb_quality_from_file(uint64_t stored)
{
    return (double)stored * 0x1p-10;
}

void hb_precision_add(hb_precision *to, const hb_precision *more)
{
    to->count += more->count;
    to->largest = fmax(to->largest, more->largest);
    to->squares += more->squares;
}

double hb_precision_least_bits(const hb_precision *precision)
{
    return -log2(precision->largest);
}

double hb_precision_mean_bits(const hb_precision *precision)
{
    return precision->count > 0 ? -log2(precision->squares / (double)precision->count) / 2 : INFINITY;
}
