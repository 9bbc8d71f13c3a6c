/* Computes an expression over datasets. */
#ifndef HB_EVAL_JOB_H
#define HB_EVAL_JOB_H

#include "batch/job.h"
#include "expression/compile/compile.h"
#include "expression/text/binding.h"
#include "keys/key_store.h"
#include "model/model.h"
#include "outputs.h"
#include "plan.h"
#include "sums.h"
#include "totals_checkpoint.h"
#include "unit.h"

/* What the command line or the job file says; all of it is borrowed. */
typedef struct hb_eval_options {
    hb_job_options job;
    const char *keys; /* directory; NULL: none is given */
    const char *expression;
    hb_reading reading;         /* of plain tables; borrowed */
    const hb_binding *bindings; /* of inputs and outputs; the expression says which is which */
    uint32_t binding_count;
    const hb_range *ranges;
    uint32_t range_count;
    hb_quality_trust trust;
    uint64_t batch;                /* row blocks at a time; 0: what suits the device */
    double checkpoint_interval;    /* seconds after which sums over rows, and steps, are stored again; 0: when left */
    double compact;                /* bits that results keep at the level where they are stored; 0: all they have */
    double bits;                   /* of precision that results of reals are to have; 0: no number is wanted */
    double gap;                    /* of comparisons and what is made of them (hb_program_source); 0: not given */
    hb_model *model;               /* whose statements are the expression; fitted to x; NULL: there is none */
    hb_bootstrap_choice bootstrap; /* whether values are bootstrapped where levels do not suffice */
    bool wrap;                     /* results may wrap around */
    bool force, resume;
    bool dry_run; /* only the plan is wanted */
} hb_eval_options;

/* The job; hb_job_close of `base` zeroes all of it. */
typedef struct hb_eval_job {
    hb_job base; /* its session has the switching keys; its units are steps of the pass that runs now */
    hb_eval_options options;
    hb_eval_inputs inputs;
    hb_eval_outputs outputs;
    hb_program program;
    hb_key_choices keys;               /* which keys the program needs (keys/key_store.h) ... */
    hb_key_choices missing;            /* ... and which of them the job of another plain modulus did not leave */
    hb_key_ahead ahead;                /* reads the first of those beforehand */
    uint8_t identity[HB_DIGEST_BYTES]; /* on rank 0: of inputs and keys (hb_eval_job_identify) */
    hb_seed root;                      /* key of digests that members compare; wiped by closing */
    hb_eval_plan plan;
    hb_header steps; /* steps as units (hb_eval_step_header) */
    hb_eval_setting setting;
    hb_kept_setting kept_setting;
    hb_kept_inputs kept; /* of the rank's steps */
    hb_eval_buffer buffer[HB_PIPELINE_MOST_BUFFERS];
    hb_unit_evaluator evaluator[HB_MOST_WORKERS]; /* [workers] */
    hb_eval_sums sums;                            /* what the pass that runs now has added up */
    uint64_t *sum_words;                          /* host memory in which ranks add up; NULL: none yet */
    size_t sum_bytes;                             /* of it */
    hb_totals_checkpoint totals;                  /* of the passes before it */
    hb_checkpoints checkpoints;                   /* of its steps */
    hb_ranks_pulse pulse;                         /* of the run over rows */
    uint32_t pass;                                /* the one that runs now */
} hb_eval_job;

/* Finds out everything for the plan, divides the ranks and the limbs, loads the keys, and touches no output. Of several
 * plain moduli the job of each takes device, engine and keys from *kept, zeroed for the first, and its closing leaves
 * them there. Collective. The caller runs job->base, which makes all outputs or leaves nothing under their names
 * (NAME.partial stays to be continued, unless the input or the expression was bad), and closes it in any case
 * (batch/job.h). */
hb_status hb_eval_job_open(hb_eval_job *job, hb_group *group, const hb_common *common, const hb_eval_options *options,
                           hb_job_kept *kept);
/* Runs the job, with a report, the same one, beside each output, and prints the results. Collective. */
hb_status hb_eval_job_run_and_report(hb_eval_job *job);
/* Sets plan.seconds by running the program on one batch of random residues, or where keys are large, and were not
 * loaded, by how much work it is; reading and writing are not in it.
 * Collective among the members that share limbs, as the program exchanges; the caller agrees on the status. */
hb_status hb_eval_job_estimate(hb_eval_job *job);
/* Prints the plan, as results on stdout or as log on stderr, on rank 0. */
void hb_eval_job_print(const hb_eval_job *job, bool results);
/* Returns the job as reports have it; the caller owns it. NULL when out of memory. */
json_t *hb_eval_job_json(const hb_eval_job *job);

#endif
