/* Kernels that are started while the one before them ends (private): thread blocks are in place when their turn comes.
 * With that a chain of short kernels, one ciphertext's, takes a microsecond less for each. */
#ifndef HB_CUDA_DEVICE_LAUNCH_CUH
#define HB_CUDA_DEVICE_LAUNCH_CUH

#include <algorithm>
#include <utility>

#include "cuda_private.h"
#include "sm90.cuh"

/* Thread blocks that could each go through all `limbs` limbs of their words: where there are too few of them for the
 * GPU, as for one ciphertext, as many times (blockIdx.y) as fill it, each of which goes through every gridDim.y-th
 * limb. */
static inline dim3 hb_cuda_share_limbs(const hb_cuda_engine *e, uint32_t blocks, uint32_t limbs)
{
    const uint32_t fill = 4 * static_cast<uint32_t>(e->gpu->device.multiprocessors);
    return dim3(blocks, std::min(std::max(fill / std::max(blocks, 1u), 1u), limbs));
}

/* kernel<<<blocks, threads, shared, stream of the engine>>>(values...). */
template <typename... parameters, typename... arguments>
static hb_status hb_cuda_start(const hb_cuda_engine *e, void (*kernel)(parameters...), dim3 blocks, uint32_t threads,
                               size_t shared, arguments &&...values)
{
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = shared;
    config.stream = e->stream;
    config.attrs = &early;
    config.numAttrs = e->gpu->device.sm90 ? 1 : 0;
    HB_CUDA(cudaLaunchKernelEx(&config, kernel, std::forward<arguments>(values)...));
    return HB_OK;
}

#endif
