/* The state of each rank of a host, in memory that they share: whether it waits for others, and the phase of its work.
 * A thread checks once a second how long this rank has waited, and reports the rank that it waits for. None of it costs
 * more than some nanoseconds a call, and no rank needs it to go on. */
#ifndef HB_MPI_GROUP_BOARD_H
#define HB_MPI_GROUP_BOARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "signs.h"

/* A rank of this host with the number of its process; 0: not known here. */
typedef struct hb_peer {
    int rank;
    pid_t process;
} hb_peer;

/* Why a rank is lost, which means that it will not come any more. "Gone" is one reason of several. */
typedef enum hb_fate {
    HB_FATE_NONE,
    HB_FATE_GONE,      /* its process, of this host, has ended */
    HB_FATE_ENDED,     /* it ends the job, for a reason that it has told */
    HB_FATE_STOPPED,   /* a signal has stopped it, on this host, for the limit (hb_board_set_limit) */
    HB_FATE_GONE_AWAY, /* the same three of ranks of other hosts */
    HB_FATE_ENDED_AWAY,
    HB_FATE_STOPPED_AWAY,
    HB_FATE_UNREACHABLE, /* its host, another one, has not answered for the limit */
    HB_FATE_MUTE         /* the same of its process; its host answers */
} hb_fate;
typedef struct hb_loss {
    int rank; /* -1: none is lost */
    hb_fate fate;
    const char *host; /* of a rank of another host; lasts as long as the board */
    uint32_t limit;   /* seconds, where the fate goes by them */
} hb_loss;

/* A rank of another host of which nothing is heard at present. */
typedef struct hb_silence {
    int rank;         /* -1: none is silent */
    uint32_t seconds; /* since the last sign */
    char host[HB_LIFE_HOST];
} hb_silence;

/* A rank that is waited for. */
typedef struct hb_awaited {
    hb_peer peer;
    unsigned phase; /* as it was marked; 0: none */
} hb_awaited;

/* The work of this process within its phase: `done` of `of` steps of something; name, a literal: NULL: unknown. */
typedef struct hb_board_step {
    const char *name;
    uint32_t done, of;
} hb_board_step;
/* The report of a wait. */
typedef struct hb_wait {
    double seconds;     /* that this process ran meanwhile */
    int rank;           /* the waiting rank */
    unsigned phase;     /* its own */
    int lost;           /* a rank that is lost (hb_board_loss): this process ends when it has told; else -1 */
    bool working;       /* no wait: rank 0 is at work in a phase, `seconds` so far ... */
    hb_board_step step; /* ... and at this step */
    bool stopped;       /* the awaited ones are stopped by a signal; else they are at work */
    uint32_t count;     /* of awaited ranks of this host; 0: they are on other hosts */
    const hb_awaited *awaited;
    hb_life away; /* how other hosts are, by the worst of them; seen by the first rank of a host alone */
} hb_wait;
/* Returns true after one minute, two, four and so on, counted in whole seconds: when waits are told. */
bool hb_board_is_time(double seconds);
/* Is called in the thread that looks, on the first rank of a host that waits: after one minute, two, four and so on;
 * for ranks of other hosts on the host of rank 0 alone. Also on rank 0 while it works: after each 10 seconds in one
 * phase of which users see nothing else (hb_board_step_shown). */
typedef void hb_wait_teller(void *context, const hb_wait *wait);

typedef struct hb_board hb_board;

/* Makes the board of `size` ranks of a host, of which this is number `place`. `page` is memory of
 * hb_board_page_bytes(size) zeros, which all of them share, or of this process alone: then reports name only ranks that
 * are stopped or gone. It and `peers` ([size]) are borrowed. HB_ENOMEM. Closing ends the watching and frees it; NULL is
 * allowed. */
hb_status hb_board_open(void *page, bool shared, const hb_peer *peers, int place, int size, hb_board **out);
void hb_board_close(hb_board *board);
size_t hb_board_page_bytes(int size);
/* Begins to watch how long this rank waits, and whether others are lost. HB_ENOMEM. */
hb_status hb_board_watch(hb_board *board, hb_wait_teller *tell, void *context);

/* Enter, leave and mark do nothing where the board is NULL; others that allow it say so. Enter and leave stand before
 * and behind a call that waits for other ranks. */
void hb_board_enter(hb_board *board);
void hb_board_leave(hb_board *board);
/* Shows which phase this rank is in from now on. */
void hb_board_mark(hb_board *board, unsigned phase);

/* Sets the step of this process, from any thread. */
void hb_board_set_step(hb_board *board, hb_board_step step);
/* Returns that step for a line that the caller shows at once, and notes that users have seen it: the next report of
 * this rank's work is 10 seconds away. Where threads set steps, it may have the counts of another one. board NULL: a
 * step without a name. */
hb_board_step hb_board_step_shown(hb_board *board);
/* Returns a rank that is lost, as its process has ended or for another fate, -1: none. Once a rank has noticed one all
 * others of the host name the same, as ranks that end because of it are lost as well. Safe in a signal handler. */
int hb_board_find_lost(const hb_board *board);
/* The same as of the last look, which is a second old at most where this rank watches: for loops. */
int hb_board_lost(const hb_board *board);
/* Returns what is known of that rank. Safe in a signal handler. */
hb_loss hb_board_loss(const hb_board *board);
/* Returns a rank of another host that is silent; it may be heard of again. Safe in a signal handler. */
hb_silence hb_board_silent(const hb_board *board);
/* The reasons for a rank's silence, in words for users: [whether its host answers]. */
extern const char *const hb_board_silence_words[2];
/* Sets how long a rank of another host may be out of reach while a rank here waits, in one call, for others; at first
 * 180 seconds. strict: that holds as well for a process, here or there, that is only stopped by a signal. Nothing where
 * the board is NULL. */
void hb_board_set_limit(hb_board *board, double seconds, bool strict);
/* Returns whether no other rank is at work that could still come to this one: at least one is stopped, out of reach or
 * gone, all others wait as well. */
bool hb_board_alone(const hb_board *board);

/* For the thread of signs (signs.h), in the first rank of the host; context is the board. The first tells how this host
 * is, the second takes how others are. */
void hb_board_own_sign(void *board, hb_life *sign);
void hb_board_others_sign(void *board, const hb_life *worst);
/* This rank is about to end all others, and has told why. Nothing where the board is NULL. */
void hb_board_set_ending(hb_board *board);
/* From now on ranks of this host that end are told to nobody: the group is closed. Nothing where the board is NULL. */
void hb_board_set_closing(hb_board *board);
/* Returns true to the first rank of this host that asks, once. Safe in a signal handler. */
bool hb_board_tells(const hb_board *board);
/* Once a rank of this host is lost: returns true to the one rank that reports the end of the job: rank 0, or, if rank 0
 * is lost, the first that asks. Others of rank 0's host get false once the reporter has called hb_board_reported, or
 * after five seconds. A rank that leaves a broken group ends all ranks, so the report must come first. */
bool hb_board_reports(const hb_board *board);
void hb_board_reported(const hb_board *board);

#endif
