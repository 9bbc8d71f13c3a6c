#include "job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/stop.h"

static hb_status init_buffer(void *context, uint32_t i)
{
    hb_eval_job *job = context;
    return hb_eval_buffer_init(&job->buffer[i], job->session.engine, &job->setting.shape);
}

static hb_status prepare(hb_eval_job *job)
{
    const hb_lanes *lanes = &job->plan.lanes;
    HB_TRY(hb_background_each(init_buffer, job, hb_pipeline_buffers(hb_lanes_crew(lanes, true))));
    for (uint32_t i = 0; i < lanes->count; i++) {
        HB_TRY(hb_unit_evaluator_init(&job->evaluator[i], &job->setting, job->session.queue[i], lanes->batch,
                                      i > 0 ? &job->evaluator[0] : NULL));
    }
    return HB_OK;
}

/* All outputs or none: what was begun for nothing goes, what an earlier job left stays. */
static hb_status begin_outputs(hb_eval_job *job)
{
    hb_status st = HB_OK;
    for (uint32_t o = 0; o < job->output_count && st == HB_OK; o++) {
        st = hb_output_dataset_begin(&job->outputs[o].dataset);
    }
    for (uint32_t o = 0; o < job->output_count && st != HB_OK; o++) {
        hb_output_dataset *out = &job->outputs[o].dataset;
        out->discard |= out->begun && !out->resumed;
    }
    return st;
}

static hb_status begin(hb_eval_job *job)
{
    const hb_lanes *lanes = &job->plan.lanes;
    bool resumed = false;
    HB_TRY(begin_outputs(job));
    hb_phases_end(&job->phases, HB_PHASE_OUTPUT);
    HB_TRY(hb_agree(job->group, hb_session_fork(&job->session, lanes->count)));
    hb_phases_end(&job->phases, HB_PHASE_MEMORY);
    for (uint32_t o = 0; o < job->output_count; o++) {
        HB_TRY(hb_output_dataset_check(&job->outputs[o].dataset, &job->session, lanes));
        resumed |= job->outputs[o].dataset.resumed;
    }
    hb_phases_end(&job->phases, resumed ? HB_PHASE_CHECK : HB_PHASE_MEMORY);
    HB_TRY(hb_agree(job->group, prepare(job)));
    hb_phases_end(&job->phases, HB_PHASE_MEMORY);
    return HB_OK;
}

static hb_status read_step(void *context, uint32_t buffer, uint32_t hand, uint64_t u)
{
    hb_eval_job *job = context;
    uint64_t first, count;
    hb_header_unit_range(&job->steps, u, &first, &count);
    const hb_seed *root = job->session.exchange != NULL ? &job->root : NULL;
    return hb_eval_buffer_read(&job->buffer[buffer], &job->setting.shape, &job->program, hand, job->pass, first, count,
                               root);
}

static hb_status evaluate_step(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_eval_job *job = context;
    uint64_t first, count;
    hb_header_unit_range(&job->steps, u, &first, &count);
    HB_TRY(hb_unit_evaluate(&job->evaluator[worker], &job->buffer[buffer], job->pass, u, first, count));
    if (hb_pass_accumulates_any(&job->program.passes[job->pass])) {
        hb_eval_sums_note(&job->sums, u);
    }
    return HB_OK;
}

/* What is there already has the same bytes. */
static hb_status write_step(void *context, uint32_t buffer, uint32_t hand, uint64_t u)
{
    (void)hand;
    hb_eval_job *job = context;
    const hb_pass *pass = &job->program.passes[job->pass];
    for (uint32_t o = 0; o < job->output_count; o++) {
        hb_output_dataset *out = &job->outputs[o].dataset;
        const hb_eval_output_buffer *from = &job->buffer[buffer].output[o];
        if (hb_pass_stores_rows(pass, o) && !hb_unit_map_has(&out->finished, u)) {
            HB_TRY(hb_output_dataset_write(out, u, &from->rows, from->sum));
        }
    }
    return HB_OK;
}

/* Steps that the pass still has to do: where it adds up those that are not in the sums, else those that an output
 * lacks. */
static hb_status find_todo(hb_eval_job *job, const hb_pass *pass, hb_units *todo)
{
    hb_unit_map missing = {0};
    hb_status st;
    HB_GOTO(hb_unit_map_init(&missing, job->plan.steps));
    for (uint64_t u = 0; u < job->plan.steps; u++) {
        const bool adds = hb_pass_accumulates_any(pass);
        bool needed = adds && !hb_unit_map_has(&job->sums.steps, u); /* then its rows are there as well */
        for (uint32_t o = 0; o < job->output_count && !adds && !needed; o++) {
            needed = hb_pass_stores_rows(pass, o) && !hb_unit_map_has(&job->outputs[o].dataset.finished, u);
        }
        if (needed) {
            hb_unit_map_add(&missing, u);
        }
    }
    HB_GOTO(hb_unit_map_divide(&missing, true, job->session.grid.peers, &job->steps, todo));
    bool interleaved = false; /* by the first output: the others have nearly the same shards */
    for (uint32_t o = 0; o < job->output_count && st == HB_OK; o++) {
        hb_output_dataset *out = &job->outputs[o].dataset;
        if (hb_pass_stores_rows(pass, o)) {
            HB_GOTO(hb_output_dataset_expect(out, todo));
            st = interleaved ? HB_OK : hb_output_dataset_interleave(out, todo, job->plan.lanes.files);
            interleaved = true;
        }
    }
done:
    hb_unit_map_clear(&missing);
    return st;
}

/* What the pass reads for a row block. */
static uint64_t block_bytes(const hb_eval_job *job)
{
    const uint64_t blocks = job->steps.unit < job->plan.blocks ? job->steps.unit : job->plan.blocks;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < job->input_count; i++) {
        if (hb_eval_input_in_pass(&job->program, job->pass, i)) {
            bytes += hb_eval_step_bytes(&job->inputs[i], blocks);
        }
    }
    return blocks > 0 ? bytes / blocks : 0;
}

/* Also what was made until the job was asked to stop, if `ran` says so, comes to the disk. */
static hb_status sync_rows(hb_eval_job *job, const hb_pass *pass, hb_status ran)
{
    const hb_error reason = *hb_last_error();
    for (uint32_t o = 0; o < job->output_count; o++) {
        if (hb_pass_stores_rows(pass, o)) {
            HB_TRY(hb_output_dataset_sync(&job->outputs[o].dataset));
        }
    }
    hb_set_error(&reason);
    return ran;
}

/* Until all is done, the job is stopped, or, *paused, it is time to keep the sums. */
static hb_status run_rows(hb_eval_job *job, const hb_pass *pass, bool *paused)
{
    static const hb_pipeline_stages stages = {.read = read_step, .compute = evaluate_step, .write = write_step};
    hb_units todo = {0};
    char verb[48] = "evaluated";
    if (job->program.pass_count > 1) {
        snprintf(verb, sizeof verb, "pass %" PRIu32 " of %" PRIu32 ": evaluated", job->pass + 1,
                 job->program.pass_count);
    }
    const hb_ranks_work work = {.session = &job->session,
                                .common = job->common,
                                .header = &job->steps,
                                .units = &todo,
                                .stages = &stages,
                                .context = job,
                                .crew = hb_lanes_crew(&job->plan.lanes, true),
                                .tally = {verb, "row block", block_bytes(job)},
                                .deadline = &job->deadline,
                                .pause = hb_pass_accumulates_any(pass) ? job->options.keep_sums : 0};
    hb_ranks_end end;
    hb_status st;
    HB_GOTO(hb_agree(job->group, find_todo(job, pass, &todo)));
    st = hb_ranks_run(&work, &end);
    hb_pipeline_times_add(&job->times, &end.times);
    hb_phases_end(&job->phases, HB_PHASE_LOOP);
    job->steps_done += end.units;
    *paused = end.paused;
    st = st == HB_OK || st == HB_ESTOPPED ? sync_rows(job, pass, st) : st;
    hb_phases_end(&job->phases, HB_PHASE_SYNC);
done:
    hb_units_clear(&todo);
    return st;
}

/* Whatever becomes of the rest: a job that goes on from here, or the next pass, needs them. */
static hb_status keep_sums(hb_eval_job *job, hb_status ran)
{
    const hb_error reason = *hb_last_error();
    HB_TRY(hb_eval_sums_gather(job));
    HB_TRY(hb_eval_sums_keep(job));
    hb_phases_end(&job->phases, HB_PHASE_TOTALS);
    hb_set_error(&reason);
    return ran;
}

static hb_status run_sums(hb_eval_job *job, const hb_pass *pass)
{
    bool paused = true;
    hb_status st;
    HB_GOTO(hb_eval_sums_begin(job));
    hb_phases_end(&job->phases, HB_PHASE_CHECK);
    while (paused) {
        st = run_rows(job, pass, &paused);
        const bool later = paused || job->pass + 1 < job->program.pass_count;
        st = (st == HB_OK && later) || st == HB_ESTOPPED ? keep_sums(job, st) : st;
        HB_GOTO(st);
    }
done:
    hb_eval_sums_clear(&job->sums);
    return st;
}

static hb_status run_passes(hb_eval_job *job)
{
    for (job->pass = 0; job->pass < job->program.pass_count; job->pass++) {
        const hb_pass *pass = &job->program.passes[job->pass];
        bool paused;
        if (pass->row_count > 0) {
            HB_TRY(hb_pass_accumulates_any(pass) ? run_sums(job, pass) : run_rows(job, pass, &paused));
        }
        if (hb_pass_accumulates_any(pass) || pass->total_count > 0) {
            HB_TRY(hb_eval_job_totals(job, job->pass));
            hb_phases_end(&job->phases, HB_PHASE_TOTALS);
        }
    }
    return HB_OK;
}

/* The totals that the first group of members stored are synced here. */
static hb_status commit(hb_eval_job *job)
{
    for (uint32_t o = 0; o < job->output_count; o++) {
        HB_TRY(hb_output_dataset_sync(&job->outputs[o].dataset));
    }
    for (uint32_t o = 0; o < job->output_count; o++) {
        HB_TRY(hb_output_dataset_commit(&job->outputs[o].dataset));
    }
    if (job->group->rank == 0) {
        hb_eval_sums_remove(job);
    }
    return HB_OK;
}

hb_status hb_eval_job_run(hb_eval_job *job)
{
    hb_stop_catch();
    hb_status st;
    hb_phases_end(&job->phases, HB_PHASE_OPEN);
    HB_GOTO(hb_eval_job_check_tables(job));
    HB_GOTO(begin(job));
    st = run_passes(job);
    for (uint32_t o = 0; o < job->output_count; o++) {
        job->outputs[o].dataset.discard |= st == HB_EDATA; /* an input or the expression must change first */
    }
    HB_GOTO(st);
    HB_GOTO(hb_ranks_exchanged(&job->session, &job->exchanged));
    st = commit(job);
done:
    for (uint32_t o = 0; o < job->output_count; o++) {
        hb_output_dataset_end(&job->outputs[o].dataset);
    }
    hb_phases_end(&job->phases, HB_PHASE_COMMIT);
    return st;
}

void hb_eval_job_close(hb_eval_job *job)
{
    for (uint32_t i = HB_MOST_WORKERS; i-- > 0;) { /* the first last: it has the totals */
        hb_unit_evaluator_clear(&job->evaluator[i]);
    }
    for (uint32_t i = 0; i < HB_PIPELINE_MOST_BUFFERS; i++) {
        hb_eval_buffer_clear(&job->buffer[i], job->session.engine, &job->setting.shape);
    }
    hb_key_ahead_end(&job->ahead);
    hb_session_close(&job->session);
    for (uint32_t o = 0; o < job->output_count; o++) {
        hb_output_dataset_close(&job->outputs[o].dataset);
        hb_header_clear(&job->outputs[o].header);
    }
    for (uint32_t i = 0; i < job->input_count; i++) {
        hb_eval_input_close(&job->inputs[i]);
    }
    hb_program_clear(&job->program);
    free(job->keys.element);
    free(job->inputs);
    free(job->outputs);
    free(job->output_names);
    free(job->headers);
    hb_wipe(&job->root, sizeof job->root);
    memset(job, 0, sizeof *job);
}
