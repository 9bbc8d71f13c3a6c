/* Sanitizes a dataset (scheme/sanitize.h): the same table, in ciphertexts that do not say how they were computed. */
#ifndef HB_TABLES_SANITIZE_JOB_H
#define HB_TABLES_SANITIZE_JOB_H

#include "batch/unit/unit_sanitize.h"
#include "io/keys/checked_keys.h"
#include "output/change_job.h"
#include "output/kept_root.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_sanitize_options {
    hb_change_options base;
    const char *key;
    uint32_t bits; /* HB_SANITIZE_LEAST_BITS .. HB_SANITIZE_MOST_BITS */
    bool open;     /* an encryption of zero alone, whose seed the header says */
    bool test_seed;
    hb_seed root; /* given with test_seed, else drawn by the job */
    /* The seed that the header of opened ciphertexts of one residue says, to make them again; borrowed; NULL: it
     * follows from the root. */
    const hb_seed *zero;
    const hb_checked_keys *checked; /* the key is one of these; borrowed; NULL: any */
} hb_sanitize_options;

/* The job; hb_job_close of `base` zeroes all of it. */
typedef struct hb_sanitize_job {
    hb_change_job base;
    hb_sanitize_options options;                  /* the root is wiped by closing */
    hb_sanitizing how;                            /* of this residue */
    double budget;                                /* proven bits of the input */
    hb_kept_root root;                            /* of all residues */
    hb_unit_sanitizer sanitizer[HB_MOST_WORKERS]; /* [workers] */
} hb_sanitize_job;

/* Makes the plan and writes nothing. Collective. HB_EUSAGE for a secret key; HB_EDATA where the budget is too short,
 * the scheme is not BFV, noise is not proven, or the key is another; errors of opening. The caller runs job->base.job,
 * which makes the dataset or leaves nothing under its name (NAME.partial stays to be continued, unless the input was
 * bad), and closes it in any case (batch/job/job.h). */
hb_status hb_sanitize_job_open(hb_sanitize_job *job, hb_group *group, const hb_common *common,
                               const hb_sanitize_options *options);

#endif
