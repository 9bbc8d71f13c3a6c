/* Sums of products in two arithmetics, for kernels that are written once for both (private to cuda/rns). */
#ifndef HB_CUDA_RNS_TERM_SUMS_CUH
#define HB_CUDA_RNS_TERM_SUMS_CUH

#include "exact_sum.cuh"

/* Sums in FP64, of moduli below 2^50, exact as hb_exact_sum's: with units of 2^51 a sum takes `most` products below
 * 2^99, of a balanced word and a canonical one, before anything is reduced. Then high, 1.5 2^52 units at first, stays
 * within 2^51 units of that, and low, to which each adds half a unit at most, within 2^53. */
struct hb_exact_terms {
    typedef double word;
    struct sum {
        double high, low;
    };
    struct prime {
        hb_modulus m;
        double unit; /* 2^51 modulo m, balanced, over 2^51 */
    };
    static constexpr double middle = 1.5 * 0x1p52 * 0x1p51;
    static constexpr uint32_t most = 7, few = 7;

    static __device__ __forceinline__ prime prime_of(const hb_modulus &m)
    {
        return {m, hb_f64_reduce(0x1p51, m.f64_value, m.f64_inverse) * 0x1p-51};
    }
    static __device__ __forceinline__ sum zero()
    {
        return {middle, 0};
    }
    static __device__ __forceinline__ word balanced(uint64_t x, const prime &p)
    {
        return hb_balanced(x, p.m);
    }
    static __device__ __forceinline__ word canonical(uint64_t x)
    {
        return hb_f64_from_word(x);
    }
    static __device__ __forceinline__ void add(sum &s, word a, word b)
    {
        const double above = fma(a, b, s.high);
        s.low += fma(a, b, s.high - above);
        s.high = above;
    }
    /* Returns a sum reduced, within m / 2 + 2. Units times 2^51 modulo m are within 3 m / 4 (hb_f64_mul: the power of
     * two that a factor has and the other lacks changes nothing), and with low still within 2^53. */
    static __device__ __forceinline__ word reduced(const sum &s, const prime &p)
    {
        const double y = hb_f64_mul(s.high - middle, p.unit, p.m.f64_value, p.m.f64_inverse) + s.low;
        return hb_f64_reduce(y, p.m.f64_value, p.m.f64_inverse);
    }
    /* Makes room for `few` products of balanced words, below 2^98 and a little: high is as much as 4 of them then. */
    static __device__ __forceinline__ void fold(sum &s, const prime &p)
    {
        const double units = hb_f64_reduce((s.high - middle) * 0x1p-51, p.m.f64_value, p.m.f64_inverse);
        s.high = fma(units, 0x1p51, middle);
        s.low = hb_f64_reduce(s.low, p.m.f64_value, p.m.f64_inverse);
    }
    static __device__ __forceinline__ uint64_t residue(const sum &s, const prime &p)
    {
        return hb_f64_residue(reduced(s, p), p.m.value);
    }
};

/* Sums in integers: products are below 2^122, so there is room for 64. */
struct hb_integer_terms {
    typedef uint64_t word;
    typedef hb_u128 sum;
    struct prime {
        hb_modulus m;
    };
    static constexpr uint32_t most = HB_MAX_LIMBS, few = HB_MAX_LIMBS;

    static __device__ __forceinline__ prime prime_of(const hb_modulus &m)
    {
        return {m};
    }
    static __device__ __forceinline__ sum zero()
    {
        return 0;
    }
    static __device__ __forceinline__ word balanced(uint64_t x, const prime &)
    {
        return x;
    }
    static __device__ __forceinline__ word canonical(uint64_t x)
    {
        return x;
    }
    static __device__ __forceinline__ void add(sum &s, word a, word b)
    {
        s += (hb_u128)a * b;
    }
    static __device__ __forceinline__ word reduced(const sum &s, const prime &p)
    {
        return hb_mod_reduce_wide(s, &p.m);
    }
    static __device__ __forceinline__ void fold(sum &s, const prime &p)
    {
        s = reduced(s, p);
    }
    static __device__ __forceinline__ uint64_t residue(const sum &s, const prime &p)
    {
        return reduced(s, p);
    }
};

#endif
