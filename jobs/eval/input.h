/* A file that an expression reads: a ciphertext dataset, or a plain table. Rank-local. */
#ifndef HB_EVAL_INPUT_H
#define HB_EVAL_INPUT_H

#include "batch/cells.h"
#include "expression/program/program.h"
#include "expression/program/range.h"

typedef struct hb_eval_input {
    const char *name, *path; /* borrowed */
    hb_dataset *dataset;     /* or ... */
    hb_table *table;         /* ... this one */
    hb_header as_dataset;    /* of a table: how it would be packed; schema and names borrowed from the table */
    const hb_header *header; /* of the dataset, or that */
    uint64_t across;         /* ciphertexts of a row block: ciphertext b * across + c is column c of row block b */
    uint64_t blocks;         /* row blocks; of a table of one row: 0 */
    hb_cells cells;          /* of a table */
    uint64_t *one_row;       /* of a table of one row: its residues, [columns] */
    bool *used;              /* [across]: loaded by the program */
    size_t most_units;       /* that a step touches; 0 for tables */
} hb_eval_input;

typedef struct hb_eval_inputs {
    hb_eval_input *input; /* [count] */
    uint32_t count;
} hb_eval_inputs;

/* By the kind of file; only a dataset's header is read of it. HB_ENOINPUT, HB_EDATA, HB_EUSAGE. The caller closes, also
 * after a failure. Borrows name and path. */
hb_status hb_eval_input_open(hb_eval_input *input, const char *name, const char *path);
void hb_eval_input_close(hb_eval_input *input);
/* What the compiler is told of it; datasets know their noise, from these parameters. */
hb_operand hb_eval_input_operand(const hb_eval_input *input, const hb_params *params);

/* Of a table, once it is known what it is computed with: packed by columns, as `like` is, whose rows are the
 * program's. HB_EDATA when the table has neither as many nor one; or, naming row and column, for a value of its only
 * row that these parameters cannot hold. */
hb_status hb_eval_input_pack(hb_eval_input *input, const hb_header *like);
/* HB_EDATA, naming both, unless two datasets may be computed with one another: parameters, key, rows, encoding. */
hb_status hb_eval_input_check_pair(const hb_eval_input *a, const hb_eval_input *b);
/* Notes what the program loads. HB_ENOMEM. */
hb_status hb_eval_input_note_use(hb_eval_input *input, uint32_t operand, const hb_program *program);
/* Does pass p load it? */
bool hb_eval_input_in_pass(const hb_program *program, uint32_t pass, uint32_t operand);

/* What is known of the values of all inputs: declared in `ranges`, stored with a dataset, or seen in a small plain
 * table. *columns: allocated, one entry a column of all inputs, borrowed by the operands [count]. HB_EUSAGE for a range
 * of something that is not read; HB_EDATA for one that no value is in. */
hb_status hb_eval_ranges(hb_eval_inputs *inputs, const hb_range *ranges, uint32_t range_count, hb_operand *operands,
                         hb_interval **columns);

/* It is a table with rows, which steps read (not one of one row). */
bool hb_eval_input_has_cells(const hb_eval_input *input);
/* Residues of the cells of a table for row blocks first .. first + count, count * across <= what cells were made for:
 * values [count * across][n]. `thread` of those that cells were made for. HB_EDATA naming the table, row and column. */
hb_status hb_eval_input_read_cells(const hb_eval_input *input, uint32_t thread, uint64_t first, size_t count,
                                   uint64_t *values);
/* The same of a table of one row, whose numbers stand in every row of the program: ciphertext i of that many rows. */
void hb_eval_input_repeat(const hb_eval_input *input, uint64_t ciphertext, uint64_t *values);

#endif
