/* What the exchanges between ranks share, whatever carries the data: who the members are, and how they fail. Each embeds
 * hb_ranks_exchange as its first member. */
#ifndef HB_EXCHANGE_PRIVATE_H
#define HB_EXCHANGE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "exchange_open.h"
#include "patience.h"

typedef struct hb_ranks_exchange {
    hb_exchange base;
    const hb_grid *grid;
    double deadline;
    pthread_t owner; /* who may call MPI */
    atomic_bool interrupted;
    hb_status failed; /* of the first call that did */
    hb_error why;
} hb_ranks_exchange;

void hb_ranks_exchange_init(hb_ranks_exchange *x, const hb_exchange_ops *ops, const hb_grid *grid, double deadline);
void hb_ranks_exchange_interrupt(hb_exchange *x);

/* What every call begins with: the first failure again, or HB_EPEER if interrupted. */
hb_status hb_ranks_exchange_begin(hb_ranks_exchange *x);
/* What every call that failed or not ends with: a failure is the exchange's from then on. */
hb_status hb_ranks_exchange_end(hb_ranks_exchange *x, hb_status st);
/* In a loop that waits, when nothing has come: HB_EPEER once interrupted, or once another rank of the grid stops, which
 * only the owner can see; else a pause. */
hb_status hb_ranks_exchange_pause(hb_ranks_exchange *x, hb_patience *patience);

/* The rank in the job of member m. */
int hb_ranks_exchange_rank(const hb_ranks_exchange *x, uint32_t m);

static inline bool hb_transfer_sends(const hb_exchange *x, const hb_transfer *t, uint32_t m)
{
    return m != x->member && (t->pattern != HB_BROADCAST || x->member == t->root) && t->send_bytes[m] > 0;
}

static inline bool hb_transfer_receives(const hb_exchange *x, const hb_transfer *t, uint32_t m)
{
    return m != x->member && (t->pattern != HB_BROADCAST || m == t->root) && t->receive_bytes[m] > 0;
}

/* A transfer has ended. */
void hb_ranks_exchange_count(hb_exchange *x, const hb_transfer *t, double seconds);

#endif
