/* A job's description of itself beside its unfinished output, in NAME.partial/job.json, so that another job can
 * continue it. For rank 0 only, unless a function says otherwise. */
#ifndef HB_OUTPUT_RESUME_H
#define HB_OUTPUT_RESUME_H

#include <jansson.h>

#include "io/dataset/dataset.h"
#include "io/table/table.h"

/* Help of --resume and --force, of commands that make one dataset. */
#define HB_RESUME_HELP "continue what a stopped or killed job left; begin where it left nothing"
#define HB_FORCE_HELP "replace the output and what a killed job left; with --resume that goes on"

/* Behind NAME: the folder in which a dataset is made, for the names of its files. */
#define HB_OUTPUT_FOLDER ".partial/"

/* The facts that must be equal in the job that began and the job that continues; `ranks` may differ. */
typedef struct hb_resume {
    const char *command;  /* that people give for it (hb_job_kind); status says it; borrowed */
    json_t *facts;        /* owned; numbers and texts by name */
    hb_table_list tables; /* the encrypted tables, borrowed, only for people; none: count 0 */
    uint32_t ranks;       /* groups of ranks that the shards were laid out for */
    bool follows;         /* makes a residue behind the first, which another job describes */
    bool grows;           /* the output exists, and gets rows */
    uint64_t step;        /* of a program whose sums and checkpoints are of its steps: their row blocks; else 0 */
} hb_resume;

/* Begins the description of a job of `command` that makes a dataset with this header. If there are several residues,
 * the job of the first describes them all, and nothing is said or compared for the others. The caller clears *job, also
 * after a failure. HB_ENOMEM. */
hb_status hb_resume_describe(hb_resume *job, const char *command, const hb_header *header, uint32_t ranks);
/* Add another property that distinguishes the job, under one of the names of resume.c: a text; a digest. HB_ENOMEM. */
hb_status hb_resume_add_text(hb_resume *job, const char *name, const char *text);
hb_status hb_resume_add_digest(hb_resume *job, const char *name, const uint8_t digest[HB_DIGEST_BYTES]);
/* Returns in *step the hb_resume.step of the job that left NAME.partial; leaves it unchanged where there is no such
 * job, or its description is unreadable. */
void hb_resume_step(const char *output, uint64_t *step);
void hb_resume_clear(hb_resume *job); /* Frees the facts; a zeroed struct is allowed. */

/* Finds out whether `output` has a NAME.partial that `job` would continue; if so, *found is true and job->ranks becomes
 * the number that its shards were laid out for. Returns HB_EDATA, naming the difference, for another job's. Returns
 * HB_ECREATE when NAME.partial does not describe itself, unless `force`; an empty one, whose job was killed before it
 * wrote anything, counts as none. Holds no lock afterwards: hb_resume_take checks again. */
hb_status hb_resume_find(hb_resume *job, const char *output, bool force, bool *found);

/* Removes the remains of NAME.partial where its job has appended its rows: the dataset `there` has the header that it
 * was to get, and no shard is left to move into it. HB_ECREATE: another job has it. */
hb_status hb_resume_sweep_done(const char *output, const hb_header *there);

/* Makes NAME.partial with this description (hb_dataset_begin tells the statuses). With `force` it removes the remains
 * of an ended job; with `resume` alone only if they are empty. The caller releases *hold. */
hb_status hb_resume_begin(const hb_resume *job, const char *output, bool force, bool resume, hb_hold *hold);
/* Makes NAME.partial for a dataset that cannot be continued once its job, of `command`, has ended. HB_ECREATE, HB_EIO,
 * HB_ENOMEM. */
hb_status hb_resume_begin_once(const char *output, const char *command, bool force, hb_hold *hold);
/* Takes over the NAME.partial that hb_resume_find found (hb_dataset_take), and checks it again under the lock, as other
 * jobs may have used it since. Returns HB_ECREATE when they use it or have used it. The caller releases *hold; after a
 * failure nothing is held. */
hb_status hb_resume_take(hb_resume *job, const char *output, bool force, hb_hold *hold);

#endif
