/* The exchange over NCCL: transfers in their order, and its life. */
#include <stdio.h>
#include <stdlib.h>

#include "base/seed.h"
#include "direct.h"

/* Seconds after the deadline before a call that waits ends the process: by then a hang has ended in a better way, if
 * there is one. */
enum { CALL_GRACE = 60 };

/* Begins a call; every call is between this and `end`. The lock is held after it, also where it fails. */
static hb_status begin(hb_nccl_exchange *x)
{
    /* One thread at a time gives NCCL something. */
    pthread_mutex_lock(&x->lock);
    const hb_status st = hb_exchange_ranks_begin(&x->base);
    return st != HB_OK ? st : HB_CUDART(cudaSetDevice(x->device)); /* of the calling thread */
}

/* Ends a call. After a failure the communicator is aborted at once: queues that wait for its transfers would never end
 * otherwise. */
static hb_status end(hb_nccl_exchange *x, hb_status st)
{
    if (st != HB_OK) {
        /* Ending may fail as well: the first reason is kept. */
        const hb_error why = *hb_last_error();
        (void)hb_exchange_ranks_end(&x->base, st);
        hb_nccl_end(x, true);
        hb_set_error(&why);
    }
    pthread_mutex_unlock(&x->lock);
    return st;
}

static hb_status end_until(hb_exchange_ranks *x, uint64_t count)
{
    return hb_nccl_await(hb_nccl_exchange_of(&x->base), count);
}

/* Begins a transfer: the stream waits for the queue, not the host. A window has a stream of its own. */
static hb_status start_transfer(hb_nccl_exchange *x, hb_engine *queue, const hb_transfer *blocks, uint64_t *ticket)
{
    uint32_t place;
    HB_TRY(hb_exchange_ranks_place(&x->base, HB_NCCL_TRANSFERS, end_until, &place));
    hb_nccl_transfer *t = &x->transfers[place];
    cudaStream_t stream = blocks->window != NULL ? hb_direct_stream(blocks->window) : x->stream;
    t->blocks = *blocks;
    t->has_begun = false;
    HB_TRY(HB_CUDART(cudaEventRecord(t->ready, (cudaStream_t)hb_engine_native(queue))));
    /* All that was issued on the queue so far comes before the transfer. */
    HB_TRY(HB_CUDART(cudaStreamWaitEvent(stream, t->ready, 0)));
    HB_TRY(HB_CUDART(cudaEventRecord(t->began, stream))); /* after the transfer before: its time is its own */
    if (blocks->window != NULL) {
        HB_TRY(hb_direct_issue(x->direct, &x->base.base, &t->blocks, &t->number));
    } else {
        HB_TRY(hb_nccl_issue(x, &t->blocks));
    }
    HB_TRY(HB_CUDART(cudaEventRecord(t->ended, stream)));
    *ticket = x->base.begun++;
    return HB_OK;
}

static hb_status start(hb_exchange *base, hb_engine *queue, const hb_transfer *transfer, uint64_t *ticket)
{
    hb_nccl_exchange *x = hb_nccl_exchange_of(base);
    const hb_status st = begin(x);
    return end(x, st == HB_OK ? start_transfer(x, queue, transfer, ticket) : st);
}

/* Makes the queue wait for the end of a transfer; the host does not. */
static hb_status wait_for(hb_nccl_exchange *x, hb_engine *queue, uint64_t ticket)
{
    if (ticket < x->base.ended) { /* the host has seen its end, and its event serves another */
        return HB_OK;
    }
    const hb_nccl_transfer *t = &x->transfers[ticket % HB_NCCL_TRANSFERS];
    return HB_CUDART(cudaStreamWaitEvent((cudaStream_t)hb_engine_native(queue), t->ended, 0));
}

static hb_status wait(hb_exchange *base, hb_engine *queue, uint64_t ticket)
{
    hb_nccl_exchange *x = hb_nccl_exchange_of(base);
    const hb_status st = begin(x);
    return end(x, st == HB_OK ? wait_for(x, queue, ticket) : st);
}

static hb_status settle(hb_exchange *base, uint64_t ticket)
{
    hb_nccl_exchange *x = hb_nccl_exchange_of(base);
    const hb_status st = begin(x);
    return end(x, st == HB_OK ? hb_nccl_await(x, ticket + 1) : st);
}

static hb_status gather_words(hb_exchange *base, const uint64_t *mine, size_t count, uint64_t *all)
{
    hb_nccl_exchange *x = hb_nccl_exchange_of(base);
    hb_status st = begin(x);
    st = st == HB_OK ? hb_nccl_await(x, x->base.begun) : st; /* patience is for the words alone */
    return end(x, st == HB_OK ? hb_nccl_gather_words(x, mine, count, all) : st);
}

static hb_status check(hb_exchange *base)
{
    hb_nccl_exchange *x = hb_nccl_exchange_of(base);
    const hb_status st = begin(x);
    return end(x, st == HB_OK ? hb_nccl_check_failed(x) : st);
}

static hb_status open_window(hb_exchange *base, void *memory, size_t bytes, hb_window **out)
{
    hb_nccl_exchange *x = hb_nccl_exchange_of(base);
    hb_status st = begin(x);
    st = st == HB_OK ? hb_nccl_await(x, x->base.begun) : st; /* patience is for the words alone */
    return end(x, st == HB_OK ? hb_direct_open_window(x->direct, x, memory, bytes, out) : st);
}

/* Also after a failure: what the exchange has of the memory is given back. */
static void close_window(hb_exchange *base, hb_window *window)
{
    hb_nccl_exchange *x = hb_nccl_exchange_of(base);
    pthread_mutex_lock(&x->lock);
    if (!x->stuck) { /* the GPU may still use it */
        (void)HB_CUDART(cudaSetDevice(x->device));
        hb_direct_close_window(x->direct, window);
    }
    pthread_mutex_unlock(&x->lock);
}

static void destroy_event(cudaEvent_t event)
{
    if (event != NULL) {
        (void)HB_CUDART(cudaEventDestroy(event));
    }
}

static size_t words_bytes(const hb_nccl_exchange *x)
{
    return x->base.base.members * (size_t)HB_NCCL_WORDS * sizeof *x->words;
}

/* Wipes and frees the memory of gather_words: plaintexts may follow from its contents. */
static void free_words(hb_nccl_exchange *x)
{
    if (x->words != NULL) {
        (void)HB_CUDART(cudaMemsetAsync(x->words, 0, words_bytes(x), x->stream));
        (void)HB_CUDART(cudaFree(x->words)); /* waits for all that was to be done with it */
    }
    if (x->words_host != NULL) {
        hb_wipe(x->words_host, words_bytes(x));
        (void)HB_CUDART(cudaFreeHost(x->words_host));
    }
}

static void finish(hb_exchange *base)
{
    hb_nccl_exchange *x = hb_nccl_exchange_of(base);
    /* Transfers under way belong to calls that were given up: they are aborted rather than waited for. */
    hb_nccl_end(x, x->base.failed != HB_OK || x->base.begun != x->base.ended);
    if (x->stuck) {
        return; /* the GPU may still be at it; the process is about to end */
    }
    (void)HB_CUDART(cudaSetDevice(x->device));
    hb_direct_close(x->direct);
    for (int i = 0; i < HB_NCCL_TRANSFERS; i++) {
        destroy_event(x->transfers[i].ready);
        destroy_event(x->transfers[i].began);
        destroy_event(x->transfers[i].ended);
    }
    destroy_event(x->gathered);
    free_words(x);
    if (x->stream != NULL) {
        (void)HB_CUDART(cudaStreamDestroy(x->stream));
    }
    hb_watch_close(x->watch);
    pthread_mutex_destroy(&x->lock);
    free(x);
}

/* The table of an exchange over NCCL alone; with direct transfers it has a name of its own, and windows. */
static const hb_exchange_ops ops = {.name = "nccl",
                                    .start = start,
                                    .wait = wait,
                                    .settle = settle,
                                    .gather_words = gather_words,
                                    .interrupt = hb_exchange_ranks_interrupt,
                                    .close = finish};
static const hb_exchange_ops direct_ops = {.name = "direct",
                                           .start = start,
                                           .wait = wait,
                                           .settle = settle,
                                           .gather_words = gather_words,
                                           .check = check,
                                           .open_window = open_window,
                                           .close_window = close_window,
                                           .interrupt = hb_exchange_ranks_interrupt,
                                           .close = finish};

/* Makes all that transfers need later: nothing is allocated between opening and closing. */
static hb_status allocate(hb_nccl_exchange *x, const hb_grid *grid, double deadline, int device)
{
    hb_exchange_ranks_init(&x->base, &ops, grid, deadline);
    x->base.base.cost.visible = HB_VISIBLE_NCCL;
    x->device = device;
    pthread_mutex_init(&x->lock, NULL); /* without attributes it cannot fail */
    int least, most;
    HB_TRY(hb_watch_open(deadline + CALL_GRACE, "no call of NCCL may wait for other ranks, but one did", &x->watch));
    /* Transfers go before computations that wait for multiprocessors: other members wait for them. */
    HB_TRY(HB_CUDART(cudaDeviceGetStreamPriorityRange(&least, &most)));
    HB_TRY(HB_CUDART(cudaStreamCreateWithPriority(&x->stream, cudaStreamNonBlocking, most)));
    for (int i = 0; i < HB_NCCL_TRANSFERS; i++) {
        hb_nccl_transfer *t = &x->transfers[i];
        HB_TRY(HB_CUDART(cudaEventCreateWithFlags(&t->ready, cudaEventDisableTiming)));
        HB_TRY(HB_CUDART(cudaEventCreate(&t->began)));
        HB_TRY(HB_CUDART(cudaEventCreate(&t->ended)));
    }
    HB_TRY(HB_CUDART(cudaEventCreateWithFlags(&x->gathered, cudaEventDisableTiming)));
    HB_TRY(HB_CUDART(cudaMalloc((void **)&x->words, words_bytes(x))));
    return HB_CUDART(cudaHostAlloc((void **)&x->words_host, words_bytes(x), cudaHostAllocPortable));
}

/* Opens direct transfers and tries whether members reach one another's memory. Where they do not, *why_not has a
 * reason, and NCCL goes on alone. Collective. */
static hb_status go_direct(hb_nccl_exchange *x, const hb_grid *grid, hb_error *why_not)
{
    hb_window *window = NULL;
    HB_TRY(hb_direct_open(grid, &x->direct, why_not));
    if (x->direct == NULL) {
        return HB_OK;
    }
    x->base.base.ops = &direct_ops;
    x->base.base.cost.visible = HB_VISIBLE_DIRECT;
    HB_TRY(open_window(&x->base.base, x->words, words_bytes(x), &window));
    if (window == NULL) {
        *why_not = *hb_last_error();
        x->base.base.ops = &ops;
        x->base.base.cost.visible = HB_VISIBLE_NCCL;
        hb_direct_close(x->direct);
        x->direct = NULL;
        return HB_OK;
    }
    close_window(&x->base.base, window);
    return HB_OK;
}

hb_status hb_exchange_open_nccl(const hb_grid *grid, hb_engine *device, double deadline, hb_error *why_not_direct,
                                hb_exchange **out)
{
    hb_group *members = grid->members;
    if (members->size == 1) {
        return hb_exchange_open_alone(0, 1, out);
    }
    ncclUniqueId id;
    int index;
    HB_ASSERT(members->size <= HB_MOST_MEMBERS);
    HB_TRY(hb_nccl_meet(grid, device, &index, &id));
    hb_nccl_exchange *x = calloc(1, sizeof *x);
    hb_status st = x != NULL ? allocate(x, grid, deadline, index) : HB_FAIL(HB_ENOMEM, "no memory for the exchange");
    /* Nobody starts to join before all can: NCCL would wait for ranks that left. */
    st = hb_agree(members, st);
    if (st == HB_OK) {
        st = hb_agree(members, hb_exchange_ranks_end(&x->base, hb_nccl_join(x, id)));
    }
    if (st == HB_OK && why_not_direct != NULL) {
        st = hb_agree(members, hb_exchange_ranks_end(&x->base, go_direct(x, grid, why_not_direct)));
    }
    if (st != HB_OK) {
        /* The reason is kept over the closing. An exchange that has failed is aborted there, as others may not come. */
        const hb_error why = *hb_last_error();
        (void)(x != NULL ? hb_exchange_ranks_end(&x->base, st) : st);
        hb_exchange_close(x != NULL ? &x->base.base : NULL);
        hb_set_error(&why);
        return st;
    }
    *out = &x->base.base;
    return HB_OK;
}

const char *hb_exchange_nccl_version(void)
{
    static _Thread_local char text[32];
    int code;
    if (HB_NCCL(ncclGetVersion(&code)) != HB_OK) {
        return "unknown";
    }
    snprintf(text, sizeof text, "%d.%d.%d", code / 10000, code / 100 % 100, code % 100); /* 10000 major + 100 minor */
    return text;
}
