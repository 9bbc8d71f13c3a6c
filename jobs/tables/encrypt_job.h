/* Encrypts a table into a dataset. */
#ifndef HB_TABLES_ENCRYPT_JOB_H
#define HB_TABLES_ENCRYPT_JOB_H

#include "append_plan.h"
#include "batch/job/job.h"
#include "batch/unit/unit_encrypt.h"
#include "encrypt_level.h"
#include "encrypt_ranges.h"
#include "output/appended_rows.h"
#include "output/output_job.h"
#include "output/values_log.h"
#include "pairs.h"

/* The way in which a table fills ciphertexts. */
typedef enum hb_packing_choice {
    HB_CHOOSE_COLUMNS,
    HB_CHOOSE_ROWS, /* reals in blocks, integers one after another */
    HB_CHOOSE_BEST  /* for reals, the packing that takes less time to compute with (hb_work_layer) */
} hb_packing_choice;

/* Options of the command line; texts are borrowed. */
typedef struct hb_encrypt_options {
    hb_job_options job;
    hb_output_found *found; /* of the output, for reports; borrowed; NULL: of this residue alone */
    const char *key, *output;
    const char *key_id;    /* in hexadecimal digits: the required key; NULL: any key */
    hb_table_list tables;  /* several are encrypted as one */
    hb_reading *reading;   /* of the table, not NULL; a growing dataset's columns are added */
    const hb_texts *pairs; /* NULL: none */
    hb_packing_choice packing;
    uint64_t block; /* slots of a row, with packing by rows; 0: as few as hold it */
    hb_encoding encoding;
    hb_encrypt_level level;
    hb_distribution errors;
    hb_encrypt_ranges ranges; /* borrowed */
    bool force, resume, test_seed;
    bool dry_run; /* only the plan is wanted */
    bool fill;    /* the table's only row is repeated in the place of every row */
    bool spread;  /* or stands in one ciphertext, which eval takes apart; packing and encoding follow from it */
    bool append;  /* the output is an existing dataset, which gets the rows after its own */
    hb_seed root; /* given with test_seed, else drawn by the job */
} hb_encrypt_options;

/* The job; hb_job_close of `base` zeroes all of it. */
typedef struct hb_encrypt_job {
    hb_output_job base;         /* of the units that are not stored yet */
    hb_encrypt_options options; /* the root is wiped by closing */
    hb_table *table;
    hb_append_plan append_plan; /* for an existing dataset */
    hb_appended_rows appended;  /* rank 0: the rows to append */
    hb_header header;
    hb_values_log log;
    bool measured;                                /* ranges of columns were measured, and are in the header */
    hb_unit_encryptor encryptor[HB_MOST_WORKERS]; /* [workers] */
} hb_encrypt_job;

/* Makes the plan and writes nothing. Collective. The caller runs job->base.job, which makes the dataset or leaves
 * nothing under its name (NAME.partial stays to be continued, unless the input was bad), and closes it in any case
 * (batch/job/job.h). */
hb_status hb_encrypt_job_open(hb_encrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_encrypt_options *options);

#endif
