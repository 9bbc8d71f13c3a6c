/* Table cells as the values that ciphertexts hold, in slot order, and values as its scheme encodes them
 * (scheme/codec.h). */
#ifndef HB_BATCH_CELLS_H
#define HB_BATCH_CELLS_H

#include "io/dataset/dataset.h"
#include "io/table/table.h"
#include "places.h"
#include "scheme/codec.h"

/* How the table of a dataset lies in its ciphertexts, with memory for an access to the table by each of `threads`
 * threads. */
typedef struct hb_cells {
    const hb_schema *schema; /* borrowed */
    hb_packing packing;
    const hb_params_spec *spec; /* borrowed: what a value of the scheme is */
    size_t stride;              /* words of the values of a ciphertext (hb_values_words): its capacity or more */
    uint64_t before;     /* rows before those of the table that is read: their values are 0, whatever ranges say */
    double slack;        /* by how much reals may have left their ranges when they are checked */
    hb_places places;    /* in the table that is read or written */
    uint64_t *rectangle; /* [threads][words] */
    size_t words;        /* most * capacity; with places more */
    size_t most;         /* ciphertexts a call */
    uint32_t threads;
} hb_cells;

/* Returns how many of those rows are before those of the table. */
static inline uint64_t hb_cells_before(const hb_cells *cells, uint64_t row, uint64_t rows)
{
    const uint64_t before = row < cells->before ? cells->before - row : 0;
    return before < rows ? before : rows;
}

/* Borrows the header. most, threads >= 1. HB_ENOMEM. Clear wipes; a zeroed struct is allowed. */
hb_status hb_cells_init(hb_cells *cells, const hb_header *header, size_t most, uint32_t threads);
void hb_cells_clear(hb_cells *cells);
/* Finds where the columns stand in the table that is read or written from now on, which else has the dataset's, one
 * number each. HB_EDATA where it has not as many; HB_ENOMEM. */
hb_status hb_cells_match(hb_cells *cells, const hb_schema *table);

/* Cells of ciphertexts first .. first + count, count <= most: values [count][stride], value i of a ciphertext in slot
 * i, zeros after the last; of several plain moduli residues, checked and read by hb_wide_read; imaginary parts a
 * capacity behind, zeros where there are none. 64-bit two's complement in signed columns, doubles of reals. One call a
 * thread at a time. Notes its times (stage_times.h). */
hb_status hb_cells_read(const hb_cells *cells, uint32_t thread, hb_table *table, uint64_t first, size_t count,
                        uint64_t *values);
hb_status hb_cells_write(const hb_cells *cells, uint32_t thread, hb_table_writer *writer, uint64_t first, size_t count,
                         const uint64_t *values);

/* In place; the next three functions leave residues, of several plain moduli, as they are. Values, moduli of what has
 * both halves, must lie in the range of their column; where none is known in what the scheme holds
 * (hb_codec_cell_range): HB_EDATA naming the row (from 1), the column and the range, never the value. */
hb_status hb_cells_to_values(const hb_cells *cells, uint64_t first, size_t count, uint64_t *values);
/* In place, for values of the scheme. Slots without a cell keep what they hold; imaginary parts that are known to be 0
 * become 0 where the table has places for them. */
void hb_cells_from_values(const hb_cells *cells, uint64_t first, size_t count, uint64_t *values);

/* HB_EDATA, in the same way, where a decrypted value does not lie in the range that is known of its column. */
hb_status hb_cells_check_ranges(const hb_cells *cells, uint64_t first, size_t count, const uint64_t *values);

/* Other values of the same cells, maybe of another table: its schema has the same size and may have other signs. Reals
 * differ by more than the tolerance, complex ones by a difference of such modulus. */
typedef struct hb_cells_other {
    const hb_schema *schema; /* of integers */
    const uint64_t *values;
    double tolerance;
} hb_cells_other;
typedef struct hb_cell {
    uint64_t row, column; /* from 1, from 0 */
} hb_cell;
/* Finds where two sets of values differ first, in the order of ciphertexts and slots; false when nowhere. */
bool hb_cells_differ(const hb_cells *cells, uint64_t first, size_t count, const uint64_t *values, hb_cells_other other,
                     hb_cell *where);
/* Where two sets of reals differ most: by how much, its modulus where there are imaginary parts, and both real parts,
 * and imaginary ones where there are such. Zeroed: nowhere yet. */
typedef struct hb_cells_gap {
    double distance;
    hb_cell where;
    double value[2], other[2];
} hb_cells_gap;
/* Widens *most to where two sets of reals differ more. */
void hb_cells_gap_widen(hb_cells_gap *most, const hb_cells *cells, uint64_t first, size_t count, const uint64_t *values,
                        const uint64_t *other);

/* Column for a message: its name in quotes, else its number from 1. */
typedef struct hb_column_text {
    char text[96];
} hb_column_text;
hb_column_text hb_cells_column(const hb_schema *schema, uint64_t column);

#endif
