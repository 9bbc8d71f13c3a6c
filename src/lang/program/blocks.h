/* The constants of a program whose rows stand in blocks of slots: matrices and rows of constants, each different one
 * once. Instructions refer to them by index. */
#ifndef HB_LANG_PROGRAM_BLOCKS_H
#define HB_LANG_PROGRAM_BLOCKS_H

#include "rlwe/block_matrix.h"

/* A matrix with everything that follows from it and the ring degree alone: made once, and shared by all lists that hold
 * it. Or a pair of matrices, whose products are added, without values and sums of its own. */
typedef struct hb_matrix_entry hb_matrix_entry;
struct hb_matrix_entry {
    size_t n;
    uint32_t holders;         /* lists, and pairs */
    hb_block_matrix matrix;   /* its values and picks are owned; of a pair the shape of its first one */
    hb_matrix_entry *part[2]; /* of a pair, which holds them; else NULL */
    hb_block_pair pair;       /* of these */
    hb_block_outline outline;
    hb_block_sums *sums; /* [matrix.rows], owned */
    int64_t *steps; /* [step_count], owned: of its rotations; the first map_steps are at the level of its operand */
    uint32_t map_steps, step_count;
};

/* Returns the rotations of a product: of a pair each that is done, otherwise each different one. */
static inline uint32_t hb_matrix_entry_rotations(const hb_matrix_entry *entry)
{
    const hb_block_outline *o = &entry->outline;
    return entry->part[0] != NULL ? o->babies + o->giants + o->copies - 1 : entry->step_count;
}

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

/* Set *number to the index of a matrix times a factor, or of a row, in the lists; where none is equal, its values are
 * copied into them. A matrix is taken from `kept`, and kept there; NULL: it is made for this list. All matrices of a
 * list are for one literal. HB_ECONFIG where the literal's scheme has no matrices; HB_ENOMEM. Clearing wipes values
 * that no other list shares, and allows zeroed lists. */
hb_status hb_block_lists_matrix(hb_block_lists *lists, hb_kept_matrices *kept, const hb_params_spec *spec,
                                const hb_block_matrix *matrix, double factor, uint32_t *number);
/* Sets *number to the index of the pair of two matrices of the list, by theirs, made if there is none: matrices with as
 * many rows in the same slots, and one part each. */
hb_status hb_block_lists_pair(hb_block_lists *lists, const hb_params_spec *spec, const uint32_t of[2],
                              uint32_t *number);
hb_status hb_block_lists_row(hb_block_lists *lists, const double *values, uint32_t columns, uint32_t *number);
void hb_block_lists_clear(hb_block_lists *lists);

#endif
