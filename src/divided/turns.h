/* Turns of several queues at something that only one can have at a time, and that all members of a group must have in
 * the same order: they go round in a fixed order. A queue that is not ready yet is waited for; one that has left is
 * passed over. Any thread may call, one at a time for each queue. Nothing here talks to other members. */
#ifndef HB_DIVIDED_TURNS_H
#define HB_DIVIDED_TURNS_H

#include "base/status.h"

#define HB_MOST_QUEUES 64 /* the most queues that take turns */

typedef struct hb_turns hb_turns;

/* Opens turns without queues; HB_ENOMEM. It is counted: each hb_turns_share returns the same one, and the last
 * close frees it. Closing takes NULL. */
hb_status hb_turns_open(hb_turns **out);
hb_turns *hb_turns_share(hb_turns *turns);
void hb_turns_close(hb_turns *turns);

/* Enter adds `queue` as the last in the order; leave takes it out, and does nothing where it is not in it. Neither
 * is called while the queue has a turn. */
void hb_turns_enter(hb_turns *turns, const void *queue);
void hb_turns_leave(hb_turns *turns, const void *queue);

/* Take waits until it is the turn of `queue` and no other queue has one; pass ends the turn, and the next in the order
 * has it. Without a list of queues, any caller gets a turn when no other has one; with a list, `queue` is in it
 * (HB_ASSERT). HB_EPEER after an interrupt: there is no turn to pass then. */
hb_status hb_turns_take(hb_turns *turns, const void *queue);
void hb_turns_pass(hb_turns *turns, const void *queue);

/* Makes every hb_turns_take under way or to come fail. */
void hb_turns_interrupt(hb_turns *turns);

#endif
