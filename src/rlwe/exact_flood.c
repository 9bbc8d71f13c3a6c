#include "exact_flood.h"

#include <math.h>

#include "bounds.h"

uint32_t hb_exact_flood_least_shift(double noise_worst, uint64_t t)
{
    return (uint32_t)ceil(hb_log_sum(noise_worst - log2((double)t), 1));
}

/* Returns log2 of h. */
static double log_hellinger(uint32_t w)
{
    return log2(1 + (1 + w * log(2)) / 4) - 2.0 * w;
}

double hb_exact_flood_distance(double log_coefficients, uint32_t w)
{
    return (1 + log_coefficients + log_hellinger(w)) / 2;
}

uint32_t hb_exact_flood_least_width(double log_coefficients, uint32_t bits)
{
    uint32_t w = bits;
    while (hb_exact_flood_distance(log_coefficients, w) > -(double)bits) {
        w++;
    }
    return w;
}

double hb_exact_flood_most(hb_exact_flood flood)
{
    return hb_log_sum((double)flood.u + flood.w, flood.u);
}
