/* The passes over a tile, which is the words that one thread block takes through those on columns or those on rows,
 * exchanging them in shared memory (private). The structures of a transform share them; job.cuh declares them. */
#ifndef HB_CUDA_NTT_NTT_TILE_CUH
#define HB_CUDA_NTT_NTT_TILE_CUH

#include "job.cuh"

/* Does passes 3 and 4 on x, which is as pass 3 wants it, and stores the canonical result in device memory. The warp's
 * own words are exchanged between the two passes, so it waits for itself only. */
template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW>
__device__ __forceinline__ void
hb_ntt_job<A, LOG_N, LOG_TILE, FORWARD, NARROW>::forward_end(registers &x, uint64_t *shared, uint32_t tile) const
{
    pass<3>(x, tile);
    put<3>(x, shared);
    /* The words of a thread in pass 4 are those of other lanes of its warp in pass 3. */
    __syncwarp();
    ulonglong2 *const pairs = block(shared);
#pragma unroll
    for (int k = 0; k < geometry::words; k += 2) {
        const ulonglong2 both = pairs[k / 2];
        x[k] = A::of_bits(both.x);
        x[k + 1] = A::of_bits(both.y);
    }
    pass<4>(x, tile);
#pragma unroll
    for (int k = 0; k < geometry::words; k += 2) {
        /* Results go through shared memory once more, so that lanes store neighbouring words. */
        pairs[k / 2] = {A::to_canonical(x[k], prime), A::to_canonical(x[k + 1], prime)};
    }
    __syncwarp();
    uint64_t *const from = shared + geometry::place(geometry::lane_word());
    uint64_t *const to = limb + ((size_t)tile << LOG_TILE) + geometry::lane_word();
    if (args->quotient) {
        store_quotients(to - limb, from);
    } else if (args->by == NULL) {
#pragma unroll
        for (int k = 0; k < geometry::words; k++) {
            __stcs(to + 32 * k, from[geometry::place(32 * k)]);
        }
    } else {
        store_products(to, from);
    }
}

/* Returns where word i of a limb goes to by an automorphism in NTT form (ring/galois.h). */
template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW>
__device__ __forceinline__ uint32_t hb_ntt_job<A, LOG_N, LOG_TILE, FORWARD, NARROW>::moved(uint32_t i, uint32_t element)
{
    /* Twice the bits, and 1, are the exponent; the bits above it fall out at the end. */
    const uint32_t exponent = (__brev(i) >> (31 - LOG_N) | 1) * element;
    return __brev(exponent >> 1 << (32 - LOG_N));
}

/* Stores the words of this warp, which begin at `shared`, by the automorphism. Word i of the result is word moved(i,
 * element) of the operand. The upper bits of that depend on the upper bits of i only: the words of a warp are
 * neighbours there, too. `first` is the first of them. */
template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW>
__device__ __forceinline__ void
hb_ntt_job<A, LOG_N, LOG_TILE, FORWARD, NARROW>::store_automorphism(uint64_t *to, uint32_t first,
                                                                    const uint64_t *shared) const
{
    constexpr uint32_t low = 32 * geometry::words - 1;
    const uint32_t there = (moved(first, args->inverse) & ~low) + (threadIdx.x & 31);
#pragma unroll
    for (int k = 0; k < geometry::words; k++) {
        const uint32_t place = moved(there + 32 * k, args->element) & low;
        __stcs(to + there + 32 * k, shared[geometry::place(place)]);
    }
}

/* Stores b + (a - result) factor of the limb's words `first` and following, of which a thread reads its own before it
 * stores any: `to` may be a or b, unless it is stored by an automorphism. `from` is where its results are in shared
 * memory. */
template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW>
__device__ __forceinline__ void hb_ntt_job<A, LOG_N, LOG_TILE, FORWARD, NARROW>::store_quotients(size_t first,
                                                                                                 uint64_t *from) const
{
    const size_t at = ((size_t)args->limb[index] << LOG_N) + first;
    const typename A::twiddle factor = A::factor_of(args->forward.factor[index]);
    const uint64_t *const a = args->a.data + polynomial * args->a.stride + at;
    uint64_t y[geometry::words];
#pragma unroll
    for (int k = 0; k < geometry::words; k++) {
        y[k] = __ldcs(a + 32 * k);
    }
#pragma unroll
    for (int k = 0; k < geometry::words; k++) {
        y[k] = A::quotient_of(y[k], from[geometry::place(32 * k)], factor, prime);
    }
    if (polynomial < args->b_count) {
        const uint64_t *const b = args->b.data + polynomial * args->b.stride + at;
#pragma unroll
        for (int k = 0; k < geometry::words; k++) {
            y[k] = hb_correct(y[k] + __ldcs(b + 32 * k), prime.value);
        }
    }
    uint64_t *const to = args->to.data + polynomial * args->to.stride + at;
    if (args->element != 1) {
        const uint32_t lane = threadIdx.x & 31;
#pragma unroll
        for (int k = 0; k < geometry::words; k++) {
            from[geometry::place(32 * k)] = y[k];
        }
        __syncwarp();
        store_automorphism(
            to - first, (uint32_t)first - lane,
            from - (geometry::place(geometry::lane_word()) - geometry::place(geometry::lane_word() - lane)));
        return;
    }
#pragma unroll
    for (int k = 0; k < geometry::words; k++) {
        __stcs(to + 32 * k, y[k]);
    }
}

/* Stores the products with the words of args->by at the same place. The loads stand before the stores: the compiler
 * must assume that stores change the words to load. */
template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW>
__device__ __forceinline__ void
hb_ntt_job<A, LOG_N, LOG_TILE, FORWARD, NARROW>::store_products(uint64_t *to, const uint64_t *from) const
{
    /* The factors are canonical words, not twiddles: they take a product of words. */
    const hb_modulus m = A::load_modulus(table - skip, prime);
    const uint64_t *const by = args->by + polynomial * args->by_stride + (to - args->data - polynomial * args->stride);
    uint64_t y[geometry::words];
#pragma unroll
    for (int k = 0; k < geometry::words; k++) {
        y[k] = __ldcg(by + 32 * k);
    }
#pragma unroll
    for (int k = 0; k < geometry::words; k++) {
        __stcs(to + 32 * k, A::mul_words(from[geometry::place(32 * k)], y[k], m));
    }
}

/* The mirror image: loads the words of a tile and does pass 4; x ends as pass 3 wants it. */
template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW>
__device__ __forceinline__ void
hb_ntt_job<A, LOG_N, LOG_TILE, FORWARD, NARROW>::inverse_begin(registers &x, uint64_t *shared, uint32_t tile) const
{
    const uint64_t *const from = source + ((size_t)tile << LOG_TILE) + geometry::lane_word();
    uint64_t *const to = shared + geometry::place(geometry::lane_word());
#pragma unroll
    for (int k = 0; k < geometry::words; k++) {
        /* Lanes load neighbouring words, and find their blocks of pass 4 in shared memory. */
        to[geometry::place(32 * k)] = read_once(from + 32 * k);
    }
    /* The words that the lanes of a warp have loaded are their blocks of pass 4: no other warp is waited for. */
    __syncwarp();
    ulonglong2 *const pairs = block(shared);
#pragma unroll
    for (int k = 0; k < geometry::words; k += 2) {
        const ulonglong2 both = pairs[k / 2];
        x[k] = A::of_canonical(both.x);
        x[k + 1] = A::of_canonical(both.y);
    }
    pass<4>(x, tile);
#pragma unroll
    for (int k = 0; k < geometry::words; k += 2) {
        pairs[k / 2] = {A::to_bits(x[k]), A::to_bits(x[k + 1])};
    }
    __syncwarp();
    get<3>(x, shared);
}

/* Does the passes on the rows of a tile, from device memory and back. Where the tile is the limb these are all
 * passes. */
template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW>
__device__ __forceinline__ void hb_ntt_job<A, LOG_N, LOG_TILE, FORWARD, NARROW>::rows(uint64_t *shared,
                                                                                      uint32_t tile) const
{
    constexpr int outer = geometry::outer, lo = geometry::lo(outer);
    const uint32_t words = (tile << LOG_TILE) + first<lo>();
    registers x;
    /* Where a tile is the limb, it starts from the source, which may be elsewhere or digits. */
    if constexpr (FORWARD && geometry::whole) {
        load_source<lo>(x, words);
        forward_rows(x, shared, tile);
    } else if constexpr (FORWARD) {
        load<lo>(x, words);
        forward_rows(x, shared, tile);
    } else {
        inverse_begin(x, shared, tile);
        inverse_rows(x, shared, tile, [] {});
        store<lo, geometry::whole>(x, words);
    }
}

/* Forward: does all passes on rows, and stores. Inverse: does all but pass 4, which inverse_begin did, and calls `read`
 * once this thread needs `shared` no longer. */
template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW>
__device__ __forceinline__ void
hb_ntt_job<A, LOG_N, LOG_TILE, FORWARD, NARROW>::forward_rows(registers &x, uint64_t *shared, uint32_t tile) const
{
    if constexpr (geometry::outer == 2) {
        pass<2>(x, tile);
        put<2>(x, shared);
        /* Words change threads between passes: all of a row must have been put before any is taken. */
        wait_for_rows();
        get<3>(x, shared);
    }
    forward_end(x, shared, tile);
}

template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW>
template <class READ>
__device__ __forceinline__ void
hb_ntt_job<A, LOG_N, LOG_TILE, FORWARD, NARROW>::inverse_rows(registers &x, uint64_t *shared, uint32_t tile,
                                                              READ read) const
{
    if constexpr (geometry::outer == 2) {
        pass<3>(x, tile);
        put<3>(x, shared);
        wait_for_rows();
        get<2>(x, shared);
    }
    read();
    pass<geometry::outer>(x, tile);
}

/* Waits for the threads that have words of the same rows in pass 2. A row of up to 32 * 2^log_e words is one warp's. */
template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW>
__device__ __forceinline__ void hb_ntt_job<A, LOG_N, LOG_TILE, FORWARD, NARROW>::wait_for_rows()
{
    if (geometry::row <= geometry::log_e + 5) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

/* Does the passes on the columns of a tile, from device memory and back. The barrier is between the two passes: all
 * threads of the block have words of each column. */
template <class A, int LOG_N, int LOG_TILE, bool FORWARD, bool NARROW>
__device__ __forceinline__ void hb_ntt_job<A, LOG_N, LOG_TILE, FORWARD, NARROW>::columns(uint64_t *shared,
                                                                                         uint32_t tile) const
{
    constexpr hb_ntt_shape s = geometry::shape;
    constexpr int inner = geometry::inner;
    registers x;
    if constexpr (FORWARD) {
        load_source<s.pass[0].lo>(x, in_columns<0>(tile));
        pass<0>(x, 0);
        if constexpr (inner == 1) {
            put<0>(x, shared);
            __syncthreads();
            get<1>(x, shared);
            pass<1>(x, 0);
        }
        store<s.pass[inner].lo, false>(x, in_columns<inner>(tile));
    } else {
        /* The inverse goes the same way back. */
        load<s.pass[inner].lo>(x, in_columns<inner>(tile));
        if constexpr (inner == 1) {
            pass<1>(x, 0);
            put<1>(x, shared);
            __syncthreads();
            get<0>(x, shared);
        }
        pass<0>(x, 0);
        store<s.pass[0].lo, true>(x, in_columns<0>(tile));
    }
}

#endif
