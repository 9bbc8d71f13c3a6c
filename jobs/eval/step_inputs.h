/* A step's datasets on an engine: the units that the step touches, as checked packed rows. Rank-local, except where a
 * function says "exchanges". */
#ifndef HB_EVAL_STEP_INPUTS_H
#define HB_EVAL_STEP_INPUTS_H

#include "batch/unit/unit_rows.h"
#include "buffer.h"

/* A step's units of one dataset. */
typedef struct hb_step_input {
    hb_unit_rows *rows; /* [most_units]; NULL: this input is not kept here */
    uint64_t *units;    /* [most_units] their numbers */
    hb_seed **seeds;    /* [most_units] of the unit's ciphertexts, if they are seeded; host */
    size_t count;       /* units that are here */
    bool there;         /* all units of the step are here */
} hb_step_input;

/* A step's units of all datasets. */
typedef struct hb_step_inputs {
    hb_step_input *input; /* [input_count] */
    uint64_t step;        /* the step; HB_NO_STEP: none */
} hb_step_inputs;
#define HB_NO_STEP UINT64_MAX

/* Return the bytes of the engine's memory for one input of a step, and for all inputs, on the member with most
 * limbs. */
uint64_t hb_step_input_bytes(const hb_params *params, const hb_eval_input *input);
uint64_t hb_step_inputs_bytes(const hb_params *params, const hb_eval_shape *shape);
/* Allocates for the wanted datasets; wanted NULL: all datasets. HB_ENOMEM. The caller clears with the same shape, also
 * after a failure and before the engine closes; a zeroed struct is allowed. */
hb_status hb_step_inputs_init(hb_step_inputs *inputs, hb_engine *engine, const hb_params *params,
                              const hb_eval_shape *shape, const bool *wanted);
void hb_step_inputs_clear(hb_step_inputs *inputs, const hb_eval_shape *shape);

/* Uploads the units of `from` to the engine, where there is resident room for them to that, and compares them with
 * their sums in the dataset, unless they were switched, and compared before. HB_EDATA, on all members, where they
 * differ. Units that are resident were read and compared by an earlier job. Exchanges. */
hb_status hb_step_input_check(hb_step_input *input, hb_engine *engine, const hb_eval_input_buffer *from,
                              const hb_eval_input *of);

#endif
