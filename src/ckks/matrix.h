/* Products W x of a dense matrix, in the clear, and a vector in slots: the diagonals of the map (linear.h). */
#ifndef HB_CKKS_MATRIX_H
#define HB_CKKS_MATRIX_H

#include "linear.h"

/* A matrix of reals, row by row; a view of host memory. */
typedef struct hb_matrix {
    size_t rows, columns; /* 1 .. slots */
    const double *values; /* [rows][columns] */
} hb_matrix;

/* Own diagonals. */
typedef struct hb_matrix_map {
    hb_diagonals diagonals;
    uint32_t baby; /* that takes the fewest rotations (hb_linear_baby) */
    int64_t *numbers;
    double *values;
} hb_matrix_map;

/* Makes the map of n = `slots` slots that is the product with a matrix. The vector stands in slots 0 .. columns - 1,
 * and the others are not looked at; the product stands in slots 0 .. rows - 1, and the others become 0. With period 0
 * that is all: rows + columns - 1 diagonals, or n. Else period, which divides n and is no smaller than either side, is
 * that with which the vector is repeated, and so is the product: `period` diagonals. Diagonals of zeros are left out,
 * but for one of a matrix of zeros. HB_ENOMEM; *map is then zeroed. The caller clears it; a zeroed one is allowed.
 * Host. */
hb_status hb_matrix_map_init(hb_matrix_map *map, size_t slots, const hb_matrix *matrix, size_t period);
void hb_matrix_map_clear(hb_matrix_map *map);

#endif
