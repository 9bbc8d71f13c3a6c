/* What the files that call MPI share. */
#ifndef HB_MPI_GROUP_MPI_PRIVATE_H
#define HB_MPI_GROUP_MPI_PRIVATE_H

#include <mpi.h>
#include <sys/types.h>

#include "group_private.h"

/* Every call of MPI goes through HB_MPI: HB_ECOMM with MPI's own words. */
hb_status hb_mpi_check(int result, const char *call, const char *file, int line);
#define HB_MPI(call) hb_mpi_check((call), #call, __FILE__, __LINE__)
/* One of a group: after a failure the group is broken, as other ranks may wait in the same call for ever. */
#define HB_MPI_OF(g, call) hb_mpi_note((g), HB_MPI(call))

/* Small messages between collective calls, on a communicator of their own so that they meet no others. Nobody waits for
 * one; hb_mailbox_drain receives exactly those that were sent. */
typedef struct hb_mailbox {
    MPI_Comm comm;
    int rank, size;
    int *counts;                     /* one allocation: [size] sent, [size] received, [size] expected */
    int *sent, *received, *expected; /* messages by rank since the last drain */
    MPI_Request *requests;           /* [size] stop notices, [size] halt notices, progress, a question */
    uint64_t stop_message[2], halt_message[2], progress_message[2], status_message[2];
    uint64_t *done; /* [size] on rank 0: progress last heard of ... */
    bool *heard;    /* ... if it was */
    bool stop_sent, stop_received, halt_sent, halt_received;
    bool status_asked; /* rank 0 */
} hb_mailbox;

/* Collective. */
hb_status hb_mailbox_open(hb_mailbox *mailbox, MPI_Comm parent);
void hb_mailbox_close(hb_mailbox *mailbox);
/* Collective. Waits for every message under way, then forgets: no notice, no progress, no question. */
hb_status hb_mailbox_drain(hb_mailbox *mailbox);
/* Not collective. A failure here is found by the next collective call. */
void hb_mailbox_send_stop(hb_mailbox *mailbox);
void hb_mailbox_send_halt(hb_mailbox *mailbox);
void hb_mailbox_ask_status(hb_mailbox *mailbox);
void hb_mailbox_send_progress(hb_mailbox *mailbox, uint64_t done);
void hb_mailbox_poll(hb_mailbox *mailbox);

/* A rank of this host; process 0: unknown. */
typedef struct hb_mpi_peer {
    int rank;
    pid_t process;
} hb_mpi_peer;

typedef struct hb_mpi_group {
    hb_group base;
    MPI_Comm comm;
    hb_mailbox mailbox; /* of the whole; a part has none */
    size_t most;        /* bytes a call of MPI, whose counts are int */
    int ballot;         /* of an agreement: here, as MPI may still use it after one that failed */
    int exchanges;      /* opened among these ranks: gives each its tag */
    struct hb_mpi_group *whole;
    /* Of the whole. */
    hb_mpi_peer *peers;         /* [node_size], in their order on this host */
    hb_error told;              /* by the last agreement that failed */
    struct hb_mpi_memory *kept; /* hb_mpi_keep */
} hb_mpi_group;

/* Passes `st` of a call on; a failure breaks the group and the whole. */
static inline hb_status hb_mpi_note(hb_mpi_group *g, hb_status st)
{
    if (st != HB_OK) {
        g->base.broken = g->whole->base.broken = true;
    }
    return st;
}
/* HB_ECOMM in a broken group. */
hb_status hb_mpi_whole(const hb_mpi_group *g);

/* agree.c: hb_agree of one group, without notices. A part whose ranks all have HB_EPEER agrees on that: the
 * reason comes from the whole. */
hb_status hb_mpi_agree(hb_mpi_group *g, hb_status mine);
/* Collective. For what can fail when a group is opened: HB_OK only where all have that. */
hb_status hb_mpi_all(hb_mpi_group *g, hb_status mine);

/* split.c */
hb_status hb_mpi_split(hb_group *group, uint32_t color, hb_group **out);
/* Collective. Sets base's ranks and sizes from comm. */
hb_status hb_mpi_find_place(hb_mpi_group *g);

/* peers.c. Collective: sets peers of a whole, by the ranks of its host. */
hb_status hb_mpi_find_peers(hb_mpi_group *g, MPI_Comm node);
/* hb_group_gone. */
int hb_mpi_gone(const hb_group *group, bool *first);
/* HB_ECOMM when a rank of this host is gone. */
hb_status hb_mpi_all_there(const hb_mpi_group *g);

/* mpi_data.c */
hb_status hb_mpi_broadcast(hb_group *group, void *data, size_t bytes, int root);
hb_status hb_mpi_sum(hb_group *group, uint64_t *values, size_t count);
hb_status hb_mpi_max(hb_group *group, uint64_t *values, size_t count);

/* mpi_data.c. Memory that messages under way may still read or write, from malloc: wiped and freed once MPI has
 * ended. */
void hb_mpi_keep(hb_mpi_group *g, void *memory, size_t bytes);
/* After MPI_Finalize. */
void hb_mpi_release(hb_mpi_group *whole);

#endif
