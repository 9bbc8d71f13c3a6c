/* The exchange over MPI: transfers in their order, and its life. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_private.h"

enum { MESSAGE_BYTES = 1 << 30 }; /* counts of MPI are int */

/* Ends all transfers before `ticket`, in the order in which they were begun. */
static hb_status end_until(hb_mpi_exchange *x, uint64_t ticket)
{
    while (x->ended < ticket) {
        HB_TRY(hb_mpi_transfer_end(x, &x->transfers[x->ended % HB_MPI_TRANSFERS]));
        x->ended++;
    }
    return HB_OK;
}

/* Begins a transfer in the next place of the ring. All members begin transfers in the same order, and MPI keeps
 * messages of two ranks with one tag in order: so messages need no number. */
static hb_status begin(hb_mpi_exchange *x, hb_engine *queue, const hb_transfer *blocks, uint64_t *ticket)
{
    if (x->begun - x->ended == HB_MPI_TRANSFERS) {
        /* The next place is that of the oldest transfer. */
        HB_TRY(end_until(x, x->ended + 1));
    }
    hb_mpi_transfer *t = &x->transfers[x->begun % HB_MPI_TRANSFERS];
    t->blocks = *blocks;
    t->queue = queue;
    /* A ticket is given only to a transfer whose messages are all posted. */
    HB_TRY(hb_mpi_transfer_post(x, t));
    *ticket = x->begun++;
    return HB_OK;
}

static hb_status start(hb_exchange *base, hb_engine *queue, const hb_transfer *transfer, uint64_t *ticket)
{
    hb_mpi_exchange *x = hb_mpi_exchange_of(base);
    HB_TRY(hb_exchange_ranks_begin(&x->base));
    return hb_exchange_ranks_end(&x->base, begin(x, queue, transfer, ticket));
}

/* Ending a transfer copies its blocks, so what any queue does afterwards finds them. */
static hb_status wait(hb_exchange *base, hb_engine *queue, uint64_t ticket)
{
    (void)queue;
    hb_mpi_exchange *x = hb_mpi_exchange_of(base);
    HB_TRY(hb_exchange_ranks_begin(&x->base));
    return hb_exchange_ranks_end(&x->base, end_until(x, ticket + 1));
}

static hb_status settle(hb_exchange *base, uint64_t ticket)
{
    hb_mpi_exchange *x = hb_mpi_exchange_of(base);
    HB_TRY(hb_exchange_ranks_begin(&x->base));
    return hb_exchange_ranks_end(&x->base, end_until(x, ticket + 1));
}

static hb_status gather_words(hb_exchange *base, const uint64_t *mine, size_t count, uint64_t *all)
{
    hb_mpi_exchange *x = hb_mpi_exchange_of(base);
    hb_transfer t = {.pattern = HB_ALL_GATHER};
    HB_TRY(hb_exchange_ranks_begin(&x->base));
    for (uint32_t m = 0; m < base->members; m++) {
        t.send[m] = mine;
        t.receive[m] = all + m * count;
        /* Words of the host: no queue is waited for, and statistics do not count them. */
        t.send_bytes[m] = t.receive_bytes[m] = count * sizeof *all;
    }
    uint64_t ticket;
    hb_status st = begin(x, NULL, &t, &ticket);
    st = st == HB_OK ? end_until(x, x->begun) : st;
    if (st == HB_OK && count > 0) {
        /* Nobody sends to himself. */
        memcpy(t.receive[base->member], mine, count * sizeof *all);
    }
    return hb_exchange_ranks_end(&x->base, st);
}

static void finish(hb_exchange *base)
{
    hb_mpi_exchange *x = hb_mpi_exchange_of(base);
    for (int i = 0; i < HB_MPI_TRANSFERS; i++) {
        /* After a failure transfers may still be under way; in good order all have ended. */
        hb_mpi_transfer_clear(x, &x->transfers[i]);
    }
    free(x->hosts);
    free(x);
}

static const hb_exchange_ops ops = {.name = "mpi",
                                    .start = start,
                                    .wait = wait,
                                    .settle = settle,
                                    .gather_words = gather_words,
                                    .interrupt = hb_exchange_ranks_interrupt,
                                    .close = finish};

/* Gathers the names of the members' hosts, for messages about members that do not answer. */
static hb_status gather_hosts(hb_mpi_exchange *x)
{
    char mine[HB_HOST_BYTES] = "an unknown host";
    if (gethostname(mine, sizeof mine) == 0) {
        mine[sizeof mine - 1] = '\0';
    }
    return HB_MPI_OF(x->members,
                     MPI_Allgather(mine, HB_HOST_BYTES, MPI_BYTE, x->hosts, HB_HOST_BYTES, MPI_BYTE, x->members->comm));
}

hb_status hb_exchange_open_mpi(const hb_grid *grid, double deadline, hb_exchange **out)
{
    hb_group *members = grid->members;
    if (members->size == 1) {
        /* A group of one has nobody to exchange with, and may not be MPI's. */
        return hb_exchange_open_alone(0, 1, out);
    }
    HB_ASSERT(members->size <= HB_MOST_MEMBERS);
    hb_mpi_exchange *x = calloc(1, sizeof *x);
    char(*hosts)[HB_HOST_BYTES] = calloc((size_t)members->size, sizeof *hosts);
    /* Memory is asked for before the members agree, so that all of them open an exchange or none does. */
    hb_status st =
        x != NULL && hosts != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the exchange with other ranks");
    st = hb_agree(members, st);
    if (st != HB_OK) {
        free(hosts);
        free(x);
        return st;
    }
    hb_exchange_ranks_init(&x->base, &ops, grid, deadline);
    x->base.base.one_thread = true;
    x->members = (hb_mpi_group *)(void *)members; /* of several ranks: it is MPI's */
    /* Members count alike, so that two exchanges of theirs never take each other's messages. */
    x->tag = ++x->members->exchanges;
    x->most_bytes = MESSAGE_BYTES;
    x->hosts = hosts;
    st = hb_agree(members, gather_hosts(x));
    if (st != HB_OK) {
        finish(&x->base.base);
        return st;
    }
    *out = &x->base.base;
    return HB_OK;
}
