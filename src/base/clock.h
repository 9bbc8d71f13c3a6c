/* The clock by which everything is timed and every deadline is set. */
#ifndef HB_BASE_CLOCK_H
#define HB_BASE_CLOCK_H

/* Returns seconds since some moment in the past. The clock never goes back, even when the time of day is set. Values of
 * different hosts cannot be compared. */
double hb_now(void);

#endif
