#include "quality.h"

#include <math.h>

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
