/* Computes a result again, as the owner of a joint key does before he makes a part of it: a dataset that somebody made
 * up is not what the expression makes of inputs that he knows. */
#ifndef HB_COMMANDS_RECOMPUTE_H
#define HB_COMMANDS_RECOMPUTE_H

#include "base/digest.h"
#include "batch/job/job.h"
#include "cli/words.h"
#include "recompute_inputs.h"

typedef struct hb_recompute_request {
    hb_words line;             /* of eval: recompute_words.h */
    hb_job_options job;        /* device and limbs are taken of it */
    const char *key, *session; /* of the owner: what he compared (--check) says which keys are taken */
    const char *input;         /* the dataset to compare with */
    const char *output; /* beside which a private folder is, as long as this runs: OUTPUT.recomputed.0123456789abcdef */
    bool dry_run;       /* compares headers alone, and prints the plan */
} hb_recompute_request;

/* The outcome. */
typedef struct hb_recomputed {
    char sum[2 * HB_DIGEST_BYTES + 1]; /* as digits; empty in a dry run */
    json_t *inputs;                    /* for reports, on rank 0 (recompute_inputs.h); the caller's; NULL: not known */
} hb_recomputed;

/* Runs the job of eval, and of hebatch sanitize --open where the dataset is of that, into a private folder, which is
 * removed in any case, and compares the sum with the dataset's. Collective. HB_EUSAGE where no output, or more than
 * one, can be the dataset; HB_EDATA where the dataset is another one, or sanitized, which nobody can compute again,
 * where it is under a key that the owner did not compare, or a key for computing is none of those that he compared, and
 * where an input has another sum than is demanded; HB_ECREATE, and the errors of eval. */
hb_status hb_recompute(hb_group *group, const hb_common *common, const hb_recompute_request *request,
                       hb_recomputed *made);

#endif
