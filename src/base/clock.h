/* The clock by which everything is timed and waited for. */
#ifndef HB_BASE_CLOCK_H
#define HB_BASE_CLOCK_H

/* Seconds since some moment in the past: it never goes back, whatever the time of day is set to. */
double hb_now(void);

#endif
