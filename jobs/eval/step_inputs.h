/* Datasets of a step on an engine: the units that it touches, as packed rows that were checked. Rank-local, except for
 * the exchanges that are named. */
#ifndef HB_EVAL_STEP_INPUTS_H
#define HB_EVAL_STEP_INPUTS_H

#include "batch/unit_rows.h"
#include "buffer.h"

/* What a step has of one dataset. */
typedef struct hb_step_input {
    hb_unit_rows *rows; /* [most_units]; NULL: nothing of this input is kept here */
    uint64_t *units;    /* [most_units] their numbers */
    hb_seed **seeds;    /* [most_units], of ciphertexts of the unit, where they are seeded; host */
    size_t count;       /* units that are here */
    bool there;         /* those of the step are */
} hb_step_input;

/* What a step has of all. */
typedef struct hb_step_inputs {
    hb_step_input *input; /* [input_count] */
    uint64_t step;        /* whose they are; HB_NO_STEP: nobody's */
} hb_step_inputs;
#define HB_NO_STEP UINT64_MAX

/* Return the bytes of the engine's memory that one input of a step takes, and that all do, on the member with most
 * limbs. */
uint64_t hb_step_input_bytes(const hb_params *params, const hb_eval_input *input);
uint64_t hb_step_inputs_bytes(const hb_params *params, const hb_eval_shape *shape);
/* Allocates for them; wanted NULL: all datasets. HB_ENOMEM. The caller clears with the same shape, also after a
 * failure and before the engine closes; a zeroed struct is allowed. */
hb_status hb_step_inputs_init(hb_step_inputs *inputs, hb_engine *engine, const hb_params *params,
                              const hb_eval_shape *shape, const bool *wanted);
void hb_step_inputs_clear(hb_step_inputs *inputs, const hb_eval_shape *shape);

/* Brings the units of `from` to the engine, and compares them with their sums in the dataset. HB_EDATA, on all members,
 * where they differ. Exchanges. */
hb_status hb_step_input_check(hb_step_input *input, hb_engine *engine, const hb_eval_input_buffer *from,
                              const hb_dataset *dataset);

#endif
