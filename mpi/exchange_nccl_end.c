/* How a communicator ends: in a thread of its own, as it may wait for members that are gone. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "exchange_nccl_private.h"
#include "guard.h"

/* Seconds: for members to end together; for all of that; for a process that still hangs to say why and leave. */
enum { TOGETHER = 5, GRACE = 10, LEAVE = 60 };

typedef struct ending {
    ncclComm_t comm;
    int device;
    bool abort;
} ending;

/* What other members still fetch is sent to its end. */
static bool finalize(ncclComm_t comm)
{
    hb_patience patience = hb_patience_of(TOGETHER);
    ncclResult_t state = ncclInProgress;
    if (HB_NCCL(ncclCommFinalize(comm)) != HB_OK) {
        return false;
    }
    while (HB_NCCL(ncclCommGetAsyncError(comm, &state)) == HB_OK && state == ncclInProgress &&
           !hb_patience_ended(&patience)) {
        hb_patience_pause(&patience);
    }
    return state == ncclSuccess;
}

static void *end(void *context)
{
    const ending *e = context;
    const hb_status st = HB_CUDART(cudaSetDevice(e->device));
    if (st == HB_OK && !e->abort && finalize(e->comm)) {
        (void)HB_NCCL(ncclCommDestroy(e->comm));
    } else {
        (void)HB_NCCL(ncclCommAbort(e->comm));
    }
    return NULL;
}

static bool end_in_time(ending *e)
{
    pthread_t thread;
    struct timespec until;
    if (pthread_create(&thread, NULL, end, e) != 0) {
        return false;
    }
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += GRACE;
    if (pthread_timedjoin_np(thread, NULL, &until) == 0) {
        return true;
    }
    pthread_detach(thread);
    return false;
}

void hb_nccl_end(hb_nccl_exchange *x, bool abort)
{
    if (x->comm == NULL) {
        return;
    }
    ending *e = malloc(sizeof *e); /* the thread's, where it does not end */
    if (e != NULL) {
        *e = (ending){.comm = x->comm, .device = x->device, .abort = abort};
        if (end_in_time(e)) {
            free(e);
            x->comm = NULL;
            return;
        }
    }
    x->comm = NULL;
    x->stuck = true;
    hb_guard_start(LEAVE, x->base.failed != HB_OK ? x->base.why.text : "NCCL does not end");
}
