/* The steps of an owner in one round: of the session itself, or a later one (seat.h). */
#ifndef HB_OWNERS_STEPS_H
#define HB_OWNERS_STEPS_H

#include <string.h>

#include "folder.h"
#include "io/joint/state_file.h"
#include "seat.h"

/* Does all that can be done now in the seat's round, as hb_seat_step says. state: the path of the owner's state. */
hb_status hb_seat_step_round(const hb_seat *seat, const char *state, hb_seat_progress *progress);
/* Returns HB_EDATA, naming its file, unless it is the state of this owner in the seat's round. */
static inline hb_status hb_seat_check_state(const hb_seat *seat, const hb_joint_state *state, const char *path)
{
    const char *own = seat->round.session.cards[seat->owner].name;
    if (strcmp(state->name, own) != 0) {
        return HB_FAIL(HB_EDATA, "%s: is the state of %s, not of %s", path, state->name, own);
    }
    return memcmp(state->session, seat->round.id, HB_DIGEST_BYTES) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: is the state of another session", path);
}

#endif
