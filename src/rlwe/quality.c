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
