/* Encrypting a table: what the ranks do, in order. */
#ifndef HB_ENCRYPT_JOB_H
#define HB_ENCRYPT_JOB_H

#include "cells.h"
#include "plan.h"
#include "resume.h"
#include "shards.h"
#include "unit_encrypt.h"

typedef struct hb_encrypt_options {
    hb_device_choice device;
    const char *key, *table, *output;
    hb_packing_order order;
    hb_encoding encoding;
    hb_distribution errors;
    bool force, resume, test_seed;
    hb_seed root; /* with test_seed; else drawn */
} hb_encrypt_options;

typedef struct hb_encrypt_job {
    hb_group *group;
    const hb_common *common;
    hb_encrypt_options options; /* the root is wiped by close */
    hb_device device;
    hb_session session;
    hb_table *table;
    hb_header header;
    hb_resume described; /* with the ranks that the shards are laid out for */
    hb_plan plan;
    hb_cells cells;
    hb_slots slots;
    hb_unit_encryptor encryptor[HB_PIPELINE_MOST_WORKERS]; /* [plan.lanes.count] */
    hb_shards shards;
    hb_unit_map stored, finished; /* units with a sum as the job began; those among them whose rows agree with it */
    hb_units todo;                /* the others */
    int lock;                     /* rank 0: on NAME.partial; -1: none */
    bool resumed;                 /* there is a NAME.partial to continue */
    bool begun;                   /* rank 0: this job writes NAME.partial ... */
    bool unfinished;              /* ... and has not renamed it yet */
    bool worthless;               /* of what it wrote nothing can come */
    hb_pipeline_times times;
    uint8_t sum[HB_DIGEST_BYTES]; /* rank 0: of the dataset made */
} hb_encrypt_job;

/* Collective, in this order; each returns the same status on all ranks. Open finds out everything for the plan and
 * touches nothing. Run makes the dataset or leaves nothing under its name; NAME.partial stays to be continued, unless
 * the input was bad. The caller closes in any case. */
hb_status hb_encrypt_job_open(hb_encrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_encrypt_options *options);
hb_status hb_encrypt_job_run(hb_encrypt_job *job);
void hb_encrypt_job_close(hb_encrypt_job *job);

#endif
