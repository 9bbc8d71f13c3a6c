/* Copies and zeros of rows that stand apart, by coefficient. */
#include "pair.cuh"

#define COPY_SLICES 4u /* of a thread block: enough loads under way, also where rows have one slice */
#define COPY_THREADS (HB_SLICE_WORDS / 2)

/* r = a; a.data NULL: 0. Slices of limb blockIdx.y are counted through all of its rows. */
static __global__ void __launch_bounds__(COPY_THREADS)
    copy_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view a, uint32_t slices)
{
    const uint32_t l = blockIdx.y, first = blockIdx.x * COPY_SLICES, left = slices - first;
    hb_slice slice[COPY_SLICES];
    hb_pair x[COPY_SLICES] = {};
#pragma unroll
    for (uint32_t v = 0; v < COPY_SLICES; v++) {
        slice[v] = hb_slice_of(first + v, r.n, HB_SLICE_WORDS);
        if (a.data != NULL && v < left) {
            x[v] = hb_pair_load(hb_cuda_row(a, slice[v].c, l) + slice[v].first + 2 * threadIdx.x);
        }
    }
#pragma unroll
    for (uint32_t v = 0; v < COPY_SLICES; v++) {
        if (v < left) {
            hb_pair_store(hb_cuda_row(r, slice[v].c, l) + slice[v].first + 2 * threadIdx.x, x[v]);
        }
    }
}

static hb_status copy(hb_engine *e, const hb_cuda_view &r, const hb_cuda_view &a)
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
    return r.data == a.data ? HB_OK : copy(e, hb_cuda_view_of(e, r), hb_cuda_view_of(e, a));
}

hb_status hb_cuda_clear(hb_engine *e, hb_batch r)
{
    return copy(e, hb_cuda_view_of(e, r), hb_cuda_view());
}
