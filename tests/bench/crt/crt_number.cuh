/* Natural numbers of a fixed number of words in the registers of one thread: every index is known when it is compiled.
 * Carries go through double words, which become the carry chains that Al Badawi et al. write in PTX. */
#ifndef HB_BENCH_CRT_NUMBER_CUH
#define HB_BENCH_CRT_NUMBER_CUH

#include "reduce.cuh"

/* x += factor * row over the first `used` words; returns the carry. */
template <typename Word, int WORDS>
__device__ inline Word hb_number_add_product(Word (&x)[WORDS], Word factor, const Word (&row)[WORDS], uint32_t used)
{
    Word carry = 0;
    HB_UNROLL
    for (uint32_t w = 0; w < WORDS; w++) {
        if (w < used) {
            /* (2^b - 1)^2 + 2 (2^b - 1) = 2^2b - 1 fits. */
            const hb_wide<Word> sum = (hb_wide<Word>)factor * row[w] + x[w] + carry;
            x[w] = (Word)sum;
            carry = hb_high_word<Word>(sum);
        }
    }
    return carry;
}

/* x -= factor * row; returns what is missing above. */
template <typename Word, int WORDS>
__device__ inline Word hb_number_sub_product(Word (&x)[WORDS], Word factor, const Word (&row)[WORDS])
{
    Word borrow = 0;
    HB_UNROLL
    for (uint32_t w = 0; w < WORDS; w++) {
        const hb_wide<Word> product = (hb_wide<Word>)factor * row[w] + borrow;
        /* At most 2^b (2^b - 1): where the high word is full, the low one is 0, and nothing is added. */
        borrow = hb_high_word<Word>(product) + (x[w] < (Word)product);
        x[w] -= (Word)product;
    }
    return borrow;
}

/* x -= m if the number with `top` above x is at least m; it is below 2m. No branch: threads of a warp differ. */
template <typename Word, int WORDS>
__device__ inline void hb_number_correct(Word (&x)[WORDS], Word top, const Word (&m)[WORDS])
{
    Word less[WORDS], borrow = 0;
    HB_UNROLL
    for (uint32_t w = 0; w < WORDS; w++) {
        const hb_wide<Word> difference = (hb_wide<Word>)x[w] - m[w] - borrow;
        less[w] = (Word)difference;
        borrow = hb_high_word<Word>(difference) & 1;
    }
    const bool keep = top < borrow;
    HB_UNROLL
    for (uint32_t w = 0; w < WORDS; w++) {
        x[w] = keep ? x[w] : less[w];
    }
}

/* (high, low) shifted left by `shift` below the bits of a word: its high word; and right: its low word. */
template <typename Word> __device__ inline Word hb_shifted_left(Word high, Word low, uint32_t shift)
{
    return hb_high_word<Word>((((hb_wide<Word>)high << hb_word_bits<Word>) | low) << shift);
}
template <typename Word> __device__ inline Word hb_shifted_right(Word high, Word low, uint32_t shift)
{
    return (Word)((((hb_wide<Word>)high << hb_word_bits<Word>) | low) >> shift);
}

/* Number with `top` above x, below k Q for a k far below 2^b, to its remainder by Q: division of Menezes et al.,
 * algorithm 14.20, of which one digit of the quotient is left. divisor = 2^shift Q, its highest bit set. The first
 * guess of the digit, from two words by one, is corrected by a word more and then at most 1 too large. */
template <typename Word, int WORDS>
__device__ inline void hb_number_divide(Word (&x)[WORDS], Word top, const Word (&divisor)[WORDS], uint32_t shift)
{
    static_assert(WORDS >= 2, "the guess looks at two words of the divisor");
    top = hb_shifted_left<Word>(top, x[WORDS - 1], shift);
    HB_UNROLL
    for (int w = WORDS - 1; w > 0; w--) {
        x[w] = hb_shifted_left<Word>(x[w], x[w - 1], shift);
    }
    x[0] <<= shift;

    const hb_wide<Word> head = ((hb_wide<Word>)top << hb_word_bits<Word>) | x[WORDS - 1];
    Word q = (Word)(head / divisor[WORDS - 1]); /* top < k < the divisor's highest word: below 2^b */
    hb_wide<Word> rest = head - (hb_wide<Word>)q * divisor[WORDS - 1];
    while (hb_high_word<Word>(rest) == 0 &&
           (hb_wide<Word>)q * divisor[WORDS - 2] > ((rest << hb_word_bits<Word>) | x[WORDS - 2])) {
        q--;
        rest += divisor[WORDS - 1];
    }
    if (top < hb_number_sub_product<Word, WORDS>(x, q, divisor)) {
        hb_number_add_product<Word, WORDS>(x, 1, divisor, WORDS);
    }

    HB_UNROLL
    for (int w = 0; w < WORDS - 1; w++) {
        x[w] = hb_shifted_right<Word>(x[w + 1], x[w], shift);
    }
    x[WORDS - 1] >>= shift;
}

#endif
