/* Datasets of a step on an engine: the units that it touches, as packed rows that were checked; and those of several
 * steps, kept there from pass to pass. Rank-local, except for the exchanges that are named. */
#ifndef HB_EVAL_STEP_INPUTS_H
#define HB_EVAL_STEP_INPUTS_H

#include <pthread.h>

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

/* Returns the bytes of the engine's memory that the inputs of a step take, on the member with most limbs. */
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

/* Inputs of steps that several passes read, as many as the engine's memory has room for. Zeroed: none. */
typedef struct hb_kept_inputs {
    hb_step_inputs *set; /* [count] */
    size_t count;
    bool *wanted; /* [input_count] datasets that several passes load */
    pthread_mutex_t lock;
    bool locks; /* the lock is there */
} hb_kept_inputs;

/* What they are made for; borrowed. */
typedef struct hb_kept_setting {
    hb_engine *engine;
    const hb_params *params;
    const hb_eval_shape *shape;
    const hb_program *program;
    uint64_t steps;   /* the most that there will be */
    uint64_t bytes;   /* of the engine's memory that they may take */
    bool all_or_none; /* no fewer steps than that are kept */
} hb_kept_setting;

/* Returns the bytes of the engine's memory that hb_kept_inputs_init takes, on the member with most limbs: no more than
 * the setting allows; 0: nothing is kept. It asks nothing of the engine. */
uint64_t hb_kept_inputs_bytes(const hb_kept_setting *setting);
/* Finds which datasets are worth it, and makes room for them where there are some. HB_ENOMEM. The caller clears, also
 * after a failure. */
hb_status hb_kept_inputs_init(hb_kept_inputs *kept, const hb_kept_setting *setting);
void hb_kept_inputs_clear(hb_kept_inputs *kept, const hb_eval_shape *shape);
/* In any thread: returns the set that is the step's, from now on if it was free; NULL: there is none left. One worker
 * at a time has a step. */
hb_step_inputs *hb_kept_inputs_of(hb_kept_inputs *kept, uint64_t step);
/* In any thread: returns whether input i of a step was kept by an earlier pass. */
bool hb_kept_inputs_have(hb_kept_inputs *kept, uint64_t step, uint32_t i);

#endif
