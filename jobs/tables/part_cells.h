/* The cells that parts of a dataset are for: all of its table, or selected rows and columns. All other slots get
 * uniform values (joint/bfv_pads.h): a combined phase shows every slot, also partial sums and other rows that stand in
 * it. */
#ifndef HB_TABLES_PART_CELLS_H
#define HB_TABLES_PART_CELLS_H

#include "io/dataset/dataset.h"

typedef struct hb_part_cells {
    hb_packing packing;
    uint64_t row, rows; /* of the cells */
    bool *column;       /* [columns of the dataset] whether it is one of them; owned */
    uint8_t digest[HB_DIGEST_BYTES];
} hb_part_cells;

/* Takes the cells of a part of the dataset with this header; facts of a part for all cells: facts->some is false. The
 * digest is H("hebatch cells"; header_digest, first row, rows, number of columns, columns), H as in io/README.md.
 * HB_ENOMEM. Clear takes a zeroed one. */
hb_status hb_part_cells_init(hb_part_cells *cells, const hb_header *dataset, const hb_part_facts *facts);
void hb_part_cells_clear(hb_part_cells *cells);
/* Returns whether the cell in this row and column of the dataset is one of them. */
static inline bool hb_part_cells_have(const hb_part_cells *cells, uint64_t row, uint64_t column)
{
    return row >= cells->row && row - cells->row < cells->rows && cells->column[column];
}
/* Writes for each slot, or coefficient, of ciphertext i: 0 if it is one of the cells, else 1; strays: [words], the
 * capacity or more. Returns whether there is a 1. */
bool hb_part_cells_strays(const hb_part_cells *cells, uint64_t i, uint64_t *strays, size_t words);

#endif
