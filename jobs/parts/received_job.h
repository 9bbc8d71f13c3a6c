/* Adds the parts of a dataset under joint keys up for the owner of another key (joint/receiver.h): to the same table in
 * ciphertexts under that key. No secret is needed, and who does it learns nothing. */
#ifndef HB_PARTS_RECEIVED_JOB_H
#define HB_PARTS_RECEIVED_JOB_H

#include "batch/unit/unit_order.h"
#include "output/output_job.h"
#include "tables/decryption.h"
#include "tables/part_sums.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_received_options {
    hb_job_options job;
    const char *input, *output;
    char *const *parts; /* [part_count] */
    size_t part_count;
    bool force, resume;
    bool dry_run;           /* only the plan is wanted */
    hb_output_found *found; /* of the output, for reports; borrowed, not NULL */
} hb_received_options;

/* The work of a worker, on its queue. */
typedef struct hb_received_worker {
    hb_unit_rows from, to; /* of the two datasets, whose units have the same ciphertexts */
    hb_unit_order order;   /* of packed totals in reverse; else not open */
    hb_batch c0;           /* [batch] */
} hb_received_worker;

/* The job; hb_job_close of `base` zeroes all of it. */
typedef struct hb_received_job {
    hb_output_job base;
    hb_received_options options;
    hb_decryption decryption; /* the dataset alone */
    hb_part_inputs inputs;
    hb_part_sums sums;
    hb_header header;                       /* of the output */
    hb_rows read[HB_PIPELINE_MOST_BUFFERS]; /* units of the dataset */
    hb_received_worker worker[HB_MOST_WORKERS];
} hb_received_job;

/* Looks at dataset and parts, and makes the plan; writes nothing. Collective. HB_EUSAGE: the parts are in the clear;
 * errors of hb_part_inputs_open. The caller runs job->base.job, which makes the dataset or leaves nothing under its
 * name (NAME.partial stays to be continued, unless the input was bad), and closes it in any case (batch/job/job.h). */
hb_status hb_received_job_open(hb_received_job *job, hb_group *group, const hb_common *common,
                               const hb_received_options *options);

#endif
