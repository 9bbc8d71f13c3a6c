/* The state that all exchanges between ranks share, over MPI and over NCCL: their members and their failures. Each
 * embeds hb_exchange_ranks as its first member. */
#ifndef HB_MPI_EXCHANGE_EXCHANGE_PRIVATE_H
#define HB_MPI_EXCHANGE_EXCHANGE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "mpi/group/backoff.h"
#include "open.h"

/* The common part of an exchange. Its transfers stand in a ring, the one of ticket i at place i % places, and end in
 * the order in which they began. The first failure is kept: after it no call succeeds. */
typedef struct hb_exchange_ranks {
    hb_exchange base;
    hb_grid grid; /* its groups are borrowed */
    double deadline;
    pthread_t owner; /* the thread that may call MPI */
    atomic_bool interrupted;
    uint64_t begun, ended; /* counts of transfers: begun - ended are under way */
    hb_status failed; /* the first failure, and its text */
    hb_error why;
} hb_exchange_ranks;

/* Fills the common part for the calling thread, which becomes the owner. The groups of the grid are borrowed. */
void hb_exchange_ranks_init(hb_exchange_ranks *x, const hb_exchange_ops *ops, const hb_grid *grid, double deadline);
/* Makes calls under way and to come fail with HB_EPEER. Any thread may call it. */
void hb_exchange_ranks_interrupt(hb_exchange *x);

/* Begins a call: returns the first failure again, or HB_EPEER if the exchange was interrupted. */
hb_status hb_exchange_ranks_begin(hb_exchange_ranks *x);
/* Ends a call with its status, which it returns: a failure is the exchange's from then on. */
hb_status hb_exchange_ranks_end(hb_exchange_ranks *x, hb_status st);
/* Pauses in a loop that waits, when nothing has come. It returns HB_EPEER once the exchange was interrupted, or once
 * another rank of the grid stops, which only the owner can see; HB_ECOMM when a rank of this host is gone. */
hb_status hb_exchange_ranks_pause(hb_exchange_ranks *x, hb_backoff *backoff);

/* Finds the place of the next transfer in a ring of so many places. Where all are taken, end_until(x, count) is called:
 * it returns once the first `count` transfers have ended, or its failure, which is returned. */
static inline hb_status hb_exchange_ranks_place(hb_exchange_ranks *x, uint32_t places,
                                                hb_status (*end_until)(hb_exchange_ranks *x, uint64_t count),
                                                uint32_t *place)
{
    if (x->begun - x->ended == places) {
        /* The next place is that of the oldest transfer. */
        HB_TRY(end_until(x, x->ended + 1));
    }
    *place = (uint32_t)(x->begun % places);
    return HB_OK;
}

/* Returns the rank in the job of member m. */
int hb_exchange_ranks_rank(const hb_exchange_ranks *x, uint32_t m);

/* Return true if this member sends a block to member m, or receives one from it, in the transfer t. */
static inline bool hb_transfer_sends(const hb_exchange *x, const hb_transfer *t, uint32_t m)
{
    return m != x->member && (t->pattern != HB_BROADCAST || x->member == t->root) && t->send_bytes[m] > 0;
}

static inline bool hb_transfer_receives(const hb_exchange *x, const hb_transfer *t, uint32_t m)
{
    return m != x->member && (t->pattern != HB_BROADCAST || m == t->root) && t->receive_bytes[m] > 0;
}

/* Adds a transfer that has ended, after `seconds`, to the statistics. */
void hb_exchange_ranks_count(hb_exchange *x, const hb_transfer *t, double seconds);

#endif
