/* Encrypting a table: what the ranks do, in order. */
#ifndef HB_TABLES_ENCRYPT_JOB_H
#define HB_TABLES_ENCRYPT_JOB_H

#include "batch/cells.h"
#include "batch/phases.h"
#include "batch/unit_encrypt.h"
#include "cli/deadline.h"
#include "encrypt_ranges.h"
#include "output/output_dataset.h"

typedef struct hb_encrypt_options {
    hb_device_choice device;
    hb_limb_choice limbs;
    const char *key, *table, *output;
    hb_packing_order order;
    hb_encoding encoding;
    hb_distribution errors;
    hb_encrypt_ranges ranges; /* borrowed */
    bool force, resume, test_seed;
    double max_time; /* seconds; 0: not given */
    hb_seed root;    /* with test_seed; else drawn */
} hb_encrypt_options;

typedef struct hb_encrypt_job {
    hb_group *group;
    const hb_common *common;
    hb_encrypt_options options; /* the root is wiped by close */
    hb_device device;
    hb_session session;
    hb_table *table;
    hb_header header;
    hb_output_dataset output;
    hb_plan plan;
    hb_cells cells;
    hb_unit_buffers buffers;
    hb_unit_encryptor encryptor[HB_MOST_WORKERS]; /* [plan.lanes.count] */
    hb_units todo;                                /* units that are not there yet */
    hb_deadline deadline;
    hb_phases phases;
    hb_pipeline_times times;
    uint64_t units_done;         /* by all ranks */
    hb_exchange_stats exchanged; /* by all ranks, once the run is done */
} hb_encrypt_job;

/* Collective, in this order; each returns the same status on all ranks. Open finds out everything for the plan and
 * touches nothing. Run makes the dataset or leaves nothing under its name; NAME.partial stays to be continued, unless
 * the input was bad. The caller closes in any case. */
hb_status hb_encrypt_job_open(hb_encrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_encrypt_options *options);
hb_status hb_encrypt_job_run(hb_encrypt_job *job);
void hb_encrypt_job_close(hb_encrypt_job *job);

#endif
