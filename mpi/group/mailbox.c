#include <stdlib.h>
#include <string.h>

#include "mpi_private.h"

/* Messages are three words: the kind, and two counts where the kind has them. */
enum { TAG = 1, WORDS = 3 };
enum { STOP = 1, PROGRESS = 2, HALT = 3, STATUS = 4 };

/* Ranks that hear a notice from each rank, down a tree whose root is rank 0: where all ranks notice at once, as after a
 * signal of the launcher, each tells these and the one above, not all others. Wide, as each step waits for a rank
 * to look. */
enum { BELOW = 32 };

static int tag_of(const hb_mailbox *m)
{
    return TAG + (int)(m->epoch & 1);
}

static int requests_of(const hb_mailbox *m)
{
    return 2 * m->size + 2;
}

hb_status hb_mailbox_open(hb_mailbox *m, MPI_Comm parent)
{
    *m = (hb_mailbox){.comm = MPI_COMM_NULL,
                      .stop_message = {STOP},
                      .halt_message = {HALT},
                      .progress_message = {PROGRESS},
                      .status_message = {STATUS}};
    /* After a failure hb_mailbox_close frees the parts that exist. */
    HB_TRY(HB_MPI(MPI_Comm_dup(parent, &m->comm)));
    HB_TRY(HB_MPI(MPI_Comm_rank(m->comm, &m->rank)));
    HB_TRY(HB_MPI(MPI_Comm_size(m->comm, &m->size)));
    const size_t size = (size_t)m->size;
    m->counts = calloc(3 * size, sizeof *m->counts);
    m->requests = calloc((size_t)requests_of(m), sizeof *m->requests);
    m->done = calloc(size, sizeof *m->done);
    m->work = calloc(size, sizeof *m->work);
    m->heard = calloc(size, sizeof *m->heard);
    if (m->counts == NULL || m->requests == NULL || m->done == NULL || m->work == NULL || m->heard == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the messages of %d ranks", m->size);
    }
    /* `sent` and `received` are cleared together, so they come first. */
    m->sent = m->counts;
    m->received = m->sent + size;
    m->expected = m->received + size;
    for (int i = 0; i < requests_of(m); i++) {
        /* MPI_Test and MPI_Waitall take null requests as ended. */
        m->requests[i] = MPI_REQUEST_NULL;
    }
    return HB_OK;
}

void hb_mailbox_close(hb_mailbox *m)
{
    /* Opening may have failed before it was made. */
    if (m->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&m->comm);
    }
    free(m->counts);
    free(m->requests);
    free(m->done);
    free(m->work);
    free(m->heard);
}

/* Only messages that were really sent are counted: the drain receives as many. */
static void post(hb_mailbox *m, const uint64_t message[WORDS], int to, MPI_Request *request)
{
    if (HB_MPI(MPI_Isend(message, WORDS, MPI_UINT64_T, to, tag_of(m), m->comm, request)) == HB_OK) {
        m->sent[to]++;
        m->has_sent = true;
    }
}

/* Sends a notice to the neighbours in the tree but `source`, from which it came, once between two drains. */
static void pass_on(hb_mailbox *m, const uint64_t message[WORDS], MPI_Request *requests, bool *sent, int source)
{
    if (*sent || m->draining) {
        return;
    }
    *sent = true;
    /* Each rank has a request of its own, as one may take its notice much later than another. */
    const int above = m->rank > 0 ? (m->rank - 1) / BELOW : -1;
    if (above >= 0 && above != source) {
        post(m, message, above, &requests[above]);
    }
    const int64_t first = (int64_t)BELOW * m->rank + 1;
    for (int64_t to = first; to < first + BELOW && to < m->size; to++) {
        if (to != source) {
            post(m, message, (int)to, &requests[to]);
        }
    }
}

/* Receives one message of `source`, which has arrived or is known to be sent, and notes its contents. */
static hb_status receive_from(hb_mailbox *m, int source)
{
    uint64_t message[WORDS];
    HB_TRY(HB_MPI(MPI_Recv(message, WORDS, MPI_UINT64_T, source, tag_of(m), m->comm, MPI_STATUS_IGNORE)));
    /* Counted before it is looked at: the drain expects every message, of any kind. */
    m->received[source]++;
    switch (message[0]) {
    case STOP:
        m->stop_received = true;
        pass_on(m, m->stop_message, m->requests, &m->stop_sent, source);
        break;
    case HALT:
        m->halt_received = true;
        pass_on(m, m->halt_message, m->requests + m->size, &m->halt_sent, source);
        break;
    case STATUS:
        m->status_asked = true;
        break;
    default:
        /* Messages of one rank keep their order: the last count is the latest. */
        m->done[source] = message[1];
        m->work[source] = message[2];
        m->heard[source] = true;
    }
    return HB_OK;
}

/* The source is taken from the probe: a message of the same rank is received, and counted as its. */
void hb_mailbox_poll(hb_mailbox *m)
{
    while (!m->draining && m->comm != MPI_COMM_NULL) {
        int there = 0;
        MPI_Status status;
        /* A failure ends the looking; the next collective call fails as well, and says so. */
        if (HB_MPI(MPI_Iprobe(MPI_ANY_SOURCE, tag_of(m), m->comm, &there, &status)) != HB_OK || !there ||
            receive_from(m, status.MPI_SOURCE) != HB_OK) {
            return;
        }
    }
}

void hb_mailbox_send_stop(hb_mailbox *m)
{
    pass_on(m, m->stop_message, m->requests, &m->stop_sent, m->rank);
}

void hb_mailbox_send_halt(hb_mailbox *m)
{
    pass_on(m, m->halt_message, m->requests + m->size, &m->halt_sent, m->rank);
}

/* Returns true if the last message of a request has left its buffer, so that the next one may be sent from it. */
static bool may_send(MPI_Request *request)
{
    int finished = 0;
    return HB_MPI(MPI_Test(request, &finished, MPI_STATUS_IGNORE)) == HB_OK && finished;
}

void hb_mailbox_ask_status(hb_mailbox *m)
{
    MPI_Request *request = &m->requests[2 * m->size + 1];
    if (m->rank == 0) {
        m->status_asked = true;
    } else if (may_send(request)) {
        post(m, m->status_message, 0, request);
    }
}

void hb_mailbox_send_progress(hb_mailbox *m, uint64_t done, uint64_t work)
{
    if (m->rank == 0) {
        m->done[0] = done;
        m->work[0] = work;
        m->heard[0] = true;
        return;
    }
    MPI_Request *request = &m->requests[2 * m->size];
    if (may_send(request)) { /* else a later count tells */
        /* The buffer is free: its last message has left it. */
        m->progress_message[1] = done;
        m->progress_message[2] = work;
        post(m, m->progress_message, 0, request);
    }
}

/* Receives all messages under way. */
static hb_status receive_all(hb_mailbox *m, hb_request_waiter *await, void *context)
{
    MPI_Request request;
    m->draining = true;
    HB_TRY(HB_MPI(MPI_Ialltoall(m->sent, 1, MPI_INT, m->expected, 1, MPI_INT, m->comm, &request)));
    HB_TRY(await(context, &request));
    for (int from = 0; from < m->size; from++) {
        /* Messages of the rank that this one has not received yet. */
        while (m->received[from] < m->expected[from]) {
            HB_TRY(receive_from(m, from));
        }
    }
    /* All messages of this rank have been received by now, as the others drained too: this does not wait. */
    return HB_MPI(MPI_Waitall(requests_of(m), m->requests, MPI_STATUSES_IGNORE));
}

hb_status hb_mailbox_drain(hb_mailbox *m, bool any_sent, hb_request_waiter *await, void *context)
{
    if (any_sent) {
        HB_TRY(receive_all(m, await, context));
    }
    /* `expected` is written by each drain before it is read. */
    memset(m->counts, 0, 2 * (size_t)m->size * sizeof *m->counts);
    memset(m->done, 0, (size_t)m->size * sizeof *m->done);
    memset(m->work, 0, (size_t)m->size * sizeof *m->work);
    memset(m->heard, 0, (size_t)m->size * sizeof *m->heard);
    m->stop_sent = m->stop_received = m->halt_sent = m->halt_received = m->status_asked = false;
    m->has_sent = m->draining = false;
    m->epoch++;
    return HB_OK;
}
