/* Adds datasets, row by row and column by column: those of thousands of contributors, a few files at a time. */
#ifndef HB_ADD_JOB_H
#define HB_ADD_JOB_H

#include "adder.h"
#include "batch/job/job.h"
#include "inputs.h"
#include "output/output_job.h"
#include "sum_header.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_add_options {
    hb_job_options job;
    hb_output_found *found; /* of the output, for reports; borrowed, not NULL */
    char *const *inputs;    /* [count] */
    size_t count;
    char *const *named; /* [named_count] the inputs as given: their names, or patterns that found them */
    size_t named_count;
    const char *output;
    const hb_range *ranges; /* of columns of every dataset, for those that store no range */
    uint32_t range_count;
    bool wrap; /* values of the sum may wrap */
    bool force, resume;
    bool dry_run; /* only the plan is wanted */
} hb_add_options;

/* A unit of a dataset on its way to the adder. */
typedef struct hb_add_buffer {
    hb_rows memory;      /* room for the largest unit of any dataset ... */
    hb_rows rows;        /* ... and the view of the unit that is in it */
    hb_dataset *dataset; /* taken from the inputs; NULL: the read was empty */
} hb_add_buffer;

/* The job; hb_job_close of `base` zeroes all of it. Its units are reads (read_schedule.h). */
typedef struct hb_add_job {
    hb_output_job base;
    hb_add_options options;
    hb_add_inputs inputs;
    hb_sum_header sum;               /* its header is the output's */
    hb_header reads;                 /* this rank's reads as units, one ciphertext each */
    uint8_t digest[HB_DIGEST_BYTES]; /* of the inputs */
    hb_units todo;                   /* units of the output that this rank makes */
    hb_add_schedule schedule;
    hb_adder adder;
    hb_add_buffer buffer[HB_PIPELINE_MOST_BUFFERS];
    hb_rows made;        /* a unit of the output */
    uint64_t units_made; /* units of the output that were made; by all ranks once the run has ended */
} hb_add_job;

/* Inspects all headers and makes the plan; writes nothing. Collective. Fails as hb_sum_header_add and
 * hb_add_inputs_check_different do; HB_ENOINPUT; HB_EUSAGE for an output that is an input. The caller runs job->base,
 * which makes the dataset or leaves nothing under its name (NAME.partial stays to be continued, unless an input was
 * bad), and closes it in any case (batch/job/job.h). */
hb_status hb_add_job_open(hb_add_job *job, hb_group *group, const hb_common *common, const hb_add_options *options);

#endif
