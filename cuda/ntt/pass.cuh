/* Register passes: some stages of a transform on the 2^LOG_E words that a thread holds (private). There is one body for
 * both arithmetics; the compiler computes which words are reduced on the way.
 *
 * The plans follow the bound of every word through the stages. So their proof is their code: a reduction stands
 * wherever the bound of the next result would pass the limit of the arithmetic.
 *
 * Forward, x + w y and x - w y add the bound of a product, about p/2 in FP64, to that of x. A reduction half-way up
 * costs half of the words. Ahead of need it costs less: after d stages all that a word owes to the left operands goes
 * back to one of 2^d, which is x[0] alone after all stages of the pass, so reducing those before d stages bounds every
 * result by d + 1 products.
 *
 * Inverse, x + y doubles the bound and (x - y) w is a product again. A sum above half the limit is reduced at once, and
 * at the end of a pass one above a quarter: those are few, and the next pass starts with all words at the largest
 * bound. */
#ifndef HB_CUDA_NTT_PASS_CUH
#define HB_CUDA_NTT_PASS_CUH

#include "shape.h"

/* The plan of a pass. Bit k of reduce[level] says that the left operand (forward) or the sum (inverse) at x[k] is
 * reduced. */
struct hb_ntt_reductions {
    uint32_t reduce[HB_NTT_MAX_LOG_E];
    int bound; /* of the largest result */
    bool any;
};

/* Returns the plan of a forward pass whose words are at most IN at the start; with AHEAD, it reduces ahead of need. */
template <class A, int LOG_E, int LEVELS, int IN, bool AHEAD>
__host__ __device__ constexpr hb_ntt_reductions hb_ntt_forward_reductions()
{
    hb_ntt_reductions r = {};
    int bound[1 << LOG_E] = {};
    for (int &b : bound) {
        b = IN;
    }
    for (int level = 0; level < LEVELS; level++) {
        const int block = 1 << (LOG_E - level), half = block / 2;
        /* Only where `depth` more levels follow in this pass. */
        const bool ahead = AHEAD && level % A::depth == 0 && level + A::depth <= LEVELS;
        for (int k = 0; k < 1 << LOG_E; k++) {
            if (k % block >= half) {
                continue;
            }
            const int product = A::product(bound[k + half]);
            int x = bound[k];
            if ((ahead && k % block < block >> A::depth && x > A::reduced) || x + product > A::limit) {
                r.reduce[level] |= (uint32_t)1 << k;
                r.any = true;
                x = A::reduced;
            }
            /* Sum and difference have the same bound. */
            bound[k] = bound[k + half] = x + product;
        }
    }
    for (int b : bound) {
        r.bound = b > r.bound ? b : r.bound;
    }
    return r;
}

/* Returns the plan of a forward pass: without reductions, if its results are then small enough for the next pass
 * (entry_bound), otherwise with reductions ahead of need. */
template <class A, int LOG_E, int LEVELS, int IN> __host__ __device__ constexpr hb_ntt_reductions hb_ntt_forward_plan()
{
    constexpr hb_ntt_reductions plain = hb_ntt_forward_reductions<A, LOG_E, LEVELS, IN, false>();
    constexpr hb_ntt_reductions ahead = hb_ntt_forward_reductions<A, LOG_E, LEVELS, IN, true>();
    return !plain.any && plain.bound <= A::entry_bound ? plain : ahead;
}

/* Returns the plan of an inverse pass. SCALED: level 0 multiplies the sum as well, so it is a product and needs
 * none. */
template <class A, int LOG_E, int LEVELS, int IN, bool SCALED>
__host__ __device__ constexpr hb_ntt_reductions hb_ntt_inverse_plan()
{
    hb_ntt_reductions r = {};
    int bound[1 << LOG_E] = {};
    for (int &b : bound) {
        b = IN;
    }
    for (int level = LEVELS - 1; level >= 0; level--) {
        const int block = 1 << (LOG_E - level), half = block / 2;
        const int most = level == 0 ? A::limit / 4 : A::limit / 2;
        for (int k = 0; k < 1 << LOG_E; k++) {
            if (k % block >= half) {
                continue;
            }
            const int sum = bound[k] + bound[k + half]; /* at most the limit: both are at most half of it */
            const bool scaled = SCALED && level == 0;
            if (!scaled && sum > most) {
                r.reduce[level] |= (uint32_t)1 << k;
            }
            bound[k] = sum > most ? A::reduced : sum;
            bound[k + half] = A::product(sum);
            if (scaled) {
                bound[k] = A::product(sum);
            }
        }
    }
    for (int b : bound) {
        r.bound = b > r.bound ? b : r.bound;
    }
    return r;
}

/* Forward butterfly (Cooley and Tukey): x, y to x + w y, x - w y, lazily; the plan keeps both below the limit. */
template <class A>
__device__ __forceinline__ void hb_ntt_butterfly(typename A::word &x, typename A::word &y, typename A::twiddle w,
                                                 bool reduce, const typename A::prime &m)
{
    const typename A::word a = reduce ? A::reduce(x, m) : x;
    const typename A::word b = A::mul(y, w, m);
    x = a + b;
    y = A::sub_product(a, b, m);
}

template <class A>
__device__ __forceinline__ void hb_ntt_inverse_butterfly(typename A::word &x, typename A::word &y,
                                                         typename A::twiddle w, bool reduce, const typename A::prime &m)
{
    const typename A::word sum = x + y;
    y = A::mul(A::sub(x, y, m), w, m);
    x = reduce ? A::reduce(sum, m) : sum;
}

/* Does level 0 of the whole inverse transform: both twiddles contain the factor of all results, 1/N and more. */
template <class A, int LOG_E>
__device__ __forceinline__ void hb_ntt_scaled_level(typename A::word (&x)[1 << LOG_E], const hb_ntt_pair &last,
                                                    const typename A::prime &m)
{
    constexpr int half = 1 << (LOG_E - 1);
    typename A::twiddle w[2];
    A::load_pair(last, w);
#pragma unroll
    for (int k = 0; k < half; k++) {
        const typename A::word sum = x[k] + x[k + half];
        x[k + half] = A::mul(A::sub(x[k], x[k + half], m), w[1], m);
        x[k] = A::mul(sum, w[0], m);
    }
}

/* Twiddles of a pass that are loaded from the table where its words go through it. */
template <class A> struct hb_ntt_table {
    const typename A::entry *table;
    int groups;
    uint32_t group;

    /* Loads entries h and h + 1 of this thread's group. */
    __device__ __forceinline__ void load(int h, typename A::twiddle (&w)[2]) const
    {
        A::load_twiddles(table, groups, group, h, w);
    }
};

/* Twiddles of a pass that a thread loaded into registers before (hb_ntt_job::keep). */
template <class A, int LOG_E> struct hb_ntt_kept {
    typename A::twiddle twiddles[1 << LOG_E];

    /* Takes entries h and h + 1, h a constant where this is unrolled, so that `twiddles` can stay in registers. */
    __device__ __forceinline__ void load(int h, typename A::twiddle (&w)[2]) const
    {
        w[0] = twiddles[h];
        w[1] = twiddles[h + 1];
    }
    /* Loads all twiddles of a pass of LEVELS levels, of which there are 2^LEVELS - 1; entry 0 has no use. */
    template <int LEVELS> __device__ __forceinline__ void keep(const hb_ntt_table<A> &from)
    {
#pragma unroll
        for (int h = 0; h < 1 << LEVELS; h += 2) {
            typename A::twiddle w[2];
            from.load(h, w);
            twiddles[h] = w[0];
            twiddles[h + 1] = w[1];
        }
    }
};

/* Does one level of a pass: all its groups, with a load of twiddles for two of them at a time. REDUCE is the plan's
 * mask. Level 0 has one group, whose twiddle is entry 1: entry 0 is loaded beside it and not used. */
template <class A, int LOG_E, int LEVEL, uint32_t REDUCE, bool FORWARD, class TWIDDLES>
__device__ __forceinline__ void hb_ntt_level(typename A::word (&x)[1 << LOG_E], const TWIDDLES &twiddles,
                                             const typename A::prime &m)
{
    constexpr int half = 1 << (LOG_E - LEVEL - 1);
#pragma unroll
    for (int h = (1 << LEVEL) & ~1; h < 2 << LEVEL; h += 2) {
        typename A::twiddle w[2];
        twiddles.load(h, w);
#pragma unroll
        for (int i = LEVEL == 0 ? 1 : 0; i < 2; i++) {
#pragma unroll
            for (int j = 0; j < half; j++) {
                /* Entry 2^level + i is of block i of the level, whose pairs are `half` apart. */
                const int k = (h + i - (1 << LEVEL)) * 2 * half + j;
                if (FORWARD) {
                    hb_ntt_butterfly<A>(x[k], x[k + half], w[i], (REDUCE >> k) & 1, m);
                } else {
                    hb_ntt_inverse_butterfly<A>(x[k], x[k + half], w[i], (REDUCE >> k) & 1, m);
                }
            }
        }
    }
}

/* Does levels LEVEL .. LEVELS - 1 of a forward pass. */
template <class A, int LOG_E, int LEVELS, int IN, class TWIDDLES, int LEVEL = 0>
__device__ __forceinline__ void hb_ntt_forward_pass(typename A::word (&x)[1 << LOG_E], const TWIDDLES &twiddles,
                                                    const typename A::prime &m)
{
    if constexpr (LEVEL < LEVELS) {
        constexpr hb_ntt_reductions plan = hb_ntt_forward_plan<A, LOG_E, LEVELS, IN>();
        hb_ntt_level<A, LOG_E, LEVEL, plan.reduce[LEVEL], true>(x, twiddles, m);
        hb_ntt_forward_pass<A, LOG_E, LEVELS, IN, TWIDDLES, LEVEL + 1>(x, twiddles, m);
    }
}

/* Does levels LEVEL .. 0 of an inverse pass, downwards. SCALED: it leaves out level 0, which is hb_ntt_scaled_level. */
template <class A, int LOG_E, int LEVELS, int IN, bool SCALED, class TWIDDLES, int LEVEL = LEVELS - 1>
__device__ __forceinline__ void hb_ntt_inverse_pass(typename A::word (&x)[1 << LOG_E], const TWIDDLES &twiddles,
                                                    const typename A::prime &m)
{
    constexpr hb_ntt_reductions plan = hb_ntt_inverse_plan<A, LOG_E, LEVELS, IN, SCALED>();
    static_assert(!SCALED || plan.bound <= A::correctable, "product_to_canonical takes the result");
    if constexpr (LEVEL >= (SCALED ? 1 : 0)) {
        hb_ntt_level<A, LOG_E, LEVEL, plan.reduce[LEVEL], false>(x, twiddles, m);
        hb_ntt_inverse_pass<A, LOG_E, LEVELS, IN, SCALED, TWIDDLES, LEVEL - 1>(x, twiddles, m);
    }
}

#endif
