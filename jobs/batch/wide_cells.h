/* Tables whose values are known modulo several plain moduli: cells of up to 128 bits as residues modulo one of them,
 * and residues modulo all of them as cells again. */
#ifndef HB_BATCH_WIDE_CELLS_H
#define HB_BATCH_WIDE_CELLS_H

#include "io/table/table.h"
#include "rlwe/params.h"

/* Returns as what a table is read whose cells these parameters encrypt. */
hb_cell_type hb_wide_cell_type(const hb_params_spec *spec);
/* Makes the columns of a plain table's schema those of a dataset of these parameters. */
void hb_wide_schema(hb_schema *schema, const hb_params_spec *spec);

/* Reads a rectangle of a table that was opened as wide cells, as residues modulo the spec's t, in [0, t), one word
 * each: values [rows][columns]. `schema` is the dataset's: HB_EDATA, naming row and column, for a value outside the
 * range of its column, or, where that is not known, outside what the product of the plain moduli holds. HB_ENOMEM; else
 * as hb_table_read. Any number of threads may call it. */
hb_status hb_wide_read(hb_table *table, const hb_rectangle *cells, const hb_schema *schema, const hb_params_spec *spec,
                       uint64_t *values);

/* How residues become cells. */
typedef struct hb_wide_join {
    const hb_schema *schema; /* of the dataset; borrowed */
    hb_residues residues;
    uint32_t modulo; /* k of 2^k, modulo which values are wanted, 1 .. 128; 0: they are wanted themselves */
    uint32_t words;  /* of a cell of the table: 1 or 2 */
    bool is_signed;  /* of one type for all columns: the sign of that */
    bool one_type;
    const uint64_t *columns; /* [count] of the schema, which are joined; borrowed; NULL: all are, in their order */
    uint64_t count;
} hb_wide_join;

/* Makes `table`, of a plain table that gets the values of a dataset with this schema, and *join. HDF5 files have one
 * type, of 8 bytes where that holds the ranges of all columns, else of 16; columns of a CSV are of 128 bits, each with
 * a sign of its own. Modulo 2^k the type is the smallest that holds k bits. `view` NULL: all of the table. The caller
 * clears *table. Borrows the schema of the dataset, and the columns of the view, which is of one without groups.
 * HB_ENOMEM. */
hb_status hb_wide_join_init(hb_wide_join *join, const hb_schema *schema, const hb_params_spec *spec, uint32_t modulo,
                            bool is_csv, const hb_table_view *view, hb_schema *table);
/* Joins `rows` rows of residues, residue[i] [rows][count] modulo the i-th plain modulus, into cells
 * [rows][count][words]. `row` is the number of the first one, for messages. HB_EDATA, naming row and column, for a
 * value outside the range of its column, or, of one whose range is not known, that the cell does not hold. */
hb_status hb_wide_join_rows(const hb_wide_join *join, uint64_t row, uint64_t rows, const uint64_t *const *residue,
                            uint64_t *cells);

#endif
