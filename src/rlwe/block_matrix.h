/* Products of a matrix in the clear with vectors that stand in blocks of slots, which a scheme may have
 * (scheme/matrix.h). */
#ifndef HB_RLWE_BLOCK_MATRIX_H
#define HB_RLWE_BLOCK_MATRIX_H

#include "params.h"

/* A matrix of reals, row by row, for vectors each of which stands in the first slots of a block. A view of host
 * memory. */
typedef struct hb_block_matrix {
    uint32_t rows, columns; /* 1 .. block */
    uint32_t block;         /* slots: a power of two that divides those of a ciphertext */
    const double *values;   /* [rows][columns], not all 0 */
} hb_block_matrix;

/* How such a product is computed, which follows from the matrix: a linear map by diagonals makes of each `span` slots
 * of a block their part of every row's sum, and rotations by span, 2 span, ... add up the parts. With one part slots
 * behind the rows become 0; with more they hold sums of parts of this block and of the next ones. */
typedef struct hb_block_outline {
    uint32_t span;  /* a power of two, no less than the rows */
    uint32_t parts; /* that are added up: a power of two */
    uint32_t baby, diagonals, babies, giants;
} hb_block_outline;

/* A matrix as the plaintexts of one level. The first member of a scheme's. */
typedef struct hb_block_map {
    const hb_params *params;
    hb_block_outline outline;
} hb_block_map;

#endif
