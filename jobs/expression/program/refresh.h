/* What an instruction of bootstrapping has in its number: which kind, and how large values are. */
#ifndef HB_EXPRESSION_PROGRAM_REFRESH_H
#define HB_EXPRESSION_PROGRAM_REFRESH_H

#include "rlwe/bootstrap.h"

/* Values of 2^20 are refreshed with as many bits fewer behind the point. */
#define HB_REFRESH_MOST_BITS 20

/* Returns the number for values of magnitude 2^range_bits at most. */
static inline int64_t hb_refresh_number(hb_bootstrap_kind kind, uint32_t range_bits)
{
    return (int64_t)range_bits * HB_BOOTSTRAP_KINDS + (int64_t)kind;
}

static inline hb_bootstrap_kind hb_refresh_kind(int64_t number)
{
    return (hb_bootstrap_kind)(number % HB_BOOTSTRAP_KINDS);
}

static inline uint32_t hb_refresh_range_bits(int64_t number)
{
    return (uint32_t)(number / HB_BOOTSTRAP_KINDS);
}

#endif
