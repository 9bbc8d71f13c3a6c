/* One dataset that a job makes: begun or continued under NAME.partial, filled unit by unit by all ranks, and given its
 * name when it is complete. Units that a killed job had finished are taken over once their sums have been checked.
 *
 * Order: open, begin, check, expect, write ..., sync, commit, end, close. A crash before the end of commit leaves
 * NAME.partial, which another job can continue; after the renaming NAME is complete. Functions are collective and
 * return the same status on all ranks, unless a line says "rank-local". Close allows a zeroed struct. */
#ifndef HB_OUTPUT_OUTPUT_DATASET_H
#define HB_OUTPUT_OUTPUT_DATASET_H

#include "batch/job/shards.h"
#include "ranks/session.h"
#include "resume.h"

/* The counts of a command's output over all residues so far: units found and units made. Zeroed: none yet. */
typedef struct hb_output_found {
    bool resumed;         /* it continues an earlier command */
    uint64_t there, made; /* units that the earlier one had finished; units that it made, where the job counts them */
} hb_output_found;

/* The dataset to make; path and header are borrowed. */
typedef struct hb_output_request {
    const char *path;
    const hb_header *header;
    bool resume; /* continue a NAME.partial of the same job, if there is one */
    bool force;
    bool dry_run; /* only the plan is wanted */
    /* The existing dataset at this path, open, to which rows are appended (hb_dataset_append); NULL: the output is
     * new. */
    const hb_dataset *old;
    const struct hb_appended_rows *rows; /* for `old`, on rank 0: the rows that it gets (hb_appended_rows_check) */
    hb_summands summands;                /* datasets that it is the sum of, and their summands; borrowed like path */
    const hb_part_signer *signer;        /* of a part of a decryption, borrowed; else NULL */
    hb_output_found *found;              /* to which this residue is added; borrowed; NULL: not wanted */
} hb_output_request;

/* A dataset that is being made. Zeroed before open; the job only reads the members. */
typedef struct hb_output_dataset {
    hb_group *group;
    const hb_common *common;
    hb_output_request request;
    hb_resume described; /* its `ranks` is the number of groups that the shards are laid out for */
    hb_growth growth;    /* of the old dataset; zeroed: there is none */
    hb_shards shards;
    hb_unit_map stored, finished; /* units with a sum when the job began; units whose rows match it */
    hb_hold hold;                 /* of NAME.partial */
    bool resumed;                 /* there is a NAME.partial to continue */
    bool made;                    /* an earlier job left all of this residue, of several */
    bool begun;                   /* this job has made or taken over NAME.partial; rank 0 knows it first */
    bool unfinished;              /* rank 0: it has NAME.partial, and has not renamed it yet */
    bool discard;                 /* set by the job: the written output is useless */
    bool committed;               /* rank 0: the dataset has its name, and the sum below */
    uint8_t sum[HB_DIGEST_BYTES];
} hb_output_dataset;

/* Rank-local: returns whether nothing of the job's own is needed any more beside the dataset: on rank 0, once it has
 * its name or is useless. */
static inline bool hb_output_dataset_is_over(const hb_output_dataset *out)
{
    return out->committed || (out->unfinished && out->discard);
}

/* Rank-local, on one rank: returns the status of hb_dataset_probe, before any long work; ignores the header of the
 * request. In a dry run, an output that --force would replace is a line of the plan and no failure. */
hb_status hb_output_probe(const hb_group *group, const hb_common *common, const hb_output_request *request);
/* Finds out whether there is a NAME.partial to continue, and how shards are laid out; writes nothing. Takes *described
 * over and zeroes it; only rank 0 needs to have filled it. Path and header are borrowed. HB_EDATA, HB_ECREATE: there is
 * a NAME.partial that cannot be continued (resume.h). */
hb_status hb_output_dataset_open(hb_output_dataset *out, hb_group *group, const hb_common *common,
                                 const hb_output_request *request, hb_resume *described);
/* Rank-local: returns how many of the `bytes` bytes of the whole dataset are not on the disk yet. */
uint64_t hb_output_dataset_left(const hb_output_dataset *out, uint64_t bytes);
/* Makes or takes over NAME.partial and its shards, and begins to reserve their space in threads of its own. HB_ECREATE
 * when another job has it or NAME exists; HB_EIO, HB_ENOMEM. */
hb_status hb_output_dataset_begin(hb_output_dataset *out);
/* The inputs of stored units, for jobs that cannot know them beforehand. */
typedef struct hb_made_of {
    void *context;
    /* In a reader's thread: sets *same to whether unit u, with this sum, was made of the values that the job has for
     * it; false, where that is unknown. HB_EDATA: it was made of others. */
    hb_status (*look)(void *context, uint32_t thread, uint64_t u, const uint8_t sum[HB_DIGEST_BYTES], bool *same);
} hb_made_of;
/* Finds which stored units are intact, on queues of the session, as many as there are workers. A damaged unit, or one
 * of unknown values, will be written again and is no failure. `made_of` is NULL where the description of the job names
 * the inputs of its units; it fails with the status of `look`. */
hb_status hb_output_dataset_check(hb_output_dataset *out, const hb_session *session, const hb_workers *workers,
                                  const hb_made_of *made_of);
/* Rank-local: return whether the command continues an earlier one, and how many units of all residues so far that one
 * had finished: of this residue alone where the request counts none. */
bool hb_output_dataset_continues(const hb_output_dataset *out);
uint64_t hb_output_dataset_there(const hb_output_dataset *out);
/* Rank-local: opens the shards of the unfinished units in the list, which this rank will write. Calls HDF5 from the
 * calling thread; the functions below do not call it. */
hb_status hb_output_dataset_expect(hb_output_dataset *out, const hb_units *units);
/* Rank-local: reorders groups of `each` units so that neighbours go to up to `abreast` files (hb_shards_interleave).
 * HB_ENOMEM. */
static inline hb_status hb_output_dataset_interleave(const hb_output_dataset *out, hb_units *groups, uint64_t each,
                                                     uint32_t abreast)
{
    return hb_shards_interleave(&out->shards, groups, each, abreast);
}
/* Rank-local: writes an expected unit; any number of threads may, each a different unit. Waits for the space of its
 * shard. HB_EIO. */
hb_status hb_output_dataset_write(hb_output_dataset *out, uint64_t u, const hb_rows *rows,
                                  const uint8_t sum[HB_DIGEST_BYTES]);
/* Brings this rank's output to the disk; when it returns HB_OK, every rank has done so. */
hb_status hb_output_dataset_sync(hb_output_dataset *out);
/* Completes the shards and gives the dataset its name. Every unit must be written and synced. */
hb_status hb_output_dataset_commit(hb_output_dataset *out);
/* Rank-local, after the ranks have agreed on how the job ended: keeps an unfinished dataset, and tells how to continue,
 * or removes it if `discard`; does nothing to a dataset that has its name. */
void hb_output_dataset_end(hb_output_dataset *out);
void hb_output_dataset_close(hb_output_dataset *out);

#endif
