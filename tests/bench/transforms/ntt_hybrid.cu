/* Ozerk et al., section 4.4, D5: a kernel for each stage until groups have become small, then the rest in one kernel,
 * in shared memory; the inverse the other way round. The inner kernel's blocks have 1024 threads, so tiles of 2^12
 * words are four butterflies' worth of words a thread, which the paper found the best for 61-bit moduli: fewer kernels,
 * and still enough blocks. All moduli are one launch, as in the paper's key generation and encryption. */
#include "radix2_design.cuh"

/* Inverse with 61 bits: groups of 2^11 words are the last in shared memory (step 2048 is a kernel of its own). With 30
 * bits the paper gives 2^13 forward; for the inverse it names no size, taken is the half as with 61 bits. */
static const hb_radix2_plan paper_64 = {HB_TILE_IN_SHARED, 12, 11};
static const hb_radix2_plan paper_32 = {HB_TILE_IN_SHARED, 13, 12};
/* As much as a block of an H100 or H200 may have: 128 KiB, fewer passes over memory than in the paper. */
static const hb_radix2_plan large_64 = {HB_TILE_IN_SHARED, 14, 14};
static const hb_radix2_plan large_32 = {HB_TILE_IN_SHARED, 15, 15};

#define OZCAN "Ozerk et al., section 4.4, D5"

extern "C" const hb_design hb_designs_hybrid[] = {
    hb_radix2_design<hb_barrett<uint64_t>>("hybrid", "hybrid, Barrett", OZCAN, &paper_64, HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_shoup<uint64_t>>("hybrid-shoup", "hybrid, Shoup", OZCAN, &paper_64, HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_barrett<uint64_t>>("hybrid-large", "hybrid, Barrett, tiles of 2^14", OZCAN, &large_64,
                                           HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_barrett<uint32_t>>("hybrid-32", "hybrid, Barrett, 32-bit words", OZCAN, &paper_32,
                                           HB_RING_MAX_LOG_N),
    hb_radix2_design<hb_barrett<uint32_t>>("hybrid-32-large", "hybrid, Barrett, 32-bit words, tiles of 2^15", OZCAN,
                                           &large_32, HB_RING_MAX_LOG_N),
    {}};
