#include <stdlib.h>
#include <string.h>

#include "mpi_private.h"

enum { TAG = 1, WORDS = 2 };
enum { STOP = 1, PROGRESS = 2 };

hb_status hb_mailbox_open(hb_mailbox *m, MPI_Comm parent)
{
    *m = (hb_mailbox){.comm = MPI_COMM_NULL, .stop_message = {STOP, 0}, .progress_message = {PROGRESS, 0}};
    HB_TRY(HB_MPI(MPI_Comm_dup(parent, &m->comm)));
    HB_TRY(HB_MPI(MPI_Comm_rank(m->comm, &m->rank)));
    HB_TRY(HB_MPI(MPI_Comm_size(m->comm, &m->size)));
    const size_t size = (size_t)m->size;
    m->counts = calloc(3 * size, sizeof *m->counts);
    m->requests = calloc(size + 1, sizeof *m->requests);
    m->done = calloc(size, sizeof *m->done);
    if (m->counts == NULL || m->requests == NULL || m->done == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for the messages of %d ranks", m->size);
    }
    m->sent = m->counts;
    m->received = m->sent + size;
    m->expected = m->received + size;
    for (size_t i = 0; i <= size; i++) {
        m->requests[i] = MPI_REQUEST_NULL;
    }
    return HB_OK;
}

void hb_mailbox_close(hb_mailbox *m)
{
    if (m->comm != MPI_COMM_NULL) {
        MPI_Comm_free(&m->comm);
    }
    free(m->counts);
    free(m->requests);
    free(m->done);
}

static hb_status receive_from(hb_mailbox *m, int source)
{
    uint64_t message[WORDS];
    HB_TRY(HB_MPI(MPI_Recv(message, WORDS, MPI_UINT64_T, source, TAG, m->comm, MPI_STATUS_IGNORE)));
    m->received[source]++;
    if (message[0] == STOP) {
        m->stop_received = true;
    } else {
        m->done[source] = message[1];
    }
    return HB_OK;
}

void hb_mailbox_poll(hb_mailbox *m)
{
    for (;;) {
        int there = 0;
        MPI_Status status;
        if (HB_MPI(MPI_Iprobe(MPI_ANY_SOURCE, TAG, m->comm, &there, &status)) != HB_OK || !there ||
            receive_from(m, status.MPI_SOURCE) != HB_OK) {
            return;
        }
    }
}

static void post(hb_mailbox *m, const uint64_t message[WORDS], int to, MPI_Request *request)
{
    if (HB_MPI(MPI_Isend(message, WORDS, MPI_UINT64_T, to, TAG, m->comm, request)) == HB_OK) {
        m->sent[to]++;
    }
}

void hb_mailbox_send_stop(hb_mailbox *m)
{
    for (int to = 0; to < m->size && !m->stop_sent; to++) {
        if (to != m->rank) {
            post(m, m->stop_message, to, &m->requests[to]);
        }
    }
    m->stop_sent = true;
}

void hb_mailbox_send_progress(hb_mailbox *m, uint64_t done)
{
    if (m->rank == 0) {
        m->done[0] = done;
        return;
    }
    /* The last count is still on its way, in the buffer it was sent from: this one is left out, a later one tells. */
    int finished = 0;
    MPI_Request *request = &m->requests[m->size];
    if (HB_MPI(MPI_Test(request, &finished, MPI_STATUS_IGNORE)) == HB_OK && finished) {
        m->progress_message[1] = done;
        post(m, m->progress_message, 0, request);
    }
}

hb_status hb_mailbox_drain(hb_mailbox *m)
{
    /* Messages of one rank arrive in the order sent, and one that has left this drain may already send the next: so
     * receive from each by name, as many as it counted, no more. */
    HB_TRY(HB_MPI(MPI_Alltoall(m->sent, 1, MPI_INT, m->expected, 1, MPI_INT, m->comm)));
    for (int from = 0; from < m->size; from++) {
        while (m->received[from] < m->expected[from]) {
            HB_TRY(receive_from(m, from));
        }
    }
    HB_TRY(HB_MPI(MPI_Waitall(m->size + 1, m->requests, MPI_STATUSES_IGNORE)));
    memset(m->counts, 0, 2 * (size_t)m->size * sizeof *m->counts);
    memset(m->done, 0, (size_t)m->size * sizeof *m->done);
    m->stop_sent = m->stop_received = false;
    return HB_OK;
}
