/* How a transform of 2^log_n words is cut into register passes (private). Compile-time: kernels take the shape as
 * constants, the host lays out the tables by it.
 *
 * Stage s pairs words N/2^(s+1) apart; its group g, of 2^s, multiplies by w[2^s + g], w[brev(i)] = psi^i. A pass holds
 * blocks of 2^log_e words in the registers of a thread, words 2^lo apart: bits lo .. lo + log_e - 1 of the index. It does
 * the stages of the top `levels` of these bits. Group g of the 2^groups groups that a pass starts with needs
 * w[(2^groups + g) 2^level + i], i < 2^level: a heap. The table of the pass holds entry h = 2^level + i for every g.
 *
 * Columns first: passes 0 .. split - 1 do the top bits, on all words that are equal in the others. Then rows are left,
 * adjacent words:
 *   N <= 2^12: no columns, passes 1 to 3 of 16 words a thread, the first of them partly used below 2^12;
 *   N = 2^16:  passes 0 and 1 on columns, 2 and 3 on rows of 256, 16 words a thread;
 *   others:    pass 0 on columns, 1 to 3 (1 is empty for short rows) on rows of 512 to 4096, 32 words a thread. */
#ifndef HB_CUDA_NTT_SHAPE_H
#define HB_CUDA_NTT_SHAPE_H

#include <stdint.h>

#define HB_NTT_MIN_LOG_N 10
#define HB_NTT_MAX_LOG_N 17
#define HB_NTT_MAX_CLUSTER_LOG_N 15 /* clusters of 8 thread blocks and less work everywhere */
#define HB_NTT_LOG_TILE 12 /* words of a thread block, when there are many */
#define HB_NTT_PASSES 4

struct hb_ntt_pass {
    int lo, levels;
    int groups;      /* log2 of the groups at its start */
    uint32_t offset; /* of its table, in twiddles */
};

struct hb_ntt_shape {
    int log_n, log_e;
    int split; /* passes on columns */
    hb_ntt_pass pass[HB_NTT_PASSES];
    uint32_t twiddles; /* of one direction */
};

__host__ __device__ constexpr hb_ntt_shape hb_ntt_shape_of(int log_n)
{
    hb_ntt_shape s = {};
    s.log_n = log_n;
    if (log_n <= HB_NTT_LOG_TILE) {
        s.log_e = 4;
        s.pass[1] = {log_n - 4, log_n - 8, 0, 0};
        s.pass[2] = {4, 4, 0, 0};
        s.pass[3] = {0, 4, 0, 0};
    } else if (log_n == 16) {
        s.log_e = 4;
        s.split = 2;
        for (int i = 0; i < HB_NTT_PASSES; i++) {
            s.pass[i] = {12 - 4 * i, 4, 0, 0};
        }
    } else {
        const int column = log_n == 13 ? 4 : 5, third = log_n == 15 || log_n == 17 ? 5 : 4;
        const int row = log_n - column; /* log2 of the words of a row */
        s.log_e = 5;
        s.split = 1;
        s.pass[0] = {log_n - 5, column, 0, 0};
        s.pass[1] = {row - 5, row - third - 5, 0, 0};
        s.pass[2] = {third, third, 0, 0};
        s.pass[3] = {0, 5, 0, 0};
    }
    for (hb_ntt_pass &p : s.pass) {
        if (p.levels > 0) {
            p.groups = log_n - p.lo - s.log_e;
            p.offset = s.twiddles;
            s.twiddles += (uint32_t)1 << (log_n - p.lo);
        }
    }
    return s;
}

#endif
