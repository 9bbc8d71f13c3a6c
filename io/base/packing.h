/* Which table cell sits in which slot of which ciphertext. Pure arithmetic; the format's own rule (io/README.md).
 *
 * columns: a block is `capacity` consecutive rows; ciphertext i holds column i mod columns of block i / columns, so
 * slot j is row block * capacity + j. Cells of one row block, all columns, are adjacent ciphertexts. rows: a ciphertext
 * holds floor(capacity / columns) whole rows one after another; a row longer than the capacity takes ceil(columns /
 * capacity) ciphertexts of its own. */
#ifndef HB_IO_BASE_PACKING_H
#define HB_IO_BASE_PACKING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef enum hb_packing_order { HB_PACK_COLUMNS, HB_PACK_ROWS } hb_packing_order;

typedef struct hb_packing {
    hb_packing_order order;
    uint64_t rows, columns; /* of the table; columns >= 1 */
    uint64_t capacity;      /* values a ciphertext holds: N */
} hb_packing;

/* A rectangle of cells of a table. */
typedef struct hb_rectangle {
    uint64_t row, rows, column, columns;
} hb_rectangle;

/* HB_EDATA when a count overflows 64 bits or columns is 0. */
hb_status hb_packing_check(const hb_packing *packing);
uint64_t hb_packing_ciphertexts(const hb_packing *packing);
/* Consecutive ciphertexts that together hold the same rows of the table, >= 1: a row block. */
uint64_t hb_packing_across(const hb_packing *packing);
/* The cells of ciphertext i; they fill its slots from 0 in row-major order. i < hb_packing_ciphertexts. */
hb_rectangle hb_packing_cells(const hb_packing *packing, uint64_t i);
/* Length of the longest run from ciphertext i, at most `most` >= 1, whose cells together form one rectangle, which is
 * returned in *cells: what one read of the table should fetch. */
uint64_t hb_packing_run(const hb_packing *packing, uint64_t i, uint64_t most, hb_rectangle *cells);

#endif
