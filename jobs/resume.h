/* What a job keeps about itself beside its unfinished output, NAME.partial/job.json, so that another can continue it.
 * Rank 0 only. */
#ifndef HB_RESUME_H
#define HB_RESUME_H

#include <jansson.h>

#include "dataset.h"
#include "engine.h"

/* What must be the same in the job that began and the one that continues, but for the ranks. */
typedef struct hb_resume {
    json_t *facts;     /* owned: numbers and texts by name */
    const char *table; /* that is encrypted, for people; borrowed, or NULL */
    uint32_t ranks;    /* that the shards were laid out for */
} hb_resume;

/* Of a table that is encrypted. HB_ENOINPUT when its file cannot be looked at. The caller clears, also after a
 * failure. */
hb_status hb_resume_describe_table(hb_resume *job, const char *table, const hb_header *header, hb_distribution errors,
                                   uint32_t ranks);
/* Of an output of a program, whose text and inputs (one digest of them all) these are. */
hb_status hb_resume_describe_program(hb_resume *job, const char *expression, const hb_header *header,
                                     const uint8_t inputs[HB_DIGEST_BYTES], uint32_t ranks);
void hb_resume_clear(hb_resume *job); /* a zeroed struct is allowed */

/* *found: `output` has a NAME.partial that `job` would continue; then job->ranks becomes what its shards were laid out
 * for. HB_EDATA naming what differs. HB_ECREATE when NAME.partial does not say, unless `force`. */
hb_status hb_resume_find(hb_resume *job, const char *output, bool force, bool *found);
hb_status hb_resume_write(const hb_resume *job, const char *output);

/* Keeps other jobs away from NAME.partial until *lock is closed or the process ends, where the file system has locks.
 * HB_ENOINPUT when it has no job.json, HB_ECREATE when a job is running. */
hb_status hb_resume_lock(const char *output, int *lock);

#endif
