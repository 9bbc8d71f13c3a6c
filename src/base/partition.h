/* The shares of ranks in the work. */
#ifndef HB_BASE_PARTITION_H
#define HB_BASE_PARTITION_H

#include <stdint.h>

/* A run of items: first .. first + count - 1. */
typedef struct hb_share {
    uint64_t first, count;
} hb_share;

/* Returns the contiguous share of `rank` (0 .. size - 1) of `total` items. Sizes differ by at most one, larger shares
 * come first; shares are in rank order and cover everything. Ranks beyond `total` get count 0 with first = total.
 * Nothing overflows for any total. */
hb_share hb_partition(uint64_t total, uint32_t rank, uint32_t size);

#endif
