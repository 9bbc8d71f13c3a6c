/* Modular multiplications that designs may exchange: each a struct of types and functions, for words of 32 or 64 bits.
 *
 *   word       unsigned, of a residue and of a modulus
 *   constants  of one modulus; make_constants(m) on the host
 *   twiddle    a fixed factor; make_twiddle(w, constants) on the host, w in [0, m)
 *   mul(x, twiddle, constants)  x w mod m in [0, m)
 *   most_bits  of a modulus; all are odd and at least 5
 *
 * Each takes x in [0, m); those that take any word say so. All results are canonical: designs differ in their
 * transforms and in their multiplications, not in how late they reduce. */
#ifndef HB_BENCH_REDUCE_CUH
#define HB_BENCH_REDUCE_CUH

#include "base/modarith.h"

template <typename Word> struct hb_wide_of;
template <> struct hb_wide_of<uint32_t> {
    using type = uint64_t;
};
template <> struct hb_wide_of<uint64_t> {
    using type = hb_u128;
};
/* Holds the product of two words. */
template <typename Word> using hb_wide = typename hb_wide_of<Word>::type;

template <typename Word> constexpr uint32_t hb_word_bits = 8 * sizeof(Word);

template <typename Word> HB_FN Word hb_high_word(hb_wide<Word> x)
{
    return (Word)(x >> hb_word_bits<Word>);
}

/* The product's high word, by the instruction that gives only it. */
HB_FN uint32_t hb_mul_high_word(uint32_t a, uint32_t b)
{
    return hb_high_word<uint32_t>((uint64_t)a * b);
}
HB_FN uint64_t hb_mul_high_word(uint64_t a, uint64_t b)
{
    return hb_mul_high(a, b);
}

/* Low word of x >> shift, 1 <= shift <= bits of a word: without what a compiler adds for shifts beyond a word. */
HB_FN uint32_t hb_shift_to_word(uint64_t x, uint32_t shift)
{
    return (uint32_t)(x >> shift);
}
HB_FN uint64_t hb_shift_to_word(hb_u128 x, uint32_t shift)
{
    return (hb_high_word<uint64_t>(x) << (64 - shift)) | ((uint64_t)x >> 1 >> (shift - 1));
}

template <typename Word> HB_FN Word hb_smaller(Word a, Word b)
{
    return a < b ? a : b;
}

/* x in [0, 2m) to [0, m), 2m <= 2^bits: where x < m, x - m wraps to at least 2^bits - m >= m > x. */
template <typename Word> HB_FN Word hb_corrected(Word x, Word m)
{
    return hb_smaller<Word>(x, x - m);
}

/* a, b in [0, m); results in [0, m). */
template <typename Word> HB_FN Word hb_word_add(Word a, Word b, Word m)
{
    return hb_corrected<Word>(a + b, m);
}
/* Where a < b, a - b wraps to at least 2^bits - m, and adding m wraps back. */
template <typename Word> HB_FN Word hb_word_sub(Word a, Word b, Word m)
{
    return hb_smaller<Word>(a - b, a - b + m);
}
/* a / 2 mod an odd m: a itself or a + m is even, (a + m) / 2 = (a - 1) / 2 + (m + 1) / 2 (Zhang et al.). */
template <typename Word> HB_FN Word hb_word_half(Word a, Word m)
{
    return (a >> 1) + ((a & 1) ? (m >> 1) + 1 : 0);
}

/* Barrett in the form of Ozerk et al., section 4.1: one shift between the two multiplications, one after them, so that
 * a product of two words holds everything. Any modulus of w <= bits of a word - 2 bits.
 *
 * With z = x w' < m^2, 2^(w-1) < m < 2^w, mu = floor(2^(2w+1) / m) < 2^(w+2):
 *   t = floor(z / 2^(w-2)) < 2^(w+2), q = floor(t mu / 2^(w+3)) <= z / m.
 * Rounding of mu takes less than z / 2^(2w+1) < 1/2 from t mu / 2^(w+3), that of t less than mu / 2^(w+3) <=
 * 2^(w-2) / m < 1/2, the last one less than 1: q > z / m - 2, so z - q m is in [0, 2m) and one correction is enough.
 * The paper's mu has one bit less, 2^(2w) for 2^(2w+1): then the first loss may come near 1 and, for some moduli near
 * 2^w, one correction is not always enough. Time is the same. */
template <typename Word> struct hb_barrett {
    using word = Word;
    using twiddle = Word;
    static constexpr uint32_t most_bits = hb_word_bits<Word> - 2;
    struct constants {
        Word m, mu;
        uint32_t bits;
    };

    static constants make_constants(uint64_t m)
    {
        uint32_t bits = 64 - (uint32_t)__builtin_clzll(m);
        return {(Word)m, (Word)(((hb_u128)1 << (2 * bits + 1)) / m), bits};
    }
    static twiddle make_twiddle(uint64_t w, const constants &)
    {
        return (Word)w;
    }

    HB_FN Word mul(Word x, twiddle w, const constants &c)
    {
        const hb_wide<Word> z = (hb_wide<Word>)x * w;
        const Word t = hb_shift_to_word(z, c.bits - 2);
        const Word q = hb_shift_to_word((hb_wide<Word>)t * c.mu, c.bits + 3);
        return hb_corrected<Word>((Word)z - q * c.m, c.m);
    }
};

/* Shoup: the factor carries w' = floor(w 2^bits / m). Any word x: x w / m - x w' / 2^bits is in [0, x / 2^bits), below
 * 1, so the quotient floor(x w' / 2^bits) is at most one below floor(x w / m): the remainder is in [0, 2m), which has
 * to fit a word. */
template <typename Word> struct hb_shoup {
    using word = Word;
    struct alignas(2 * sizeof(Word)) twiddle {
        Word value, quotient;
    };
    static constexpr uint32_t most_bits = hb_word_bits<Word> - 1;
    struct constants {
        Word m;
    };

    static constants make_constants(uint64_t m)
    {
        return {(Word)m};
    }
    static twiddle make_twiddle(uint64_t w, const constants &c)
    {
        return {(Word)w, (Word)(((hb_u128)w << hb_word_bits<Word>) / c.m)};
    }

    /* Any word x; result in [0, 2m). */
    HB_FN Word mul_lazy(Word x, twiddle w, const constants &c)
    {
        return x * w.value - hb_mul_high_word(x, w.quotient) * c.m;
    }
    HB_FN Word mul(Word x, twiddle w, const constants &c)
    {
        return hb_corrected<Word>(mul_lazy(x, w, c), c.m);
    }
};

/* The compiler's own %: of a double word by a word, as Kim et al. (figure 1) and Al Badawi et al. (table 1)
 * mean it. Any word x. */
template <typename Word> struct hb_native {
    using word = Word;
    using twiddle = Word;
    static constexpr uint32_t most_bits = hb_word_bits<Word> - 1;
    struct constants {
        Word m;
    };

    static constants make_constants(uint64_t m)
    {
        return {(Word)m};
    }
    static twiddle make_twiddle(uint64_t w, const constants &)
    {
        return (Word)w;
    }

    HB_FN Word mul(Word x, twiddle w, const constants &c)
    {
        return (Word)((hb_wide<Word>)x * w % c.m);
    }
};

/* Montgomery, R = 2^bits: the factor is w R mod m. Any word x: z = x w R' < R m; with q = z / m mod R, z - q m is a
 * multiple of R, and its high word is that of z less that of q m, both in [0, m): the difference is in (-m, m). */
template <typename Word> struct hb_montgomery {
    using word = Word;
    using twiddle = Word;
    static constexpr uint32_t most_bits = hb_word_bits<Word> - 1;
    struct constants {
        Word m, inverse; /* of m modulo R */
    };

    static constants make_constants(uint64_t m)
    {
        uint64_t x = hb_odd_inverse((uint32_t)m);
        return {(Word)m, (Word)(x * (2 - x * m))}; /* right modulo 2^32, then modulo 2^64 */
    }
    static twiddle make_twiddle(uint64_t w, const constants &c)
    {
        return (Word)(((hb_u128)w << hb_word_bits<Word>) % c.m);
    }

    HB_FN Word mul(Word x, twiddle w, const constants &c)
    {
        const hb_wide<Word> z = (hb_wide<Word>)x * w;
        return hb_word_sub<Word>(hb_high_word<Word>(z), hb_mul_high_word((Word)z * c.inverse, c.m), c.m);
    }
};

#endif
