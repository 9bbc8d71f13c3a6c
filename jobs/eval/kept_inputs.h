/* Datasets that several passes read, kept on the engine from pass to pass, for as many steps as its memory has room for
 * (step_inputs.h). Rank-local. */
#ifndef HB_EVAL_KEPT_INPUTS_H
#define HB_EVAL_KEPT_INPUTS_H

#include <pthread.h>

#include "step_inputs.h"

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
