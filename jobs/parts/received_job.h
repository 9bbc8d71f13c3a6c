/* Adds the parts of a dataset under joint keys up for the owner of another key (joint/receiver.h): to the same table in
 * ciphertexts under that key. No secret is needed, and who does it learns nothing. */
#ifndef HB_PARTS_RECEIVED_JOB_H
#define HB_PARTS_RECEIVED_JOB_H

#include "output/change_job.h"
#include "tables/part_sums.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_received_options {
    hb_change_options base;
    char *const *parts; /* [part_count] */
    size_t part_count;
} hb_received_options;

/* The job; hb_job_close of its hb_job zeroes all of it. */
typedef struct hb_received_job {
    hb_change_job base;
    hb_received_options options;
    hb_part_inputs inputs;
    hb_part_sums sums;
    hb_batch c0[HB_MOST_WORKERS]; /* [workers] of [batch] each, on their queues */
} hb_received_job;

/* Looks at dataset and parts, and makes the plan; writes nothing. Collective. HB_EUSAGE: the parts are in the clear;
 * errors of hb_part_inputs_open. The caller runs job->base.job, which makes the dataset or leaves nothing under its
 * name (NAME.partial stays to be continued, unless the input was bad), and closes it in any case (batch/job/job.h). */
hb_status hb_received_job_open(hb_received_job *job, hb_group *group, const hb_common *common,
                               const hb_received_options *options);

#endif
