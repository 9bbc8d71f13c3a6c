/* An evaluator's progress through a step, which may be interrupted at a resume point and resumed later. */
#ifndef HB_EVAL_UNIT_PROGRESS_H
#define HB_EVAL_UNIT_PROGRESS_H

#include "eval/checkpoint/checkpoint.h"
#include "lang/run/runner.h"

struct hb_unit_evaluator;

/* Progress through one step. */
typedef struct hb_unit_progress {
    uint64_t *done;                /* [row blocks of the step] finished instructions; owned */
    uint64_t first, count;         /* the current row blocks of the step */
    hb_checkpoint_file checkpoint; /* registers of row blocks that an earlier run began, until they are resumed */
    uint64_t generation;           /* of the step's latest checkpoint; 0: it has none */
    double looked, stored;         /* the times of the last look, and of the last checkpoint or the beginning */
    uint64_t passed, skips;        /* resume points since the last look, and how many to skip before the next */
    bool store_failed;             /* no further checkpoint of this step is tried */
} hb_unit_progress;

/* Begins the row blocks of x->step, whose inputs are in the buffer: from its checkpoint, or from the first instruction.
 * A checkpoint that does not fit counts as refused. Exchanges. HB_ENOMEM. The caller clears, also after a failure. */
hb_status hb_unit_progress_begin(struct hb_unit_evaluator *x);
void hb_unit_progress_clear(hb_unit_progress *progress);
/* Finds the next row blocks with equal progress, as many as are computed at a time. *more: there are some; then
 * progress->first and count name them, and their registers are loaded. */
hb_status hb_unit_progress_next(struct hb_unit_evaluator *x, bool *more);
/* Called at a resume point, as hb_runner_watch: checks now and then whether the step is to be interrupted, or a
 * checkpoint is due. HB_ESTOPPED: the step is stored and to be interrupted. Waits for the engine, exchanges. */
hb_status hb_unit_progress_look(void *evaluator, const hb_resume_point *point);

#endif
