#include "decrypt_job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch/work.h"
#include "cli/stop.h"

hb_status hb_decrypt_job_session(hb_session *session, const hb_header *header, const char *key_path,
                                 const char *dataset_path)
{
    HB_TRY(hb_session_open(session, key_path));
    if (session->kind != HB_KEY_SECRET) {
        return HB_FAIL(HB_EDATA, "%s is a public key: decrypting needs the secret one", key_path);
    }
    return hb_session_check_key(session, header->key_id, &header->spec, key_path, dataset_path);
}

hb_status hb_decrypt_job_lanes(hb_unit_decryptor decryptor[HB_MOST_WORKERS], hb_session *session,
                               const hb_header *header, const hb_lanes *lanes)
{
    HB_TRY(hb_session_fork(session, lanes->count));
    for (uint32_t i = 0; i < lanes->count; i++) {
        HB_TRY(hb_unit_decryptor_init(&decryptor[i], session, session->queue[i], header, lanes->batch));
    }
    return HB_OK;
}

hb_status hb_decrypt_job_gather(const hb_session *session, const hb_unit_decryptor decryptor[HB_MOST_WORKERS],
                                const hb_lanes *lanes, hb_budgets *all)
{
    hb_group *group = session->grid.all;
    hb_budgets mine = hb_no_budgets;
    for (uint32_t i = 0; i < lanes->count && hb_session_leads(session); i++) {
        if (decryptor[i].batch > 0) { /* a rank without units has none */
            hb_budgets_add(&mine, &decryptor[i].budgets);
        }
    }
    /* The least of all ranks is the largest of what it lacks to the greatest. */
    uint64_t sums[2] = {mine.count, mine.sum}, lack = UINT32_MAX - mine.least;
    hb_status st = hb_group_sum(group, sums, 2);
    st = st == HB_OK ? hb_group_max(group, &lack, 1) : st;
    HB_TRY(hb_agree(group, st));
    *all = (hb_budgets){sums[0], sums[1], (uint32_t)(UINT32_MAX - lack)};
    return HB_OK;
}

static hb_status open_inputs(hb_decrypt_job *job)
{
    const hb_decrypt_options *options = &job->options;
    if (job->group->rank == 0) { /* before the key is read, and a device opened */
        HB_TRY(hb_table_probe(options->output, options->force));
    }
    HB_TRY(hb_dataset_open(options->input, &job->dataset));
    job->header = hb_dataset_header(job->dataset);
    HB_TRY(hb_dataset_require_whole(job->dataset, options->input));
    return hb_decrypt_job_session(&job->session, job->header, options->key, options->input);
}

static hb_status make_plan(hb_decrypt_job *job)
{
    const hb_grid *grid = &job->session.grid;
    HB_TRY(hb_plan_make(&job->plan, job->header, (uint32_t)grid->peers->size, (uint32_t)grid->members->size));
    HB_TRY(hb_plan_memory(&job->plan, &job->session, &job->device, hb_unit_decryptor_bytes, true, false));
    job->plan.parts = hb_dataset_parts(job->dataset);
    char *file = NULL, *dataset = NULL;
    HB_TRY(hb_table_name_split(job->options.output, &file, &dataset));
    /* CSV goes through a scratch file of 8 bytes a value and has at most 21 characters a value. */
    const uint64_t bytes = dataset != NULL ? job->plan.table_bytes : job->plan.values * (sizeof(uint64_t) + 21);
    hb_status st = hb_plan_output(&job->plan, bytes, file);
    free(file);
    free(dataset);
    return st;
}

hb_status hb_decrypt_job_open(hb_decrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_decrypt_options *options)
{
    *job = (hb_decrypt_job){.group = group, .common = common, .options = *options};
    hb_phases_begin(&job->phases);
    HB_TRY(hb_agree(group, open_inputs(job)));
    uint8_t sum[HB_DIGEST_BYTES];
    hb_dataset_sum(job->dataset, sum);
    HB_TRY(hb_group_same(group, sum, "the dataset"));
    const hb_work work = hb_work_decrypt(job->session.params, job->header, group->size);
    HB_TRY(hb_device_choose(&job->device, group, &options->device, &work));
    const hb_plan_least least = {&job->device, job->header, hb_unit_decryptor_bytes};
    const hb_limb_needs needs = hb_plan_needs(&least);
    HB_TRY(hb_session_start(&job->session, group, &job->device, &options->limbs, &needs));
    HB_TRY(hb_agree(group, make_plan(job)));
    job->units = hb_ranks_divide(job->session.grid.peers, job->header, 0, job->plan.units);
    return HB_OK;
}

/* Of ranks that decrypt together one writes what all of them know. */
static hb_crew crew_of(const hb_decrypt_job *job)
{
    return hb_lanes_crew(&job->plan.lanes, hb_session_leads(&job->session));
}

static hb_status join_output(hb_decrypt_job *job)
{
    return job->group->rank == 0 || !hb_session_leads(&job->session)
               ? HB_OK
               : hb_table_join(job->options.output, &job->header->schema, &job->writer);
}

static hb_status prepare(hb_decrypt_job *job)
{
    HB_TRY(join_output(job));
    if (job->units.mine.count == 0) {
        return HB_OK;
    }
    const hb_lanes *lanes = &job->plan.lanes;
    const uint32_t buffers = hb_pipeline_buffers(crew_of(job));
    HB_TRY(hb_cells_init(&job->cells, job->header, (size_t)job->header->unit, lanes->files));
    HB_TRY(hb_unit_buffers_init(&job->buffers, job->session.engine, job->header, buffers, true, false));
    return hb_decrypt_job_lanes(job->decryptor, &job->session, job->header, lanes);
}

/* The space of the table is waited for in any case: a full disk is found before anything is computed. */
static hb_status make_ready(hb_decrypt_job *job)
{
    HB_TRY(prepare(job));
    return hb_background_end(&job->reserving);
}

static hb_status read_unit(void *context, uint32_t buffer, uint32_t hand, uint64_t u)
{
    (void)hand;
    hb_decrypt_job *job = context;
    return hb_dataset_read(job->dataset, u, &job->buffers.buffer[buffer].rows);
}

static hb_status decrypt_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_decrypt_job *job = context;
    hb_unit_decryptor *decryptor = &job->decryptor[worker];
    HB_TRY(hb_unit_rows_check(&decryptor->rows, u, &job->buffers.buffer[buffer].rows, job->dataset));
    return hb_unit_decrypt(decryptor, &job->buffers.buffer[buffer], u);
}

static hb_status write_unit(void *context, uint32_t buffer, uint32_t hand, uint64_t u)
{
    hb_decrypt_job *job = context;
    uint64_t first, count, *values = job->buffers.buffer[buffer].values;
    hb_header_unit_range(job->header, u, &first, &count);
    hb_cells_from_residues(&job->cells, first, (size_t)count, values);
    HB_TRY(hb_cells_check_ranges(&job->cells, first, (size_t)count, values));
    return hb_cells_write(&job->cells, hand, job->writer, first, (size_t)count, values);
}

static hb_status reserve(void *context)
{
    return hb_table_reserve(context);
}

/* Its space is taken while memory is. */
static hb_status make_output(hb_decrypt_job *job)
{
    const hb_decrypt_options *options = &job->options;
    HB_TRY(hb_table_create(options->output, &job->header->schema, options->force, &job->writer));
    hb_background_begin(&job->reserving, reserve, job->writer);
    return HB_OK;
}

hb_status hb_decrypt_job_run(hb_decrypt_job *job)
{
    const bool leads = hb_session_leads(&job->session);
    const hb_pipeline_stages stages = {.read = read_unit, .compute = decrypt_unit, .write = leads ? write_unit : NULL};
    hb_group *group = job->group;
    const bool first = group->rank == 0;
    hb_stop_catch();
    hb_phases_end(&job->phases, HB_PHASE_OPEN);
    HB_TRY(hb_agree(group, first ? make_output(job) : HB_OK));
    hb_phases_end(&job->phases, HB_PHASE_OUTPUT);
    HB_TRY(hb_agree(group, make_ready(job)));
    hb_phases_end(&job->phases, HB_PHASE_MEMORY);
    const hb_ranks_work work = {.session = &job->session,
                                .common = job->common,
                                .header = job->header,
                                .units = &job->units,
                                .stages = &stages,
                                .context = job,
                                .crew = crew_of(job),
                                .tally = hb_tally_ciphertexts("decrypted", job->header)};
    hb_ranks_end end;
    const hb_status ran = hb_ranks_run(&work, &end);
    job->times = end.times;
    hb_phases_end(&job->phases, HB_PHASE_LOOP);
    HB_TRY(ran);
    HB_TRY(hb_agree(group, leads ? hb_table_sync(job->writer) : HB_OK));
    hb_phases_end(&job->phases, HB_PHASE_SYNC);
    HB_TRY(hb_decrypt_job_gather(&job->session, job->decryptor, &job->plan.lanes, &job->budgets));
    HB_TRY(hb_ranks_exchanged(&job->session, &job->exchanged));
    HB_TRY(hb_agree(group, first ? hb_table_commit(job->writer) : HB_OK));
    hb_phases_end(&job->phases, HB_PHASE_COMMIT);
    return HB_OK;
}

void hb_decrypt_job_close(hb_decrypt_job *job)
{
    const hb_error cause = *hb_last_error();
    (void)hb_background_end(&job->reserving);
    hb_set_error(&cause);
    hb_table_writer_close(job->writer);
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        hb_unit_decryptor_clear(&job->decryptor[i]);
    }
    hb_unit_buffers_clear(&job->buffers);
    hb_cells_clear(&job->cells);
    hb_session_close(&job->session);
    hb_dataset_close(job->dataset);
    memset(job, 0, sizeof *job);
}
