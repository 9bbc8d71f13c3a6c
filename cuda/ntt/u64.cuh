/* Arithmetic of the transforms with 64-bit words and Shoup's multiplication, primes below 2^BITS, BITS <= 61 (private).
 *
 * Words stay below `bound` p. Anything below 2^64 may be multiplied, and gives a word below 2p. Anything below `limit`
 * p may be reduced, where limit p is 2^64 or 32 p. Bounds are counted in 1/1024, as in f64.cuh. */
#ifndef HB_CUDA_NTT_U64_CUH
#define HB_CUDA_NTT_U64_CUH

#include "launch.h"

/* The arithmetic as passes see it: types, bounds in 1/1024 of p, and operations on words and twiddles. */
template <int BITS> struct hb_ntt_u64 {
    using word = uint64_t;
    struct twiddle {
        uint64_t w, quotient;
    };
    using entry = ulonglong2;
    struct prime {
        uint64_t value, minus, two, half; /* p, -p, 2p, limit/2 p */
        uint32_t factor, shift, quotient_shift;
    };

    static constexpr bool f64 = false;
    static constexpr int limit = 1 << (10 + (BITS > 59 ? 64 - BITS : 5));
    static constexpr int reduced = 2048;
    static constexpr int canonical = 1024;
    static constexpr int correctable = 2048; /* the bound of operands of product_to_canonical */
    static constexpr int depth = 8;          /* no reductions ahead */
    static constexpr int entry_bound = limit;
    /* Returns the bound of a product, which is the same for all operands. */
    static __host__ __device__ constexpr int product(int)
    {
        return 2048;
    }

    /* Loads the constants of a prime from the head of its table. limit counts in 1/1024, so limit / 2048 is the half of
     * it in primes. */
    static __device__ prime load_prime(const hb_ntt_header *h)
    {
        const uint64_t p = h->value;
        return {p, 0 - p, 2 * p, limit / 2048 * p, h->factor, h->shift, h->quotient_shift};
    }
    /* Words are the same in registers, in memory between passes, and where they are canonical. */
    static __device__ word of_bits(uint64_t bits)
    {
        return bits;
    }
    static __device__ uint64_t to_bits(word x)
    {
        return x;
    }
    static __device__ word of_canonical(uint64_t x)
    {
        return x;
    }
    /* Reduces a digit, a word below `limit` p. */
    static __device__ word of_digit(uint64_t x, const prime &m)
    {
        return to_canonical(x, m);
    }
    static __device__ word of_wide_digit(uint64_t x, const prime &m)
    {
        return of_digit(x, m);
    }
    /* Make the canonical word: to_canonical of any word below limit p, product_to_canonical of a product below 2p. */
    static __device__ uint64_t to_canonical(word x, const prime &m)
    {
        return correct(reduce(x, m), m);
    }
    static __device__ uint64_t product_to_canonical(word x, const prime &m)
    {
        return correct(x, m);
    }
    /* Maps x in [0, 2p) to [0, p). */
    static __device__ uint64_t correct(uint64_t x, const prime &m)
    {
        return x >= m.value ? x - m.value : x;
    }

    /* Returns the modulus as products of canonical words need it. `table` is the first twiddle of the modulus: its
     * header, which has Barrett's constant, stands right before it. */
    static __device__ hb_modulus load_modulus(const entry *table, const prime &m)
    {
        const hb_ntt_header *header = reinterpret_cast<const hb_ntt_header *>(table) - 1;
        return {m.value, __ldg(&header->barrett_hi), __ldg(&header->barrett_lo), 0, 0, 0, 0};
    }
    /* Multiplies canonical words, to a canonical one. */
    static __device__ uint64_t mul_words(uint64_t a, uint64_t b, const hb_modulus &m)
    {
        return hb_mod_mul(a, b, &m);
    }

    /* Returns y w modulo p in [0, 2p), for any word y (Shoup's multiplication, base/modarith.h). */
    static __device__ word mul(word y, twiddle w, const prime &m)
    {
        return y * w.w + hb_mul_high(y, w.quotient) * m.minus; /* shorter on a GPU than with a subtraction */
    }
    /* Reduces x < 32p to [0, 2p): the quotient from the top bits of x is floor(x / p) or one less (hb_ntt_header). */
    static __device__ word reduce(word x, const prime &m)
    {
        const uint32_t q = __umulhi((uint32_t)(x >> m.shift), m.factor) >> m.quotient_shift;
        return x - q * m.value;
    }
    /* A product is below 2p, so that 2p keeps the difference positive. */
    static __device__ word sub_product(word x, word product, const prime &m)
    {
        return x + (m.two - product);
    }
    /* Both words are at most limit/2 p, so the result is at most limit p. */
    static __device__ word sub(word x, word y, const prime &m)
    {
        return x + (m.half - y);
    }

    /* Take a factor from the arguments; multiply a - x, of canonical words, by it. */
    static __device__ twiddle factor_of(const hb_ntt_factor &factor)
    {
        return {factor.u64.x, factor.u64.y};
    }
    static __device__ uint64_t quotient_of(uint64_t a, uint64_t x, twiddle factor, const prime &m)
    {
        return correct(mul(a + (m.value - x), factor, m), m);
    }

    /* Takes the two factors of the level that ends an inverse transform, each beside its quotient. */
    static __device__ void load_pair(const hb_ntt_pair &pair, twiddle (&w)[2])
    {
        w[0] = {pair.u64[0].x, pair.u64[0].y};
        w[1] = {pair.u64[1].x, pair.u64[1].y};
    }
    /* Loads entries h and h + 1 of a group, h even, one load of 16 bytes each. Tables are [h][group], each twiddle
     * beside its quotient. */
    static __device__ void load_twiddles(const entry *table, int groups, uint32_t group, int h, twiddle (&w)[2])
    {
        const ulonglong2 even = __ldg(table + ((uint32_t)h << groups) + group);
        const ulonglong2 odd = __ldg(table + ((uint32_t)(h + 1) << groups) + group);
        w[0] = {even.x, even.y};
        w[1] = {odd.x, odd.y};
    }
};

#endif
