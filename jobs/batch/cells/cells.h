/* Table cells as the values that ciphertexts hold, in slot order, and as their scheme encodes them (scheme/codec.h). */
#ifndef HB_BATCH_CELLS_CELLS_H
#define HB_BATCH_CELLS_CELLS_H

#include "io/dataset/dataset.h"
#include "io/table/table.h"
#include "places.h"
#include "scheme/codec.h"

/* Where the cells of a dataset's table lie in its ciphertexts, with memory for `threads` threads that access the
 * table. */
typedef struct hb_cells {
    const hb_schema *schema; /* borrowed */
    const hb_schema
        *table; /* the table given to hb_cells_match, borrowed; NULL: its columns have the dataset's signs */
    hb_packing packing;
    const hb_params_spec *spec; /* borrowed: says how the scheme represents a value */
    size_t stride;              /* words of the values of a ciphertext (hb_values_words): its capacity or more */
    uint64_t
        before;   /* rows before the first row of the table that is read: their values are 0, whatever their ranges */
    double slack; /* how far reals may lie outside their ranges when they are checked; and labels, dates and truth
                     values from whole numbers, there a quarter if this is a half or more */
    hb_places places;    /* in the table that is read or written */
    uint64_t *rectangle; /* [threads][words] */
    size_t words;        /* most * capacity; with places more */
    size_t most;         /* most ciphertexts of a call */
    uint32_t threads;
} hb_cells;

/* Returns how many of these rows lie before the first row of the table. */
static inline uint64_t hb_cells_before(const hb_cells *cells, uint64_t row, uint64_t rows)
{
    const uint64_t before = row < cells->before ? cells->before - row : 0;
    return before < rows ? before : rows;
}

/* Borrows the header. most, threads >= 1. HB_ENOMEM. Clear wipes; a zeroed struct is allowed. */
hb_status hb_cells_init(hb_cells *cells, const hb_header *header, size_t most, uint32_t threads);
void hb_cells_clear(hb_cells *cells);
/* Finds the place of each column in the table that is read or written from now on. That table has the dataset's rows,
 * and one number for each column. Its schema is borrowed; its columns may have other signs than the dataset's. HB_EDATA
 * where the number of columns differs; HB_ENOMEM. */
hb_status hb_cells_match(hb_cells *cells, const hb_schema *table);

/* Reads the cells of ciphertexts first .. first + count, count <= most, into values [count][stride]: value i of a
 * ciphertext belongs in slot i; zeros follow the last value. Signed columns are 64-bit two's complement, reals are
 * doubles. With several plain moduli the values are residues, which hb_wide_read has checked. Imaginary parts stand one
 * capacity behind the real ones, zeros where there are none. Each thread makes one call at a time. Notes its times
 * (stage_times.h). Errors of hb_table_read, of hb_wide_read with several plain moduli, and of hb_table_write. */
hb_status hb_cells_read(const hb_cells *cells, uint32_t thread, hb_table *table, uint64_t first, size_t count,
                        uint64_t *values);
hb_status hb_cells_write(const hb_cells *cells, uint32_t thread, hb_table_writer *writer, uint64_t first, size_t count,
                         const uint64_t *values);

/* Converts cells with the table's signs to values of the scheme, in place. With several plain moduli this function and
 * the next two leave the residues as they are. `table` is the one that they were read from; NULL: none. HB_EDATA,
 * naming the row's place in its file (hb_table_place_text), the column and the range, never the value, for a value
 * outside the range of its column (for complex values: its modulus), or, where no range is known,
 * outside the range of the scheme (hb_codec_cell_range). */
hb_status hb_cells_to_values(const hb_cells *cells, hb_table *table, uint64_t first, size_t count, uint64_t *values);
/* Converts values of the scheme to cells, in place. Slots without a cell keep their contents. Imaginary parts that are
 * known to be 0 become 0 where the table has places for them. */
void hb_cells_from_values(const hb_cells *cells, uint64_t first, size_t count, uint64_t *values);

/* Returns HB_EDATA, with the same message, for a decrypted value outside the known range of its column, and for a real
 * that is shown as a label, a date or a truth value and is further from it than `slack`. */
hb_status hb_cells_check_ranges(const hb_cells *cells, uint64_t first, size_t count, const uint64_t *values);

/* Values to compare the cells with, perhaps of another table. Its schema has the same shape and may have other signs.
 * Reals differ if their difference exceeds the tolerance; complex values, if its modulus does. */
typedef struct hb_cells_other {
    const hb_schema *schema; /* of integers */
    const uint64_t *values;
    double tolerance;
} hb_cells_other;
typedef struct hb_cell {
    uint64_t row, column; /* from 1, from 0 */
} hb_cell;
/* Finds the first difference of two sets of values, in the order of ciphertexts and slots; false: there is none. */
bool hb_cells_differ(const hb_cells *cells, uint64_t first, size_t count, const uint64_t *values, hb_cells_other other,
                     hb_cell *where);
/* The largest difference of two sets of reals: its amount (the modulus, where there are imaginary parts), both real
 * parts, and both imaginary parts where there are any. Zeroed: no difference yet. */
typedef struct hb_cells_gap {
    double distance;
    hb_cell where;
    double value[2], other[2];
} hb_cells_gap;
/* Replaces *most if two sets of reals differ by more anywhere. */
void hb_cells_gap_widen(hb_cells_gap *most, const hb_cells *cells, uint64_t first, size_t count, const uint64_t *values,
                        const uint64_t *other);

/* A column as messages name it: its name in quotes, else its number from 1. */
typedef struct hb_column_text {
    char text[96];
} hb_column_text;
hb_column_text hb_cells_column(const hb_schema *schema, uint64_t column);
/* The same where it is known whether names may be shown (hb_columns_show_names): for many columns. */
hb_column_text hb_cells_column_of(const hb_schema *schema, uint64_t column, bool shows_names);

#endif
