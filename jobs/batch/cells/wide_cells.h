/* Tables whose values are known modulo several plain moduli: cells of up to 128 bits become residues modulo one of
 * them, and residues modulo all of them become cells again. */
#ifndef HB_BATCH_CELLS_WIDE_CELLS_H
#define HB_BATCH_CELLS_WIDE_CELLS_H

#include "io/table/table.h"
#include "rlwe/params.h"

/* Returns the cell type for reading a table that is encrypted under these parameters. */
hb_cell_type hb_wide_cell_type(const hb_params_spec *spec);
/* Converts the columns of a plain table's schema to those of a dataset under these parameters. */
void hb_wide_schema(hb_schema *schema, const hb_params_spec *spec);

/* Reads a rectangle of a table, opened with wide cells, as residues modulo the spec's t: values [rows][columns], one
 * word each, in [0, t). `schema` is the dataset's. HB_EDATA, naming the row's place in its file and the column,
 * for a value outside the range of its column, or, where no range is known, outside the range of the product of the
 * plain moduli. HB_ENOMEM; else as hb_table_read. Any number of threads may call it. */
hb_status hb_wide_read(hb_table *table, const hb_rectangle *cells, const hb_schema *schema, const hb_params_spec *spec,
                       uint64_t *values);

/* Returns HB_EDATA, with the name of the result, its column and a remedy, where no decryption can show the values:
 * values of more than 128 bits whose residues cannot be shown either, and dates outside the years 1 to 9999. A column
 * may hold any value of its range, or, where no range is known and the column was computed, any value that the spec
 * holds. `unranged` is the --range option to suggest for inputs without ranges; NULL: none. */
hb_status hb_wide_check_shown(const hb_schema *schema, const hb_params_spec *spec, const char *result,
                              const char *unranged);

/* The parameters of joining residues into cells. */
typedef struct hb_wide_join {
    const hb_schema *schema; /* of the dataset; borrowed */
    hb_residues residues;
    uint32_t modulo; /* k: values are wanted modulo 2^k, 1 .. 128; 0: the values themselves */
    uint32_t words;  /* of a cell of the table: 1 or 2 */
    bool is_signed;  /* where all columns have one type: whether that type is signed */
    bool one_type;
    const uint64_t *columns; /* [count] columns of the schema to join; borrowed; NULL: all, in their order */
    uint64_t count;
} hb_wide_join;

/* Makes *join, and *table for a plain table that gets the values of a dataset with this schema. An HDF5 file has one
 * type: of 8 bytes where they hold the ranges of all columns, else of 16. The columns of a CSV have 128 bits, each with
 * a sign of its own. Modulo 2^k the type is the smallest that holds k bits; HB_EUSAGE where a column is not a plain
 * number. `view` NULL: the whole table. The caller clears *table. Borrows the dataset's schema, and the columns of the
 * view; a view needs a schema without groups. HB_ENOMEM. */
hb_status hb_wide_join_init(hb_wide_join *join, const hb_schema *schema, const hb_params_spec *spec, uint32_t modulo,
                            bool is_csv, const hb_table_view *view, hb_schema *table);
/* Joins `rows` rows of residues, residue[i] [rows][count] modulo the i-th plain modulus, into cells
 * [rows][count][words]. `row` is the number of the first row, for messages. HB_EDATA, naming row and column, for a
 * value outside the range of its column, or, where no range is known, too large for its cell. */
hb_status hb_wide_join_rows(const hb_wide_join *join, uint64_t row, uint64_t rows, const uint64_t *const *residue,
                            uint64_t *cells);

#endif
