/* Loops that wait for other ranks: how long they have waited, and how they give the processor away meanwhile, as there
 * may be more ranks than cores. */
#ifndef HB_MPI_GROUP_BACKOFF_H
#define HB_MPI_GROUP_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

/* One wait, with its limit. */
typedef struct hb_backoff {
    double limit, since; /* seconds */
    double looked;       /* when its end was last asked for */
    uint64_t turns;
} hb_backoff;

/* Starts a wait of at most `limit` seconds, HUGE_VAL for no limit. */
hb_backoff hb_backoff_of(double limit);
/* Starts the time again, as something has arrived. */
void hb_backoff_renew(hb_backoff *p);
/* Returns true once the limit has passed. It ends nothing: the caller decides. A rank that waits looks often, so a
 * second or more without a look is one in which this process was stopped (SIGSTOP, scontrol suspend), as others may
 * have been: it does not count. */
bool hb_backoff_ended(hb_backoff *p);
/* Returns true once in 256 pauses, some ten milliseconds of waiting: when to look whether others still live. */
bool hb_backoff_should_look(const hb_backoff *p);
/* Waits between two looks: not at all at first, as most waits are short, later up to 50 microseconds. */
void hb_backoff_pause(hb_backoff *p);

#endif
