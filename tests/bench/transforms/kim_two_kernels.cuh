/* Two kernels with shared memory (Kim et al., sections V and VI C): N = N1 N2, columns of N1 words first, then rows of
 * N2. A thread transforms 2^LOG_E words at a time in registers; between such passes the block exchanges words.
 *
 * The paper's choices: blocks combine columns so that accesses coalesce (figure 6), and columns find their twiddles in
 * shared memory. It does not say how banks are kept free of conflicts, nor how the last words of a row are stored: here
 * a word is left free after every 2^LOG_E, and rows pass through shared memory once more so that they are stored as
 * they were loaded, a warp at adjacent words. */
#ifndef HB_BENCH_KIM_TWO_KERNELS_CUH
#define HB_BENCH_KIM_TWO_KERNELS_CUH

#include <algorithm>

#include "kim_register.cuh"

/* Threads of a block at most: as many as registers allow without spills. */
static constexpr __host__ __device__ int hb_kim_log_most_threads(int log_e)
{
    return log_e <= 3 ? 10 : 13 - log_e;
}

/* How a kernel cuts a limb: transforms of 2^log_points words, 2^log_side of them a block. */
struct hb_kim_cut {
    int log_points, log_side;
    bool apart; /* columns of a block lie as far apart as they can */
};

/* Points of one of the transforms of a block in shared memory, 2^log_side words from one to the next. */
template <class A, int LOG_E> struct hb_kim_exchange {
    typename A::word *words;
    int log_side, log_points;
    uint32_t lane; /* of the 2^(log_points - LOG_E) that share the transform */

    /* Word i of this lane in the pass that starts at stage `start`. */
    __device__ uint32_t point(int start, int i) const
    {
        const int log_stride = log_points - LOG_E - start;
        const uint32_t group = lane >> log_stride, offset = lane & ((1u << log_stride) - 1);
        return (group << (log_points - start)) + offset + ((uint32_t)i << log_stride);
    }
    __device__ typename A::word &at(uint32_t point) const
    {
        return words[(point + (point >> LOG_E)) << log_side];
    }
    /* From the words of one pass to those of another. No thread has to wait before it writes: the places are those
     * that it alone read in the exchange before. */
    __device__ __forceinline__ void operator()(typename A::word (&x)[1 << LOG_E], int from, int to) const
    {
#pragma unroll
        for (int i = 0; i < 1 << LOG_E; i++) {
            at(point(from, i)) = x[i];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 1 << LOG_E; i++) {
            x[i] = at(point(to, i));
        }
    }
};

/* A transform of 2^log_points words, group `group` of stage `stage` of the limb's; x holds the words of the pass at 0,
 * and in the end those of the pass at log_points - LOG_E, the last one. That leaves out the stages it shares with the
 * pass before. */
template <class A, int LOG_E, int ON_THE_FLY>
__device__ __forceinline__ void hb_kim_transform(typename A::word (&x)[1 << LOG_E],
                                                 const hb_kim_exchange<A, LOG_E> &exchange, int stage, uint32_t group,
                                                 const hb_kim_factors<A> &f, const typename A::constants &c)
{
    const int last = exchange.log_points - LOG_E;
    int start = 0, first = 0;
    while (start < last) {
        hb_kim_pass<A, LOG_E, 0>(x, 0, stage + start, (group << start) + (exchange.lane >> (last - start)), f, c);
        const int next = start + LOG_E < last ? start + LOG_E : last;
        first = start + LOG_E - next;
        exchange(x, start, next);
        start = next;
    }
    hb_kim_pass<A, LOG_E, ON_THE_FLY>(x, first, stage + last, (group << last) + exchange.lane, f, c);
}

template <class A> __device__ typename A::word *hb_kim_shared_words()
{
    extern __shared__ __align__(16) unsigned char hb_kim_memory[];
    return reinterpret_cast<typename A::word *>(hb_kim_memory);
}

/* Words of shared memory for the transforms of a block. */
static inline __host__ __device__ uint32_t hb_kim_padded(const hb_kim_cut &cut, int log_e)
{
    return ((1u << cut.log_points) + (1u << (cut.log_points - log_e))) << cut.log_side;
}

/* Columns: adjacent threads have adjacent columns. */
template <class A, int LOG_E, bool PRELOAD>
__global__ __launch_bounds__(1 << hb_kim_log_most_threads(LOG_E)) //
    void hb_kim_columns(const hb_kim_view<A> v, const hb_kim_cut cut)
{
    const int log_row = v.log_n - cut.log_points, log_tiles = log_row - cut.log_side;
    const uint32_t limb = blockIdx.x >> log_tiles, tile = blockIdx.x & ((1u << log_tiles) - 1);
    const uint32_t side = threadIdx.x & ((1u << cut.log_side) - 1), lane = threadIdx.x >> cut.log_side;
    const uint32_t column = cut.apart ? (side << log_tiles) + tile : (tile << cut.log_side) + side;
    const uint32_t modulus = limb % v.moduli;
    const typename A::constants c = v.constants[modulus];
    hb_kim_factors<A> f = hb_kim_factors_of(v, modulus);
    const hb_kim_exchange<A, LOG_E> exchange = {hb_kim_shared_words<A>() + side, cut.log_side, cut.log_points, lane};
    if constexpr (PRELOAD) {
        auto *table = reinterpret_cast<typename A::factor *>(hb_kim_shared_words<A>() + hb_kim_padded(cut, LOG_E));
        for (uint32_t i = threadIdx.x; i < 1u << cut.log_points; i += blockDim.x) {
            table[i] = f.table[i];
        }
        f.table = table;
        __syncthreads();
    }
    typename A::word *words = v.data + ((size_t)limb << v.log_n) + column;
    typename A::word x[1 << LOG_E];
#pragma unroll
    for (int i = 0; i < 1 << LOG_E; i++) {
        x[i] = words[(size_t)exchange.point(0, i) << log_row];
    }
    hb_kim_transform<A, LOG_E, 0>(x, exchange, 0, 0, f, c);
#pragma unroll
    for (int i = 0; i < 1 << LOG_E; i++) {
        words[(size_t)exchange.point(cut.log_points - LOG_E, i) << log_row] = x[i];
    }
}

/* Rows: adjacent threads have adjacent words of one. */
template <class A, int LOG_E, int ON_THE_FLY>
__global__ __launch_bounds__(1 << hb_kim_log_most_threads(LOG_E)) //
    void hb_kim_rows(const hb_kim_view<A> v, const hb_kim_cut cut)
{
    const int log_rows = v.log_n - cut.log_points, log_tiles = log_rows - cut.log_side;
    const int log_lanes = cut.log_points - LOG_E;
    const uint32_t limb = blockIdx.x >> log_tiles, tile = blockIdx.x & ((1u << log_tiles) - 1);
    const uint32_t side = threadIdx.x >> log_lanes, lane = threadIdx.x & ((1u << log_lanes) - 1);
    const uint32_t row = (tile << cut.log_side) + side, modulus = limb % v.moduli;
    const typename A::constants c = v.constants[modulus];
    const hb_kim_exchange<A, LOG_E> exchange = {
        hb_kim_shared_words<A>() + side * ((1u << cut.log_points) + (1u << log_lanes)), 0, cut.log_points, lane};
    typename A::word *words = v.data + ((size_t)limb << v.log_n) + ((size_t)row << cut.log_points);
    typename A::word x[1 << LOG_E];
#pragma unroll
    for (int i = 0; i < 1 << LOG_E; i++) {
        x[i] = words[exchange.point(0, i)];
    }
    hb_kim_transform<A, LOG_E, ON_THE_FLY>(x, exchange, log_rows, row, hb_kim_factors_of(v, modulus), c);
    exchange(x, log_lanes, 0);
#pragma unroll
    for (int i = 0; i < 1 << LOG_E; i++) {
        words[exchange.point(0, i)] = A::result(x[i], c);
    }
}

/* A kernel with how it is started. */
template <class A> struct hb_kim_launch {
    void (*kernel)(hb_kim_view<A>, hb_kim_cut);
    hb_kim_cut cut;
    uint32_t blocks, threads, shared; /* blocks for a limb; bytes of shared memory */
};

template <class A, int MOST_E, bool PRELOAD>
auto hb_kim_columns_kernel(int log_e) -> void (*)(hb_kim_view<A>, hb_kim_cut)
{
    if constexpr (MOST_E > 1) {
        if (log_e < MOST_E) {
            return hb_kim_columns_kernel<A, MOST_E - 1, PRELOAD>(log_e);
        }
    }
    return hb_kim_columns<A, MOST_E, PRELOAD>;
}

template <class A, int MOST_E, int MOST_ON_THE_FLY>
auto hb_kim_rows_kernel(int log_e, int on_the_fly) -> void (*)(hb_kim_view<A>, hb_kim_cut)
{
    if constexpr (MOST_ON_THE_FLY > 0) {
        if (on_the_fly < MOST_ON_THE_FLY) {
            return hb_kim_rows_kernel<A, MOST_E, MOST_ON_THE_FLY - 1>(log_e, on_the_fly);
        }
    }
    if constexpr (MOST_E > 1) {
        if (log_e < MOST_E) {
            return hb_kim_rows_kernel<A, MOST_E - 1, MOST_ON_THE_FLY>(log_e, on_the_fly);
        }
    }
    return hb_kim_rows<A, MOST_E, MOST_ON_THE_FLY>;
}

/* Blocks of 256 threads, or of more where 2^log_least_side transforms need them and registers allow it. */
static inline hb_kim_cut hb_kim_cut_of(int log_n, int log_points, int log_e, int log_least_side)
{
    const int log_lanes = log_points - log_e;
    const int wanted = std::max(log_least_side, HB_KIM_LOG_BLOCK - log_lanes);
    return {log_points, std::min({wanted, hb_kim_log_most_threads(log_e) - log_lanes, log_n - log_points}), false};
}

/* More than 48 KiB of shared memory a block has to be asked for. HB_EUNAVAILABLE: this GPU has less. */
template <class A>
hb_status hb_kim_prepare(void (*kernel)(hb_kim_view<A>, hb_kim_cut), int log_n, const hb_kim_cut &cut, int log_e,
                         uint32_t table_bytes, hb_kim_launch<A> *launch)
{
    int device = 0, most = 0;
    const uint32_t shared = hb_kim_padded(cut, log_e) * (uint32_t)sizeof(typename A::word) + table_bytes;
    HB_CUDA(cudaGetDevice(&device));
    HB_CUDA(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    if (shared > (uint32_t)most) {
        return HB_FAIL(HB_EUNAVAILABLE, "%u transforms of 2^%d words take %u bytes of shared memory; a block has %d",
                       1u << cut.log_side, cut.log_points, shared, most);
    }
    HB_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    *launch = {kernel, cut, 1u << (log_n - cut.log_points - cut.log_side),
               1u << (cut.log_side + cut.log_points - log_e), shared};
    return HB_OK;
}

template <class A>
hb_status hb_kim_start(const hb_kim_launch<A> &launch, const hb_kim_view<A> &view, cudaStream_t stream)
{
    launch.kernel<<<view.limbs * launch.blocks, launch.threads, launch.shared, stream>>>(view, launch.cut);
    HB_CUDA_LAUNCHED();
    return HB_OK;
}

#endif
