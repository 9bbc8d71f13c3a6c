/* The number of an instruction of bootstrapping, which encodes the kind, the range of values, and whether errors are
 * bootstrapped themselves. */
#ifndef HB_LANG_PROGRAM_BOOTSTRAP_H
#define HB_LANG_PROGRAM_BOOTSTRAP_H

#include "rlwe/bootstrap.h"

/* Values of 2^20 are bootstrapped with as many bits fewer behind the point. */
#define HB_BOOTSTRAP_MOST_BITS 20

/* Kinds of reals are all below that of integers, whose passes are operations of their own. */

/* Returns the number for values of magnitude 2^range_bits at most. */
static inline int64_t hb_bootstrap_number(hb_bootstrap_kind kind, uint32_t range_bits, bool twice)
{
    return (2 * (int64_t)range_bits + twice) * HB_BOOTSTRAP_NOISE + (int64_t)kind;
}

static inline hb_bootstrap_kind hb_bootstrap_kind_of(int64_t number)
{
    return (hb_bootstrap_kind)(number % HB_BOOTSTRAP_NOISE);
}

static inline uint32_t hb_bootstrap_range_bits(int64_t number)
{
    return (uint32_t)(number / HB_BOOTSTRAP_NOISE / 2);
}

static inline bool hb_bootstrap_is_twice(int64_t number)
{
    return number / HB_BOOTSTRAP_NOISE % 2 == 1;
}

#endif
