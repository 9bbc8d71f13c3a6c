/* Loops that multiply and do nothing else, and a product of arrays: each with the check that it computes what it
 * should. */
#ifndef HB_BENCH_REDUCE_LOOPS_CUH
#define HB_BENCH_REDUCE_LOOPS_CUH

#include <vector>

#include "cuda/ceilings/ceilings.cuh"
#include "reduce_operations.cuh"
#include "words.h"

extern "C" {
#include "figure.h"
}

enum { HB_REDUCE_THREADS = 256, HB_REDUCE_WORDS = 16, HB_REDUCE_LEVELS = 4 };

/* One pass over words that never leave their thread, which are as many chains of dependent operations. w:
 * [HB_REDUCE_LEVELS]. */
template <class O> struct hb_products {
    static constexpr double operations = HB_REDUCE_WORDS;

    HB_FN void pass(typename O::word *x, const typename O::twiddle *w, const typename O::constants &c)
    {
        HB_UNROLL
        for (int k = 0; k < HB_REDUCE_WORDS; k++) {
            x[k] = O::mul(x[k], w[k % HB_REDUCE_LEVELS], c);
        }
    }
};

/* A transform's four levels, with one factor for each. */
template <class O> struct hb_butterflies {
    static constexpr double operations = HB_REDUCE_LEVELS * HB_REDUCE_WORDS / 2;

    HB_FN void pass(typename O::word *x, const typename O::twiddle *w, const typename O::constants &c)
    {
        HB_UNROLL
        for (int level = 0; level < HB_REDUCE_LEVELS; level++) {
            const int half = HB_REDUCE_WORDS >> (level + 1);
            HB_UNROLL
            for (int k = 0; k < HB_REDUCE_WORDS; k++) {
                if ((k & half) == 0) {
                    O::butterfly(x[k], x[k + half], w[level], c);
                }
            }
        }
        HB_UNROLL
        for (int k = 0; k < HB_REDUCE_WORDS; k++) {
            x[k] = O::settle(x[k], c);
        }
    }
};

/* Factors of all loops: HB_REDUCE_FACTORS of them; a thread has those from its number on, in turn. */
enum { HB_REDUCE_FACTORS = 1024 };
HB_FN uint64_t hb_reduce_factor(uint64_t i, uint64_t m)
{
    return hb_words_at(1, i % HB_REDUCE_FACTORS, m); /* every second one is m - 1 */
}

/* The work of thread `thread` on its words, for a kernel and for the host. */
template <class O, class Loop>
HB_FN void hb_reduce_run(typename O::stored *results, uint64_t thread, const typename O::twiddle *w,
                         const typename O::constants &c, uint64_t m, uint32_t passes)
{
    typename O::word x[HB_REDUCE_WORDS];
    HB_UNROLL
    for (int k = 0; k < HB_REDUCE_WORDS; k++) {
        x[k] = O::from((typename O::stored)hb_words_at(0, thread * HB_REDUCE_WORDS + k, m), c);
    }
    for (uint32_t pass = 0; pass < passes; pass++) {
        Loop::pass(x, w, c);
    }
    HB_UNROLL
    for (int k = 0; k < HB_REDUCE_WORDS; k++) {
        results[k] = O::to(x[k], c);
    }
}

template <class O, class Loop>
static __global__ void __launch_bounds__(HB_REDUCE_THREADS)
    hb_reduce_loop(typename O::stored *results, const typename O::twiddle *factors, typename O::constants c, uint64_t m,
                   uint32_t passes)
{
    const size_t thread = (size_t)blockIdx.x * HB_REDUCE_THREADS + threadIdx.x;
    typename O::twiddle w[HB_REDUCE_LEVELS];
    typename O::stored words[HB_REDUCE_WORDS];
#pragma unroll
    for (int level = 0; level < HB_REDUCE_LEVELS; level++) {
        w[level] = factors[(thread + level) % HB_REDUCE_FACTORS];
    }
    hb_reduce_run<O, Loop>(words, thread, w, c, m, passes);
#pragma unroll
    for (int k = 0; k < HB_REDUCE_WORDS; k++) {
        results[(size_t)k * gridDim.x * HB_REDUCE_THREADS + thread] = words[k];
    }
}

/* c[i] = a[i] b[i]: each thread has HB_REDUCE_STREAM of them. */
enum { HB_REDUCE_STREAM = 4 };
template <class O>
static __global__ void __launch_bounds__(HB_REDUCE_THREADS)
    hb_reduce_stream(typename O::stored *r, const typename O::stored *a, const typename O::twiddle *b,
                     typename O::constants c)
{
    const size_t first = (size_t)blockIdx.x * HB_REDUCE_THREADS * HB_REDUCE_STREAM + threadIdx.x;
    typename O::stored x[HB_REDUCE_STREAM];
    typename O::twiddle w[HB_REDUCE_STREAM];
#pragma unroll
    for (int k = 0; k < HB_REDUCE_STREAM; k++) {
        x[k] = a[first + k * HB_REDUCE_THREADS];
        w[k] = b[first + k * HB_REDUCE_THREADS];
    }
#pragma unroll
    for (int k = 0; k < HB_REDUCE_STREAM; k++) {
        r[first + k * HB_REDUCE_THREADS] = O::to(O::mul(O::from(x[k], c), w[k], c), c);
    }
}

template <class O>
static __global__ void __launch_bounds__(HB_REDUCE_THREADS)
    hb_reduce_fill(typename O::stored *a, typename O::twiddle *b, const typename O::twiddle *factors, uint64_t m)
{
    const size_t i = (size_t)blockIdx.x * HB_REDUCE_THREADS + threadIdx.x;
    a[i] = (typename O::stored)hb_words_at(0, i, m);
    b[i] = factors[i % HB_REDUCE_FACTORS];
}

#endif
