/* The diagonals of a matrix in blocks of slots (block_matrix.h): their numbers, and their values one diagonal at a
 * time, in time that is linear in the matrix's entries. */
#ifndef HB_CKKS_BLOCK_DIAGONALS_H
#define HB_CKKS_BLOCK_DIAGONALS_H

#include "linear.h"
#include "rlwe/block_matrix.h"

/* Diagonals of a span: slot x of a block is slot x mod span of its part, whose columns are those of the same part. */
typedef struct hb_block_diagonals {
    hb_diagonals diagonals; /* their source is this struct */
    int64_t *numbers;       /* owned */
    double most;            /* as in an outline */
    const hb_block_matrix *matrix;
    uint32_t span, copies;
    size_t slots;
    /* With values alone. For a convolution its weights, sorted by the numbers of their diagonals modulo the span:
     * those of number k are weight[first[k]] .. weight[first[k + 1]]. For other matrices the column of each slot,
     * 2^32 - 1: none. All are owned. */
    uint32_t *first, *weight, *column;
} hb_block_diagonals;

/* Finds the numbers of the diagonals, and with `values` what it takes to make their values; by: its span and copies.
 * *d must not move; the matrix is borrowed. HB_ENOMEM. The caller clears *d whatever happens. Host. */
hb_status hb_block_diagonals_init(hb_block_diagonals *d, const hb_block_matrix *matrix, const hb_block_outline *by,
                                  size_t slots, bool values);
void hb_block_diagonals_clear(hb_block_diagonals *d);

#endif
