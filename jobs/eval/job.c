#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "batch/job/resident.h"
#include "batch/job/run_report.h"
#include "batch/job/waits.h"
#include "job_private.h"
#include "pass_checkpoints.h"
#include "rekey/switched_input.h"

static size_t batch(const hb_job *base)
{
    const hb_eval_job *job = (const hb_eval_job *)base;
    return (size_t)job->plan.batch;
}

static size_t together(const hb_job *base)
{
    return hb_program_blocks_together(&((const hb_eval_job *)base)->program);
}

static hb_status begin(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    /* Members that read different tables are found before anything is made. */
    HB_TRY(hb_eval_job_check_tables(job));
    /* By which every rank knows the checkpoints of this job. */
    HB_TRY(hb_agree(base->group, hb_group_broadcast(base->group, job->identity, sizeof job->identity, 0)));
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        if (job->inputs.input[i].switched != NULL) {
            HB_TRY(hb_switched_input_switch(job->inputs.input[i].switched, &base->session, base->group));
        }
    }
    return hb_eval_outputs_begin(&job->outputs);
}

/* Finds the units of all outputs that an earlier job has finished. Collective. */
static hb_status check(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    bool resumed;
    HB_TRY(hb_eval_outputs_check(&job->outputs, &base->session, &base->plan.workers, &resumed));
    if (resumed) {
        hb_job_times_end(&base->job_times, HB_SPAN_CHECK);
    }
    return HB_OK;
}

static hb_status init_buffer(void *context, uint32_t i)
{
    hb_eval_job *job = context;
    return hb_eval_buffer_init(&job->buffer[i], job->base.session.engine, &job->setting.shape);
}

/* Makes cells, buffers and evaluators, for all passes. Rank-local. */
static hb_status prepare(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    const hb_workers *workers = &base->plan.workers;
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        hb_eval_input *input = &job->inputs.input[i];
        if (hb_eval_input_has_cells(input)) {
            HB_TRY(hb_cells_init(&input->cells, input->header, (size_t)(job->steps.unit * input->across),
                                 base->device.files));
            HB_TRY(hb_cells_match(&input->cells, hb_table_schema(input->table)));
        }
    }
    /* Several at a time, as much memory is taken and, with a GPU, locked. */
    HB_TRY(hb_background_each(init_buffer, job, hb_pipeline_buffers(hb_job_threads(base), workers->units)));
    HB_TRY(hb_kept_inputs_init(&job->kept, &job->kept_setting));
    /* Without row blocks there may still be totals for more workers. */
    const uint32_t most = job->division.workers > workers->count ? job->division.workers : workers->count;
    HB_TRY(hb_session_fork(&base->session, most));
    for (uint32_t i = 0; i < most; i++) {
        HB_TRY(hb_unit_evaluator_init(&job->evaluator[i], &job->setting, base->session.queue[i],
                                      i < workers->count ? workers->batch : 0, i > 0 ? &job->evaluator[0] : NULL, i));
    }
    return HB_OK;
}

static bool is_kept(void *context, uint64_t step, uint32_t input)
{
    hb_kept_inputs *kept = context;
    return hb_kept_inputs_have(kept, step, input);
}

/* Where there are fewer steps than threads for files, others help. */
static bool together_on_files(const hb_eval_job *job)
{
    return job->base.device.files >= 2 * job->base.plan.workers.files;
}

/* In a reader's thread. */
static hb_status read_step(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    hb_eval_job *job = context;
    uint64_t first, count;
    hb_header_unit_range(&job->steps, u, &first, &count);
    const hb_eval_reading reading = {.shape = &job->setting.shape,
                                     .program = &job->program,
                                     .pass = job->pass,
                                     .root = job->base.session.exchange != NULL ? &job->root : NULL,
                                     .kept = is_kept,
                                     .context = &job->kept,
                                     .together = together_on_files(job)};
    return hb_eval_buffer_read(&job->buffer[buffer], &reading, thread, u, first, count);
}

/* In a worker's thread, on its queue. */
static hb_status evaluate_step(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_eval_job *job = context;
    uint64_t first, count;
    hb_header_unit_range(&job->steps, u, &first, &count);
    HB_TRY(hb_unit_evaluate(&job->evaluator[worker], &job->buffer[buffer], job->pass, u, first, count));
    /* Noted once it is in the worker's sum: a step that failed is not. */
    if (hb_pass_accumulates_any(&job->program.passes[job->pass])) {
        hb_eval_sums_note(&job->sums, u);
    }
    return HB_OK;
}

/* Removes the checkpoint of a step that is done. */
static void remove_checkpoint(hb_eval_job *job, uint64_t u)
{
    const hb_group *members = job->base.session.grid.members;
    hb_checkpoint_remove(&job->checkpoints, u, (uint32_t)members->rank, (uint32_t)members->size);
}

static hb_status write_step(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    hb_eval_job *job = context;
    const hb_pass *pass = &job->program.passes[job->pass];
    HB_TRY(hb_eval_outputs_write(&job->outputs, pass, &job->buffer[buffer], u, together_on_files(job)));
    /* Else it is done once the sums are stored. */
    if (!hb_pass_accumulates_any(pass)) {
        remove_checkpoint(job, u);
    }
    return HB_OK;
}

/* In a worker's thread, within a step. */
static hb_status look(void *context, uint32_t worker, bool *halts)
{
    const hb_eval_job *job = context;
    return hb_ranks_look(&job->progress.pulse, worker, halts);
}

/* Finds the steps that the pass still has to do. A pass that adds up does the steps that are not in the sums; their
 * rows are stored whenever the step is in them. Another pass does the steps that an output lacks. The same on all
 * ranks, as maps are united. */
static hb_status find_todo(hb_eval_job *job, const hb_pass *pass, hb_units *todo)
{
    hb_unit_map missing = {0};
    hb_status st;
    /* Divided anew for every run, so that the ranks share the remaining units evenly. */
    HB_GOTO(hb_unit_map_init(&missing, job->base.plan.units));
    for (uint64_t u = 0; u < job->base.plan.units; u++) {
        const bool done = hb_pass_accumulates_any(pass) ? hb_unit_map_has(&job->sums.steps, u)
                                                        : !hb_eval_outputs_lack(&job->outputs, pass, u);
        if (!done) {
            hb_unit_map_add(&missing, u);
        }
    }
    HB_GOTO(hb_unit_map_divide(&missing, true, job->base.session.grid.peers, &job->steps, todo));
    st = hb_eval_outputs_expect(&job->outputs, pass, todo, job->base.plan.workers.files);
done:
    hb_unit_map_clear(&missing);
    return st;
}

/* Returns the bytes that the pass reads for a row block, on average, for the rate that progress shows. */
static uint64_t block_bytes(const hb_eval_job *job)
{
    const uint64_t blocks = job->steps.unit < job->plan.blocks ? job->steps.unit : job->plan.blocks;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        if (hb_eval_input_in_pass(&job->inputs.input[i], &job->program, job->pass, i)) {
            bytes += hb_eval_step_bytes(&job->inputs.input[i], blocks);
        }
    }
    return blocks > 0 ? bytes / blocks : 0;
}

/* Collective. */
static hb_status take_residents(hb_eval_job *job)
{
    const hb_grid *grid = &job->base.session.grid;
    hb_resident *resident = hb_resident_of(job->base.group);
    const hb_resident_setting setting = {.all = resident != NULL ? &resident->datasets : NULL,
                                         .group = grid->all,
                                         .members = grid->members,
                                         .engine = job->base.session.engine,
                                         .params = job->base.session.params,
                                         .shape = &job->setting.shape,
                                         .program = &job->program,
                                         .pass = job->pass,
                                         .steps = &job->steps,
                                         .mine = &job->base.units};
    return hb_resident_inputs_take(&setting);
}

/* Runs the rows of the pass until all are done, the job is stopped, or it is time to store the sums: job->base.paused.
 * Collective. */
static hb_status run_rows(hb_eval_job *job, const hb_pass *pass)
{
    hb_job *base = &job->base;
    char verb[48];
    snprintf(verb, sizeof verb, "%s", base->kind->verb);
    if (job->program.pass_count > 1) {
        snprintf(verb, sizeof verb, "pass %" PRIu32 " of %" PRIu32 ": %s", job->pass + 1, job->program.pass_count,
                 base->kind->verb);
    }
    const hb_tally tally = {verb, "row block", block_bytes(job)};
    hb_units_clear(&base->units);
    HB_TRY(hb_agree(base->group, find_todo(job, pass, &base->units)));
    HB_TRY(take_residents(job));
    HB_TRY(hb_pass_checkpoints_begin(job));
    base->measure = hb_eval_progress_work(job, false);
    job->checkpoints.look = look;
    job->checkpoints.context = job;
    const hb_status st = hb_job_run_units(
        base, tally, hb_pass_accumulates_any(pass) ? job->options.checkpoint_interval : 0, &job->progress.pulse);
    if (st == HB_OK || st == HB_ESTOPPED) {
        HB_TRY(hb_pass_checkpoints_report(job));
    }
    return st;
}

static hb_status sync(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    return hb_eval_outputs_sync_rows(&job->outputs, &job->program.passes[job->pass]);
}

/* Stores the totals that the pass reads, then its sums, and removes checkpoints of steps that are in them. */
static hb_status store_both(hb_eval_job *job)
{
    HB_TRY(hb_totals_checkpoint_store(job));
    HB_TRY(hb_eval_sums_store(job));
    for (uint64_t u = 0; u < job->base.plan.units; u++) {
        if (hb_unit_map_has(&job->sums.steps, u)) {
            remove_checkpoint(job, u);
        }
    }
    return HB_OK;
}

/* Stores the sums, and the totals that the pass reads, also after a failure of the rest: a job that is continued needs
 * them. A job that only pauses does not. Returns `ran`, with its error, if that goes well. Collective. */
static hb_status store_sums(hb_eval_job *job, hb_status ran)
{
    const hb_error reason = *hb_last_error();
    hb_waits_mark(job->base.group, HB_SPAN_TOTALS);
    HB_TRY(hb_eval_sums_gather(job));
    const hb_status st = store_both(job);
    HB_TRY(ran == HB_OK ? hb_totals_checkpoint_pardon(job, st) : st);
    hb_job_times_end(&job->base.job_times, HB_SPAN_TOTALS);
    hb_set_error(&reason);
    return ran;
}

/* Runs a pass that adds up, with a pause whenever the sums are to be stored. Collective. */
static hb_status run_sums(hb_eval_job *job, const hb_pass *pass)
{
    hb_status st;
    /* From here on evaluators have zeros, or the file's sums, in theirs. */
    HB_GOTO(hb_eval_sums_begin(job));
    hb_job_times_end(&job->base.job_times, HB_SPAN_CHECK);
    do {
        st = run_rows(job, pass);
        /* Once all steps are done the totals follow at once, and need no file of sums. */
        if ((st == HB_OK && job->base.paused) || st == HB_ESTOPPED) {
            st = store_sums(job, st);
        }
        HB_GOTO(st);
    } while (job->base.paused);
done:
    hb_eval_sums_clear(&job->sums);
    return st;
}

/* One way through the rows, then the totals. Collective. */
static hb_status run_pass(hb_eval_job *job)
{
    const hb_pass *pass = &job->program.passes[job->pass];
    const bool adds = hb_pass_accumulates_any(pass);
    hb_status st = HB_OK;
    if (pass->row_count > 0) {
        st = adds ? run_sums(job, pass) : run_rows(job, pass);
    }
    if (st == HB_ESTOPPED) {
        const hb_error reason = *hb_last_error();
        HB_TRY(hb_totals_checkpoint_store(job));
        hb_set_error(&reason);
    }
    HB_TRY(st);
    if (adds || pass->total_count > 0) {
        /* Also of a pass without rows: its instructions work on totals of earlier ones. */
        hb_waits_mark(job->base.group, HB_SPAN_TOTALS);
        HB_TRY(hb_eval_job_totals(job, job->pass));
        hb_job_times_end(&job->base.job_times, HB_SPAN_TOTALS);
    }
    return hb_totals_checkpoint_note(job);
}

/* Passes follow one another, as each may use totals of those before. Collective. */
static hb_status loop(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    hb_status st = HB_OK;
    bool made = job->outputs.count > 0;
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        made = made && job->outputs.output[o].dataset.made;
    }
    if (made) {
        return HB_OK; /* of several residues, one that an earlier job ended */
    }
    for (st = hb_totals_checkpoint_begin(job); st == HB_OK && job->pass < job->program.pass_count; job->pass++) {
        st = run_pass(job);
    }
    /* An input or the expression must change before the job can go on: nothing of it is worth keeping. */
    if (st == HB_EDATA) {
        hb_eval_outputs_discard(&job->outputs);
    }
    return st;
}

static hb_status commit(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    /* Checkpoints go only when all outputs have their names: until then a job may go on from them. */
    HB_TRY(hb_eval_outputs_commit(&job->outputs));
    if (base->group->rank == 0) {
        hb_pass_checkpoints_remove_all(job);
    }
    return HB_OK;
}

static void end(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    hb_eval_outputs_end(&job->outputs);
}

static void close_own(hb_job *base)
{
    hb_eval_job *job = (hb_eval_job *)base;
    /* The first one last, as the others use its totals. */
    for (uint32_t i = HB_MOST_WORKERS; i-- > 0;) {
        hb_unit_evaluator_clear(&job->evaluator[i]);
    }
    hb_kept_inputs_clear(&job->kept, &job->setting.shape);
    for (uint32_t i = 0; i < HB_PIPELINE_MOST_BUFFERS; i++) {
        hb_eval_buffer_clear(&job->buffer[i], base->session.engine, &job->setting.shape);
    }
    if (job->sum_words != NULL) {
        hb_host_free(base->session.engine, job->sum_words);
    }
    /* Threads may still be reading keys. */
    hb_key_files_close(job->key_files);
    hb_eval_outputs_close(&job->outputs);
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        hb_eval_input_close(&job->inputs.input[i]);
    }
    free(job->inputs.input);
    hb_checkpoints_clear(&job->checkpoints);
    hb_eval_division_clear(&job->division);
    hb_program_clear(&job->program);
    free(job->keys.key);
    hb_wipe(&job->root, sizeof job->root);
}

/* Totals before steps, as they take memory. */
static hb_status lay_out(hb_job *base)
{
    hb_resident *resident = hb_resident_of(base->group);
    if (resident != NULL) {
        hb_resident_inputs_begin(&resident->datasets, &((hb_eval_job *)base)->inputs);
    }
    HB_TRY(hb_eval_divide((hb_eval_job *)base));
    return hb_eval_plan_steps(base);
}

static const hb_job_kind kind = {.bytes = sizeof(hb_eval_job),
                                 .command = "eval",
                                 .verb = "evaluated",
                                 .resumable = true,
                                 .stages = {.read = read_step, .compute = evaluate_step, .write = write_step},
                                 .find_out = hb_eval_job_find_out,
                                 .compare = hb_eval_job_compare,
                                 .work = hb_eval_plan_work,
                                 .lay_out = lay_out,
                                 .batch = batch,
                                 .together = together,
                                 .fixed_bytes = hb_eval_plan_fixed_bytes,
                                 .worker_bytes = hb_eval_plan_worker_bytes,
                                 .host_bytes = hb_eval_plan_host_bytes,
                                 .refuses = true,
                                 .open_output = hb_eval_job_open_outputs,
                                 .begin = begin,
                                 .check = check,
                                 .prepare = prepare,
                                 .loop = loop,
                                 .sync = sync,
                                 .commit = commit,
                                 .end = end,
                                 .close = close_own};

hb_status hb_eval_job_open(hb_eval_job *job, hb_group *group, const hb_common *common, const hb_eval_options *options,
                           hb_job_kept *kept)
{
    *job =
        (hb_eval_job){.base = {.kind = &kind, .group = group, .common = common, .options = options->job, .kept = kept},
                      .options = *options};
    if (options->sanitize > 0) {
        job->base.kept = NULL; /* a session that is kept has no public key */
    }
    return hb_job_open(&job->base);
}

/* --- the run, and the report of it */

static json_t *document(const hb_job *base, const void *context, hb_status status)
{
    (void)context;
    (void)status;
    const hb_eval_job *job = (const hb_eval_job *)base;
    return hb_report_compose(job->base.group, "eval", hb_eval_job_json(job),
                             json_pack("{s:I, s:o}", "steps_done", (json_int_t)job->base.units_done, "times",
                                       hb_job_times_json(&job->base.job_times, &job->base.times)));
}

/* Prints the parts of the time and the outputs, on rank 0. */
static void print_results(const hb_eval_job *job)
{
    const hb_params_spec *spec = &job->base.session.params->spec;
    if (!hb_spec_last_residue(spec)) {
        return; /* the last one makes the whole, and has the times of all */
    }
    hb_job_times_log(job->base.group, job->base.common, &job->base.job_times, &job->base.times);
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        const hb_eval_output *output = &job->outputs.output[o];
        char sum[2 * HB_DIGEST_BYTES + 1];
        hb_hex(sum, output->dataset.sum, sizeof output->dataset.sum);
        hb_console_result(job->base.group, job->base.common, "%s: %s, sum %s", output->path,
                          hb_human_table(output->header.schema.rows, output->header.schema.columns).text, sum);
    }
}

hb_status hb_eval_job_run_and_report(hb_eval_job *job)
{
    const uint32_t count = job->outputs.count;
    hb_run_output *outputs = calloc(count, sizeof *outputs);
    const hb_run_report report = {document, NULL, outputs, count, job->options.resume};
    hb_status st = outputs != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the names");
    HB_GOTO(hb_agree(job->base.group, st));
    for (uint32_t o = 0; o < count; o++) {
        outputs[o] = (hb_run_output){job->outputs.output[o].path, &job->outputs.output[o].dataset.begun};
    }
    HB_GOTO(hb_run_and_report(&job->base, &report));
    print_results(job);
done:
    free(outputs);
    return st;
}
