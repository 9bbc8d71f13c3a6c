/* Between job.c, which opens and runs a computation, and the files that do parts of that. */
#ifndef HB_EVAL_JOB_PRIVATE_H
#define HB_EVAL_JOB_PRIVATE_H

#include "job.h"

/* names.c, rank-local: opens what the expression reads; compiles it. */
hb_status hb_eval_job_open_inputs(hb_eval_job *job);
hb_status hb_eval_job_compile(hb_eval_job *job);

/* identity.c. Rank-local: sets job->identity, of everything that the results follow from but the expression and the
 * outputs' headers, for which plain tables are read (output/table_identity.h). */
hb_status hb_eval_job_identify(hb_eval_job *job);
/* Collective: fails unless every rank is about to do its share of the same. */
hb_status hb_eval_job_check_same(hb_eval_job *job);
/* Collective, where limbs are divided: draws job->root, and compares plain tables of one row among members; those with
 * rows are compared as they are read. HB_EDATA. */
hb_status hb_eval_job_check_tables(hb_eval_job *job);

/* open.c: the functions of the kind up to running. */
hb_status hb_eval_job_find_out(hb_job *base);
hb_work hb_eval_job_work(const hb_job *base);
hb_status hb_eval_job_open_outputs(hb_job *base);

/* totals.c. Collective: leaves what the pass has added up in worker 0 of all ranks, in the other workers as before. */
hb_status hb_eval_job_add_up(hb_eval_job *job, uint32_t pass);
/* Collective: runs the totals' instructions on the sums that the pass accumulated, of all workers and ranks; the first
 * group of members stores their outputs. */
hb_status hb_eval_job_totals(hb_eval_job *job, uint32_t pass);

#endif
