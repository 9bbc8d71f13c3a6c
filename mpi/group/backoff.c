#include "backoff.h"

#include <sched.h>
#include <time.h>

#include "base/clock.h"

/* Looks without giving the processor away, then looks that offer it to others; sleeping comes after those. */
enum { SPINS = 256, YIELDS = 64 };
enum { TURNS_TO_WONDER = 256 };
static const double LONGEST_GAP = 1; /* seconds between two looks of a process that runs */

hb_backoff hb_backoff_of(double limit)
{
    const double now = hb_now();
    return (hb_backoff){.limit = limit, .since = now, .looked = now};
}

void hb_backoff_renew(hb_backoff *p)
{
    *p = hb_backoff_of(p->limit);
}

bool hb_backoff_ended(hb_backoff *p)
{
    const double now = hb_now(), gap = now - p->looked;
    p->since += gap > LONGEST_GAP ? gap : 0;
    p->looked = now;
    return now - p->since > p->limit;
}

bool hb_backoff_should_look(const hb_backoff *p)
{
    return p->turns % TURNS_TO_WONDER == TURNS_TO_WONDER - 1;
}

void hb_backoff_pause(hb_backoff *p)
{
    if (p->turns >= SPINS + YIELDS) {
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    } else if (p->turns >= SPINS) {
        sched_yield();
    }
    p->turns++;
}
