/* A file that an expression reads: a ciphertext dataset, or a plain table. Rank-local. */
#ifndef HB_EVAL_INPUT_H
#define HB_EVAL_INPUT_H

#include "batch/cells.h"
#include "batch/plain_columns.h"
#include "expression/program/program.h"
#include "expression/program/range.h"

/* One input. Of dataset and table one is NULL; of a plain table both are until it is opened. */
typedef struct hb_eval_input {
    const char *name, *path; /* borrowed */
    hb_dataset *dataset;
    hb_table *table;
    hb_header as_dataset;    /* of a table: how it would be packed */
    const hb_header *header; /* the dataset's, or as_dataset */
    uint64_t across;         /* ciphertexts of a row block: ciphertext b * across + c is column c of row block b */
    uint64_t blocks;         /* row blocks; 0 of a table of one row */
    hb_cells cells;          /* of a table; made by the job */
    hb_plain_columns plain;  /* of a table: what conditions read of it */
    hb_number *numbers;      /* [rows * columns] of a table that may hold weights (W @ x); else NULL */
    uint64_t *one_row; /* [2][columns] values of a table of one row, imaginary parts behind the real ones; else NULL */
    bool serves_all;   /* a dataset whose rows stand in all of others, of one or on the left of @: loaded once */
    bool *used;        /* [across] whether the program loads it */
    size_t most_units; /* the most that a step touches; 0 for tables */
} hb_eval_input;

/* All files that an expression reads. */
typedef struct hb_eval_inputs {
    hb_eval_input *input; /* [count] */
    uint32_t count;
} hb_eval_inputs;

/* Opens a dataset, or one of its residues, of which only the header is read; a plain table is opened once it is known
 * which parameters its cells are for.
 * Borrow name and path. The caller closes, also after a failure. HB_ENOINPUT, HB_EDATA, HB_EUSAGE. */
hb_status hb_eval_input_open(hb_eval_input *input, const char *name, const char *path, uint32_t residue);
hb_status hb_eval_input_open_table(hb_eval_input *input, const hb_params_spec *spec, const hb_reading *reading);
void hb_eval_input_close(hb_eval_input *input);
/* Returns what the compiler is told of the input; it borrows name and schema. Of a dataset that is also its noise, from
 * these parameters. */
hb_operand hb_eval_input_operand(hb_eval_input *input, const hb_params *params);
/* Returns the same of any dataset with that header. */
hb_operand hb_eval_header_operand(const char *name, const hb_header *header, const hb_params *params);

/* Packs a table, once it is known what it is computed with: by columns, as `like` is, whose rows are the program's.
 * weights: it may be one of weights, of any number of rows. HB_EDATA when the table has neither as many rows nor one;
 * or, naming row and column, for a value of its only row that these parameters cannot hold. */
hb_status hb_eval_input_pack(hb_eval_input *input, const hb_header *like, bool weights);
/* Returns HB_EDATA, naming both, unless two datasets may be computed with one another, whatever rows they have:
 * parameters, key, places of rows, encoding. */
hb_status hb_eval_input_check_pair(const hb_eval_input *a, const hb_eval_input *b);
/* Returns HB_EDATA unless the parameters have the level of the dataset's ciphertexts. */
hb_status hb_eval_input_check_level(const hb_eval_input *input, const hb_params *params);
/* Notes which columns the program loads of it, as operand `operand`. HB_ENOMEM. */
hb_status hb_eval_input_note_use(hb_eval_input *input, uint32_t operand, const hb_program *program);
/* Return whether the row instructions of pass `pass` load columns of the input, as operand `operand`; whether its
 * totals' instructions do. */
bool hb_eval_input_in_pass(const hb_eval_input *input, const hb_program *program, uint32_t pass, uint32_t operand);
bool hb_eval_input_in_totals(const hb_eval_input *input, const hb_program *program, uint32_t pass, uint32_t operand);

/* Finds what is known of the values of all inputs: declared in `ranges`, stored with a dataset, or seen in a small
 * plain table, whose numbers are kept where `weights` says so. *columns has one entry for each column of all inputs,
 * which the operands [count] borrow; the caller frees it, also after a failure. HB_EDATA for a range that no value is
 * in. */
hb_status hb_eval_ranges(hb_eval_inputs *inputs, const hb_range *ranges, uint32_t range_count, bool weights,
                         hb_operand *operands, hb_interval **columns);

/* Returns whether it is a table with rows, which steps read, and not one of one row. */
bool hb_eval_input_has_cells(const hb_eval_input *input);
/* Reads the residues of the cells of a table for row blocks first .. first + count, where count * across is at most
 * what `cells` was made for: values [count * across][n]. `thread` is one of those that `cells` was made for. HB_EDATA
 * naming the table, row and column. */
hb_status hb_eval_input_read_cells(const hb_eval_input *input, uint32_t thread, uint64_t first, size_t count,
                                   uint64_t *values);
/* Writes the values [n] of ciphertext `ciphertext` of a table of one row, whose numbers stand in every row of the
 * program. */
void hb_eval_input_repeat(const hb_eval_input *input, uint64_t ciphertext, uint64_t *values);

#endif
