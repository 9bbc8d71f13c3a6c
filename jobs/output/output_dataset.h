/* One dataset that a job makes: begun or continued under NAME.partial, filled unit by unit by all ranks, and given its
 * name when it is whole. What a killed job had finished is taken over once its sums have been checked.
 *
 * Order: open, begin, check, expect, write ..., sync, commit, end, close. A crash up to commit leaves NAME.partial,
 * which another job can continue; after the renaming NAME is whole. Functions are collective and return the same status
 * on all ranks, unless a line says "rank-local". */
#ifndef HB_OUTPUT_OUTPUT_DATASET_H
#define HB_OUTPUT_OUTPUT_DATASET_H

#include "batch/shards.h"
#include "ranks/session.h"
#include "resume.h"

/* Which dataset a job makes; path and header are borrowed by what is opened. */
typedef struct hb_output_request {
    const char *path;
    const hb_header *header;
    bool resume; /* continue a NAME.partial of the same job, if there is one */
    bool force;
    bool dry_run; /* only the plan is wanted */
    /* The dataset at this path, opened, to which rows are appended (hb_dataset_append); NULL: the output is new. */
    const hb_dataset *old;
    hb_table_list tables; /* whose rows these are */
    hb_summands summands; /* datasets that it is the sum of, and what these are sums of; borrowed as path is */
} hb_output_request;

/* A dataset on its way. Zeroed before open; members are for reading by the job. */
typedef struct hb_output_dataset {
    hb_group *group;
    const hb_common *common;
    hb_output_request request;
    hb_resume described; /* its `ranks` are the groups that the shards are laid out for */
    hb_growth growth;    /* of the old dataset; all zero: there is none */
    hb_shards shards;
    hb_unit_map stored, finished; /* units that had a sum as the job began; those whose rows agree with it */
    hb_hold hold;                 /* of NAME.partial */
    bool resumed;                 /* there is a NAME.partial to continue */
    bool made;                    /* with all of this residue, of several, as an earlier job left it */
    bool begun;                   /* rank 0: this job has made or taken over NAME.partial */
    bool unfinished;              /* rank 0: it has, and has not renamed it yet */
    bool discard;                 /* set by the job: nothing can come of what it wrote */
    bool committed;               /* rank 0: the dataset has its name, and the sum below */
    uint8_t sum[HB_DIGEST_BYTES];
} hb_output_dataset;

/* The functions are collective and return the same status on all ranks, but where a line says "rank-local". Close
 * allows a zeroed struct. */

/* Rank-local, on one rank: returns what hb_dataset_probe does, before anything that takes long; the header of the
 * request is not looked at. Of a dry run, what --force would replace is a line of the plan and no failure. */
hb_status hb_output_probe(const hb_group *group, const hb_common *common, const hb_output_request *request);
/* Finds out whether there is something to continue, and how shards are laid out, without touching anything on the disk.
 * Takes *described over and zeroes it; only rank 0 needs to have filled it. Path and header are borrowed. HB_EDATA,
 * HB_ECREATE: there is something that cannot be continued (resume.h). */
hb_status hb_output_dataset_open(hb_output_dataset *out, hb_group *group, const hb_common *common,
                                 const hb_output_request *request, hb_resume *described);
/* Rank-local: returns how many of the `bytes` bytes of the whole dataset are not on the disk yet. */
uint64_t hb_output_dataset_left(const hb_output_dataset *out, uint64_t bytes);
/* Makes or takes over NAME.partial and its shards, and begins to take their space in threads of its own. HB_ECREATE
 * when another job has it or NAME exists; HB_EIO, HB_ENOMEM. */
hb_status hb_output_dataset_begin(hb_output_dataset *out);
/* Finds which of the stored units are whole, on queues of the session, as many as there are workers; a unit that is not
 * will be written again and is no failure. */
hb_status hb_output_dataset_check(hb_output_dataset *out, const hb_session *session, const hb_workers *workers);
/* Rank-local: opens the shards of the units in the list that are not finished, which this rank will write. HDF5 is
 * called here, from the calling thread, and not by the functions below. */
hb_status hb_output_dataset_expect(hb_output_dataset *out, const hb_units *units);
/* Rank-local: brings the units into an order in which neighbours go to up to `abreast` files (hb_shards_interleave). */
hb_status hb_output_dataset_interleave(const hb_output_dataset *out, hb_units *units, uint32_t abreast);
/* Rank-local: writes a unit that was expected; any number of threads may, each another unit. Waits for the space of its
 * shard. HB_EIO. */
hb_status hb_output_dataset_write(hb_output_dataset *out, uint64_t u, const hb_rows *rows,
                                  const uint8_t sum[HB_DIGEST_BYTES]);
/* Brings what this rank wrote to the disk; every rank has when it returns HB_OK. */
hb_status hb_output_dataset_sync(hb_output_dataset *out);
/* Completes the shards and gives the dataset its name. Every unit has been written and synced. */
hb_status hb_output_dataset_commit(hb_output_dataset *out);
/* Rank-local, after the ranks have agreed on how the job ended: keeps what is unfinished, with a word on how to go on,
 * or removes it if `discard`; does nothing to a dataset that has its name. */
void hb_output_dataset_end(hb_output_dataset *out);
void hb_output_dataset_close(hb_output_dataset *out);

#endif
