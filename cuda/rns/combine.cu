/* Linear combinations of polynomials: a product of a matrix with rows of words. */
#include "combine.h"
#include "cuda/device/launch.cuh"
#include "cuda/device/pair.cuh"
#include "exact_sum.cuh"

#define COMBINE_LOG_THREADS 7
#define COMBINE_THREADS (1u << COMBINE_LOG_THREADS)
#define COMBINE_LOG_BLOCK (COMBINE_LOG_THREADS + 1) /* words of a thread block: a pair a thread */
#define OUTPUTS 8u                                  /* whose sums a thread holds */
/* Inputs and outputs of one launch, whose addresses are arguments of the kernel. */
#define MOST_INPUTS 256u
#define MOST_OUTPUTS 128u

/* Addresses of operands: limb l of polynomial c is `stride` words a polynomial and n words a limb further. */
struct combine_rows {
    const uint64_t *a[MOST_INPUTS];
    uint64_t *r[MOST_OUTPUTS];
    size_t a_stride, r_stride;
};

/* The part of the matrix in a launch: weights of inputs from `first_input` on for outputs from `first_output` on, of
 * `row` inputs in all; `add`: to the old contents. */
struct combine_part {
    uint32_t inputs, outputs, first_input, first_output, row, tiles;
    bool add;
};

/* Sums of a thread in FP64: exact, with a reduction of both parts for every `few` products. */
struct exact_terms {
    typedef double word;
    typedef hb_exact_sum<49> sum;
    static constexpr uint32_t few = hb_exact_sum<49>::few;
    static __device__ __forceinline__ word of(uint64_t x, const hb_modulus &m)
    {
        return hb_balanced(x, m);
    }
    static __device__ __forceinline__ sum zero()
    {
        return sum::zero();
    }
    static __device__ __forceinline__ void add(sum &s, word a, word b)
    {
        s.add(a, b);
    }
    static __device__ __forceinline__ void fold(sum &s, const hb_modulus &m)
    {
        s.fold(m);
    }
    static __device__ __forceinline__ uint64_t residue(sum &s, const hb_modulus &m)
    {
        return s.residue(m);
    }
};

/* In integers: 63 products below 2^122, and the rest after a reduction, stay below 2^128. */
struct integer_terms {
    typedef uint64_t word;
    typedef hb_u128 sum;
    static constexpr uint32_t few = 63;
    static __device__ __forceinline__ word of(uint64_t x, const hb_modulus &)
    {
        return x;
    }
    static __device__ __forceinline__ sum zero()
    {
        return 0;
    }
    static __device__ __forceinline__ void add(sum &s, word a, word b)
    {
        s += (hb_u128)a * b;
    }
    static __device__ __forceinline__ void fold(sum &s, const hb_modulus &m)
    {
        s = hb_mod_reduce_wide(s, &m);
    }
    static __device__ __forceinline__ uint64_t residue(sum &s, const hb_modulus &m)
    {
        return hb_mod_reduce_wide(s, &m);
    }
};

/* Brings the weights of outputs o .. o + OUTPUTS of limb l into shared memory; the whole thread block calls it. */
template <class TERMS>
__device__ __forceinline__ static void share_weights(typename TERMS::word (&shared)[MOST_INPUTS][OUTPUTS],
                                                     const hb_cuda_view &weights, const combine_part &p, uint32_t o,
                                                     uint32_t l, const hb_modulus &m)
{
    for (uint32_t at = threadIdx.x; at < p.inputs * OUTPUTS; at += COMBINE_THREADS) {
        /* Outputs beyond the last are that one again; nothing of them is stored. */
        const uint32_t i = at / OUTPUTS, of = min(o + at % OUTPUTS, p.outputs - 1);
        const uint64_t w = (uint64_t)(p.first_output + of) * p.row + p.first_input + i;
        const uint64_t *row = hb_cuda_row(weights, w >> weights.log_n, l);
        shared[i][at % OUTPUTS] = TERMS::of(row[w & ((1u << weights.log_n) - 1)], m);
    }
    __syncthreads();
}

/* A thread block makes the same words of OUTPUTS outputs, blockIdx.x mod tiles, for which it reads each word of an
 * input once; the tiles of the same words follow each other, and find inputs in the second-level cache. Weights are
 * converted once, into shared memory, from which all threads read the same. */
template <class TERMS>
static __global__ void __launch_bounds__(COMBINE_THREADS)
    combine_kernel(const __grid_constant__ combine_rows rows, const __grid_constant__ hb_cuda_view weights,
                   const __grid_constant__ combine_part p, const hb_modulus *moduli)
{
    __shared__ typename TERMS::word shared[MOST_INPUTS][OUTPUTS];
    const uint32_t l = blockIdx.y, o = blockIdx.x % p.tiles * OUTPUTS, place = blockIdx.x / p.tiles;
    const uint32_t log_blocks = weights.log_n - COMBINE_LOG_BLOCK, c = place >> log_blocks;
    const uint32_t j = ((place & ((1u << log_blocks) - 1)) << COMBINE_LOG_BLOCK) + 2 * threadIdx.x;
    const size_t limb = (size_t)l << weights.log_n;
    const hb_modulus m = moduli[weights.ids[l]];
    hb_cuda_begin();
    share_weights<TERMS>(shared, weights, p, o, l, m);
    typename TERMS::sum sums[OUTPUTS][2];
#pragma unroll
    for (uint32_t k = 0; k < OUTPUTS; k++) {
        sums[k][0] = TERMS::zero();
        sums[k][1] = TERMS::zero();
        if (p.add) {
            const hb_pair x = hb_pair_load(rows.r[min(o + k, p.outputs - 1)] + c * rows.r_stride + limb + j);
            TERMS::add(sums[k][0], TERMS::of(x.of[0], m), 1);
            TERMS::add(sums[k][1], TERMS::of(x.of[1], m), 1);
        }
    }
    for (uint32_t begin = 0; begin < p.inputs; begin += TERMS::few) {
        const uint32_t end = min(begin + TERMS::few, p.inputs);
        for (uint32_t i = begin; i < end; i++) {
            const hb_pair x = hb_pair_load_shared(rows.a[i] + c * rows.a_stride + limb + j);
            const typename TERMS::word a[2] = {TERMS::of(x.of[0], m), TERMS::of(x.of[1], m)};
#pragma unroll
            for (uint32_t k = 0; k < OUTPUTS; k++) {
                const typename TERMS::word w = shared[i][k];
                TERMS::add(sums[k][0], a[0], w);
                TERMS::add(sums[k][1], a[1], w);
            }
        }
        if (end < p.inputs) {
#pragma unroll
            for (uint32_t k = 0; k < OUTPUTS; k++) {
                TERMS::fold(sums[k][0], m);
                TERMS::fold(sums[k][1], m);
            }
        }
    }
#pragma unroll
    for (uint32_t k = 0; k < OUTPUTS; k++) {
        if (o + k < p.outputs) {
            hb_pair_store(rows.r[o + k] + c * rows.r_stride + limb + j,
                          {{TERMS::residue(sums[k][0], m), TERMS::residue(sums[k][1], m)}});
        }
    }
}

/* Starts the products of one part of the matrix. */
static hb_status start(const hb_cuda_engine *e, const hb_combination *x, const hb_cuda_view &weights, combine_part p)
{
    combine_rows rows = {};
    rows.a_stride = x->a[0].stride;
    rows.r_stride = x->r[0].stride;
    for (uint32_t i = 0; i < p.inputs; i++) {
        rows.a[i] = x->a[p.first_input + i].data;
    }
    bool exact = e->gpu->device.fast_f64;
    for (uint32_t l = 0; l < weights.limbs; l++) {
        const hb_modulus &m = e->base.ring->moduli[weights.ids[l]];
        exact = exact && m.f64 && m.bits <= hb_exact_sum<49>::bits;
    }
    for (uint32_t o = 0; o < p.outputs; o++) {
        rows.r[o] = x->r[p.first_output + o].data;
    }
    p.tiles = (p.outputs - 1) / OUTPUTS + 1;
    const dim3 blocks(p.tiles * (static_cast<uint32_t>(x->r[0].count) << (weights.log_n - COMBINE_LOG_BLOCK)),
                      weights.limbs);
    const auto kernel = exact ? combine_kernel<exact_terms> : combine_kernel<integer_terms>;
    return hb_cuda_start(e, kernel, blocks, COMBINE_THREADS, 0, rows, weights, p, e->gpu->moduli);
}

hb_status hb_cuda_combine(hb_engine *engine, const hb_combination *x)
{
    const hb_cuda_engine *e = hb_cuda(engine);
    const hb_cuda_view weights = hb_cuda_view_of(engine, x->weights);
    for (uint32_t o = 0; o < x->outputs; o += MOST_OUTPUTS) {
        for (uint32_t i = 0; i < x->inputs; i += MOST_INPUTS) {
            combine_part p = {};
            p.inputs = std::min(x->inputs - i, MOST_INPUTS);
            p.outputs = std::min(x->outputs - o, MOST_OUTPUTS);
            p.first_input = i;
            p.first_output = o;
            p.row = x->inputs;
            p.add = i > 0;
            HB_TRY(start(e, x, weights, p));
        }
    }
    return HB_OK;
}
