/* What of an evaluator's way through a step is stored (unit_course.h), and brought back. Rank-local. */
#ifndef HB_EVAL_UNIT_STATE_H
#define HB_EVAL_UNIT_STATE_H

#include "unit.h"

/* Stores it at a stop: how far row blocks are, rows of outputs that are stored, what was added up, and of every row
 * block that was begun what is live. Waits for the engine. HB_ENOMEM, HB_EIO. */
hb_status hb_unit_state_store(hb_unit_evaluator *x, const hb_stop *stop);
/* Reads what is kept of the step, into x->course: the places and, of the limbs that are here, all that will be needed,
 * so that it is known to be there before anything is computed; *found: it is. HB_EDATA: it does not count.
 * HB_ENOMEM. */
hb_status hb_unit_state_read(hb_unit_evaluator *x, bool *found);
/* Brings what was read to the engine, but for registers; and those of the row blocks that are computed now. */
hb_status hb_unit_state_take(hb_unit_evaluator *x);
hb_status hb_unit_state_take_registers(hb_unit_evaluator *x);

#endif
