#include "partition.h"

#include "status.h"

hb_share hb_partition(uint64_t total, uint32_t rank, uint32_t size)
{
    HB_ASSERT(rank < size);
    const uint64_t least = total / size, larger = total % size; /* shares of least + 1 items */
    const uint64_t before = rank < larger ? rank : larger;
    /* rank * least <= total: no overflow. */
    return (hb_share){.first = rank * least + before, .count = least + (rank < larger)};
}
