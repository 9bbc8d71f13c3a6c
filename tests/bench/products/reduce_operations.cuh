/* Modular multiplications as the comparison of `hebatch-designs reduce` takes them: those of reduce.cuh, and what has
 * an arithmetic of its own, each with the butterfly that it makes best.
 *
 *   word, twiddle, constants, most_bits, make_constants, make_twiddle, mul
 *                            as in reduce.cuh, but for the range of a word
 *   stored                   a word in memory, in [0, m)
 *   from(stored), to(word)   into the range of the operation and back
 *   butterfly(x, y, w)       (x + w y, x - w y), on words of the range
 *   settle(word)             a word after four levels of butterflies, back into the range */
#ifndef HB_BENCH_REDUCE_OPERATIONS_CUH
#define HB_BENCH_REDUCE_OPERATIONS_CUH

#include "montgomery32.cuh"
#include "reduce.cuh"

/* All words are in [0, m), always. */
template <class R> struct hb_canonical : R {
    using typename R::constants;
    using typename R::twiddle;
    using typename R::word;
    using stored = word;

    HB_FN word from(stored x, const constants &)
    {
        return x;
    }
    HB_FN stored to(word x, const constants &)
    {
        return x;
    }
    HB_FN word settle(word x, const constants &)
    {
        return x;
    }
    HB_FN void butterfly(word &x, word &y, twiddle w, const constants &c)
    {
        const word a = x, product = R::mul(y, w, c);
        x = hb_word_add<word>(a, product, c.m);
        y = hb_word_sub<word>(a, product, c.m);
    }
};

/* Shoup's multiplication as Harvey uses it: words in [0, 4m), products in [0, 2m), one correction a butterfly. */
template <typename Word> struct hb_harvey : hb_shoup<Word> {
    using R = hb_shoup<Word>;
    using typename R::constants;
    using typename R::twiddle;
    using typename R::word;
    using stored = Word;
    static constexpr uint32_t most_bits = hb_word_bits<Word> - 2;

    HB_FN Word mul(Word x, twiddle w, const constants &c)
    {
        return R::mul_lazy(x, w, c);
    }
    HB_FN Word from(stored x, const constants &)
    {
        return x;
    }
    HB_FN stored to(Word x, const constants &c)
    {
        return hb_corrected<Word>(hb_corrected<Word>(x, 2 * c.m), c.m);
    }
    HB_FN Word settle(Word x, const constants &)
    {
        return x;
    }
    HB_FN void butterfly(Word &x, Word &y, twiddle w, const constants &c)
    {
        const Word a = hb_corrected<Word>(x, 2 * c.m), product = R::mul_lazy(y, w, c);
        x = a + product;
        y = a - product + 2 * c.m;
    }
};

/* Signed Montgomery reduction (montgomery32.cuh): words in [-2q, 2q). */
struct hb_signed_montgomery {
    using word = int32_t;
    using twiddle = int32_t;
    using stored = uint32_t;
    using constants = hb_montgomery32;
    static constexpr uint32_t most_bits = HB_MONTGOMERY32_MOST_BITS;

    static constants make_constants(uint64_t m)
    {
        return hb_montgomery32_make(m);
    }
    static twiddle make_twiddle(uint64_t w, const constants &c)
    {
        return hb_montgomery32_factor(w, (uint64_t)c.q);
    }
    HB_FN word mul(word x, twiddle w, const constants &c)
    {
        return hb_montgomery32_mul(x, w, c);
    }
    HB_FN word from(stored x, const constants &)
    {
        return (word)x;
    }
    HB_FN stored to(word x, const constants &c)
    {
        return (stored)hb_montgomery32_canonical(hb_montgomery32_correct(x, c), c);
    }
    HB_FN word settle(word x, const constants &)
    {
        return x;
    }
    HB_FN void butterfly(word &x, word &y, twiddle w, const constants &c)
    {
        const word a = hb_montgomery32_correct(x, c), product = hb_montgomery32_mul(y, w, c);
        x = a + product;
        y = a - product;
    }
};

/* The product's arithmetic in FP64 (base/modarith.h): integers in doubles, |x| <= (m + 1) / 2 but within four levels of
 * butterflies. There sums grow by what a product may be, m / 2 + |x| / 8 for m < 2^50 and factors of m / 2: to 3.3 m,
 * which is below 2^52. */
struct hb_fp64 {
    using word = double;
    using twiddle = double;
    using stored = uint64_t;
    struct constants {
        double m, inverse;
        uint64_t value;
    };
    static constexpr uint32_t most_bits = HB_F64_MAX_BITS;

    static constants make_constants(uint64_t m)
    {
        return {(double)m, 1 / (double)m, m};
    }
    static twiddle make_twiddle(uint64_t w, const constants &c)
    {
        return hb_f64_balanced(w, c.value);
    }
    HB_FN word mul(word x, twiddle w, const constants &c)
    {
        return hb_f64_mul(x, w, c.m, c.inverse);
    }
    HB_FN word from(stored x, const constants &c)
    {
        return hb_f64_balanced(x, c.value);
    }
    HB_FN stored to(word x, const constants &c)
    {
        return hb_f64_residue(hb_f64_reduce(x, c.m, c.inverse), c.value);
    }
    HB_FN word settle(word x, const constants &c)
    {
        return hb_f64_reduce(x, c.m, c.inverse);
    }
    HB_FN void butterfly(word &x, word &y, twiddle w, const constants &c)
    {
        const word a = x, product = mul(y, w, c);
        x = a + product;
        y = a - product;
    }
};

/* The operations that all others are compared with, on the host: 128-bit products and the operator %. */
using hb_exact = hb_canonical<hb_native<uint64_t>>;

#endif
