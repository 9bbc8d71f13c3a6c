/* Verifies a dataset: always its checksums and the ranges of residues; with the secret key also its values against a
 * table. */
#ifndef HB_TABLES_VERIFY_JOB_H
#define HB_TABLES_VERIFY_JOB_H

#include <stdio.h>
#include <string.h>

#include "decryption.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_verify_options {
    hb_job_options job;
    const char *input, *key, *against, *same_as; /* the last three NULL when not given */
    hb_reading *reading;                         /* of the table to compare with; the dataset's columns are added */
    double tolerance; /* by how much reals may differ from the table's; negative: by the dataset's proven bound */
} hb_verify_options;

/* The job; hb_job_close of `base` zeroes all of it. Without a table workers have rows and residues; with a table they
 * have decryptors. */
typedef struct hb_verify_job {
    hb_job base;
    bool one_residue; /* a shard on its own has one residue, also of a dataset of several */
    hb_verify_options options;
    hb_table *table;                    /* to compare with, or NULL */
    hb_unit_rows rows[HB_MOST_WORKERS]; /* [workers], without a table */
    hb_batch residues[HB_MOST_WORKERS]; /* [workers], without a table: one component of a batch */
    hb_decryption decryption;           /* its decryptors only with a table */
    double tolerance;                   /* of this dataset; 0 of integers */
    hb_cells_gap most;                  /* where reals differ most, over all ranks at the end */
    bool differs;                       /* this rank found a difference */
    hb_cell difference;                 /* the first one that it found */
} hb_verify_job;

/* Opens the dataset to verify, and makes the plan. Collective. Returns HB_EDATA for damage, or where ranks see
 * different datasets; HB_DIFFERS for a table of another shape. The caller runs job->base, which returns HB_DIFFERS for
 * the first difference, and closes it in any case (batch/job/job.h). `same_as` is compared by its stored sums alone:
 * the caller verifies it first. */
hb_status hb_verify_job_open(hb_verify_job *job, hb_group *group, const hb_common *common,
                             const hb_verify_options *options);

/* Writes the place where reals differ most: "most in row 3, column 'a': 0.25001 for 0.25". */
#define HB_GAP_TEXT 400
void hb_verify_gap_text(char text[HB_GAP_TEXT], const hb_verify_job *job);
/* Adds to what is said of a difference that the table has no column of that name, and which one stands in its place:
 * --derive may have made it. */
static inline void hb_verify_name_other(const hb_verify_job *job, char *text, size_t bytes)
{
    const hb_schema *own = &job->base.header->schema, *other = hb_table_schema(job->table);
    const uint64_t c = job->difference.column;
    const size_t length = strlen(text);
    const bool named = own->named && other->named && c < own->columns && c < other->columns;
    if (named && strcmp(own->column[c].name, other->column[c].name) != 0) {
        snprintf(text + length, bytes - length,
                 "; the table has no such column, and %.64s in its place: if --derive made '%.64s' when the table was "
                 "encrypted, repeat that --derive",
                 other->column[c].name, own->column[c].name);
    }
}

#endif
