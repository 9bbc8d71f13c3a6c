/* Verifies a dataset: checksums and ranges of residues always, values against a table with the secret key. */
#ifndef HB_TABLES_VERIFY_JOB_H
#define HB_TABLES_VERIFY_JOB_H

#include "decryption.h"

/* What the command line says; texts are borrowed. */
typedef struct hb_verify_options {
    hb_job_options job;
    const char *input, *key, *against, *same_as; /* the last three NULL when not asked for */
    hb_reading *reading; /* of the table to compare with: what is said of it; columns of the dataset come to it */
    double tolerance;    /* by how much reals may differ from the table's; negative: by what is proven of the dataset */
} hb_verify_options;

/* The job; hb_job_close of `base` zeroes all of it. Without a table workers have rows and residues, with one
 * decryptors. */
typedef struct hb_verify_job {
    hb_job base;
    bool one_residue; /* a shard on its own is of one residue, whatever the whole has */
    hb_verify_options options;
    hb_table *table;                    /* to compare with, or NULL */
    hb_unit_rows rows[HB_MOST_WORKERS]; /* [workers], without a table */
    hb_batch residues[HB_MOST_WORKERS]; /* [workers], without a table: one component of a batch */
    hb_decryption decryption;           /* its decryptors only with a table */
    double tolerance;                   /* of this dataset; 0 of integers */
    hb_cells_gap most;                  /* where reals differ most, of all ranks in the end */
    bool differs;                       /* this rank found a difference */
    hb_cell difference;                 /* the first one that it found */
} hb_verify_job;

/* Opens what is verified, and makes the plan. Collective. Returns HB_EDATA for damage, or where ranks see different
 * datasets; HB_DIFFERS for a table of another shape. The caller runs job->base, which returns HB_DIFFERS for the first
 * difference, and closes it in any case (batch/job.h). `same_as` is compared by its stored sums alone: the caller
 * verifies it first. */
hb_status hb_verify_job_open(hb_verify_job *job, hb_group *group, const hb_common *common,
                             const hb_verify_options *options);

/* Writes where reals differ most, "most in row 3, column 'a': 0.25001 for 0.25". */
#define HB_GAP_TEXT 400
void hb_verify_gap_text(char text[HB_GAP_TEXT], const hb_verify_job *job);

#endif
