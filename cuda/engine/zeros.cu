/* Counting words that are 0. */
#include "cuda/ntt/pair.cuh"

/* zeros[c], or where they are not told apart zeros[0], += zeros of polynomial c. */
__global__ void __launch_bounds__(HB_PAIR_THREADS) zeros_kernel(hb_cuda_view a, unsigned long long *zeros, bool apart)
{
    const uint32_t l = blockIdx.y, c = hb_tile_polynomial(a.log_n);
    uint32_t count = 0; /* of the whole tile */
#pragma unroll
    for (uint32_t v = 0; v < HB_PAIRS; v++) {
        const hb_pair x = hb_pair_load(hb_cuda_row(a, c, l) + hb_pair_place(a.log_n, v));
        count += __syncthreads_count(x.of[0] == 0) + __syncthreads_count(x.of[1] == 0);
    }
    if (threadIdx.x == 0) {
        atomicAdd(zeros + (apart ? c : 0), count);
    }
}

hb_status hb_cuda_zeros(hb_engine *e, hb_batch a, unsigned long long *zeros, bool apart)
{
    const hb_cuda_view from = hb_cuda_view_of(e, a);
    const cudaStream_t stream = hb_cuda(e)->stream;
    HB_CUDA(cudaMemsetAsync(zeros, 0, (apart ? a.count : 1) * sizeof *zeros, stream));
    if (a.count == 0) {
        return HB_OK;
    }
    zeros_kernel<<<hb_cuda_tiles(from, a.limbs), HB_PAIR_THREADS, 0, stream>>>(from, zeros, apart);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

hb_status hb_cuda_count_zeros(hb_engine *e, uint64_t *zeros, hb_batch a)
{
    hb_cuda_engine *cuda = hb_cuda(e);
    void *host, *there;
    HB_TRY(hb_cuda_stage_room(cuda, sizeof *zeros, &host, &there));
    HB_TRY(hb_cuda_zeros(e, a, static_cast<unsigned long long *>(there), false));
    HB_CUDA(cudaMemcpyAsync(host, there, sizeof *zeros, cudaMemcpyDeviceToHost, cuda->stream));
    HB_TRY(hb_cuda_wait(cuda));
    memcpy(zeros, host, sizeof *zeros);
    return HB_OK;
}
