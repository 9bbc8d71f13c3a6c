/* Verifying a dataset: checksums and ranges of residues always, values against a table with the secret key. */
#ifndef HB_TABLES_VERIFY_JOB_H
#define HB_TABLES_VERIFY_JOB_H

#include "decrypt_job.h"

typedef struct hb_verify_options {
    const char *input, *key, *against, *same_as; /* the last three NULL when not asked for */
    hb_device_choice device;
    hb_limb_choice limbs;
} hb_verify_options;

typedef struct hb_verify_job {
    hb_group *group;
    const hb_common *common;
    hb_verify_options options;
    hb_device device;
    hb_session session;
    hb_dataset *dataset;
    const hb_header *header; /* of the dataset */
    hb_table *table;         /* to compare with, or NULL */
    hb_plan plan;
    hb_units units;
    hb_cells cells;
    hb_unit_buffers buffers;
    hb_unit_rows rows[HB_MOST_WORKERS];           /* [plan.lanes.count], without a key, ... */
    hb_batch residues[HB_MOST_WORKERS];           /* ... one component of plan.lanes.batch, ... */
    hb_unit_decryptor decryptor[HB_MOST_WORKERS]; /* ... or with one */
    bool differs;                                 /* the first difference of this rank */
    uint64_t row, column;
    hb_pipeline_times times;
    hb_budgets budgets;          /* of all ranks, */
    hb_exchange_stats exchanged; /* likewise */
} hb_verify_job;

/* Collective, in this order; each returns the same status on all ranks. Open checks that all ranks see the same
 * dataset. HB_EDATA for damage; HB_DIFFERS for a table of another shape and for the first difference; same_as is
 * compared by its stored sums: verify it first. The caller closes in any case. */
hb_status hb_verify_job_open(hb_verify_job *job, hb_group *group, const hb_common *common,
                             const hb_verify_options *options);
hb_status hb_verify_job_run(hb_verify_job *job);
void hb_verify_job_close(hb_verify_job *job);

#endif
