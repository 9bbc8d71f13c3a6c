/* Who does what: pure functions, no MPI. */
#ifndef HB_MPI_GROUP_PARTITION_H
#define HB_MPI_GROUP_PARTITION_H

#include <stdint.h>

typedef struct hb_share {
    uint64_t first, count;
} hb_share;

/* The contiguous share of `rank` (0 .. size-1) of `total` items: sizes differ by at most one, larger shares first;
 * shares are in rank order and cover everything. Ranks beyond `total` get count 0 (with first = total). No overflow for
 * any total. */
hb_share hb_partition(uint64_t total, uint32_t rank, uint32_t size);

#endif
