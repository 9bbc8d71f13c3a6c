/* Kernels that treat each word alone move neighbouring words in pairs of 16 bytes; a block has one tile (tile.cuh). */
#ifndef HB_CUDA_DEVICE_PAIR_CUH
#define HB_CUDA_DEVICE_PAIR_CUH

#include "tile.cuh"

#define HB_PAIR_THREADS 256
#define HB_PAIRS (HB_TILE_WORDS / 2 / HB_PAIR_THREADS) /* of a thread */

/* Two neighbouring words, one load or store. */
struct alignas(16) hb_pair {
    uint64_t of[2];
};

/* Returns where pair v < HB_PAIRS of the calling thread begins in every row: neighbouring threads have neighbouring
 * pairs. */
__device__ static inline uint32_t hb_pair_place(uint32_t log_n, uint32_t v)
{
    return hb_tile_first(log_n) + 2 * (threadIdx.x + v * HB_PAIR_THREADS);
}

__device__ static inline hb_pair hb_pair_load(const uint64_t *words)
{
    return *reinterpret_cast<const hb_pair *>(words);
}

/* The same of memory that the kernel does not write and that many blocks read: it goes through the read-only path. */
__device__ static inline hb_pair hb_pair_load_shared(const uint64_t *words)
{
    const ulonglong2 x = __ldg(reinterpret_cast<const ulonglong2 *>(words));
    return {{x.x, x.y}};
}

__device__ static inline void hb_pair_store(uint64_t *words, hb_pair x)
{
    *reinterpret_cast<hb_pair *>(words) = x;
}

#endif
