/* Steps of a computation: some consecutive row blocks that are read, computed and written together: one unit or more of
 * every output that has rows. The functions are pure. */
#ifndef HB_EVAL_STEP_H
#define HB_EVAL_STEP_H

#include "input.h"

/* Returns the row blocks of the smallest step, and so of a unit of outputs with rows, at least 1. They depend on the
 * datasets and the program alone, not on ranks or devices: it is the number that the largest unit of the inputs holds
 * whole, so that few units are read twice; fewer where inputs and outputs would exceed 64 MiB. Then it is rounded up to
 * a multiple of the row blocks that are computed together. output_bytes: bytes a row block of the outputs that have
 * rows; together: >= 1. */
uint64_t hb_eval_step_size(const hb_eval_input *inputs, uint32_t count, uint64_t output_bytes, uint32_t together);

/* Returns the steps as units of a dataset of one column, with one ciphertext a row block: for dividing, counting and
 * showing them. */
hb_header hb_eval_step_header(const hb_params_spec *spec, uint32_t limbs, uint64_t blocks, uint64_t size);

/* Returns the number of units of a dataset that row blocks first .. first + count touch in the used columns, and the
 * units in `units` [most], ascending; `units` NULL: only the number. */
size_t hb_eval_step_units(const hb_eval_input *input, uint64_t first, uint64_t count, uint64_t *units, size_t most);
/* Returns the most units that any step of this size touches. */
size_t hb_eval_step_most_units(const hb_eval_input *input, uint64_t size);

/* Returns the bytes of files that hold the first `blocks` row blocks, blocks <= input->blocks: of a dataset, the units
 * that they touch; 0 for a table of one row. */
uint64_t hb_eval_step_bytes(const hb_eval_input *input, uint64_t blocks);

/* Returns the bytes of the residues of one row block of a table. */
uint64_t hb_eval_step_cell_bytes(const hb_eval_input *input);

#endif
