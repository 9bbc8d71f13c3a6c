/* Loops that wait for other ranks: how long they have waited, and how they give the processor away meanwhile, as there
 * may be more ranks than cores. */
#ifndef HB_MPI_GROUP_PATIENCE_H
#define HB_MPI_GROUP_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/* One wait, with its limit. */
typedef struct hb_patience {
    double limit, since; /* seconds */
    uint64_t turns;
} hb_patience;

/* Starts a wait of at most `limit` seconds, HUGE_VAL for no limit. */
hb_patience hb_patience_of(double limit);
/* Starts the time again, as something has arrived. */
void hb_patience_renew(hb_patience *p);
/* Returns true once the limit has passed. Nothing is ended by it: the caller decides. */
bool hb_patience_ended(const hb_patience *p);
/* Returns true once in 256 pauses, some ten milliseconds of waiting: when to look whether others still live. */
bool hb_patience_wonders(const hb_patience *p);
/* Waits between two looks: not at all at first, as most waits are short, later up to 50 microseconds. */
void hb_patience_pause(hb_patience *p);

#endif
