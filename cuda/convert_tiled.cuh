/* The kernel of base conversion from many sources (private to convert.cu). These are in shared memory, in which each
 * thread has its own column and nobody waits; sums of a tile of targets are in registers, so that a source is read and
 * cut into pieces once for all of them, and a constant serves two words. */
#ifndef HB_CONVERT_TILED_CUH
#define HB_CONVERT_TILED_CUH

#include "convert_constants.cuh"
#include "pair.cuh"

#define HB_CONVERT_TILED_THREADS 64u
#define HB_CONVERT_TILED_WORDS (2 * HB_CONVERT_TILED_THREADS) /* of a thread block */
#define HB_CONVERT_TILED_BYTES (24u << 10)                    /* of the matrix */

template <class A> struct hb_convert_tiled : hb_convert_constants<A, HB_MAX_LIMBS, HB_MAX_LIMBS> {
    static constexpr uint32_t room = HB_CONVERT_TILED_BYTES / sizeof(typename A::weight);
    typename A::weight matrix[room]; /* [sources][targets] */
    uint32_t targets;                /* of a launch, at most */
    uint32_t chunk;                  /* sources whose products a sum has room for, beside the others */

    typename A::weight &weight(uint32_t target, uint32_t source)
    {
        return matrix[source * targets + target];
    }
};

#define HB_CONVERT_ARGUMENT_BYTES 32764 /* that a kernel can have */
template <class A>
constexpr size_t hb_convert_tiled_arguments = 2 * sizeof(hb_cuda_scattered) + sizeof(hb_convert_tiled<A>) +
                                              sizeof(hb_modulus *);

/* Adds the products of all sources to the sums of T targets. weight_of(i, t), modulus_of(t): their constants. */
template <class A, uint32_t T, class weights, class moduli>
__device__ __forceinline__ static void hb_convert_tile_sums(typename A::sum (&s)[T][2], const hb_pair *sources,
                                                            uint32_t count, uint32_t chunk, const weights &weight_of,
                                                            const moduli &modulus_of)
{
#pragma unroll 1
    for (uint32_t first = 0; first < count; first += chunk) {
#pragma unroll
        for (uint32_t t = 0; t < T && first > 0; t++) {
            const hb_modulus &m = modulus_of(t);
            A::fold(s[t][0], m);
            A::fold(s[t][1], m);
        }
        const uint32_t end = min(first + chunk, count);
#pragma unroll 1
        for (uint32_t i = first; i < end; i++) {
            const hb_pair x = sources[i * HB_CONVERT_TILED_THREADS];
            const typename A::number y[2] = {A::number_of(x.of[0]), A::number_of(x.of[1])};
#pragma unroll
            for (uint32_t t = 0; t < T; t++) {
                const typename A::weight weight = weight_of(i, t);
                A::add(s[t][0], y[0], weight);
                A::add(s[t][1], y[1], weight);
            }
        }
    }
}

/* Sources times the scale, to the column; the binary overflow's sums of them. */
template <class A>
__device__ __forceinline__ static void hb_convert_fill_column(hb_pair *column, uint32_t (&sums)[2],
                                                              const hb_cuda_scattered &a, hb_slice slice, uint32_t j,
                                                              const hb_convert_tiled<A> &k, const hb_modulus *moduli)
{
#pragma unroll 4
    for (uint32_t i = 0; i < a.limbs; i++) {
        hb_pair x = hb_pair_load(hb_cuda_row(a, slice.c, i) + j);
        if (k.scaled) {
            const hb_modulus m = moduli[a.ids[i]];
            x.of[0] = A::scaled(x.of[0], k.scale[i], k.quotients[i], m);
            x.of[1] = A::scaled(x.of[1], k.scale[i], k.quotients[i], m);
        }
        sums[0] += (uint32_t)x.of[0] * k.binary[i];
        sums[1] += (uint32_t)x.of[1] * k.binary[i];
        column[i * HB_CONVERT_TILED_THREADS] = x;
    }
}

template <class A>
__device__ __forceinline__ static void
    hb_convert_tiled_overflow(typename A::number (&overflow)[2], const hb_pair *column, const uint32_t (&sums)[2],
                              uint32_t sources, const hb_convert_tiled<A> &k, const hb_modulus *moduli)
{
    if (k.is_binary) {
        overflow[0] = hb_convert_binary<A>(sums[0], k.half);
        overflow[1] = hb_convert_binary<A>(sums[1], k.half);
    } else {
        const hb_modulus &m = moduli[k.overflow_id];
        typename A::sum s[1][2] = {{A::begin(k.overflow_start), A::begin(k.overflow_start)}};
        hb_convert_tile_sums<A, 1>(
            s, column, sources, k.chunk, [&](uint32_t i, uint32_t) { return k.weights[i]; },
            [&](uint32_t) -> const hb_modulus & { return m; });
        overflow[0] = hb_convert_modular<A>(s[0][0], k.half, m);
        overflow[1] = hb_convert_modular<A>(s[0][1], k.half, m);
    }
}

/* Targets from o on, T at a time, while there are T. Returns the first that is left. */
template <class A, uint32_t T>
__device__ __forceinline__ static uint32_t hb_convert_tiles(uint32_t o, const hb_pair *column, uint32_t sources,
                                                            const typename A::number (&overflow)[2],
                                                            const hb_cuda_scattered &r, hb_slice slice, uint32_t j,
                                                            const hb_convert_tiled<A> &k, const hb_modulus *moduli)
{
#pragma unroll 1
    for (; o + T <= r.limbs; o += T) {
        typename A::sum s[T][2];
#pragma unroll
        for (uint32_t t = 0; t < T; t++) {
            const hb_pair kept = k.kept ? hb_pair_load(hb_cuda_row(r, slice.c, o + t) + j) : hb_pair{};
#pragma unroll
            for (uint32_t w = 0; w < 2; w++) {
                s[t][w] = A::begin(k.start[o + t]);
                if (k.kept) {
                    A::add(s[t][w], A::number_of(kept.of[w]), k.keep[o + t]);
                }
                if (k.overflow) {
                    A::add(s[t][w], overflow[w], k.factors[o + t]);
                }
            }
        }
        hb_convert_tile_sums<A, T>(
            s, column, sources, k.chunk, [&](uint32_t i, uint32_t t) { return k.matrix[i * k.targets + o + t]; },
            [&](uint32_t t) -> const hb_modulus & { return moduli[r.ids[o + t]]; });
#pragma unroll
        for (uint32_t t = 0; t < T; t++) {
            const hb_modulus m = moduli[r.ids[o + t]];
            hb_pair_store(hb_cuda_row(r, slice.c, o + t) + j, {{A::finish(s[t][0], m), A::finish(s[t][1], m)}});
        }
    }
    return o;
}

/* A slice of all limbs of a polynomial. Shared memory: a pair for each thread and source. */
template <class A>
static __global__ void __launch_bounds__(HB_CONVERT_TILED_THREADS, 6)
    hb_convert_tiled_kernel(const __grid_constant__ hb_cuda_scattered r, const __grid_constant__ hb_cuda_scattered a,
                            const __grid_constant__ hb_convert_tiled<A> k, const hb_modulus *moduli)
{
    extern __shared__ hb_pair hb_convert_columns[];
    hb_pair *column = hb_convert_columns + threadIdx.x;
    const hb_slice slice = hb_slice_of(blockIdx.x, r.n, HB_CONVERT_TILED_WORDS);
    const uint32_t j = slice.first + 2 * threadIdx.x;
    uint32_t sums[2] = {};
    typename A::number overflow[2] = {};
    hb_convert_fill_column<A>(column, sums, a, slice, j, k, moduli);
    if (k.overflow) {
        hb_convert_tiled_overflow<A>(overflow, column, sums, a.limbs, k, moduli);
    }
    uint32_t o = hb_convert_tiles<A, 8>(0, column, a.limbs, overflow, r, slice, j, k, moduli);
    o = hb_convert_tiles<A, 4>(o, column, a.limbs, overflow, r, slice, j, k, moduli);
    o = hb_convert_tiles<A, 2>(o, column, a.limbs, overflow, r, slice, j, k, moduli);
    hb_convert_tiles<A, 1>(o, column, a.limbs, overflow, r, slice, j, k, moduli);
}

#endif
