/* The piece of one row, or of every row of a polynomial, that a thread block works on. */
#ifndef HB_CUDA_DEVICE_TILE_CUH
#define HB_CUDA_DEVICE_TILE_CUH

#include "cuda_private.h"

#define HB_TILE_LOG_WORDS 10 /* the smallest N of this engine: a tile lies in one row */
#define HB_TILE_WORDS (1u << HB_TILE_LOG_WORDS)

/* Returns the grid for all tiles of the batch: blocks of limb l have blockIdx.y = l. Their number fits 31 bits, which
 * view_of checks. `a` is either kind of view. */
template <class view> static inline dim3 hb_cuda_tiles(const view &a, uint32_t limbs)
{
    return dim3(a.count << (a.log_n - HB_TILE_LOG_WORDS), limbs);
}

/* Return the polynomial of this thread block, and where its tile starts in its rows, in words. */
__device__ static inline uint32_t hb_tile_polynomial(uint32_t log_n)
{
    return blockIdx.x >> (log_n - HB_TILE_LOG_WORDS);
}

__device__ static inline uint32_t hb_tile_first(uint32_t log_n)
{
    return blockIdx.x << HB_TILE_LOG_WORDS & ((1u << log_n) - 1);
}

/* A slice of a row, for operations by coefficient (ring/engine.h). Rows have any number of slices of `words` words, a
 * divisor of HB_SLICE_WORDS; slice i is of polynomial c, from its coefficient `first` on. */
struct hb_slice {
    uint32_t c, first;
};

/* Returns the slices of one limb of all polynomials: the kernels' blockIdx.x counts through them. */
static inline uint32_t hb_cuda_slices(const hb_cuda_scattered &a, uint32_t words)
{
    return a.count * (a.n / words);
}

/* Returns slice i of those, of rows of n coefficients. */
__device__ static inline hb_slice hb_slice_of(uint32_t i, uint32_t n, uint32_t words)
{
    const uint32_t slices = n / words, c = i / slices;
    return {c, (i - c * slices) * words};
}

#endif
