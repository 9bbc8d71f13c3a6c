#include "received_job.h"

#include <string.h>

#include "base/chunk.h"
#include "batch/unit/work.h"
#include "io/files/durable.h"
#include "scheme/params.h"

/* --- the header */

/* The parts' noise, and the values that they add to slots that are no cell, are the ciphertexts' from here on: nothing
 * is left of what the computation made of them, but what parts do not hide anyway. */
static hb_status fill_header(hb_received_job *job)
{
    const hb_header *old = hb_dataset_header(job->decryption.dataset);
    const hb_part_facts *facts = hb_part_inputs_facts(&job->inputs);
    const double worst = job->inputs.plan.worst;
    hb_header *header = &job->header;
    hb_schema schema = {.rows = 0};
    uint8_t sum[HB_DIGEST_BYTES];
    hb_dataset_sum(job->decryption.dataset, sum);
    HB_TRY(hb_schema_copy(&schema, &old->schema));
    *header = *old;
    header->schema = schema;
    header->version = 0; /* new datasets have the layout of today */
    header->spec.joint = facts->receiving;
    memcpy(header->key_id, facts->receiver, sizeof header->key_id);
    header->made_by = HB_MADE_EVALUATED;
    hb_header_quality(header, (hb_quality){.worst = worst, .expected = worst, .powers = 1});
    hb_header_forget_sanitized(header);
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
                         job->options.output, job->options.input);
}

/* Every rank looks at dataset and parts for itself; compare sees that all have the same. */
static hb_status find_out(hb_job *base)
{
    hb_received_job *job = (hb_received_job *)base;
    const hb_received_options *options = &job->options;
    hb_session *session = &base->session;
    HB_TRY(hb_output_job_look(&job->base));
    HB_TRY(hb_decryption_open(&job->decryption, base, options->input));
    HB_TRY(hb_dataset_require_whole(job->decryption.dataset, options->input));
    HB_TRY(hb_part_dataset_check(base->header, options->input));
    HB_TRY(hb_session_open_keyless(session, &base->header->spec));
    HB_TRY(hb_part_inputs_open(&job->inputs, options->parts, options->part_count, base, job->decryption.dataset,
                               options->input));
    HB_TRY(check_receiver(job));
    HB_TRY(fill_header(job));
    memcpy(session->key_id, job->header.key_id, sizeof session->key_id);
    base->header = &job->header;
    return HB_OK;
}

static hb_status compare(hb_job *base)
{
    hb_received_job *job = (hb_received_job *)base;
    HB_TRY(hb_decryption_compare(&job->decryption, base));
    return hb_part_inputs_compare(&job->inputs, base);
}

/* A sum of component 0 and the parts of all. */
static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_received_job *job = (const hb_received_job *)base;
    hb_work work = hb_work_add(base->session.params, &job->header, job->inputs.count + 1, (int)groups);
    work.limbs = (hb_work_limbs){true, true};
    work.queues_write = false;
    work.on_disk = hb_path_is_on_disk(job->options.output);
    return work;
}

static uint64_t worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_received_job *job = context; /* begins with its base */
    const hb_header *header = &job->header;
    const uint64_t limbs = hb_params_most_limbs(params, params->ids, header->limbs);
    return 2 * hb_unit_rows_bytes(params, header) + hb_part_sums_worker_bytes(params, &job->inputs, batch) +
           (header->encoding == HB_ENCODE_REVERSED ? hb_unit_order_bytes(params, header->limbs) : 0) +
           batch * limbs * params->spec.n * sizeof(uint64_t);
}

static uint64_t host_bytes(const void *context, const hb_params *params, const hb_workers *workers)
{
    const hb_received_job *job = context;
    const uint32_t buffers = hb_pipeline_buffers(hb_workers_threads(workers, true), workers->units);
    return hb_unit_buffers_bytes(params, &job->header, buffers, false, false) +
           buffers * hb_rows_bytes(params, &job->header) + hb_part_sums_host_bytes(params, &job->inputs, buffers);
}

/* The dataset's sum is in the history; the parts' sums are what else the output is made of. */
static hb_status describe(const hb_job *base, hb_resume *described)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_part_inputs_digest(&((const hb_received_job *)base)->inputs, digest);
    return hb_resume_add_digest(described, "parts", digest);
}

/* --- the job: while it runs */

static hb_status open_worker(hb_received_job *job, uint32_t i)
{
    const hb_session *session = &job->base.job.session;
    const hb_params *params = session->params;
    const hb_header *from = hb_dataset_header(job->decryption.dataset);
    hb_received_worker *x = &job->worker[i];
    hb_engine *engine = session->queue[i];
    HB_TRY(hb_unit_rows_init(&x->from, 1, engine, params, from));
    HB_TRY(hb_unit_rows_init(&x->to, 1, engine, params, &job->header));
    if (from->encoding == HB_ENCODE_REVERSED) {
        HB_TRY(hb_unit_order_open(&x->order, engine, params, from->limbs));
    }
    return hb_batch_alloc(engine, &x->c0, job->base.job.plan.workers.batch, from->limbs, params->ids);
}

static void close_worker(hb_received_worker *x)
{
    if (x->from.engine != NULL) {
        hb_batch_free(x->from.engine, &x->c0);
    }
    hb_unit_order_close(&x->order);
    hb_unit_rows_clear(&x->to, 1);
    hb_unit_rows_clear(&x->from, 1);
}

static hb_status prepare(hb_job *base)
{
    hb_received_job *job = (hb_received_job *)base;
    const hb_workers *workers = &base->plan.workers;
    HB_TRY(hb_output_job_divide(&job->base));
    /* A rank without units goes through the collective steps with the others all the same. */
    if (base->units.mine.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_job_make_buffers(base));
    const uint32_t buffers = hb_pipeline_buffers(hb_job_threads(base), workers->units);
    HB_TRY(hb_rows_alloc(job->read, buffers, base->session.engine, hb_dataset_header(job->decryption.dataset)));
    HB_TRY(hb_part_sums_prepare(&job->sums, &job->inputs, base));
    for (uint32_t i = 0; i < workers->count; i++) {
        HB_TRY(open_worker(job, i));
    }
    return HB_OK;
}

/* In a reader's thread. */
static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    hb_received_job *job = context;
    HB_TRY(hb_dataset_read(job->decryption.dataset, u, &job->read[buffer]));
    return hb_part_sums_read(&job->sums, buffer, u);
}

/* Makes the ciphertexts at these places of the sums of the parts, and component 0. */
static hb_status make_some(hb_received_worker *x, const hb_part_sum *parts, hb_chunk c, hb_unit_rows_view places,
                           const char *input)
{
    hb_engine *engine = x->from.engine;
    const hb_batch c0 = hb_batch_slice(x->c0, 0, c.count), c1 = hb_batch_slice(parts->sum[1], c.first, c.count);
    size_t place;
    HB_TRY(hb_unit_rows_unpack(&x->from, 0, c0, places));
    if (x->order.engine != NULL) {
        HB_TRY(hb_unit_order_to_ring(&x->order, c0));
    }
    HB_TRY(hb_add(engine, c0, c0, hb_batch_slice(parts->sum[0], c.first, c.count)));
    if (x->order.engine != NULL) {
        HB_TRY(hb_unit_order_to_file(&x->order, c0));
    }
    HB_TRY(hb_unit_rows_find_transparent(engine, x->from.params, c1, &place));
    if (place < c.count) {
        return HB_FAIL(HB_EDATA, "%s: its parts add up to a transparent ciphertext: anyone can read it without a key",
                       input);
    }
    HB_TRY(hb_unit_rows_pack(&x->to, 0, c0, places));
    return hb_unit_rows_pack(&x->to, 1, c1, places);
}

/* In a worker's thread, on its queue. */
static hb_status make_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_received_job *job = context;
    hb_received_worker *x = &job->worker[worker];
    hb_unit_buffer *to = &job->base.job.buffers.buffer[buffer];
    size_t count;
    HB_TRY(hb_unit_rows_check(&x->from, u, &job->read[buffer], job->decryption.dataset));
    HB_TRY(hb_part_sums_add(&job->sums, buffer, worker, u, &count));
    for (hb_chunk c = hb_chunks(count, job->base.job.plan.workers.batch); hb_chunk_next(&c);) {
        const hb_unit_rows_view places = {c.first, 1, count};
        HB_TRY(make_some(x, &job->sums.unit[worker], c, places, job->options.input));
    }
    to->rows.count = count;
    HB_TRY(hb_unit_rows_download(&x->to, &to->rows));
    return hb_unit_rows_sum(&x->to, u, &to->rows, to->sum);
}

static void close_own(hb_job *base)
{
    hb_received_job *job = (hb_received_job *)base;
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        close_worker(&job->worker[i]);
    }
    hb_part_sums_close(&job->sums);
    if (base->session.engine != NULL) {
        hb_rows_free(job->read, base->session.engine);
    }
    hb_output_dataset_close(&job->base.output);
    hb_header_clear(&job->header);
    hb_part_inputs_close(&job->inputs);
    hb_decryption_close(&job->decryption);
}

static const hb_job_kind kind = {.bytes = sizeof(hb_received_job),
                                 .verb = "combined",
                                 .resumable = true,
                                 .stages = {.read = read_unit, .compute = make_unit, .write = hb_output_job_write},
                                 .find_out = find_out,
                                 .compare = compare,
                                 .work = work_of,
                                 .worker_bytes = worker_bytes,
                                 .host_bytes = host_bytes,
                                 .open_output = hb_output_job_open,
                                 .begin = hb_output_job_begin,
                                 .check = hb_output_job_check,
                                 .prepare = prepare,
                                 .loop = hb_output_job_run,
                                 .sync = hb_output_job_sync,
                                 .commit = hb_output_job_commit,
                                 .end = hb_output_job_end,
                                 .close = close_own};

hb_status hb_received_job_open(hb_received_job *job, hb_group *group, const hb_common *common,
                               const hb_received_options *options)
{
    *job = (hb_received_job){.base = {.job = {.kind = &kind, .group = group, .common = common, .options = options->job},
                                      .inputs = &job->options.input,
                                      .input_count = 1,
                                      .describe = describe,
                                      .request = {.path = options->output,
                                                  .header = &job->header,
                                                  .resume = options->resume,
                                                  .force = options->force,
                                                  .dry_run = options->dry_run,
                                                  .found = options->found}},
                             .options = *options};
    return hb_job_open(&job->base.job);
}
