#include "sanitize_job.h"

#include "base/chunk.h"
#include "batch/job/shared_dataset.h"
#include "batch/unit/predicted.h"
#include "batch/unit/work.h"
#include "io/files/durable.h"
#include "scheme/params.h"

/* --- before the run */

/* Opens the key, which is that of the dataset. */
static hb_status open_key(hb_sanitize_job *job, const hb_header *from)
{
    const hb_sanitize_options *options = &job->options;
    hb_session *session = &job->base.job.session;
    HB_TRY(hb_session_open_residue(session, options->key, options->job.residue));
    if (session->kind != HB_KEY_PUBLIC) {
        return HB_FAIL(HB_EUSAGE, "%s is a secret key: sanitizing takes the public one", session->key_name);
    }
    HB_TRY(hb_session_check_key(session, from->key_id, &from->spec, session->key_name, options->input));
    return options->checked != NULL ? hb_checked_keys_require(options->checked, session->key_name, session->file.sum)
                                    : HB_OK;
}

static hb_status make_header(hb_sanitize_job *job, const hb_header *from)
{
    const hb_sanitize_options *options = &job->options;
    const hb_params *params = job->base.job.session.params;
    hb_header *header = &job->header;
    hb_schema schema = {.rows = 0};
    HB_TRY(hb_schema_copy(&schema, &from->schema));
    *header = *from;
    header->schema = schema;
    job->budget = hb_predicted_budget(params, from).worst;
    return hb_header_sanitize(header, params, hb_predicted_quality(params, from), options->open ? 0 : options->bits,
                              options->input, &job->how.plan);
}

/* Every rank looks at key and index for itself; compare sees that all have the same. */
static hb_status find_out(hb_job *base)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    const hb_sanitize_options *options = &job->options;
    base->header = &job->header;
    HB_TRY(hb_output_job_look(&job->base));
    HB_TRY(hb_dataset_open_among(options->input, options->job.residue, hb_shared_dataset_ranks(base->group),
                                 &job->dataset));
    HB_TRY(hb_dataset_require_whole(job->dataset, options->input));
    const hb_header *from = hb_dataset_header(job->dataset);
    HB_TRY(open_key(job, from));
    return make_header(job, from);
}

/* Derives the root of this residue. */
static void derive_root(hb_sanitize_job *job)
{
    hb_kept_root_of_residue(&job->root, job->options.job.residue, &job->how.root);
    if (job->options.zero != NULL) {
        job->how.root = *job->options.zero;
    }
    job->header.past.zero_seed = job->options.open ? job->how.root : (hb_seed){{0}};
}

/* The input, and the options: what makes another job of it. */
static void digest_of(const hb_sanitize_job *job, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_dataset_sum(job->dataset, digest);
    hb_digest_begin(&state, "hebatch sanitize");
    hb_digest_add(&state, digest, HB_DIGEST_BYTES);
    hb_digest_add_u64(&state, job->options.bits);
    hb_digest_add_u64(&state, job->options.open);
    hb_digest_end(&state, digest);
}

static hb_status compare(hb_job *base)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    const hb_sanitize_options *options = &job->options;
    uint8_t digest[HB_DIGEST_BYTES];
    digest_of(job, digest);
    HB_TRY(hb_group_same(base->group, digest, "the dataset, --bits or --open"));
    hb_header_digest(digest, &job->header);
    HB_TRY(hb_group_same(base->group, digest, "the key or the dataset"));
    /* The residues of a command go by one root. */
    HB_TRY(hb_kept_root_take(&job->root, base->group, options->output, options->resume || options->job.residue > 0));
    derive_root(job);
    return hb_dataset_tell(job->dataset, hb_shared_dataset_ranks(base->group));
}

static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_sanitize_job *job = (const hb_sanitize_job *)base;
    hb_work work = hb_work_verify(base->session.params, hb_dataset_header(job->dataset), (int)groups);
    hb_work_add_sanitizing(&work, &job->header, &job->how.plan, (int)groups);
    work.on_disk = hb_path_is_on_disk(job->options.output);
    return work;
}

static uint64_t worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_sanitize_job *job = context; /* begins with its base */
    return hb_unit_rows_bytes(params, hb_dataset_header(job->dataset)) + hb_unit_rows_bytes(params, &job->header) +
           hb_unit_sanitizer_bytes(params, job->header.encoding, &job->how.plan, batch);
}

static uint64_t host_bytes(const void *context, const hb_params *params, const hb_workers *workers)
{
    const hb_sanitize_job *job = context;
    const uint32_t buffers = hb_pipeline_buffers(hb_workers_threads(workers, true), workers->units);
    return hb_unit_buffers_bytes(params, &job->header, buffers, false, false) +
           buffers * hb_rows_bytes(params, hb_dataset_header(job->dataset));
}

/* --- the output */

static hb_status describe(const hb_job *base, hb_resume *described)
{
    uint8_t digest[HB_DIGEST_BYTES];
    digest_of((const hb_sanitize_job *)base, digest);
    return hb_resume_add_digest(described, "sanitized", digest);
}

/* The header of opened ciphertexts has the root already, which is no secret. Collective. */
static hb_status settle_root(hb_sanitize_job *job)
{
    if (!job->options.open || job->base.output.resumed) {
        HB_TRY(hb_kept_root_settle(&job->root, job->base.output.resumed));
        derive_root(job);
    }
    return HB_OK;
}

static hb_status open_output(hb_job *base)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    HB_TRY(hb_output_job_open(base));
    return settle_root(job);
}

static hb_status begin(hb_job *base)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    HB_TRY(hb_output_dataset_begin(&job->base.output));
    return hb_agree(base->group, hb_kept_root_keep(&job->root));
}

/* --- the run */

static hb_status prepare(hb_job *base)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    const hb_workers *workers = &base->plan.workers;
    const hb_session *session = &base->session;
    const hb_header *from = hb_dataset_header(job->dataset);
    HB_TRY(hb_output_job_divide(&job->base));
    /* A rank without units goes through the collective steps with the others all the same. */
    if (base->units.mine.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_job_make_buffers(base));
    const uint32_t buffers = hb_pipeline_buffers(hb_job_threads(base), workers->units);
    HB_TRY(hb_rows_alloc(job->read, buffers, session->engine, from));
    for (uint32_t i = 0; i < workers->count; i++) {
        hb_sanitize_worker *worker = &job->worker[i];
        HB_TRY(hb_unit_rows_init(&worker->from, 1, session->queue[i], session->params, from));
        HB_TRY(hb_unit_rows_init(&worker->to, 1, session->queue[i], session->params, &job->header));
        HB_TRY(hb_unit_sanitizer_init(&worker->sanitizer, session->queue[i], &session->public_key, &job->header,
                                      &job->how.plan, workers->batch));
    }
    return HB_OK;
}

/* In a reader's thread. */
static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    hb_sanitize_job *job = context;
    return hb_dataset_read(job->dataset, u, &job->read[buffer]);
}

/* In a worker's thread, on its queue. */
static hb_status sanitize_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_sanitize_job *job = context;
    hb_sanitize_worker *x = &job->worker[worker];
    hb_unit_buffer *to = &job->base.job.buffers.buffer[buffer];
    uint64_t first, count;
    hb_header_unit_range(&job->header, u, &first, &count);
    HB_TRY(hb_unit_rows_check(&x->from, u, &job->read[buffer], job->dataset));
    for (hb_chunk c = hb_chunks((size_t)count, x->sanitizer.batch); hb_chunk_next(&c);) {
        const hb_unit_rows_view places = {c.first, 1, (size_t)count};
        const hb_unit_numbers numbers = {first + c.first, 1, first + c.first};
        const hb_ciphertexts a = hb_unit_sanitizer_room(&x->sanitizer, c.count);
        hb_ciphertexts r;
        HB_TRY(hb_unit_rows_load(&x->from, hb_ciphertexts_component(a, 0), hb_ciphertexts_component(a, 1),
                                 &job->read[buffer], places));
        HB_TRY(hb_unit_sanitize(&x->sanitizer, c.count, numbers, &job->how.root, &r));
        HB_TRY(hb_unit_rows_pack(&x->to, 0, hb_ciphertexts_component(r, 0), places));
        HB_TRY(hb_unit_rows_pack(&x->to, 1, hb_ciphertexts_component(r, 1), places));
    }
    to->rows.count = count;
    HB_TRY(hb_unit_rows_download(&x->to, &to->rows));
    return hb_unit_rows_sum(&x->to, u, &to->rows, to->sum);
}

static void end(hb_job *base)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    const bool over = hb_output_dataset_is_over(&job->base.output);
    hb_output_dataset_end(&job->base.output);
    if (over) {
        hb_kept_root_remove(&job->root);
    }
}

static void close_own(hb_job *base)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        hb_unit_sanitizer_clear(&job->worker[i].sanitizer);
        hb_unit_rows_clear(&job->worker[i].to, 1);
        hb_unit_rows_clear(&job->worker[i].from, 1);
    }
    if (base->session.engine != NULL) {
        hb_rows_free(job->read, base->session.engine);
    }
    hb_output_dataset_close(&job->base.output);
    hb_header_clear(&job->header);
    hb_dataset_close(job->dataset);
    hb_wipe(&job->options.root, sizeof job->options.root);
    hb_wipe(&job->how, sizeof job->how);
    hb_kept_root_clear(&job->root);
}

static const hb_job_kind kind = {.bytes = sizeof(hb_sanitize_job),
                                 .verb = "sanitized",
                                 .resumable = true,
                                 .stages = {.read = read_unit, .compute = sanitize_unit, .write = hb_output_job_write},
                                 .find_out = find_out,
                                 .compare = compare,
                                 .work = work_of,
                                 .worker_bytes = worker_bytes,
                                 .host_bytes = host_bytes,
                                 .open_output = open_output,
                                 .begin = begin,
                                 .check = hb_output_job_check,
                                 .prepare = prepare,
                                 .loop = hb_output_job_run,
                                 .sync = hb_output_job_sync,
                                 .commit = hb_output_job_commit,
                                 .end = end,
                                 .close = close_own};

hb_status hb_sanitize_job_open(hb_sanitize_job *job, hb_group *group, const hb_common *common,
                               const hb_sanitize_options *options)
{
    *job = (hb_sanitize_job){.base = {.job = {.kind = &kind, .group = group, .common = common, .options = options->job},
                                      .inputs = &job->options.input,
                                      .input_count = 1,
                                      .describe = describe,
                                      .request = {.path = options->output,
                                                  .header = &job->header,
                                                  .resume = options->resume,
                                                  .force = options->force,
                                                  .dry_run = options->dry_run,
                                                  .found = options->found}},
                             .options = *options,
                             .root = {.given = options->test_seed, .seed = options->root}};
    return hb_job_open(&job->base.job);
}
