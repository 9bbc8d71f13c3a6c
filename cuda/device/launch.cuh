/* Kernels that are started while the one before them ends (private), so that their thread blocks are in place when
 * their turn comes (programmatic dependent launch). In a chain of short kernels, as one ciphertext's are, each then
 * takes a microsecond less. */
#ifndef HB_CUDA_DEVICE_LAUNCH_CUH
#define HB_CUDA_DEVICE_LAUNCH_CUH

#include <algorithm>
#include <utility>

#include "cuda_private.h"
#include "sm90.cuh"

/* Returns the grid of a kernel whose `blocks` thread blocks could each go through all `limbs` limbs of their words.
 * Where these are too few for the GPU, as for one ciphertext, the grid has as many rows (blockIdx.y) as fill it, up to
 * `limbs`; each row goes through every gridDim.y-th limb. */
static inline dim3 hb_cuda_share_limbs(const hb_cuda_engine *e, uint32_t blocks, uint32_t limbs)
{
    /* Four thread blocks for each multiprocessor are taken to fill the GPU. */
    const uint32_t fill = 4 * static_cast<uint32_t>(e->gpu->device.multiprocessors);
    return dim3(blocks, std::min(std::max(fill / std::max(blocks, 1u), 1u), limbs));
}

/* Launches kernel<<<blocks, threads, shared, stream of the engine>>>(values...). On compute capability 9.0 it may start
 * before the launch before it has ended, so the kernel must begin with hb_cuda_begin (sm90.cuh). HB_EUNAVAILABLE and
 * others, as hb_cuda_failed says; failures of the kernel itself show in later calls. */
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
