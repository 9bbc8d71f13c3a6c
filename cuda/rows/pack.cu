/* Rows of residues as bit streams, and back. A thread block converts one tile in shared memory; its fields fill whole
 * words. */
#include "bit_fields.h"
#include "packed.cuh"
#include "cuda/ntt/tile.cuh"

#define THREADS 256
#define WORDS_PER_BIT (HB_TILE_WORDS / 64) /* packed words of a tile, for each bit of its fields */

/* Packed memory is read and written by words. */
static void check_aligned(hb_packed p)
{
    HB_ASSERT(reinterpret_cast<uintptr_t>(p.bytes) % sizeof(uint64_t) == 0);
}

static __global__ void __launch_bounds__(THREADS)
    pack_kernel(const __grid_constant__ hb_cuda_packed to, const __grid_constant__ hb_cuda_view a)
{
    __shared__ uint64_t fields[HB_TILE_WORDS];
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(a.log_n), first = hb_tile_first(a.log_n);
    const uint64_t *from = hb_cuda_row(a, c, l) + first;
    HB_UNROLL
    for (uint32_t i = 0; i < HB_TILE_WORDS; i += THREADS) {
        fields[i + threadIdx.x] = from[i + threadIdx.x];
    }
    __syncthreads();
    const uint32_t bits = to.bits[l];
    uint64_t *words = hb_cuda_packed_row(to, c, l) + first / 64 * bits;
    for (uint32_t k = threadIdx.x; k < WORDS_PER_BIT * bits; k += THREADS) {
        words[k] = hb_word_of_fields(fields, bits, k);
    }
}

/* *out_of_range += words not below their modulus. */
static __global__ void __launch_bounds__(THREADS)
    unpack_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_packed from,
                  const hb_modulus *moduli, unsigned long long *out_of_range)
{
    __shared__ uint64_t words[WORDS_PER_BIT * HB_MODULUS_MAX_BITS];
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(r.log_n), first = hb_tile_first(r.log_n);
    const uint32_t bits = from.bits[l], count = WORDS_PER_BIT * bits;
    const uint64_t *packed = hb_cuda_packed_row(from, c, l) + first / 64 * bits;
    for (uint32_t k = threadIdx.x; k < count; k += THREADS) {
        words[k] = packed[k];
    }
    __syncthreads();
    const uint64_t m = moduli[r.ids[l]].value;
    uint64_t *to = hb_cuda_row(r, c, l) + first;
    uint32_t wrong = 0;
    HB_UNROLL
    for (uint32_t i = 0; i < HB_TILE_WORDS; i += THREADS) {
        const uint64_t x = hb_field_of_words(words, count - 1, bits, i + threadIdx.x);
        to[i + threadIdx.x] = x;
        wrong += x >= m;
    }
    wrong = __reduce_add_sync(UINT32_MAX, wrong);
    if (wrong != 0 && threadIdx.x % 32 == 0) {
        atomicAdd(out_of_range, wrong);
    }
}

hb_status hb_cuda_pack(hb_engine *e, hb_packed to, hb_batch a)
{
    if (a.count == 0) {
        return HB_OK;
    }
    check_aligned(to);
    const hb_cuda_view from = hb_cuda_view_of(e, a);
    pack_kernel<<<hb_cuda_tiles(from, a.limbs), THREADS, 0, hb_cuda(e)->stream>>>(
        hb_cuda_packed_of(e, to, a.ids, a.limbs), from);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

hb_status hb_cuda_unpack(hb_engine *e, hb_batch r, hb_packed from, size_t *out_of_range)
{
    if (r.count == 0) {
        *out_of_range = 0;
        return hb_cuda_wait(hb_cuda(e));
    }
    check_aligned(from);
    hb_cuda_engine *cuda = hb_cuda(e);
    const hb_cuda_view to = hb_cuda_view_of(e, r);
    unsigned long long wrong;
    void *host, *there;
    HB_TRY(hb_cuda_stage_room(cuda, sizeof wrong, &host, &there));
    HB_CUDA(cudaMemsetAsync(there, 0, sizeof wrong, cuda->stream));
    unpack_kernel<<<hb_cuda_tiles(to, r.limbs), THREADS, 0, cuda->stream>>>(
        to, hb_cuda_packed_of(e, from, r.ids, r.limbs), cuda->gpu->moduli, static_cast<unsigned long long *>(there));
    HB_CUDA_LAUNCHED();
    HB_CUDA(cudaMemcpyAsync(host, there, sizeof wrong, cudaMemcpyDeviceToHost, cuda->stream));
    HB_TRY(hb_cuda_wait(cuda));
    memcpy(&wrong, host, sizeof wrong);
    *out_of_range = wrong;
    return HB_OK;
}
