#include "verify_job.h"

#include <inttypes.h>
#include <string.h>

#include "batch/work.h"
#include "cli/stop.h"

static hb_status open_table(hb_verify_job *job)
{
    HB_TRY(hb_table_open(job->options.against, &job->table));
    const hb_schema *own = &job->header->schema, *other = hb_table_schema(job->table);
    if (own->rows != other->rows || own->columns != other->columns) {
        return HB_FAIL(HB_DIFFERS, "%s has %" PRIu64 " rows and %" PRIu64 " columns, %s has %" PRIu64 " and %" PRIu64,
                       job->options.input, own->rows, own->columns, job->options.against, other->rows, other->columns);
    }
    return HB_OK;
}

/* By the sums stored in both, which the caller has verified of the other, and this job of its own. */
static hb_status compare_datasets(const hb_verify_job *job, const hb_dataset *other)
{
    uint8_t digests[2][HB_DIGEST_BYTES];
    hb_header_digest(digests[0], job->header);
    hb_header_digest(digests[1], hb_dataset_header(other));
    if (memcmp(digests[0], digests[1], sizeof digests[0]) != 0) {
        return HB_FAIL(HB_DIFFERS, "%s and %s differ in parameters, key, packing or table", job->options.input,
                       job->options.same_as);
    }
    uint64_t first, units, other_first, other_units;
    hb_dataset_units(job->dataset, &first, &units);
    hb_dataset_units(other, &other_first, &other_units);
    if (first != other_first || units != other_units) {
        return HB_FAIL(HB_DIFFERS, "%s and %s are not the same units of their dataset", job->options.input,
                       job->options.same_as);
    }
    for (uint64_t u = first; u < first + units; u++) {
        if (memcmp(hb_dataset_unit_sum(job->dataset, u), hb_dataset_unit_sum(other, u), HB_DIGEST_BYTES) != 0) {
            uint64_t ciphertext, count;
            hb_header_unit_range(job->header, u, &ciphertext, &count);
            return HB_FAIL(HB_DIFFERS,
                           "%s and %s differ first in unit %" PRIu64 ", ciphertexts %" PRIu64 " to %" PRIu64,
                           job->options.input, job->options.same_as, u, ciphertext, ciphertext + count - 1);
        }
    }
    return HB_OK;
}

static hb_status check_same_as(const hb_verify_job *job)
{
    hb_dataset *other;
    HB_TRY(hb_dataset_open(job->options.same_as, &other));
    hb_status st = compare_datasets(job, other);
    hb_dataset_close(other);
    return st;
}

static uint64_t rows_bytes(const hb_params *params, const hb_header *header, size_t batch)
{
    const uint64_t own = hb_params_most_limbs(params, params->ids, header->limbs);
    return hb_unit_rows_bytes(params, header) + batch * own * params->spec.n * sizeof(uint64_t);
}

static hb_status open_inputs(hb_verify_job *job)
{
    HB_TRY(hb_dataset_open(job->options.input, &job->dataset));
    job->header = hb_dataset_header(job->dataset);
    if (job->options.against == NULL) {
        return hb_session_open_keyless(&job->session, &job->header->spec);
    }
    HB_TRY(hb_decrypt_job_session(&job->session, job->header, job->options.key, job->options.input));
    return open_table(job);
}

static hb_lane_bytes lane_bytes(const hb_verify_job *job)
{
    return job->table != NULL ? hb_unit_decryptor_bytes : rows_bytes;
}

static hb_status make_plan(hb_verify_job *job)
{
    const hb_grid *grid = &job->session.grid;
    const bool compares = job->table != NULL;
    HB_TRY(hb_plan_make(&job->plan, job->header, (uint32_t)grid->peers->size, (uint32_t)grid->members->size));
    HB_TRY(hb_plan_memory(&job->plan, &job->session, &job->device, lane_bytes(job), compares, compares));
    job->plan.parts = hb_dataset_parts(job->dataset);
    return HB_OK;
}

static hb_status rows_init(hb_verify_job *job)
{
    const uint32_t lanes = job->plan.lanes.count;
    HB_TRY(hb_session_fork(&job->session, lanes));
    for (uint32_t i = 0; i < lanes; i++) {
        HB_TRY(hb_unit_rows_init(&job->rows[i], job->session.queue[i], job->session.params, job->header));
        HB_TRY(hb_batch_alloc(job->session.queue[i], &job->residues[i], job->plan.lanes.batch, job->header->limbs,
                              job->session.params->ids));
    }
    return HB_OK;
}

/* Units are compared with a table in their order, by one thread. */
static hb_crew crew_of(const hb_verify_job *job)
{
    hb_crew crew = hb_lanes_crew(&job->plan.lanes, true);
    crew.writers = job->table != NULL && hb_session_leads(&job->session);
    return crew;
}

static hb_status make_ready(hb_verify_job *job)
{
    const bool compares = job->table != NULL;
    if (job->units.mine.count == 0) {
        return HB_OK;
    }
    const hb_lanes *lanes = &job->plan.lanes;
    HB_TRY(hb_unit_buffers_init(&job->buffers, job->session.engine, job->header, hb_pipeline_buffers(crew_of(job)),
                                compares, compares));
    if (!compares) {
        return rows_init(job);
    }
    HB_TRY(hb_cells_init(&job->cells, job->header, (size_t)job->header->unit, lanes->files));
    return hb_decrypt_job_lanes(job->decryptor, &job->session, job->header, lanes);
}

static hb_status read_unit(void *context, uint32_t buffer, uint32_t hand, uint64_t u)
{
    hb_verify_job *job = context;
    hb_unit_buffer *to = &job->buffers.buffer[buffer];
    HB_TRY(hb_dataset_read(job->dataset, u, &to->rows));
    if (job->table == NULL || !hb_session_leads(&job->session)) {
        return HB_OK;
    }
    uint64_t first, count;
    hb_header_unit_range(job->header, u, &first, &count);
    return hb_cells_read(&job->cells, hand, job->table, first, (size_t)count, to->cells);
}

/* Rows that anybody could make to fit their sum may still be no ciphertexts. */
static hb_status check_residues(hb_verify_job *job, uint32_t worker, size_t count)
{
    hb_unit_rows *rows = &job->rows[worker];
    const size_t batch = job->plan.lanes.batch;
    for (uint32_t component = 0; component < rows->components; component++) {
        for (size_t at = 0; at < count; at += batch) {
            const hb_batch some = hb_batch_slice(job->residues[worker], 0, count - at < batch ? count - at : batch);
            HB_TRY(hb_unit_rows_unpack(rows, component, some, (hb_unit_places){at, 1, count}));
        }
    }
    return HB_OK;
}

static hb_status check_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_verify_job *job = context;
    hb_unit_buffer *of = &job->buffers.buffer[buffer];
    if (job->table == NULL) {
        HB_TRY(hb_unit_rows_check(&job->rows[worker], u, &of->rows, job->dataset));
        return check_residues(job, worker, (size_t)of->rows.count);
    }
    HB_TRY(hb_unit_rows_check(&job->decryptor[worker].rows, u, &of->rows, job->dataset));
    return hb_unit_decrypt(&job->decryptor[worker], of, u);
}

/* Sees the units in order. A difference does not end the run: damage further on matters more, and the first difference
 * of all ranks is wanted. */
static hb_status compare_unit(void *context, uint32_t buffer, uint32_t hand, uint64_t u)
{
    (void)hand;
    hb_verify_job *job = context;
    hb_unit_buffer *of = &job->buffers.buffer[buffer];
    if (!job->differs) {
        uint64_t first, count;
        hb_header_unit_range(job->header, u, &first, &count);
        hb_cells_from_residues(&job->cells, first, (size_t)count, of->values);
        job->differs = hb_cells_differ(&job->cells, hb_table_schema(job->table), first, (size_t)count, of->values,
                                       of->cells, &job->row, &job->column);
    }
    return HB_OK;
}

static hb_status difference(const hb_verify_job *job)
{
    if (!job->differs) {
        return HB_OK;
    }
    return HB_FAIL(HB_DIFFERS, "%s and %s differ first in row %" PRIu64 ", column %s", job->options.input,
                   job->options.against, job->row, hb_cells_column(&job->header->schema, job->column).text);
}

hb_status hb_verify_job_open(hb_verify_job *job, hb_group *group, const hb_common *common,
                             const hb_verify_options *options)
{
    *job = (hb_verify_job){.group = group, .common = common, .options = *options};
    HB_TRY(hb_agree(group, open_inputs(job)));
    uint8_t sum[HB_DIGEST_BYTES];
    hb_dataset_sum(job->dataset, sum);
    HB_TRY(hb_group_same(group, sum, "the dataset"));
    const hb_work work =
        (job->table != NULL ? hb_work_decrypt : hb_work_verify)(job->session.params, job->header, group->size);
    HB_TRY(hb_device_choose(&job->device, group, &options->device, &work));
    const hb_plan_least least = {&job->device, job->header, lane_bytes(job)};
    const hb_limb_needs needs = hb_plan_needs(&least);
    HB_TRY(hb_session_start(&job->session, group, &job->device, &options->limbs, &needs));
    HB_TRY(hb_agree(group, make_plan(job)));
    uint64_t first, units;
    hb_dataset_units(job->dataset, &first, &units);
    job->units = hb_ranks_divide(job->session.grid.peers, job->header, first, units);
    return HB_OK;
}

hb_status hb_verify_job_run(hb_verify_job *job)
{
    const bool compares = job->table != NULL && hb_session_leads(&job->session);
    const hb_pipeline_stages stages = {
        .read = read_unit, .compute = check_unit, .write = compares ? compare_unit : NULL};
    hb_group *group = job->group;
    hb_stop_catch();
    HB_TRY(hb_agree(group, make_ready(job)));
    const hb_ranks_work work = {.session = &job->session,
                                .common = job->common,
                                .header = job->header,
                                .units = &job->units,
                                .stages = &stages,
                                .context = job,
                                .crew = crew_of(job),
                                .tally = hb_tally_ciphertexts("verified", job->header)};
    hb_ranks_end end;
    const hb_status ran = hb_ranks_run(&work, &end);
    job->times = end.times;
    HB_TRY(ran);
    HB_TRY(hb_agree(group, difference(job)));
    HB_TRY(hb_decrypt_job_gather(&job->session, job->decryptor, &job->plan.lanes, &job->budgets));
    HB_TRY(hb_ranks_exchanged(&job->session, &job->exchanged));
    return hb_agree(group, job->options.same_as != NULL ? check_same_as(job) : HB_OK);
}

void hb_verify_job_close(hb_verify_job *job)
{
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        hb_unit_decryptor_clear(&job->decryptor[i]);
        if (job->rows[i].engine != NULL) {
            hb_batch_free(job->rows[i].engine, &job->residues[i]);
        }
        hb_unit_rows_clear(&job->rows[i]);
    }
    hb_unit_buffers_clear(&job->buffers);
    hb_cells_clear(&job->cells);
    hb_table_close(job->table);
    hb_session_close(&job->session);
    hb_dataset_close(job->dataset);
    memset(job, 0, sizeof *job);
}
