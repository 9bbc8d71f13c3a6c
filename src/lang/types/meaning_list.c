#include "meaning_list.h"

#include "base/status.h"

/* By the digits behind the point: scales 10^0 to 10^18. */
static const hb_meaning decimals[] = {{0},
                                      {.scale = (uint64_t)1e1},
                                      {.scale = (uint64_t)1e2},
                                      {.scale = (uint64_t)1e3},
                                      {.scale = (uint64_t)1e4},
                                      {.scale = (uint64_t)1e5},
                                      {.scale = (uint64_t)1e6},
                                      {.scale = (uint64_t)1e7},
                                      {.scale = (uint64_t)1e8},
                                      {.scale = (uint64_t)1e9},
                                      {.scale = (uint64_t)1e10},
                                      {.scale = (uint64_t)1e11},
                                      {.scale = (uint64_t)1e12},
                                      {.scale = (uint64_t)1e13},
                                      {.scale = (uint64_t)1e14},
                                      {.scale = (uint64_t)1e15},
                                      {.scale = (uint64_t)1e16},
                                      {.scale = (uint64_t)1e17},
                                      {.scale = (uint64_t)1e18}};

const hb_meaning *hb_meaning_decimals(uint64_t scale)
{
    const int digits = hb_scale_digits(scale > 1 ? scale : 1);
    HB_ASSERT(digits >= 0);
    return &decimals[digits];
}

const hb_meaning *hb_means_of(hb_means means, uint32_t column)
{
    const hb_meaning *meaning = means.all != NULL ? means.all : means.each != NULL ? means.each[column] : NULL;
    HB_ASSERT(meaning != NULL);
    return meaning;
}
