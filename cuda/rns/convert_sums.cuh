/* Sums of products of words and constant weights modulo a target, a class for each of three arithmetics (private to
 * convert.cu).
 *
 * No product waits for the carry of another: the parts of a sum meet at its end alone. Types of an arithmetic: `number`
 * represents a word minus its `centre`; `weight` and `residue` represent a residue modulo the target, as a factor and
 * as the start of a sum; `sum` is a sum of products.
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

/* Words and targets below 2^50, in FP64. Words less their centre are within 2^49, and balanced weights within 2^49 - 1.
 * `high` stands on top of 1.5 2^52 units, where the neighbours of a double are a unit apart: so a product joins it
 * rounded to a multiple of the unit, and `low` takes the remainder, an integer. */
struct hb_sums_f64 {
    using number = double;
    using weight = double;
    using residue = double;
    struct sum {
        double high, low;
    };
    static constexpr uint64_t centre = (uint64_t)1 << (HB_F64_MAX_BITS - 1);
    static constexpr uint32_t registers = 2; /* of a number */
    static constexpr double unit = 0x1p50, middle = 1.5 * 0x1p52 * unit;

    /* Returns the products that finish() can take, by the bound of `low`, in halves of a unit. Each remainder is one of
     * them at most, and so is the start of a sum. Eight products of at most 2^49 (2^49 - 1) keep `high` within 2^51
     * units of the middle. Products beyond these may lead it up to where neighbours are two units apart, so that their
     * remainders are two halves, or down to where they are half a unit apart; all differences are still exact. finish()
     * adds 2.8. So 10 products take 8 + 4 + 1 + 2.8 of
     * the 16 that make 2^53. With targets below 2^49 products are half as large, and 12 take 12 + 1 + 1.4. */
    static uint32_t terms(const hb_sums_extent &x)
    {
        const bool fit = x.word_bits <= HB_F64_MAX_BITS && x.target_bits <= HB_F64_MAX_BITS;
        return !fit ? 0 : x.target_bits < HB_F64_MAX_BITS ? 12 : 10;
    }
    static residue residue_of(uint64_t w, const hb_modulus &m)
    {
        return hb_f64_balanced(w, m.value);
    }
    static weight weight_of(uint64_t w, const hb_modulus &m)
    {
        return hb_f64_balanced(w, m.value);
    }

    static __device__ number number_of(uint64_t word)
    {
        return hb_f64_from_word(word) - (double)centre;
    }
    /* The number of a word that is taken as centred: balanced, without another centre. */
    static constexpr bool centres = true;
    static __device__ number centred_number_of(uint64_t word, const hb_modulus &m)
    {
        return hb_balanced(word, m);
    }
    static __device__ sum begin(residue x)
    {
        return {middle, x};
    }
    static __device__ uint64_t scaled(uint64_t x, uint64_t factor, uint64_t, const hb_modulus &m)
    {
        return hb_f64_mod_mul(x, factor, &m);
    }
    static __device__ void add(sum &s, number x, weight w)
    {
        const double above = fma(x, w, s.high);
        s.low += fma(x, w, s.high - above);
        s.high = above;
    }
    /* The quotient is below 2^52 and even, as 1.5 2^53 has neighbours two apart: it is off by 1, and by 0.4 as the
     * inverse is off by 2^-53 of itself. So the remainder is within 1.4 targets, exact, and its sum with `low` within
     * 2^53: its last quotient by a target of m >= 2 is exact to 1/m beyond rounding, and the result is within m / 2 +
     * 1. */
    static __device__ uint64_t finish(const sum &s, const hb_modulus &m)
    {
        const double x = s.high - middle;
        const double quotient = fma(x, m.f64_inverse, 1.5 * 0x1p53) - 1.5 * 0x1p53;
        const double y = fma(-quotient, m.f64_value, x) + s.low;
        return hb_f64_residue(hb_f64_reduce(y, m.f64_value, m.f64_inverse), m.value);
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
