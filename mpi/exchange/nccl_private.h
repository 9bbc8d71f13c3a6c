/* The exchange over NCCL. No call of it may block for good: what waits for other members inside NCCL (meeting,
 * connecting, aborting) happens in threads of NCCL or of our own that are watched; after that giving a transfer to NCCL
 * waits for nobody, and the host only looks at events and at the communicator's state until a deadline. Should such a
 * call wait even so, with the lock held, the process is ended (hb_watch). */
#ifndef HB_MPI_EXCHANGE_NCCL_PRIVATE_H
#define HB_MPI_EXCHANGE_NCCL_PRIVATE_H

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "exchange_private.h"
#include "mpi/group/guard.h"

/* Every call of NCCL and of the CUDA runtime goes through one of these. One that is in progress has not failed. NCCL:
 * HB_ECOMM; HB_EUNAVAILABLE where it cannot work on this machine. CUDA: HB_ENOMEM, HB_EUNAVAILABLE. */
hb_status hb_nccl_check(ncclResult_t result, const char *call, const char *file, int line);
#define HB_NCCL(call) hb_nccl_check((call), #call, __FILE__, __LINE__)
hb_status hb_nccl_check_cuda(cudaError_t error, const char *call, const char *file, int line);
#define HB_CUDART(call) hb_nccl_check_cuda((call), #call, __FILE__, __LINE__)

typedef struct hb_nccl_transfer {
    hb_transfer blocks;
    cudaEvent_t ready; /* on the queue: it may begin */
    cudaEvent_t began, ended;
    bool has_begun; /* the host has seen it */
} hb_nccl_transfer;

/* Transfers under way at once: far fewer than what the GPU's launch queue holds, so that no launch blocks behind a
 * transfer that does not end. */
enum { HB_NCCL_TRANSFERS = 64, HB_NCCL_WORDS = 4096 };

typedef struct hb_nccl_exchange {
    hb_exchange_ranks base;
    int device;
    hb_watch *watch;    /* of calls that give comm something */
    ncclComm_t meeting; /* does not block: in it the members find each other; NULL once it has ended */
    ncclComm_t comm;    /* blocks: it has the transfers; likewise */
    bool stuck;         /* they would not end: what they may still use stays */
    cudaStream_t stream;
    pthread_mutex_t lock; /* of comm, all below and base.failed; open while a thread that holds it pauses */
    hb_nccl_transfer transfers[HB_NCCL_TRANSFERS]; /* that of a ticket: at ticket % HB_NCCL_TRANSFERS */
    uint64_t begun, ended;
    cudaEvent_t gathered;
    uint64_t *words, *words_host; /* [members][HB_NCCL_WORDS] on the GPU, and page-locked on the host */
} hb_nccl_exchange;

static inline hb_nccl_exchange *hb_nccl_exchange_of(hb_exchange *x)
{
    return (hb_nccl_exchange *)(void *)x;
}

/* nccl_join.c. Collective among the members: that each has a GPU of its own, and an id for their communicator.
 * *device: CUDA's number of the engine's GPU, current from then on. The same status on all. */
hb_status hb_nccl_meet(const hb_grid *grid, hb_engine *engine, int *device, ncclUniqueId *id);
/* Collective as NCCL has it, no agreement. Sets x->meeting, then x->comm, connected. */
hb_status hb_nccl_join(hb_nccl_exchange *x, ncclUniqueId id);

/* nccl_connect.c. Likewise. Every pattern of transfer once between all members. */
hb_status hb_nccl_connect(hb_nccl_exchange *x);

/* nccl_end.c. Ends the communicators, and with them every transfer; never waits long. */
void hb_nccl_end(hb_nccl_exchange *x, bool abort);
/* What does not end stays, and the process has a minute to leave. */
void hb_nccl_give_up(hb_nccl_exchange *x);
/* Whether the thread has ended within `seconds`; else it is on its own. */
bool hb_nccl_join_thread(pthread_t thread, int seconds);

/* nccl_transfer.c. The communicator has done all that it was given to issue: at once, if it blocks. */
hb_status hb_nccl_issued(hb_nccl_exchange *x, ncclComm_t comm, const char *what);
/* Transfers 0 .. count - 1 have ended, or what is before the event on x->stream has. x->lock is held by the caller, but
 * open while the thread pauses. */
hb_status hb_nccl_await(hb_nccl_exchange *x, uint64_t count);
hb_status hb_nccl_await_event(hb_nccl_exchange *x, cudaEvent_t event);
/* On x->stream. */
hb_status hb_nccl_issue(hb_nccl_exchange *x, const hb_transfer *t);
hb_status hb_nccl_gather_words(hb_nccl_exchange *x, const uint64_t *mine, size_t count, uint64_t *all);

#endif
