/* The exchange over MPI: transfers in their order, and its life. The blocks of a transfer go into memory of the
 * exchange, travel as messages, and are copied out of it. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/seed.h"
#include "mpi_private.h"

/* Returns the messages that a block takes. */
static size_t pieces_of(const hb_mpi_exchange *x, size_t bytes)
{
    return bytes / x->most_bytes + (bytes % x->most_bytes != 0);
}

/* Returns true if a block has to be copied: one that goes to several members is in the staging memory once. */
static bool is_new_block(const hb_transfer *t, bool first)
{
    return first || t->pattern == HB_ALL_TO_ALL;
}

/* Wipes and frees the staging memory: plaintexts may follow from its contents. */
static void free_staging(hb_mpi_transfer *t)
{
    if (t->staging != NULL) {
        hb_wipe(t->staging, t->staging_bytes);
    }
    free(t->staging);
    t->staging = NULL;
    t->staging_bytes = 0;
}

/* Makes room for `bytes` bytes and `messages` messages, unless an earlier transfer has left enough. */
static hb_status make_staging(hb_mpi_transfer *t, size_t bytes, size_t messages)
{
    if (bytes > t->staging_bytes) {
        /* Not realloc: it would copy unneeded words, and leave the old ones unwiped. */
        free_staging(t);
        t->staging = malloc(bytes);
        if (t->staging == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for %zu bytes on the way to other ranks: use smaller batches", bytes);
        }
        t->staging_bytes = bytes;
    }
    /* The three arrays have one length; `most` is set once all of them are there. */
    if (messages > (size_t)t->most) {
        free(t->requests);
        free(t->members);
        free(t->finished);
        t->most = 0;
        t->requests = malloc(messages * sizeof *t->requests);
        t->members = malloc(messages * sizeof *t->members);
        t->finished = malloc(messages * sizeof *t->finished);
        if (t->requests == NULL || t->members == NULL || t->finished == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for %zu messages", messages);
        }
        t->most = (int)messages;
    }
    return HB_OK;
}

/* Adds up the bytes and the messages of the transfer, and makes room for them. */
static hb_status measure(const hb_mpi_exchange *x, hb_mpi_transfer *t)
{
    const hb_exchange *base = &x->base.base;
    const hb_transfer *blocks = &t->blocks;
    size_t bytes = 0, messages = 0;
    bool first = true;
    for (uint32_t m = 0; m < base->members; m++) {
        if (hb_transfer_receives(base, blocks, m)) {
            bytes += blocks->receive_bytes[m];
            messages += pieces_of(x, blocks->receive_bytes[m]);
        }
        if (hb_transfer_sends(base, blocks, m)) {
            bytes += is_new_block(blocks, first) ? blocks->send_bytes[m] : 0;
            messages += pieces_of(x, blocks->send_bytes[m]);
            /* The block of an all-gather or broadcast is counted with the first member that it goes to. */
            first = false;
        }
    }
    return make_staging(t, bytes, messages);
}

/* Copy between the staging memory and the caller's: through the queue for memory of an engine. */
static hb_status fetch(hb_mpi_transfer *t, void *to, const void *from, size_t bytes)
{
    if (t->queue != NULL) {
        return hb_download(t->queue, to, from, bytes);
    }
    memcpy(to, from, bytes);
    return HB_OK;
}

static hb_status put(hb_mpi_transfer *t, void *to, const void *from, size_t bytes)
{
    if (t->queue != NULL) {
        return hb_upload(t->queue, to, from, bytes);
    }
    memcpy(to, from, bytes);
    return HB_OK;
}

/* Posts the messages of one block, to or from member m. */
static hb_status post_block(hb_mpi_exchange *x, hb_mpi_transfer *t, uint8_t *block, size_t bytes, uint32_t m,
                            bool receive)
{
    for (size_t at = 0; at < bytes; at += x->most_bytes) {
        const int piece = (int)(bytes - at < x->most_bytes ? bytes - at : x->most_bytes);
        MPI_Request *request = &t->requests[t->count];
        if (receive) {
            HB_TRY(HB_MPI_OF(x->members,
                             MPI_Irecv(block + at, piece, MPI_BYTE, (int)m, x->tag, x->members->comm, request)));
        } else {
            HB_TRY(HB_MPI_OF(x->members,
                             MPI_Isend(block + at, piece, MPI_BYTE, (int)m, x->tag, x->members->comm, request)));
        }
        t->members[t->count++] = (int)m;
        t->pending++;
    }
    return HB_OK;
}

/* Posts all receives, member after member in the staging memory, from *at on. */
static hb_status post_receives(hb_mpi_exchange *x, hb_mpi_transfer *t, size_t *at)
{
    const hb_exchange *base = &x->base.base;
    for (uint32_t m = 0; m < base->members; m++) {
        if (hb_transfer_receives(base, &t->blocks, m)) {
            HB_TRY(post_block(x, t, t->staging + *at, t->blocks.receive_bytes[m], m, true));
            *at += t->blocks.receive_bytes[m];
        }
    }
    /* Requests before this number are receives: messages about missing members tell them apart. */
    t->receives = t->count;
    return HB_OK;
}

/* Copies the blocks to send into the staging memory from `at` on, and posts the sends. Every member starts with its
 * next neighbour, so that not all send to one at once. */
static hb_status post_sends(hb_mpi_exchange *x, hb_mpi_transfer *t, size_t at)
{
    const hb_exchange *base = &x->base.base;
    const hb_transfer *blocks = &t->blocks;
    /* place[m] is where the block for member m stands in the staging memory. */
    size_t place[HB_MOST_MEMBERS], last = at;
    bool first = true;
    for (uint32_t m = 0; m < base->members; m++) {
        if (hb_transfer_sends(base, blocks, m)) {
            if (is_new_block(blocks, first)) {
                last = at;
                at += blocks->send_bytes[m];
                HB_TRY(fetch(t, t->staging + last, blocks->send[m], blocks->send_bytes[m]));
            }
            place[m] = last;
            first = false;
        }
    }
    if (t->queue != NULL) {
        HB_TRY(hb_finish(t->queue));
    }
    /* The blocks are in the staging memory now: the queue has been waited for. */
    for (uint32_t i = 1; i < base->members; i++) {
        const uint32_t m = (base->member + i) % base->members;
        if (hb_transfer_sends(base, blocks, m)) {
            HB_TRY(post_block(x, t, t->staging + place[m], blocks->send_bytes[m], m, false));
        }
    }
    return HB_OK;
}

/* mpi_transfer.c. Begins a transfer whose blocks and queue are set: it waits for the queue and posts all messages.
 * HB_ENOMEM, HB_ECOMM, or failures of the queue. */
static hb_status post(hb_mpi_exchange *x, hb_mpi_transfer *t)
{
    size_t at = 0;
    t->count = t->receives = t->pending = 0;
    /* Both ends know all sizes, so nothing is told before the blocks. */
    HB_TRY(measure(x, t));
    if (t->queue != NULL) {
        HB_TRY(hb_finish(t->queue));
    }
    /* The time of a transfer begins when its data is there, not while this member still computes it. Receives are
     * posted before sends, so that messages which arrive early find their place. */
    t->began = hb_now();
    HB_TRY(post_receives(x, t, &at));
    return post_sends(x, t, at);
}

/* Fails, naming the first member that a message is still open with. */
static hb_status too_late(hb_mpi_exchange *x, const hb_mpi_transfer *t)
{
    int i = 0;
    /* Some request is open, as `pending` is not 0. */
    while (t->requests[i] == MPI_REQUEST_NULL) {
        i++;
    }
    const uint32_t m = (uint32_t)t->members[i];
    return HB_FAIL(HB_ECOMM, "%s rank %d on %s for %g s (--comm-timeout)",
                   i < t->receives ? "no data from" : "no data taken by", hb_exchange_ranks_rank(&x->base, m),
                   x->hosts[m], x->base.deadline);
}

/* Waits until no message is open. The deadline counts from the last message that has ended: slow is not late. */
static hb_status await(hb_mpi_exchange *x, hb_mpi_transfer *t)
{
    hb_backoff backoff = hb_backoff_of(x->base.deadline);
    while (t->pending > 0) {
        int finished;
        HB_TRY(HB_MPI_OF(x->members, MPI_Testsome(t->count, t->requests, &finished, t->finished, MPI_STATUSES_IGNORE)));
        if (finished > 0) {
            /* MPI_Testsome has set the requests that have ended to null. */
            t->pending -= finished;
            hb_backoff_renew(&backoff);
            continue;
        }
        if (hb_backoff_ended(&backoff)) {
            return too_late(x, t);
        }
        /* Looks for stop notices as well: a member that failed sends no data. */
        HB_TRY(hb_exchange_ranks_pause(&x->base, &backoff));
    }
    return HB_OK;
}

/* Waits until all messages have ended, then copies the blocks to where they belong. HB_EPEER, HB_ECOMM. */
static hb_status end_transfer(hb_mpi_exchange *x, hb_mpi_transfer *t)
{
    hb_exchange *base = &x->base.base;
    size_t at = 0;
    /* Blocks are received in the order of members, not of arrival. */
    HB_TRY(await(x, t));
    for (uint32_t m = 0; m < base->members; m++) {
        if (hb_transfer_receives(base, &t->blocks, m)) {
            HB_TRY(put(t, t->blocks.receive[m], t->staging + at, t->blocks.receive_bytes[m]));
            at += t->blocks.receive_bytes[m];
        }
    }
    if (t->queue != NULL) { /* words for the host are no transfer of the caller's */
        HB_TRY(hb_finish(t->queue));
        hb_exchange_ranks_count(base, &t->blocks, hb_now() - t->began);
    }
    return HB_OK;
}

/* Frees a transfer in any state. It never waits. */
static void clear(hb_mpi_exchange *x, hb_mpi_transfer *t)
{
    /* Receives can be cancelled; a send that has begun cannot, so its memory may stay in use. */
    for (int i = 0; t->pending > 0 && i < t->receives; i++) {
        if (t->requests[i] != MPI_REQUEST_NULL) {
            (void)HB_MPI(MPI_Cancel(&t->requests[i]));
        }
    }
    /* One test without waiting: requests that have ended need not be kept. */
    int finished = 0;
    if (t->pending > 0 &&
        HB_MPI(MPI_Testsome(t->count, t->requests, &finished, t->finished, MPI_STATUSES_IGNORE)) == HB_OK) {
        t->pending -= finished;
    }
    for (int i = 0; t->pending > 0 && i < t->count; i++) {
        if (t->requests[i] != MPI_REQUEST_NULL) {
            /* MPI ends it when it can; this rank does not wait for it any more. */
            (void)HB_MPI(MPI_Request_free(&t->requests[i]));
        }
    }
    if (t->pending > 0) {
        /* Messages are still under way: the staging memory lives until MPI has ended. */
        hb_mpi_keep(x->members, t->staging, t->staging_bytes);
    } else {
        free_staging(t);
    }
    free(t->requests);
    free(t->members);
    free(t->finished);
    *t = (hb_mpi_transfer){0};
}

enum { MESSAGE_BYTES = 1 << 30 }; /* counts of MPI are int */

/* Ends all transfers before `ticket`, in the order in which they were begun. */
static hb_status end_until(hb_exchange_ranks *base, uint64_t ticket)
{
    hb_mpi_exchange *x = hb_mpi_exchange_of(&base->base);
    while (base->ended < ticket) {
        HB_TRY(end_transfer(x, &x->transfers[base->ended % HB_MPI_TRANSFERS]));
        base->ended++;
    }
    return HB_OK;
}

/* Begins a transfer in the next place of the ring. All members begin transfers in the same order, and MPI keeps
 * messages of two ranks with one tag in order: so messages need no number. */
static hb_status begin(hb_mpi_exchange *x, hb_engine *queue, const hb_transfer *blocks, uint64_t *ticket)
{
    uint32_t place;
    HB_TRY(hb_exchange_ranks_place(&x->base, HB_MPI_TRANSFERS, end_until, &place));
    hb_mpi_transfer *t = &x->transfers[place];
    t->blocks = *blocks;
    t->queue = queue;
    /* A ticket is given only to a transfer whose messages are all posted. */
    HB_TRY(post(x, t));
    *ticket = x->base.begun++;
    return HB_OK;
}

static hb_status start(hb_exchange *base, hb_engine *queue, const hb_transfer *transfer, uint64_t *ticket)
{
    hb_mpi_exchange *x = hb_mpi_exchange_of(base);
    HB_TRY(hb_exchange_ranks_begin(&x->base));
    return hb_exchange_ranks_end(&x->base, begin(x, queue, transfer, ticket));
}

/* Ending a transfer copies its blocks, so later operations of every queue find them. */
static hb_status wait(hb_exchange *base, hb_engine *queue, uint64_t ticket)
{
    (void)queue;
    hb_mpi_exchange *x = hb_mpi_exchange_of(base);
    HB_TRY(hb_exchange_ranks_begin(&x->base));
    return hb_exchange_ranks_end(&x->base, end_until(&x->base, ticket + 1));
}

static hb_status settle(hb_exchange *base, uint64_t ticket)
{
    hb_mpi_exchange *x = hb_mpi_exchange_of(base);
    HB_TRY(hb_exchange_ranks_begin(&x->base));
    return hb_exchange_ranks_end(&x->base, end_until(&x->base, ticket + 1));
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
    st = st == HB_OK ? end_until(&x->base, x->base.begun) : st;
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
        clear(x, &x->transfers[i]);
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
        /* A group of one has no partner, and may not be MPI's. */
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
    x->base.base.cost.visible = HB_VISIBLE_MPI; /* the thread that computes moves the bytes */
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
