/* What the ranks of a job do together. Everything here is collective and returns the same status on every rank. */
#ifndef HB_BATCH_RANKS_H
#define HB_BATCH_RANKS_H

#include "cli/console.h"
#include "cli/deadline.h"
#include "io/dataset/dataset.h"
#include "mpi/group/partition.h"
#include "pipeline.h"
#include "ranks/session.h"

/* What one rank does of the units of a job; all members of a group that share limbs do the same. */
typedef struct hb_units {
    hb_share mine;  /* units; of those in a list, 0 .. mine.count */
    uint64_t *list; /* [mine.count] units in the order of the work, owned; NULL: the units `mine` themselves */
    uint64_t count, ciphertexts; /* of all ranks */
} hb_units;
/* This rank's share of units first .. first + count, which are divided over `peers` (mpi/group/grid.h). */
hb_units hb_ranks_divide(const hb_group *peers, const hb_header *header, uint64_t first, uint64_t count);
void hb_units_clear(hb_units *units); /* a zeroed struct is allowed */

/* Of the ciphertexts of a dataset, as they are stored. */
hb_tally hb_tally_ciphertexts(const char *verb, const hb_header *header);

/* What the ranks are to run; all of it borrowed. */
typedef struct hb_ranks_work {
    const hb_session *session;
    const hb_common *common;
    const hb_header *header; /* of the dataset whose units they are */
    const hb_units *units;
    const hb_pipeline_stages *stages; /* leave, interrupt and tend are set here */
    void *context;
    hb_threads threads;
    hb_tally tally;              /* of what the header calls ciphertexts */
    const hb_deadline *deadline; /* NULL: none */
    double pause;                /* seconds after which all pause; 0: never */
} hb_ranks_work;

/* How that ended. times: of the rank that took longest; units: of all ranks, that are through all stages; paused: there
 * are others. */
typedef struct hb_ranks_end {
    hb_pipeline_times times;
    uint64_t units;
    bool paused;
} hb_ranks_end;

/* A pipeline whose workers have the first queues of the session, over this rank's units of a dataset, with progress,
 * signals and the news of other ranks looked after meanwhile, in the caller's thread. A failure anywhere stops all
 * ranks after the units that they are at; then *end means nothing. HB_ESTOPPED: a rank was asked to stop, or its time
 * is nearly over. Then, and where they pause, all end in good order: each goes through with the units that it computes,
 * and with its first one; what was computed is written; those who share limbs have gone through with the same. */
hb_status hb_ranks_run(const hb_ranks_work *work, hb_ranks_end *end);

/* What all ranks exchanged since the session started, added up; zeros where limbs are not divided. */
hb_status hb_ranks_exchanged(const hb_session *session, hb_exchange_stats *all);

/* Peak resident bytes of the largest rank. */
hb_status hb_ranks_peak(hb_group *group, uint64_t *bytes);

#endif
