/* Steps of a computation: some consecutive row blocks, which are read, computed and written at a time. A step is one
 * unit of every output that has rows. The functions are pure, of the datasets: nothing here depends on ranks or
 * devices. */
#ifndef HB_EVAL_STEP_H
#define HB_EVAL_STEP_H

#include "input.h"

/* What the size of steps follows from, beside the inputs. */
typedef struct hb_eval_step_wish {
    uint64_t output_bytes; /* of the outputs that have rows, a row block */
    uint64_t least;        /* row blocks that are wanted in a step, where memory allows them; 0: any number */
    uint32_t together;     /* row blocks that are computed together, >= 1 */
} hb_eval_step_wish;

/* Returns the row blocks of a step, at least 1: as many as the largest of the inputs' units holds whole, so that few
 * units are read twice, or `least` if that is more; fewer where they and the outputs would be above 64 MiB. Then
 * rounded up to a multiple of the row blocks that are computed together. */
uint64_t hb_eval_step_size(const hb_eval_input *inputs, uint32_t count, hb_eval_step_wish wish);

/* Returns the steps as units of a dataset of one column, with one ciphertext a row block: to divide, count and show
 * them. */
hb_header hb_eval_step_header(const hb_params_spec *spec, uint32_t limbs, uint64_t blocks, uint64_t size);

/* Returns the number of units of a dataset that row blocks first .. first + count touch, in the columns that are used,
 * and the units in `units` [most], ascending; `units` NULL: only the number. */
size_t hb_eval_step_units(const hb_eval_input *input, uint64_t first, uint64_t count, uint64_t *units, size_t most);
/* Returns the most units that any step of this size touches. */
size_t hb_eval_step_most_units(const hb_eval_input *input, uint64_t size);

/* Returns the bytes of the files that hold the first `blocks` row blocks, blocks <= input->blocks: of a dataset the
 * units that they touch; 0 for a table of one row. */
uint64_t hb_eval_step_bytes(const hb_eval_input *input, uint64_t blocks);

/* Returns the bytes of a row block of a table's residues. */
uint64_t hb_eval_step_cell_bytes(const hb_eval_input *input);

#endif
