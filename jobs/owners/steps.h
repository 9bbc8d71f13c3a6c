/* The state of an owner's steps, which both steps and the comparison of keys note (seat.h). */
#ifndef HB_OWNERS_STEPS_H
#define HB_OWNERS_STEPS_H

#include "io/joint/state_file.h"
#include "seat.h"

/* Returns HB_EDATA, naming its file, unless it is the state of this owner in the session. */
static inline hb_status hb_seat_check_state(const hb_seat *seat, const hb_joint_state *state, const char *path)
{
    const char *own = seat->file->session.cards[seat->owner].name;
    if (strcmp(state->name, own) != 0) {
        return HB_FAIL(HB_EDATA, "%s: is the state of %s, not of %s", path, state->name, own);
    }
    return memcmp(state->session, seat->file->id, HB_DIGEST_BYTES) == 0
               ? HB_OK
               : HB_FAIL(HB_EDATA, "%s: is the state of another session", path);
}

#endif
