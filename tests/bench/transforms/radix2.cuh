/* Radix-2 transforms: Cooley-Tukey forward, Gentleman-Sande inverse, a thread for each butterfly, psi in the twiddles
 * (Ozerk et al., algorithms 1, 2 and 8). Designs differ in how many stages one kernel makes, and where the words stand
 * meanwhile; all are this one body.
 *
 * Stage s of a row of N words has 2^s groups; the butterflies of a row are counted through, b < N/2. With log_step =
 * log_n - 1 - s, butterfly b joins words 2^log_step apart, is in group b >> log_step and takes twiddle
 * 2^s + (b >> log_step). The same holds inside of a tile, an aligned piece of the row: only b counts from its start. */
#ifndef HB_BENCH_RADIX2_CUH
#define HB_BENCH_RADIX2_CUH

#include "tables.cuh"

#define HB_RADIX2_THREADS 1024 /* of a block, as in the paper; fewer only where a row or tile has fewer butterflies */
#define HB_RADIX2_MIN_LOG_N 6  /* what one warp holds, two words in a lane */

/* Where the words of a tile stand while one kernel makes several stages. */
enum hb_radix2_place {
    HB_TILE_IN_MEMORY,
    HB_TILE_IN_SHARED,
    HB_TILE_IN_WARPS /* in memory, and for the six stages within 64 words in registers that lanes exchange */
};

/* The plan that a hb_design points to. The last log_tile stages forward, and the first ones inverse, are one kernel,
 * and each other stage is one; a row smaller than the tile is the tile. 0: there is no tile. */
struct hb_radix2_plan {
    hb_radix2_place place;
    uint32_t log_tile_forward, log_tile_inverse;
};

/* The argument of kernels. Data as in design.h; the grid is (polynomials and their pieces, moduli). */
template <typename R> struct hb_radix2_view {
    typename R::word *data;
    const typename R::twiddle *twiddles;
    const typename R::constants *constants;
    uint32_t log_n;

    /* Words of the 2^log_tile that start the piece of this number, pieces of one modulus counted through. */
    __device__ typename R::word *tile(size_t piece, uint32_t log_tile) const
    {
        const uint32_t log_pieces = log_n - log_tile;
        const size_t row = (piece >> log_pieces) * gridDim.y + blockIdx.y;
        return data + (row << log_n) + ((piece & ((1u << log_pieces) - 1)) << log_tile);
    }
    __device__ typename R::twiddle twiddle(uint32_t log_step, uint32_t b) const
    {
        const uint32_t groups = 1u << (log_n - 1 - log_step);
        return twiddles[((size_t)blockIdx.y << log_n) + groups + (b >> log_step)];
    }
};

/* x, y in [0, m) and so are results. Inverse: halves the sum; twiddles hold the other 1/2 (HB_SCALE_HALVES). */
template <typename R, bool forward>
__device__ static inline void hb_radix2_butterfly(typename R::word &x, typename R::word &y, typename R::twiddle w,
                                                  const typename R::constants &c)
{
    using word = typename R::word;
    if (forward) {
        const word product = R::mul(y, w, c);
        y = hb_word_sub<word>(x, product, c.m);
        x = hb_word_add<word>(x, product, c.m);
    } else {
        const word difference = hb_word_sub<word>(x, y, c.m);
        x = hb_word_half<word>(hb_word_add<word>(x, y, c.m), c.m);
        y = R::mul(difference, w, c);
    }
}

/* Butterfly b of a tile in place; `before`: butterflies of the row before the tile. */
template <typename R, bool forward>
__device__ static inline void hb_radix2_step(const hb_radix2_view<R> &v, typename R::word *tile, uint32_t log_step,
                                             uint32_t b, uint32_t before, const typename R::constants &c)
{
    const uint32_t i =
        2 * b - (b & ((1u << log_step) - 1)); /* group's start 2^(log_step + 1) (b >> log_step), and on */
    typename R::word *x = tile + i, *y = x + ((size_t)1 << log_step);
    typename R::word first = *x, second = *y;
    hb_radix2_butterfly<R, forward>(first, second, v.twiddle(log_step, before + b), c);
    *x = first;
    *y = second;
}

/* One stage of all rows: blockDim.x butterflies a block. */
template <typename R, bool forward>
static __global__ void __launch_bounds__(HB_RADIX2_THREADS) hb_radix2_stage(hb_radix2_view<R> v, uint32_t log_step)
{
    const size_t butterfly = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const uint32_t b = (uint32_t)butterfly & ((1u << (v.log_n - 1)) - 1);
    hb_radix2_step<R, forward>(v, v.tile(butterfly >> (v.log_n - 1), v.log_n), log_step, b, 0, v.constants[blockIdx.y]);
}

/* Swaps which bit of an index tells the two words of a lane apart with the one that bit 2^p of the lane's number is. */
template <typename Word> __device__ static inline void hb_radix2_exchange(Word &x, Word &y, uint32_t lane, uint32_t p)
{
    const bool upper = (lane >> p) & 1;
    const Word got = __shfl_xor_sync(~0u, upper ? x : y, 1 << p);
    x = upper ? got : x;
    y = upper ? y : got;
}

/* The six stages within each 64 words of a tile. Lane i starts forward with words i and i + 32; before the stage of
 * log_step p < 5 bit p of the index goes from the lane's number to the pair, so that lane i ends with words 2i and
 * 2i + 1, and its butterfly is number i of the 64 words in every stage. Inverse: all of that backwards. */
template <typename R, bool forward>
__device__ static inline void hb_radix2_warp(const hb_radix2_view<R> &v, typename R::word *tile, uint32_t log_tile,
                                             uint32_t before, const typename R::constants &c)
{
    const uint32_t lane = threadIdx.x & 31;
    for (uint32_t b = threadIdx.x; b < 1u << (log_tile - 1); b += blockDim.x) {
        typename R::word *words = tile + 2 * (b - lane);
        typename R::word *apart = words + lane, *together = words + 2 * lane;
        typename R::word x = forward ? apart[0] : together[0], y = forward ? apart[32] : together[1];
        HB_UNROLL
        for (uint32_t stage = 0; stage < 6; stage++) {
            const uint32_t p = forward ? 5 - stage : stage;
            if (stage > 0) {
                hb_radix2_exchange(x, y, lane, forward ? p : p - 1);
            }
            hb_radix2_butterfly<R, forward>(x, y, v.twiddle(p, before + b), c);
        }
        *(forward ? together : apart) = x;
        *(forward ? together + 1 : apart + 32) = y;
    }
}

/* Stages of log_step in [least, most) in place, in the direction's order, the block together. */
template <typename R, bool forward>
__device__ static inline void hb_radix2_stages(const hb_radix2_view<R> &v, typename R::word *tile, uint32_t log_tile,
                                               uint32_t least, uint32_t before, const typename R::constants &c)
{
    for (uint32_t stage = least; stage < log_tile; stage++) {
        const uint32_t log_step = forward ? log_tile - 1 - (stage - least) : stage;
        for (uint32_t b = threadIdx.x; b < 1u << (log_tile - 1); b += blockDim.x) {
            hb_radix2_step<R, forward>(v, tile, log_step, b, before, c);
        }
        __syncthreads();
    }
}

/* All stages within tiles of 2^log_tile words, a tile a block. Shared memory: of the tile, if it stands there. */
template <typename R, bool forward, hb_radix2_place place>
static __global__ void __launch_bounds__(HB_RADIX2_THREADS) hb_radix2_tile(hb_radix2_view<R> v, uint32_t log_tile)
{
    using word = typename R::word;
    extern __shared__ uint64_t hb_radix2_shared[];
    word *memory = v.tile(blockIdx.x, log_tile);
    word *tile = place == HB_TILE_IN_SHARED ? (word *)hb_radix2_shared : memory;
    const typename R::constants c = v.constants[blockIdx.y];
    const uint32_t before = (blockIdx.x & ((1u << (v.log_n - log_tile)) - 1)) << (log_tile - 1);
    if (place == HB_TILE_IN_SHARED) {
        for (uint32_t i = threadIdx.x; i < 1u << log_tile; i += blockDim.x) {
            tile[i] = memory[i];
        }
        __syncthreads();
    }
    if (place == HB_TILE_IN_WARPS && !forward) {
        hb_radix2_warp<R, forward>(v, tile, log_tile, before, c);
        __syncthreads();
    }
    hb_radix2_stages<R, forward>(v, tile, log_tile, place == HB_TILE_IN_WARPS ? 6 : 0, before, c);
    if (place == HB_TILE_IN_WARPS && forward) {
        hb_radix2_warp<R, forward>(v, tile, log_tile, before, c);
    }
    if (place == HB_TILE_IN_SHARED) {
        for (uint32_t i = threadIdx.x; i < 1u << log_tile; i += blockDim.x) {
            memory[i] = tile[i];
        }
    }
}

#endif
