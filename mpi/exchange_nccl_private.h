/* The exchange over NCCL. No call of it may block for good: the communicator does not block, the host only looks at events
 * and at the communicator's state until a deadline, and an abort, which may hang itself, has a thread of its own. */
#ifndef HB_EXCHANGE_NCCL_PRIVATE_H
#define HB_EXCHANGE_NCCL_PRIVATE_H

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "exchange_private.h"

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
} hb_nccl_transfer;

/* Transfers under way at once: far fewer than what the GPU's launch queue holds, so that no launch blocks behind a
 * transfer that does not end. */
enum { HB_NCCL_TRANSFERS = 64, HB_NCCL_WORDS = 4096 };

typedef struct hb_nccl_exchange {
    hb_ranks_exchange base;
    int device;
    ncclComm_t comm; /* NULL once it has ended */
    bool stuck;      /* it would not end: what it may still use stays */
    cudaStream_t stream;
    hb_nccl_transfer transfers[HB_NCCL_TRANSFERS]; /* that of a ticket: at ticket % HB_NCCL_TRANSFERS */
    uint64_t begun, ended;
    cudaEvent_t gathered;
    uint64_t *words, *words_host; /* [members][HB_NCCL_WORDS] on the GPU, and page-locked on the host */
} hb_nccl_exchange;

static inline hb_nccl_exchange *hb_nccl_exchange_of(hb_exchange *x)
{
    return (hb_nccl_exchange *)(void *)x;
}

/* exchange_nccl_join.c. Collective among the members: that each has a GPU of its own, and an id for their communicator.
 * *device: CUDA's number of the engine's GPU, current from then on. The same status on all. */
hb_status hb_nccl_meet(const hb_grid *grid, hb_engine *engine, int *device, ncclUniqueId *id);
/* Collective as NCCL has it, no agreement. */
hb_status hb_nccl_join(hb_nccl_exchange *x, ncclUniqueId id);

/* exchange_nccl_end.c. Ends x->comm, and with it every transfer; never waits long. */
void hb_nccl_end(hb_nccl_exchange *x, bool abort);

/* exchange_nccl_transfer.c. The communicator has issued all that it was given. */
hb_status hb_nccl_issued(hb_nccl_exchange *x, const char *what);
/* began NULL: it has. */
hb_status hb_nccl_await(hb_nccl_exchange *x, cudaEvent_t began, cudaEvent_t ended);
/* On x->stream. */
hb_status hb_nccl_issue(hb_nccl_exchange *x, const hb_transfer *t);
hb_status hb_nccl_gather_words(hb_nccl_exchange *x, const uint64_t *mine, size_t count, uint64_t *all);

#endif
