/* One transfer over MPI: into own memory, messages, out of it. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/seed.h"
#include "mpi_private.h"

static size_t pieces_of(const hb_mpi_exchange *x, size_t bytes)
{
    return bytes / x->most_bytes + (bytes % x->most_bytes != 0);
}

/* A block that goes to several members is there once. */
static bool is_new_block(const hb_transfer *t, bool first)
{
    return first || t->pattern == HB_ALL_TO_ALL;
}

/* Plaintexts may follow from what was in it. */
static void free_staging(hb_mpi_transfer *t)
{
    if (t->staging != NULL) {
        hb_wipe(t->staging, t->staging_bytes);
    }
    free(t->staging);
    t->staging = NULL;
    t->staging_bytes = 0;
}

static hb_status make_staging(hb_mpi_transfer *t, size_t bytes, size_t messages)
{
    if (bytes > t->staging_bytes) {
        free_staging(t);
        t->staging = malloc(bytes);
        if (t->staging == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for %zu bytes on the way to other ranks: use smaller batches", bytes);
        }
        t->staging_bytes = bytes;
    }
    if (messages > (size_t)t->most) {
        free(t->requests);
        free(t->members);
        free(t->finished);
        t->most = 0;
        t->requests = malloc(messages * sizeof *t->requests);
        t->members = malloc(messages * sizeof *t->members);
        t->finished = malloc(messages * sizeof *t->finished);
        if (t->requests == NULL || t->members == NULL || t->finished == NULL) {
            return HB_FAIL(HB_ENOMEM, "no memory for %zu messages", messages);
        }
        t->most = (int)messages;
    }
    return HB_OK;
}

static hb_status measure(const hb_mpi_exchange *x, hb_mpi_transfer *t)
{
    const hb_exchange *base = &x->base.base;
    const hb_transfer *blocks = &t->blocks;
    size_t bytes = 0, messages = 0;
    bool first = true;
    for (uint32_t m = 0; m < base->members; m++) {
        if (hb_transfer_receives(base, blocks, m)) {
            bytes += blocks->receive_bytes[m];
            messages += pieces_of(x, blocks->receive_bytes[m]);
        }
        if (hb_transfer_sends(base, blocks, m)) {
            bytes += is_new_block(blocks, first) ? blocks->send_bytes[m] : 0;
            messages += pieces_of(x, blocks->send_bytes[m]);
            first = false;
        }
    }
    return make_staging(t, bytes, messages);
}

static hb_status fetch(hb_mpi_transfer *t, void *to, const void *from, size_t bytes)
{
    if (t->queue != NULL) {
        return hb_download(t->queue, to, from, bytes);
    }
    memcpy(to, from, bytes);
    return HB_OK;
}

static hb_status put(hb_mpi_transfer *t, void *to, const void *from, size_t bytes)
{
    if (t->queue != NULL) {
        return hb_upload(t->queue, to, from, bytes);
    }
    memcpy(to, from, bytes);
    return HB_OK;
}

static hb_status post_block(hb_mpi_exchange *x, hb_mpi_transfer *t, uint8_t *block, size_t bytes, uint32_t m,
                            bool receive)
{
    for (size_t at = 0; at < bytes; at += x->most_bytes) {
        const int piece = (int)(bytes - at < x->most_bytes ? bytes - at : x->most_bytes);
        MPI_Request *request = &t->requests[t->count];
        if (receive) {
            HB_TRY(HB_MPI_OF(x->members,
                             MPI_Irecv(block + at, piece, MPI_BYTE, (int)m, x->tag, x->members->comm, request)));
        } else {
            HB_TRY(HB_MPI_OF(x->members,
                             MPI_Isend(block + at, piece, MPI_BYTE, (int)m, x->tag, x->members->comm, request)));
        }
        t->members[t->count++] = (int)m;
        t->pending++;
    }
    return HB_OK;
}

static hb_status post_receives(hb_mpi_exchange *x, hb_mpi_transfer *t, size_t *at)
{
    const hb_exchange *base = &x->base.base;
    for (uint32_t m = 0; m < base->members; m++) {
        if (hb_transfer_receives(base, &t->blocks, m)) {
            HB_TRY(post_block(x, t, t->staging + *at, t->blocks.receive_bytes[m], m, true));
            *at += t->blocks.receive_bytes[m];
        }
    }
    t->receives = t->count;
    return HB_OK;
}

/* Every member starts with its next neighbour, so that not all send to one at once. */
static hb_status post_sends(hb_mpi_exchange *x, hb_mpi_transfer *t, size_t at)
{
    const hb_exchange *base = &x->base.base;
    const hb_transfer *blocks = &t->blocks;
    size_t place[HB_MOST_MEMBERS], last = at;
    bool first = true;
    for (uint32_t m = 0; m < base->members; m++) {
        if (hb_transfer_sends(base, blocks, m)) {
            if (is_new_block(blocks, first)) {
                last = at;
                at += blocks->send_bytes[m];
                HB_TRY(fetch(t, t->staging + last, blocks->send[m], blocks->send_bytes[m]));
            }
            place[m] = last;
            first = false;
        }
    }
    if (t->queue != NULL) {
        HB_TRY(hb_finish(t->queue));
    }
    for (uint32_t i = 1; i < base->members; i++) {
        const uint32_t m = (base->member + i) % base->members;
        if (hb_transfer_sends(base, blocks, m)) {
            HB_TRY(post_block(x, t, t->staging + place[m], blocks->send_bytes[m], m, false));
        }
    }
    return HB_OK;
}

hb_status hb_mpi_transfer_post(hb_mpi_exchange *x, hb_mpi_transfer *t)
{
    size_t at = 0;
    t->count = t->receives = t->pending = 0;
    HB_TRY(measure(x, t));
    if (t->queue != NULL) {
        HB_TRY(hb_finish(t->queue));
    }
    t->began = hb_now();
    HB_TRY(post_receives(x, t, &at));
    return post_sends(x, t, at);
}

static hb_status too_late(hb_mpi_exchange *x, const hb_mpi_transfer *t)
{
    int i = 0;
    while (t->requests[i] == MPI_REQUEST_NULL) {
        i++;
    }
    const uint32_t m = (uint32_t)t->members[i];
    return HB_FAIL(HB_ECOMM, "%s rank %d on %s for %g s (--comm-timeout)",
                   i < t->receives ? "no data from" : "no data taken by", hb_exchange_ranks_rank(&x->base, m),
                   x->hosts[m], x->base.deadline);
}

static hb_status await(hb_mpi_exchange *x, hb_mpi_transfer *t)
{
    hb_patience patience = hb_patience_of(x->base.deadline);
    while (t->pending > 0) {
        int finished;
        HB_TRY(HB_MPI_OF(x->members, MPI_Testsome(t->count, t->requests, &finished, t->finished, MPI_STATUSES_IGNORE)));
        if (finished > 0) {
            t->pending -= finished;
            hb_patience_renew(&patience);
            continue;
        }
        if (hb_patience_ended(&patience)) {
            return too_late(x, t);
        }
        HB_TRY(hb_exchange_ranks_pause(&x->base, &patience));
    }
    return HB_OK;
}

hb_status hb_mpi_transfer_end(hb_mpi_exchange *x, hb_mpi_transfer *t)
{
    hb_exchange *base = &x->base.base;
    size_t at = 0;
    HB_TRY(await(x, t));
    for (uint32_t m = 0; m < base->members; m++) {
        if (hb_transfer_receives(base, &t->blocks, m)) {
            HB_TRY(put(t, t->blocks.receive[m], t->staging + at, t->blocks.receive_bytes[m]));
            at += t->blocks.receive_bytes[m];
        }
    }
    if (t->queue != NULL) { /* words for the host are no transfer of the caller's */
        HB_TRY(hb_finish(t->queue));
        hb_exchange_ranks_count(base, &t->blocks, hb_now() - t->began);
    }
    return HB_OK;
}

void hb_mpi_transfer_clear(hb_mpi_exchange *x, hb_mpi_transfer *t)
{
    for (int i = 0; t->pending > 0 && i < t->receives; i++) {
        if (t->requests[i] != MPI_REQUEST_NULL) {
            (void)HB_MPI(MPI_Cancel(&t->requests[i]));
        }
    }
    int finished = 0;
    if (t->pending > 0 &&
        HB_MPI(MPI_Testsome(t->count, t->requests, &finished, t->finished, MPI_STATUSES_IGNORE)) == HB_OK) {
        t->pending -= finished;
    }
    for (int i = 0; t->pending > 0 && i < t->count; i++) {
        if (t->requests[i] != MPI_REQUEST_NULL) {
            (void)HB_MPI(MPI_Request_free(&t->requests[i]));
        }
    }
    if (t->pending > 0) {
        hb_mpi_keep(x->members, t->staging, t->staging_bytes);
    } else {
        free_staging(t);
    }
    free(t->requests);
    free(t->members);
    free(t->finished);
    *t = (hb_mpi_transfer){0};
}
