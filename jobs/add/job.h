/* Adds datasets up, row by row and column by column: of thousands of contributors, a few files at a time. */
#ifndef HB_ADD_JOB_H
#define HB_ADD_JOB_H

#include "adder.h"
#include "batch/job.h"
#include "inputs.h"
#include "output/output_dataset.h"
#include "sum_header.h"

/* What the command line says; texts are borrowed. */
typedef struct hb_add_options {
    hb_job_options job;
    char *const *inputs; /* [count] */
    size_t count;
    char *const *named; /* [named_count] as the inputs were given: they themselves, or patterns that found them */
    size_t named_count;
    const char *output;
    const hb_range *ranges; /* of columns of every dataset, where these do not say it */
    uint32_t range_count;
    bool wrap; /* values of the sum may wrap around */
    bool force, resume;
    bool dry_run; /* only the plan is wanted */
} hb_add_options;

/* A unit of a dataset on its way to the adder. */
typedef struct hb_add_buffer {
    hb_rows memory;      /* room for a unit of any of the datasets ... */
    hb_rows rows;        /* ... and the view of it that has the one which is here */
    hb_dataset *dataset; /* taken from the inputs; NULL: the read was empty */
} hb_add_buffer;

/* The job; hb_job_close of `base` zeroes all of it. Its units are reads (course.h). */
typedef struct hb_add_job {
    hb_job base;
    hb_add_options options;
    hb_add_inputs inputs;
    hb_sum_header sum;               /* its header is that of the output */
    hb_header reads;                 /* those of this rank as units, one ciphertext each */
    uint8_t digest[HB_DIGEST_BYTES]; /* of the inputs */
    hb_output_dataset output;
    hb_units todo; /* units of the output that this rank makes */
    hb_add_course course;
    hb_adder adder;
    hb_add_buffer buffer[HB_PIPELINE_MOST_BUFFERS];
    hb_rows made;        /* a unit of the output */
    uint64_t units_made; /* of the output; by all ranks once the run has ended */
} hb_add_job;

/* Looks at all headers, finds out everything for the plan and touches nothing. Collective. Errors are those of
 * hb_sum_header_add and hb_add_inputs_check_different, HB_ENOINPUT, HB_EUSAGE for an output that is an input. The
 * caller runs job->base, which makes the dataset or leaves nothing under its name (NAME.partial stays to be continued,
 * unless an input was bad), and closes it in any case (batch/job.h). */
hb_status hb_add_job_open(hb_add_job *job, hb_group *group, const hb_common *common, const hb_add_options *options);

#endif
