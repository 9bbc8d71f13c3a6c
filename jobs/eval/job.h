/* Computes an expression over datasets. */
#ifndef HB_EVAL_JOB_H
#define HB_EVAL_JOB_H

#include "batch/job/job.h"
#include "divide_totals.h"
#include "io/keys/checked_keys.h"
#include "keys/key_files.h"
#include "lang/compile/compile.h"
#include "lang/text/binding.h"
#include "model/model.h"
#include "outputs.h"
#include "plan.h"
#include "progress.h"
#include "sums.h"
#include "totals_checkpoint.h"
#include "unit.h"

/* Options of the command line or the job file; all of it is borrowed. */
typedef struct hb_eval_options {
    hb_job_options job;
    const char *keys;               /* directory; NULL: none is given */
    const hb_checked_keys *checked; /* no other keys are taken of it; NULL: any */
    const char *expression;
    hb_reading reading;         /* of plain tables; borrowed */
    hb_output_found *found;     /* [binding_count] of the outputs, by number, for reports; borrowed; NULL: not wanted */
    const hb_binding *bindings; /* of inputs and outputs; the expression says which is which */
    uint32_t binding_count;
    const hb_range *ranges;
    uint32_t range_count;
    hb_quality_trust trust;
    bool hidden;    /* results whose expected error may hide their values are computed, too */
    uint64_t batch; /* row blocks at a time; 0: as many as suit the device */
    double
        checkpoint_interval; /* seconds after which sums over rows, and steps, are stored again; 0: when interrupted */
    uint32_t sanitize;       /* bits of distance to which results are sanitized (scheme/sanitize.h); 0: they are not */
    double compact;          /* bits that stored results keep for their level (hb_program_source) */
    double bits;             /* bits of precision wanted for results of reals; 0: none given */
    double gap;              /* of comparisons and functions built from them (hb_program_source); 0: not given */
    hb_model *model;         /* whose statements are the expression; fitted to x; NULL: none */
    hb_bootstrap_choice bootstrap; /* whether values are bootstrapped where levels run out */
    bool wrap;                     /* results may wrap around */
    bool force, resume;
    bool dry_run; /* only the plan is wanted */
} hb_eval_options;

/* The job; hb_job_close of `base` zeroes all of it. */
typedef struct hb_eval_job {
    hb_job base; /* its session has the switching keys; its units are steps of the current pass */
    hb_eval_options options;
    hb_eval_inputs inputs;
    hb_eval_outputs outputs;
    hb_program program;
    hb_key_choices keys;               /* which keys the program needs (keys/key_files.h) */
    hb_key_files *key_files;           /* of `keys`, and what reads those that no job left; NULL: there are none */
    uint8_t identity[HB_DIGEST_BYTES]; /* on rank 0: digest of inputs and keys (hb_eval_job_identify) */
    hb_seed root;                      /* key of digests that members compare; wiped by closing */
    hb_eval_plan plan;
    hb_header steps; /* steps as units (hb_eval_step_header) */
    hb_eval_setting setting;
    hb_kept_setting kept_setting;
    hb_kept_inputs kept; /* of the rank's steps */
    hb_eval_buffer buffer[HB_PIPELINE_MOST_BUFFERS];
    hb_eval_division division;                    /* of totals */
    hb_unit_evaluator evaluator[HB_MOST_WORKERS]; /* [workers], or more that compute totals alone */
    hb_eval_sums sums;                            /* the sums so far of the current pass */
    uint64_t *sum_words;                          /* host memory in which ranks add up; NULL: not allocated yet */
    size_t sum_bytes;                             /* of it */
    hb_totals_checkpoint totals;                  /* of the earlier passes */
    hb_checkpoints checkpoints;                   /* of its steps */
    hb_eval_progress progress;
    uint32_t pass; /* the current pass */
} hb_eval_job;

/* Makes the plan, divides the ranks and the limbs, loads the keys, and writes no output. With several plain moduli the
 * job of each takes device, engine and keys from *kept, zeroed for the first, and leaves them there when it closes.
 * Collective. The caller runs job->base, which makes all outputs or leaves nothing under their names (NAME.partial
 * stays to be continued, unless the input or the expression was bad), and closes it in any case (batch/job/job.h). */
hb_status hb_eval_job_open(hb_eval_job *job, hb_group *group, const hb_common *common, const hb_eval_options *options,
                           hb_job_kept *kept);
/* Runs the job, writes the same report beside each output, and prints the results. Collective. */
hb_status hb_eval_job_run_and_report(hb_eval_job *job);
/* Puts measured seconds into the plan's prediction: of computing and of totals, by running the program on one batch of
 * random residues, unless that is predicted to take more than a second; or, where keys are large and were not loaded,
 * of reading them. Collective; the caller agrees on the status. */
hb_status hb_eval_job_estimate(hb_eval_job *job);
/* Prints the plan, as results on stdout or as log on stderr, on rank 0. */
void hb_eval_job_print(const hb_eval_job *job, bool results);
/* Returns the job in the form of reports; the caller owns it. NULL when out of memory. */
json_t *hb_eval_job_json(const hb_eval_job *job);

#endif
