/* The way of an evaluator through a step, which may be left and gone on with. */
#ifndef HB_EVAL_UNIT_COURSE_H
#define HB_EVAL_UNIT_COURSE_H

#include "expression/run/runner.h"
#include "state.h"

struct hb_unit_evaluator;

/* The way through one step. */
typedef struct hb_unit_course {
    uint64_t *at;           /* [row blocks of the step] instructions that are done; those that it never began: 0 */
    uint64_t first, count;  /* the row blocks that are computed now, of the step */
    hb_kept_file kept;      /* of row blocks that were begun by an earlier one, until they are gone on with */
    uint64_t generation;    /* of files of the step, so far */
    double looked, stored;  /* when it was looked last, and stored last or begun */
    uint64_t passed, skips; /* stops since then, and how many to pass */
    bool full;              /* its state could not be stored */
} hb_unit_course;

/* Begins the way through the row blocks of x->step, whose inputs are in the buffer: from what is kept of it, or from
 * the first instruction. Exchanges. The caller clears, also after a failure. */
hb_status hb_unit_course_begin(struct hb_unit_evaluator *x);
void hb_unit_course_clear(hb_unit_course *course);
/* Finds the next row blocks that are equally far, as many as are computed at a time: *more: there are some; then
 * course->first and count say which, and their registers are there. */
hb_status hb_unit_course_next(struct hb_unit_evaluator *x, bool *more);
/* Looks at a stop, as hb_runner_watch does: every now and then whether the step is to be left or its state stored.
 * Returns HB_ESTOPPED where it was stored for that. Waits for the engine, exchanges. */
hb_status hb_unit_course_look(void *evaluator, const hb_stop *stop);

#endif
