/* The shards of a dataset that a job makes, as one rank sees them. Everything is rank-local; the job orders the
 * ranks. */
#ifndef HB_BATCH_SHARDS_H
#define HB_BATCH_SHARDS_H

#include "machine/background.h"
#include "plan.h"
#include "unit_map.h"

struct hb_shards;
/* One of the threads that take space: for every HB_PLAN_ABREASTth of this rank's parts. */
typedef struct hb_shards_reserver {
    struct hb_shards *shards;
    uint64_t first, end;
    hb_background background;
} hb_shards_reserver;

typedef struct hb_shards {
    const char *output; /* borrowed, like the header */
    const hb_header *header;
    hb_part *parts;           /* [count], which tile the units */
    hb_shard_writer **writer; /* [count]; NULL: not opened by this rank */
    uint32_t count;
    pthread_mutex_t lock; /* over opening and closing files, and: */
    uint64_t *left;       /* [count] units that this rank is not through with */
    bool *awaited;        /* [count] its space is being taken */
    hb_status space;      /* of taking it: the first failure, ... */
    hb_error no_space;    /* ... in words */
    pthread_cond_t taken; /* the space of a shard, or not */
    hb_shards_reserver reserver[HB_PLAN_ABREAST];
} hb_shards;

/* As laid out for `ranks` ranks; touches no file. HB_ENOMEM. The struct stays where it is. Clear takes a zeroed one. */
hb_status hb_shards_init(hb_shards *shards, const char *output, const hb_header *header, uint32_t ranks);
void hb_shards_clear(hb_shards *shards);

/* Parts of `mine`: makes those that are missing or unreadable, and adds the units that have a sum to `stored`. After an
 * agreement every rank may open every part. */
hb_status hb_shards_ensure(hb_shards *shards, hb_share mine, hb_unit_map *stored);
/* Takes the space of those parts in threads of its own, some at a time, in their order, while the caller does other
 * things; units of a part wait for its space (use). End waits for all of it. */
void hb_shards_reserve_begin(hb_shards *shards, hb_share mine);
hb_status hb_shards_reserve_end(hb_shards *shards);

/* Opens what the units of this rank's list need, but for those in `without`: HDF5 is called here and not later. */
hb_status hb_shards_open(hb_shards *shards, const hb_units *units, const hb_unit_map *without);
/* Changes the order of the list so that neighbours are in up to `abreast` shards; in each, units keep their order.
 * HB_ENOMEM. */
hb_status hb_shards_interleave(const hb_shards *shards, hb_units *units, uint32_t abreast);
/* The shard of unit u, one of those, open to write or to read it. Leave: this rank is through with u; a shard is synced
 * and closed after the last of its units. Any number of threads. */
hb_status hb_shards_use(hb_shards *shards, uint64_t u, hb_shard_writer **writer);
hb_status hb_shards_leave(hb_shards *shards, uint64_t u);
/* All that are still open. */
hb_status hb_shards_sync(hb_shards *shards);
/* Completes the parts of `mine`, after all ranks have synced. */
hb_status hb_shards_finish(hb_shards *shards, hb_share mine);

#endif
