/* Copies and zeros of rows that stand apart, by coefficient. */
#include "cuda/ntt/pair.cuh"

#define COPY_SLICES 4u /* of a thread block: enough loads under way, also where rows have one slice */
#define COPY_THREADS (HB_SLICE_WORDS / 2)
#define COPY_BLOCKS 16 /* of a multiprocessor: 128 KiB of loads under way */

/* Pieces of a thread block: slices of limb blockIdx.y, counted through all of its rows, 0 where there are no more. */
struct pieces {
    hb_slice slice[COPY_SLICES];
    uint32_t count;
};

__device__ __forceinline__ static pieces my_pieces(uint32_t n, uint32_t slices)
{
    const uint32_t first = blockIdx.x * COPY_SLICES;
    pieces p = {{hb_slice_of(first, n, HB_SLICE_WORDS)}, min(slices - first, COPY_SLICES)};
#pragma unroll
    for (uint32_t v = 1; v < COPY_SLICES; v++) {
        const hb_slice last = p.slice[v - 1];
        const bool ends = last.first + HB_SLICE_WORDS == n;
        p.slice[v] = {last.c + ends, ends ? 0 : last.first + HB_SLICE_WORDS};
    }
    return p;
}

/* r = a; places of a NULL: 0. All loads of a thread come before its first store. */
static __global__ void __launch_bounds__(COPY_THREADS, COPY_BLOCKS)
    copy_kernel(const __grid_constant__ hb_cuda_scattered r, const __grid_constant__ hb_cuda_scattered a,
                uint32_t slices)
{
    const uint32_t l = blockIdx.y;
    const pieces p = my_pieces(r.n, slices);
    hb_pair x[COPY_SLICES] = {};
#pragma unroll
    for (uint32_t v = 0; v < COPY_SLICES; v++) {
        if (a.places[l].data != NULL && v < p.count) {
            x[v] = hb_pair_load(hb_cuda_row(a, p.slice[v].c, l) + p.slice[v].first + 2 * threadIdx.x);
        }
    }
#pragma unroll
    for (uint32_t v = 0; v < COPY_SLICES; v++) {
        if (v < p.count) {
            hb_pair_store(hb_cuda_row(r, p.slice[v].c, l) + p.slice[v].first + 2 * threadIdx.x, x[v]);
        }
    }
}

static hb_status copy(hb_engine *e, const hb_cuda_scattered &r, const hb_cuda_scattered &a)
{
    if (r.count == 0) {
        return HB_OK;
    }
    const uint32_t slices = hb_cuda_slices(r, HB_SLICE_WORDS);
    const dim3 blocks((slices + COPY_SLICES - 1) / COPY_SLICES, r.limbs);
    copy_kernel<<<blocks, COPY_THREADS, 0, hb_cuda(e)->stream>>>(r, a, slices);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

hb_status hb_cuda_copy(hb_engine *e, hb_batch r, hb_batch a)
{
    const bool same = r.places == NULL && a.places == NULL && r.data == a.data;
    return same ? HB_OK : copy(e, hb_cuda_scattered_of(e, r), hb_cuda_scattered_of(e, a));
}

hb_status hb_cuda_clear(hb_engine *e, hb_batch r)
{
    return copy(e, hb_cuda_scattered_of(e, r), hb_cuda_scattered());
}
