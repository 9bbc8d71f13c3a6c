/* Encrypts a table into a dataset. */
#ifndef HB_TABLES_ENCRYPT_JOB_H
#define HB_TABLES_ENCRYPT_JOB_H

#include "batch/job.h"
#include "batch/unit_encrypt.h"
#include "encrypt_ranges.h"
#include "grown.h"
#include "output/output_dataset.h"
#include "pairs.h"

/* How a table fills ciphertexts. */
typedef enum hb_packing_choice {
    HB_CHOOSE_COLUMNS,
    HB_CHOOSE_ROWS, /* of reals in blocks, of integers one after another */
    HB_CHOOSE_BEST  /* of reals that which takes less time to compute with (hb_work_layer) */
} hb_packing_choice;

/* What the command line says; texts are borrowed. */
typedef struct hb_encrypt_options {
    hb_job_options job;
    const char *key, *output;
    hb_table_list tables;  /* several are encrypted as one */
    hb_reading *reading;   /* of the table, not NULL; columns of a dataset that grows come to it */
    const hb_texts *pairs; /* NULL: none */
    hb_packing_choice packing;
    uint64_t block; /* slots of a row, by rows; 0: as few as hold it */
    hb_encoding encoding;
    hb_distribution errors;
    hb_encrypt_ranges ranges; /* borrowed */
    bool force, resume, test_seed;
    bool dry_run; /* only the plan is wanted */
    bool fill;    /* the only row of the table stands in the place of every row */
    bool append;  /* the output is a dataset that is there, and gets the rows behind its own */
    hb_seed root; /* given with test_seed, else drawn by the job */
} hb_encrypt_options;

/* The job; hb_job_close of `base` zeroes all of it. */
typedef struct hb_encrypt_job {
    hb_job base;                /* its units are those that are not there yet */
    hb_encrypt_options options; /* the root is wiped by closing */
    hb_table *table;
    hb_grown grown; /* of a dataset that is there */
    hb_header header;
    hb_output_dataset output;
    bool measured;                                /* ranges of columns were measured, and are in the header */
    hb_unit_encryptor encryptor[HB_MOST_WORKERS]; /* [workers] */
} hb_encrypt_job;

/* Finds out everything for the plan and touches nothing. Collective. The caller runs job->base, which makes the dataset
 * or leaves nothing under its name (NAME.partial stays to be continued, unless the input was bad), and closes it in any
 * case (batch/job.h). */
hb_status hb_encrypt_job_open(hb_encrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_encrypt_options *options);

#endif
