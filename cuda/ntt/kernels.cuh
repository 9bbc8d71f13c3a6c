/* How the structures start their kernels (private). A structure gives a family: a class with `narrow` and a template
 * kernel<arithmetic, LOG_N, forward>() that returns the address of a kernel. */
#ifndef HB_CUDA_NTT_KERNELS_CUH
#define HB_CUDA_NTT_KERNELS_CUH

#include "ntt_tile.cuh"

/* Returns the kernel of a family for a launch of known size and direction. Fewer reductions do not make narrow kernels
 * faster, so there is one of each kind, for the widest primes. */
template <class FAMILY, int LOG_N, bool FORWARD> const void *hb_ntt_kernel_of(hb_ntt_arithmetic arithmetic)
{
    if constexpr (FAMILY::narrow) {
        return arithmetic <= HB_NTT_F64_50 ? FAMILY::template kernel<hb_ntt_f64<50>, LOG_N, FORWARD>()
                                           : FAMILY::template kernel<hb_ntt_u64<61>, LOG_N, FORWARD>();
    } else {
        /* The wider a prime may be, the more reductions its kernel has. */
        switch (arithmetic) {
        case HB_NTT_F64_49:
            return FAMILY::template kernel<hb_ntt_f64<49>, LOG_N, FORWARD>();
        case HB_NTT_F64_50:
            return FAMILY::template kernel<hb_ntt_f64<50>, LOG_N, FORWARD>();
        case HB_NTT_U64_59:
            return FAMILY::template kernel<hb_ntt_u64<59>, LOG_N, FORWARD>();
        case HB_NTT_U64_61:
            break;
        }
        return FAMILY::template kernel<hb_ntt_u64<61>, LOG_N, FORWARD>();
    }
}

/* Returns the kernel of a family for a launch, whose log_n is in MIN_LOG_N .. MAX_LOG_N. It turns the size, which is
 * known at run time, into a constant by trying one after the other. */
template <class FAMILY, int MIN_LOG_N, int MAX_LOG_N> const void *hb_ntt_kernel(const hb_ntt_launch *launch)
{
    if constexpr (MIN_LOG_N < MAX_LOG_N) {
        if (launch->log_n > MIN_LOG_N) {
            return hb_ntt_kernel<FAMILY, MIN_LOG_N + 1, MAX_LOG_N>(launch);
        }
    }
    HB_ASSERT(launch->log_n == MIN_LOG_N);
    return launch->forward ? hb_ntt_kernel_of<FAMILY, MIN_LOG_N, true>(launch->arithmetic)
                           : hb_ntt_kernel_of<FAMILY, MIN_LOG_N, false>(launch->arithmetic);
}

/* Properties of a launch that only some structures need. */
struct hb_ntt_special {
    uint32_t cluster; /* thread blocks of a cluster, or 0 */
    uint32_t shared;  /* percent of the first-level cache that is shared memory, or 0: the driver's choice */
};

/* Starts a kernel with one thread block for every tile of 2^log_tile words of every job, and of `more` jobs beyond
 * them. */
static inline hb_status hb_ntt_start(const void *kernel, int log_tile, uint32_t more, hb_ntt_special special,
                                     const hb_ntt_launch *launch)
{
    cudaLaunchAttribute attributes[4] = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((launch->args.jobs + more) << (launch->log_n - log_tile));
    config.blockDim = dim3(1u << (log_tile - hb_ntt_log_e(launch->log_n, launch->f64, launch->narrow)));
    config.stream = launch->stream;
    config.attrs = attributes;
    if (special.cluster > 0) {
        cudaLaunchAttribute *a = &attributes[config.numAttrs++];
        a->id = cudaLaunchAttributeClusterDimension;
        a->val.clusterDim.x = special.cluster;
        a->val.clusterDim.y = a->val.clusterDim.z = 1;
        a = &attributes[config.numAttrs++]; /* 4 % faster at 2^14 and 2^15 than without a preference */
        a->id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
        a->val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicyLoadBalancing;
    }
    if (launch->sm90) { /* it may start before the launch before it has ended; the kernels wait for that */
        cudaLaunchAttribute *a = &attributes[config.numAttrs++];
        a->id = cudaLaunchAttributeProgrammaticStreamSerialization;
        a->val.programmaticStreamSerializationAllowed = 1;
    }
    if (special.shared > 0) {
        cudaLaunchAttribute *a = &attributes[config.numAttrs++];
        a->id = cudaLaunchAttributePreferredSharedMemoryCarveout;
        a->val.sharedMemCarveout = special.shared;
    }
    hb_ntt_args args = launch->args;
    void *parameters[] = {&args};
    HB_CUDA(cudaLaunchKernelExC(&config, kernel, parameters));
    return HB_OK;
}

#endif
