/* Estimates how long a computation takes, by a sample of it. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "job_private.h"
#include "lang/cost/program_cost.h"

/* The operands of the sample: random residues, on which operations take as long as on ciphertexts. */
typedef struct sample {
    hb_engine *engine;
    hb_seed *seeds; /* host: one for each polynomial that is filled at a time */
} sample;

static hb_status fill(const sample *s, hb_batch a)
{
    return hb_sample_uniform(s->engine, a, s->seeds);
}

static hb_status load(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_ciphertexts to)
{
    (void)operand;
    (void)column;
    (void)first;
    return fill(context, to.all);
}

static hb_status load_plain(void *context, uint32_t operand, uint32_t column, uint64_t first, hb_batch to)
{
    (void)operand;
    (void)column;
    (void)first;
    return fill(context, to);
}

static hb_status store(void *context, uint32_t output, uint32_t column, uint64_t first, hb_ciphertexts from)
{
    (void)context;
    (void)output;
    (void)column;
    (void)first;
    (void)from;
    return HB_OK;
}

/* The part of the time of all totals, one after another, that they take as they are divided. */
static double share_of_totals(const hb_eval_job *job)
{
    uint64_t most = 0, alone = 0;
    for (uint32_t p = 0; p < job->program.pass_count; p++) {
        const hb_pass *list = &job->program.passes[p];
        const hb_pass_division *division = hb_totals_division_of(&job->division.of, p);
        const uint64_t all =
            hb_instructions_work(job->base.session.params, &job->program, list->totals, list->total_count);
        most += division != NULL ? division->most : all;
        alone += all;
    }
    return alone > 0 ? (double)most / (double)alone : 1;
}

/* Adds the seconds of all passes: rows for one batch, totals once. */
static hb_status measure(hb_eval_job *job, hb_runner *runner, size_t batch, double *rows, double *totals)
{
    for (uint32_t p = 0; p < job->program.pass_count; p++) {
        const double begun = hb_now();
        HB_TRY(hb_runner_rows(runner, p, 0, batch));
        HB_TRY(hb_finish(job->base.session.engine));
        const double between = hb_now();
        HB_TRY(hb_runner_totals(runner, p));
        *rows += between - begun;
        *totals += hb_now() - between;
    }
    return HB_OK;
}

/* Measures how fast some files of keys are read: their disk may be slower than memory. */
static hb_status time_keys(hb_eval_job *job)
{
    double *keys = &job->base.plan.predicted.part[HB_PART_KEYS], rate;
    HB_TRY(hb_key_files_time(job->key_files, hb_eval_job_key_share(job), hb_key_files_threads(job->base.group), &rate));
    *keys = fmax(*keys, (double)job->plan.key_read_bytes / rate);
    return HB_OK;
}

/* How many batches of all residues this rank computes. */
static double batches_of(const hb_eval_job *job, size_t batch)
{
    return (double)hb_spec_residues(&job->base.session.params->spec) * (double)job->base.plan.rank_units *
           (double)((job->steps.unit + batch - 1) / batch);
}

/* Finds whether the sample would take longer than people wait for a plan, on any rank, as the plan predicts.
 * Collective: ranks that share limbs compute the sample together. */
static hb_status find_long(const hb_eval_job *job, size_t batch, bool *is_long)
{
    static const double most = 1; /* second */
    const double *part = job->base.plan.predicted.part, residues = hb_spec_residues(&job->base.session.params->spec);
    const double rows = part[HB_PART_COMPUTE] / fmax(batches_of(job, batch), 1),
                 totals = part[HB_PART_TOTALS] / (residues * share_of_totals(job));
    uint64_t longer = rows + totals > most;
    HB_TRY(hb_group_max(job->base.group, &longer, 1));
    *is_long = longer > 0;
    return HB_OK;
}

hb_status hb_eval_job_estimate(hb_eval_job *job)
{
    double *part = job->base.plan.predicted.part;
    if (job->plan.looks) {
        return time_keys(job);
    }
    /* One batch stands for all: row blocks take the same time. */
    const uint64_t step = job->steps.unit;
    const size_t batch = job->base.plan.workers.batch < step ? job->base.plan.workers.batch : (size_t)step;
    bool is_long;
    HB_TRY(find_long(job, batch, &is_long));
    if (is_long) {
        return HB_OK;
    }
    sample s = {.engine = job->base.session.engine, .seeds = calloc(2 * batch, sizeof *s.seeds)};
    const hb_session *session = &job->base.session;
    const hb_runner_setting setting = {.params = session->params,
                                       .keys = &session->switch_keys,
                                       .program = &job->program,
                                       .count = batch,
                                       .io = {load, load_plain, store, &s}};
    hb_runner *runner = NULL;
    double rows = 0, totals = 0;
    hb_status st = HB_OK;
    if (s.seeds == NULL) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "no memory for a sample of the computation"));
    }
    /* Nothing to compute. */
    if (job->base.plan.units == 0) {
        goto done;
    }
    HB_GOTO(hb_runner_open(s.engine, &setting, NULL, &runner));
    HB_GOTO(measure(job, runner, batch, &rows, &totals));
    job->plan.sampled = true;
    part[HB_PART_COMPUTE] = rows * batches_of(job, batch);
    /* The sample computed all totals, one after another. */
    part[HB_PART_TOTALS] = hb_spec_residues(&session->params->spec) * totals * share_of_totals(job);
done:
    hb_runner_close(runner);
    free(s.seeds);
    return st;
}
