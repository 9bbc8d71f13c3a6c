#include "clock.h"

#include <time.h>

double hb_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail on Linux */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
