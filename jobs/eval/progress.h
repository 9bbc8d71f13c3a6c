/* How far a computation is, by its predicted work (lang/cost/program_cost.h). Rank-local. */
#ifndef HB_EVAL_PROGRESS_H
#define HB_EVAL_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>

#include "batch/job/ranks.h"
#include "rlwe/op_progress.h"

struct hb_eval_job;

/* Zeroed: no pass has begun. */
typedef struct hb_eval_progress {
    double started;                   /* when the first run over rows, or the first totals, began ... */
    uint64_t began;                   /* ... and the work that was done by then */
    hb_ranks_pulse pulse;             /* of the run over rows */
    hb_progress *totals;              /* of the totals that are computed now, borrowed; NULL: none are */
    atomic_uint_fast64_t totals_done; /* work of this rank, by all of its workers, ... */
    uint64_t totals_own;              /* ... of so much */
    pthread_t owner;                  /* the thread that shows it: that of the group */
} hb_eval_progress;

/* Returns what comes next in the current pass, of all ranks, with what is before and after it in the job: its totals,
 * or else the run over the rows that are left of it, job->base.units. For the thread
 * that owns the group. Ranks take about as long for their totals: how far this one is then stands for all. */
hb_progress_work hb_eval_progress_work(struct hb_eval_job *job, bool totals);
/* Counts work that a worker has done, and shows the step that it is at, in its thread. As a runner's meter; `job` is
 * the hb_eval_job. */
void hb_eval_progress_worked(void *job, uint64_t work, const hb_op_step *step);

#endif
