/* Limbs of up to 2^12 words: one thread block has a limb as one tile, which makes one trip through device memory. */
#include "kernels.cuh"
#include "cuda/device/sm90.cuh"

template <class A, int LOG_N, bool FORWARD>
__global__ __launch_bounds__(hb_ntt_geometry<A, LOG_N, LOG_N>::threads, hb_ntt_geometry<A, LOG_N, LOG_N>::resident) //
    void hb_ntt_single(const __grid_constant__ hb_ntt_args args)
{
    __shared__ __align__(16) uint64_t shared[hb_ntt_geometry<A, LOG_N, LOG_N>::shared_words];
    const hb_ntt_job<A, LOG_N, LOG_N, FORWARD> job(args, blockIdx.x);
    /* The tables are const, so the job may read its header before it waits for the launch before. */
    hb_cuda_begin();
    job.rows(shared, 0);
}

namespace
{
/* The family of these kernels (kernels.cuh). */
struct single {
    static constexpr bool narrow = false;
    template <class A, int LOG_N, bool FORWARD> static const void *kernel()
    {
        return reinterpret_cast<const void *>(hb_ntt_single<A, LOG_N, FORWARD>);
    }
};
} /* namespace */

hb_status hb_ntt_launch_single(const hb_ntt_launch *launch)
{
    const void *kernel = hb_ntt_kernel<single, HB_NTT_MIN_LOG_N, HB_NTT_LOG_TILE>(launch);
    return hb_ntt_start(kernel, launch->log_n, 0, {}, launch);
}
