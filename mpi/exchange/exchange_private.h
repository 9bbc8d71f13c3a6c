/* What the exchanges between ranks share, whatever carries the data: who the members are, and how they fail. Each
 * embeds hb_exchange_ranks as its first member. */
#ifndef HB_MPI_EXCHANGE_EXCHANGE_PRIVATE_H
#define HB_MPI_EXCHANGE_EXCHANGE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "mpi/group/patience.h"
#include "open.h"

typedef struct hb_exchange_ranks {
    hb_exchange base;
    const hb_grid *grid;
    double deadline;
    pthread_t owner; /* who may call MPI */
    atomic_bool interrupted;
    hb_status failed; /* of the first call that did */
    hb_error why;
} hb_exchange_ranks;

void hb_exchange_ranks_init(hb_exchange_ranks *x, const hb_exchange_ops *ops, const hb_grid *grid, double deadline);
void hb_exchange_ranks_interrupt(hb_exchange *x);

/* What every call begins with: the first failure again, or HB_EPEER if interrupted. */
hb_status hb_exchange_ranks_begin(hb_exchange_ranks *x);
/* What every call that failed or not ends with: a failure is the exchange's from then on. */
hb_status hb_exchange_ranks_end(hb_exchange_ranks *x, hb_status st);
/* In a loop that waits, when nothing has come: HB_EPEER once interrupted, or once another rank of the grid stops, which
 * only the owner can see; else a pause. */
hb_status hb_exchange_ranks_pause(hb_exchange_ranks *x, hb_patience *patience);

/* The rank in the job of member m. */
int hb_exchange_ranks_rank(const hb_exchange_ranks *x, uint32_t m);

static inline bool hb_transfer_sends(const hb_exchange *x, const hb_transfer *t, uint32_t m)
{
    return m != x->member && (t->pattern != HB_BROADCAST || x->member == t->root) && t->send_bytes[m] > 0;
}

static inline bool hb_transfer_receives(const hb_exchange *x, const hb_transfer *t, uint32_t m)
{
    return m != x->member && (t->pattern != HB_BROADCAST || m == t->root) && t->receive_bytes[m] > 0;
}

/* A transfer has ended. */
void hb_exchange_ranks_count(hb_exchange *x, const hb_transfer *t, double seconds);

#endif
