/* What the ranks of a job do together. Everything here is collective and returns the same status on every rank, unless
 * a line says otherwise. */
#ifndef HB_BATCH_RANKS_H
#define HB_BATCH_RANKS_H

#include "cli/console.h"
#include "cli/deadline.h"
#include "io/dataset/dataset.h"
#include "mpi/group/partition.h"
#include "pipeline.h"
#include "ranks/session.h"

/* What one rank does of the units of a job; all members of a group that share limbs do the same. Without a list, `mine`
 * is a range of units; with one, `mine` is 0 .. mine.count, places in the list. */
typedef struct hb_units {
    hb_share mine;               /* units, or places in the list */
    uint64_t *list;              /* [mine.count] units in the order of the work, owned; NULL: none */
    uint64_t count, ciphertexts; /* of all ranks */
} hb_units;
/* Returns this rank's share of units first .. first + count, divided over `peers` (mpi/group/grid.h). Rank-local. */
hb_units hb_ranks_divide(const hb_group *peers, const hb_header *header, uint64_t first, uint64_t count);
void hb_units_clear(hb_units *units); /* Frees the list; a zeroed struct is allowed. */

/* Returns how progress tells of the ciphertexts of a dataset, as they are stored. Rank-local. */
hb_tally hb_tally_ciphertexts(const char *verb, const hb_header *header);

/* What units ask in their midst (hb_ranks_look): set while they run. Zeroed at first. */
typedef struct hb_ranks_pulse {
    void *run;
} hb_ranks_pulse;

/* What the ranks are to run; all of it is borrowed. */
typedef struct hb_ranks_work {
    const hb_session *session;
    const hb_common *common;
    const hb_header *header; /* of the dataset whose units they are */
    const hb_units *units;
    const hb_pipeline_stages *stages; /* of which read, compute and write are used */
    void *context;
    hb_threads threads;
    hb_tally tally;              /* of what the header calls ciphertexts */
    const hb_deadline *deadline; /* NULL: none */
    double pause;                /* seconds after which rank 0 has all pause; 0: never */
    hb_ranks_pulse *pulse;       /* for units that can be left on their way; NULL: they cannot */
} hb_ranks_work;

/* How a run ended: the times of the rank that took longest; the units of all ranks that are through all stages; whether
 * other units are left. own, own_bytes: times of this rank, and bytes of what the tally counts in its units, also after
 * a failure. */
typedef struct hb_ranks_end {
    hb_pipeline_times times, own;
    uint64_t units, own_bytes;
    bool paused;
} hb_ranks_end;

/* Runs a pipeline, whose workers have the first queues of the session, over this rank's units of a dataset; progress,
 * signals and the news of other ranks are looked after meanwhile, in the caller's thread.
 *
 * A failure anywhere stops all ranks after the units that they are at; then nothing else of *end means anything.
 * HB_ESTOPPED: a rank was asked to stop, or its time is nearly over. Then, and where they pause, all end in good order:
 * each goes through with the units that it computes, and with its first one; what was computed is written; members that
 * share limbs have gone through with the same units. */
hb_status hb_ranks_run(const hb_ranks_work *work, hb_ranks_end *end);

/* In a worker's thread, in the midst of a unit, which can be left here: *halts says whether to. Then, once enough is
 * stored to go on from, `compute` returns HB_ESTOPPED, on all members that share limbs; the unit is not through. Where
 * the worker is the thread that owns the group, signals and the news of others are looked after, and a failure of those
 * is returned. What is between two looks is what the deadline takes for a unit. */
hb_status hb_ranks_look(const hb_ranks_pulse *pulse, uint32_t worker, bool *halts);

/* Returns what all ranks exchanged since the session started, added up; zeros where limbs are not divided. */
hb_status hb_ranks_exchanged(const hb_session *session, hb_exchange_stats *all);

/* Returns the peak resident bytes of the largest rank; after a failure those of this rank. */
hb_status hb_ranks_peak(hb_group *group, uint64_t *bytes);

#endif
