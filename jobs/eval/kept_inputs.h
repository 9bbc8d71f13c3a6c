/* Datasets that stay on the engine: between the passes of a job, if several read them, for as many steps as its memory
 * holds (step_inputs.h); and for later jobs of a server (batch/unit/resident_units.h). Rank-local, unless a line says
 * otherwise. */
#ifndef HB_EVAL_KEPT_INPUTS_H
#define HB_EVAL_KEPT_INPUTS_H

#include <pthread.h>

#include "batch/job/ranks.h"
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

/* A pass whose datasets may stay for later jobs; borrowed. */
typedef struct hb_resident_setting {
    hb_residents *all; /* NULL: none stays */
    hb_group *group, *members;
    hb_engine *engine;
    const hb_params *params;
    const hb_eval_shape *shape; /* whose inputs' members of residency are set */
    const hb_program *program;
    uint32_t pass;
    const hb_header *steps; /* steps as units (hb_eval_step_header), ... */
    const hb_units *mine;   /* ... and those that this rank is to do in the pass, a list */
} hb_resident_setting;

/* Finds the origins of the datasets, before any of their rows is read. The ones that are there stay while others make
 * room. */
void hb_resident_inputs_begin(hb_residents *all, hb_eval_inputs *inputs);
/* Finds which units are there that the steps of this rank read, and makes room for the others, for as many datasets as
 * the budget holds. Members that share limbs go by the same units, of the steps and all others: where they have other
 * units of a dataset, it is read anew, and goes when the job ends. Counts bytes as found, or as missing. Collective,
 * the same status on all ranks: HB_ENOMEM, HB_ECOMM. */
hb_status hb_resident_inputs_take(const hb_resident_setting *x);

#endif
