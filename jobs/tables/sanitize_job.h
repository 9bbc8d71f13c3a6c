/* Sanitizes a dataset (scheme/sanitize.h): the same table, in ciphertexts that do not say how they were computed. */
#ifndef HB_TABLES_SANITIZE_JOB_H
#define HB_TABLES_SANITIZE_JOB_H

#include "batch/job/job.h"
#include "batch/unit/unit_rows.h"
#include "batch/unit/unit_sanitize.h"
#include "io/keys/checked_keys.h"
#include "output/kept_root.h"
#include "output/output_job.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_sanitize_options {
    hb_job_options job;
    hb_output_found *found; /* of the output, for reports; borrowed, not NULL */
    const char *key, *input, *output;
    uint32_t bits; /* HB_SANITIZE_LEAST_BITS .. HB_SANITIZE_MOST_BITS */
    bool open;     /* an encryption of zero alone, whose seed the header says */
    bool force, resume, test_seed;
    bool dry_run; /* only the plan is wanted */
    hb_seed root; /* given with test_seed, else drawn by the job */
    /* The seed that the header of opened ciphertexts of one residue says, to make them again; borrowed; NULL: it
     * follows from the root. */
    const hb_seed *zero;
    const hb_checked_keys *checked; /* the key is one of these; borrowed; NULL: any */
} hb_sanitize_options;

/* The work of a worker: units from stored rows to stored rows. */
typedef struct hb_sanitize_worker {
    hb_unit_rows from, to; /* of the two datasets, whose units have the same ciphertexts */
    hb_unit_sanitizer sanitizer;
} hb_sanitize_worker;

/* The job; hb_job_close of `base` zeroes all of it. */
typedef struct hb_sanitize_job {
    hb_output_job base;          /* of the units that are not stored yet */
    hb_sanitize_options options; /* the root is wiped by closing */
    hb_dataset *dataset;
    hb_header header;                           /* of the output */
    hb_sanitizing how;                          /* of this residue */
    double budget;                              /* proven bits of the input */
    hb_kept_root root;                          /* of all residues */
    hb_rows read[HB_PIPELINE_MOST_BUFFERS];     /* units of the dataset */
    hb_sanitize_worker worker[HB_MOST_WORKERS]; /* [workers] */
} hb_sanitize_job;

/* Makes the plan and writes nothing. Collective. HB_EUSAGE for a secret key; HB_EDATA where the budget is too short,
 * the scheme is not BFV, noise is not proven, or the key is another; errors of opening. The caller runs job->base.job,
 * which makes the dataset or leaves nothing under its name (NAME.partial stays to be continued, unless the input was
 * bad), and closes it in any case (batch/job/job.h). */
hb_status hb_sanitize_job_open(hb_sanitize_job *job, hb_group *group, const hb_common *common,
                               const hb_sanitize_options *options);

#endif
