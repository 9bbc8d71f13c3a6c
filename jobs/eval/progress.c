#include "progress.h"

#include "base/clock.h"
#include "job_private.h"
#include "lang/cost/program_cost.h"

/* The work of a pass, of all ranks. */
typedef struct pass_work {
    uint64_t block;  /* of the rows of one row block */
    uint64_t rows;   /* of all row blocks */
    uint64_t totals; /* of all groups of ranks that share limbs */
} pass_work;

/* The work of the pass's totals of all groups of ranks; *own: of this one. */
static uint64_t totals_work(const hb_eval_job *job, uint32_t pass, uint64_t *own)
{
    const hb_params *params = job->base.session.params;
    const hb_pass *list = &job->program.passes[pass];
    const hb_pass_division *division = hb_totals_division_of(&job->division.of, pass);
    const uint64_t groups = (uint64_t)job->base.session.grid.peers->size;
    uint64_t all = 0;
    *own = 0;
    if (division == NULL) {
        *own = hb_instructions_work(params, &job->program, list->totals, list->total_count);
        return groups * *own;
    }
    for (uint32_t s = 0; s < division->share_count; s++) {
        const hb_totals_share *share = &division->shares[s];
        const uint64_t work = hb_instructions_work(params, &job->program, list->totals + share->first, share->count);
        *own += hb_eval_share_is_of(&job->division, share) ? work : 0;
        all += (share->rank == HB_EVERY_RANK ? groups : 1) * work;
    }
    return all;
}

static pass_work work_of(const hb_eval_job *job, uint32_t pass)
{
    const hb_params *params = job->base.session.params;
    const hb_pass *p = &job->program.passes[pass];
    const uint64_t block = hb_instructions_work(params, &job->program, p->rows, p->row_count);
    uint64_t own;
    return (pass_work){block, job->plan.blocks * block, totals_work(job, pass, &own)};
}

/* The work before and after the current pass. Other residues have passes of about the same work. */
static hb_progress_work around(const hb_eval_job *job)
{
    const hb_params_spec *spec = &job->base.session.params->spec;
    hb_progress_work work = {.own = 0};
    uint64_t residue = 0;
    for (uint32_t p = 0; p < job->program.pass_count; p++) {
        const pass_work own = work_of(job, p);
        const uint64_t all = own.rows + own.totals;
        residue += all;
        work.before += p < job->pass ? all : 0;
        work.after += p > job->pass ? all : 0;
    }
    work.before += hb_spec_residue(spec) * residue;
    work.after += (hb_spec_residues(spec) - 1 - hb_spec_residue(spec)) * residue;
    return work;
}

hb_progress_work hb_eval_progress_work(hb_eval_job *job, bool totals)
{
    const pass_work own = work_of(job, job->pass);
    hb_eval_progress *progress = &job->progress;
    hb_progress_work work = around(job);
    if (totals) {
        (void)totals_work(job, job->pass, &progress->totals_own);
        atomic_store(&progress->totals_done, 0);
        progress->owner = pthread_self();
    }
    work.own = totals ? own.totals : job->base.units.ciphertexts * own.block;
    work.before += totals ? own.rows : own.rows - work.own;
    work.after += totals ? 0 : own.totals;
    if (progress->started <= 0) { /* the job is timed from its first part on */
        progress->started = hb_now();
        progress->began = work.before;
    }
    work.started = progress->started;
    work.began = progress->began;
    return work;
}

void hb_eval_progress_worked(void *context, uint64_t work, const hb_op_step *step)
{
    hb_eval_job *job = context;
    const hb_board_step now = step != NULL ? (hb_board_step){step->name, step->done, step->of} : (hb_board_step){0};
    hb_board_set_step(job->base.group->board, now);
    hb_eval_progress *progress = &job->progress;
    if (progress->pulse.run != NULL) {
        hb_ranks_worked(&progress->pulse, work);
    }
    if (progress->totals == NULL) {
        return;
    }
    const uint64_t done = atomic_fetch_add(&progress->totals_done, work) + work;
    if (pthread_equal(pthread_self(), progress->owner) && progress->totals_own > 0) {
        const double share = (double)done / (double)progress->totals_own;
        hb_progress *totals = progress->totals;
        hb_progress_set(totals, (uint64_t)(share * (double)totals->total),
                        (uint64_t)(share * (double)totals->work.own));
    }
}
