/* Between passes: the totals that later passes read, in a file beside the first output, NAME.partial/totals-PASS. A job
 * that was stopped or killed continues after that pass, on any number of ranks. The last file counts, as a whole or not
 * at all. Everything except pardon and look is collective. */
#ifndef HB_EVAL_TOTALS_CHECKPOINT_H
#define HB_EVAL_TOTALS_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct hb_eval_job;

/* The passes that are stored. Zeroed: none. */
typedef struct hb_totals_checkpoint {
    uint32_t done, stored; /* passes whose totals are known; passes whose totals are in the file */
    double at;             /* when the file was written, or the first pass began (hb_now) */
    bool warned;           /* the user was warned that a checkpoint of sums or totals could not be stored */
} hb_totals_checkpoint;

/* Begins before the first pass. Takes over the totals of an earlier job, if they fit and no output lacks rows that
 * those passes store, and logs it; job->pass is then the next pass, else 0. */
hb_status hb_totals_checkpoint_begin(struct hb_eval_job *job);
/* Notes that the totals of job->pass are known, and stores them if other passes follow and the checkpoint interval is
 * over. A warning names a checkpoint that cannot be stored. */
hb_status hb_totals_checkpoint_note(struct hb_eval_job *job);
/* Stores the totals of the last finished pass, unless they are stored: a pass that continues needs them. After a
 * failure the existing file is unchanged. HB_ENOMEM, HB_ECREATE, HB_EIO, HB_ECOMM. */
hb_status hb_totals_checkpoint_store(struct hb_eval_job *job);
/* For a checkpoint of sums or totals within a job: where it could not be stored for want of disk or memory, warns once
 * in a job and returns HB_OK, as results do not need it. The next checkpoint is tried at its time. Returns other
 * failures. */
hb_status hb_totals_checkpoint_pardon(struct hb_eval_job *job, hb_status stored);

/* For `hebatch status`: returns in *passes how many passes of NAME.partial are finished, by the names of its files.
 * HB_ECREATE when the folder cannot be opened, HB_EIO when it cannot be listed. */
hb_status hb_totals_checkpoint_look(const char *folder, uint32_t *passes);

#endif
