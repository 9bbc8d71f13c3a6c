/* Between passes: the totals that later passes read, in a file beside the first output, NAME.partial/totals-PASS, from
 * which a job that was stopped or killed goes on behind that pass, on any number of ranks. The last file counts, as a
 * whole or not at all. Everything except pardon and look is collective. */
#ifndef HB_EVAL_TOTALS_CHECKPOINT_H
#define HB_EVAL_TOTALS_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct hb_eval_job;

/* What of a job's passes is stored. Zeroed: nothing. */
typedef struct hb_totals_checkpoint {
    uint32_t done, stored; /* passes whose totals are there; in the file */
    double at;             /* when the file was written, or the first pass began (hb_now) */
    bool warned;           /* a checkpoint of sums or totals could not be stored, and somebody was told */
} hb_totals_checkpoint;

/* Begins before the first pass. Takes over what an earlier job stored, if that fits and no output lacks what those
 * passes store, and says so; job->pass is then the first one that is left, else 0. */
hb_status hb_totals_checkpoint_begin(struct hb_eval_job *job);
/* Notes that the totals of job->pass are there, and stores them if others follow and the time between checkpoints is
 * over. What cannot be stored is warned of. */
hb_status hb_totals_checkpoint_note(struct hb_eval_job *job);
/* Stores those of the last pass that is done, unless they are stored: what goes on within a pass needs them. Where
 * that fails the file that was there is as it was. HB_ENOMEM, HB_ECREATE, HB_EIO, HB_ECOMM. */
hb_status hb_totals_checkpoint_store(struct hb_eval_job *job);
/* Of a checkpoint of sums or totals that was to be stored in the midst of a job: where it could not be, for want of
 * disk or memory, warns, the first time in a job, and returns HB_OK, as the results do not need it; the next one is
 * tried when its time has come. Other failures are returned. */
hb_status hb_totals_checkpoint_pardon(struct hb_eval_job *job, hb_status stored);

/* For `hebatch status`: returns how many passes of NAME.partial are done by the names of files there, 0: none. */
uint32_t hb_totals_checkpoint_look(const char *folder);

#endif
