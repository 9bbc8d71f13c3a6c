/* Declarations that the files that call MPI share. Only the thread that opened the group uses them. */
#ifndef HB_MPI_GROUP_MPI_PRIVATE_H
#define HB_MPI_GROUP_MPI_PRIVATE_H

#include <mpi.h>
#include <sys/types.h>

#include "group_private.h"

/* Returns HB_OK for MPI_SUCCESS, else HB_ECOMM with MPI's own words. Every call of MPI goes through HB_MPI, except
 * the calls that end the group. */
hb_status hb_mpi_check(int result, const char *call, const char *file, int line);
#define HB_MPI(call) hb_mpi_check((call), #call, __FILE__, __LINE__)
/* The same for a collective call of a group: a failure breaks the group, as other ranks may wait in that call for
 * ever. */
#define HB_MPI_OF(g, call) hb_mpi_note((g), HB_MPI(call))

/* Small messages between collective calls. They travel on a communicator of their own so that they meet no others.
 * No rank waits for one; hb_mailbox_drain receives exactly the messages that were sent. */
enum {
    HB_MAILBOX_NEIGHBOURS = 33, /* in the tree of notices: the rank above, and up to 32 below */
    HB_MAILBOX_REQUESTS = 2 * HB_MAILBOX_NEIGHBOURS + 2,
    HB_MAILBOX_KINDS = 4,
    HB_MAILBOX_WORDS = 3 /* of a message */
};
typedef struct hb_mailbox {
    MPI_Comm comm; /* with the tree of notices as its graph */
    int rank, size;
    int neighbour[HB_MAILBOX_NEIGHBOURS], neighbours; /* ranks in the tree, and their number */
    /* Notices to each neighbour since the last drain; those that the drain expects. */
    int sent[HB_MAILBOX_NEIGHBOURS], expected[HB_MAILBOX_NEIGHBOURS];
    /* Messages of other kinds to rank 0 since then; on rank 0 those that the drain expects; messages of any kind that
     * this rank has received. */
    int sent_home, expected_home, received;
    MPI_Request requests[HB_MAILBOX_REQUESTS];
    /* Buffers of messages that may be under way: they stay untouched until the request has ended. */
    uint64_t message[HB_MAILBOX_KINDS][HB_MAILBOX_WORDS];
    uint64_t *done, *work; /* [size] on rank 0: the last counts of each rank */
    bool *heard;           /* [size] on rank 0: whether there were any */
    bool stop_sent, stop_received, halt_sent, halt_received;
    bool has_sent; /* since the last drain */
    bool draining; /* the counts are told: nothing is received but what they say, and nothing is passed on */
    /* Number of drains so far. Its last bit is in the tag of a message: one that waits in an agreement must not take a
     * notice of a rank that has left it already. */
    unsigned epoch;
    bool status_asked; /* on rank 0: a rank has asked since the flag was cleared */
} hb_mailbox;

/* Opens a mailbox among the ranks of `parent`. Collective. HB_ECOMM; HB_ENOMEM on ranks that have no memory, so callers
 * agree afterwards. Closing frees it, also one that failed to open; no message may be under way. */
hb_status hb_mailbox_open(hb_mailbox *mailbox, MPI_Comm parent);
/* Frees a mailbox. */
void hb_mailbox_close(hb_mailbox *mailbox);
/* Receives every message under way, where some rank has sent one since the last drain (has_sent), and forgets all: no
 * notice, no progress, no question is left. `await` waits for a request. Collective; any_sent is the same on all ranks.
 * HB_ECOMM. */
typedef hb_status hb_request_waiter(void *context, MPI_Request *request);
hb_status hb_mailbox_drain(hb_mailbox *mailbox, bool any_sent, hb_request_waiter *await, void *context);
/* Send a message to all others, or to rank 0, without waiting. Not collective. Notices are sent once between two
 * drains, to a few ranks, which pass them on when they look (hb_mailbox_poll). A failure here is found by the next
 * collective call. */
void hb_mailbox_send_stop(hb_mailbox *mailbox);
void hb_mailbox_send_halt(hb_mailbox *mailbox);
void hb_mailbox_ask_status(hb_mailbox *mailbox);
void hb_mailbox_send_progress(hb_mailbox *mailbox, uint64_t done, uint64_t work);
/* Receives the messages that have arrived, without waiting. Not collective. */
void hb_mailbox_poll(hb_mailbox *mailbox);

/* The ranks of a launcher, or a part of them. A part's `whole` is the group of all; theirs is themselves. */
typedef struct hb_mpi_group {
    hb_group base;
    MPI_Comm comm;
    hb_mailbox mailbox; /* of the whole group; a part has none */
    size_t most;        /* the most bytes of one call of MPI, whose counts are int */
    /* the votes of an agreement; they are here because MPI may still use them after an agreement that failed */
    int ballot[2];
    int exchanges; /* exchanges opened among these ranks so far: gives each of them its tag */
    struct hb_mpi_group *whole;
    /* The rest is the whole group's alone. */
    hb_peer *peers;             /* [node_size], in their order on this host */
    void *page;                 /* of the board, mapped */
    struct hb_signs *signs;     /* of the first rank of a host, where there are several hosts; else NULL */
    hb_error told;              /* the text that the last failed agreement told */
    struct hb_mpi_memory *kept; /* memory of hb_mpi_keep */
} hb_mpi_group;

/* Passes the status of a call on; a failure breaks the group and the whole. */
static inline hb_status hb_mpi_note(hb_mpi_group *g, hb_status st)
{
    if (st != HB_OK) {
        g->base.broken = g->whole->base.broken = true;
    }
    return st;
}

/* hosts.c. Begins the signs of life among the hosts of the whole group (signs.h), which has its board. Collective.
 * HB_ECOMM. */
hb_status hb_mpi_begin_signs(hb_mpi_group *g);

/* agree.c. Does hb_agree among the ranks of one group, without notices. Collective. A part whose failing ranks all have
 * HB_EPEER agrees on that: the reason comes from the whole. */
hb_status hb_mpi_agree(hb_mpi_group *g, hb_status mine);

/* agree.c. Waits until all ranks have come here, so that a call of MPI that blocks ends at once behind it. Collective.
 * HB_ECOMM when the group is broken, or a rank is lost, which breaks it. */
hb_status hb_mpi_meet(hb_mpi_group *g);

/* mpi_data.c. Returns HB_ECOMM if the group is broken: no call of MPI is made in it any more. */
hb_status hb_mpi_whole(const hb_mpi_group *g);
/* Returns `mine`, or a failure if another rank has one. Collective. It is for steps that can fail while a group is
 * being opened, when hb_agree does not work yet: HB_OK only where all ranks have that. */
hb_status hb_mpi_all(hb_mpi_group *g, hb_status mine);
/* hb_group_broadcast, hb_group_sum, hb_group_max. */
hb_status hb_mpi_broadcast(hb_group *group, void *data, size_t bytes, int root);
hb_status hb_mpi_sum(hb_group *group, uint64_t *values, size_t count);
hb_status hb_mpi_max(hb_group *group, uint64_t *values, size_t count);

/* Keeps memory from malloc that messages under way may still read or write; it is wiped and freed once MPI has
 * ended. */
void hb_mpi_keep(hb_mpi_group *g, void *memory, size_t bytes);
/* Wipes and frees that memory, after MPI_Finalize. */
void hb_mpi_release(hb_mpi_group *whole);

#endif
