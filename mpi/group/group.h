/* A group of ranks that do one job together: its members, agreement on errors, and small messages between units.
 *
 * There are two implementations behind one table: `alone` (one process, which never calls MPI) and `mpi`. Data is in
 * host memory. All calls are made from the thread that opened the group, unless a function says otherwise. "Collective"
 * means that every rank of the group calls the function, in the same order. Between two collective calls no rank
 * returns early: it computes a local status, agrees, then branches. */
#ifndef HB_MPI_GROUP_GROUP_H
#define HB_MPI_GROUP_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/modulus.h"
#include "base/status.h"
#include "board.h"

typedef struct hb_group_ops hb_group_ops;

/* A rank's view of its group. Callers read it; only the implementations write it, except `run`. */
typedef struct hb_group {
    const hb_group_ops *ops;
    int rank, size;           /* this rank, and the number of ranks in this group */
    int node_rank, node_size; /* the same among the ranks of this host */
    bool broken;              /* a call of MPI failed here: no other rank can be told why, nor waited for */
    hb_board *board;          /* of the ranks of this host */
    void (*idle)(void *);     /* hb_group_set_idle */
    void *idle_context;
    struct hb_run *run;     /* the caller's, who sets it: the run of a command by these ranks (cli/run.h); NULL: none */
    struct hb_group *whole; /* of a part: the group that it is a part of, which has the run; NULL: it is none */
} hb_group;

/* Opens the group of this process alone. HB_ENOMEM. */
hb_status hb_group_open_alone(hb_group **out);
/* Opens the group of the ranks that a launcher started. Collective; called once per process. HB_ECONFIG when the
 * launcher says n > 1 ranks but MPI sees 1: these are n singletons, each of which would do the whole job; HB_ENOMEM,
 * HB_ECOMM. After a failure *out is NULL, or a group that is good for nothing but to be closed. */
hb_status hb_group_open_mpi(int *argc, char ***argv, hb_group **out);
/* Opens the right one of the two: mpi if a launcher's environment says that it started this process among others, else
 * alone. So without a launcher, or as the only rank of one, no working MPI is needed. */
hb_status hb_group_open(int *argc, char ***argv, hb_group **out);
/* Closes the group and frees it; NULL is allowed. Collective. Closing a broken group ends this process and all others,
 * so a rank that has a reason to tell prints it before. HB_ECOMM when MPI does not end. */
hb_status hb_group_close(hb_group *group);
/* Ends this process and every rank of the group at once with `code`. It is for a rank that cannot reach the next
 * agreement. Not collective. */
_Noreturn void hb_group_abort(hb_group *group, hb_status code);

/* Makes a group of the ranks that pass the same `color` (below 2^31), in the order of their ranks here. Collective. In
 * the part hb_agree, broadcast, sum and max are among its ranks. Notices and progress belong to the group that was
 * split: those of a part reach nobody. Where no rank of a part has a reason, its hb_agree keeps HB_EPEER, as another
 * part has the reason: a rank that fails goes on to an agreement of all. The part is closed before this group.
 * HB_ENOMEM, HB_ECOMM. */
hb_status hb_group_split(hb_group *group, uint32_t color, hb_group **out);

/* Agrees on one outcome. Collective. Every rank passes its own status, and all return the same code: HB_OK, or that of
 * the lowest failing rank, whose error becomes the error of every rank. In a group of several the text is prefixed with
 * "rank R on HOST: ", R being the rank in the job, once, however many agreements pass it on.
 *
 * HB_ECOMM gives way to any other reason, which may be its cause. A rank with HB_EPEER failed because of another one
 * and is not asked for the reason; if all failing ranks have HB_EPEER the outcome is HB_ECOMM.
 *
 * A failing rank first tells the others (hb_group_stop_others), so that ranks which wait for it in an exchange come
 * here. One with HB_EPEER does not, as another rank has told them; one with HB_ESTOPPED uses hb_group_halt_others
 * instead. The agreement receives every message still under way, and forgets notices and progress.
 *
 * When the ranks cannot talk, or a rank with HB_ECOMM has waited half a minute for the others, this rank gets HB_ECOMM.
 * Its group is broken then: every collective call fails at once, and hb_group_close ends all ranks. */
hb_status hb_agree(hb_group *group, hb_status mine);

/* Looks for a rank that is lost (board.h says why): its process has ended, which in the life of a group only death
 * explains, or it has been out of reach for the limit. Returns it, or -1: none is known. Not collective; safe in a
 * signal handler. */
int hb_group_gone(const hb_group *group);
/* The same as of a second ago, where the group is watched: cheap enough to be asked for every unit. */
int hb_group_lost(const hb_group *group);
/* Returns HB_ECOMM with the words for a rank that one of the two named, HB_OK for -1. */
hb_status hb_group_check_gone(const hb_group *group, int gone);
/* Returns true to one rank of each host, the first that asks, and to it once: it says that a rank is lost. Not
 * collective; safe in a signal handler. */
bool hb_group_tells(const hb_group *group);
/* Returns whether this rank reports how the job ended: rank 0, or, in a group that is broken because rank 0 is lost,
 * one that is left on its host. In a broken group it says hb_group_reported when it has; others wait for that, for five
 * seconds at most. Not collective. */
bool hb_group_reports(const hb_group *group);
void hb_group_reported(const hb_group *group);
/* Begins to watch the waits of this rank in collective calls: from then on `tell` is called where one lasts a minute or
 * more, and on rank 0 where a phase lasts 10 seconds or more (board.h). Called once, on the group that was opened. Not
 * collective. HB_ENOMEM. */
hb_status hb_group_watch(hb_group *group, hb_wait_teller *tell, void *context);

/* Tells every other rank that this one failed, and goes to the next agreement. Not collective; it waits for nobody. */
void hb_group_stop_others(hb_group *group);
/* Returns true once another rank has called hb_group_stop_others since the last agreement: this rank then goes to the
 * next agreement. It is cheap enough to be called for every unit. */
bool hb_group_stopping(hb_group *group);
/* Tells every other rank that this one was asked to stop. They end their current work in good order, and go to the next
 * agreement, as this one does. Not collective. */
void hb_group_halt_others(hb_group *group);
/* Returns true once another rank has called hb_group_halt_others since the last agreement. It is as cheap. */
bool hb_group_halting(hb_group *group);
/* Asks rank 0, which may be this one, to say how far the job is. Not collective. */
void hb_group_ask_status(hb_group *group);
/* Returns whether any rank has asked since the last call or agreement. Rank 0 only. */
bool hb_group_status_asked(hb_group *group);
/* Sends this rank's counts to rank 0, of finished items and of work, which also counts what is not finished; rank 0
 * stores its own. Not collective. Counts are dropped while the last ones are still on their way: later ones tell. */
void hb_group_post_progress(hb_group *group, uint64_t done, uint64_t work);
/* Rank 0's news of the ranks since the last agreement: how many have sent counts, the sums of the last counts of each,
 * and the least work with its rank. */
typedef struct hb_group_news {
    int heard, slowest;
    uint64_t done, work, slowest_work;
} hb_group_news;
/* Returns the news so far. Rank 0 only. */
hb_group_news hb_group_progress(hb_group *group);

/* Has rank 0 call `idle` ten times a second or more while it waits in collective calls, so that it can go on showing
 * the progress of others; NULL: not any more. It must not call the group's collective functions. Nothing on other
 * ranks. Not collective. */
void hb_group_set_idle(hb_group *group, void (*idle)(void *), void *context);

/* Broadcast copies the data of rank `root` to all; sum and max reduce element by element, in place, with the same
 * result on all ranks. Collective; sizes are equal on every rank, and may be any. HB_ECOMM, after which the group is
 * broken. */
hb_status hb_group_broadcast(hb_group *group, void *data, size_t bytes, int root);
hb_status hb_group_sum(hb_group *group, uint64_t *values, size_t count);
hb_status hb_group_max(hb_group *group, uint64_t *values, size_t count);
/* Makes values[i] of every rank the sum of those of all ranks mod m, in [0, m); before, each is in [0, m). `room` is
 * memory for 2 count words, whose contents are lost. Collective: m and count are the same on all ranks. HB_ECOMM. */
hb_status hb_group_sum_mod(hb_group *group, uint64_t *values, size_t count, const hb_modulus *m, uint64_t *room);

/* Memory that ranks of a host share. Zeroed: there is none. */
typedef struct hb_shared {
    void *memory; /* [bytes], zeros at first; mapped */
    size_t bytes;
    int fd; /* the object in memory (shm_open), which has no name; each owner closes it */
} hb_shared;
/* Maps memory that all ranks of this host share. A page of it takes memory once it is written, and a write fails with a
 * signal where /dev/shm is full: so the caller has what it writes reserved (posix_fallocate of fd). memory is NULL on
 * all ranks of a host where one of them cannot have it, and of a host with one rank. Collective; bytes may differ among
 * hosts. HB_ECOMM. The caller closes it (hb_shared_close). */
hb_status hb_group_share(hb_group *group, size_t bytes, hb_shared *shared);
/* Unmaps and closes it, and sets memory to NULL; nothing where memory is NULL already. */
void hb_shared_close(hb_shared *shared);

/* Checks that every rank passes the digest that rank 0 passes. Collective, and the same status on all ranks: HB_EDATA
 * unless they are equal, saying that `what` of a rank differs from rank 0's. */
hb_status hb_group_same(hb_group *group, const uint8_t digest[HB_DIGEST_BYTES], const char *what);

#endif
