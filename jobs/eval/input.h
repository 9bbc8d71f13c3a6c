/* A file that an expression reads: a ciphertext dataset, or a plain table. Rank-local. */
#ifndef HB_EVAL_INPUT_H
#define HB_EVAL_INPUT_H

#include "batch/cells/cells.h"
#include "batch/cells/plain_columns.h"
#include "batch/unit/resident_units.h"
#include "lang/program/program.h"
#include "lang/program/range.h"
#include "mpi/group/group.h"

/* One input. One of dataset and table is NULL; both are, for a plain table that is not opened yet. */
typedef struct hb_eval_input {
    const char *name, *path; /* borrowed */
    hb_dataset *dataset;
    hb_table *table;
    hb_header as_dataset;    /* for a table: the header that it would have as a dataset */
    const hb_header *header; /* the dataset's, or as_dataset, or that of `switched` */
    /* A dataset of a smaller ring, which is brought into that of the others; else NULL. */
    struct hb_switched_input *switched;
    uint64_t across;        /* ciphertexts of a row block: ciphertext b * across + c is column c of row block b */
    uint64_t blocks;        /* row blocks; 0 for a table of one row */
    hb_cells cells;         /* of a table; made by the job */
    hb_plain_columns plain; /* of a table: its columns, for computations in the clear */
    hb_number *numbers;     /* [rows * columns] of a table that may hold weights (W @ x); else NULL */
    uint64_t *one_row; /* [2][columns] values of a table of one row, imaginary parts after the real parts; else NULL */
    /* A dataset whose rows apply to all rows of the others (of one row, or on the left of @): loaded once. */
    bool serves_all;
    bool *used;        /* [across] whether the program loads it */
    size_t most_units; /* the most units that a step touches; 0 for tables */
    /* A dataset may be there from an earlier job (batch/unit/resident_units.h): */
    hb_resident_key origin;      /* by which it is found; zeros: it is not looked for */
    hb_resident_units *resident; /* its units that stay on the engine; borrowed; NULL: none do */
} hb_eval_input;

/* All files that an expression reads. */
typedef struct hb_eval_inputs {
    hb_eval_input *input; /* [count] */
    uint32_t count;
} hb_eval_inputs;

/* Opens the header of a dataset, or of one of its residues, and this rank's share of its shards; hb_dataset_tell comes
 * before rows are read. A plain table is opened later, once the parameters for its cells are known. Borrows name and
 * path. The caller closes, also after a failure. HB_ENOINPUT, HB_EDATA, HB_EUSAGE. */
hb_status hb_eval_input_open(hb_eval_input *input, const char *name, const char *path, uint32_t residue,
                             hb_group *group);
/* The columns of a plain table are read that the expression of a job reads (hb_plain_reading). */
struct hb_eval_options;
hb_status hb_eval_input_open_table(hb_eval_input *input, const hb_params_spec *spec,
                                   const struct hb_eval_options *options);
void hb_eval_input_close(hb_eval_input *input);
/* Reads the rows of a unit of a dataset, or of what it was switched to. Errors of hb_dataset_read. */
hb_status hb_eval_input_read(const hb_eval_input *input, uint64_t unit, hb_rows *rows);
/* Returns the compiler's description of a dataset with that header, and its noise, from these parameters; it borrows
 * name and schema. spreads: a row in one ciphertext is taken apart into columns; else its words are computed with. */
hb_operand hb_eval_header_operand(const char *name, const hb_header *header, const hb_params *params, bool spreads);

/* Returns the encoding of what is computed with a dataset: a row that is spread stands in slots then. */
static inline hb_encoding hb_eval_encoding(const hb_header *header)
{
    return header->encoding == HB_ENCODE_SPREAD ? HB_ENCODE_SLOTS : header->encoding;
}

/* Packs a table, once the inputs that it is combined with are known: by columns, like `like`, whose rows are the
 * program's. The table's may be others: the compiler refuses it where its rows meet those of the program. weights: it
 * may be a table of weights, with more columns than rows of the program have slots. HB_EDATA, naming row and column,
 * for a value of its only row that these parameters cannot hold. */
hb_status hb_eval_input_pack(hb_eval_input *input, const hb_header *like, bool weights);
/* Returns HB_EDATA, naming both, unless two datasets may be combined, rows apart: the same parameters, key, places of
 * rows and encoding. */
hb_status hb_eval_input_check_pair(const hb_eval_input *a, const hb_eval_input *b);
/* Returns HB_EDATA, naming both, if different rows were left out of their tables. */
hb_status hb_eval_input_require_same_rows(const hb_eval_input *a, const hb_eval_input *b);
/* Returns HB_EDATA unless the parameters have the level of the dataset's ciphertexts. */
hb_status hb_eval_input_check_level(const hb_eval_input *input, const hb_params *params);
/* Notes which columns the program loads of the input, as operand `operand`. HB_ENOMEM. */
hb_status hb_eval_input_note_use(hb_eval_input *input, uint32_t operand, const hb_program *program);
/* Return whether the row instructions of pass `pass` load columns of the input, as operand `operand`; whether its
 * totals' instructions do. */
bool hb_eval_input_in_pass(const hb_eval_input *input, const hb_program *program, uint32_t pass, uint32_t operand);
bool hb_eval_input_in_totals(const hb_eval_input *input, const hb_program *program, uint32_t pass, uint32_t operand);

/* Finds the ranges of the values of all inputs: declared in `ranges`, stored with a dataset, or found in a small plain
 * table, whose numbers are kept where `weights` says so. *columns has one entry for each column of all inputs, which
 * the operands [count] borrow; the caller frees it, also after a failure. HB_EDATA for a range without values. */
hb_status hb_eval_ranges(hb_eval_inputs *inputs, const hb_range *ranges, uint32_t range_count, bool weights,
                         hb_operand *operands, hb_interval **columns);

/* Returns whether the input is a table of more than one row, which steps read. */
bool hb_eval_input_has_cells(const hb_eval_input *input);
/* Reads the residues of a table's cells for row blocks first .. first + count into values [count * across][n]; count *
 * across is at most the number that `cells` was made for, and so is `thread`. HB_EDATA naming the table, row and
 * column. */
hb_status hb_eval_input_read_cells(const hb_eval_input *input, uint32_t thread, uint64_t first, size_t count,
                                   uint64_t *values);

#endif
