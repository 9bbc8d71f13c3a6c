/* What a program computes with where rows stand in blocks of slots: matrices, and rows of constants, each different one
 * once. Instructions have their numbers. */
#ifndef HB_EXPRESSION_PROGRAM_BLOCKS_H
#define HB_EXPRESSION_PROGRAM_BLOCKS_H

#include "rlwe/block_matrix.h"

typedef struct hb_matrix_entry {
    hb_block_matrix matrix; /* its values are owned */
    hb_block_outline outline;
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
    hb_matrix_entry *matrices; /* [matrix_count], owned, and so are ... */
    hb_row_entry *rows;        /* [row_count] ... these */
    uint32_t matrix_count, row_count;
} hb_block_lists;

/* Set *number to that of a matrix, and of a row, whose values are copied where there is none like it. HB_ECONFIG where
 * the literal's scheme has no matrices; HB_ENOMEM. Clearing wipes values, and allows zeroed lists. */
hb_status hb_block_lists_matrix(hb_block_lists *lists, const hb_params_spec *spec, const hb_block_matrix *matrix,
                                uint32_t *number);
hb_status hb_block_lists_row(hb_block_lists *lists, const double *values, uint32_t columns, uint32_t *number);
void hb_block_lists_clear(hb_block_lists *lists);

#endif
