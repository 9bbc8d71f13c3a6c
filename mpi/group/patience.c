#include "patience.h"

#include <sched.h>
#include <time.h>

enum { SPINS = 256, YIELDS = 64 };

double hb_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail on Linux */
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

hb_patience hb_patience_of(double limit)
{
    return (hb_patience){.limit = limit, .since = hb_seconds()};
}

void hb_patience_renew(hb_patience *p)
{
    *p = hb_patience_of(p->limit);
}

bool hb_patience_ended(const hb_patience *p)
{
    return hb_seconds() - p->since > p->limit;
}

void hb_patience_pause(hb_patience *p)
{
    if (p->turns < SPINS) {
        p->turns++;
    } else if (p->turns < SPINS + YIELDS) {
        p->turns++;
        sched_yield();
    } else {
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
}
