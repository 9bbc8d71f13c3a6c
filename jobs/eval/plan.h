/* What a computation reads, makes and needs, beyond what the plan of any job says (batch/plan.h); a step is a unit
 * there. Rank-local. */
#ifndef HB_EVAL_PLAN_H
#define HB_EVAL_PLAN_H

#include "batch/workers.h"

/* What the plan of a computation has beside. */
typedef struct hb_eval_plan {
    uint64_t blocks;           /* row blocks */
    uint64_t step_batch;       /* those at a time that steps without rows to store follow; 0: none were asked for */
    bool steps_stay;           /* they have the size that they had when the job began, and not that of --batch */
    uint64_t key_bytes;        /* of the switching keys, on the engine of the rank with most of their limbs */
    uint64_t kept_bytes;       /* of inputs that are kept from pass to pass, on the engine of a rank */
    uint64_t input_bytes;      /* of all datasets that are read */
    uint64_t key_file_bytes;   /* of the files of the switching keys, which every rank reads */
    bool looks;                /* at headers of keys alone: nothing is to be computed, and keys are large */
    uint64_t checkpoint_bytes; /* of a checkpoint of a step, at most; 0: the program has no stops */
    double key_seconds;        /* of reading and preparing the keys, for all plain moduli so far; 0: not known */
    double seconds;            /* of computing on the rank with most; 0: not estimated */
} hb_eval_plan;

struct hb_eval_job;

/* Lays out steps and outputs, once the program is compiled, and sets job->setting. HB_EDATA, HB_ENOMEM. */
hb_status hb_eval_plan_lay_out(struct hb_eval_job *job);
/* Return what the program, its keys and its buffers take, for the job's plan (batch/job.h); `job` is the
 * hb_eval_job. */
uint64_t hb_eval_plan_fixed_bytes(const void *job, const hb_params *params);
uint64_t hb_eval_plan_worker_bytes(const void *job, const hb_params *params, size_t batch);
uint64_t hb_eval_plan_host_bytes(const void *job, const hb_params *params, const hb_workers *workers);
/* Adds the space that the outputs need, and the bytes of the keys. HB_EIO when that space is not there. */
hb_status hb_eval_plan_complete(struct hb_eval_job *job);
/* Returns whether bounds of noise depend on what was assumed of imported inputs. */
bool hb_eval_assumes(const struct hb_eval_job *job);

#endif
