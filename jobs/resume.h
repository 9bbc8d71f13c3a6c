/* What a job keeps about itself beside its unfinished output, NAME.partial/job.json, so that another can continue it.
 * Rank 0 only. */
#ifndef HB_RESUME_H
#define HB_RESUME_H

#include "dataset.h"
#include "engine.h"

/* What must be the same in the job that began and the one that continues, but for the ranks. */
typedef struct hb_resume {
    const char *table;   /* borrowed */
    const char *dataset; /* in it, the part of "file.h5:/path" behind the colon; "" for CSV */
    uint8_t header[HB_DIGEST_BYTES];
    uint64_t table_bytes, table_time; /* of the table's file: its size, its last change in ns since 1970 */
    hb_distribution errors;
    uint32_t ranks; /* that the shards were laid out for */
} hb_resume;

/* HB_ENOINPUT when the table's file cannot be looked at. */
hb_status hb_resume_describe(hb_resume *job, const char *table, const hb_header *header, hb_distribution errors,
                             uint32_t ranks);
/* *found: `output` has a NAME.partial that `job` would continue; then job->ranks becomes what its shards were laid out
 * for. HB_EDATA naming what differs. HB_ECREATE when NAME.partial does not say, unless `force`. */
hb_status hb_resume_find(hb_resume *job, const char *output, bool force, bool *found);
hb_status hb_resume_write(const hb_resume *job, const char *output);

/* Keeps other jobs away from NAME.partial until *lock is closed or the process ends, where the file system has locks.
 * HB_ENOINPUT when it has no job.json, HB_ECREATE when a job is running. */
hb_status hb_resume_lock(const char *output, int *lock);

#endif
