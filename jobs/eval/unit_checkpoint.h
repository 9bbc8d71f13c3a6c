/* Stores an evaluator's progress through a step (unit_progress.h) as a checkpoint, and restores it. Rank-local. */
#ifndef HB_EVAL_UNIT_CHECKPOINT_H
#define HB_EVAL_UNIT_CHECKPOINT_H

#include "unit.h"

/* Writes a checkpoint at a stop: how far row blocks are, rows of outputs that are done, what was added up, and the live
 * registers of every row block that was begun. Waits for the engine. HB_ENOMEM, HB_EIO. */
hb_status hb_unit_checkpoint_store(hb_unit_evaluator *x, const hb_stop *stop);
/* Reads the step's checkpoint into x->progress: how far row blocks are and, of the limbs that are here, everything that
 * will be needed, so that nothing is computed before all of it is known to be there. *found: it is. HB_EDATA: the
 * checkpoint is damaged, incomplete or another program's. HB_ENOMEM. */
hb_status hb_unit_checkpoint_read(hb_unit_evaluator *x, bool *found);
/* Bring what was read to the engine: output rows and sums; the registers of the row blocks that are computed now. */
hb_status hb_unit_checkpoint_restore(hb_unit_evaluator *x);
hb_status hb_unit_checkpoint_restore_registers(hb_unit_evaluator *x);

#endif
