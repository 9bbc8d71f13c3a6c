/* One dataset that a job makes: begun or continued under NAME.partial, filled unit by unit by all ranks, and given its
 * name when it is whole. What a job that was killed had finished is taken over once its sums have been checked. */
#ifndef HB_OUTPUT_MAKING_H
#define HB_OUTPUT_MAKING_H

#include "batch/shards.h"
#include "ranks/session.h"
#include "resume.h"

typedef struct hb_making {
    hb_group *group;
    const hb_common *common;
    const char *output;
    const hb_header *header;
    bool force, resume;
    hb_resume described; /* with the groups of ranks that the shards are laid out for */
    hb_shards shards;
    hb_unit_map stored, finished; /* units with a sum as the job began; those among them whose rows agree with it */
    hb_hold hold;                 /* of NAME.partial */
    bool resumed;                 /* there is a NAME.partial to continue */
    bool begun;                   /* rank 0: this job writes NAME.partial ... */
    bool unfinished;              /* ... and has not renamed it yet */
    bool worthless;               /* of what it wrote nothing can come */
    bool committed;               /* rank 0: it has its name, and this sum */
    uint8_t sum[HB_DIGEST_BYTES];
} hb_making;

/* The functions are collective and return the same status on all ranks, but where a line says "rank-local". Close
 * allows a zeroed struct. */

/* Touches nothing. Takes *described over, which only rank 0 needs to have filled; `resume`: looks for a NAME.partial
 * that it would continue (HB_EDATA, HB_ECREATE: resume.h). Borrows output and header. */
hb_status hb_making_open(hb_making *making, hb_group *group, const hb_common *common, const char *output,
                         const hb_header *header, hb_resume *described, bool resume, bool force);
/* Rank-local: of `bytes` of the whole dataset, those that are not on the disk yet. */
uint64_t hb_making_left(const hb_making *making, uint64_t bytes);
/* Makes or takes over NAME.partial and its shards, and begins to take their space. */
hb_status hb_making_begin(hb_making *making);
/* Finds the units that are there and whole, on queues of the session, as many as there are lanes. */
hb_status hb_making_check(hb_making *making, const hb_session *session, const hb_lanes *lanes);
/* Rank-local: opens the shards of units that this rank will write, of those in the list that are not finished. Reads
 * what HDF5 has to; the others here do not call it. */
hb_status hb_making_expect(hb_making *making, const hb_units *units);
/* Rank-local: in an order in which neighbours go to up to `abreast` files (hb_shards_spread). */
hb_status hb_making_spread(const hb_making *making, hb_units *units, uint32_t abreast);
/* Rank-local: a unit that was expected; any number of threads. Waits for the space of its shard. */
hb_status hb_making_write(hb_making *making, uint64_t u, const hb_rows *rows, const uint8_t sum[HB_DIGEST_BYTES]);
/* What this rank wrote is on the disk. */
hb_status hb_making_sync(hb_making *making);
/* Completes the shards and gives the dataset its name. */
hb_status hb_making_commit(hb_making *making);
/* Rank-local, after an agreement: what is unfinished is kept, with a word on how to go on, or removed if worthless. */
void hb_making_end(hb_making *making);
void hb_making_close(hb_making *making);

#endif
