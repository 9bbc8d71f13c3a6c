/* Gaussian integers modulo a prime, and short transforms of them in a thread's registers, for any reduction R of
 * reduce.cuh whose factors are words (all but Shoup's). */
#ifndef HB_BENCH_DGT_ARITH_CUH
#define HB_BENCH_DGT_ARITH_CUH

#include "cuda/device/cuda_private.h"
#include "reduce.cuh"

/* re + im i, both in [0, m). */
template <typename R> struct alignas(2 * sizeof(typename R::word)) hb_gauss {
    typename R::word re, im;
};

template <typename R> HB_FN hb_gauss<R> hb_gauss_add(hb_gauss<R> a, hb_gauss<R> b, typename R::word m)
{
    return {hb_word_add(a.re, b.re, m), hb_word_add(a.im, b.im, m)};
}

template <typename R> HB_FN hb_gauss<R> hb_gauss_sub(hb_gauss<R> a, hb_gauss<R> b, typename R::word m)
{
    return {hb_word_sub(a.re, b.re, m), hb_word_sub(a.im, b.im, m)};
}

/* By an integer: two products. */
template <typename R>
HB_FN hb_gauss<R> hb_gauss_scale(hb_gauss<R> a, typename R::word w, const typename R::constants &c)
{
    return {R::mul(a.re, w, c), R::mul(a.im, w, c)};
}

/* Gauss' three products: with s = (a.re + a.im) b.re, re = s - a.im (b.re + b.im), im = s + a.re (b.im - b.re). */
template <typename R> HB_FN hb_gauss<R> hb_gauss_mul(hb_gauss<R> a, hb_gauss<R> b, const typename R::constants &c)
{
    const typename R::word m = c.m, s = R::mul(hb_word_add(a.re, a.im, m), b.re, c);
    return {hb_word_sub(s, R::mul(a.im, hb_word_add(b.re, b.im, m), c), m),
            hb_word_add(s, R::mul(a.re, hb_word_sub(b.im, b.re, m), c), m)};
}

/* `bits` bits of i in reverse order. */
HB_FN int hb_dgt_reversed(int i, int bits)
{
    int r = 0;
    for (int b = 0; b < bits; b++) {
        r |= ((i >> b) & 1) << (bits - 1 - b);
    }
    return r;
}

/* Transform of 2^LOG words by the root `powers`[2^apart], natural order in and out: decimation in frequency, and then
 * the words change their names. */
template <typename R, int LOG>
HB_FN void hb_dgt_short(hb_gauss<R> *x, const typename R::word *powers, uint32_t apart, const typename R::constants &c)
{
    HB_UNROLL
    for (int s = 0; s < LOG; s++) {
        const int distance = 1 << (LOG - 1 - s);
        HB_UNROLL
        for (int i = 0; i < 1 << (LOG - 1); i++) {
            const int j = i % distance, at = 2 * (i - j) + j;
            const hb_gauss<R> a = x[at], b = x[at + distance], difference = hb_gauss_sub(a, b, c.m);
            x[at] = hb_gauss_add(a, b, c.m);
            x[at + distance] = j == 0 ? difference : hb_gauss_scale(difference, powers[(j << s) << apart], c);
        }
    }
    HB_UNROLL
    for (int i = 0; i < 1 << LOG; i++) {
        const int r = hb_dgt_reversed(i, LOG);
        if (i < r) {
            const hb_gauss<R> kept = x[i];
            x[i] = x[r];
            x[r] = kept;
        }
    }
}

#endif
