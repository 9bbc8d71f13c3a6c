/* Verifying a dataset: checksums always, values against a table with the secret key. */
#ifndef HB_VERIFY_JOB_H
#define HB_VERIFY_JOB_H

#include "decrypt_job.h"

typedef struct hb_verify_job {
    hb_group *group;
    const hb_common *common;
    const char *input, *key, *against, *same_as; /* the last three NULL when not asked for */
    hb_session session;
    hb_dataset *dataset;
    const hb_header *header; /* of the dataset */
    hb_table *table;         /* to compare with, or NULL */
    hb_plan plan;
    hb_units units;
    hb_cells cells;
    hb_slots slots;
    hb_unit_rows rows;           /* without a key ... */
    hb_unit_decryptor decryptor; /* ... or with one */
    bool differs;                /* the first difference of this rank */
    uint64_t row, column;
    hb_pipeline_times times;
    hb_budgets budgets; /* of all ranks */
} hb_verify_job;

/* Collective; the same status on all ranks. The caller has set the first lines of an otherwise zeroed job and closes it
 * in any case. same_as is compared by its stored sums: verify it first. HB_EDATA for damage, HB_DIFFERS for the first
 * difference. */
hb_status hb_verify(hb_verify_job *job);
void hb_verify_close(hb_verify_job *job);

#endif
