#include "exchange_private.h"

void hb_exchange_ranks_init(hb_exchange_ranks *x, const hb_exchange_ops *ops, const hb_grid *grid, double deadline)
{
    x->base.ops = ops;
    x->base.members = (uint32_t)grid->members->size;
    x->base.member = (uint32_t)grid->members->rank;
    x->grid = *grid;
    x->deadline = deadline;
    /* The thread that opened the group is the one that opens an exchange. */
    x->owner = pthread_self();
    atomic_init(&x->interrupted, false);
}

void hb_exchange_ranks_interrupt(hb_exchange *x)
{
    atomic_store(&((hb_exchange_ranks *)(void *)x)->interrupted, true);
}

hb_status hb_exchange_ranks_begin(hb_exchange_ranks *x)
{
    /* After a failure members are no longer in step: another call could take one's data for another's. */
    if (x->failed != HB_OK) {
        hb_set_error(&x->why);
        return x->failed;
    }
    return atomic_load(&x->interrupted) ? HB_FAIL(HB_EPEER, "the exchange with other ranks was stopped") : HB_OK;
}

hb_status hb_exchange_ranks_end(hb_exchange_ranks *x, hb_status st)
{
    /* Later failures are mostly consequences of the first. */
    if (st != HB_OK && x->failed == HB_OK) {
        x->failed = st;
        /* Each later call fails with this text. */
        x->why = *hb_last_error();
    }
    return st;
}

hb_status hb_exchange_ranks_pause(hb_exchange_ranks *x, hb_backoff *backoff)
{
    if (atomic_load(&x->interrupted)) {
        return HB_FAIL(HB_EPEER, "the exchange with other ranks was stopped");
    }
    /* MPI is for the owner's thread; other threads are interrupted by it. */
    if (pthread_equal(pthread_self(), x->owner) && hb_group_stopping(x->grid.all)) {
        return HB_FAIL(HB_EPEER, "another rank failed or was asked to stop");
    }
    /* A launcher that ends the others as well is not the only one there is. */
    HB_TRY(hb_group_check_gone(x->grid.all, hb_backoff_should_look(backoff) ? hb_group_gone(x->grid.all) : -1));
    hb_backoff_pause(backoff);
    return HB_OK;
}

int hb_exchange_ranks_rank(const hb_exchange_ranks *x, uint32_t m)
{
    return x->grid.all->rank - x->grid.members->rank + (int)m; /* members are neighbours (mpi/group/grid.h) */
}

void hb_exchange_ranks_count(hb_exchange *x, const hb_transfer *t, double seconds)
{
    hb_exchange_stats *stats = &x->stats;
    uint64_t received = 0;
    stats->transfers[t->pattern]++;
    stats->seconds[t->pattern] += seconds;
    /* Blocks to others only; a block that an all-gather has in place already does not move. */
    for (uint32_t m = 0; m < x->members; m++) {
        stats->sent[t->pattern] += hb_transfer_sends(x, t, m) ? t->send_bytes[m] : 0;
        received += hb_transfer_receives(x, t, m) ? t->receive_bytes[m] : 0;
    }
    stats->received[t->pattern] += received;
    if (x->ended != NULL) {
        x->ended(t->pattern, received, seconds);
    }
}
