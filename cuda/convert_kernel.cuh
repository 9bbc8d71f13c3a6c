/* The kernel of base conversion (private to convert.cu). */
#ifndef HB_CONVERT_KERNEL_CUH
#define HB_CONVERT_KERNEL_CUH

#include "convert_sums.cuh"
#include "pair.cuh"

#include "convert_arith.h"

#define HB_CONVERT_LOG_THREADS 7
#define HB_CONVERT_THREADS (1u << HB_CONVERT_LOG_THREADS)
#define HB_CONVERT_EXACT 20u /* up to so many, a kernel for each number of sources; beyond them for 32 and for 64 */

/* The constants of a conversion stand in the arguments of its kernel: no copy goes before it. What they have no room for
 * takes more launches. */
template <class A, uint32_t SOURCES> struct hb_convert_constants {
    static constexpr uint32_t bytes = SOURCES <= HB_CONVERT_EXACT ? 7 << 10 : 14 << 10;
    static constexpr uint32_t targets = bytes / sizeof(typename A::weight) / (SOURCES + 3) - 2; /* of a launch */
    typename A::weight matrix[targets][SOURCES]; /* sources that are missing have weight 0 */
    typename A::weight keep[targets], factors[targets], weights[SOURCES];
    uint64_t start[targets]; /* of the overflow (hb_overflow_start) */
    uint64_t scale[SOURCES], quotients[SOURCES];
    uint32_t binary[SOURCES]; /* weights of a binary overflow; weights: of another one */
    uint64_t half;            /* of the overflow */
    uint16_t overflow_id;
    bool scaled, kept, overflow, is_binary;
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
hb_convert_load_sources(hb_convert_words<A, SOURCES> (&x)[SOURCES], const hb_cuda_view &a, uint32_t c, uint32_t j,
                        const hb_convert_constants<A, SOURCES> &k, const hb_modulus *moduli)
{
#pragma unroll
    for (uint32_t i = 0; i < SOURCES; i++) {
        x[i] = SOURCES <= HB_CONVERT_EXACT || i < a.limbs
                   ? *reinterpret_cast<const hb_convert_words<A, SOURCES> *>(hb_cuda_row(a, c, i) + j)
                   : hb_convert_words<A, SOURCES>{};
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

/* The overflow as a word (convert_arith.h). */
template <class A, uint32_t SOURCES, uint32_t COUNT>
__device__ __forceinline__ static void
hb_convert_overflow_of(typename A::number (&overflow)[COUNT], const hb_convert_words<A, SOURCES> (&x)[SOURCES],
                       const typename A::number (&y)[SOURCES][COUNT], const hb_convert_constants<A, SOURCES> &k,
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
            overflow[w] = A::number_of(hb_overflow_shifted(sum, k.half, HB_OVERFLOW_WORD));
        }
    } else {
        const hb_modulus m = moduli[k.overflow_id];
        typename A::sum s[COUNT] = {};
        hb_convert_add_sources<A, SOURCES, COUNT>(s, y, k.weights);
#pragma unroll
        for (uint32_t w = 0; w < COUNT; w++) {
            overflow[w] = A::number_of(hb_overflow_shifted(A::finish(s[w], m), k.half, m.value));
        }
    }
}

/* blockIdx.x: the polynomial, and the piece of its rows. */
template <class A, uint32_t SOURCES>
static __global__ void __launch_bounds__(HB_CONVERT_THREADS, SOURCES <= HB_CONVERT_EXACT ? 4 : 2)
    hb_convert_kernel(const __grid_constant__ hb_cuda_view r, const __grid_constant__ hb_cuda_view a,
                      const __grid_constant__ hb_convert_constants<A, SOURCES> k, const hb_modulus *moduli)
{
    using pack = hb_convert_words<A, SOURCES>;
    constexpr uint32_t count = pack::count, log_block = HB_CONVERT_LOG_THREADS + count - 1;
    const uint32_t c = blockIdx.x >> (r.log_n - log_block);
    const uint32_t j = (blockIdx.x << log_block & ((1u << r.log_n) - 1)) + threadIdx.x * count;
    typename A::number y[SOURCES][count], overflow[count] = {};
    pack x[SOURCES];
    hb_convert_load_sources<A, SOURCES>(x, a, c, j, k, moduli);
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
        pack *to = reinterpret_cast<pack *>(hb_cuda_row(r, c, o) + j);
        typename A::sum s[count] = {};
        pack z;
        if (k.kept) {
            z = *to;
            for (uint32_t w = 0; w < count; w++) {
                A::add(s[w], A::number_of(z.of[w]), k.keep[o]);
            }
        }
        if (k.overflow) {
            for (uint32_t w = 0; w < count; w++) {
                A::add(s[w], overflow[w], k.factors[o]);
                A::add_residue(s[w], k.start[o]);
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
