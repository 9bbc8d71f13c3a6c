/* One rank's view of the shards of a dataset that a job makes. Everything is rank-local; the job orders the ranks. */
#ifndef HB_BATCH_JOB_SHARDS_H
#define HB_BATCH_JOB_SHARDS_H

#include "machine/background.h"
#include "plan.h"
#include "unit_map.h"

struct hb_shards;
/* One of the threads that reserve space: thread i reserves every HB_PLAN_ABREASTth of this rank's parts, from i on. */
typedef struct hb_shards_reserver {
    struct hb_shards *shards;
    uint64_t first, end;
    hb_background background;
} hb_shards_reserver;

/* The shards, and this rank's progress. Threads of the pipeline share it. */
typedef struct hb_shards {
    const char *output; /* borrowed, like the header */
    const hb_header *header;
    hb_part *parts;           /* [count]; they tile the units */
    hb_shard_writer **writer; /* [count]; NULL: not opened by this rank */
    uint32_t count;
    pthread_mutex_t lock; /* guards opening and closing of files, and the members below */
    uint64_t *left;       /* [count] units that this rank still has to do */
    bool *awaited;        /* [count] whether the shard's space is being reserved */
    hb_status space;      /* first failure to reserve space */
    hb_error no_space;    /* and its text */
    pthread_cond_t taken; /* signals that `awaited` or `space` has changed */
    hb_shards_reserver reserver[HB_PLAN_ABREAST];
} hb_shards;

/* Lays out the shards for `ranks` ranks, or groups of ranks; opens no file. For a growing dataset it lays out the
 * shards of the new units; growth NULL: the dataset does not grow. Borrows output and header. The struct must not move,
 * as threads use it. HB_ENOMEM. */
hb_status hb_shards_init(hb_shards *shards, const char *output, const hb_header *header, const hb_growth *growth,
                         uint32_t ranks);
/* Waits for the threads that reserve space, closes the files and frees; the last error stays. A zeroed struct is
 * allowed. */
void hb_shards_clear(hb_shards *shards);

/* Makes the parts of `mine` that are missing or unreadable, opens all parts of `mine`, and adds the units that have a
 * sum to `stored`. Once the ranks have agreed, every rank may open every part. HB_EIO, HB_ENOMEM. */
hb_status hb_shards_ensure(hb_shards *shards, hb_share mine, hb_unit_map *stored);
/* Begins to reserve the space of these parts, in their order, in threads of its own; hb_shards_use of a unit waits for
 * the space of its part. hb_shards_reserve_end waits for all of it and returns the first failure, HB_EIO for a full
 * disk, on each call. */
void hb_shards_reserve_begin(hb_shards *shards, hb_share mine);
hb_status hb_shards_reserve_end(hb_shards *shards);

/* Opens the shards of the units in this rank's list, which must not be NULL, except for units in `without`, and counts
 * the units of each shard. Calls HDF5, which the functions below do not. HB_ENOINPUT, HB_EDATA. */
hb_status hb_shards_open(hb_shards *shards, const hb_units *units, const hb_unit_map *without);
/* Reorders the list so that neighbours lie in up to `abreast` shards; those of each shard keep their order. The list is
 * of groups of `each` consecutive units: group g has units g * each and following. HB_ENOMEM, with the list
 * unchanged. */
hb_status hb_shards_interleave(const hb_shards *shards, hb_units *groups, uint64_t each, uint32_t abreast);
/* hb_shards_use returns the open shard of unit u, for reading or writing it, and waits for the shard's space. u is one
 * of the units given to hb_shards_open. hb_shards_leave tells that this rank has done u: the shard is synced and closed
 * after its last unit. Any number of threads may call them. HB_EIO. */
hb_status hb_shards_use(hb_shards *shards, uint64_t u, hb_shard_writer **writer);
hb_status hb_shards_leave(hb_shards *shards, uint64_t u);
/* Waits for the space, then syncs and closes all shards that are still open. HB_EIO. */
hb_status hb_shards_sync(hb_shards *shards);
/* Completes the parts of `mine`, after all ranks have synced. HB_EDATA, HB_EIO. */
hb_status hb_shards_finish(hb_shards *shards, hb_share mine);

#endif
