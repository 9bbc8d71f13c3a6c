/* Refreshes a dataset of integers: every ciphertext goes through the planned passes of bootstrapping
 * (scheme/bootstrap.h), from the level that it has to the users' highest. The same values, with more noise budget. */
#ifndef HB_PASSES_JOB_H
#define HB_PASSES_JOB_H

#include "keys/key_files.h"
#include "output/change_job.h"
#include "plan.h"
#include "scheme/bootstrap.h"
#include "scheme/evaluator.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_refresh_options {
    hb_change_options base;
    const char *keys;       /* the folder of keys */
    hb_certainty certainty; /* of the bounds that passes are planned from */
    uint32_t passes;        /* the most of them; 0: as many as gain something */
} hb_refresh_options;

/* The part of a worker, on its queue. */
typedef struct hb_refresher {
    hb_evaluator *evaluator;
    hb_bootstrap *bootstrap; /* that of the first worker has the maps of all */
    hb_ciphertexts from;     /* room for a batch as it is stored, where that has fewer limbs than users have; ... */
    hb_ciphertexts some;     /* ... and for one of the users' limbs */
} hb_refresher;

/* The job; hb_job_close of its hb_job zeroes all of it. */
typedef struct hb_refresh_job {
    hb_change_job base;
    hb_refresh_options options;
    uint8_t input_sum[HB_DIGEST_BYTES]; /* of the dataset */
    hb_refresh_plan plan;               /* of this residue */
    hb_key_files *key_files;            /* of the directory */
    uint64_t key_file_bytes;
    hb_refresher refresher[HB_MOST_WORKERS];
} hb_refresh_job;

/* Looks at the dataset and the keys, and makes the plan; writes nothing. Collective. Fails as hb_refresh_plan_make and
 * hb_key_store_find do; HB_EDATA where the keys are of another pair or chain. The caller runs the job, which makes the
 * dataset or leaves nothing under its name (NAME.partial stays to be continued, unless the input was bad), and closes
 * it in any case (batch/job/job.h). */
hb_status hb_refresh_job_open(hb_refresh_job *job, hb_group *group, const hb_common *common,
                              const hb_refresh_options *options);

#endif
