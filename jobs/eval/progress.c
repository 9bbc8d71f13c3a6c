#include "progress.h"

#include "base/clock.h"
#include "job_private.h"
#include "lang/cost/program_cost.h"

/* The work of a pass, of all ranks. */
typedef struct pass_work {
    uint64_t block;  /* of the rows of one row block */
    uint64_t rows;   /* of all row blocks */
    uint64_t totals; /* each group of ranks that share limbs computes them */
} pass_work;

static pass_work work_of(const hb_eval_job *job, uint32_t pass)
{
    const hb_params *params = job->base.session.params;
    const hb_pass *p = &job->program.passes[pass];
    const uint64_t block = hb_instructions_work(params, &job->program, p->rows, p->row_count);
    const uint64_t totals = hb_instructions_work(params, &job->program, p->totals, p->total_count);
    return (pass_work){block, job->plan.blocks * block, (uint64_t)job->base.session.grid.peers->size * totals};
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
    hb_progress *totals = job->progress.totals;
    if (job->progress.pulse.run != NULL) {
        hb_ranks_worked(&job->progress.pulse, work);
    }
    if (totals == NULL) {
        return;
    }
    /* This rank's, and that of the others, which do the same meanwhile. */
    const uint64_t done = totals->worked + (uint64_t)job->base.session.grid.peers->size * work;
    const double share = (double)done / (double)totals->work.own;
    hb_progress_set(totals, (uint64_t)(share * (double)totals->total), done);
}
