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

#endif
