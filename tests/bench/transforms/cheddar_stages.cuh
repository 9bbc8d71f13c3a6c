/* The work of a thread of Cheddar's transform on the words in its registers: stages, with factors that are read or made
 * on the fly.
 *
 * Stages as in src/cpu/ntt.h: a stage of m groups multiplies group g by w[m + g], w[brev(i)] = psi^i. */
#ifndef HB_BENCH_CHEDDAR_STAGES_CUH
#define HB_BENCH_CHEDDAR_STAGES_CUH

#include "montgomery32.cuh"

/* On the fly (section 4.1, "extended"): w[i] = w[i mod 32] w[i - i mod 32], as brev of a sum of disjoint bits is a
 * sum. */
#define HB_CHEDDAR_LOG_LOW 5

/* 2^LOG words from where they are aligned as such, at most 16 bytes a time. */
template <int LOG> __device__ __forceinline__ void hb_cheddar_load(int32_t *to, const int32_t *from)
{
    if constexpr (LOG >= 2) {
#pragma unroll
        for (int i = 0; i < 1 << LOG; i += 4) {
            const int4 v = *reinterpret_cast<const int4 *>(from + i);
            to[i] = v.x, to[i + 1] = v.y, to[i + 2] = v.z, to[i + 3] = v.w;
        }
    } else if constexpr (LOG == 1) {
        const int2 v = *reinterpret_cast<const int2 *>(from);
        to[0] = v.x, to[1] = v.y;
    } else {
        to[0] = *from;
    }
}

template <int LOG> __device__ __forceinline__ void hb_cheddar_store(int32_t *to, const int32_t *from)
{
    static_assert(LOG >= 2, "of a thread with four words or more");
#pragma unroll
    for (int i = 0; i < 1 << LOG; i += 4) {
        *reinterpret_cast<int4 *>(to + i) = make_int4(from[i], from[i + 1], from[i + 2], from[i + 3]);
    }
}

/* Factors of STAGES stages below group `base` (2^stage + group): w[2^k + i] is that of group i of stage k. */
template <int STAGES>
__device__ __forceinline__ void hb_cheddar_factors(int32_t *w, uint32_t base, const int32_t *table)
{
    w[1] = table[base];
    if constexpr (STAGES >= 2) {
        hb_cheddar_load<1>(w + 2, table + 2 * base);
    }
#pragma unroll
    for (int k = 2; k < STAGES; k++) {
#pragma unroll
        for (int i = 0; i < 1 << k; i += 4) {
            hb_cheddar_load<2>(w + (1 << k) + i, table + ((size_t)base << k) + i);
        }
    }
}

/* The same on the fly: of the last stage products of two entries, of each stage before it squares, w[i] = w[2 i]^2. */
template <int STAGES>
__device__ __forceinline__ void hb_cheddar_generate(int32_t *w, uint32_t base, const int32_t *low, const int32_t *high,
                                                    hb_montgomery32 m)
{
    constexpr int half = 1 << (STAGES - 1);
    static_assert(STAGES - 1 <= HB_CHEDDAR_LOG_LOW, "one high factor for all");
    const uint32_t first = base << (STAGES - 1);
    const int32_t by = high[first >> HB_CHEDDAR_LOG_LOW];
    hb_cheddar_load<STAGES - 1>(w + half, low + first % (1 << HB_CHEDDAR_LOG_LOW));
#pragma unroll
    for (int i = half; i < 2 * half; i++) {
        w[i] = hb_montgomery32_mul(w[i], by, m);
    }
#pragma unroll
    for (int i = half - 1; i >= 1; i--) {
        w[i] = hb_montgomery32_mul(w[2 * i], w[2 * i], m);
    }
}

/* Words in [-2q, 2q) before and after forward stages, in [-q, q) before and after inverse ones. SCALED: stage 0 of the
 * inverse multiplies sums too, by w[0]. */
template <int STAGES, bool FORWARD, bool SCALED>
__device__ __forceinline__ void hb_cheddar_stages(int32_t *x, const int32_t *w, hb_montgomery32 m)
{
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
        const int k = FORWARD ? s : STAGES - 1 - s, distance = 1 << (STAGES - 1 - k);
#pragma unroll
        for (int i = 0; i < 1 << (STAGES - 1); i++) {
            const int group = i / distance, at = 2 * group * distance + i % distance;
            int32_t &a = x[at], &b = x[at + distance];
            const int32_t factor = w[(1 << k) + group];
            if constexpr (FORWARD) {
                const int32_t u = hb_montgomery32_correct(a, m), v = hb_montgomery32_mul(b, factor, m);
                a = u + v;
                b = u - v;
            } else {
                const int32_t u = a + b, v = a - b;
                a = SCALED && k == 0 ? hb_montgomery32_mul(u, w[0], m) : hb_montgomery32_correct(u, m);
                b = hb_montgomery32_mul(v, factor, m);
            }
        }
    }
}

#endif
