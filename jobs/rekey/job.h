/* Brings a dataset under another key, by a rekeying key alone: every ciphertext is switched once. */
#ifndef HB_REKEY_JOB_H
#define HB_REKEY_JOB_H

#include "batch/job/job.h"
#include "batch/unit/unit_order.h"
#include "batch/unit/unit_rows.h"
#include "moving_key.h"
#include "output/output_dataset.h"
#include "scheme/evaluator.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_rekey_options {
    hb_job_options job;
    hb_output_found *found; /* of the output, for reports; borrowed, not NULL */
    const char *input, *output;
    const char *keys; /* a rekeying key, or a folder with one from the dataset's key */
    bool force, resume;
    bool dry_run; /* only the plan is wanted */
} hb_rekey_options;

/* The part of a worker, on its queue. */
typedef struct hb_rekeyer {
    hb_engine *engine;
    hb_unit_rows input, made;
    hb_evaluator *evaluator;
    hb_unit_order order; /* of packed totals in reverse; else not open */
    hb_ciphertexts some; /* of a batch */
} hb_rekeyer;

/* The job; hb_job_close of `base` zeroes all of it. */
typedef struct hb_rekey_job {
    hb_job base;
    hb_rekey_options options;
    hb_dataset *dataset;
    uint8_t input_sum[HB_DIGEST_BYTES]; /* of the dataset */
    hb_header header;                   /* of the output */
    hb_moving_key key;
    hb_output_dataset output;
    hb_rekeyer worker[HB_MOST_WORKERS];
} hb_rekey_job;

/* Looks at the dataset and the key, and makes the plan; writes nothing. Collective. Fails as hb_moving_key_open does;
 * HB_EUSAGE where the output is the input; HB_EDATA where no noise budget would be left. The caller runs job->base,
 * which makes the dataset or leaves nothing under its name (NAME.partial stays to be continued, unless the input was
 * bad), and closes it in any case (batch/job/job.h). */
hb_status hb_rekey_job_open(hb_rekey_job *job, hb_group *group, const hb_common *common,
                            const hb_rekey_options *options);

#endif
