/* Limbs of 2^13 words and more in two launches, one for columns and one for rows, which meet in device memory. This is
 * for GPUs without clusters, and for batches too small to fill the GPU. So tiles are as small as rows allow, and the
 * second launch starts while the first one ends. */
#include "kernels.cuh"
#include "cuda/device/sm90.cuh"

/* Returns the log2 of a tile's words. A tile has a whole row, and a warp at least. Where columns take two passes it has
 * enough of them side by side for the memory to be read in long pieces, unless there is little to move. */
static __host__ __device__ constexpr int log_tile_of(int log_n, bool f64, bool narrow)
{
    const int row = hb_ntt_shape_of(log_n, f64, narrow).row;
    if (narrow) {
        return HB_NTT_LOG_NARROW_TILE;
    }
    if (log_n > HB_NTT_PORTABLE_CLUSTER_LOG_N) {
        return 11;
    }
    if (row > 10) {
        return row;
    }
    return 10;
}

template <class A, int LOG_N, bool NARROW>
using hb_ntt_half_geometry = hb_ntt_geometry<A, LOG_N, log_tile_of(LOG_N, A::f64, NARROW), NARROW>;

/* One half of a transform, the passes on columns or those on rows. Twiddles that a narrow thread keeps are loaded
 * before hb_cuda_begin, while the launch before still runs: tables are const. */
template <class A, int LOG_N, bool FORWARD, bool NARROW, bool COLUMNS>
__global__ __launch_bounds__(hb_ntt_half_geometry<A, LOG_N, NARROW>::threads,
                             hb_ntt_half_geometry<A, LOG_N, NARROW>::resident) //
    void hb_ntt_half(const __grid_constant__ hb_ntt_args args)
{
    using geometry = hb_ntt_half_geometry<A, LOG_N, NARROW>;
    __shared__ __align__(16) uint64_t shared[geometry::shared_words];
    const uint32_t tile = blockIdx.x % geometry::tiles;
    hb_ntt_job<A, LOG_N, log_tile_of(LOG_N, A::f64, NARROW), FORWARD, NARROW> job(args, blockIdx.x / geometry::tiles);
    if constexpr (COLUMNS) {
        job.keep_columns();
        hb_cuda_begin();
        job.columns(shared, tile);
    } else {
        job.keep_rows(tile);
        hb_cuda_begin();
        job.rows(shared, tile);
    }
}

namespace
{
enum { NARROW_LEAST = 14 }; /* below that a cluster has enough multiprocessors */

template <bool NARROW> struct columns {
    static constexpr bool narrow = NARROW;
    template <class A, int LOG_N, bool FORWARD> static const void *kernel()
    {
        return reinterpret_cast<const void *>(hb_ntt_half<A, LOG_N, FORWARD, NARROW, true>);
    }
};

template <bool NARROW> struct rows {
    static constexpr bool narrow = NARROW;
    template <class A, int LOG_N, bool FORWARD> static const void *kernel()
    {
        return reinterpret_cast<const void *>(hb_ntt_half<A, LOG_N, FORWARD, NARROW, false>);
    }
};
} /* namespace */

hb_status hb_ntt_launch_two(const hb_ntt_launch *launch)
{
    const void *column = launch->narrow ? hb_ntt_kernel<columns<true>, NARROW_LEAST, HB_NTT_MAX_LOG_N>(launch)
                                        : hb_ntt_kernel<columns<false>, HB_NTT_LOG_TILE + 1, HB_NTT_MAX_LOG_N>(launch);
    const void *row = launch->narrow ? hb_ntt_kernel<rows<true>, NARROW_LEAST, HB_NTT_MAX_LOG_N>(launch)
                                     : hb_ntt_kernel<rows<false>, HB_NTT_LOG_TILE + 1, HB_NTT_MAX_LOG_N>(launch);
    const int log_tile = log_tile_of(launch->log_n, launch->f64, launch->narrow);
    /* A new split of the first-level cache would make the second launch wait for all of the first. Columns by
     * themselves leave it no shared memory. */
    const uint32_t shared = launch->forward ? 70 : 0;
    /* Forward transforms go from columns to rows, inverse ones from rows to columns. */
    HB_TRY(hb_ntt_start(launch->forward ? column : row, log_tile, 0, {0, shared}, launch));
    return hb_ntt_start(launch->forward ? row : column, log_tile, 0, {0, shared}, launch);
}
