/* Limbs of 2^13 to 2^15 words: a cluster of 2 to 8 thread blocks each, a tile of 2^12 words a block. Columns and rows
 * meet in the shared memory of the cluster: one trip through device memory. Compute capability 9.0. */
#include "ntt_kernels.cuh"
#include "ntt_sm90.cuh"

template <class A, int LOG_N> using hb_ntt_cluster_geometry = hb_ntt_geometry<A, LOG_N, HB_NTT_LOG_TILE>;

/* Word i of the tile of block r is word r 2^12 + i of the limb, in row floor(that / column_stride) of column i mod
 * column_stride. Block c takes columns c `threads` and following, a thread each. */
template <class A, int LOG_N> struct hb_ntt_crossing {
    using geometry = hb_ntt_cluster_geometry<A, LOG_N>;
    using job = hb_ntt_job<A, LOG_N, HB_NTT_LOG_TILE, true>;
    using registers = typename job::registers;
    static constexpr int blocks = geometry::tiles;
    static constexpr int rows = geometry::words / blocks; /* of a tile */
    static constexpr int column_stride = 1 << geometry::step;

    /* A column to the tiles. */
    static __device__ __forceinline__ void scatter(const registers &x, uint64_t *shared, uint32_t column)
    {
#pragma unroll
        for (int block = 0; block < blocks; block++) {
            const uint32_t there = hb_ntt_cluster_address(shared + geometry::place(column), block);
#pragma unroll
            for (int k = 0; k < rows; k++) {
                hb_ntt_cluster_store(there, geometry::place(k * column_stride), A::to_bits(x[block * rows + k]));
            }
        }
    }

    /* The words of a thread in the first pass on rows to the columns, there [row][thread]. Which block takes a word
     * depends on bits that are the pass' own, so the compiler knows it. */
    static __device__ __forceinline__ void gather(const registers &x, uint64_t *shared, uint32_t rank)
    {
        constexpr int lo = geometry::lo(geometry::outer);
        const uint32_t mine = rank * rows * geometry::threads + cell(job::template first<lo>());
#pragma unroll
        for (int block = 0; block < blocks; block++) {
            const uint32_t there = hb_ntt_cluster_address(shared + mine, block);
#pragma unroll
            for (int k = 0; k < geometry::words; k++) {
                if (((k << lo) & (column_stride - 1)) / geometry::threads == block) {
                    hb_ntt_cluster_store(there, cell(k << lo), A::to_bits(x[k]));
                }
            }
        }
    }
    static __device__ __forceinline__ constexpr uint32_t cell(uint32_t i)
    {
        return i / column_stride * geometry::threads + i % geometry::threads;
    }
};

template <class A, int LOG_N, bool FORWARD>
__global__ __launch_bounds__(hb_ntt_cluster_geometry<A, LOG_N>::threads, hb_ntt_cluster_geometry<A, LOG_N>::resident) //
    void hb_ntt_cluster(const __grid_constant__ hb_ntt_args args)
{
    using geometry = hb_ntt_cluster_geometry<A, LOG_N>;
    using crossing = hb_ntt_crossing<A, LOG_N>;
    __shared__ __align__(16) uint64_t shared[geometry::shared_words];
    const uint32_t rank = blockIdx.x % geometry::tiles;
    const hb_ntt_job<A, LOG_N, HB_NTT_LOG_TILE, FORWARD> job(args, blockIdx.x / geometry::tiles);
    const uint32_t column = job.template in_columns<0>(rank);
    typename crossing::registers x;
    if constexpr (FORWARD) {
        hb_ntt_cluster_start(); /* nobody writes to a block that has not started */
        job.template load_source<geometry::step>(x, column);
        job.template pass<0>(x, 0);
        hb_ntt_cluster_wait();
        crossing::scatter(x, shared, rank * geometry::threads + threadIdx.x);
        hb_ntt_cluster_arrive();
        hb_ntt_cluster_wait();
        job.template get<geometry::outer>(x, shared);
        job.forward_rows(x, shared, rank);
    } else {
        job.inverse_begin(x, shared, rank);
        job.inverse_rows(x, shared, rank, [] { hb_ntt_cluster_arrive(); }); /* nobody writes to a tile still read */
        hb_ntt_cluster_wait();
        crossing::gather(x, shared, rank);
        hb_ntt_cluster_arrive();
        hb_ntt_cluster_wait();
#pragma unroll
        for (int k = 0; k < geometry::words; k++) {
            x[k] = A::of_bits(shared[k * geometry::threads + threadIdx.x]);
        }
        job.template pass<0>(x, 0);
        job.template store<geometry::step, true>(x, column);
    }
}

namespace
{
struct cluster {
    template <class A, int LOG_N, bool FORWARD> static const void *kernel()
    {
        return reinterpret_cast<const void *>(hb_ntt_cluster<A, LOG_N, FORWARD>);
    }
};
} /* namespace */

hb_status hb_ntt_launch_cluster(const hb_ntt_launch *launch)
{
    const void *kernel = hb_ntt_kernel<cluster, HB_NTT_LOG_TILE + 1, HB_NTT_MAX_CLUSTER_LOG_N>(launch);
    const uint32_t blocks = 1u << (launch->log_n - HB_NTT_LOG_TILE);
    return hb_ntt_start(kernel, HB_NTT_LOG_TILE, 0, {blocks, false, 0}, launch);
}
