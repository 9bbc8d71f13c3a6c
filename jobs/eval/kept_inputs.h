/* Datasets that several passes read, kept on the engine between passes, for as many steps as its memory holds
 * (step_inputs.h). Rank-local. */
#ifndef HB_EVAL_KEPT_INPUTS_H
#define HB_EVAL_KEPT_INPUTS_H

#include <pthread.h>

#include "step_inputs.h"

/* The kept inputs of as many steps as the engine's memory holds. Zeroed: none. */
typedef struct hb_kept_inputs {
    hb_step_inputs *set; /* [count] */
    size_t count;
    bool *wanted; /* [input_count] datasets that several passes load */
    pthread_mutex_t lock;
    bool locks; /* the lock exists */
} hb_kept_inputs;

/* The conditions for keeping inputs; borrowed. */
typedef struct hb_kept_setting {
    hb_engine *engine;
    const hb_params *params;
    const hb_eval_shape *shape;
    const hb_program *program;
    uint64_t steps;   /* the most steps that there will be */
    uint64_t bytes;   /* memory of the engine that they may take */
    bool all_or_none; /* either all of these steps are kept or none */
} hb_kept_setting;

/* Returns the bytes of the engine's memory that hb_kept_inputs_init takes, on the member with most limbs: at most the
 * setting's; 0: nothing is kept. Does not use the engine. */
uint64_t hb_kept_inputs_bytes(const hb_kept_setting *setting);
/* Finds the datasets worth keeping, and allocates for them. HB_ENOMEM. The caller clears, also after a failure. */
hb_status hb_kept_inputs_init(hb_kept_inputs *kept, const hb_kept_setting *setting);
void hb_kept_inputs_clear(hb_kept_inputs *kept, const hb_eval_shape *shape);
/* In any thread: returns the step's set, taking a free one if it has none; NULL: none is free. One worker at a time has
 * a step. */
hb_step_inputs *hb_kept_inputs_of(hb_kept_inputs *kept, uint64_t step);
/* In any thread: returns whether an earlier pass kept input i of a step. */
bool hb_kept_inputs_have(hb_kept_inputs *kept, uint64_t step, uint32_t i);

#endif
