/* Sums of products of words and constant weights modulo a target, a class for each of three arithmetics (private to
 * convert.cu).
 *
 * No product waits for the carry of another. A word and a weight have two parts each, x = x1 R + x0, so that a product
 * is four multiply-adds: to the three sums of high R^2 + middle R + low, or to the low bits of a sum and its quotient.
 * Types of an arithmetic: `number` represents a word minus its `centre`; `weight` and `residue` represent a residue
 * modulo the target, as a factor and as the start of a sum; `sum` is a sum of products.
 *
 * terms() says how many products make a sum, 0 if the words are too wide for the arithmetic. residue_of() and
 * weight_of() run on the host, once for each conversion. In a kernel scaled() multiplies a source by its factor modulo
 * its own prime, begin() starts a sum with a residue, add() adds a product to it, and finish() reduces it to a
 * canonical word of the target. */
#ifndef HB_CUDA_RNS_CONVERT_SUMS_CUH
#define HB_CUDA_RNS_CONVERT_SUMS_CUH

#include <algorithm>

#include "cuda/device/cuda_private.h"
#include "exact_sum.cuh"

/* The extent of a conversion: the bits of the widest word and of the widest target, and the number of products beside
 * those of its sources. */
struct hb_sums_extent {
    uint32_t word_bits, target_bits, others;
};

/* Words and targets below 2^50, by both units at once: integers make the low 64 bits of a sum, and FP64 its quotient by
 * the target, off by a few, so that the remainder fits 64 bits and FP64. Words less their centre are within 2^49 and
 * weights are balanced, so that a product over the target is within 2^48. */
struct hb_sums_mixed {
    struct alignas(16) number {
        uint32_t low, high; /* two's complement */
        double value;
    };
    struct alignas(16) weight {
        uint32_t low, high; /* two's complement, balanced */
        double quotient;    /* by the target */
    };
    using residue = int64_t; /* balanced */
    struct sum {
        uint64_t low;
        uint32_t high; /* times 2^32 */
        double quotient;
    };
    static constexpr uint64_t centre = (uint64_t)1 << (HB_F64_MAX_BITS - 1);
    static constexpr uint32_t registers = 4; /* of a number */

    /* Returns the products that finish() can take. A sum of quotients of up to 8 products is within 2^51, and of 12
     * within 2^52, so each addition rounds by 2^-3, or by 2^-2 beyond 8; a weight's quotient is off by 2^-54, a product
     * by 2^-5. With 12 products these are 2.4; rounding to an integer adds 1/2, and the start of a sum 1/2: the
     * remainder is within 3.4 targets, which is below 2^52. */
    static uint32_t terms(const hb_sums_extent &x)
    {
        return x.word_bits <= HB_F64_MAX_BITS && x.target_bits <= HB_F64_MAX_BITS ? 12 : 0;
    }
    static residue residue_of(uint64_t w, const hb_modulus &m)
    {
        return (int64_t)(w > m.value / 2 ? w - m.value : w);
    }
    static weight weight_of(uint64_t w, const hb_modulus &m)
    {
        const int64_t x = residue_of(w, m);
        return {(uint32_t)x, (uint32_t)((uint64_t)x >> 32), (double)x / m.f64_value};
    }

    static __device__ number of_integer(int64_t x)
    {
        return {(uint32_t)x, (uint32_t)((uint64_t)x >> 32),
                __longlong_as_double(x + (int64_t)HB_F64_MAGIC_BITS) - HB_F64_MAGIC};
    }
    static __device__ number number_of(uint64_t word)
    {
        return of_integer((int64_t)(word - centre));
    }
    /* The number of a word that is taken as centred: balanced, without another centre. */
    static constexpr bool centres = true;
    static __device__ number centred_number_of(uint64_t word, const hb_modulus &m)
    {
        return of_integer((int64_t)(word - (word > m.value / 2 ? m.value : 0)));
    }
    static __device__ sum begin(residue x)
    {
        return {(uint64_t)x, 0, 0};
    }
    static __device__ uint64_t scaled(uint64_t x, uint64_t factor, uint64_t, const hb_modulus &m)
    {
        return hb_f64_mod_mul(x, factor, &m);
    }
    /* Halves stand apart, so that no product waits for the carry of another. */
    static __device__ void add(sum &s, const number &x, const weight &w)
    {
        s.low += (uint64_t)x.low * w.low;
        s.high += x.low * w.high;
        s.high += x.high * w.low;
        s.quotient = fma(x.value, w.quotient, s.quotient);
    }
    /* The conversions are instructions of a third unit. */
    static __device__ uint64_t finish(const sum &s, const hb_modulus &m)
    {
        const uint64_t whole = s.low + ((uint64_t)s.high << 32);
        const int64_t x = (int64_t)(whole - (uint64_t)__double2ll_rn(s.quotient) * m.value);
        return hb_f64_residue(hb_f64_reduce((double)x, m.f64_value, m.f64_inverse), m.value);
    }
};

/* Integers with R = 2^28, pieces below 2^28: 2 * 66 products below 2^56 and a residue stay below 2^64. */
struct hb_sums_u32 {
    struct alignas(8) number {
        uint32_t high, low;
    };
    using weight = number;
    using residue = uint64_t;
    struct sum {
        uint64_t high, middle, low;
    };
    static constexpr int shift = 28;
    static constexpr uint64_t centre = 0;
    static constexpr uint32_t registers = 2;

    /* All that a conversion can have fit, or none: 64 sources and two more. */
    static uint32_t terms(const hb_sums_extent &x)
    {
        return x.word_bits <= 2 * shift && x.target_bits <= 2 * shift ? HB_MAX_LIMBS + 2 : 0;
    }
    static residue residue_of(uint64_t w, const hb_modulus &)
    {
        return w;
    }
    static weight weight_of(uint64_t w, const hb_modulus &)
    {
        return number_of(w);
    }

    /* Splits a word below 2^56 into its pieces, both below 2^28. */
    static __host__ __device__ number number_of(uint64_t word)
    {
        return {(uint32_t)(word >> shift), (uint32_t)word & ((1u << shift) - 1)};
    }
    static constexpr bool centres = false;
    static __device__ uint64_t scaled(uint64_t x, uint64_t factor, uint64_t quotient, const hb_modulus &m)
    {
        return hb_mul_shoup(x, factor, quotient, m.value);
    }
    static __device__ void add(sum &s, const number &x, const weight &w)
    {
        s.high += (uint64_t)x.high * w.high;
        s.middle += (uint64_t)x.high * w.low;
        s.middle += (uint64_t)x.low * w.high;
        s.low += (uint64_t)x.low * w.low;
    }
    static __device__ sum begin(residue x)
    {
        return {0, 0, x};
    }
    static __device__ uint64_t finish(const sum &s, const hb_modulus &m)
    {
        /* Every sum is below 2^64, so the whole is below 2^121. */
        return hb_mod_reduce_wide(((hb_u128)s.high << 2 * shift) + ((hb_u128)s.middle << shift) + s.low, &m);
    }
};

/* For any words: sums of 128 bits, which ring/basis.h keeps them below. */
struct hb_sums_wide {
    using number = uint64_t;
    using weight = uint64_t;
    using residue = uint64_t;
    using sum = hb_u128;
    static constexpr uint64_t centre = 0;
    static constexpr uint32_t registers = 2;

    /* As many products as a conversion has are below 2^128 together. */
    static uint32_t terms(const hb_sums_extent &)
    {
        return HB_MAX_LIMBS + 2;
    }
    static residue residue_of(uint64_t w, const hb_modulus &)
    {
        return w;
    }
    static weight weight_of(uint64_t w, const hb_modulus &)
    {
        return w;
    }
    static __device__ number number_of(uint64_t word)
    {
        return word;
    }
    static constexpr bool centres = false;
    static __device__ uint64_t scaled(uint64_t x, uint64_t factor, uint64_t quotient, const hb_modulus &m)
    {
        return hb_mul_shoup(x, factor, quotient, m.value);
    }
    static __device__ void add(sum &s, number x, weight w)
    {
        s += (hb_u128)x * w;
    }
    static __device__ sum begin(residue x)
    {
        return x;
    }
    static __device__ uint64_t finish(const sum &s, const hb_modulus &m)
    {
        return hb_mod_reduce_wide(s, &m);
    }
};

#endif
