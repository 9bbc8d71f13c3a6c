/* Loops that wait for other ranks: for how long already, and giving the processor away meanwhile, as there may be more
 * ranks than cores. */
#ifndef HB_MPI_GROUP_PATIENCE_H
#define HB_MPI_GROUP_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct hb_patience {
    double limit, since; /* seconds */
    uint32_t turns;
} hb_patience;

/* limit: seconds, HUGE_VAL for none. */
hb_patience hb_patience_of(double limit);
/* Something has arrived: all of the time again. */
void hb_patience_renew(hb_patience *p);
bool hb_patience_ended(const hb_patience *p);
/* Between two looks: nothing at first, as most waits are short; later up to 50 microseconds. */
void hb_patience_pause(hb_patience *p);

#endif
