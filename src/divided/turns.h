/* Turns of several queues at something that only one can have at a time, and that all members of a group must have in
 * the same order: in a fixed rotation. A queue that is not ready yet is waited for; one that has left is passed over.
 * Any thread may call, one at a time for each queue. */
#ifndef HB_DIVIDED_TURNS_H
#define HB_DIVIDED_TURNS_H

#include "base/status.h"

#define HB_MOST_QUEUES 64 /* in the rotation */

typedef struct hb_turns hb_turns;

/* Counted: each hb_turns_share returns the same one, and the last close frees it. NULL allowed. HB_ENOMEM. */
hb_status hb_turns_open(hb_turns **out);
hb_turns *hb_turns_share(hb_turns *turns);
void hb_turns_close(hb_turns *turns);

/* `queue` joins the rotation as its last; leaves it (nothing to do where it is not in it). Not while it has a turn. */
void hb_turns_enter(hb_turns *turns, const void *queue);
void hb_turns_leave(hb_turns *turns, const void *queue);

/* Waits until it is the turn of `queue` and nobody else has one; hb_turns_pass ends the turn, and the next of the
 * rotation has it. Where the rotation is empty anyone has a turn when nobody else does; where it is not, `queue` is in
 * it. HB_EPEER after an interrupt: there is no turn to pass then. */
hb_status hb_turns_take(hb_turns *turns, const void *queue);
void hb_turns_pass(hb_turns *turns, const void *queue);

/* Every hb_turns_take under way or to come fails. */
void hb_turns_interrupt(hb_turns *turns);

#endif
