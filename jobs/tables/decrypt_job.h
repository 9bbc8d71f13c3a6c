/* Decrypting a dataset. */
#ifndef HB_TABLES_DECRYPT_JOB_H
#define HB_TABLES_DECRYPT_JOB_H

#include "decryption.h"
#include "machine/background.h"

typedef struct hb_decrypt_options {
    hb_job_options job;
    const char *key, *input, *output;
    bool force;
} hb_decrypt_options;

typedef struct hb_decrypt_job {
    hb_job base;
    hb_decrypt_options options;
    hb_decryption decryption;
    hb_table_writer *writer;
    hb_background reserving; /* the space of the table, by who makes it */
} hb_decrypt_job;

/* Collective: checks key, dataset and output. The caller runs job->base, which makes the table or leaves nothing under
 * its name, and closes it in any case (batch/job.h). */
hb_status hb_decrypt_job_open(hb_decrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_decrypt_options *options);

#endif
