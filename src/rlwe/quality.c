#include "quality.h"

#include <math.h>

/* With values most u^k, u evenly spread, the mean of the squares is most^2 / (2 k + 1), that of fourth powers most^4 / (4 k
 * + 1); of a Gaussian 3 times the square of the other. */
hb_magnitude hb_magnitude_squared(hb_magnitude values)
{
    const double ratio = exp2(2 * fmin(values.mean - values.most, 0)); /* of the mean square to the largest */
    const double fourth = fmin(ratio / (2 - ratio), 3 * ratio * ratio);
    return (hb_magnitude){2 * values.most, 2 * values.most + log2(fourth) / 2, ratio * ratio / fourth};
}

uint64_t hb_quality_to_file(double log2_error)
{
    return (uint64_t)ceil(fmax(log2_error, 0) * 0x1p10);
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
