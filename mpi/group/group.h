/* A group of ranks that do one job together: who is here, agreement on errors, small messages between units.
 *
 * Two implementations behind one table: `alone` (one process, no MPI call ever) and `mpi`. Host memory only. All calls
 * are made from the thread that opened the group. "Collective": every rank of the group calls it, in the same order.
 * Between two collective calls no rank returns early: compute a local status, agree, then branch. */
#ifndef HB_MPI_GROUP_GROUP_H
#define HB_MPI_GROUP_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/status.h"

typedef struct hb_group_ops hb_group_ops;

typedef struct hb_group {
    const hb_group_ops *ops;
    int rank, size;           /* in the job */
    int node_rank, node_size; /* among the ranks of this host */
    bool broken;              /* a call of MPI failed here: no other rank can be told why, or waited for */
} hb_group;

/* The group of one. HB_ENOMEM. */
hb_status hb_group_open_alone(hb_group **out);
/* The ranks of the launcher that started this process. Collective. HB_ECONFIG when the launcher says n > 1 ranks but
 * MPI sees 1: n singletons, each of which would do the whole job. After a failure *out may be a group that is good for
 * nothing but to be closed, else NULL. Call once per process. */
hb_status hb_group_open_mpi(int *argc, char ***argv, hb_group **out);
/* The right one of the two: mpi if a launcher's environment says that it started this process among others, else alone:
 * without a launcher, or as the only rank of one, no working MPI is needed. */
hb_status hb_group_open(int *argc, char ***argv, hb_group **out);
/* Collective. NULL allowed. A broken group ends the process and all others: whoever has a reason to tell does so first.
 * HB_ECOMM when MPI does not end. */
hb_status hb_group_close(hb_group *group);
/* Ends the process and every rank of the group at once with `code`: for a rank that cannot reach the next agreement. */
_Noreturn void hb_group_abort(hb_group *group, hb_status code);

/* Collective. Ranks of one `color` become a group of their own, in the order of their ranks here. Its hb_agree,
 * broadcast, sum and max are among them; notices and progress are for the group that was split: those of a part reach
 * nobody. Where nobody of a part has a reason its hb_agree keeps HB_EPEER, as another part has it: who fails goes on to
 * an agreement of all. Close it before this one. HB_ENOMEM, HB_ECOMM. */
hb_status hb_group_split(hb_group *group, uint32_t color, hb_group **out);

/* Collective. Every rank passes its own status. All ranks return the same code: HB_OK, or that of the lowest failing
 * rank, whose error becomes the error of every rank, prefixed with "rank R on HOST: " when the group has more than one
 * (R: in the job; once, however many agreements pass it on). HB_ECOMM gives way to any other reason, which may be its
 * cause. A rank with HB_EPEER failed because of another one and is not asked for the reason; if all have that it is
 * HB_ECOMM. A failing rank first tells the others (hb_group_stop_others), so that who waits for it in an exchange comes
 * here; not so one with HB_EPEER, whom another has told, nor one with HB_ESTOPPED (hb_group_halt_others). Receives
 * every message still under way and forgets notices and progress. When the ranks cannot talk, or one with HB_ECOMM has
 * waited half a minute for the others: HB_ECOMM on this rank, whose group is broken then, and hb_group_close will end
 * them all. In a broken group every collective call fails so, at once. */
hb_status hb_agree(hb_group *group, hb_status mine);

/* Not collective, and safe in a handler of signals. A rank of this host whose process has ended, which in the life of a
 * group only death explains; -1: none that is known of. *first: of those here that are left this is the first. */
int hb_group_gone(const hb_group *group, bool *first);

/* Not collective. Tells every other rank that this one failed or was asked to stop and goes to the next agreement. */
void hb_group_stop_others(hb_group *group);
/* True once another rank has called hb_group_stop_others since the last agreement: go to the next agreement. Cheap. */
bool hb_group_stopping(hb_group *group);
/* Not collective. Tells every other rank that this one was asked to stop: they end in good order what they are at, and
 * go to the next agreement, as this one does. */
void hb_group_halt_others(hb_group *group);
/* True once another rank has called hb_group_halt_others since the last agreement. Cheap. */
bool hb_group_halting(hb_group *group);
/* Not collective. Asks rank 0, who may be this one, to say how far the job is. */
void hb_group_ask_status(hb_group *group);
/* On rank 0: whether any rank has since the last call or agreement. */
bool hb_group_status_asked(hb_group *group);
/* Not collective. Sends this rank's count of finished items to rank 0 (rank 0: stores it). */
void hb_group_post_progress(hb_group *group, uint64_t done);
/* What rank 0 knows of the ranks since the last agreement: how many have sent a count, the sum of the last of each, and
 * the smallest of them with its rank. */
typedef struct hb_group_news {
    int heard, slowest;
    uint64_t done, slowest_done;
} hb_group_news;
/* On rank 0. */
hb_group_news hb_group_progress(hb_group *group);

/* Collective, sizes equal on every rank, any size. Data of rank `root` to all; element-wise sum and maximum in place,
 * the same on all ranks. HB_ECOMM. */
hb_status hb_group_broadcast(hb_group *group, void *data, size_t bytes, int root);
hb_status hb_group_sum(hb_group *group, uint64_t *values, size_t count);
hb_status hb_group_max(hb_group *group, uint64_t *values, size_t count);

/* Collective, the same status on all ranks. HB_EDATA unless every rank passes the digest of rank 0: `what` of a rank is
 * not what rank 0 sees. */
hb_status hb_group_same(hb_group *group, const uint8_t digest[HB_DIGEST_BYTES], const char *what);

#endif
