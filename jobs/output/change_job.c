#include "change_job.h"

#include "base/chunk.h"
#include "batch/job/shared_dataset.h"

/* --- before the run */

hb_status hb_change_job_open(hb_change_job *job, const hb_job_kind *kind, const hb_change *change, hb_group *group,
                             const hb_common *common, hb_status (*describe)(const hb_job *job, hb_resume *described))
{
    const hb_change_options *options = &job->options;
    job->change = change;
    job->base = (hb_output_job){
        .job = {.kind = kind, .group = group, .common = common, .options = options->job, .kept = options->kept},
        .inputs = &options->input,
        .input_count = 1,
        .describe = describe,
        .request = {.path = options->output,
                    .header = &job->header,
                    .resume = options->resume,
                    .force = options->force,
                    .dry_run = options->dry_run,
                    .found = options->found},
    };
    return hb_job_open(&job->base.job);
}

hb_status hb_change_job_find(hb_change_job *job)
{
    const hb_change_options *options = &job->options;
    hb_job *base = &job->base.job;
    base->header = &job->header;
    HB_TRY(hb_output_job_look(&job->base));
    HB_TRY(hb_dataset_open_among(options->input, options->job.residue, hb_shared_dataset_ranks(base->group),
                                 &job->dataset));
    return hb_dataset_require_whole(job->dataset, options->input);
}

hb_status hb_change_header_begin(hb_header *header, const hb_header *old)
{
    hb_schema schema = {.rows = 0};
    HB_TRY(hb_schema_copy(&schema, &old->schema));
    *header = *old;
    header->schema = schema;
    header->version = 0; /* new datasets have the layout of today */
    header->seeded = false;
    header->made_by = HB_MADE_EVALUATED;
    hb_header_forget_sanitized(header);
    return HB_OK;
}

const hb_header *hb_change_job_old(const hb_change_job *job)
{
    return hb_dataset_header(job->dataset);
}

hb_status hb_change_job_same(hb_change_job *job, const uint8_t identity[HB_DIGEST_BYTES], const char *what)
{
    uint8_t header[HB_DIGEST_BYTES], digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_header_digest(header, &job->header);
    hb_digest_begin(&state, "hebatch change");
    hb_digest_add(&state, identity, HB_DIGEST_BYTES);
    hb_digest_add(&state, header, sizeof header);
    hb_digest_end(&state, digest);
    return hb_group_same(job->base.job.group, digest, what);
}

hb_status hb_change_job_tell(hb_change_job *job)
{
    return hb_dataset_tell(job->dataset, hb_shared_dataset_ranks(job->base.job.group));
}

/* Returns the limbs of component 0 where its order changes; 0: it stays. */
static uint32_t ordered_limbs(const hb_change_job *job)
{
    const hb_header *old = hb_change_job_old(job);
    if (!job->change->ordered || old->encoding != HB_ENCODE_REVERSED) {
        return 0;
    }
    return old->limbs > job->header.limbs ? old->limbs : job->header.limbs;
}

uint64_t hb_change_job_worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_change_job *job = context;
    const hb_header *old = hb_change_job_old(job);
    const uint32_t ordered = ordered_limbs(job);
    return hb_unit_rows_bytes(params, old) + hb_unit_rows_bytes(params, &job->header) +
           (ordered > 0 ? hb_unit_order_bytes(params, ordered) : 0) + job->change->worker_bytes(job, params, batch);
}

uint64_t hb_change_job_host_bytes(const void *context, const hb_params *params, const hb_workers *workers)
{
    const hb_change_job *job = context;
    const uint32_t buffers = hb_pipeline_buffers(hb_workers_threads(workers, true), workers->units);
    return hb_unit_buffers_bytes(params, &job->header, buffers, false, false) +
           buffers * hb_rows_bytes(params, hb_change_job_old(job));
}

/* --- the run */

static hb_status open_worker(hb_change_job *job, uint32_t i)
{
    const hb_session *session = &job->base.job.session;
    const hb_header *old = hb_change_job_old(job);
    const uint32_t ordered = ordered_limbs(job);
    hb_change_worker *x = &job->worker[i];
    x->engine = session->queue[i];
    HB_TRY(hb_unit_rows_init(&x->from, 1, x->engine, session->params, old));
    HB_TRY(hb_unit_rows_init(&x->to, 1, x->engine, session->params, &job->header));
    if (ordered > 0) {
        HB_TRY(hb_unit_order_open(&x->order, x->engine, session->params, ordered));
    }
    return job->change->open(job, i);
}

static void close_worker(hb_change_job *job, uint32_t i)
{
    hb_change_worker *x = &job->worker[i];
    job->change->close(job, i);
    hb_unit_order_close(&x->order);
    hb_unit_rows_clear(&x->to, 1);
    hb_unit_rows_clear(&x->from, 1);
}

hb_status hb_change_job_prepare(hb_job *base)
{
    hb_change_job *job = (hb_change_job *)base;
    HB_TRY(hb_output_job_divide(&job->base));
    /* A rank without units goes through the collective steps with the others all the same. */
    if (base->units.mine.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_job_make_buffers(base));
    const uint32_t buffers = hb_pipeline_buffers(hb_job_threads(base), base->plan.workers.units);
    HB_TRY(hb_rows_alloc(job->read, buffers, base->session.engine, hb_change_job_old(job)));
    if (job->change->prepare != NULL) {
        HB_TRY(job->change->prepare(job));
    }
    for (uint32_t i = 0; i < base->plan.workers.count; i++) {
        HB_TRY(open_worker(job, i));
    }
    return HB_OK;
}

/* In a reader's thread. */
hb_status hb_change_job_read(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    hb_change_job *job = context;
    HB_TRY(hb_dataset_read(job->dataset, u, &job->read[buffer]));
    return job->change->read != NULL ? job->change->read(job, buffer, u) : HB_OK;
}

/* In a worker's thread, on its queue. */
hb_status hb_change_job_make(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_change_job *job = context;
    hb_change_worker *x = &job->worker[worker];
    hb_unit_buffer *to = &job->base.job.buffers.buffer[buffer];
    const hb_rows *rows = &job->read[buffer];
    uint64_t first, count;
    hb_header_unit_range(&job->header, u, &first, &count);
    HB_TRY(hb_unit_rows_check(&x->from, u, rows, job->dataset));
    if (job->change->begin != NULL) {
        HB_TRY(job->change->begin(job, buffer, worker, u));
    }
    for (hb_chunk c = hb_chunks((size_t)count, job->base.job.plan.workers.batch); hb_chunk_next(&c);) {
        const hb_change_some some = {.buffer = buffer,
                                     .worker = worker,
                                     .number = first + c.first,
                                     .count = c.count,
                                     .places = {c.first, 1, (size_t)count},
                                     .rows = rows};
        HB_TRY(job->change->change(job, &some));
    }
    to->rows.count = count;
    HB_TRY(hb_unit_rows_download(&x->to, &to->rows));
    return hb_unit_rows_sum(&x->to, u, &to->rows, to->sum);
}

void hb_change_job_close(hb_change_job *job)
{
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        close_worker(job, i);
    }
    if (job->base.job.session.engine != NULL) {
        hb_rows_free(job->read, job->base.job.session.engine);
    }
    hb_output_dataset_close(&job->base.output);
    hb_header_clear(&job->header);
    hb_dataset_close(job->dataset);
}

/* --- ciphertexts */

hb_status hb_change_to_ring(const hb_change_worker *worker, hb_batch c0)
{
    return worker->order.engine != NULL ? hb_unit_order_to_ring(&worker->order, c0) : HB_OK;
}

hb_status hb_change_to_file(const hb_change_worker *worker, hb_batch c0)
{
    return worker->order.engine != NULL ? hb_unit_order_to_file(&worker->order, c0) : HB_OK;
}

hb_status hb_change_store(hb_change_job *job, const hb_change_some *some, hb_ciphertexts r)
{
    hb_unit_rows *to = &job->worker[some->worker].to;
    HB_TRY(hb_unit_rows_pack(to, 0, hb_ciphertexts_component(r, 0), some->places));
    return hb_unit_rows_pack(to, 1, hb_ciphertexts_component(r, 1), some->places);
}

hb_status hb_change_refuse_transparent(hb_change_job *job, const hb_change_worker *worker, hb_batch c1,
                                       const char *what)
{
    size_t place;
    HB_TRY(hb_unit_rows_find_transparent(worker->engine, job->base.job.session.params, c1, &place));
    return place == c1.count ? HB_OK
                             : HB_FAIL(HB_EDATA, "%s: %s a transparent ciphertext: anyone can read it without a key",
                                       job->options.input, what);
}
