/* Arithmetic of the transforms with FP64 fused multiply-adds, primes below 2^BITS, BITS <= 50 (private).
 *
 * Words are integers in doubles, within `bound` p in magnitude; twiddles are balanced, |w| <= p/2. Then |w y| / p <=
 * bound p / 2, so that a product is exact for bound p <= 2^52 (`limit`), and |w y mod p| <= (1/2 + bound p 2^-53) p
 * (`product`), base/modarith.h. Bounds are counted in 1/1024 and rounded up, to the next one where they are whole: that
 * covers the (p + 1) / 2 of a reduced word, p being above 2^10, and the 1 + 2^-53 of base/modarith.h. */
#ifndef HB_CUDA_NTT_F64_CUH
#define HB_CUDA_NTT_F64_CUH

#include "launch.h"

/* The arithmetic as passes see it: types, bounds in 1/1024 of p, and operations on words and twiddles. */
template <int BITS> struct hb_ntt_f64 {
    using word = double;
    using twiddle = double;
    using entry = double;
    struct prime {
        uint64_t value;
        double p, inverse;
    };

    static constexpr bool f64 = true;
    static constexpr int limit = 1 << (10 + 52 - BITS);
    static constexpr int reduced = 513;
    static constexpr int canonical = 1024;
    static constexpr int correctable = 1024; /* the bound of operands of product_to_canonical */
    /* Depth of the reductions ahead, and up to where a pass can do without (hb_ntt_forward_plan). */
    static constexpr int depth = BITS > 49 ? 2 : 4;
    static constexpr int entry_bound = BITS > 49 ? limit * 3 / 4 : limit * 5 / 8;
    /* Returns the bound of a product whose word is within `bound`. */
    static __host__ __device__ constexpr int product(int bound)
    {
        return 513 + (bound >> (53 - BITS));
    }

    /* Loads the constants of a prime from the head of its table. */
    static __device__ prime load_prime(const hb_ntt_header *h)
    {
        return {h->value, h->f64_value, h->f64_inverse};
    }
    /* Convert between words and the bits that memory holds of them between passes: those of the double itself. */
    static __device__ word of_bits(uint64_t bits)
    {
        return __longlong_as_double((long long)bits);
    }
    static __device__ uint64_t to_bits(word x)
    {
        return (uint64_t)__double_as_longlong(x);
    }
    /* Makes a word of a canonical one, exactly. */
    static __device__ word of_canonical(uint64_t x)
    {
        return hb_f64_from_word(x);
    }
    /* Reduces a digit: of_digit a word below 2^51, of_wide_digit any word below 2^63, as two halves of 32 bits. */
    static __device__ word of_digit(uint64_t x, const prime &m)
    {
        return reduce(hb_f64_from_word(x), m);
    }
    static __device__ word of_wide_digit(uint64_t x, const prime &m)
    {
        const double high = reduce(hb_f64_from_word(x >> 32) * 0x1p32, m);
        return reduce(high + hb_f64_from_word((uint32_t)x), m);
    }
    /* Make the canonical word: to_canonical of any word in range, product_to_canonical of a product in [-p, p). */
    static __device__ uint64_t to_canonical(word x, const prime &m)
    {
        return hb_f64_residue(reduce(x, m), m.value);
    }
    static __device__ uint64_t product_to_canonical(word x, const prime &m)
    {
        return hb_f64_residue(x, m.value);
    }

    /* Returns the modulus as products of canonical words need it. `table` is the first twiddle of the modulus; FP64
     * does not need the entries before it. */
    static __device__ hb_modulus load_modulus(const entry *, const prime &m)
    {
        return {m.value, 0, 0, m.p, m.inverse, 0, 1};
    }
    /* Multiplies canonical words, to a canonical one. */
    static __device__ uint64_t mul_words(uint64_t a, uint64_t b, const hb_modulus &m)
    {
        return hb_f64_mod_mul(a, b, &m);
    }

    /* Returns y w modulo p, within product(bound of y). */
    static __device__ word mul(word y, twiddle w, const prime &m)
    {
        return hb_f64_mul(y, w, m.p, m.inverse);
    }
    /* Returns a congruent word within `reduced`. */
    static __device__ word reduce(word x, const prime &m)
    {
        return hb_f64_reduce(x, m.p, m.inverse);
    }
    /* Doubles have a sign: differences need no multiple of p to stay positive. */
    static __device__ word sub_product(word x, word product, const prime &)
    {
        return x - product;
    }
    static __device__ word sub(word x, word y, const prime &)
    {
        return x - y;
    }

    /* Take a factor from the arguments; multiply a - x, of canonical words, by it: a balanced factor and a difference
     * within p give a product within 3 p / 4. */
    static __device__ twiddle factor_of(const hb_ntt_factor &factor)
    {
        return factor.f64;
    }
    static __device__ uint64_t quotient_of(uint64_t a, uint64_t x, twiddle factor, const prime &m)
    {
        return hb_f64_residue(mul(hb_f64_from_word(a) - hb_f64_from_word(x), factor, m), m.value);
    }

    /* Takes the two factors of the level that ends an inverse transform. */
    static __device__ void load_pair(const hb_ntt_pair &pair, twiddle (&w)[2])
    {
        w[0] = pair.f64[0];
        w[1] = pair.f64[1];
    }
    /* Loads entries h and h + 1 of a group, h even, in one load of 16 bytes. Tables are [h / 2][group][h % 2]. */
    static __device__ void load_twiddles(const entry *table, int groups, uint32_t group, int h, twiddle (&w)[2])
    {
        const double2 both = __ldg(reinterpret_cast<const double2 *>(table) + (((uint32_t)h / 2) << groups) + group);
        w[0] = both.x;
        w[1] = both.y;
    }
};

#endif
