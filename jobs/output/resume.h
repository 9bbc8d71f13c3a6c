/* What a job keeps about itself beside its unfinished output, in NAME.partial/job.json, so that another can continue
 * it. For rank 0 only, but for what says otherwise. */
#ifndef HB_OUTPUT_RESUME_H
#define HB_OUTPUT_RESUME_H

#include <jansson.h>

#include "io/dataset/dataset.h"
#include "io/table/table.h"
#include "ring/engine.h"

/* What must be the same in the job that began and in the one that continues; the ranks need not. */
typedef struct hb_resume {
    json_t *facts;        /* owned; numbers and texts by name */
    hb_table_list tables; /* those that are encrypted, for people alone; none: count 0 */
    uint32_t ranks;       /* groups of ranks that the shards were laid out for */
    bool grows;           /* the output is there, and gets rows */
    uint64_t batch;       /* of a program: row blocks at a time that were asked for, which steps may follow; else 0 */
} hb_resume;

/* Describes the encryption of tables, whose names are borrowed. The caller clears *job, also after a failure.
 * HB_ENOINPUT when a file of them cannot be looked at, HB_ENOMEM. */
hb_status hb_resume_describe_tables(hb_resume *job, hb_table_list tables, const hb_header *header,
                                    hb_distribution errors, uint32_t ranks);
/* Adds what else makes it another encryption. HB_ENOMEM. */
hb_status hb_resume_add_digest(hb_resume *job, const char *name, const uint8_t digest[HB_DIGEST_BYTES]);
/* Describes the output `name` of a program with this text, whose inputs and keys have the one digest `inputs`. The
 * caller clears *job, also after a failure. HB_ENOMEM. */
hb_status hb_resume_describe_program(hb_resume *job, const char *expression, const char *name, const hb_header *header,
                                     const uint8_t inputs[HB_DIGEST_BYTES], uint32_t ranks);
/* Returns in *batch what the job that left NAME.partial had as hb_resume.batch; it stays where there is no such job, or
 * nothing of it that can be read. Any rank may ask. */
void hb_resume_batch(const char *output, uint64_t *batch);
/* Describes the sum of datasets, which have this digest. The caller clears *job, also after a failure. HB_ENOMEM. */
hb_status hb_resume_describe_sum(hb_resume *job, const hb_header *header, const uint8_t inputs[HB_DIGEST_BYTES],
                                 uint32_t ranks);
void hb_resume_clear(hb_resume *job); /* Frees the facts; a zeroed struct is allowed. */

/* Looks whether `output` has a NAME.partial that `job` would continue; if so, *found is true and job->ranks becomes
 * what its shards were laid out for. Returns HB_EDATA, naming what differs, for another job's. Returns HB_ECREATE when
 * NAME.partial does not say what it is, unless `force`; one that holds nothing, as a job was killed before it wrote
 * anything, counts as none. Holds nothing afterwards: hb_resume_take looks again. */
hb_status hb_resume_find(hb_resume *job, const char *output, bool force, bool *found);

/* Where the job that left NAME.partial has appended its rows, what is left of it is removed: the dataset that is there
 * has the header that it was to get, and no shard is left to be brought there. HB_ECREATE if they were rows of these
 * tables, which appending them again would double; HB_OK if they were of others, and where there is no such job. */
hb_status hb_resume_refuse_done(const char *output, const hb_header *there, hb_table_list tables);

/* Makes NAME.partial with this description (hb_dataset_begin, which says what it returns). What an ended job left there
 * goes with `force`; with `resume` alone it goes only if it holds nothing. The caller releases *hold. */
hb_status hb_resume_begin(const hb_resume *job, const char *output, bool force, bool resume, hb_hold *hold);
/* Makes NAME.partial for a dataset that cannot be continued once its job has ended. */
hb_status hb_resume_begin_once(const char *output, bool force, hb_hold *hold);
/* Takes over what hb_resume_find found (hb_dataset_take), and looks again under the lock, as other jobs may have been
 * at it since. Returns HB_ECREATE when they are at it or have been. The caller releases *hold; after a failure nothing
 * is held. */
hb_status hb_resume_take(hb_resume *job, const char *output, bool force, hb_hold *hold);

#endif
