/* The plan of a computation, beyond the plan of any job (batch/job/plan.h), in which a step is a unit. Rank-local. */
#ifndef HB_EVAL_PLAN_H
#define HB_EVAL_PLAN_H

#include "batch/unit/workers.h"
#include "device/batch_choice.h"
#include "device/work.h"
#include "lang/program/program.h"

/* The additional plan of a computation. */
typedef struct hb_eval_plan {
    uint64_t blocks;           /* row blocks */
    uint64_t batch;            /* row blocks at a time, as --batch says; 0: as many as suit the device */
    hb_batch_limit limit;      /* why no more are computed at a time */
    bool steps_bound;          /* steps of a job that is continued are those that it began with */
    bool steps_stay;           /* steps keep their size from the beginning of the job, against --batch */
    uint64_t key_bytes;        /* of the switching keys, on the engine of the rank with most of their limbs */
    uint64_t kept_bytes;       /* of inputs kept between passes, on the engine of a rank */
    uint64_t input_bytes;      /* of all datasets that are read */
    uint64_t key_file_bytes;   /* of the files of the switching keys */
    uint64_t key_whole_bytes;  /* of these, that a rank with all limbs reads */
    uint64_t key_read_bytes;   /* that this rank reads, with its limbs; ranks of a host that need the same read once */
    bool looks;                /* reads only headers of keys: nothing is to be computed, and keys are large */
    bool sampled;              /* computing was measured by a sample (hb_eval_job_estimate) */
    uint64_t checkpoint_bytes; /* of a checkpoint of a step, at most; 0: the program has no resume points */
    double key_seconds;        /* of reading and preparing the keys, for all plain moduli so far; 0: not done */
} hb_eval_plan;

struct hb_eval_job;
struct hb_job;

/* Lays out the outputs once the program is compiled, with the smallest steps, and sets job->setting. HB_EUSAGE for a
 * --batch that the program cannot be computed in; HB_EDATA, HB_ENOMEM. */
hb_status hb_eval_plan_lay_out(struct hb_eval_job *job);
/* Return the memory of the program, its keys and its buffers, for the job's plan (batch/job/job.h); `job` is the
 * hb_eval_job. */
uint64_t hb_eval_plan_fixed_bytes(const void *job, const hb_params *params);
uint64_t hb_eval_plan_worker_bytes(const void *job, const hb_params *params, size_t batch);
uint64_t hb_eval_plan_host_bytes(const void *job, const hb_params *params, const hb_workers *workers);
/* Returns the work of the rank with most, where so many groups of ranks have different row blocks (batch/job/job.h). */
hb_work hb_eval_plan_work(const struct hb_job *job, uint32_t groups);
/* Adds the space that the outputs need, and the bytes of the keys. HB_ENOMEM when this rank's share of its host's
 * memory does not hold the buffers and, on a CPU, keys and all else; HB_EIO when the disk is too full for the outputs.
 */
hb_status hb_eval_plan_complete(struct hb_eval_job *job);
/* Returns whether bounds of noise depend on assumptions about imported inputs. */
bool hb_eval_assumes(const struct hb_eval_job *job);

#endif
