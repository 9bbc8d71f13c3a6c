/* Signed Montgomery reduction with 32-bit words (Cheddar, algorithm 2), R = 2^32.
 *
 * Let q be an odd prime below 2^31, z in [-q 2^31, q 2^31) and t = z / q mod R, taken as a signed word. z - t q is
 * a multiple of R, so the low words of z and t q are the same, and (z - t q) / R is the difference of their high
 * words: one product for t, the high half of another one, one subtraction. t q is in [-q 2^31, q (2^31 - 1)], hence
 * z - t q in (-q R, q R) and the result in (-q, q): it needs no correction, whatever its sign.
 *
 * A factor w in (-q, q) times any signed word is such a z: |x w| <= 2^31 (q - 1). So only sums have to be kept in
 * range. Below, q < 2^30: a word in [-2q, 2q) fits, one correction brings it to [-q, q), and a butterfly costs one:
 *
 *   forward  x to [-q, q), t = y w in (-q, q) for any y; x + t, x - t in (-2q, 2q)
 *   inverse  x, y in [-q, q); x + y in [-2q, 2q) to [-q, q); (x - y) w in (-q, q) */
#ifndef HB_BENCH_MONTGOMERY32_CUH
#define HB_BENCH_MONTGOMERY32_CUH

#include "cuda/device/cuda_private.h"

#define HB_MONTGOMERY32_MOST_BITS 30

typedef struct hb_montgomery32 {
    int32_t q;
    uint32_t inverse; /* 1/q mod 2^32 */
} hb_montgomery32;

/* q odd, below 2^31. */
static inline hb_montgomery32 hb_montgomery32_make(uint64_t q)
{
    hb_montgomery32 m = {(int32_t)q, hb_odd_inverse((uint32_t)q)};
    return m;
}

/* w R mod q as the nearest to 0, of w in [0, q): a factor that leaves products as they are. Host only. */
static inline int32_t hb_montgomery32_factor(uint64_t w, uint64_t q)
{
    const uint64_t r = (w << 32) % q;
    return (int32_t)((int64_t)r - (r > q / 2 ? (int64_t)q : 0));
}

/* z in [-q 2^31, q 2^31) to z / R mod q in (-q, q). */
HB_FN int32_t hb_montgomery32_reduce(int64_t z, hb_montgomery32 m)
{
    const int32_t t = (int32_t)((uint32_t)z * m.inverse);
    return (int32_t)(z >> 32) - (int32_t)(((int64_t)t * m.q) >> 32);
}

/* x w / R mod q in (-q, q): any x; w in (-q, q). */
HB_FN int32_t hb_montgomery32_mul(int32_t x, int32_t w, hb_montgomery32 m)
{
    return hb_montgomery32_reduce((int64_t)x * w, m);
}

/* [-2q, 2q) to [-q, q). */
HB_FN int32_t hb_montgomery32_correct(int32_t x, hb_montgomery32 m)
{
    return x + (x < 0 ? m.q : -m.q);
}

/* [-q, q) to [0, q). */
HB_FN int32_t hb_montgomery32_canonical(int32_t x, hb_montgomery32 m)
{
    return x + (x < 0 ? m.q : 0);
}

#endif
