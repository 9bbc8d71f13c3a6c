/* The kernel of base conversion from few sources, which are in registers (private to convert.cu). */
#ifndef HB_CUDA_RNS_CONVERT_FEW_CUH
#define HB_CUDA_RNS_CONVERT_FEW_CUH

#include "convert_sums.cuh"
#include "cuda/device/launch.cuh"
#include "cuda/device/tile.cuh"
#include "ring/convert_arith.h"

#define HB_CONVERT_THREADS 128u
#define HB_CONVERT_BYTES (7u << 10) /* of constants in the arguments of a kernel */

/* The targets of a launch. Each has a row of weights, the kept word's factor, the overflow's factor and the start; two
 * fewer than fit leave room for the constants of the sources. */
template <class A, uint32_t SOURCES>
constexpr uint32_t hb_convert_targets = HB_CONVERT_BYTES / sizeof(typename A::weight) / (SOURCES + 3) - 2;

/* The constants of a launch, by value in the arguments of the kernel, so that no copy goes before it. Targets beyond
 * `most` take more launches. */
template <class A, uint32_t SOURCES> struct hb_convert_few {
    static constexpr uint32_t most = hb_convert_targets<A, SOURCES>;
    typename A::weight matrix[most][SOURCES], keep[most], factors[most];
    typename A::weight weights[SOURCES]; /* weights of a modular overflow */
    double inverses[SOURCES];            /* those of one that is the nearest integer */
    uint32_t binary[SOURCES];            /* those of a binary one */
    uint64_t fixed[SOURCES];             /* those of one that is rounded */
    /* with which sums begin, those of the targets and that of the overflow */
    typename A::residue start[most], overflow_start;
    uint64_t scale[SOURCES], quotients[SOURCES];
    uint64_t half; /* of the overflow */
    hb_overflow_kind kind;
    uint16_t overflow_id;
    bool scaled, kept, overflow;
    bool centred; /* words are taken as centred modulo their own primes, so that there is no overflow word */
};

/* The words of a source that a thread converts at once: two neighbours, where registers hold the sources of both, as
 * that halves the loads of constants. */
template <class A, uint32_t SOURCES> constexpr uint32_t hb_convert_words_of = A::registers *SOURCES <= 40 ? 2 : 1;

template <class A, uint32_t SOURCES>
struct alignas(hb_convert_words_of<A, SOURCES> * sizeof(uint64_t)) hb_convert_words {
    static constexpr uint32_t count = hb_convert_words_of<A, SOURCES>;
    uint64_t of[count];
};

/* Loads the sources of this thread's words, canonical modulo their own primes, and multiplies them by the scale. */
template <class A, uint32_t SOURCES>
__device__ __forceinline__ static void
hb_convert_load_sources(hb_convert_words<A, SOURCES> (&x)[SOURCES], const hb_cuda_scattered &a, hb_slice s, uint32_t j,
                        const hb_convert_few<A, SOURCES> &k, const hb_modulus *moduli)
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

/* Adds the products of the sources and a row of weights to the sums. The words of a thread stand side by side in the
 * inner loop, so their chains of additions overlap. */
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

/* Returns the overflow word of sources that are taken as centred (HB_OVERFLOW_CENTRED and HB_OVERFLOW_ROUNDED,
 * ring/basis.h), from a sum in units of 2^-32. */
template <class A, uint32_t SOURCES>
__device__ __forceinline__ static uint64_t
hb_convert_fixed_overflow(const hb_convert_words<A, SOURCES> (&x)[SOURCES], uint32_t w, const hb_cuda_scattered &a,
                          const hb_convert_few<A, SOURCES> &k, const hb_modulus *moduli)
{
    uint64_t sum = 0;
#pragma unroll
    for (uint32_t i = 0; i < SOURCES; i++) {
        const uint64_t q = moduli[a.ids[i]].value, y = x[i].of[w];
        sum += k.kind == HB_OVERFLOW_ROUNDED ? hb_overflow_rounded(y, q, k.fixed[i]) : hb_overflow_centred(y, q);
    }
    return hb_overflow_of_fixed(sum, k.half);
}

/* Computes the overflow word of each of the thread's words, in the way that the conversion says (ring/basis.h). The
 * kind is an argument of the launch, so all threads take the same branch. */
template <class A, uint32_t SOURCES, uint32_t COUNT>
__device__ __forceinline__ static void
hb_convert_overflow_of(typename A::number (&overflow)[COUNT], const hb_convert_words<A, SOURCES> (&x)[SOURCES],
                       const typename A::number (&y)[SOURCES][COUNT], const hb_cuda_scattered &a,
                       const hb_convert_few<A, SOURCES> &k, const hb_modulus *moduli)
{
    if (k.kind == HB_OVERFLOW_CENTRED || k.kind == HB_OVERFLOW_ROUNDED) {
#pragma unroll
        for (uint32_t w = 0; w < COUNT; w++) {
            overflow[w] = A::number_of(hb_convert_fixed_overflow<A, SOURCES>(x, w, a, k, moduli));
        }
    } else if (k.kind == HB_OVERFLOW_NEAREST) {
#pragma unroll
        for (uint32_t w = 0; w < COUNT; w++) {
            double sum = 0;
#pragma unroll
            for (uint32_t i = 0; i < SOURCES; i++) {
                /* The sum is off by far less than the 2^-20 that ring/basis.h leaves between it and a tie. */
                sum += hb_f64_from_word(x[i].of[w]) * k.inverses[i];
            }
            overflow[w] = A::number_of(hb_f64_to_word(sum));
        }
    } else if (k.kind == HB_OVERFLOW_BINARY) {
#pragma unroll
        for (uint32_t w = 0; w < COUNT; w++) {
            /* The sum wraps modulo 2^32, which is the modulus. */
            uint32_t sum = 0;
#pragma unroll
            for (uint32_t i = 0; i < SOURCES; i++) {
                sum += (uint32_t)x[i].of[w] * k.binary[i];
            }
            overflow[w] = A::number_of(hb_overflow_shifted(sum, k.half, HB_OVERFLOW_WORD));
        }
    } else {
        /* A sum modulo the overflow's own modulus is made as those of the targets are. */
        const hb_modulus m = moduli[k.overflow_id];
        typename A::sum s[COUNT];
#pragma unroll
        for (uint32_t w = 0; w < COUNT; w++) {
            s[w] = A::begin(k.overflow_start);
        }
        hb_convert_add_sources<A, SOURCES, COUNT>(s, y, k.weights);
#pragma unroll
        for (uint32_t w = 0; w < COUNT; w++) {
            overflow[w] = A::number_of(hb_overflow_shifted(A::finish(s[w], m), k.half, m.value));
        }
    }
}

/* The constants of a launch's targets, in shared memory: warps are at different targets, and the constants of all of
 * them together do not stay in the cache of a kernel's arguments. */
template <class A, uint32_t SOURCES> struct hb_convert_shared {
    typename A::weight matrix[hb_convert_targets<A, SOURCES>][SOURCES], factors[hb_convert_targets<A, SOURCES>];
    typename A::residue start[hb_convert_targets<A, SOURCES>];
    hb_modulus moduli[hb_convert_targets<A, SOURCES>];

    /* Copies it from the arguments and the table of all moduli; the whole thread block calls it. */
    __device__ __forceinline__ void fill(const hb_convert_few<A, SOURCES> &k, const hb_cuda_scattered &r,
                                         const hb_modulus *all)
    {
        for (uint32_t i = threadIdx.x; i < r.limbs * SOURCES; i += HB_CONVERT_THREADS) {
            (&matrix[0][0])[i] = (&k.matrix[0][0])[i];
        }
        for (uint32_t o = threadIdx.x; o < r.limbs; o += HB_CONVERT_THREADS) {
            factors[o] = k.factors[o];
            start[o] = k.start[o];
            moduli[o] = all[r.ids[o]];
        }
        __syncthreads();
    }
};

/* Makes a thread's words of target o from its sources. */
template <class A, uint32_t SOURCES>
__device__ __forceinline__ static void
hb_convert_target(hb_convert_words<A, SOURCES> *to, uint32_t o,
                  const typename A::number (&y)[SOURCES][hb_convert_words<A, SOURCES>::count],
                  const typename A::number (&overflow)[hb_convert_words<A, SOURCES>::count],
                  const hb_convert_few<A, SOURCES> &k, const hb_convert_shared<A, SOURCES> &shared)
{
    constexpr uint32_t count = hb_convert_words<A, SOURCES>::count;
    typename A::sum s[count];
    hb_convert_words<A, SOURCES> z;
#pragma unroll
    for (uint32_t w = 0; w < count; w++) {
        /* Sums begin with the host's correction for centres and for the shift of a modular overflow. */
        s[w] = A::begin(shared.start[o]);
    }
    if (k.kept) {
        /* The thread that overwrites a kept word reads it. */
        z = *to;
        for (uint32_t w = 0; w < count; w++) {
            A::add(s[w], A::number_of(z.of[w]), k.keep[o]);
        }
    }
    if (k.overflow) {
        for (uint32_t w = 0; w < count; w++) {
            A::add(s[w], overflow[w], shared.factors[o]);
        }
    }
    hb_convert_add_sources<A, SOURCES, count>(s, y, shared.matrix[o]);
#pragma unroll
    for (uint32_t w = 0; w < count; w++) {
        z.of[w] = A::finish(s[w], shared.moduli[o]);
    }
    *to = z;
}

/* Converts a slice of all limbs of a polynomial. A thread has the sources of its words in registers, and goes through
 * the targets of its row of the grid. At least 4 blocks of a multiprocessor are wanted, which leaves 128 registers a
 * thread. */
template <class A, uint32_t SOURCES>
static __global__ void __launch_bounds__(HB_CONVERT_THREADS, 4)
    hb_convert_few_kernel(const __grid_constant__ hb_cuda_scattered r, const __grid_constant__ hb_cuda_scattered a,
                          const __grid_constant__ hb_convert_few<A, SOURCES> k, const hb_modulus *moduli)
{
    using pack = hb_convert_words<A, SOURCES>;
    constexpr uint32_t count = pack::count;
    __shared__ hb_convert_shared<A, SOURCES> shared;
    /* Nothing that a launch before may write. */
    shared.fill(k, r, moduli);
    hb_cuda_begin();
    const hb_slice slice = hb_slice_of(blockIdx.x, r.n, HB_CONVERT_THREADS * count);
    const uint32_t j = slice.first + threadIdx.x * count;
    typename A::number y[SOURCES][count], overflow[count] = {};
    pack x[SOURCES];
    hb_convert_load_sources<A, SOURCES>(x, a, slice, j, k, moduli);
#pragma unroll
    for (uint32_t i = 0; i < SOURCES * count; i++) {
        const uint64_t word = x[i / count].of[i % count];
        if constexpr (A::centres) {
            const hb_modulus &own = moduli[a.ids[i / count]];
            y[i / count][i % count] = k.centred ? A::centred_number_of(word, own) : A::number_of(word);
        } else {
            y[i / count][i % count] = A::number_of(word);
        }
    }
    if (k.overflow) {
        hb_convert_overflow_of<A, SOURCES, count>(overflow, x, y, a, k, moduli);
    }
    /* r and a do not overlap: targets are stored while other blocks still read sources. */
#pragma unroll 1
    for (uint32_t o = blockIdx.y; o < r.limbs; o += gridDim.y) {
        pack *to = reinterpret_cast<pack *>(hb_cuda_row(r, slice.c, o) + j);
        hb_convert_target<A, SOURCES>(to, o, y, overflow, k, shared);
    }
}

#endif
