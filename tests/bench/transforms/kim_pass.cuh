/* Some stages of a transform on the 2^LOG_E words that a thread holds: one body for Kim et al.'s transforms of residues
 * and for the transform of complex numbers that they compare those with.
 *
 * Stage s has 2^s groups. An arithmetic A has the types word (8 bytes), factor and constants (of a modulus);
 * index(s, g), where the factor of group g of stage s stands in a table; mul; add_sub; result, what a word is stored as
 * in the end. */
#ifndef HB_BENCH_KIM_PASS_CUH
#define HB_BENCH_KIM_PASS_CUH

#include "tables.cuh"

/* LAZY: words in [0, 4m) between butterflies, products in [0, 2m), as in section III; M has to be Shoup's, and
 * m < 2^62. Otherwise everything is canonical, as the other multiplications need it. */
template <class M, bool LAZY> struct hb_kim_residues {
    using word = typename M::word;
    using factor = typename M::twiddle;
    using constants = typename M::constants;

    static __device__ uint32_t index(int stage, uint32_t group)
    {
        return ((uint32_t)1 << stage) + group;
    }
    static __device__ word mul(word x, factor w, const constants &c)
    {
        if constexpr (LAZY) {
            return M::mul_lazy(x, w, c);
        } else {
            return M::mul(x, w, c);
        }
    }
    /* x, y = x + product, x - product */
    static __device__ void add_sub(word &x, word &y, word product, const constants &c)
    {
        if constexpr (LAZY) {
            const word a = hb_corrected<word>(x, 2 * c.m);
            x = a + product;
            y = a + (2 * c.m - product);
        } else {
            y = hb_word_sub<word>(x, product, c.m);
            x = hb_word_add<word>(x, product, c.m);
        }
    }
    static __device__ word result(word x, const constants &c)
    {
        if constexpr (LAZY) {
            return hb_corrected<word>(hb_corrected<word>(x, 2 * c.m), c.m);
        } else {
            return x;
        }
    }
};

/* Discrete Fourier transform in single precision: a complex number has the size of a residue. The factor of a group is
 * the same in every stage, so the table has n / 2 of them. */
struct hb_kim_complex {
    using word = float2;
    using factor = float2;
    struct constants {
    };

    static __device__ uint32_t index(int, uint32_t group)
    {
        return group;
    }
    static __device__ word mul(word x, factor w, const constants &)
    {
        return {fmaf(x.x, w.x, -x.y * w.y), fmaf(x.x, w.y, x.y * w.x)};
    }
    static __device__ void add_sub(word &x, word &y, word product, const constants &)
    {
        y = {x.x - product.x, x.y - product.y};
        x = {x.x + product.x, x.y + product.y};
    }
    static __device__ word result(word x, const constants &)
    {
        return x;
    }
};

/* The factors of one modulus: entry i < n is root^brev(i). On the fly (section VII) it is a product of two, by which a
 * word is multiplied one after the other: in base 1024, brev(i) has its low digit from the upper bits of i and its high
 * digit from the lower ones, so digits[i / 2^shift] and digits[1024 + i mod 2^shift], each bit-reversed in its own
 * length. */
#define HB_KIM_LOG_BASE 10
template <class A> struct hb_kim_factors {
    const typename A::factor *table, *digits;
    int shift; /* log2 n - HB_KIM_LOG_BASE */
};

/* One level: the stage `stage` for a thread's 2^LOG_E words, which begin with group `group`. */
template <class A, int LOG_E, int LEVEL, bool ON_THE_FLY>
__device__ __forceinline__ void hb_kim_level(typename A::word (&x)[1 << LOG_E], int stage, uint32_t group,
                                             const hb_kim_factors<A> &f, const typename A::constants &c)
{
    constexpr int half = 1 << (LOG_E - LEVEL - 1);
#pragma unroll
    for (int h = 0; h < 1 << LEVEL; h++) {
        const uint32_t i = A::index(stage, group + (uint32_t)h);
        const typename A::factor w = ON_THE_FLY ? f.digits[i >> f.shift] : f.table[i];
        const typename A::factor high =
            ON_THE_FLY ? f.digits[(1 << HB_KIM_LOG_BASE) + (i & (((uint32_t)1 << f.shift) - 1))] : w;
#pragma unroll
        for (int j = 0; j < half; j++) {
            const int k = 2 * half * h + j;
            const typename A::word product = A::mul(x[k + half], w, c);
            A::add_sub(x[k], x[k + half], ON_THE_FLY ? A::mul(product, high, c) : product, c);
        }
    }
}

/* Levels first .. LOG_E - 1 of a thread's words, which are a share of group `group` of stage `stage`, that of level 0.
 * Factors of the last ON_THE_FLY levels are made on the fly. */
template <class A, int LOG_E, int ON_THE_FLY, int LEVEL = 0>
__device__ __forceinline__ void hb_kim_pass(typename A::word (&x)[1 << LOG_E], int first, int stage, uint32_t group,
                                            const hb_kim_factors<A> &f, const typename A::constants &c)
{
    if constexpr (LEVEL < LOG_E) {
        if (LEVEL >= first) {
            constexpr bool on_the_fly = LEVEL >= LOG_E - ON_THE_FLY;
            hb_kim_level<A, LOG_E, LEVEL, on_the_fly>(x, stage + LEVEL, group << LEVEL, f, c);
        }
        hb_kim_pass<A, LOG_E, ON_THE_FLY, LEVEL + 1>(x, first, stage, group, f, c);
    }
}

#endif
