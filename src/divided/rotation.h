/* Turns of several queues at something that only one can have at a time, and that all members of a group must have in
 * the same order: they go in a fixed rotation. A queue that is not ready yet is waited for; one that has left is passed
 * over. Any thread may call, one at a time for each queue. Nothing here talks to other members. */
#ifndef HB_DIVIDED_ROTATION_H
#define HB_DIVIDED_ROTATION_H

#include "base/status.h"

#define HB_MOST_QUEUES 64 /* the most queues in a rotation */

typedef struct hb_rotation hb_rotation;

/* Opens a rotation without queues; HB_ENOMEM. It is counted: each hb_rotation_share returns the same one, and the last
 * close frees it. Closing takes NULL. */
hb_status hb_rotation_open(hb_rotation **out);
hb_rotation *hb_rotation_share(hb_rotation *rotation);
void hb_rotation_close(hb_rotation *rotation);

/* Enter adds `queue` to the rotation as its last; leave takes it out, and does nothing where it is not in it. Neither
 * is called while the queue has a turn. */
void hb_rotation_enter(hb_rotation *rotation, const void *queue);
void hb_rotation_leave(hb_rotation *rotation, const void *queue);

/* Take waits until it is the turn of `queue` and no other has one; pass ends the turn, and the next of the rotation has
 * it. Where the rotation is empty anyone has a turn when nobody else does; where it is not, `queue` is in it
 * (HB_ASSERT). HB_EPEER after an interrupt: there is no turn to pass then. */
hb_status hb_rotation_take(hb_rotation *rotation, const void *queue);
void hb_rotation_pass(hb_rotation *rotation, const void *queue);

/* Makes every hb_rotation_take under way or to come fail. */
void hb_rotation_interrupt(hb_rotation *rotation);

#endif
