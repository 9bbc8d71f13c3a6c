/* Words of 50 bits as they stand in a GPU's memory (ring/rns_ops.h), and how threads read them (private to cuda/rns). A
 * tile of 64 words is 100 words of 32 bits: neighbours a and b, 2 i and 2 i + 1, are word i, the low bits of a; word 32
 * + i, the others and 14 of b; word 64 + i, the next 32 of b; and four bits of word 96 + i / 8, the last ones. So a
 * warp that takes a pair a thread reads whole lines, of global or of shared memory. */
#ifndef HB_CUDA_RNS_NARROW_CUH
#define HB_CUDA_RNS_NARROW_CUH

#include "cuda/device/cuda_private.h"

#define NARROW_TILE 64u                                                 /* words of a tile */
#define NARROW_TILE_WORDS (NARROW_TILE * HB_NARROW_BITS / 64)           /* that it takes */
#define NARROW_TILE_COPIES (NARROW_TILE_WORDS * sizeof(uint64_t) / 16u) /* of 16 bytes each */

/* The words that a thread has of every row: neighbours. */
template <uint32_t WORDS> struct alignas(8 * WORDS) rotation_words {
    uint64_t of[WORDS];
};

/* Returns pair i of a tile from the words that have it. */
__device__ static __forceinline__ rotation_words<2> narrow_pair(uint32_t low, uint32_t middle, uint32_t high,
                                                                uint32_t last, uint32_t i)
{
    return {{low | (uint64_t)(middle & 0x3ffff) << 32,
             (middle >> 18) | (uint64_t)high << 14 | (uint64_t)(last >> i % 8 * 4 & 15) << 46}};
}

/* Returns pair i of a tile in shared memory. */
__device__ static __forceinline__ rotation_words<2> narrow_shared(const void *shared, uint32_t i)
{
    const uint32_t *tile = static_cast<const uint32_t *>(shared);
    return narrow_pair(tile[i], tile[32 + i], tile[64 + i], tile[96 + i / 8], i);
}

/* Returns the words from number `at` on of a row in global memory. */
template <uint32_t WORDS>
__device__ static __forceinline__ rotation_words<WORDS> narrow_load(const uint64_t *row, size_t at)
{
    const uint32_t *tile = reinterpret_cast<const uint32_t *>(row + at / NARROW_TILE * NARROW_TILE_WORDS);
    const uint32_t i = static_cast<uint32_t>(at % NARROW_TILE) / 2;
    const rotation_words<2> both =
        narrow_pair(__ldg(tile + i), __ldg(tile + 32 + i), __ldg(tile + 64 + i), __ldg(tile + 96 + i / 8), i);
    if constexpr (WORDS == 2) {
        return both;
    } else {
        return {{at % 2 == 0 ? both.of[0] : both.of[1]}};
    }
}

#endif
