/* The memory of a board (board.h): for the board itself, and for what signs of other hosts change of it. */
#ifndef HB_MPI_GROUP_BOARD_PRIVATE_H
#define HB_MPI_GROUP_BOARD_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "board.h"
#include "guard.h"

/* Both are free of locks, so that processes and signal handlers may share them. */
typedef struct hb_board_place {
    atomic_uint waits, phase;
    atomic_uint calls; /* that waited or wait */
} hb_board_place;

/* A rank of another host that is silent. It changes while handlers read it, which may not wait for a lock. */
typedef struct hb_board_silence {
    atomic_uint version; /* odd while it is written */
    atomic_int rank;     /* plus 1; 0: none */
    atomic_uint seconds;
    atomic_uint_fast64_t host[HB_LIFE_HOST / sizeof(uint64_t)];
} hb_board_silence;

typedef struct hb_board_page {
    atomic_int lost;                   /* the first rank that was found to be, plus 1, and its fate; 0: none */
    atomic_int ends;                   /* the rank that ends all others, plus 1; 0: none */
    atomic_uint told, taken, reported; /* that a rank is lost; the report of that; and that it is written */
    atomic_uint away;                  /* how other hosts are, a state of a sign */
    hb_board_silence silent;
    char host[HB_LIFE_HOST]; /* the other host that it is on, which stands before `lost` does */
    hb_board_place places[];
} hb_board_page;

/* A fate stands above the number of a rank. */
enum { HB_FATE_SHIFT = 27, HB_RANK_MASK = HB_LIFE_RANKS };

/* How long another rank of this host has been so, in seconds: for the thread that looks, and for that of signs. */
typedef struct hb_board_lasting {
    uint32_t stopped, stopped_signs; /* by a signal */
    uint32_t calls, waits;           /* which of its calls waits */
} hb_board_lasting;

struct hb_board {
    hb_board_page *page;
    const hb_peer *peers;
    int own, size;
    bool shared; /* the page is shared: otherwise this process alone writes to it */
    hb_watch *watch;
    hb_wait_teller *tell;
    void *context;
    hb_board_lasting *lasting; /* [size] */
    pthread_mutex_t lock;      /* of the sign: */
    hb_life away;              /* the worst of other hosts */
    atomic_uint limit;         /* seconds that a rank may be silent or stopped, and ... */
    atomic_bool strict;        /* ... whether that holds as well for one whose process is only stopped */
    atomic_bool closing;       /* ranks of this host end in good order */
    hb_awaited *awaited;       /* [size]: of the thread that looks, as the rest: */
    unsigned phase_seen;       /* this rank's at the last look, ... */
    uint32_t phase_looks;      /* ... looks at it behind the first, and ... */
    uint32_t lost_looks;       /* looks at a wait since a rank is lost */
    uint32_t silent;           /* ... looks since users saw something of it */
    /* For all threads: */
    atomic_bool shown;          /* users saw something since the last look */
    _Atomic(const char *) step; /* what this process is at, and ... */
    atomic_uint_fast64_t steps; /* ... its steps: those done, and behind them all */
};

enum { HB_BOARD_SETTLED = 5 }; /* seconds, after which a wait for a rank that is lost has not ended by itself */

/* Notes that a rank will not come, the first that is known of: others end because of it. */
void hb_board_lose(hb_board_page *page, int rank, hb_fate fate);

#endif
