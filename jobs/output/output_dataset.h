/* One dataset that a job makes: begun or continued under NAME.partial, filled unit by unit by all ranks, and given its
 * name when it is whole. What a job that was killed had finished is taken over once its sums have been checked. */
#ifndef HB_OUTPUT_OUTPUT_DATASET_H
#define HB_OUTPUT_OUTPUT_DATASET_H

#include "batch/shards.h"
#include "ranks/session.h"
#include "resume.h"

/* Which dataset a job makes; path and header are borrowed by what is opened. */
typedef struct hb_output_request {
    const char *path;
    const hb_header *header;
    bool resume; /* looks for a NAME.partial that the job would continue */
    bool force;
} hb_output_request;

typedef struct hb_output_dataset {
    hb_group *group;
    const hb_common *common;
    hb_output_request request;
    hb_resume described; /* with the groups of ranks that the shards are laid out for */
    hb_shards shards;
    hb_unit_map stored, finished; /* units with a sum as the job began; those among them whose rows agree with it */
    hb_hold hold;                 /* of NAME.partial */
    bool resumed;                 /* there is a NAME.partial to continue */
    bool begun;                   /* rank 0: this job writes NAME.partial ... */
    bool unfinished;              /* ... and has not renamed it yet */
    bool discard;                 /* nothing can come of what it wrote */
    bool committed;               /* rank 0: it has its name, and this sum */
    uint8_t sum[HB_DIGEST_BYTES];
} hb_output_dataset;

/* The functions are collective and return the same status on all ranks, but where a line says "rank-local". Close
 * allows a zeroed struct. */

/* Opens without touching anything on the disk. Takes *described over, which only rank 0 needs to have filled. HB_EDATA,
 * HB_ECREATE: there is something that cannot be continued (resume.h). */
hb_status hb_output_dataset_open(hb_output_dataset *out, hb_group *group, const hb_common *common,
                                 const hb_output_request *request, hb_resume *described);
/* Rank-local: returns how many of the `bytes` of the whole dataset are not on the disk yet. */
uint64_t hb_output_dataset_left(const hb_output_dataset *out, uint64_t bytes);
/* Makes or takes over NAME.partial and its shards, and begins to take their space. */
hb_status hb_output_dataset_begin(hb_output_dataset *out);
/* Finds the units that are there and whole, on queues of the session, as many as there are workers. */
hb_status hb_output_dataset_check(hb_output_dataset *out, const hb_session *session, const hb_workers *workers);
/* Rank-local: opens the shards of units that this rank will write, of those in the list that are not finished. Reads
 * what HDF5 has to; the other functions do not call it. */
hb_status hb_output_dataset_expect(hb_output_dataset *out, const hb_units *units);
/* Rank-local: brings the units into an order in which neighbours go to up to `abreast` files (hb_shards_interleave). */
hb_status hb_output_dataset_interleave(const hb_output_dataset *out, hb_units *units, uint32_t abreast);
/* Rank-local: writes a unit that was expected; any number of threads may. Waits for the space of its shard. */
hb_status hb_output_dataset_write(hb_output_dataset *out, uint64_t u, const hb_rows *rows,
                                  const uint8_t sum[HB_DIGEST_BYTES]);
/* Brings what this rank wrote to the disk. */
hb_status hb_output_dataset_sync(hb_output_dataset *out);
/* Completes the shards and gives the dataset its name. */
hb_status hb_output_dataset_commit(hb_output_dataset *out);
/* Rank-local, after an agreement: keeps what is unfinished, with a word on how to go on, or removes it if `discard`. */
void hb_output_dataset_end(hb_output_dataset *out);
void hb_output_dataset_close(hb_output_dataset *out);

#endif
