/* Brings a dataset under another key, by a rekeying key alone: every ciphertext is switched once. Under the key of
 * another person it is sanitized then, with the public key (batch/unit/unit_sanitize.h), before it is stored: no
 * ciphertext exists that shows its holder the errors, which are functions of the old secret. */
#ifndef HB_REKEY_JOB_H
#define HB_REKEY_JOB_H

#include "batch/unit/unit_sanitize.h"
#include "moving_key.h"
#include "output/change_job.h"
#include "output/kept_root.h"
#include "scheme/evaluator.h"

/* Options of the command line; texts are borrowed. */
typedef struct hb_rekey_options {
    hb_change_options base;
    const char *keys; /* a rekeying key, or a folder with one from the dataset's key */
    /* For the key of another person: the public key, NULL: not given; and HB_SANITIZE_LEAST_BITS ..
     * HB_SANITIZE_MOST_BITS of statistical distance. */
    const char *key;
    uint32_t bits;
    const char *another_only; /* an option that is given and has a meaning with such a key alone; NULL: none is */
    bool test_seed;
    hb_seed root; /* given with test_seed, else drawn by the job where it sanitizes */
} hb_rekey_options;

/* The part of a worker, on its queue. */
typedef struct hb_rekeyer {
    hb_evaluator *evaluator;
    hb_unit_sanitizer sanitizer; /* with room for a batch, where ciphertexts are sanitized; else zeroed, and ... */
    hb_ciphertexts some;         /* ... this has room for a batch */
} hb_rekeyer;

/* The job; hb_job_close of its hb_job zeroes all of it. */
typedef struct hb_rekey_job {
    hb_change_job base;
    hb_rekey_options options;
    uint8_t input_sum[HB_DIGEST_BYTES]; /* of the dataset */
    hb_moving_key key;
    bool sanitizes;    /* the key is that of another person; else the next three are zeros */
    hb_sanitizing how; /* of this residue */
    hb_kept_root root; /* of all residues */
    double budget;     /* proven bits of the input */
    hb_rekeyer rekeyer[HB_MOST_WORKERS];
} hb_rekey_job;

/* Looks at the dataset and the keys, and makes the plan; writes nothing. Collective. Fails as hb_moving_key_open,
 * hb_moving_key_require_receiver and hb_moved_header_make do; HB_EUSAGE where the output is the input, where the public
 * key of another person is missing, or something was given that serves such keys alone. The caller runs job->base,
 * which makes the dataset or leaves nothing under its name (NAME.partial stays to be continued, unless the input was
 * bad), and closes it in any case (batch/job/job.h). */
hb_status hb_rekey_job_open(hb_rekey_job *job, hb_group *group, const hb_common *common,
                            const hb_rekey_options *options);

#endif
