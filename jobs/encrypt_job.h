/* Encrypting a table: what the ranks do, in order. */
#ifndef HB_ENCRYPT_JOB_H
#define HB_ENCRYPT_JOB_H

#include "cells.h"
#include "plan.h"
#include "ranks.h"
#include "unit_encrypt.h"

typedef struct hb_encrypt_options {
    const char *key, *table, *output;
    hb_packing_order order;
    hb_encoding encoding;
    hb_distribution errors;
    bool force, test_seed;
    hb_seed root; /* with test_seed; else drawn */
} hb_encrypt_options;

typedef struct hb_encrypt_job {
    hb_group *group;
    const hb_common *common;
    hb_encrypt_options options; /* the root is wiped by close */
    hb_session session;
    hb_table *table;
    hb_header header;
    hb_plan plan;
    hb_units units;
    hb_cells cells;
    hb_slots slots;
    hb_unit_encryptor encryptor;
    hb_shard_writer **shards; /* [shard_count] of this rank */
    hb_part *parts;           /* likewise */
    uint32_t shard_count, writing;
    bool begun;      /* rank 0: this job made NAME.partial ... */
    bool unfinished; /* ... and has not renamed it yet */
    hb_pipeline_times times;
    uint8_t sum[HB_DIGEST_BYTES]; /* rank 0: of the dataset made */
} hb_encrypt_job;

/* Collective, in this order; each returns the same status on all ranks. Open finds out everything for the plan and
 * touches nothing. Run makes the dataset or leaves nothing under its name. The caller closes in any case. */
hb_status hb_encrypt_open(hb_encrypt_job *job, hb_group *group, const hb_common *common,
                          const hb_encrypt_options *options);
hb_status hb_encrypt_run(hb_encrypt_job *job);
void hb_encrypt_close(hb_encrypt_job *job);

#endif
