/* Sums of products of words and constant weights modulo a target, one class for each width of words and weights
 * (private to convert.cu).
 *
 * A word and a weight have two pieces each, x = x1 R + x0. A product is four multiply-adds that need no carries, to the
 * three sums of high R^2 + middle R + low. Types of an arithmetic: `number` represents a word minus its `centre`;
 * `weight` and `residue` represent a residue modulo the target, as a factor and as the start of a sum; `sum` is a sum
 * of products.
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

/* The extent of a conversion: the bits of the widest word and of the widest target, the least target, and the number of
 * products beside those of its sources. */
struct hb_sums_extent {
    uint32_t word_bits, target_bits;
    uint64_t least_target;
    uint32_t others;
};

/* FP64 with R = 2^25. Words less their centre are within 2^49 and weights within half of the target, so that pieces are
 * within 2^24, and high pieces of weights within 2^(bits - 26). */
struct hb_sums_f64 {
    struct alignas(16) number {
        double high, low;
    };
    using weight = number;
    using residue = double; /* balanced */
    struct sum {
        double high, middle, low;
    };
    static constexpr int shift = 25;
    static constexpr uint64_t centre = (uint64_t)1 << (HB_F64_MAX_BITS - 1);
    static constexpr uint32_t registers = 4; /* of a number */

    /* Returns the products that finish() can take: every sum stays within 2^53, and times R / m below 2^51, with three
     * residues beside the products, which are the start of the sum and the pieces above it: m / 2 + m / 2 + 3m / 4 <
     * 2^51. Targets below 2^28 would make R / m too large. */
    static uint32_t terms(const hb_sums_extent &x)
    {
        if (x.word_bits > HB_F64_MAX_BITS || x.target_bits > HB_F64_MAX_BITS || x.least_target >> 28 == 0) {
            return 0;
        }
        const uint64_t piece = (uint64_t)1 << (shift - 1), high = (uint64_t)1 << (x.target_bits - shift - 1);
        const uint64_t middle = piece * high + piece * piece; /* the largest of the three */
        return (uint32_t)((((uint64_t)1 << 53) - ((uint64_t)1 << 51)) / middle);
    }
    static residue residue_of(uint64_t w, const hb_modulus &m)
    {
        return hb_f64_balanced(w, m.value);
    }
    static weight weight_of(uint64_t w, const hb_modulus &m)
    {
        return pieces(hb_f64_balanced(w, m.value));
    }

    /* Splits an integer into its pieces: the high one is rounded, so the low one is within 2^24; both are exact. */
    static __host__ __device__ number pieces(double x)
    {
        const double high = hb_f64_round_product(x, 1.0 / (1 << shift));
        return {high, fma(-high, (double)(1 << shift), x)};
    }
    /* The same as hb_f64_from_word, and minus the centre, in as many steps. */
    static __device__ number number_of(uint64_t word)
    {
        const double x = __longlong_as_double((long long)(word | HB_F64_TWO52_BITS));
        return pieces(x - (HB_F64_TWO52 + (double)centre));
    }
    /* The number of a word that is taken as centred: balanced, without another centre. */
    static constexpr bool centres = true;
    static __device__ number centred_number_of(uint64_t word, const hb_modulus &m)
    {
        return pieces(hb_balanced(word, m));
    }
    static __device__ sum begin(residue x)
    {
        return {0, 0, x};
    }
    static __device__ uint64_t scaled(uint64_t x, uint64_t factor, uint64_t, const hb_modulus &m)
    {
        return hb_f64_mod_mul(x, factor, &m);
    }
    static __device__ void add(sum &s, const number &x, const weight &w)
    {
        /* The middle sum gets both cross products; each of these steps is exact, as sums stay within 2^53 (terms). */
        s.high = fma(x.high, w.high, s.high);
        s.middle = fma(x.high, w.low, fma(x.low, w.high, s.middle));
        s.low = fma(x.low, w.low, s.low);
    }
    /* Reduces from the top down. A sum within 2^53 times R is exact, its remainder an integer within 3m/4. The last
     * remainder is of an integer within 2^53, and off by 2 at most from a balanced one. */
    static __device__ uint64_t finish(const sum &s, const hb_modulus &m)
    {
        const double high = hb_f64_reduce(s.high * (1 << shift), m.f64_value, m.f64_inverse);
        const double middle = hb_f64_reduce((high + s.middle) * (1 << shift), m.f64_value, m.f64_inverse);
        return hb_f64_residue(hb_f64_reduce(middle + s.low, m.f64_value, m.f64_inverse), m.value);
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
