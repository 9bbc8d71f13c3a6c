/* What a job keeps about itself beside its unfinished output, NAME.partial/job.json, so that another can continue it.
 * Rank 0 only. */
#ifndef HB_OUTPUT_RESUME_H
#define HB_OUTPUT_RESUME_H

#include <jansson.h>

#include "io/dataset/dataset.h"
#include "ring/engine.h"

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
/* Of the output of this name of a program, whose text and inputs (one digest of them all, and of the keys) these
 * are. */
hb_status hb_resume_describe_program(hb_resume *job, const char *expression, const char *name, const hb_header *header,
                                     const uint8_t inputs[HB_DIGEST_BYTES], uint32_t ranks);
void hb_resume_clear(hb_resume *job); /* a zeroed struct is allowed */

/* *found: `output` has a NAME.partial that `job` would continue; then job->ranks becomes what its shards were laid out
 * for. HB_EDATA naming what differs. HB_ECREATE when NAME.partial does not say, unless `force`; but one that a job left
 * before it wrote anything there is none. */
hb_status hb_resume_find(hb_resume *job, const char *output, bool force, bool *found);

/* hb_dataset_begin with this description. With `force` what an ended job left goes, with `resume` only if it holds
 * nothing. *hold as there. */
hb_status hb_resume_begin(const hb_resume *job, const char *output, bool force, bool resume, hb_hold *hold);
/* The same for a dataset that cannot be continued once its job has ended. */
hb_status hb_resume_begin_once(const char *output, bool force, hb_hold *hold);
/* Takes what hb_resume_find found (hb_dataset_take), and looks again, as other jobs may have been at it since.
 * HB_ECREATE when they are or have. */
hb_status hb_resume_take(hb_resume *job, const char *output, bool force, hb_hold *hold);

#endif
