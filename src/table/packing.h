/* Assigns table cells to the slots of ciphertexts. This is pure arithmetic, the format's own rule (io/README.md).
 *
 * By columns: a row block is `capacity` consecutive rows; ciphertext i holds column i mod columns of row block i /
 * columns, so slot j is row block * capacity + j, and the cells of one row block, all columns, are adjacent
 * ciphertexts. By rows in blocks: each row takes `block` slots, so a ciphertext holds capacity / block rows, and slots
 * after the columns of a row are empty. By rows without blocks: a ciphertext holds floor(capacity / columns) whole rows
 * one after another; a row longer than the capacity takes ceil(columns / capacity) ciphertexts of its own. */
#ifndef HB_TABLE_PACKING_H
#define HB_TABLE_PACKING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* The order in which cells fill ciphertexts. */
typedef enum hb_packing_order { HB_PACK_COLUMNS, HB_PACK_ROWS } hb_packing_order;

/* How a table fills ciphertexts. */
typedef struct hb_packing {
    hb_packing_order order;
    uint64_t rows, columns; /* of the table; columns >= 1 */
    uint64_t capacity;      /* values that a ciphertext holds */
    uint64_t block;         /* by rows: slots from one row to the next, a power of two; 0: rows have no blocks */
} hb_packing;

/* A rectangle of cells of a table. */
typedef struct hb_rectangle {
    uint64_t row, rows, column, columns;
} hb_rectangle;

/* Returns HB_EDATA when the number of cells overflows 64 bits, when columns or capacity are 0, or when a block is no
 * power of two, is given with columns, is too small for a row or larger than the capacity. The other functions take
 * only a packing that passed. */
hb_status hb_packing_check(const hb_packing *packing);
/* Returns the number of ciphertexts that hold the table: 0 if it has no rows. */
uint64_t hb_packing_ciphertexts(const hb_packing *packing);
/* Returns the number of consecutive ciphertexts that together hold the same rows of the table (a row block): 1 or
 * more. */
uint64_t hb_packing_across(const hb_packing *packing);
/* Returns the cells of ciphertext i < hb_packing_ciphertexts: row r of them, counted from 0, fills its slots from
 * r * hb_packing_stride on. */
hb_rectangle hb_packing_cells(const hb_packing *packing, uint64_t i);
/* Returns the distance of two rows in the slots of a ciphertext with these cells. */
size_t hb_packing_stride(const hb_packing *packing, const hb_rectangle *cells);
/* Returns the least block that holds a row of that many columns, 1 or more; 0: no capacity has room for it. */
uint64_t hb_packing_least_block(uint64_t columns);
/* Returns the length of the longest run of ciphertexts from i on, at most `most` >= 1, whose cells together form one
 * rectangle, and that rectangle in *cells: one read of the table should fetch it. */
uint64_t hb_packing_run(const hb_packing *packing, uint64_t i, uint64_t most, hb_rectangle *cells);

#endif
