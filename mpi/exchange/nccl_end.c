/* How communicators end: in a thread of its own, as it may wait for members that are gone. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "direct.h"

/* Seconds: for members to end together; for the whole ending; for a process that still hangs to say why and leave. */
enum { TOGETHER = 5, GRACE = 10, LEAVE = 60 };

/* The state of the thread that ends the communicators, which may outlive the exchange. */
typedef struct ending {
    ncclComm_t comm, meeting;
    int device;
    bool abort;
} ending;

/* Ends a communicator together with the other members: transfers that they still await are sent to the end. Returns
 * false where that fails or takes too long. */
static bool finalize(ncclComm_t comm)
{
    hb_backoff backoff = hb_backoff_of(TOGETHER);
    ncclResult_t state = ncclInProgress;
    if (HB_NCCL(ncclCommFinalize(comm)) != HB_OK) {
        return false;
    }
    while (HB_NCCL(ncclCommGetAsyncError(comm, &state)) == HB_OK && state == ncclInProgress &&
           !hb_backoff_ended(&backoff)) {
        hb_backoff_pause(&backoff);
    }
    return state == ncclSuccess;
}

/* Ends one communicator, in good order if that works, else by aborting it. */
static void end_one(ncclComm_t comm, bool abort)
{
    if (comm != NULL && !abort && finalize(comm)) {
        (void)HB_NCCL(ncclCommDestroy(comm));
    } else if (comm != NULL) {
        (void)HB_NCCL(ncclCommAbort(comm));
    }
}

/* The thread. */
static void *end(void *context)
{
    const ending *e = context;
    const hb_status st = HB_CUDART(cudaSetDevice(e->device));
    end_one(e->comm, st != HB_OK || e->abort);
    end_one(e->meeting, st != HB_OK || e->abort); /* comm came from it */
    return NULL;
}

bool hb_nccl_join_thread(pthread_t thread, int seconds)
{
    struct timespec until;
    /* The clock that pthread_timedjoin_np goes by. */
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    if (pthread_timedjoin_np(thread, NULL, &until) == 0) {
        return true;
    }
    pthread_detach(thread);
    return false;
}

void hb_nccl_end(hb_nccl_exchange *x, bool abort)
{
    if (abort && x->direct != NULL && !hb_direct_give_up(x->direct)) {
        hb_nccl_give_up(x);
    }
    if (x->comm == NULL && x->meeting == NULL) {
        return;
    }
    pthread_t thread;
    ending *e = malloc(sizeof *e); /* the thread's, where it does not end */
    if (e != NULL) {
        *e = (ending){.comm = x->comm, .meeting = x->meeting, .device = x->device, .abort = abort};
    }
    if (e != NULL && pthread_create(&thread, NULL, end, e) == 0 && hb_nccl_join_thread(thread, GRACE)) {
        free(e);
    } else {
        hb_nccl_give_up(x);
    }
    /* Ended or not, they get no work any more. */
    x->comm = x->meeting = NULL;
}

void hb_nccl_give_up(hb_nccl_exchange *x)
{
    if (x->stuck) {
        return;
    }
    /* Memory and streams stay as they are: the GPU may still use them. */
    x->stuck = true;
    hb_guard_start(LEAVE, x->base.failed != HB_OK ? x->base.why.text : "NCCL does not end");
}
