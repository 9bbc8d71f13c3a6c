/* Signs of life between the hosts of a job. One process a host, its first rank, tells its neighbours once a second how
 * its host is, over TCP and from a thread of its own: so it does whatever its rank is at, and nothing of MPI's holds
 * it up. The worst news goes from neighbour to neighbour, down and up a tree of hosts, so each hears of all. */
#ifndef HB_MPI_GROUP_SIGNS_H
#define HB_MPI_GROUP_SIGNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { HB_LIFE_HOST = 64, HB_LIFE_ADDRESSES = 8, HB_LIFE_ADDRESS = 16, HB_LIFE_TOKEN = 32 };
enum { HB_LIFE_RANKS = (1 << 27) - 1 }; /* the numbers of ranks are below */

/* How a host is, by the rank of it that others may wait for; what comes later is worse. */
typedef enum hb_life_state {
    HB_LIFE_WAITS,   /* all of its ranks wait for others */
    HB_LIFE_UNKNOWN, /* nothing was heard of it yet */
    HB_LIFE_WORKS,   /* this rank is at work */
    HB_LIFE_STOPPED, /* a signal has stopped it */
    HB_LIFE_SILENT,  /* nothing is heard of it; hb_life.answers says of two reasons which one */
    HB_LIFE_GONE,    /* its process has ended */
    HB_LIFE_ENDED    /* it ends the job, and has told why */
} hb_life_state;

/* A sign. It travels as bytes: all hosts of a job are of one kind, as MPI has it too. */
typedef struct hb_life {
    uint32_t state, rank;
    uint32_t phase;   /* of that rank, as it was marked on its board (board.h) */
    uint32_t seconds; /* that it is stopped or silent */
    uint32_t answers; /* of a silent one: its host takes what is sent, so its process is stopped or does not get to run;
                       * 0: its host or the network does not answer */
    char host[HB_LIFE_HOST];
} hb_life;

/* A random number of a job, which every message has. It keeps out programs that only connect: other jobs, scanners of
 * ports, strangers. It travels in the clear. So it does not keep out anybody who listens on the network between the
 * hosts, or has an address there that hosts take for one of theirs: he can read signs and make some up, and so end the
 * job. No key and no value depends on it. */
typedef struct hb_life_token {
    uint8_t bytes[HB_LIFE_TOKEN];
} hb_life_token;

/* Where the first rank of a host listens; it travels as bytes. Zeros: nowhere. */
typedef struct hb_life_address {
    hb_life_token token; /* that of the first host is the job's */
    uint32_t rank, port, count;
    uint8_t at[HB_LIFE_ADDRESSES][HB_LIFE_ADDRESS]; /* [count] of IPv6, or of IPv4 within it */
    char host[HB_LIFE_HOST];
} hb_life_address;

/* Functions of the process that uses signs, which the thread calls: once a second for the sign of its own host, and
 * with the worst of all others, once a second and where one has changed. */
typedef struct hb_signs_user {
    void (*own)(void *context, hb_life *sign);
    void (*others)(void *context, const hb_life *worst);
    void *context;
} hb_signs_user;

typedef struct hb_signs hb_signs;

/* Begins to listen, and fills *mine. HB_ENOMEM; HB_EUNAVAILABLE where there is no TCP. */
hb_status hb_signs_listen(uint32_t rank, hb_signs **out, hb_life_address *mine);
/* Begins to exchange signs, as host number `own` of `count`, whose addresses in `hosts` are the same on all; copied.
 * Neighbours are looked for in the thread: of those that cannot be reached nothing is told. HB_ENOMEM. */
hb_status hb_signs_begin(hb_signs *signs, const hb_life_address *hosts, uint32_t count, uint32_t own,
                         const hb_signs_user *user);
/* Has this host's sign told at once, not only at the next second, and waits some milliseconds until it should be on its
 * way; NULL is allowed. */
void hb_signs_hurry(hb_signs *signs);
/* Says goodbye to the neighbours, ends the thread and frees all; NULL is allowed. A process that ends without this is
 * told to be gone. */
void hb_signs_close(hb_signs *signs);

#endif
