/* Stores an evaluator's progress through a step (unit_progress.h) as a checkpoint, and restores it. Rank-local. */
#ifndef HB_EVAL_UNIT_CHECKPOINT_H
#define HB_EVAL_UNIT_CHECKPOINT_H

#include "unit.h"

/* Writes a checkpoint at a resume point: the progress of each row block, finished rows of outputs, the sums so far, and
 * the live registers of every row block that was begun. Waits for the engine. HB_ENOMEM, HB_EIO. */
hb_status hb_unit_checkpoint_store(hb_unit_evaluator *x, const hb_resume_point *point);
/* Reads the step's checkpoint into x->progress: the progress of each row block, and all needed data of the limbs on
 * this engine. So nothing is computed before all data is known to be there. *found: there is a checkpoint. HB_EDATA: it
 * is damaged, incomplete or another program's. HB_ENOMEM. */
hb_status hb_unit_checkpoint_read(hb_unit_evaluator *x, bool *found);
/* Upload the data that was read: output rows and sums; the registers of the current row blocks. */
hb_status hb_unit_checkpoint_restore(hb_unit_evaluator *x);
hb_status hb_unit_checkpoint_restore_registers(hb_unit_evaluator *x);

#endif
