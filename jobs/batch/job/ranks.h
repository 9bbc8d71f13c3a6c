/* The joint work of the ranks of a job. Everything here is collective and returns the same status on every rank, unless
 * a line says otherwise. */
#ifndef HB_BATCH_JOB_RANKS_H
#define HB_BATCH_JOB_RANKS_H

#include "base/partition.h"
#include "batch/pipeline/pipeline.h"
#include "cli/console.h"
#include "cli/deadline.h"
#include "io/dataset/dataset.h"
#include "ranks/session.h"

/* One rank's share of the units of a job; all members of a group that share limbs have the same. Without a list, `mine`
 * is a range of units; with one, `mine` is 0 .. mine.count, indices of the list. */
typedef struct hb_units {
    hb_share mine;               /* units, or indices of the list */
    uint64_t *list;              /* [mine.count] units in the order of the work, owned; NULL: none */
    uint64_t count, ciphertexts; /* of all ranks together */
} hb_units;
/* Returns this rank's share of units first .. first + count, divided over `peers` (mpi/group/grid.h). Rank-local. */
hb_units hb_ranks_divide(const hb_group *peers, const hb_header *header, uint64_t first, uint64_t count);
void hb_units_clear(hb_units *units); /* Frees the list; a zeroed struct is allowed. */

/* Returns the tally of a dataset's ciphertexts, as they are stored, for progress. Rank-local. */
hb_tally hb_tally_ciphertexts(const char *verb, const hb_header *header);

/* The means by which a running unit asks whether to stop (hb_ranks_look), and tells how far it is (hb_ranks_worked).
 * Set during a run; zeroed before. */
typedef struct hb_ranks_pulse {
    void *run;
} hb_ranks_pulse;

/* The run; all of it is borrowed. */
typedef struct hb_ranks_work {
    const hb_session *session;
    const hb_common *common;
    const hb_header *header; /* of the dataset that the units belong to */
    const hb_units *units;
    const hb_pipeline_stages *stages; /* `read`, `compute` and `write` are used */
    void *context;
    hb_threads threads;
    hb_tally tally;              /* counts the header's ciphertexts */
    hb_progress_others others;   /* of the jobs of other residues */
    const hb_deadline *deadline; /* NULL: none */
    double pause;                /* seconds after which rank 0 makes all ranks pause; 0: never */
    hb_ranks_pulse *pulse;       /* for units that can be interrupted; NULL: they cannot */
    hb_progress_work measure;    /* of units whose work is told of while they run (hb_ranks_worked); own 0: of none */
} hb_ranks_work;

/* How a run ended: the times of the slowest rank; the units that have passed all stages, of all ranks; whether units
 * are left. own, own_bytes: the times of this rank, and the bytes that the tally counts in its units, also after a
 * failure. */
typedef struct hb_ranks_end {
    hb_pipeline_times times, own;
    uint64_t units, own_bytes;
    bool paused;
} hb_ranks_end;

/* Runs a pipeline over this rank's units of a dataset. The workers use the first queues of the session. Meanwhile the
 * caller's thread tends progress, signals and the news of other ranks.
 *
 * A failure anywhere stops all ranks after their current units; then only own and own_bytes of *end are set.
 * HB_ESTOPPED: a rank was asked to stop, or its time is nearly over. Then, and at a pause, all ranks end in good order:
 * each finishes the units that it computes, and always its first one; computed units are written; members that share
 * limbs have finished the same units. */
hb_status hb_ranks_run(const hb_ranks_work *work, hb_ranks_end *end);

/* Called in a worker's thread within a unit, at a point where the unit can be interrupted; *halts: it is to be
 * interrupted. Once the worker has stored enough to continue from, `compute` returns HB_ESTOPPED, on all members that
 * share limbs; the unit is not done. In the thread that owns the group, this also tends signals and the news of other
 * ranks, and returns their failure. The deadline takes the time between two calls for the time of a unit. */
hb_status hb_ranks_look(const hb_ranks_pulse *pulse, uint32_t worker, bool *halts);

/* Called in a worker's thread: adds work that it has done in the run, for progress, which in the thread that owns the
 * group is shown and told of now and then. */
void hb_ranks_worked(const hb_ranks_pulse *pulse, uint64_t work);

/* Finds the peak resident bytes of the largest rank; after a failure those of this rank. Collective. HB_ECOMM. */
hb_status hb_ranks_peak(hb_group *group, uint64_t *bytes);

#endif
