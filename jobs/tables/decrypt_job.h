/* Decrypting a dataset: what the ranks do, in order. */
#ifndef HB_TABLES_DECRYPT_JOB_H
#define HB_TABLES_DECRYPT_JOB_H

#include "batch/cells.h"
#include "batch/phases.h"
#include "batch/plan.h"
#include "batch/ranks.h"
#include "batch/unit_decrypt.h"
#include "machine/background.h"

typedef struct hb_decrypt_options {
    hb_device_choice device;
    hb_limb_choice limbs;
    const char *key, *input, *output;
    bool force;
} hb_decrypt_options;

typedef struct hb_decrypt_job {
    hb_group *group;
    const hb_common *common;
    hb_decrypt_options options;
    hb_device device;
    hb_session session;
    hb_dataset *dataset;
    const hb_header *header; /* of the dataset */
    hb_plan plan;
    hb_units units;
    hb_cells cells;
    hb_unit_buffers buffers;
    hb_unit_decryptor decryptor[HB_MOST_WORKERS]; /* [plan.lanes.count] */
    hb_table_writer *writer;
    hb_background reserving; /* the space of the table, by who makes it */
    hb_phases phases;
    hb_pipeline_times times;
    hb_budgets budgets;          /* after the run: of all ranks, */
    hb_exchange_stats exchanged; /* likewise */
} hb_decrypt_job;

/* Collective, in this order; each returns the same status on all ranks. Open checks key, dataset and output and touches
 * nothing. Run makes the table or leaves nothing under its name. The caller closes in any case. */
hb_status hb_decrypt_job_open(hb_decrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_decrypt_options *options);
hb_status hb_decrypt_job_run(hb_decrypt_job *job);
void hb_decrypt_job_close(hb_decrypt_job *job);

/* A session for decrypting the dataset, not started; HB_EDATA for a public key, another key or other parameters. Not
 * collective. The caller closes *session, also after a failure. */
hb_status hb_decrypt_job_session(hb_session *session, const hb_header *header, const char *key_path,
                                 const char *dataset_path);
/* A decryptor for each of the lanes, on queues that this opens. */
hb_status hb_decrypt_job_lanes(hb_unit_decryptor decryptor[HB_MOST_WORKERS], hb_session *session,
                               const hb_header *header, const hb_lanes *lanes);
/* Collective: the budgets of all decryptors of all ranks, each ciphertext's once. */
hb_status hb_decrypt_job_gather(const hb_session *session, const hb_unit_decryptor decryptor[HB_MOST_WORKERS],
                                const hb_lanes *lanes, hb_budgets *all);

#endif
