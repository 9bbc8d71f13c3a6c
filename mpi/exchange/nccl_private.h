/* The exchange over NCCL. No call of it may block for good. Operations that wait for other members inside NCCL
 * (meeting, connecting, aborting) run in threads of NCCL or in watched threads of our own. After that, giving a
 * transfer to NCCL waits for nobody, and the host only looks at events and at the communicator's state, until a
 * deadline. Should such a call wait even so, with the lock held, the process is ended (hb_watch). */
#ifndef HB_MPI_EXCHANGE_NCCL_PRIVATE_H
#define HB_MPI_EXCHANGE_NCCL_PRIVATE_H

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "exchange_private.h"
#include "mpi/group/guard.h"

/* Return HB_OK for success, and for a call of NCCL that is in progress; else the status with the reason. Every call of
 * NCCL and of the CUDA runtime goes through one of the two macros. NCCL: HB_ECOMM; HB_EUNAVAILABLE where it cannot work
 * on this machine. CUDA: HB_ENOMEM, HB_EUNAVAILABLE. */
hb_status hb_nccl_check(ncclResult_t result, const char *call, const char *file, int line);
#define HB_NCCL(call) hb_nccl_check((call), #call, __FILE__, __LINE__)
hb_status hb_nccl_check_cuda(cudaError_t error, const char *call, const char *file, int line);
#define HB_CUDART(call) hb_nccl_check_cuda((call), #call, __FILE__, __LINE__)

/* One transfer: its blocks, and the events by which queues and the host follow it. */
typedef struct hb_nccl_transfer {
    hb_transfer blocks;
    cudaEvent_t ready; /* on the queue: its blocks are ready */
    cudaEvent_t began, ended;
    bool has_begun;  /* the host has seen `began` */
    uint64_t number; /* of the transfers of its window */
} hb_nccl_transfer;

/* The most transfers under way at once. The GPU's launch queue holds far more, so that no launch blocks behind a
 * transfer that does not end. And the words of a member that gather_words moves at once. */
enum { HB_NCCL_TRANSFERS = 64, HB_NCCL_WORDS = 4096 };

typedef struct hb_direct hb_direct; /* direct.h */

/* An exchange over NCCL, and of windows by direct transfers. */
typedef struct hb_nccl_exchange {
    hb_exchange_ranks base;
    int device;
    hb_watch *watch;     /* over calls that give `comm` something */
    ncclComm_t meeting;  /* does not block: in it the members find each other; NULL once it has ended */
    ncclComm_t comm;     /* blocks: transfers are given to this one; NULL once it has ended */
    bool stuck;          /* the communicators would not end: memory that they may still use stays */
    cudaStream_t stream; /* of transfers by NCCL */
    hb_direct *direct;   /* NULL: all transfers are NCCL's */
    /* protects comm, all below, and the counts and the failure in base; it is open while a thread that holds it
     * pauses */
    pthread_mutex_t lock;
    hb_nccl_transfer transfers[HB_NCCL_TRANSFERS];
    /* behind the last copy of words */
    cudaEvent_t gathered;
    uint64_t *words, *words_host; /* [members][HB_NCCL_WORDS] on the GPU, and page-locked on the host */
} hb_nccl_exchange;

/* Returns the whole of an exchange of this kind. */
static inline hb_nccl_exchange *hb_nccl_exchange_of(hb_exchange *x)
{
    return (hb_nccl_exchange *)(void *)x;
}

/* nccl_join.c. Checks that each member has a GPU of its own, and makes an id for their communicator. Collective among
 * the members, with the same status on all. *device is CUDA's number of the engine's GPU, which is current from then
 * on. */
hb_status hb_nccl_meet(const hb_grid *grid, hb_engine *engine, int *device, ncclUniqueId *id);
/* Sets x->meeting, then x->comm, connected. All members call it; they do not agree in it. HB_ECOMM, HB_EPEER and
 * others. */
hb_status hb_nccl_join(hb_nccl_exchange *x, ncclUniqueId id);

/* nccl_end.c. Ends the communicators, and with them every transfer; it never waits long. With `abort` transfers under
 * way are dropped. */
void hb_nccl_end(hb_nccl_exchange *x, bool abort);
/* Abandons operations that do not end, and gives the process a minute to leave. */
void hb_nccl_give_up(hb_nccl_exchange *x);
/* Returns whether the thread has ended within `seconds` and was joined; otherwise it is detached. */
bool hb_nccl_join_thread(pthread_t thread, int seconds);

/* nccl_transfer.c. Waits until the communicator has issued all work that it was given; at once, if it blocks. `what`
 * names that work in messages. */
hb_status hb_nccl_issued(hb_nccl_exchange *x, ncclComm_t comm, const char *what);
/* Wait until transfers 0 .. count - 1 have ended, or until all work before the event on x->stream has. The caller holds
 * x->lock, which is open while the thread pauses. HB_EPEER, HB_ECOMM. */
hb_status hb_nccl_await(hb_nccl_exchange *x, uint64_t count);
hb_status hb_nccl_await_event(hb_nccl_exchange *x, cudaEvent_t event);
/* Fails if another member has given up its direct transfers: what came from it may mean nothing. HB_EPEER. */
hb_status hb_nccl_check_failed(const hb_nccl_exchange *x);
/* Give a transfer to NCCL on x->stream; gather the words of all members by way of the GPU, and wait. */
hb_status hb_nccl_issue(hb_nccl_exchange *x, const hb_transfer *t);
hb_status hb_nccl_gather_words(hb_nccl_exchange *x, const uint64_t *mine, size_t count, uint64_t *all);

#endif
