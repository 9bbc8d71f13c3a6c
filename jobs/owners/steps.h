/* The steps of an owner in one round: of the session itself, or a later one (seat.h). */
#ifndef HB_OWNERS_STEPS_H
#define HB_OWNERS_STEPS_H

#include "folder.h"
#include "io/joint/state_file.h"
#include "seat.h"

/* Does all that can be done now in the seat's round, as hb_seat_step says. state: the path of the owner's state. */
hb_status hb_seat_step_round(const hb_seat *seat, const char *state, hb_seat_progress *progress);
/* Reads the state of the owner in the seat's round. HB_EDATA where it is another one (hb_joint_state_check); errors of
 * hb_joint_state_read. The caller clears it, also after a failure. */
hb_status hb_seat_read_state(const hb_seat *seat, const char *path, hb_joint_state *state);

#endif
