/* Words of 50 bits are made here (narrow.cuh). */
#include "narrow.h"

#include "cuda/device/launch.cuh"
#include "cuda/device/pair.cuh"
#include "narrow.cuh"

#define NARROW_THREADS 128u /* a warp a tile */

/* Limb blockIdx.y of polynomial blockIdx.z. */
static __global__ void narrow_kernel(uint64_t *to, const __grid_constant__ hb_cuda_view a)
{
    const uint32_t i = threadIdx.x % 32, of_row = (blockIdx.x * NARROW_THREADS + threadIdx.x) / 32;
    const size_t row = (size_t)blockIdx.z * a.limbs + blockIdx.y, tile = (row << a.log_n) / NARROW_TILE + of_row;
    hb_cuda_begin();
    const hb_pair x = hb_pair_load(hb_cuda_row(a, blockIdx.z, blockIdx.y) + of_row * NARROW_TILE + 2 * i);
    uint32_t *words = reinterpret_cast<uint32_t *>(to + tile * NARROW_TILE_WORDS);
    words[i] = static_cast<uint32_t>(x.of[0]);
    words[32 + i] = static_cast<uint32_t>(x.of[0] >> 32) | static_cast<uint32_t>(x.of[1]) << 18;
    words[64 + i] = static_cast<uint32_t>(x.of[1] >> 14);
    uint32_t last = static_cast<uint32_t>(x.of[1] >> 46) << i % 8 * 4;
    for (int lane = 1; lane < 8; lane *= 2) {
        last |= __shfl_xor_sync(UINT32_MAX, last, lane);
    }
    if (i % 8 == 0) {
        words[96 + i / 8] = last;
    }
}

hb_status hb_cuda_narrow(hb_engine *engine, uint64_t *to, hb_batch a)
{
    const hb_cuda_engine *e = hb_cuda(engine);
    const hb_cuda_view from = hb_cuda_view_of(engine, a);
    const uint32_t pairs = 1u << (from.log_n - 1);
    HB_ASSERT(pairs % NARROW_THREADS == 0 && from.count <= UINT16_MAX);
    return hb_cuda_start(e, narrow_kernel, dim3(pairs / NARROW_THREADS, from.limbs, from.count), NARROW_THREADS, 0, to,
                         from);
}
