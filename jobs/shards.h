/* The shards of a dataset that a job makes, as one rank sees them. Everything is rank-local; the job orders the ranks. */
#ifndef HB_SHARDS_H
#define HB_SHARDS_H

#include "plan.h"
#include "unit_map.h"

typedef struct hb_shards {
    const char *output; /* borrowed, like the header */
    const hb_header *header;
    hb_part *parts;           /* [count], which tile the units */
    hb_shard_writer **writer; /* [count]; NULL: not opened by this rank */
    uint32_t count, current;
} hb_shards;

/* As laid out for `ranks` ranks; touches no file. HB_ENOMEM. Clear takes a zeroed struct. */
hb_status hb_shards_init(hb_shards *shards, const char *output, const hb_header *header, uint32_t ranks);
void hb_shards_clear(hb_shards *shards);

/* Parts of `mine`: makes those that are missing or unreadable, and adds the units that have a sum to `stored`. After an
 * agreement every rank may open every part. */
hb_status hb_shards_ensure(hb_shards *shards, hb_share mine, hb_unit_map *stored);
/* Opens what the units of this rank's list need: HDF5 is called here and not later. */
hb_status hb_shards_open(hb_shards *shards, const hb_units *units);
/* The shard of unit u; units come in the order of that list. Syncs the one before. */
hb_status hb_shards_turn(hb_shards *shards, uint64_t u, hb_shard_writer **writer);
/* The last of them. */
hb_status hb_shards_sync(hb_shards *shards);
/* Completes the parts of `mine`, after all ranks have synced. */
hb_status hb_shards_finish(hb_shards *shards, hb_share mine);

#endif
