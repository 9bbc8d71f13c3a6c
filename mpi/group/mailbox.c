#include <stdlib.h>
#include <string.h>

#include "mpi_private.h"

/* The first word of a message is its kind, and two counts follow where the kind has them. */
enum { TAG = 1, WORDS = HB_MAILBOX_WORDS };
enum { STOP, PROGRESS, HALT, STATUS, KINDS };
_Static_assert((int)KINDS == (int)HB_MAILBOX_KINDS, "each kind has a buffer");

/* Ranks that hear a notice from each rank, down a tree whose root is rank 0: where all ranks notice at once, as after a
 * signal of the launcher, each tells these and the one above, not all others. Wide, as each step waits for a rank
 * to look. */
enum { BELOW = HB_MAILBOX_NEIGHBOURS - 1 };

static int tag_of(const hb_mailbox *m)
{
    return TAG + (int)(m->epoch & 1);
}

/* Places of requests: a stop notice and a halt notice to each neighbour, then counts and questions for rank 0. */
enum { TO_STOP = 0, TO_HALT = HB_MAILBOX_NEIGHBOURS, TO_PROGRESS = 2 * HB_MAILBOX_NEIGHBOURS, TO_STATUS };

/* Notes the neighbours in the tree: the rank above first, if there is one. */
static void find_neighbours(hb_mailbox *m)
{
    if (m->rank > 0) {
        m->neighbour[m->neighbours++] = (m->rank - 1) / BELOW;
    }
    const int64_t first = (int64_t)BELOW * m->rank + 1;
    for (int64_t to = first; to < first + BELOW && to < m->size; to++) {
        m->neighbour[m->neighbours++] = (int)to;
    }
}

hb_status hb_mailbox_open(hb_mailbox *m, MPI_Comm parent)
{
    *m = (hb_mailbox){.comm = MPI_COMM_NULL, .message = {{STOP}, {PROGRESS}, {HALT}, {STATUS}}};
    for (int i = 0; i < HB_MAILBOX_REQUESTS; i++) {
        /* MPI_Test and MPI_Waitall take null requests as ended. */
        m->requests[i] = MPI_REQUEST_NULL;
    }
    HB_TRY(HB_MPI(MPI_Comm_rank(parent, &m->rank)));
    HB_TRY(HB_MPI(MPI_Comm_size(parent, &m->size)));
    find_neighbours(m);
    /* Weights, all alike, in the place of MPI_UNWEIGHTED, which gcc takes for an array that is too short. */
    int alike[HB_MAILBOX_NEIGHBOURS];
    for (int i = 0; i < HB_MAILBOX_NEIGHBOURS; i++) {
        alike[i] = 1;
    }
    /* After a failure hb_mailbox_close frees the parts that exist. */
    HB_TRY(HB_MPI(MPI_Dist_graph_create_adjacent(parent, m->neighbours, m->neighbour, alike, m->neighbours,
                                                 m->neighbour, alike, MPI_INFO_NULL, 0, &m->comm)));
    HB_TRY(HB_MPI(MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_RETURN)));
    /* Counts of ranks go to rank 0 alone. */
    const size_t counted = m->rank == 0 ? (size_t)m->size : 0;
    m->done = calloc(counted + 1, sizeof *m->done);
    m->work = calloc(counted + 1, sizeof *m->work);
    m->heard = calloc(counted + 1, sizeof *m->heard);
    return m->done != NULL && m->work != NULL && m->heard != NULL
               ? HB_OK
               : HB_FAIL(HB_ENOMEM, "no memory for the messages of %d ranks", m->size);
}

void hb_mailbox_close(hb_mailbox *m)
{
    /* Opening may have failed before it was made. */
    if (m->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&m->comm);
    }
    free(m->done);
    free(m->work);
    free(m->heard);
}

/* Only messages that were really sent are counted, in *sent: the drain receives as many. */
static void post(hb_mailbox *m, const uint64_t message[WORDS], int to, int *sent, MPI_Request *request)
{
    if (HB_MPI(MPI_Isend(message, WORDS, MPI_UINT64_T, to, tag_of(m), m->comm, request)) == HB_OK) {
        ++*sent;
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
    for (int i = 0; i < m->neighbours; i++) {
        if (m->neighbour[i] != source) {
            post(m, message, m->neighbour[i], &m->sent[i], &requests[i]);
        }
    }
}

/* Receives one message of `from`, which has arrived or is known to be sent, and notes its contents. */
static hb_status receive_from(hb_mailbox *m, int from)
{
    uint64_t message[WORDS];
    MPI_Status status;
    HB_TRY(HB_MPI(MPI_Recv(message, WORDS, MPI_UINT64_T, from, tag_of(m), m->comm, &status)));
    const int source = status.MPI_SOURCE;
    /* Counted before it is looked at: the drain expects every message, of any kind. */
    m->received++;
    switch (message[0]) {
    case STOP:
        m->stop_received = true;
        pass_on(m, m->message[STOP], m->requests + TO_STOP, &m->stop_sent, source);
        break;
    case HALT:
        m->halt_received = true;
        pass_on(m, m->message[HALT], m->requests + TO_HALT, &m->halt_sent, source);
        break;
    case STATUS:
        m->status_asked = true;
        break;
    default:
        /* Progress, which comes to rank 0. Messages of one rank keep their order: the last count is the latest. */
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
    pass_on(m, m->message[STOP], m->requests + TO_STOP, &m->stop_sent, m->rank);
}

void hb_mailbox_send_halt(hb_mailbox *m)
{
    pass_on(m, m->message[HALT], m->requests + TO_HALT, &m->halt_sent, m->rank);
}

/* Returns true if the last message of a request has left its buffer, so that the next one may be sent from it. */
static bool may_send(MPI_Request *request)
{
    int finished = 0;
    return HB_MPI(MPI_Test(request, &finished, MPI_STATUS_IGNORE)) == HB_OK && finished;
}

void hb_mailbox_ask_status(hb_mailbox *m)
{
    MPI_Request *request = &m->requests[TO_STATUS];
    if (m->rank == 0) {
        m->status_asked = true;
    } else if (may_send(request)) {
        post(m, m->message[STATUS], 0, &m->sent_home, request);
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
    MPI_Request *request = &m->requests[TO_PROGRESS];
    if (may_send(request)) { /* else a later count tells */
        /* The buffer is free: its last message has left it. */
        m->message[PROGRESS][1] = done;
        m->message[PROGRESS][2] = work;
        post(m, m->message[PROGRESS], 0, &m->sent_home, request);
    }
}

/* Receives all messages under way. Notices come from neighbours, which tell their number; counts and questions come to
 * rank 0, which gets their sum: so a rank sends and receives a few numbers, however many ranks there are. */
static hb_status receive_all(hb_mailbox *m, hb_request_waiter *await, void *context)
{
    MPI_Request told, added;
    m->draining = true;
    HB_TRY(HB_MPI(MPI_Ineighbor_alltoall(m->sent, 1, MPI_INT, m->expected, 1, MPI_INT, m->comm, &told)));
    HB_TRY(HB_MPI(MPI_Ireduce(&m->sent_home, &m->expected_home, 1, MPI_INT, MPI_SUM, 0, m->comm, &added)));
    HB_TRY(await(context, &told));
    HB_TRY(await(context, &added));
    int expected = m->rank == 0 ? m->expected_home : 0;
    for (int i = 0; i < m->neighbours; i++) {
        expected += m->expected[i];
    }
    /* Messages of the next phase have another tag. */
    while (m->received < expected) {
        HB_TRY(receive_from(m, MPI_ANY_SOURCE));
    }
    /* All messages of this rank have been received by now, as the others drained too: this does not wait. */
    return HB_MPI(MPI_Waitall(HB_MAILBOX_REQUESTS, m->requests, MPI_STATUSES_IGNORE));
}

hb_status hb_mailbox_drain(hb_mailbox *m, bool any_sent, hb_request_waiter *await, void *context)
{
    if (any_sent) {
        HB_TRY(receive_all(m, await, context));
    }
    /* Expected numbers are written by each drain before they are read. */
    memset(m->sent, 0, sizeof m->sent);
    m->sent_home = m->received = 0;
    const size_t counted = m->rank == 0 ? (size_t)m->size : 0;
    memset(m->done, 0, counted * sizeof *m->done);
    memset(m->work, 0, counted * sizeof *m->work);
    memset(m->heard, 0, counted * sizeof *m->heard);
    m->stop_sent = m->stop_received = m->halt_sent = m->halt_received = m->status_asked = false;
    m->has_sent = m->draining = false;
    m->epoch++;
    return HB_OK;
}
