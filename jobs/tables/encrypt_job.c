#include "encrypt_job.h"

#include <string.h>

#include "batch/values_digest.h"
#include "cli/stop.h"
#include "divided/engine.h"
#include "ranks/share_root.h"

/* What is not there yet, divided over the ranks, and what this one's share takes. */
static hb_status prepare(hb_encrypt_job *job)
{
    HB_TRY(hb_unit_map_divide(&job->output.finished, false, job->session.grid.peers, &job->header, &job->todo));
    HB_TRY(hb_output_dataset_expect(&job->output, &job->todo));
    HB_TRY(hb_output_dataset_interleave(&job->output, &job->todo, job->plan.lanes.files));
    if (job->todo.mine.count == 0) {
        return HB_OK;
    }
    const hb_lanes *lanes = &job->plan.lanes;
    const uint32_t buffers = hb_pipeline_buffers(hb_lanes_crew(lanes, true));
    HB_TRY(hb_cells_init(&job->cells, &job->header, (size_t)job->header.unit, lanes->files));
    HB_TRY(hb_unit_buffers_init(&job->buffers, job->session.engine, &job->header, buffers, true, false));
    for (uint32_t i = 0; i < lanes->count; i++) {
        HB_TRY(hb_unit_encryptor_init(&job->encryptor[i], &job->session, job->session.queue[i], &job->header,
                                      lanes->batch, job->options.errors));
    }
    return HB_OK;
}

static hb_status read_unit(void *context, uint32_t buffer, uint32_t hand, uint64_t u)
{
    hb_encrypt_job *job = context;
    hb_unit_buffer *to = &job->buffers.buffer[buffer];
    uint64_t first, count, *values = to->values;
    hb_header_unit_range(&job->header, u, &first, &count);
    HB_TRY(hb_cells_read(&job->cells, hand, job->table, first, (size_t)count, values));
    HB_TRY(hb_cells_to_residues(&job->cells, first, (size_t)count, values));
    if (job->session.exchange != NULL) {
        hb_values_digest(to->values_digest, &job->options.root, values, (size_t)count * job->header.spec.n);
    }
    hb_stage_times_note(HB_TIME_ARRANGE);
    return HB_OK;
}

static hb_status encrypt_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_encrypt_job *job = context;
    HB_TRY(hb_divided_same(job->session.queue[worker], job->buffers.buffer[buffer].values_digest, job->options.table));
    return hb_unit_encrypt(&job->encryptor[worker], &job->buffers.buffer[buffer], u, &job->options.root);
}

static hb_status write_unit(void *context, uint32_t buffer, uint32_t hand, uint64_t u)
{
    (void)hand;
    hb_encrypt_job *job = context;
    const hb_unit_buffer *done = &job->buffers.buffer[buffer];
    return hb_output_dataset_write(&job->output, u, &done->rows, done->sum);
}

/* Also what a job made until it was asked to stop comes to the disk. */
static hb_status sync_after(hb_output_dataset *out, hb_phases *phases, hb_status ran)
{
    if (ran != HB_OK && ran != HB_ESTOPPED) {
        return ran;
    }
    const hb_error reason = *hb_last_error();
    HB_TRY(hb_output_dataset_sync(out));
    hb_phases_end(phases, HB_PHASE_SYNC);
    hb_set_error(&reason);
    return ran;
}

static hb_status encrypt_todo(hb_encrypt_job *job)
{
    static const hb_pipeline_stages stages = {.read = read_unit, .compute = encrypt_unit, .write = write_unit};
    const hb_ranks_work work = {.session = &job->session,
                                .common = job->common,
                                .header = &job->header,
                                .units = &job->todo,
                                .stages = &stages,
                                .context = job,
                                .crew = hb_lanes_crew(&job->plan.lanes, true),
                                .tally = hb_tally_ciphertexts("encrypted", &job->header),
                                .deadline = &job->deadline};
    hb_ranks_end end;
    const hb_status st = hb_ranks_run(&work, &end);
    job->times = end.times;
    job->units_done = end.units;
    job->output.discard = st == HB_EDATA; /* the table or its values must change first */
    hb_phases_end(&job->phases, HB_PHASE_LOOP);
    return sync_after(&job->output, &job->phases, st);
}

/* Each rank, or group of ranks that make a ciphertext together, and each run draws its own: a unit that an earlier run
 * began is made again with other randomness, never half of the one with half of the other. A ciphertext keeps what it
 * takes to read it, so which root made it does not matter later. */
static hb_status draw_root(hb_encrypt_job *job)
{
    if (job->options.test_seed) {
        return HB_OK;
    }
    hb_group *members = job->session.grid.members;
    if (members->size == 1) {
        hb_lock(&job->options.root, sizeof job->options.root);
        hb_seed_random(&job->options.root); /* no secret crosses the network */
        return HB_OK;
    }
    return hb_agree(job->group, hb_share_root(members, &job->options.root));
}

hb_status hb_encrypt_job_run(hb_encrypt_job *job)
{
    hb_group *group = job->group;
    hb_stop_catch();
    hb_output_dataset *out = &job->output;
    const hb_lanes *lanes = &job->plan.lanes;
    hb_status st;
    hb_phases_end(&job->phases, HB_PHASE_OPEN);
    HB_GOTO(draw_root(job));
    HB_GOTO(hb_output_dataset_begin(out));
    hb_phases_end(&job->phases, HB_PHASE_OUTPUT);
    HB_GOTO(hb_agree(group, hb_session_fork(&job->session, lanes->count)));
    hb_phases_end(&job->phases, HB_PHASE_MEMORY);
    HB_GOTO(hb_output_dataset_check(out, &job->session, lanes));
    hb_phases_end(&job->phases, out->resumed ? HB_PHASE_CHECK : HB_PHASE_MEMORY);
    HB_GOTO(hb_agree(group, prepare(job)));
    hb_phases_end(&job->phases, HB_PHASE_MEMORY);
    HB_GOTO(encrypt_todo(job));
    HB_GOTO(hb_ranks_exchanged(&job->session, &job->exchanged));
    st = hb_output_dataset_commit(out);
done:
    hb_output_dataset_end(out);
    hb_phases_end(&job->phases, HB_PHASE_COMMIT);
    return st;
}

void hb_encrypt_job_close(hb_encrypt_job *job)
{
    hb_units_clear(&job->todo);
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        hb_unit_encryptor_clear(&job->encryptor[i]);
    }
    hb_unit_buffers_clear(&job->buffers);
    hb_cells_clear(&job->cells);
    hb_table_close(job->table);
    hb_output_dataset_close(&job->output);
    hb_header_clear(&job->header);
    hb_session_close(&job->session);
    hb_wipe(&job->options.root, sizeof job->options.root);
    memset(job, 0, sizeof *job);
}
