/* What job.c, which opens and runs a computation, shares with the files that do parts of that. */
#ifndef HB_EVAL_JOB_PRIVATE_H
#define HB_EVAL_JOB_PRIVATE_H

#include "job.h"
#include "words.h"

/* names.c. Rank-local: opens what the expression reads, with the session's parameters; then compiles the expression.
 * HB_EUSAGE for names and expressions; HB_EDATA for inputs that do not go together, and results that could wrap. */
hb_status hb_eval_job_open_inputs(hb_eval_job *job);
hb_status hb_eval_job_compile(hb_eval_job *job);

/* identity.c. Rank-local: sets job->identity, of everything that the results follow from except the expression and the
 * outputs' headers; plain tables are read for it (output/table_identity.h). */
hb_status hb_eval_job_identify(hb_eval_job *job);
/* Begins a digest of this name with what a pass follows from, beyond what job.json says. Steps and
 * registers are the layout's and the compiler's: both must be the same for words of registers to mean the same. */
void hb_eval_job_digest_pass(hb_digest_state *state, const char *name, const hb_eval_job *job, uint32_t pass);
/* Collective: returns HB_EDATA unless every rank is about to do its share of the same. */
hb_status hb_eval_job_check_same(hb_eval_job *job);
/* Collective, where limbs are divided: draws job->root, and compares plain tables of one row among members; tables with
 * rows are compared as they are read. HB_EDATA. */
hb_status hb_eval_job_check_tables(hb_eval_job *job);

/* open.c: the functions of the kind up to running (batch/job.h). */
hb_status hb_eval_job_find_out(hb_job *base);
hb_work hb_eval_job_work(const hb_job *base);
hb_status hb_eval_job_open_outputs(hb_job *base);

/* totals.c. Collective: puts what the pass has added up, over all workers and ranks, into worker 0 of every rank; the
 * other workers keep theirs. */
hb_status hb_eval_job_add_up(hb_eval_job *job, uint32_t pass);
/* Collective: runs the totals' instructions on the sums that the pass accumulated, of all workers and ranks; the first
 * group of members stores their outputs. */
hb_status hb_eval_job_totals(hb_eval_job *job, uint32_t pass);

#endif
