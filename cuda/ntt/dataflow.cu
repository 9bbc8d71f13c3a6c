/* Limbs of 2^16 words and more in one launch, which keeps the words between columns and rows in the second-level cache.
 * Each thread block does one half of a transform on a tile of one job and then the other half on a tile of the job that
 * started `lead` jobs earlier, once all blocks have finished the first half of that.
 *
 * Nothing waits forever: a block takes its number from a counter when it starts, so all blocks with smaller numbers are
 * running or done, those are the ones it waits for, and none of them waits before it has finished its first half. The
 * counters are zero again at the end: work[0], the numbers, is set by the block that gets the last one, and work[1 +
 * job], finished first halves in the low half of the word and started second halves in the high one, by the last to
 * start. */
#include "cuda/device/sm90.cuh"
#include "kernels.cuh"

/* Reads a counter. Words that other blocks wrote before they added to it are visible once their addition is seen. */
static __device__ __forceinline__ uint32_t load_acquire(const uint32_t *at)
{
    uint32_t value;
    asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

/* Adds to a counter after all that this thread has seen or written; with a barrier before it, after the whole
 * block's. */
static __device__ __forceinline__ void add_release(uint32_t *at, uint32_t value)
{
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

template <class A, int LOG_N> using hb_ntt_dataflow_geometry = hb_ntt_geometry<A, LOG_N, HB_NTT_LOG_TILE>;

/* The kernel: the block with number b does tile b % tiles of the first half of job b / tiles and of the second half of
 * the job `lead` earlier. The first blocks have no second half, the last ones, which hb_ntt_start adds, no first
 * half. */
template <class A, int LOG_N, bool FORWARD>
__global__ __launch_bounds__(hb_ntt_dataflow_geometry<A, LOG_N>::threads,
                             hb_ntt_dataflow_geometry<A, LOG_N>::resident) //
    void hb_ntt_dataflow(const __grid_constant__ hb_ntt_args args)
{
    using geometry = hb_ntt_dataflow_geometry<A, LOG_N>;
    using job_type = hb_ntt_job<A, LOG_N, HB_NTT_LOG_TILE, FORWARD>;
    constexpr uint32_t tiles = geometry::tiles;
    __shared__ __align__(16) uint64_t shared[geometry::shared_words];
    __shared__ uint32_t number;
    hb_cuda_begin(); /* the launch before may be counting, too */
    if (threadIdx.x == 0) {
        /* Numbers follow the order in which blocks start, which the hardware does not promise for blockIdx. */
        number = atomicAdd(args.work, 1);
        if (number == gridDim.x - 1) {
            *args.work = 0;
        }
    }
    __syncthreads();
    /* `second` is above any job where first < lead; it is not used then. */
    const uint32_t tile = number % tiles, first = number / tiles, second = first - args.lead;
    if (first < args.jobs) {
        const job_type job(args, first);
        if constexpr (FORWARD) {
            job.columns(shared, tile);
        } else {
            job.rows(shared, tile);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            /* The barrier above put the stores of all threads of the block before this addition. */
            add_release(args.work + 1 + first, 1);
        }
    }
    if (first >= args.lead) {
        const job_type job(args, second);
        if (threadIdx.x == 0) {
            uint32_t *const counter = args.work + 1 + second;
            /* One thread waits for the whole block; the barrier below passes its view of memory on. */
            while ((load_acquire(counter) & 0xffff) < tiles) {
            }
            /* The last of the tiles to start its second half: no block reads this counter again in this launch. */
            if (atomicAdd(counter, 0x10000) >> 16 == tiles - 1) {
                *counter = 0;
            }
        }
        __syncthreads();
        if constexpr (FORWARD) {
            job.rows(shared, tile);
        } else {
            job.columns(shared, tile);
        }
    }
}

namespace
{
struct dataflow {
    static constexpr bool narrow = false;
    template <class A, int LOG_N, bool FORWARD> static const void *kernel()
    {
        return reinterpret_cast<const void *>(hb_ntt_dataflow<A, LOG_N, FORWARD>);
    }
};
} /* namespace */

hb_status hb_ntt_launch_dataflow(const hb_ntt_launch *launch)
{
    const void *kernel = hb_ntt_kernel<dataflow, HB_NTT_PORTABLE_CLUSTER_LOG_N + 1, HB_NTT_MAX_LOG_N>(launch);
    return hb_ntt_start(kernel, HB_NTT_LOG_TILE, launch->args.lead, {}, launch);
}
