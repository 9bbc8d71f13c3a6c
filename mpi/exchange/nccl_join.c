/* Joins the members in a communicator of NCCL. The first transfer of a kind connects members, and waits inside NCCL for
 * its partners. So every kind is done once at the start, in a watched thread; later calls of NCCL do not wait. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "nccl_private.h"

/* LARGE is the bytes of the larger blocks together: NCCL connects differently for large collectives. STOP and RETURN
 * are seconds: for the thread to see that it is to stop, if no call of NCCL keeps it; for a call that it was in to
 * return after an abort. */
enum { LARGE = 1 << 25, STOP = 1, RETURN = 5 };

/* The state that the connecting thread and its watcher share. */
typedef struct connecting {
    hb_nccl_exchange *x;
    uint8_t *blocks; /* on the GPU, a block of each member */
    size_t block;    /* bytes */
    atomic_bool stop, done;
    hb_status status;
    hb_error why;
} connecting;

/* Issues one transfer of a pattern with blocks of `bytes`, unless the thread is to stop. */
static hb_status connect_for(connecting *c, hb_pattern pattern, uint32_t root, size_t bytes)
{
    const hb_exchange *base = &c->x->base.base;
    hb_transfer t = {.pattern = pattern, .root = root};
    for (uint32_t m = 0; m < base->members; m++) {
        t.send[m] = c->blocks + base->member * bytes;
        t.receive[m] = c->blocks + m * bytes;
        t.send_bytes[m] = t.receive_bytes[m] = bytes;
    }
    return atomic_load(&c->stop) ? HB_FAIL(HB_EPEER, "stopped") : hb_nccl_issue(c->x, &t);
}

/* Issues every pattern in both sizes, in the same order on all members, and records the event behind them. */
static hb_status connect_all(connecting *c)
{
    const size_t sizes[] = {sizeof(uint64_t), c->block};
    HB_TRY(HB_CUDART(cudaSetDevice(c->x->device)));
    for (int i = 0; i < 2; i++) {
        HB_TRY(connect_for(c, HB_ALL_GATHER, 0, sizes[i]));
        HB_TRY(connect_for(c, HB_ALL_TO_ALL, 0, sizes[i]));
        /* A broadcast connects its root to the others: each member is one once. */
        for (uint32_t root = 0; root < c->x->base.base.members; root++) {
            HB_TRY(connect_for(c, HB_BROADCAST, root, sizes[i]));
        }
    }
    return HB_CUDART(cudaEventRecord(c->x->gathered, c->x->stream));
}

/* The thread. Its failure is carried over to the one that watches. */
static void *run(void *context)
{
    connecting *c = context;
    c->status = connect_all(c);
    if (c->status != HB_OK) {
        c->why = *hb_last_error();
    }
    /* Last: status and reason are in place when the other thread sees it. */
    atomic_store(&c->done, true);
    return NULL;
}

/* Waits for the thread until the deadline. */
static hb_status watch(const connecting *c)
{
    hb_exchange_ranks *base = &c->x->base;
    hb_backoff backoff = hb_backoff_of(base->deadline);
    while (!atomic_load(&c->done)) {
        if (hb_backoff_ended(&backoff)) {
            return HB_FAIL(HB_ECOMM, "not all of ranks %d to %d were connected by NCCL within %g s (--comm-timeout)",
                           hb_exchange_ranks_rank(base, 0), hb_exchange_ranks_rank(base, base->base.members - 1),
                           base->deadline);
        }
        HB_TRY(hb_exchange_ranks_pause(base, &backoff));
    }
    if (c->status != HB_OK) {
        hb_set_error(&c->why);
    }
    return c->status;
}

/* Ends the thread after a failure, and returns whether it has ended. It stops between two transfers; if it does not, it
 * is in a call of NCCL, which only an abort ends. */
static bool stop_thread(connecting *c, pthread_t thread)
{
    atomic_store(&c->stop, true);
    const double since = hb_now();
    hb_backoff backoff = hb_backoff_of(STOP);
    while (!atomic_load(&c->done) && hb_now() - since < STOP) {
        hb_backoff_pause(&backoff);
    }
    hb_nccl_end(c->x, true);
    return hb_nccl_join_thread(thread, RETURN);
}

/* Connects in a thread that is watched. *ended: whether c is out of use. */
static hb_status connect_watched(connecting *c, bool *ended)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, c) != 0) {
        return HB_FAIL(HB_ENOMEM, "the system has no thread left");
    }
    hb_status st = watch(c);
    if (st == HB_OK) {
        pthread_join(thread, NULL);
        pthread_mutex_lock(&c->x->lock);
        /* The calls have returned, but the GPU may still be waiting for members. */
        st = hb_nccl_await_event(c->x, c->x->gathered);
        pthread_mutex_unlock(&c->x->lock);
        return st;
    }
    const hb_error why = *hb_last_error();
    (void)hb_exchange_ranks_end(&c->x->base, st);
    *ended = stop_thread(c, thread);
    hb_set_error(&why);
    return st;
}

/* nccl_connect.c. Makes every pattern of transfer once between all members, likewise. */
static hb_status connect_members(hb_nccl_exchange *x)
{
    const uint32_t members = x->base.base.members;
    bool ended = true;
    connecting *c = calloc(1, sizeof *c); /* the thread's, where it does not end */
    if (c == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the exchange");
    }
    c->x = x;
    /* Whole words, as NCCL is given words. */
    c->block = LARGE / members / sizeof(uint64_t) * sizeof(uint64_t);
    atomic_init(&c->stop, false);
    atomic_init(&c->done, false);
    hb_status st = HB_CUDART(cudaMalloc((void **)&c->blocks, members * c->block));
    /* Words that were never written are not sent. */
    st = st == HB_OK ? HB_CUDART(cudaMemsetAsync(c->blocks, 0, members * c->block, x->stream)) : st;
    st = st == HB_OK ? connect_watched(c, &ended) : st;
    if (st != HB_OK) { /* nothing of NCCL is on the GPU when the memory goes */
        const hb_error why = *hb_last_error();
        (void)hb_exchange_ranks_end(&x->base, st);
        hb_nccl_end(x, true);
        hb_set_error(&why);
    }
    if (!ended) {
        hb_nccl_give_up(x);
    }
    if (!x->stuck) {
        (void)HB_CUDART(cudaFree(c->blocks)); /* NULL is allowed */
        free(c);
    }
    return st;
}

enum { UUID_WORDS = 2 };

/* Finds the GPU of an engine, which does not tell: CUDA knows where memory of it is. */
static hb_status device_of(hb_engine *engine, int *device)
{
    void *memory;
    struct cudaPointerAttributes attributes;
    if (hb_engine_native(engine) == NULL) {
        return HB_FAIL(HB_EUNAVAILABLE, "NCCL moves memory of GPUs only: use --exchange mpi");
    }
    HB_TRY(hb_alloc(engine, sizeof(uint64_t), &memory));
    const hb_status st = HB_CUDART(cudaPointerGetAttributes(&attributes, memory));
    hb_free(engine, memory);
    HB_TRY(st);
    *device = attributes.device;
    return HB_CUDART(cudaSetDevice(*device));
}

/* Finds the GPU of an engine and its UUID. */
static hb_status find_device(hb_engine *engine, int *device, uint64_t uuid[UUID_WORDS])
{
    struct cudaDeviceProp properties;
    HB_TRY(device_of(engine, device));
    HB_TRY(HB_CUDART(cudaGetDeviceProperties(&properties, *device)));
    _Static_assert(sizeof properties.uuid == UUID_WORDS * sizeof *uuid, "a UUID has 16 bytes");
    memcpy(uuid, &properties.uuid, sizeof properties.uuid);
    return HB_OK;
}

/* Fails if two members have the same GPU: NCCL would refuse it in the middle of its own start, or hang. */
static hb_status check_apart(const hb_grid *grid, const uint64_t *uuids)
{
    const int first = grid->all->rank - grid->members->rank;
    for (int a = 0; a < grid->members->size; a++) {
        /* By UUID: the number of a GPU is each process's own. */
        for (int b = 0; b < a; b++) {
            if (memcmp(uuids + a * UUID_WORDS, uuids + b * UUID_WORDS, UUID_WORDS * sizeof *uuids) == 0) {
                return HB_FAIL(HB_EUNAVAILABLE,
                               "ranks %d and %d share a GPU, which NCCL does not allow: give each its own, or use "
                               "--exchange mpi",
                               first + b, first + a);
            }
        }
    }
    return HB_OK;
}

hb_status hb_nccl_meet(const hb_grid *grid, hb_engine *engine, int *device, ncclUniqueId *id)
{
    hb_group *members = grid->members;
    uint64_t uuids[HB_MOST_MEMBERS * UUID_WORDS] = {0};
    hb_status st = find_device(engine, device, uuids + members->rank * UUID_WORDS);
    HB_TRY(hb_agree(members, st));
    /* Each member has written its own words and zeros elsewhere: the sum is an all-gather. */
    st = hb_group_sum(members, uuids, (size_t)members->size * UUID_WORDS);
    HB_TRY(hb_agree(members, st == HB_OK ? check_apart(grid, uuids) : st));
    /* Every rank agrees at each step, so that all leave together, with the same reason. */
    HB_TRY(hb_agree(members, members->rank == 0 ? HB_NCCL(ncclGetUniqueId(id)) : HB_OK));
    return hb_agree(members, hb_group_broadcast(members, id, sizeof *id, 0)); /* no member joins before all have it */
}

/* Makes the communicator in which members meet. Anyone who does not come is missed here: the state of a communicator
 * that does not block can be looked at until the deadline. */
static hb_status meet_all(hb_nccl_exchange *x, ncclUniqueId id)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    const int members = (int)x->base.base.members, member = (int)x->base.base.member;
    HB_TRY(HB_NCCL(ncclCommInitRankConfig(&x->meeting, members, id, member, &config)));
    return hb_nccl_issued(x, x->meeting, "the start");
}

/* Splits the communicator for transfers from the first. A call in one that does not block costs the host a thread and
 * looks at its state, 40 to 180 microseconds; in one that blocks it costs 6. The state of the first tells when the
 * second is there, and its abort ends the start of the second too. */
static hb_status split(hb_nccl_exchange *x)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 1;
    HB_TRY(HB_NCCL(ncclCommSplit(x->meeting, 0, (int)x->base.base.member, &x->comm, &config)));
    HB_TRY(hb_nccl_issued(x, x->meeting, "the start"));
    HB_ASSERT(x->comm != NULL);
    return HB_OK;
}

hb_status hb_nccl_join(hb_nccl_exchange *x, ncclUniqueId id)
{
    HB_TRY(meet_all(x, id));
    HB_TRY(split(x));
    return connect_members(x);
}
