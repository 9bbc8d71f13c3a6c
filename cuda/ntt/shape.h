/* How a transform of 2^log_n words is cut into register passes (private). Compile-time: kernels take the shape as
 * constants, the host lays out the tables by it.
 *
 * Stage s pairs words N/2^(s+1) apart; its group g, of 2^s, multiplies by w[2^s + g], w[brev(i)] = psi^i. A pass holds
 * blocks of 2^log_e words in the registers of a thread, words 2^lo apart: bits lo .. lo + log_e - 1 of the index. It
 * does the stages of the top `levels` of these bits. Group g of the 2^groups groups that a pass starts with needs
 * w[(2^groups + g) 2^level + i], i < 2^level: a heap. The table of the pass holds entry h = 2^level + i for every g.
 *
 * Passes 0 and 1 are on columns, all words that are equal in the low bits; after them rows are left, adjacent words,
 * for passes 2 to 4. Some are empty. Stages a pass:
 *                16 words a thread    32 words
 *     N          0 1   2 3 4          0 1   2 3 4
 *     <= 2^12          2..4 4 4
 *     2^13       4     1 4 4          4       4 5
 *     2^14       4     2 4 4          5       4 5
 *     2^15       4     3 4 4          5       5 5
 *     2^16       4 4     4 4
 *     2^17       4 4   1 4 4
 * 32 words save a pass, but half the threads hide latencies worse. FP64 gains by them; integers, which compute for
 * longer between exchanges, do not.
 *
 * Narrow transforms are for batches that leave multiprocessors idle: the time is that of one thread's chain of
 * operations, and 8 words a thread make it shorter. Beyond 2^15 those would need a sixth pass, and narrow transforms
 * differ by their tiles only.
 *                8 words a thread
 *     N          0 1   2 3 4
 *     2^12       3     3 3 3
 *     2^13..15 1..3 3  3 3 3 */
#ifndef HB_CUDA_NTT_SHAPE_H
#define HB_CUDA_NTT_SHAPE_H

#include <stdint.h>

#define HB_NTT_MIN_LOG_N 10
#define HB_NTT_MAX_LOG_N 17
#define HB_NTT_PORTABLE_CLUSTER_LOG_N 15 /* clusters of 8 thread blocks and less work everywhere ... */
#define HB_NTT_MAX_CLUSTER_LOG_N 16      /* ... those of 16 on some GPUs */
#define HB_NTT_LOG_TILE 12          /* words of a thread block, when there are many */
#define HB_NTT_LOG_NARROW_TILE 10   /* and of most of the narrow ones */
#define HB_NTT_MIN_NARROW_LOG_N 12
#define HB_NTT_MAX_LOG_E 5
#define HB_NTT_PASSES 5

/* One pass: the stages of the `levels` top bits among bits lo .. lo + log_e - 1 of a word's index. */
struct hb_ntt_pass {
    int lo, levels;
    int groups;      /* log2 of the groups at its start */
    uint32_t offset; /* of its table, in twiddles */
};

/* All passes of a transform of one size, in one of the two arithmetics; those with levels = 0 are left out. */
struct hb_ntt_shape {
    int log_e;
    int row; /* log2 of the words of a row; log_n where there are no columns */
    hb_ntt_pass pass[HB_NTT_PASSES];
    uint32_t twiddles; /* of one direction */
};

/* Returns true where narrow transforms have a shape of their own, and so tables. */
__host__ __device__ constexpr bool hb_ntt_has_narrow(int log_n)
{
    return log_n >= HB_NTT_MIN_NARROW_LOG_N && log_n <= HB_NTT_PORTABLE_CLUSTER_LOG_N;
}

/* Returns the log2 of the words that a thread holds. */
__host__ __device__ constexpr int hb_ntt_log_e(int log_n, bool f64, bool narrow)
{
    if (narrow && hb_ntt_has_narrow(log_n)) {
        return 3;
    }
    if (f64 && log_n > HB_NTT_LOG_TILE && log_n <= HB_NTT_PORTABLE_CLUSTER_LOG_N) {
        return 5;
    }
    return 4;
}

/* Returns the shape: the stages of each pass from the tables above, then where each pass starts. */
__host__ __device__ constexpr hb_ntt_shape hb_ntt_shape_of(int log_n, bool f64, bool narrow)
{
    hb_ntt_shape s = {};
    int levels[HB_NTT_PASSES] = {};
    s.log_e = hb_ntt_log_e(log_n, f64, narrow);
    if (s.log_e == 3) {
        levels[0] = log_n > HB_NTT_MIN_NARROW_LOG_N ? log_n - HB_NTT_MIN_NARROW_LOG_N : 3;
        levels[1] = log_n > HB_NTT_MIN_NARROW_LOG_N ? 3 : 0;
        levels[2] = levels[3] = levels[4] = 3;
    } else if (s.log_e == 5) {
        levels[0] = log_n == 13 ? 4 : 5;
        levels[3] = log_n == 15 ? 5 : 4;
        levels[4] = 5;
    } else {
        levels[0] = log_n > HB_NTT_LOG_TILE ? 4 : 0;
        levels[1] = log_n > HB_NTT_PORTABLE_CLUSTER_LOG_N ? 4 : 0;
        levels[2] = log_n - levels[0] - levels[1] - 8;
        levels[3] = levels[4] = 4;
    }
    s.row = log_n - levels[0] - levels[1];
    /* Bits below `top` are not yet done. A pass of fewer levels than log_e holds lower bits as well, which a later pass
     * does. Its table has room for 2^log_e entries for each of its 2^groups groups, which are the blocks of 2^top
     * words. */
    int top = log_n;
    for (int i = 0; i < HB_NTT_PASSES; i++) {
        if (levels[i] > 0) {
            const int lo = top - s.log_e;
            s.pass[i] = {lo, levels[i], log_n - top, s.twiddles};
            s.twiddles += (uint32_t)1 << (log_n - lo);
            top -= levels[i];
        }
    }
    return s;
}

/* Returns where the twiddles of a direction start, in twiddles behind the header: first the forward ones, then the
 * inverse ones, then the two narrow sets. */
__host__ __device__ constexpr uint32_t hb_ntt_twiddles_before(int log_n, bool f64, bool narrow, bool forward)
{
    const uint32_t wide = hb_ntt_shape_of(log_n, f64, false).twiddles;
    return narrow && hb_ntt_has_narrow(log_n) ? 2 * wide + (forward ? 0 : hb_ntt_shape_of(log_n, f64, true).twiddles)
                                              : (forward ? 0 : wide);
}

/* Returns the number of twiddles in all tables of a modulus. */
__host__ __device__ constexpr uint32_t hb_ntt_twiddles(int log_n, bool f64)
{
    return 2 * hb_ntt_shape_of(log_n, f64, false).twiddles +
           (hb_ntt_has_narrow(log_n) ? 2 * hb_ntt_shape_of(log_n, f64, true).twiddles : 0);
}

#endif
