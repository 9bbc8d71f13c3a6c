#include "patience.h"

#include <sched.h>
#include <time.h>

#include "base/clock.h"

/* Looks without giving the processor away, then looks that offer it to others; sleeping comes after those. */
enum { SPINS = 256, YIELDS = 64 };
enum { TURNS_TO_WONDER = 256 };

hb_patience hb_patience_of(double limit)
{
    return (hb_patience){.limit = limit, .since = hb_now()};
}

void hb_patience_renew(hb_patience *p)
{
    *p = hb_patience_of(p->limit);
}

bool hb_patience_ended(const hb_patience *p)
{
    return hb_now() - p->since > p->limit;
}

bool hb_patience_wonders(const hb_patience *p)
{
    return p->turns % TURNS_TO_WONDER == TURNS_TO_WONDER - 1;
}

void hb_patience_pause(hb_patience *p)
{
    if (p->turns >= SPINS + YIELDS) {
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    } else if (p->turns >= SPINS) {
        sched_yield();
    }
    p->turns++;
}
