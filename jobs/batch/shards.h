/* The shards of a dataset that a job makes, as one rank sees them. Everything is rank-local; the job orders the
 * ranks. */
#ifndef HB_BATCH_SHARDS_H
#define HB_BATCH_SHARDS_H

#include "machine/background.h"
#include "plan.h"
#include "unit_map.h"

struct hb_shards;
/* One of the threads that take space: each has every HB_PLAN_ABREASTth of this rank's parts. */
typedef struct hb_shards_reserver {
    struct hb_shards *shards;
    uint64_t first, end;
    hb_background background;
} hb_shards_reserver;

/* The shards and what this rank is through with. Threads of the pipeline share it. */
typedef struct hb_shards {
    const char *output; /* borrowed, like the header */
    const hb_header *header;
    hb_part *parts;           /* [count]; they tile the units */
    hb_shard_writer **writer; /* [count]; NULL: not opened by this rank */
    uint32_t count;
    pthread_mutex_t lock; /* over opening and closing files, and over what follows */
    uint64_t *left;       /* [count] units that this rank is not through with */
    bool *awaited;        /* [count] whether the shard's space is being taken */
    hb_status space;      /* first failure of taking space */
    hb_error no_space;    /* and its text */
    pthread_cond_t taken; /* signals that `awaited` or `space` has changed */
    hb_shards_reserver reserver[HB_PLAN_ABREAST];
} hb_shards;

/* Lays the shards out for `ranks` ranks, or groups of ranks; touches no file. Of a dataset that grows those of the
 * units that are made; NULL: it does not. Borrows output and header. The struct stays where it is, as threads use it.
 * HB_ENOMEM. */
hb_status hb_shards_init(hb_shards *shards, const char *output, const hb_header *header, const hb_growth *growth,
                         uint32_t ranks);
/* Waits for the threads that take space, closes the files and frees; the last error stays. A zeroed struct is
 * allowed. */
void hb_shards_clear(hb_shards *shards);

/* Makes the parts of `mine` that are missing or unreadable, opens all of them, and adds the units that have a sum to
 * `stored`. After an agreement every rank may open every part. HB_EIO, HB_ENOMEM. */
hb_status hb_shards_ensure(hb_shards *shards, hb_share mine, hb_unit_map *stored);
/* Begins to take the space of those parts, in their order, in threads of its own, while the caller does other things;
 * hb_shards_use of a unit waits for the space of its part. hb_shards_reserve_end waits for all of it and returns the
 * first failure, HB_EIO for a full disk; again when called again. */
void hb_shards_reserve_begin(hb_shards *shards, hb_share mine);
hb_status hb_shards_reserve_end(hb_shards *shards);

/* Opens the shards of the units in this rank's list, which it must have, except for units in `without`, and notes how
 * many of each it will be through with. HDF5 is called here and not later. HB_ENOINPUT, HB_EDATA. */
hb_status hb_shards_open(hb_shards *shards, const hb_units *units, const hb_unit_map *without);
/* Changes the order of the list so that neighbours are in up to `abreast` shards; the units of each shard keep their
 * order. HB_ENOMEM, with the list as it was. */
hb_status hb_shards_interleave(const hb_shards *shards, hb_units *units, uint32_t abreast);
/* Returns the shard of unit u, one of those that were opened for, open to write or read the unit; waits for its space.
 * hb_shards_leave says that this rank is through with u: a shard is synced and closed after the last of its units. Any
 * number of threads may call them. */
hb_status hb_shards_use(hb_shards *shards, uint64_t u, hb_shard_writer **writer);
hb_status hb_shards_leave(hb_shards *shards, uint64_t u);
/* Waits for the space, then syncs and closes all shards that are still open. */
hb_status hb_shards_sync(hb_shards *shards);
/* Completes the parts of `mine`, after all ranks have synced. */
hb_status hb_shards_finish(hb_shards *shards, hb_share mine);

#endif
