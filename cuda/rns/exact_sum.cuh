/* Sums of products in pairs of doubles, for kernels: exact, and as few reductions as that allows. */
#ifndef HB_CUDA_RNS_EXACT_SUM_CUH
#define HB_CUDA_RNS_EXACT_SUM_CUH

#include "base/modarith.h"

/* A sum of products of FP64 words, exact and without a reduction between them, of moduli below 2^BITS, BITS 49 or 50.
 * Let |a|, |b| <= 2^(BITS - 1), and `unit` = 2^(2 BITS - 48). `high` is a multiple of the unit on top of 1.5 2^52
 * units, where the neighbours of a double are a unit apart: so a b joins it rounded to such a multiple, and `low` takes
 * the remainder, an integer of at most half a unit. After a fold, `few` products keep low within 2^53; before the first
 * fold, `first` products do. With up to `most` products high stays within 2^51 units of its middle, also without a
 * fold. */
template <int BITS> struct hb_exact_sum {
    static constexpr int bits = BITS; /* of a modulus, at most: words are balanced */
    static constexpr uint32_t few = BITS == 49 ? 15 : 3, first = BITS == 49 ? 16 : 4, most = 32;
    static constexpr double root = BITS == 49 ? 0x1p25 : 0x1p26, unit = root * root; /* 2^50 or 2^52 */
    /* Without initializers, which nvcc applies only to the first row of an array of three dimensions. */
    double high, low;

    static __device__ __forceinline__ constexpr double middle()
    {
        return 1.5 * 0x1p52 * unit;
    }
    /* Returns the sum of nothing. */
    static __device__ __forceinline__ hb_exact_sum zero()
    {
        return {middle(), 0};
    }
    __device__ __forceinline__ void add(double a, double b)
    {
        const double above = fma(a, b, high);
        low += fma(a, b, high - above);
        high = above;
    }
    /* Reduces low: |low| <= 2^53 is at most 2^53 / m times the modulus, so the remainder is within m / 2 + 1. */
    __device__ __forceinline__ void fold_low(const hb_modulus &m)
    {
        low = hb_f64_reduce(low, m.f64_value, m.f64_inverse);
    }
    /* Reduces both parts. `high` becomes units times an integer within m / 2 + 1: as much as 8 products at most. */
    __device__ __forceinline__ void fold(const hb_modulus &m)
    {
        high = fma(units(m), unit, middle());
        fold_low(m);
    }
    /* Returns the residue of the whole sum. Units are multiplied in two steps, whose quotients stay below 2^26. */
    __device__ __forceinline__ uint64_t residue(const hb_modulus &m)
    {
        fold_low(m);
        const double x = hb_f64_reduce(units(m) * root, m.f64_value, m.f64_inverse);
        const double y = hb_f64_reduce(x * root, m.f64_value, m.f64_inverse) + low;
        return hb_f64_residue(hb_f64_reduce(y, m.f64_value, m.f64_inverse), m.value);
    }

  private:
    /* Returns how many units high is above its middle, at most 2^51, modulo m. */
    __device__ __forceinline__ double units(const hb_modulus &m) const
    {
        return hb_f64_reduce((high - middle()) * (1 / unit), m.f64_value, m.f64_inverse);
    }
};

/* Returns the balanced representative of x in [0, m), m < 2^50, in as few steps as the word's conversion takes. */
__device__ static __forceinline__ double hb_balanced(uint64_t x, const hb_modulus &m)
{
    const double there = __longlong_as_double((long long)(x | HB_F64_TWO52_BITS));
    return there - (x > m.value / 2 ? HB_F64_TWO52 + m.f64_value : HB_F64_TWO52);
}

#endif
