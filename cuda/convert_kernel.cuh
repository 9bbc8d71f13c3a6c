/* The kernel of base conversion from a few sources, which are in registers (private to convert.cu). */
#ifndef HB_CONVERT_KERNEL_CUH
#define HB_CONVERT_KERNEL_CUH

#include "convert_constants.cuh"
#include "tile.cuh"

#define HB_CONVERT_THREADS 128u
#define HB_CONVERT_EXACT 15u /* up to so many, a kernel for each number of sources */

#define HB_CONVERT_BYTES (7u << 10) /* of constants */
template <class A, uint32_t SOURCES>
constexpr uint32_t hb_convert_targets = HB_CONVERT_BYTES / sizeof(typename A::weight) / (SOURCES + 3) - 2;

template <class A, uint32_t SOURCES>
struct hb_convert_exact : hb_convert_constants<A, SOURCES, hb_convert_targets<A, SOURCES>> {
    typename A::weight matrix[hb_convert_targets<A, SOURCES>][SOURCES];

    typename A::weight &weight(uint32_t target, uint32_t source)
    {
        return matrix[target][source];
    }
};

/* What a thread converts at once: two neighbouring words, where registers hold the sources of both, as that halves the
 * loads of constants. */
template <class A, uint32_t SOURCES> constexpr uint32_t hb_convert_words_of = A::registers *SOURCES <= 40 ? 2 : 1;

template <class A, uint32_t SOURCES>
struct alignas(hb_convert_words_of<A, SOURCES> * sizeof(uint64_t)) hb_convert_words {
    static constexpr uint32_t count = hb_convert_words_of<A, SOURCES>;
    uint64_t of[count];
};

/* Sources, canonical modulo their own primes, times the scale. */
template <class A, uint32_t SOURCES>
__device__ __forceinline__ static void
hb_convert_load_sources(hb_convert_words<A, SOURCES> (&x)[SOURCES], const hb_cuda_scattered &a, hb_slice s, uint32_t j,
                        const hb_convert_exact<A, SOURCES> &k, const hb_modulus *moduli)
{
#pragma unroll
    for (uint32_t i = 0; i < SOURCES; i++) {
        x[i] = *reinterpret_cast<const hb_convert_words<A, SOURCES> *>(hb_cuda_row(a, s.c, i) + j);
    }
    if (k.scaled) {
#pragma unroll
        for (uint32_t i = 0; i < SOURCES; i++) {
            const hb_modulus m = moduli[a.ids[i]];
            for (uint64_t &word : x[i].of) {
                word = A::scaled(word, k.scale[i], k.quotients[i], m);
            }
        }
    }
}

/* Adds the products of the sources, the words of a thread side by side. */
template <class A, uint32_t SOURCES, uint32_t COUNT>
__device__ __forceinline__ static void hb_convert_add_sources(typename A::sum (&s)[COUNT],
                                                              const typename A::number (&y)[SOURCES][COUNT],
                                                              const typename A::weight (&weights)[SOURCES])
{
#pragma unroll
    for (uint32_t i = 0; i < SOURCES; i++) {
#pragma unroll
        for (uint32_t w = 0; w < COUNT; w++) {
            A::add(s[w], y[i][w], weights[i]);
        }
    }
}

template <class A, uint32_t SOURCES, uint32_t COUNT>
__device__ __forceinline__ static void
hb_convert_overflow_of(typename A::number (&overflow)[COUNT], const hb_convert_words<A, SOURCES> (&x)[SOURCES],
                       const typename A::number (&y)[SOURCES][COUNT], const hb_convert_exact<A, SOURCES> &k,
                       const hb_modulus *moduli)
{
    if (k.is_binary) {
#pragma unroll
        for (uint32_t w = 0; w < COUNT; w++) {
            uint32_t sum = 0;
#pragma unroll
            for (uint32_t i = 0; i < SOURCES; i++) {
                sum += (uint32_t)x[i].of[w] * k.binary[i];
            }
            overflow[w] = hb_convert_binary<A>(sum, k.half);
        }
    } else {
        const hb_modulus m = moduli[k.overflow_id];
        typename A::sum s[COUNT];
#pragma unroll
        for (uint32_t w = 0; w < COUNT; w++) {
            s[w] = A::begin(k.overflow_start);
        }
        hb_convert_add_sources<A, SOURCES, COUNT>(s, y, k.weights);
#pragma unroll
        for (uint32_t w = 0; w < COUNT; w++) {
            overflow[w] = hb_convert_modular<A>(s[w], k.half, m);
        }
    }
}

/* A slice of all limbs of a polynomial. */
template <class A, uint32_t SOURCES>
static __global__ void __launch_bounds__(HB_CONVERT_THREADS, 4)
    hb_convert_kernel(const __grid_constant__ hb_cuda_scattered r, const __grid_constant__ hb_cuda_scattered a,
                      const __grid_constant__ hb_convert_exact<A, SOURCES> k, const hb_modulus *moduli)
{
    using pack = hb_convert_words<A, SOURCES>;
    constexpr uint32_t count = pack::count;
    const hb_slice slice = hb_slice_of(blockIdx.x, r.n, HB_CONVERT_THREADS * count);
    const uint32_t j = slice.first + threadIdx.x * count;
    typename A::number y[SOURCES][count], overflow[count] = {};
    pack x[SOURCES];
    hb_convert_load_sources<A, SOURCES>(x, a, slice, j, k, moduli);
#pragma unroll
    for (uint32_t i = 0; i < SOURCES * count; i++) {
        y[i / count][i % count] = A::number_of(x[i / count].of[i % count]);
    }
    if (k.overflow) {
        hb_convert_overflow_of<A, SOURCES, count>(overflow, x, y, k, moduli);
    }
#pragma unroll 1
    for (uint32_t o = 0; o < r.limbs; o++) {
        const hb_modulus m = moduli[r.ids[o]];
        pack *to = reinterpret_cast<pack *>(hb_cuda_row(r, slice.c, o) + j);
        typename A::sum s[count];
        pack z;
#pragma unroll
        for (uint32_t w = 0; w < count; w++) {
            s[w] = A::begin(k.start[o]);
        }
        if (k.kept) {
            z = *to;
            for (uint32_t w = 0; w < count; w++) {
                A::add(s[w], A::number_of(z.of[w]), k.keep[o]);
            }
        }
        if (k.overflow) {
            for (uint32_t w = 0; w < count; w++) {
                A::add(s[w], overflow[w], k.factors[o]);
            }
        }
        hb_convert_add_sources<A, SOURCES, count>(s, y, k.matrix[o]);
#pragma unroll
        for (uint32_t w = 0; w < count; w++) {
            z.of[w] = A::finish(s[w], m);
        }
        *to = z;
    }
}

#endif
