/* Vectors of 64-bit words and of doubles, as the instruction set that a file is compiled for spells them (kernels.h:
 * such a file is compiled once for each). Sums, shifts and comparisons are plain operators. This header has the
 * operations without an operator: products of halves, fused multiply-adds, and moving words between vectors. */
#ifndef HB_CPU_VECTORS_H
#define HB_CPU_VECTORS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/clones.h"
#include "base/modarith.h"

#if defined(__AVX512DQ__)
#define HB_LANES 8
#elif defined(__AVX2__)
#define HB_LANES 4
#else
#define HB_LANES 2
#endif

typedef uint64_t hb_words __attribute__((vector_size(8 * HB_LANES)));
typedef int64_t hb_signed_words __attribute__((vector_size(8 * HB_LANES)));
typedef double hb_doubles __attribute__((vector_size(8 * HB_LANES)));

/* Loads and stores; the address need not be aligned. */
HB_CLONED_INLINE hb_words hb_vector_load(const uint64_t *from)
{
    hb_words x;
    memcpy(&x, from, sizeof x);
    return x;
}

HB_CLONED_INLINE void hb_vector_store(uint64_t *to, hb_words x)
{
    memcpy(to, &x, sizeof x);
}

/* Returns x in every lane. */
HB_CLONED_INLINE hb_words hb_vector_all(uint64_t x)
{
    return x - (hb_words){0};
}

/* The same for doubles. */
HB_CLONED_INLINE hb_doubles hb_vector_all_f64(double x)
{
    return x - (hb_doubles){0};
}

/* Returns the products of the low halves of the lanes, 32 by 32 bits, exactly. */
HB_CLONED_INLINE hb_words hb_vector_mul_halves(hb_words a, hb_words b)
{
#if defined(__AVX512DQ__)
    return (hb_words)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (hb_words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
    return (hb_words)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (a & UINT32_MAX) * (b & UINT32_MAX);
#endif
}

/* Returns a b + c, rounded once. */
HB_CLONED_INLINE hb_doubles hb_vector_fma(hb_doubles a, hb_doubles b, hb_doubles c)
{
#if defined(__AVX512DQ__)
    return (hb_doubles)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    return (hb_doubles)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    HB_UNROLLED
    for (size_t v = 0; v < HB_LANES; v++) {
        c[v] = fma(a[v], b[v], c[v]);
    }
    return c;
#endif
}

/* Maps x in [0, 2m) to [0, m), without a branch; m <= 2^63. */
HB_CLONED_INLINE hb_words hb_vector_correct(hb_words x, hb_words m)
{
    const hb_words y = x - m; /* as a signed word in [-m, m); as an unsigned one it is above x where it is negative */
#if defined(__AVX512DQ__)
    return (hb_words)_mm512_min_epu64((__m512i)x, (__m512i)y);
#else
    return y + (m & (hb_words)((hb_signed_words)y >> 63));
#endif
}

/* Maps x in [-m, m), two's complement, to [0, m): x or x + m is the smaller unsigned word. */
HB_CLONED_INLINE hb_words hb_vector_from_signed(hb_words x, hb_words m)
{
#if defined(__AVX512DQ__)
    return (hb_words)_mm512_min_epu64((__m512i)x, (__m512i)(x + m));
#else
    return x + (m & (hb_words)((hb_signed_words)x >> 63));
#endif
}

/* Takes a and b as blocks of `size` words, size < HB_LANES, and lets the odd blocks of a and the even blocks of b
 * change places. */
HB_CLONED_INLINE void hb_vector_exchange(hb_words *a, hb_words *b, const size_t size)
{
#if defined(__AVX512DQ__)
    const __m512i x = (__m512i)*a, y = (__m512i)*b;
    if (size == 4) {
        *a = (hb_words)_mm512_shuffle_i64x2(x, y, 0x44); /* halves 0 of both */
        *b = (hb_words)_mm512_shuffle_i64x2(x, y, 0xee); /* halves 1 */
    } else if (size == 2) {
        *a = (hb_words)_mm512_permutex2var_epi64(x, _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13), y);
        *b = (hb_words)_mm512_permutex2var_epi64(x, _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15), y);
    } else {
        *a = (hb_words)_mm512_unpacklo_epi64(x, y);
        *b = (hb_words)_mm512_unpackhi_epi64(x, y);
    }
#elif defined(__AVX2__)
    const __m256i x = (__m256i)*a, y = (__m256i)*b;
    if (size == 2) {
        *a = (hb_words)_mm256_permute2x128_si256(x, y, 0x20); /* halves 0 of both */
        *b = (hb_words)_mm256_permute2x128_si256(x, y, 0x31); /* halves 1 */
    } else {
        *a = (hb_words)_mm256_unpacklo_epi64(x, y);
        *b = (hb_words)_mm256_unpackhi_epi64(x, y);
    }
#else
    (void)size;
    const hb_words x = *a, y = *b;
    *a = (hb_words){x[0], y[0]};
    *b = (hb_words){x[1], y[1]};
#endif
}

/* Exchanges blocks of `size` words between rows that are `size` apart: one step of a transposition. */
HB_CLONED_INLINE void hb_vector_exchange_rows(hb_words x[HB_LANES], const size_t size)
{
    HB_UNROLLED
    for (size_t i = 0; i < HB_LANES; i++) {
        if ((i & size) == 0) {
            hb_vector_exchange(&x[i], &x[i + size], size);
        }
    }
}

/* Transposes HB_LANES vectors: rows become columns. */
HB_CLONED_INLINE void hb_vector_transpose(hb_words x[HB_LANES])
{
    hb_vector_exchange_rows(x, 1);
    if (HB_LANES > 2) {
        hb_vector_exchange_rows(x, 2);
    }
    if (HB_LANES > 4) {
        hb_vector_exchange_rows(x, 4);
    }
}

#endif
