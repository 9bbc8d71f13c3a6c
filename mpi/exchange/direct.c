#include "direct.h"

#include <cuda.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* WINDOWS: more than queues have. FREE, FULL: what a member tells another. */
enum { WINDOWS = 64, FREE = 0, FULL = 1, TOLD = 2 };
/* A number beyond that of any transfer: it ends all waits. */
#define BEYOND (UINT64_C(1) << 62)
/* Seconds for the GPU to come to an end once its waits have ended; and for all others to close their windows, of all
 * windows together. */
#define GRACE 10
#define CLOSING 1.0

typedef struct window {
    hb_window base;
    uint32_t id;
    cudaStream_t stream;
    uint8_t *theirs[HB_MOST_MEMBERS]; /* the windows of the other members, as this GPU sees them */
} window;

struct hb_direct {
    uint32_t members, member;
    hb_shared shared;
    bool locked; /* the words are page-locked here */
    /* In host memory that the members share: what members have told, the number of a transfer of a window
     * [WINDOWS][to][from][TOLD]; how many windows each has closed in each place, [WINDOWS][members]; whether each has
     * given up, [members]. */
    atomic_uint_least64_t *words;
    CUdeviceptr on_gpu; /* the words as this GPU sees them */
    CUresult (*wait)(CUstream stream, CUdeviceptr word, cuuint64_t number, unsigned flags);
    CUresult (*write)(CUstream stream, CUdeviceptr word, cuuint64_t number, unsigned flags);
    window *window[WINDOWS];
    uint64_t number[WINDOWS]; /* of the last transfer, also of earlier windows in that place */
    double patience;          /* seconds that are left of CLOSING */
};

static window *window_of(const hb_window *w)
{
    return (window *)(uintptr_t)w; /* base is the first member */
}

/* Returns the place of the word in which member `from` tells member `to`. */
static size_t word_of(const hb_direct *d, uint32_t id, uint32_t to, uint32_t from, int told)
{
    return (((size_t)id * d->members + to) * d->members + from) * TOLD + (size_t)told;
}

static size_t closed(const hb_direct *d, uint32_t id, uint32_t member)
{
    return word_of(d, WINDOWS, 0, 0, 0) + (size_t)id * d->members + member;
}

static size_t given_up(const hb_direct *d, uint32_t member)
{
    return closed(d, WINDOWS, member);
}

static size_t words_bytes(const hb_direct *d)
{
    return given_up(d, d->members) * sizeof *d->words;
}

/* The driver's results have the numbers of the runtime's errors. */
#define DRIVER(call) hb_nccl_check_cuda((cudaError_t)(call), #call, __FILE__, __LINE__)

/* Finds a function of the driver, to which this program is not linked: it also runs where there is none. */
static hb_status driver_function(const char *name, void **function)
{
    enum cudaDriverEntryPointQueryResult found;
    const unsigned version = 12000; /* of CUDA, whose form of the function is meant: 12.0 */
    *function = NULL;
    HB_TRY(HB_CUDART(cudaGetDriverEntryPointByVersion(name, function, version, cudaEnableDefault, &found)));
    return found == cudaDriverEntryPointSuccess ? HB_OK
                                                : HB_FAIL(HB_EUNAVAILABLE, "the driver of the GPU has no %s", name);
}

/* Makes the words and the functions usable by this GPU. */
static hb_status prepare(hb_direct *d)
{
    void *wait, *write, *on_gpu;
    HB_TRY(driver_function("cuStreamWaitValue64", &wait));
    HB_TRY(driver_function("cuStreamWriteValue64", &write));
    memcpy(&d->wait, &wait, sizeof wait); /* C has no cast from data to functions */
    memcpy(&d->write, &write, sizeof write);
    /* A page of shared memory that cannot be had must fail here, not as a signal later. */
    if (posix_fallocate(d->shared.fd, 0, (off_t)d->shared.bytes) != 0) {
        return HB_FAIL(HB_EUNAVAILABLE, "no room in the memory that processes share (/dev/shm)");
    }
    HB_TRY(HB_CUDART(cudaHostRegister(d->shared.memory, d->shared.bytes, cudaHostRegisterMapped)));
    d->locked = true;
    HB_TRY(HB_CUDART(cudaHostGetDevicePointer(&on_gpu, d->shared.memory, 0)));
    d->on_gpu = (CUdeviceptr)(uintptr_t)on_gpu;
    d->words = d->shared.memory;
    return HB_OK;
}

/* Opens what this member needs; `shared` is taken over. */
static hb_status open_here(const hb_grid *grid, hb_direct **out, hb_shared *shared)
{
    hb_direct *d = calloc(1, sizeof *d);
    if (d == NULL) {
        hb_shared_close(shared);
        return HB_FAIL(HB_ENOMEM, "no memory for the exchange");
    }
    d->members = (uint32_t)grid->members->size;
    d->member = (uint32_t)grid->members->rank;
    d->shared = *shared;
    d->patience = CLOSING;
    *out = d;
    if (grid->members->node_size != grid->members->size) {
        return HB_FAIL(HB_EUNAVAILABLE, "the ranks that share limbs are on several hosts");
    }
    return shared->memory != NULL ? prepare(d)
                                  : HB_FAIL(HB_EUNAVAILABLE, "these processes can share no memory (/dev/shm)");
}

hb_status hb_direct_open(const hb_grid *grid, hb_direct **out, hb_error *why_not)
{
    hb_group *members = grid->members;
    hb_direct sizes = {.members = (uint32_t)members->size};
    hb_shared shared = {.memory = NULL};
    *out = NULL;
    hb_status st = hb_agree(members, hb_group_share(members, words_bytes(&sizes), &shared));
    if (st != HB_OK) {
        hb_shared_close(&shared);
        return st;
    }
    st = open_here(grid, out, &shared);
    /* One member that cannot is enough for all to do without. */
    uint64_t unavailable = st == HB_EUNAVAILABLE;
    if (unavailable != 0) {
        *why_not = *hb_last_error();
    }
    HB_GOTO(hb_agree(members, unavailable != 0 ? HB_OK : st));
    HB_GOTO(hb_agree(members, hb_group_max(members, &unavailable, 1)));
    if (unavailable == 0) {
        return HB_OK;
    }
done:
    hb_direct_close(*out);
    *out = NULL;
    return st;
}

void hb_direct_close(hb_direct *d)
{
    if (d == NULL) {
        return;
    }
    for (uint32_t id = 0; id < WINDOWS; id++) {
        hb_direct_close_window(d, d->window[id] != NULL ? &d->window[id]->base : NULL);
    }
    if (d->locked) {
        (void)HB_CUDART(cudaHostUnregister(d->shared.memory));
    }
    hb_shared_close(&d->shared);
    free(d);
}

/* The words that members tell one another about a window: whether this one can go on, the window's place, the handle of
 * its memory. */
enum { HANDLE_WORDS = sizeof(cudaIpcMemHandle_t) / sizeof(uint64_t), OFFER_WORDS = 2 + HANDLE_WORDS };

/* Makes this member's window and its offer to the others. */
static hb_status make(hb_direct *d, void *memory, size_t bytes, window **out, uint64_t offer[OFFER_WORDS])
{
    cudaIpcMemHandle_t handle;
    int least, most;
    uint32_t id = 0;
    while (id < WINDOWS && d->window[id] != NULL) {
        id++;
    }
    if (memory == NULL || id == WINDOWS) {
        return HB_FAIL(HB_EUNAVAILABLE, "no window");
    }
    window *w = calloc(1, sizeof *w);
    if (w == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the exchange");
    }
    w->base = (hb_window){memory, bytes};
    w->id = id;
    d->window[id] = *out = w;
    HB_TRY(HB_CUDART(cudaIpcGetMemHandle(&handle, memory)));
    HB_TRY(HB_CUDART(cudaDeviceGetStreamPriorityRange(&least, &most)));
    HB_TRY(HB_CUDART(cudaStreamCreateWithPriority(&w->stream, cudaStreamNonBlocking, most)));
    offer[0] = 1;
    offer[1] = id;
    memcpy(offer + 2, &handle, sizeof handle);
    return HB_OK;
}

/* Maps the memory of the other members as they offer it. */
static hb_status reach(hb_direct *d, window *w, const uint64_t *offers)
{
    for (uint32_t m = 0; m < d->members; m++) {
        const uint64_t *offer = offers + (size_t)m * OFFER_WORDS;
        cudaIpcMemHandle_t handle;
        void *theirs;
        /* Members make and give back their windows in the same order, so places are alike. */
        if (offer[0] == 0 || offer[1] != w->id) {
            return HB_FAIL(HB_EUNAVAILABLE, "another rank has no such window");
        }
        memcpy(&handle, offer + 2, sizeof handle);
        if (m != d->member) {
            HB_TRY(HB_CUDART(cudaIpcOpenMemHandle(&theirs, handle, cudaIpcMemLazyEnablePeerAccess)));
            w->theirs[m] = theirs;
        }
    }
    return HB_OK;
}

/* Tells whether all members say yes. Collective. */
static hb_status all_say(hb_nccl_exchange *x, bool mine, bool *all)
{
    const uint64_t word = mine;
    uint64_t words[HB_MOST_MEMBERS];
    HB_TRY(hb_nccl_gather_words(x, &word, 1, words));
    *all = true;
    for (uint32_t m = 0; m < x->base.base.members; m++) {
        *all = *all && words[m] != 0;
    }
    return HB_OK;
}

/* Closes this member's views of the memory of others. */
static void unmap(const hb_direct *d, const window *w)
{
    for (uint32_t m = 0; m < d->members; m++) {
        if (w->theirs[m] != NULL) {
            (void)HB_CUDART(cudaIpcCloseMemHandle(w->theirs[m]));
        }
    }
}

static void discard(hb_direct *d, window *w)
{
    if (w->stream != NULL) {
        (void)HB_CUDART(cudaStreamDestroy(w->stream));
    }
    d->window[w->id] = NULL;
    free(w);
}

hb_status hb_direct_open_window(hb_direct *d, hb_nccl_exchange *x, void *memory, size_t bytes, hb_window **out)
{
    uint64_t offer[OFFER_WORDS] = {0}, offers[OFFER_WORDS * HB_MOST_MEMBERS];
    window *w = NULL;
    bool all = false;
    *out = NULL;
    hb_status mine = make(d, memory, bytes, &w, offer);
    /* A member without a window takes part in the rest: others wait for it. */
    hb_status st = hb_nccl_gather_words(x, offer, OFFER_WORDS, offers);
    if (st == HB_OK) {
        mine = mine == HB_OK ? reach(d, w, offers) : mine;
        st = all_say(x, mine == HB_OK, &all);
    }
    if (all) {
        *out = &w->base;
        return st;
    }
    if (st == HB_OK && mine == HB_OK) { /* hb_last_error has the reason, here too */
        mine = HB_FAIL(HB_EUNAVAILABLE, "another rank cannot reach the memory of this one's GPU");
    }
    const hb_error why = *hb_last_error();
    if (w != NULL) { /* others may have none: nobody is met */
        unmap(d, w);
        discard(d, w);
    }
    hb_set_error(&why);
    return st;
}

/* Waits until all others have closed theirs as well: CUDA wants memory to be mapped nowhere else when it is freed. One
 * that is late, or has given up, is not waited for: the driver keeps memory that is mapped. */
static void meet_closing(hb_direct *d, uint32_t id)
{
    const double since = hb_now();
    hb_backoff backoff = hb_backoff_of(d->patience);
    const uint64_t mine = atomic_fetch_add(&d->words[closed(d, id, d->member)], 1) + 1;
    for (uint32_t m = 0; m < d->members; m++) {
        while (atomic_load(&d->words[closed(d, id, m)]) < mine && hb_direct_failed(d) < 0 &&
               hb_now() - since < d->patience) {
            hb_backoff_pause(&backoff);
        }
    }
    d->patience -= hb_now() - since;
}

void hb_direct_close_window(hb_direct *d, hb_window *shared)
{
    if (shared != NULL) {
        window *w = window_of(shared);
        unmap(d, w);
        meet_closing(d, w->id);
        discard(d, w);
    }
}

cudaStream_t hb_direct_stream(const hb_window *w)
{
    return window_of(w)->stream;
}

static CUdeviceptr on_gpu(const hb_direct *d, size_t word)
{
    return d->on_gpu + word * sizeof *d->words;
}

/* Tells member `to`: everything before on the stream is done, and seen by whoever sees this. */
static hb_status tell(const hb_direct *d, const window *w, uint32_t to, int told)
{
    return DRIVER(d->write(w->stream, on_gpu(d, word_of(d, w->id, to, d->member, told)), d->number[w->id],
                           CU_STREAM_WRITE_VALUE_DEFAULT));
}

/* Makes the stream wait for what member `from` tells; later numbers will do. */
static hb_status wait_for(const hb_direct *d, const window *w, uint32_t from, int told)
{
    return DRIVER(d->wait(w->stream, on_gpu(d, word_of(d, w->id, d->member, from, told)), d->number[w->id],
                          CU_STREAM_WAIT_VALUE_GEQ));
}

/* Copies the block for member `to` to its place there. */
static hb_status give(const hb_direct *d, const window *w, const hb_transfer *t, uint32_t to)
{
    HB_TRY(wait_for(d, w, to, FREE));
    HB_TRY(HB_CUDART(cudaMemcpyAsync(w->theirs[to] + t->to[to], t->send[to], t->send_bytes[to],
                                     cudaMemcpyDeviceToDevice, w->stream)));
    return tell(d, w, to, FULL);
}

hb_status hb_direct_issue(hb_direct *d, const hb_exchange *x, const hb_transfer *t, uint64_t *number)
{
    const window *w = window_of(t->window);
    *number = ++d->number[w->id];
    /* In step s each gives to the one s places on: all links are used alike. */
    for (uint32_t s = 1; s < d->members; s++) {
        const uint32_t from = (d->member + d->members - s) % d->members;
        if (hb_transfer_receives(x, t, from)) {
            HB_TRY(tell(d, w, from, FREE));
        }
    }
    for (uint32_t s = 1; s < d->members; s++) {
        const uint32_t to = (d->member + s) % d->members;
        if (hb_transfer_sends(x, t, to)) {
            HB_TRY(give(d, w, t, to));
        }
    }
    for (uint32_t s = 1; s < d->members; s++) {
        const uint32_t from = (d->member + d->members - s) % d->members;
        if (hb_transfer_receives(x, t, from)) {
            HB_TRY(wait_for(d, w, from, FULL));
        }
    }
    return HB_OK;
}

int hb_direct_missing(const hb_direct *d, const hb_exchange *x, const hb_transfer *t, uint64_t number)
{
    const uint32_t id = window_of(t->window)->id;
    for (uint32_t m = 0; m < d->members; m++) {
        const uint64_t is_free = atomic_load(&d->words[word_of(d, id, d->member, m, FREE)]);
        const uint64_t is_full = atomic_load(&d->words[word_of(d, id, d->member, m, FULL)]);
        if ((hb_transfer_sends(x, t, m) && is_free < number) || (hb_transfer_receives(x, t, m) && is_full < number)) {
            return (int)m;
        }
    }
    return -1;
}

int hb_direct_failed(const hb_direct *d)
{
    for (uint32_t m = 0; m < d->members; m++) {
        if (atomic_load(&d->words[given_up(d, m)]) != 0) {
            return (int)m;
        }
    }
    return -1;
}

/* Ends the waits of this GPU that there are now, and returns whether it has nothing left to do. */
static bool end_waits(hb_direct *d)
{
    bool idle = true;
    for (uint32_t id = 0; id < WINDOWS; id++) {
        for (size_t i = 0; d->window[id] != NULL && i < (size_t)d->members * TOLD; i++) {
            atomic_store(&d->words[word_of(d, id, d->member, 0, 0) + i], BEYOND);
        }
    }
    for (uint32_t id = 0; id < WINDOWS; id++) {
        idle = idle && (d->window[id] == NULL || cudaStreamQuery(d->window[id]->stream) != cudaErrorNotReady);
    }
    (void)cudaGetLastError(); /* or the check after a launch would find it */
    return idle;
}

bool hb_direct_give_up(hb_direct *d)
{
    hb_backoff backoff = hb_backoff_of(GRACE);
    /* First: whoever sees what this GPU tells from now on sees this too. */
    atomic_store(&d->words[given_up(d, d->member)], 1);
    /* Again and again, as others may still write their numbers over it. */
    while (!end_waits(d)) {
        if (hb_backoff_ended(&backoff)) {
            return false;
        }
        hb_backoff_pause(&backoff);
    }
    return true;
}
