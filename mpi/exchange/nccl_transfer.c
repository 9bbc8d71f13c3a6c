/* Calls of NCCL: the statuses of its failures, the start of a transfer, and the wait for its end. */
#include <string.h>

#include "base/chunk.h"
#include "base/clock.h"
#include "direct.h"

hb_status hb_nccl_check(ncclResult_t result, const char *call, const char *file, int line)
{
    const char *advice = "see NCCL_DEBUG=WARN, or use --exchange mpi";
    hb_status code = HB_ECOMM;
    switch (result) {
    case ncclSuccess:
    case ncclInProgress:
        return HB_OK;
    case ncclUnhandledCudaError:
    case ncclInvalidArgument:
    case ncclInvalidUsage:
        code = HB_EUNAVAILABLE;
        break;
    /* Other failures are taken for the network's or another rank's fault. */
    default:
        break;
    }
    return hb_fail(code, file, line, "NCCL: %.*s failed: %s; %s", (int)strcspn(call, "("), call,
                   ncclGetErrorString(result), advice);
}

hb_status hb_nccl_check_cuda(cudaError_t error, const char *call, const char *file, int line)
{
    if (error == cudaSuccess) {
        return HB_OK;
    }
    /* The runtime keeps it, and a later check of a launch would find it. */
    (void)cudaGetLastError();
    return hb_fail(error == cudaErrorMemoryAllocation ? HB_ENOMEM : HB_EUNAVAILABLE, file, line,
                   "the exchange between GPUs: %.*s failed: %s", (int)strcspn(call, "("), call,
                   cudaGetErrorString(error));
}

hb_status hb_nccl_issued(hb_nccl_exchange *x, ncclComm_t comm, const char *what)
{
    hb_backoff backoff = hb_backoff_of(x->base.deadline);
    for (;;) {
        ncclResult_t state;
        HB_TRY(HB_NCCL(ncclCommGetAsyncError(comm, &state)));
        if (state != ncclInProgress) {
            return hb_nccl_check(state, what, __FILE__, __LINE__);
        }
        if (hb_backoff_ended(&backoff)) {
            return HB_FAIL(HB_ECOMM, "not all of ranks %d to %d came to %s of NCCL within %g s (--comm-timeout)",
                           hb_exchange_ranks_rank(&x->base, 0),
                           hb_exchange_ranks_rank(&x->base, x->base.base.members - 1), what, x->base.deadline);
        }
        HB_TRY(hb_exchange_ranks_pause(&x->base, &backoff));
    }
}

/* Sets *yes to whether an event has happened. That it has not is no failure. */
static hb_status happened(cudaEvent_t event, bool *yes)
{
    const cudaError_t error = cudaEventQuery(event);
    *yes = error == cudaSuccess;
    if (error == cudaErrorNotReady) {
        (void)cudaGetLastError(); /* or the check after a launch would find it */
        return HB_OK;
    }
    return HB_CUDART(error);
}

hb_status hb_nccl_check_failed(const hb_nccl_exchange *x)
{
    const int failed = x->direct != NULL ? hb_direct_failed(x->direct) : -1;
    return failed >= 0
               ? HB_FAIL(HB_EPEER, "rank %d gave up the exchange", hb_exchange_ranks_rank(&x->base, (uint32_t)failed))
               : HB_OK;
}

/* Fails after the deadline, by the name of the rank that is missing where that is known. */
static hb_status late(const hb_nccl_exchange *x)
{
    const hb_nccl_transfer *t = &x->transfers[x->base.ended % HB_NCCL_TRANSFERS];
    const int missing = x->base.ended < x->base.begun && t->blocks.window != NULL
                            ? hb_direct_missing(x->direct, &x->base.base, &t->blocks, t->number)
                            : -1;
    if (missing >= 0) {
        return HB_FAIL(HB_ECOMM, "no data from rank %d for %g s (--comm-timeout)",
                       hb_exchange_ranks_rank(&x->base, (uint32_t)missing), x->base.deadline);
    }
    return HB_FAIL(HB_ECOMM, "no data between ranks %d to %d over NCCL for %g s (--comm-timeout)",
                   hb_exchange_ranks_rank(&x->base, 0), hb_exchange_ranks_rank(&x->base, x->base.base.members - 1),
                   x->base.deadline);
}

/* Pauses between two tests of an event, with the lock open: others may start transfers meanwhile, and may fail. */
static hb_status pause_unlocked(hb_nccl_exchange *x, hb_backoff *backoff)
{
    ncclResult_t state;
    HB_TRY(HB_NCCL(ncclCommGetAsyncError(x->comm, &state)));
    /* NCCL reports failures of its own threads here only. */
    HB_TRY(hb_nccl_check(state, "a transfer", __FILE__, __LINE__));
    HB_TRY(hb_nccl_check_failed(x));
    if (hb_backoff_ended(backoff)) {
        return late(x);
    }
    pthread_mutex_unlock(&x->lock);
    const hb_status st = hb_exchange_ranks_pause(&x->base, backoff);
    pthread_mutex_lock(&x->lock);
    /* Another thread may have failed and ended the communicator meanwhile. */
    return x->base.failed != HB_OK ? hb_exchange_ranks_begin(&x->base) : st;
}

/* Counts the transfers that have ended, in their order, and notes whether the next one has begun. */
static hb_status advance(hb_nccl_exchange *x)
{
    while (x->base.ended < x->base.begun) {
        hb_nccl_transfer *t = &x->transfers[x->base.ended % HB_NCCL_TRANSFERS];
        bool has_ended = false;
        float milliseconds = 0;
        HB_TRY(happened(t->ended, &has_ended));
        if (!has_ended) {
            /* They are counted in order; a later one of another window may have ended. */
            return t->has_begun ? HB_OK : happened(t->began, &t->has_begun);
        }
        /* Nobody can tell what a member told before it gave up from later. */
        HB_TRY(hb_nccl_check_failed(x));
        HB_TRY(HB_CUDART(cudaEventElapsedTime(&milliseconds, t->began, t->ended)));
        /* The GPU's own time, which the host's looks do not touch. */
        hb_exchange_ranks_count(&x->base.base, &t->blocks, 1e-3 * (double)milliseconds);
        x->base.ended++;
    }
    return HB_OK;
}

hb_status hb_nccl_await(hb_nccl_exchange *x, uint64_t count)
{
    hb_backoff backoff = hb_backoff_of(x->base.deadline);
    HB_TRY(advance(x));
    while (x->base.ended < count) {
        const uint64_t seen = x->base.ended;
        HB_TRY(pause_unlocked(x, &backoff));
        HB_TRY(advance(x));
        if (x->base.ended != seen) { /* the member that found it */
            hb_backoff_renew(&backoff);
        }
        /* This GPU still computes the blocks to be sent. */
        if (!x->transfers[x->base.ended % HB_NCCL_TRANSFERS].has_begun) {
            backoff.since = hb_now();
        }
    }
    return HB_OK;
}

hb_status hb_nccl_await_event(hb_nccl_exchange *x, cudaEvent_t event)
{
    hb_backoff backoff = hb_backoff_of(x->base.deadline);
    for (;;) {
        bool has_ended;
        HB_TRY(happened(event, &has_ended));
        if (has_ended) {
            return HB_OK;
        }
        HB_TRY(pause_unlocked(x, &backoff));
    }
}

/* Returns true if a transfer is one for NCCL's own all-gather, which wants blocks of one size in one run of memory,
 * with the own one in its place. */
static bool is_one_run(const hb_exchange *x, const hb_transfer *t)
{
    const uint32_t own = x->member, other = own == 0 ? 1 : 0;
    const size_t bytes = t->send_bytes[other];
    if (t->pattern != HB_ALL_GATHER || bytes == 0 || t->receive[own] != t->send[other]) {
        return false;
    }
    /* Where the run starts if the own block is in its place. */
    const uint8_t *run = (const uint8_t *)t->receive[own] - own * bytes;
    for (uint32_t m = 0; m < x->members; m++) {
        if (m != own && (t->receive_bytes[m] != bytes || t->receive[m] != run + m * bytes)) {
            return false;
        }
    }
    return true;
}

/* Issues a broadcast. The root has one block, which every other member's entry names. */
static hb_status issue_broadcast(hb_nccl_exchange *x, const hb_transfer *t)
{
    const bool root = x->base.base.member == t->root;
    const uint32_t other = root ? (t->root == 0 ? 1 : 0) : t->root;
    /* Every entry of the root names the same block. */
    const void *send = root ? t->send[other] : t->receive[other];
    const size_t bytes = root ? t->send_bytes[other] : t->receive_bytes[other];
    void *receive = root ? (void *)(uintptr_t)send : t->receive[other]; /* in place: the root's is only read */
    if (bytes == 0) {
        return HB_OK;
    }
    return HB_NCCL(
        ncclBroadcast(send, receive, bytes / sizeof(uint64_t), ncclUint64, (int)t->root, x->comm, x->stream));
}

/* Issues one step, in which every member sends to one and receives from one. */
static hb_status issue_step(hb_nccl_exchange *x, const hb_transfer *t, uint32_t step)
{
    const hb_exchange *base = &x->base.base;
    const uint32_t to = (base->member + step) % base->members;
    const uint32_t from = (base->member + base->members - step) % base->members;
    /* In step s everyone sends s members on: all links are used alike. */
    if (hb_transfer_sends(base, t, to)) {
        HB_TRY(HB_NCCL(
            ncclSend(t->send[to], t->send_bytes[to] / sizeof(uint64_t), ncclUint64, (int)to, x->comm, x->stream)));
    }
    if (hb_transfer_receives(base, t, from)) {
        HB_TRY(HB_NCCL(ncclRecv(t->receive[from], t->receive_bytes[from] / sizeof(uint64_t), ncclUint64, (int)from,
                                x->comm, x->stream)));
    }
    return HB_OK;
}

/* Issues all steps as one group, which NCCL does at once. */
static hb_status issue_blocks(hb_nccl_exchange *x, const hb_transfer *t)
{
    hb_status st = HB_OK;
    /* NCCL would wait for each send and receive by itself outside of a group. */
    HB_TRY(HB_NCCL(ncclGroupStart()));
    for (uint32_t step = 1; step < x->base.base.members && st == HB_OK; step++) {
        st = issue_step(x, t, step);
    }
    const hb_status end = HB_NCCL(ncclGroupEnd()); /* also after a failure, or the thread stays in the group */
    return st != HB_OK ? st : end;
}

static hb_status issue(hb_nccl_exchange *x, const hb_transfer *t)
{
    const hb_exchange *base = &x->base.base;
    if (is_one_run(base, t)) {
        const uint32_t own = base->member;
        const size_t bytes = t->send_bytes[own == 0 ? 1 : 0];
        void *run = (uint8_t *)t->receive[own] - own * bytes;
        return HB_NCCL(ncclAllGather(t->receive[own], run, bytes / sizeof(uint64_t), ncclUint64, x->comm, x->stream));
    }
    return t->pattern == HB_BROADCAST ? issue_broadcast(x, t) : issue_blocks(x, t);
}

hb_status hb_nccl_issue(hb_nccl_exchange *x, const hb_transfer *t)
{
    hb_watch_enter(x->watch);
    const hb_status st = issue(x, t);
    hb_watch_leave(x->watch);
    HB_TRY(st);
    /* The environment may have it not block after all (NCCL_COMM_BLOCKING). */
    return hb_nccl_issued(x, x->comm, "a transfer");
}

/* Gathers at most HB_NCCL_WORDS words of each member into x->words_host. */
static hb_status gather_part(hb_nccl_exchange *x, const uint64_t *mine, size_t count)
{
    const hb_exchange *base = &x->base.base;
    const size_t bytes = count * sizeof *mine;
    uint64_t *own = x->words + base->member * count;
    memcpy(x->words_host, mine, bytes);
    /* The own words go to their place on the GPU, where the all-gather is in place. */
    HB_TRY(HB_CUDART(cudaMemcpyAsync(own, x->words_host, bytes, cudaMemcpyHostToDevice, x->stream)));
    hb_watch_enter(x->watch);
    const hb_status st = HB_NCCL(ncclAllGather(own, x->words, count, ncclUint64, x->comm, x->stream));
    hb_watch_leave(x->watch);
    HB_TRY(st);
    HB_TRY(hb_nccl_issued(x, x->comm, "a transfer"));
    HB_TRY(
        HB_CUDART(cudaMemcpyAsync(x->words_host, x->words, base->members * bytes, cudaMemcpyDeviceToHost, x->stream)));
    /* The event is behind the copy back: once it has happened the host has the words. */
    HB_TRY(HB_CUDART(cudaEventRecord(x->gathered, x->stream)));
    return hb_nccl_await_event(x, x->gathered);
}

hb_status hb_nccl_gather_words(hb_nccl_exchange *x, const uint64_t *mine, size_t count, uint64_t *all)
{
    for (hb_chunk c = hb_chunks(count, HB_NCCL_WORDS); hb_chunk_next(&c);) {
        HB_TRY(gather_part(x, mine + c.first, c.count));
        /* A part has the words of all members; each goes behind that member's earlier parts. */
        for (uint32_t m = 0; m < x->base.base.members; m++) {
            memcpy(all + m * count + c.first, x->words_host + m * c.count, c.count * sizeof *all);
        }
    }
    return HB_OK;
}
