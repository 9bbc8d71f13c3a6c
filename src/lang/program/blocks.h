/* The constants of a program whose rows stand in blocks of slots: matrices and rows of constants, each different one
 * once. Instructions refer to them by index. */
#ifndef HB_LANG_PROGRAM_BLOCKS_H
#define HB_LANG_PROGRAM_BLOCKS_H

#include "rlwe/block_matrix.h"

/* A matrix with everything that follows from it and the ring degree alone: made once, and shared by all lists that hold
 * it. */
typedef struct hb_matrix_entry {
    size_t n;
    uint32_t holders;       /* lists */
    hb_block_matrix matrix; /* its values are owned */
    hb_block_outline outline;
    hb_block_sums *sums; /* [matrix.rows], owned */
    int64_t *steps; /* [step_count], owned: of its rotations; the first map_steps are at the level of its operand */
    uint32_t map_steps, step_count;
} hb_matrix_entry;

typedef struct hb_row_entry {
    double *values; /* [columns], owned */
    uint32_t columns;
} hb_row_entry;

/* Returns how many copies of a column are made for so many columns, each time twice as many: a power of two. */
static inline int64_t hb_row_copies(int64_t columns)
{
    int64_t copies = 1;
    while (copies < columns) {
        copies *= 2;
    }
    return copies;
}

/* Growing lists; zeroed at first. */
typedef struct hb_block_lists {
    hb_matrix_entry **matrices; /* [matrix_count], which are shared; the list is owned, and so are ... */
    hb_row_entry *rows;         /* [row_count] ... these */
    uint32_t matrix_count, row_count;
} hb_block_lists;

/* Matrices that were made before, for callers that compile often: under other parameters, or with other functions. One
 * thread's at a time. */
typedef struct hb_kept_matrices hb_kept_matrices;
/* Opens an empty cache of matrices. HB_ENOMEM. Closing releases its matrices; NULL is allowed. */
hb_status hb_kept_matrices_open(hb_kept_matrices **out);
void hb_kept_matrices_close(hb_kept_matrices *kept);

/* Set *number to the index of a matrix, or of a row, in the lists; where none is equal, its values are copied into
 * them. A matrix is taken from `kept`, and kept there; NULL: it is made for this list. All matrices of a list are for
 * one literal. HB_ECONFIG where the literal's scheme has no matrices; HB_ENOMEM. Clearing wipes values that no other
 * list shares, and allows zeroed lists. */
hb_status hb_block_lists_matrix(hb_block_lists *lists, hb_kept_matrices *kept, const hb_params_spec *spec,
                                const hb_block_matrix *matrix, uint32_t *number);
hb_status hb_block_lists_row(hb_block_lists *lists, const double *values, uint32_t columns, uint32_t *number);
void hb_block_lists_clear(hb_block_lists *lists);

#endif
