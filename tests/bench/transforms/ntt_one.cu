/* One kernel for the whole transform, a block of 1024 threads for each row: designs D1, D3 and D4 of Ozerk et al.
 * (table 5). The stages meet at the block's barrier, so the words may stand in memory (D1), in shared memory as far as
 * a row fits (D3; the paper's GPUs took 2^13 words of 32 bits), or in registers while pairs are in one warp (D4). */
#include "radix2_design.cuh"

static const hb_radix2_plan in_memory = {HB_TILE_IN_MEMORY, HB_RING_MAX_LOG_N, HB_RING_MAX_LOG_N};
static const hb_radix2_plan in_shared = {HB_TILE_IN_SHARED, HB_RING_MAX_LOG_N, HB_RING_MAX_LOG_N};
static const hb_radix2_plan in_warps = {HB_TILE_IN_WARPS, HB_RING_MAX_LOG_N, HB_RING_MAX_LOG_N};

/* Rows of 128 KiB: the largest power of two in the 227 KiB that a block of an H100 or H200 may have. */
#define SHARED_LOG_BYTES 17

#define OZCAN "Ozerk et al., table 5, "

extern "C" const hb_design hb_designs_single[] = {
    hb_radix2_design<hb_barrett<uint64_t>>("single", "one kernel, in memory", OZCAN "D1", &in_memory,
                                           HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_barrett<uint64_t>>("single-shared", "one kernel, in shared memory", OZCAN "D3", &in_shared,
                                           SHARED_LOG_BYTES - 3),
    hb_radix2_design<hb_barrett<uint64_t>>("single-warps", "one kernel, warp shuffles", OZCAN "D4", &in_warps,
                                           HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_barrett<uint32_t>>("single-32", "one kernel, in memory, 32-bit words", OZCAN "D1", &in_memory,
                                           HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_barrett<uint32_t>>("single-32-shared", "one kernel, in shared memory, 32-bit words", OZCAN "D3",
                                           &in_shared, SHARED_LOG_BYTES - 2),
    hb_radix2_design<hb_barrett<uint32_t>>("single-32-warps", "one kernel, warp shuffles, 32-bit words", OZCAN "D4",
                                           &in_warps, HB_RING_MAX_LOG_N),
    {}};
