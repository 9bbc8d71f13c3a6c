/* Words as bytes on tensor cores (private to convert_many.cu).
 *
 * With the bytes y_a of words y, a sum of products modulo p is that of y_(i, a) w_(i, a), where w_(i, a) = 2^(8a)
 * weight_i mod p. With the bytes of w it is sum_b 2^(8b) S_b, where S_b = sum_(i, a) y_(i, a) w_(i, a, b): a matrix
 * product of bytes, with sources along its inner dimension and bytes of targets along its columns. For up to 65 words
 * S_b <= 520 * 255^2 < 2^26, which is exact in an accumulator of 32 bits.
 *
 * mma.m16n8k32, lane = 4 g + t: of A, registers 0 and 1 are bytes 4t .. 4t + 3 of rows g and g + 8, registers 2 and 3
 * bytes 16 + 4t .. of the same; of B, registers 0 and 1 are the same bytes of column g; of C, 0 and 1 are columns 2t
 * and 2t + 1 of row g, 2 and 3 of row g + 8. Which coefficient is which row, and which byte of which target a column,
 * is ours to say: rows g and g + 8 are neighbouring coefficients, and the columns of four products are such that lane t
 * gets all bytes of target t, so that nothing is exchanged. */
#ifndef HB_CUDA_RNS_CONVERT_MMA_CUH
#define HB_CUDA_RNS_CONVERT_MMA_CUH

#include "cuda/device/pair.cuh"

#define HB_CONVERT_STEP 4u  /* sources of a product: 32 bytes */
#define HB_CONVERT_GROUP 4u /* targets of four products */
#define HB_CONVERT_TILES 4u /* of 16 coefficients, that a warp has: each weight is read once for all of them */
#define HB_CONVERT_PAIRS (8 * HB_CONVERT_TILES)
#define HB_CONVERT_STEP_WEIGHTS 64u /* uint4 of a step of a group */

/* A modulus p with its reduction constants, and the terms that are added to its sums: `start`, and `keep` times the
 * kept word. */
struct hb_convert_target {
    uint64_t modulus, start, keep, keep_quotient;
    uint32_t reciprocal; /* floor(2^(bits + 30) / p), in (2^30, 2^31] */
    uint16_t shift, after;
};

/* Sets the modulus, reciprocal, shift and after; hb_convert_reduce explains their use. */
static inline void hb_convert_set_modulus(hb_convert_target *to, const hb_modulus &p)
{
    to->modulus = p.value;
    to->reciprocal = (uint32_t)(((hb_u128)1 << (p.bits + 30)) / p.value);
    to->shift = (uint16_t)(p.bits > 14 ? p.bits - 14 : 0);
    to->after = (uint16_t)(p.bits - to->shift - 2);
}

/* Reduces v = high 2^32 + low < 2^18 p to [0, p). Let top = floor(v / 2^shift) < 2^32. Then v / p less top reciprocal /
 * 2^(bits - shift + 30) is at least 0 and below 2^shift / p + v / 2^(bits + 30) < 2^-12 + 2^-11, the first term where
 * shift > 0. So the quotient is floor(v / p) or one less, and the remainder is below 2p. */
static __device__ __forceinline__ uint64_t hb_convert_reduce(uint64_t high, uint32_t low, const hb_convert_target &p)
{
    const uint64_t part = p.shift < 32 ? high << 32 | low : high; /* shift < 32: bits < 46, v < 2^64 */
    const uint32_t top = (uint32_t)(part >> (p.shift & 31u));
    const uint32_t quotient = (uint32_t)((uint64_t)top * p.reciprocal >> 32) >> p.after;
    return hb_correct((high << 32 | low) - quotient * p.modulus, p.modulus);
}

/* Multiplies: s += a b for one tile. `low` and `high` are registers 0 and 1, 2 and 3 of A. */
static __device__ __forceinline__ void hb_convert_multiply(uint32_t (&s)[4], uint2 low, uint2 high, uint32_t b0,
                                                           uint32_t b1)
{
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
                 : "r"(low.x), "r"(low.y), "r"(high.x), "r"(high.y), "r"(b0), "r"(b1));
}

/* Puts a pair of neighbouring coefficients of a source into shared memory as A takes it: low halves, then high ones.
 * Odd sources change places, so that the eight bytes of the lanes of a product, of two sources, are in different
 * banks. */
static __device__ __forceinline__ void hb_convert_put(uint4 *words, uint32_t source, uint32_t pair, hb_pair x)
{
    words[source * HB_CONVERT_PAIRS + (pair ^ source % 2 * 4)] =
        make_uint4((uint32_t)x.of[0], (uint32_t)x.of[1], (uint32_t)(x.of[0] >> 32), (uint32_t)(x.of[1] >> 32));
}

/* Computes the sums of a warp for a group of targets: s[m][u] is of tile m and bytes 2u and 2u + 1 of the lane's
 * target. All lanes call it, after they have put their words; they may put others afterwards. */
static __device__ __forceinline__ void hb_convert_sum(uint32_t (&s)[HB_CONVERT_TILES][4][4], const uint4 *words,
                                                      const uint4 *weights, uint32_t steps)
{
    const uint32_t lane = threadIdx.x % 32, odd = lane / 2 % 2, half = lane % 2;
    const uint2 *a = reinterpret_cast<const uint2 *>(words + odd * HB_CONVERT_PAIRS + (lane / 4 ^ odd * 4)) + half;
    const uint4 *b = weights + lane;
#pragma unroll
    for (uint32_t i = 0; i < HB_CONVERT_TILES * 16; i++) {
        s[i / 16][i / 4 % 4][i % 4] = 0;
    }
    /* Words that other lanes have put are visible from here on. */
    __syncwarp();
#pragma unroll 1
    for (uint32_t step = 0; step < steps; step++) {
        const uint4 w[2] = {b[0], b[32]};
#pragma unroll
        for (uint32_t m = 0; m < HB_CONVERT_TILES; m++) {
            const uint2 low = a[16 * m], high = a[16 * m + 4 * HB_CONVERT_PAIRS];
            hb_convert_multiply(s[m][0], low, high, w[0].x, w[0].y);
            hb_convert_multiply(s[m][1], low, high, w[0].z, w[0].w);
            hb_convert_multiply(s[m][2], low, high, w[1].x, w[1].y);
            hb_convert_multiply(s[m][3], low, high, w[1].z, w[1].w);
        }
        a += 2 * HB_CONVERT_STEP * HB_CONVERT_PAIRS;
        b += HB_CONVERT_STEP_WEIGHTS;
    }
    __syncwarp();
}

/* Returns the residue of coefficient w = 0, 1 of the lane's pair of a tile. others <= start + 2p with a canonical
 * start, so the whole is at most (520 * 255 + 3) p < 2^18 p, and low < 2^51 + 3p < 2^64. */
static __device__ __forceinline__ uint64_t hb_convert_residue(const uint32_t (&s)[4][4], uint32_t w, uint64_t others,
                                                              const hb_convert_target &p)
{
    const uint64_t low = others + s[0][2 * w] + ((uint64_t)s[0][2 * w + 1] << 8) + ((uint64_t)s[1][2 * w] << 16) +
                         ((uint64_t)s[1][2 * w + 1] << 24);
    const uint64_t high = (low >> 32) + s[2][2 * w] + ((uint64_t)s[2][2 * w + 1] << 8) + ((uint64_t)s[3][2 * w] << 16) +
                          ((uint64_t)s[3][2 * w + 1] << 24);
    return hb_convert_reduce(high, (uint32_t)low, p);
}

/* Transposes 4 by 4 bytes: byte a of x[b] becomes byte b of the old x[a]. */
static __device__ __forceinline__ void hb_convert_transpose(uint32_t (&x)[4])
{
    const uint32_t low[2] = {__byte_perm(x[0], x[1], 0x5140), __byte_perm(x[2], x[3], 0x5140)};
    const uint32_t high[2] = {__byte_perm(x[0], x[1], 0x7362), __byte_perm(x[2], x[3], 0x7362)};
    x[0] = __byte_perm(low[0], low[1], 0x5410);
    x[1] = __byte_perm(low[0], low[1], 0x7632);
    x[2] = __byte_perm(high[0], high[1], 0x5410);
    x[3] = __byte_perm(high[0], high[1], 0x7632);
}

/* Expands a weight: makes four of the eight words 2^(8a) weight mod p, a = 4 half + 0 .. 3, and stores their bytes as
 * B, for target `row` of its group and source `column` of its step, whose weights begin at `step`. */
static __device__ __forceinline__ void hb_convert_expand(uint32_t *step, uint64_t weight, uint32_t half, uint32_t row,
                                                         uint32_t column, const hb_convert_target &p)
{
    uint32_t bytes[2][4];
#pragma unroll 1
    for (uint32_t i = 0; i < 2 * half; i++) { /* 2^32 = 2^16 2^16 */
        weight = hb_convert_reduce(weight >> 16, (uint32_t)weight << 16, p);
    }
#pragma unroll
    for (uint32_t a = 0; a < 4; a++) {
        bytes[0][a] = (uint32_t)weight;
        bytes[1][a] = (uint32_t)(weight >> 32);
        weight = hb_convert_reduce(weight >> 24, (uint32_t)weight << 8, p);
    }
    hb_convert_transpose(bytes[0]);
    hb_convert_transpose(bytes[1]);
    const uint32_t lane = 8 * row + column % 2 * 2 + half;
#pragma unroll
    for (uint32_t b = 0; b < 8; b++) { /* product b / 2, column 2 row + b % 2 */
        step[(b / 4 * 32 + lane + b % 2 * 4) * 4 + b / 2 % 2 * 2 + column / 2] = bytes[b / 4][b % 4];
    }
}

#endif
