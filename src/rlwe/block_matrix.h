/* Products of a matrix in the clear with vectors in blocks of slots, for schemes that support them
 * (scheme/matrix.h). */
#ifndef HB_RLWE_BLOCK_MATRIX_H
#define HB_RLWE_BLOCK_MATRIX_H

#include "params.h"

/* The places of an image's pixels in a block, from its first slot on. The first image stands channel after channel, row
 * by row. In an image that keeps every gap-th pixel of it in either direction, gap x gap channels share the area of
 * one, each beside the pixels of the others (E. Lee et al., "Low-Complexity Deep Convolutional Neural Networks on Fully
 * Homomorphic Encryption Using Multiplexed Parallel Convolutions", 2022). */
typedef struct hb_block_image {
    uint32_t height, width; /* of the first image, multiples of the gap */
    uint32_t gap;           /* 0: it is no image, and columns stand in their order */
    uint32_t channels;
} hb_block_image;

/* A matrix of reals for vectors that each stand in the first slots of a block. A view of host memory. */
typedef struct hb_block_matrix {
    uint32_t rows, columns; /* 1 .. block: slots of the result and of the vector, up to the last one in use */
    uint32_t block;         /* slots: a power of two that divides those of a ciphertext */
    /* Not all 0: [rows][columns]; for a vector that is an image [rows][columns of the image, channel after channel];
     * for a convolution [channels of the result][channels of the vector][kernel][kernel]. */
    const double *values;
    hb_block_image from, to; /* the layouts of the vector and of the result */
    /* For a matrix of one entry a row at most: [rows] the slot of the vector where it stands, and values [rows] are the
     * entries; 0 is none. NULL: it is not said to be one. */
    const uint32_t *picks;
    /* For a convolution the height and width of its kernels, an odd number; 0: no convolution. Pixels beyond the image
     * count as 0. The result has every pixel of the vector or, where its gap is a multiple of the vector's, fewer. */
    uint32_t kernel;
    bool alone; /* slots of a block after those of the vector are 0 */
} hb_block_matrix;

/* Return how many columns an image has, and how many slots it spans, some of which are empty where channels do not fill
 * the gaps; 2^32 - 1 if there are more. */
uint32_t hb_block_image_columns(const hb_block_image *image);
uint32_t hb_block_image_slots(const hb_block_image *image);
/* Returns whether the slot holds a pixel, and sets *channel, *row and *column to its place. */
bool hb_block_image_pixel(const hb_block_image *image, uint32_t slot, uint32_t *channel, uint32_t *row,
                          uint32_t *column);
/* Returns whether both stand in the same slots. */
bool hb_block_image_same(const hb_block_image *a, const hb_block_image *b);

/* Returns how many values a matrix has. */
size_t hb_block_matrix_values(const hb_block_matrix *matrix);
/* Returns an earlier row with the same values, at other slots; the row itself: there is none. */
uint32_t hb_block_row_like(const hb_block_matrix *matrix, uint32_t row);

/* The entries of a row that are not 0, one after another. */
typedef struct hb_block_entries {
    uint32_t slot; /* of the vector ... */
    double value;  /* ... and its factor */

    const hb_block_matrix *matrix;
    const double *values;              /* of the row; NULL: none */
    uint32_t at, channel, row, column; /* the next: its place among these, and, of a kernel, in it */
    uint32_t base;                     /* of a kernel: the slot of the channel's first pixel, ... */
    int64_t top, left;                 /* ... the pixel where its first row and column lie, ... */
    uint32_t rows[2], columns[2];      /* ... and which of its rows and columns lie in the image: first, end */
} hb_block_entries;

/* Returns the entries of a row, before the first one. */
hb_block_entries hb_block_row(const hb_block_matrix *matrix, uint32_t row);
/* Goes to the next entry; false: there is none. */
bool hb_block_entries_next(hb_block_entries *entries);

/* One weight of a convolution: its entry stands `down` x `across` times in the matrix. In time (j, i) it is in row
 * row + j row_down + i row_across, for slot `slot` + j slot_down + i slot_across of the vector. */
typedef struct hb_block_weight {
    double value;
    uint32_t down, across; /* 0: nowhere */
    uint32_t row, row_down, row_across, slot, slot_down, slot_across;
} hb_block_weight;
/* Returns weight number i of a convolution's kernels. */
hb_block_weight hb_block_weight_of(const hb_block_matrix *matrix, size_t i);

/* Sums over the weights of a row: of the weights, of their magnitudes and of their squares; and the largest
 * magnitude. */
typedef struct hb_block_sums {
    double sum, magnitudes, squares, largest;
} hb_block_sums;
/* Sets rows [matrix->rows] to the sums of each row. */
void hb_block_matrix_sums(const hb_block_matrix *matrix, hb_block_sums *rows);

/* The gain of a matrix on the entries of a vector. Maxima over its rows: of the magnitude of the sum of the weights; of
 * the sum of their magnitudes; of the root of the sum of their squares. Then the largest weight. Last the root mean
 * square over the rows of the first or of the third, the larger one. */
typedef struct hb_block_gain {
    double sum, magnitudes, root, largest, mean;
} hb_block_gain;
/* Returns the gain from the sums of a matrix's rows. */
hb_block_gain hb_block_sums_gain(const hb_block_sums *rows, uint32_t count);

/* The cost of a rotation that shares its digits with others, in switches of keys (`hebatch bench circuits`). */
#define HB_HOISTED_SWITCH 0.6

/* The plan of such a product, derived from the matrix. A linear map by diagonals gives each `span` slots of a block one
 * part of every row's sum; rotations by span, 2 span, ... add up the parts. With one part, slots after the rows become
 * 0. With more parts they hold sums of parts of this block and of the next ones. With one part and enough room, the
 * vector may stand in the block twice: then half as many diagonals suffice. */
typedef struct hb_block_outline {
    uint32_t block;                           /* the matrix's */
    uint32_t span;                            /* a power of two, no less than the rows */
    uint32_t parts;                           /* that are added up: a power of two */
    uint32_t copies;                          /* of the vector, a span apart: 1 or 2; of a pair up to 3 of both */
    uint32_t baby, diagonals, babies, giants; /* of the map: baby and giant steps that are rotations ... */
    uint32_t sums;                            /* ... and sums of diagonals, one for each giant step, also of 0 */
    double most;                              /* sum over the diagonals of their largest magnitudes */
    double squares;                           /* sum of the squares of all entries */
    hb_block_gain gain;
} hb_block_outline;

/* Two matrices whose products with two vectors are added: of each its outline, but with baby steps for which both have
 * giant steps in common. Giant steps and sums are those of both in the first outline, and none in the second. */
typedef struct hb_block_pair {
    const hb_block_matrix *matrix[2]; /* with as many rows in the same slots of the same blocks, and one part; of one
                                         matrix alone the second is NULL */
    hb_block_outline outline[2];
} hb_block_pair;

/* A matrix, or a pair of them, as the plaintexts of one level. The first member of a scheme's. */
typedef struct hb_block_map {
    const hb_params *params;
    hb_block_outline outline;
} hb_block_map;

/* A matrix, or a pair, that is to be encoded for ciphertexts of `limbs` limbs, above the lowest level. */
typedef struct hb_block_map_wanted {
    const hb_block_matrix *matrix;
    const hb_block_pair *pair;       /* in the place of a matrix; NULL: none */
    const hb_block_outline *outline; /* the matrix's, or that of the pair */
    uint32_t limbs;
    hb_block_map *map; /* becomes the result; NULL where any of them fails */
} hb_block_map_wanted;

#endif
