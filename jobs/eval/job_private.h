/* Declarations shared by job.c, which opens and runs a computation, and the files that do parts of that. */
#ifndef HB_EVAL_JOB_PRIVATE_H
#define HB_EVAL_JOB_PRIVATE_H

#include "job.h"
#include "words.h"

/* bind.c. Rank-local: tells inputs from outputs by the names that the expression reads and assigns, each list with NULL
 * behind it, and opens the inputs. weights: names of tables of weights. HB_EUSAGE for words that cannot be right, and
 * for outputs that are inputs, or made twice; rank 0 also looks whether outputs can be. */
hb_status hb_eval_bind(hb_eval_job *job, char *const *reads, char *const *assigns, char *const *weights);

/* names.c. Rank-local: opens the inputs of the expression, with the session's parameters; then compiles the expression.
 * HB_EUSAGE for names and expressions; HB_EDATA for inputs that cannot be combined, and for results that could wrap. */
hb_status hb_eval_job_open_inputs(hb_eval_job *job);
hb_status hb_eval_job_compile(hb_eval_job *job);

/* refreshes.c. HB_EDATA where passes of bootstrapping integers are so many that one may lose a ciphertext; the program
 * is compiled. Prints the plan's lines about them; there are some. */
hb_status hb_eval_check_refreshes(const hb_eval_job *job);
void hb_eval_print_refreshes(const hb_eval_job *job, hb_speaker say);

/* identity.c. Rank-local: sets job->identity, the digest of everything that determines the results except the
 * expression and the outputs' headers; reads plain tables for it (output/table_identity.h). */
hb_status hb_eval_job_identify(hb_eval_job *job);
/* Begins a digest, under this name, of everything that determines a pass beyond job.json. The layout fixes the steps,
 * the compiler the registers: both must be the same for the words of registers to mean the same. */
void hb_eval_job_digest_pass(hb_digest_state *state, const char *name, const hb_eval_job *job, uint32_t pass);
/* Collective: returns HB_EDATA unless every rank is about to do its share of the same. */
hb_status hb_eval_job_check_same(hb_eval_job *job);
/* Collective, where limbs are divided: draws job->root, and compares plain tables of one row among members; tables with
 * rows are compared as they are read. HB_EDATA. */
hb_status hb_eval_job_check_tables(hb_eval_job *job);

/* step_plan.c. Collective: chooses the steps, and the row blocks at a time, once the device is there (batch/job/job.h).
 * HB_ENOMEM for a --batch that memory does not hold. */
hb_status hb_eval_plan_steps(hb_job *base);

/* open.c: the functions of the kind before running (batch/job/job.h). */
hb_status hb_eval_job_find_out(hb_job *base);
/* Once all ranks are known to have the same inputs and keys, they tell one another where rows of shards are, and keys
 * are read, also while the device is opened. */
hb_status hb_eval_job_compare(hb_job *base);
hb_status hb_eval_job_open_outputs(hb_job *base);
/* Returns which rows of keys this rank reads, once the session has started. Borrowed. */
static inline hb_key_share hb_eval_job_key_share(const hb_eval_job *job)
{
    const hb_session *session = &job->base.session;
    return (hb_key_share){session->params, &session->resting, (uint32_t)session->grid.members->rank};
}

/* totals.c. Collective: adds the sums of the pass of all workers and ranks into worker 0 of every rank; the other
 * workers keep theirs. */
hb_status hb_eval_job_add_up(hb_eval_job *job, uint32_t pass);
/* Collective: runs the totals' instructions on the sums of the pass, of all workers and ranks; the first group of
 * members stores their outputs. */
hb_status hb_eval_job_totals(hb_eval_job *job, uint32_t pass);

#endif
