#include "sanitize_job.h"

#include "batch/unit/predicted.h"
#include "batch/unit/work.h"
#include "io/files/durable.h"
#include "scheme/params.h"

/* --- before the run */

/* Opens the key, which is that of the dataset. */
static hb_status open_key(hb_sanitize_job *job, const hb_header *from)
{
    const hb_sanitize_options *options = &job->options;
    hb_session *session = &job->base.base.job.session;
    HB_TRY(hb_session_open_residue(session, options->key, options->base.job.residue));
    if (session->kind != HB_KEY_PUBLIC) {
        return HB_FAIL(HB_EUSAGE, "%s is a secret key: sanitizing takes the public one", session->key_name);
    }
    HB_TRY(hb_session_check_key(session, from->key_id, &from->spec, session->key_name, options->base.input));
    return options->checked != NULL ? hb_checked_keys_require(options->checked, session->key_name, session->file.sum)
                                    : HB_OK;
}

static hb_status make_header(hb_sanitize_job *job, const hb_header *from)
{
    const hb_sanitize_options *options = &job->options;
    const hb_params *params = job->base.base.job.session.params;
    hb_header *header = &job->base.header;
    hb_schema schema = {.rows = 0};
    HB_TRY(hb_schema_copy(&schema, &from->schema));
    *header = *from;
    header->schema = schema;
    job->budget = hb_predicted_budget(params, from).worst;
    return hb_header_sanitize(header, params, hb_predicted_quality(params, from), options->open ? 0 : options->bits,
                              options->base.input, &job->how.plan);
}

/* Every rank looks at key and index for itself; compare sees that all have the same. */
static hb_status find_out(hb_job *base)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    HB_TRY(hb_change_job_find(&job->base));
    const hb_header *from = hb_change_job_old(&job->base);
    HB_TRY(open_key(job, from));
    return make_header(job, from);
}

/* Derives the root of this residue. */
static void derive_root(hb_sanitize_job *job)
{
    hb_kept_root_of_residue(&job->root, job->base.options.job.residue, &job->how.root);
    if (job->options.zero != NULL) {
        job->how.root = *job->options.zero;
    }
    job->base.header.past.zero_seed = job->options.open ? job->how.root : (hb_seed){{0}};
}

/* The input, and the options: what makes another job of it. */
static void digest_of(const hb_sanitize_job *job, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_dataset_sum(job->base.dataset, digest);
    hb_digest_begin(&state, "hebatch sanitize");
    hb_digest_add(&state, digest, HB_DIGEST_BYTES);
    hb_digest_add_u64(&state, job->options.bits);
    hb_digest_add_u64(&state, job->options.open);
    hb_digest_end(&state, digest);
}

static hb_status compare(hb_job *base)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    const hb_change_options *options = &job->base.options;
    uint8_t digest[HB_DIGEST_BYTES];
    digest_of(job, digest);
    HB_TRY(hb_group_same(base->group, digest, "the dataset, --bits or --open"));
    hb_header_digest(digest, &job->base.header);
    HB_TRY(hb_group_same(base->group, digest, "the key or the dataset"));
    /* The residues of a command go by one root. */
    HB_TRY(hb_kept_root_take(&job->root, base->group, options->output, options->resume || options->job.residue > 0));
    derive_root(job);
    return hb_change_job_tell(&job->base);
}

static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_sanitize_job *job = (const hb_sanitize_job *)base;
    hb_work work = hb_work_verify(base->session.params, hb_change_job_old(&job->base), (int)groups);
    hb_work_add_sanitizing(&work, base->header, &job->how.plan, (int)groups);
    work.on_disk = hb_path_is_on_disk(job->base.options.output);
    return work;
}

static uint64_t sanitizer_bytes(const hb_change_job *base, const hb_params *params, size_t batch)
{
    const hb_sanitize_job *job = (const hb_sanitize_job *)base;
    return hb_unit_sanitizer_bytes(params, base->header.encoding, &job->how.plan, batch);
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
    const bool resumed = job->base.base.output.resumed;
    if (!job->options.open || resumed) {
        HB_TRY(hb_kept_root_settle(&job->root, resumed));
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
    HB_TRY(hb_output_job_begin(base));
    return hb_agree(base->group, hb_kept_root_keep(&job->root));
}

/* --- the run */

static hb_status open_sanitizer(hb_change_job *base, uint32_t i)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    const hb_job *of = &base->base.job;
    return hb_unit_sanitizer_init(&job->sanitizer[i], base->worker[i].engine, &of->session.public_key, &base->header,
                                  &job->how.plan, of->plan.workers.batch);
}

static void close_sanitizer(hb_change_job *base, uint32_t i)
{
    hb_unit_sanitizer_clear(&((hb_sanitize_job *)base)->sanitizer[i]);
}

static hb_status sanitize_some(hb_change_job *base, const hb_change_some *some)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    hb_unit_sanitizer *x = &job->sanitizer[some->worker];
    const hb_unit_numbers numbers = {some->number, 1, some->number};
    const hb_ciphertexts a = hb_unit_sanitizer_room(x, some->count);
    hb_ciphertexts r;
    HB_TRY(hb_unit_rows_load(&base->worker[some->worker].from, hb_ciphertexts_component(a, 0),
                             hb_ciphertexts_component(a, 1), some->rows, some->places));
    HB_TRY(hb_unit_sanitize(x, some->count, numbers, &job->how.root, &r));
    return hb_change_store(base, some, r);
}

static void end(hb_job *base)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    const bool over = hb_output_dataset_is_over(&job->base.base.output);
    hb_output_job_end(base);
    if (over) {
        hb_kept_root_remove(&job->root);
    }
}

static void close_own(hb_job *base)
{
    hb_sanitize_job *job = (hb_sanitize_job *)base;
    hb_change_job_close(&job->base);
    hb_wipe(&job->options.root, sizeof job->options.root);
    hb_wipe(&job->how, sizeof job->how);
    hb_kept_root_clear(&job->root);
}

static const hb_change change = {
    .worker_bytes = sanitizer_bytes, .open = open_sanitizer, .close = close_sanitizer, .change = sanitize_some};

static const hb_job_kind kind = {
    .bytes = sizeof(hb_sanitize_job),
    .command = "sanitize",
    .verb = "sanitized",
    .resumable = true,
    .stages = {.read = hb_change_job_read, .compute = hb_change_job_make, .write = hb_output_job_write},
    .find_out = find_out,
    .compare = compare,
    .work = work_of,
    .worker_bytes = hb_change_job_worker_bytes,
    .host_bytes = hb_change_job_host_bytes,
    .open_output = open_output,
    .begin = begin,
    .check = hb_output_job_check,
    .prepare = hb_change_job_prepare,
    .loop = hb_output_job_run,
    .sync = hb_output_job_sync,
    .commit = hb_output_job_commit,
    .end = end,
    .close = close_own};

hb_status hb_sanitize_job_open(hb_sanitize_job *job, hb_group *group, const hb_common *common,
                               const hb_sanitize_options *options)
{
    *job = (hb_sanitize_job){.base.options = options->base,
                             .options = *options,
                             .root = {.given = options->test_seed, .seed = options->root}};
    return hb_change_job_open(&job->base, &kind, &change, group, common, describe);
}
