/* Limbs of 2^12 to 2^16 words: each has a cluster of 2 to 16 thread blocks, a block a tile of 2^12 words, or less in
 * narrow ones. Columns and rows meet in the shared memory of the cluster, so a limb makes one trip through device
 * memory. It needs compute capability 9.0. */
#include "kernels.cuh"
#include "cuda/device/sm90.cuh"

/* Returns the log2 of a block's words. Narrow tiles are 2^10 words, but a cluster has at most 8 blocks. */
static __host__ __device__ constexpr int log_tile_of(int log_n, bool narrow)
{
    if (!narrow) {
        return HB_NTT_LOG_TILE;
    }
    if (log_n - 3 < HB_NTT_LOG_NARROW_TILE) {
        return HB_NTT_LOG_NARROW_TILE;
    }
    return log_n - 3;
}

template <class A, int LOG_N, bool NARROW>
using hb_ntt_cluster_geometry = hb_ntt_geometry<A, LOG_N, log_tile_of(LOG_N, NARROW), NARROW>;

/* How words cross from the columns of one thread block to the rows of another, and back. Word i of the tile of rows of
 * block r is word r 2^LOG_TILE + i of the limb, in row floor(that / column_stride) of column i mod column_stride. Block
 * c has columns c `width` and following, [row][column] in its shared memory. */
template <class A, int LOG_N, bool FORWARD, bool NARROW> struct hb_ntt_crossing {
    static constexpr int log_tile = log_tile_of(LOG_N, NARROW);
    using geometry = hb_ntt_cluster_geometry<A, LOG_N, NARROW>;
    using job_type = hb_ntt_job<A, LOG_N, log_tile, FORWARD, NARROW>;
    using registers = typename job_type::registers;
    static constexpr int inner = geometry::inner, outer = geometry::outer;
    static constexpr int column_stride = 1 << geometry::step;
    static constexpr int width = 1 << geometry::log_width;
    static constexpr int tile_rows = 1 << (log_tile - geometry::step);
    static constexpr int rows = geometry::words < tile_rows ? geometry::words : tile_rows; /* of a thread in a tile */

    /* Stores the words of a thread in the last pass on columns, the first of them word `first` of the limb, into the
     * tiles of rows. With one pass on columns a thread's words go to all blocks, `rows` of them to each. */
    static __device__ __forceinline__ void scatter(const registers &x, uint64_t *shared, uint32_t first)
    {
        const uint32_t first_block = inner == 0 ? 0 : first >> log_tile;
        const uint32_t in_tile = inner == 0 ? first : first & ((1u << log_tile) - 1);
#pragma unroll
        for (int block = 0; block < geometry::words / rows; block++) {
            /* One address computation for each block; the words are at constant distances from it. */
            const uint32_t there = hb_cuda_cluster_address(shared + geometry::place(in_tile), first_block + block);
#pragma unroll
            for (int k = 0; k < rows; k++) {
                hb_cuda_cluster_store(there, geometry::place(k * column_stride), A::to_bits(x[block * rows + k]));
            }
        }
    }

    /* Stores the words of a thread in the first pass on rows into the columns. Which block takes a word depends on bits
     * that are the pass's own, so the compiler knows it. */
    static __device__ __forceinline__ void gather(const registers &x, uint64_t *shared, uint32_t rank)
    {
        constexpr int lo = geometry::lo(outer);
        const uint32_t mine = rank * tile_rows * width + cell(job_type::template first<lo>());
#pragma unroll
        for (int block = 0; block < geometry::tiles; block++) {
            const uint32_t there = hb_cuda_cluster_address(shared + mine, block);
#pragma unroll
            for (int k = 0; k < geometry::words; k++) {
                if (((k << lo) & (column_stride - 1)) / width == block) {
                    hb_cuda_cluster_store(there, cell(k << lo), A::to_bits(x[k]));
                }
            }
        }
    }
    /* Returns where word i of a tile of rows goes among the columns of its block, but for the block's own rows. */
    static __device__ __forceinline__ constexpr uint32_t cell(uint32_t i)
    {
        return i / column_stride * width + i % width;
    }

    /* Returns the first word of this thread in a pass on the block's columns, in shared memory. Where the only pass on
     * columns is pass 0, a thread has a column of its own. */
    template <int LO> static __device__ __forceinline__ uint32_t first()
    {
        return inner == 0 ? threadIdx.x : job_type::template first<LO>();
    }
    /* Returns the first word of this thread in the last pass on columns, as a place in the limb. */
    static __device__ __forceinline__ uint32_t first_out(uint32_t rank)
    {
        return inner == 0 ? rank * width + threadIdx.x : job_type::template in_columns<inner>(rank);
    }

    /* Move the words of a thread in a pass on the block's columns between shared memory and registers. */
    template <int PASS> static __device__ __forceinline__ void get(registers &x, const uint64_t *shared)
    {
        constexpr int lo = geometry::lo(PASS);
        const uint64_t *const from = shared + first<lo>();
#pragma unroll
        for (int k = 0; k < geometry::words; k++) {
            x[k] = A::of_bits(from[k << lo]);
        }
    }
    template <int PASS> static __device__ __forceinline__ void put(const registers &x, uint64_t *shared)
    {
        constexpr int lo = geometry::lo(PASS);
        uint64_t *const to = shared + first<lo>();
#pragma unroll
        for (int k = 0; k < geometry::words; k++) {
            to[k << lo] = A::to_bits(x[k]);
        }
    }
};

/* A forward transform: passes on columns, crossing, passes on rows. `column` is where this thread starts in the
 * limb. */
template <class A, int LOG_N, bool NARROW>
static __device__ __forceinline__ void
hb_ntt_cluster_forward(const typename hb_ntt_crossing<A, LOG_N, true, NARROW>::job_type &job, uint64_t *shared,
                       uint32_t rank, uint32_t column)
{
    using geometry = hb_ntt_cluster_geometry<A, LOG_N, NARROW>;
    using crossing = hb_ntt_crossing<A, LOG_N, true, NARROW>;
    typename crossing::registers x;
    if constexpr (geometry::inner == 0) {
        /* the wait below then knows that all blocks have started: no block writes to one that has not started */
        hb_cuda_cluster_start();
    }
    job.template load_source<geometry::shape.pass[0].lo>(x, column);
    job.template pass<0>(x, 0);
    if constexpr (geometry::inner == 1) {
        crossing::template put<0>(x, shared);
        __syncthreads();
        crossing::template get<1>(x, shared);
        /* announces that this thread has read its columns: others may write there after the wait */
        hb_cuda_cluster_arrive();
        job.template pass<1>(x, 0);
    }
    hb_cuda_cluster_wait();
    /* Each block's shared memory is overwritten with its tile of rows, by the threads of all blocks. */
    crossing::scatter(x, shared, crossing::first_out(rank));
    hb_cuda_cluster_arrive();
    hb_cuda_cluster_wait();
    /* All stores of the cluster are visible from here on. */
    job.template get<geometry::outer>(x, shared);
    job.forward_rows(x, shared, rank);
}

template <class A, int LOG_N, bool NARROW>
static __device__ __forceinline__ void
hb_ntt_cluster_inverse(const typename hb_ntt_crossing<A, LOG_N, false, NARROW>::job_type &job, uint64_t *shared,
                       uint32_t rank, uint32_t column)
{
    using geometry = hb_ntt_cluster_geometry<A, LOG_N, NARROW>;
    using crossing = hb_ntt_crossing<A, LOG_N, false, NARROW>;
    typename crossing::registers x;
    job.inverse_begin(x, shared, rank);
    /* announced as soon as this thread has read its tile: no block writes to a tile that is still read */
    job.inverse_rows(x, shared, rank, [] { hb_cuda_cluster_arrive(); });
    hb_cuda_cluster_wait();
    /* The mirror image: each block's shared memory becomes its columns. */
    crossing::gather(x, shared, rank);
    hb_cuda_cluster_arrive();
    hb_cuda_cluster_wait();
    crossing::template get<geometry::inner>(x, shared);
    if constexpr (geometry::inner == 1) {
        job.template pass<1>(x, 0);
        crossing::template put<1>(x, shared);
        __syncthreads();
        crossing::template get<0>(x, shared);
    }
    job.template pass<0>(x, 0);
    job.template store<geometry::shape.pass[0].lo, true>(x, column);
}

template <class A, int LOG_N, bool FORWARD, bool NARROW>
__global__ __launch_bounds__(hb_ntt_cluster_geometry<A, LOG_N, NARROW>::threads,
                             hb_ntt_cluster_geometry<A, LOG_N, NARROW>::resident) //
    void hb_ntt_cluster(const __grid_constant__ hb_ntt_args args)
{
    using geometry = hb_ntt_cluster_geometry<A, LOG_N, NARROW>;
    __shared__ __align__(16) uint64_t shared[geometry::shared_words];
    const uint32_t rank = blockIdx.x % geometry::tiles;
    typename hb_ntt_crossing<A, LOG_N, FORWARD, NARROW>::job_type job(args, blockIdx.x / geometry::tiles);
    const uint32_t column = job.template in_columns<0>(rank);
    /* Narrow threads load their twiddles before they wait for the launch before. */
    job.keep_columns();
    job.keep_rows(rank);
    hb_cuda_begin();
    if constexpr (FORWARD) {
        hb_ntt_cluster_forward<A, LOG_N, NARROW>(job, shared, rank, column);
    } else {
        hb_ntt_cluster_inverse<A, LOG_N, NARROW>(job, shared, rank, column);
    }
}

/* The GPU was asked whether it runs such clusters (hb_cuda_device.cluster16). Inverse transforms and integers have them
 * too, for plans that measure them: fixed rules take them for quotients in FP64 alone. */
using hb_ntt_largest = hb_ntt_cluster_geometry<hb_ntt_u64<61>, HB_NTT_MAX_CLUSTER_LOG_N, false>;
static_assert(hb_ntt_largest::tiles == HB_CUDA_CLUSTER16_BLOCKS &&
                  hb_ntt_largest::threads == HB_CUDA_CLUSTER16_THREADS &&
                  hb_ntt_largest::shared_words * sizeof(uint64_t) <= HB_CUDA_CLUSTER16_SHARED,
              "the device is asked for these clusters");

namespace
{
template <bool NARROW> struct cluster {
    static constexpr bool narrow = NARROW;
    template <class A, int LOG_N, bool FORWARD> static const void *kernel()
    {
        return reinterpret_cast<const void *>(hb_ntt_cluster<A, LOG_N, FORWARD, NARROW>);
    }
};
} /* namespace */

hb_status hb_ntt_launch_cluster(const hb_ntt_launch *launch)
{
    const void *kernel =
        launch->narrow ? hb_ntt_kernel<cluster<true>, HB_NTT_MIN_NARROW_LOG_N, HB_NTT_PORTABLE_CLUSTER_LOG_N>(launch)
                       : hb_ntt_kernel<cluster<false>, HB_NTT_LOG_TILE + 1, HB_NTT_MAX_CLUSTER_LOG_N>(launch);
    if (launch->log_n > HB_NTT_PORTABLE_CLUSTER_LOG_N) {
        /* So large a cluster has to be asked for. */
        HB_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    }
    const int log_tile = log_tile_of(launch->log_n, launch->narrow);
    return hb_ntt_start(kernel, log_tile, 0, {1u << (launch->log_n - log_tile), 0}, launch);
}
