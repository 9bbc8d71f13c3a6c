#include "received_job.h"

#include <string.h>

#include "batch/unit/predicted.h"
#include "batch/unit/work.h"
#include "io/files/durable.h"
#include "scheme/params.h"

/* --- the header */

/* The parts' noise, and the values that they add to slots that are no cell, are the ciphertexts' from here on: nothing
 * is left of what the computation made of them, but what parts do not hide anyway. */
static hb_status fill_header(hb_received_job *job)
{
    const hb_header *old = hb_change_job_old(&job->base);
    const hb_part_facts *facts = hb_part_inputs_facts(&job->inputs);
    const hb_quality before = hb_predicted_quality(job->base.base.job.session.params, old);
    const double worst = job->inputs.plan.worst;
    hb_header *header = &job->base.header;
    uint8_t sum[HB_DIGEST_BYTES];
    hb_dataset_sum(job->base.dataset, sum);
    HB_TRY(hb_change_header_begin(header, old));
    header->spec.joint = facts->receiving;
    memcpy(header->key_id, facts->receiver, sizeof header->key_id);
    hb_header_quality(header,
                      (hb_quality){.worst = worst, .expected = worst, .powers = 1, .certainty = before.certainty});
    hb_history_add(&header->past, HB_HISTORY_PARTS, old->key_id, sum);
    header->dirty_padding = true;
    header->filled = false;
    return HB_OK;
}

/* --- the job: before it runs */

static hb_status check_receiver(const hb_received_job *job)
{
    return hb_part_has_receiver(hb_part_inputs_facts(&job->inputs))
               ? HB_OK
               : HB_FAIL(HB_EUSAGE,
                         "%s: the parts of %s are in the clear, and make a table: give TABLE.csv, or have them made "
                         "with --to",
                         job->base.options.output, job->base.options.input);
}

/* Every rank looks at dataset and parts for itself; compare sees that all have the same. */
static hb_status find_out(hb_job *base)
{
    hb_received_job *job = (hb_received_job *)base;
    const char *input = job->base.options.input;
    hb_session *session = &base->session;
    HB_TRY(hb_change_job_find(&job->base));
    const hb_header *old = hb_change_job_old(&job->base);
    HB_TRY(hb_part_dataset_check(old, input));
    HB_TRY(hb_session_open_keyless(session, &old->spec));
    /* Parts are those of the input's ciphertexts. */
    base->header = old;
    hb_status st =
        hb_part_inputs_open(&job->inputs, job->options.parts, job->options.part_count, base, job->base.dataset, input);
    base->header = &job->base.header;
    HB_TRY(st);
    HB_TRY(check_receiver(job));
    HB_TRY(fill_header(job));
    memcpy(session->key_id, base->header->key_id, sizeof session->key_id);
    return HB_OK;
}

static hb_status compare(hb_job *base)
{
    hb_received_job *job = (hb_received_job *)base;
    uint8_t sum[HB_DIGEST_BYTES];
    hb_dataset_sum(job->base.dataset, sum);
    HB_TRY(hb_group_same(base->group, sum, "the dataset"));
    HB_TRY(hb_change_job_tell(&job->base));
    return hb_part_inputs_compare(&job->inputs, base);
}

/* A sum of component 0 and the parts of all. */
static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_received_job *job = (const hb_received_job *)base;
    hb_work work = hb_work_add(base->session.params, base->header, job->inputs.count + 1, (int)groups);
    work.limbs = (hb_work_limbs){true, true};
    work.queues_write = false;
    work.on_disk = hb_path_is_on_disk(job->base.options.output);
    return work;
}

static uint64_t worker_bytes(const hb_change_job *base, const hb_params *params, size_t batch)
{
    const hb_received_job *job = (const hb_received_job *)base;
    const uint64_t limbs = hb_params_most_limbs(params, params->ids, base->header.limbs);
    return hb_part_sums_worker_bytes(params, &job->inputs, batch) + batch * limbs * params->spec.n * sizeof(uint64_t);
}

static uint64_t host_bytes(const void *context, const hb_params *params, const hb_workers *workers)
{
    const hb_received_job *job = context;
    const uint32_t buffers = hb_pipeline_buffers(hb_workers_threads(workers, true), workers->units);
    return hb_change_job_host_bytes(context, params, workers) + hb_part_sums_host_bytes(params, &job->inputs, buffers);
}

/* The dataset's sum is in the history; the parts' sums are what else the output is made of. */
static hb_status describe(const hb_job *base, hb_resume *described)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_part_inputs_digest(&((const hb_received_job *)base)->inputs, digest);
    return hb_resume_add_digest(described, "parts", digest);
}

/* --- the job: while it runs */

static hb_status prepare_sums(hb_change_job *base)
{
    hb_received_job *job = (hb_received_job *)base;
    return hb_part_sums_prepare(&job->sums, &job->inputs, &base->base.job);
}

static hb_status open_room(hb_change_job *base, uint32_t i)
{
    const hb_job *of = &base->base.job;
    return hb_batch_alloc(base->worker[i].engine, &((hb_received_job *)base)->c0[i], of->plan.workers.batch,
                          base->header.limbs, of->session.params->ids);
}

static void close_room(hb_change_job *base, uint32_t i)
{
    if (base->worker[i].engine != NULL) {
        hb_batch_free(base->worker[i].engine, &((hb_received_job *)base)->c0[i]);
    }
}

static hb_status read_parts(hb_change_job *base, uint32_t buffer, uint64_t u)
{
    return hb_part_sums_read(&((hb_received_job *)base)->sums, buffer, u);
}

static hb_status add_parts(hb_change_job *base, uint32_t buffer, uint32_t worker, uint64_t u)
{
    size_t count; /* the unit's */
    return hb_part_sums_add(&((hb_received_job *)base)->sums, buffer, worker, u, &count);
}

/* Makes ciphertexts of the sums of the parts, and component 0. */
static hb_status make_some(hb_change_job *base, const hb_change_some *some)
{
    hb_received_job *job = (hb_received_job *)base;
    hb_change_worker *x = &base->worker[some->worker];
    const hb_part_sum *parts = &job->sums.unit[some->worker];
    const size_t at = some->places.at;
    const hb_batch c0 = hb_batch_slice(job->c0[some->worker], 0, some->count),
                   c1 = hb_batch_slice(parts->sum[1], at, some->count);
    HB_TRY(hb_unit_rows_unpack(&x->from, 0, c0, some->places));
    HB_TRY(hb_change_to_ring(x, c0));
    HB_TRY(hb_add(x->engine, c0, c0, hb_batch_slice(parts->sum[0], at, some->count)));
    HB_TRY(hb_change_to_file(x, c0));
    HB_TRY(hb_change_refuse_transparent(base, x, c1, "its parts add up to"));
    HB_TRY(hb_unit_rows_pack(&x->to, 0, c0, some->places));
    return hb_unit_rows_pack(&x->to, 1, c1, some->places);
}

static void close_own(hb_job *base)
{
    hb_received_job *job = (hb_received_job *)base;
    hb_change_job_close(&job->base);
    hb_part_sums_close(&job->sums);
    hb_part_inputs_close(&job->inputs);
}

static const hb_change change = {.ordered = true,
                                 .worker_bytes = worker_bytes,
                                 .prepare = prepare_sums,
                                 .open = open_room,
                                 .close = close_room,
                                 .read = read_parts,
                                 .begin = add_parts,
                                 .change = make_some};

static const hb_job_kind kind = {
    .bytes = sizeof(hb_received_job),
    .command = "combine",
    .verb = "combined",
    .resumable = true,
    .stages = {.read = hb_change_job_read, .compute = hb_change_job_make, .write = hb_output_job_write},
    .find_out = find_out,
    .compare = compare,
    .work = work_of,
    .worker_bytes = hb_change_job_worker_bytes,
    .host_bytes = host_bytes,
    .open_output = hb_output_job_open,
    .begin = hb_output_job_begin,
    .check = hb_output_job_check,
    .prepare = hb_change_job_prepare,
    .loop = hb_output_job_run,
    .sync = hb_output_job_sync,
    .commit = hb_output_job_commit,
    .end = hb_output_job_end,
    .close = close_own};

hb_status hb_received_job_open(hb_received_job *job, hb_group *group, const hb_common *common,
                               const hb_received_options *options)
{
    *job = (hb_received_job){.base.options = options->base, .options = *options};
    return hb_change_job_open(&job->base, &kind, &change, group, common, describe);
}
