/* The checkpoints of the current pass of a job. */
#ifndef HB_EVAL_PASS_CHECKPOINTS_H
#define HB_EVAL_PASS_CHECKPOINTS_H

#include "base/status.h"

struct hb_eval_job;

/* Begins job->pass, if its row instructions have resume points; finds the checkpoints of an earlier job or run, and
 * prints their number. Collective. HB_ECREATE, HB_EIO, HB_ENOMEM. */
hb_status hb_pass_checkpoints_begin(struct hb_eval_job *job);
/* Prints how many steps were resumed, refused and interrupted. Collective; the last error stays as it was. */
hb_status hb_pass_checkpoints_report(struct hb_eval_job *job);
/* Removes the files of all passes, those of sums and totals included, on rank 0, once the dataset has its name. A
 * file that cannot be removed only takes space. */
void hb_pass_checkpoints_remove_all(const struct hb_eval_job *job);

#endif
