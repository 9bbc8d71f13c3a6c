#include "job.h"

#include <inttypes.h>
#include <string.h>

#include "base/chunk.h"
#include "batch/job/shared_dataset.h"
#include "batch/unit/work.h"
#include "io/files/durable.h"
#include "moved_header.h"

/* --- the job: before it runs */

/* Opens parameters alone, or, where the key leads to another person, also the public key there. */
static hb_status open_session(hb_rekey_job *job, const hb_header *old)
{
    const hb_rekey_options *options = &job->options;
    hb_session *session = &job->base.job.session;
    job->sanitizes = hb_moving_key_to_another(&job->key);
    if (job->sanitizes && options->key == NULL) {
        return HB_FAIL(HB_EUSAGE,
                       "--key is missing: %s leads to the key of another person, for whom the data are sanitized with "
                       "the public key, theirs/public.h5",
                       job->key.path);
    }
    if (job->sanitizes) {
        HB_TRY(hb_session_open_residue(session, options->key, options->job.residue));
        return hb_moving_key_require_receiver(&job->key, session);
    }
    if (options->another_only != NULL) {
        return HB_FAIL(HB_EUSAGE,
                       "%s: %s leads to a key of the same person, and data are sanitized for another person alone; "
                       "hebatch sanitize does so with any",
                       options->another_only, job->key.path);
    }
    HB_TRY(hb_session_open_keyless(session, &old->spec));
    memcpy(session->key_id, job->key.source.label.key_id, sizeof session->key_id);
    return HB_OK;
}

static hb_status find_out(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    hb_session *session = &base->session;
    base->header = &job->header;
    HB_TRY(hb_output_job_look(&job->base));
    HB_TRY(hb_dataset_open_among(job->options.input, base->options.residue, hb_shared_dataset_ranks(base->group),
                                 &job->dataset));
    HB_TRY(hb_dataset_require_whole(job->dataset, job->options.input));
    hb_dataset_sum(job->dataset, job->input_sum);
    const hb_header *old = hb_dataset_header(job->dataset);
    HB_TRY(hb_moving_key_open(&job->key, job->options.keys, old, job->options.input));
    HB_TRY(open_session(job, old));
    if (old->limbs > session->params->fresh_limbs || session->params->levels[old->limbs].basis.limbs == 0) {
        return HB_FAIL(HB_EDATA, "%s: its parameters have no level of %" PRIu32 " limbs", job->options.input,
                       old->limbs);
    }
    const hb_moved_data data = {old, job->options.input, job->input_sum};
    return hb_moved_header_make(&job->header, session->params, &job->key, data, job->options.bits, &job->how.plan,
                                &job->budget);
}

/* Computes a digest of the input, the key and the bits to which ciphertexts are sanitized, if they are: with the header
 * and the root of that they decide all bytes of the output. */
static void identity(const hb_rekey_job *job, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch rekey");
    hb_digest_add(&state, job->input_sum, sizeof job->input_sum);
    hb_digest_add(&state, job->key.source.label.sum, sizeof job->key.source.label.sum);
    hb_digest_add_u64(&state, job->sanitizes ? job->options.bits : 0);
    hb_digest_end(&state, digest);
}

/* Where data are sanitized: the residues of a command go by one root. Collective. */
static hb_status take_root(hb_rekey_job *job)
{
    const hb_rekey_options *options = &job->options;
    if (job->sanitizes) {
        HB_TRY(hb_kept_root_take(&job->root, job->base.job.group, options->output,
                                 options->resume || options->job.residue > 0));
    }
    return HB_OK;
}

static hb_status compare(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    uint8_t digests[2][HB_DIGEST_BYTES], digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    identity(job, digests[0]);
    hb_header_digest(digests[1], base->header);
    hb_digest_begin(&state, "hebatch rekey");
    hb_digest_add(&state, digests[0], sizeof digests);
    hb_digest_end(&state, digest);
    HB_TRY(hb_group_same(base->group, digest, "the dataset, the rekeying key, --key or --bits"));
    HB_TRY(take_root(job));
    return hb_dataset_tell(job->dataset, hb_shared_dataset_ranks(base->group));
}

static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_rekey_job *job = (const hb_rekey_job *)base;
    hb_work work = hb_work_rekey(base->session.params, base->header, hb_dataset_header(job->dataset), (int)groups);
    work.key_bytes = (double)hb_switch_key_source_reads(&job->key.source);
    if (job->sanitizes) {
        hb_work_add_sanitizing(&work, base->header, &job->how.plan, (int)groups);
    }
    work.on_disk = hb_path_is_on_disk(job->options.output);
    return work;
}

/* Returns the header of the dataset that is moved: its ciphertexts are switched with all of their limbs. */
static const hb_header *old_of(const hb_rekey_job *job)
{
    return hb_dataset_header(job->dataset);
}

static uint64_t fixed_bytes(const void *context, const hb_params *params)
{
    const hb_key_purpose purpose = hb_moving_key_purpose(old_of(context));
    return hb_key_purpose_bytes(params, &purpose) + hb_switch_key_preparing_bytes(params);
}

static hb_evaluator_requirements requirements_of(const hb_header *old, size_t batch)
{
    return (hb_evaluator_requirements){.limbs = old->limbs, .count = batch, .switching = true};
}

static uint64_t worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_rekey_job *job = context; /* begins with its base */
    const hb_header *old = old_of(job), *header = &job->header;
    const hb_evaluator_requirements requirements = requirements_of(old, batch);
    const uint64_t ciphertext =
        (uint64_t)2 * hb_params_most_limbs(params, params->ids, old->limbs) * params->spec.n * sizeof(uint64_t);
    return hb_unit_rows_bytes(params, old) + hb_unit_rows_bytes(params, header) +
           hb_evaluator_bytes(params, &requirements) +
           (header->encoding == HB_ENCODE_REVERSED ? hb_unit_order_bytes(params, old->limbs) : 0) +
           (job->sanitizes ? hb_unit_sanitizer_bytes(params, header->encoding, &job->how.plan, batch)
                           : batch * ciphertext);
}

static uint64_t host_bytes(const void *context, const hb_params *params, const hb_workers *workers)
{
    const hb_rekey_job *job = context;
    const uint32_t buffers = hb_pipeline_buffers(hb_workers_threads(workers, true), workers->units);
    return hb_unit_buffers_bytes(params, &job->header, buffers, false, false) +
           buffers * hb_rows_bytes(params, old_of(job));
}

static hb_status describe(const hb_job *base, hb_resume *described)
{
    uint8_t digest[HB_DIGEST_BYTES];
    identity((const hb_rekey_job *)base, digest);
    return hb_resume_add_digest(described, "moved", digest);
}

static hb_status open_output(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    HB_TRY(hb_output_job_open(base));
    if (job->sanitizes) {
        HB_TRY(hb_kept_root_settle(&job->root, job->base.output.resumed));
        hb_kept_root_of_residue(&job->root, job->options.job.residue, &job->how.root);
    }
    return HB_OK;
}

/* --- the job: while it runs */

/* Collective, as keys over the integers are made by all members that share limbs. */
static hb_status begin(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    hb_switch_key key = {0};
    hb_status st = hb_agree(base->group, hb_moving_key_load(&job->key, &base->session, old_of(job), &key));
    st = st == HB_OK ? hb_agree(base->group, hb_switch_keys_add(&base->session.switch_keys, &key)) : st;
    hb_switch_key_clear(&key);
    HB_TRY(st);
    HB_TRY(hb_output_dataset_begin(&job->base.output));
    return job->sanitizes ? hb_agree(base->group, hb_kept_root_keep(&job->root)) : HB_OK;
}

static hb_status open_worker(hb_rekey_job *job, uint32_t i)
{
    const hb_session *session = &job->base.job.session;
    const hb_header *header = job->base.job.header, *old = old_of(job);
    const size_t batch = job->base.job.plan.workers.batch;
    hb_rekeyer *x = &job->worker[i];
    const hb_evaluator_requirements requirements = requirements_of(old, batch);
    x->engine = session->queue[i];
    HB_TRY(hb_unit_rows_init(&x->from, 1, x->engine, session->params, old));
    HB_TRY(hb_unit_rows_init(&x->to, 1, x->engine, session->params, header));
    if (header->encoding == HB_ENCODE_REVERSED) {
        HB_TRY(hb_unit_order_open(&x->order, x->engine, session->params, old->limbs));
    }
    HB_TRY(hb_evaluator_open(x->engine, session->params, &requirements, &x->evaluator));
    return job->sanitizes
               ? hb_unit_sanitizer_init(&x->sanitizer, x->engine, &session->public_key, header, &job->how.plan, batch)
               : hb_ciphertexts_alloc(&x->some, x->engine, session->params, 2, batch, old->limbs);
}

static void close_worker(hb_rekeyer *x)
{
    if (x->engine != NULL) {
        hb_batch_free(x->engine, &x->some.all);
    }
    hb_unit_sanitizer_clear(&x->sanitizer);
    hb_evaluator_close(x->evaluator);
    hb_unit_order_close(&x->order);
    hb_unit_rows_clear(&x->from, 1);
    hb_unit_rows_clear(&x->to, 1);
}

static hb_status prepare(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    HB_TRY(hb_output_job_divide(&job->base));
    /* A rank without units goes through the collective steps with the others all the same. */
    if (base->units.mine.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_job_make_buffers(base));
    const uint32_t buffers = hb_pipeline_buffers(hb_job_threads(base), base->plan.workers.units);
    HB_TRY(hb_rows_alloc(job->read, buffers, base->session.engine, old_of(job)));
    for (uint32_t i = 0; i < base->plan.workers.count; i++) {
        HB_TRY(open_worker(job, i));
    }
    return HB_OK;
}

/* In a reader's thread. */
static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    hb_rekey_job *job = context;
    return hb_dataset_read(job->dataset, u, &job->read[buffer]);
}

/* Brings ciphertexts that have component 0 in the order of files under the new key. */
static hb_status change_key(hb_rekey_job *job, hb_rekeyer *x, hb_ciphertexts some)
{
    const hb_batch c0 = hb_ciphertexts_component(some, 0), c1 = hb_ciphertexts_component(some, 1);
    const bool ordered = x->order.engine != NULL;
    size_t place;
    if (ordered) {
        HB_TRY(hb_unit_order_to_ring(&x->order, c0));
    }
    HB_TRY(hb_evaluator_change_key(x->evaluator, some, some, &job->base.job.session.switch_keys.key[0]));
    HB_TRY(hb_unit_rows_find_transparent(x->engine, job->base.job.session.params, c1, &place));
    if (place < hb_ciphertexts_count(some)) {
        return HB_FAIL(HB_EDATA, "%s: one of its ciphertexts is transparent: anyone can read it without a key",
                       job->options.input);
    }
    return ordered ? hb_unit_order_to_file(&x->order, c0) : HB_OK;
}

/* Brings some ciphertexts of unit u, of `count`, under the new key, and sanitizes them there where they have to be. */
static hb_status move_some(hb_rekey_job *job, hb_rekeyer *x, uint64_t first, const hb_rows *rows, hb_chunk c)
{
    const hb_params *params = job->base.job.session.params;
    const hb_unit_rows_view places = {c.first, 1, (size_t)rows->count};
    const hb_unit_numbers numbers = {first + c.first, 1, first + c.first};
    hb_ciphertexts some = job->sanitizes
                              ? hb_unit_sanitizer_room(&x->sanitizer, c.count)
                              : hb_ciphertexts_view(x->some, x->engine, params, 2, c.count, old_of(job)->limbs);
    HB_TRY(hb_unit_rows_load(&x->from, hb_ciphertexts_component(some, 0), hb_ciphertexts_component(some, 1), rows,
                             places));
    HB_TRY(change_key(job, x, some));
    if (job->sanitizes) {
        HB_TRY(hb_unit_sanitize(&x->sanitizer, c.count, numbers, &job->how.root, &some));
    }
    HB_TRY(hb_unit_rows_pack(&x->to, 0, hb_ciphertexts_component(some, 0), places));
    return hb_unit_rows_pack(&x->to, 1, hb_ciphertexts_component(some, 1), places);
}

/* In a worker's thread, on its queue. */
static hb_status move_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_rekey_job *job = context;
    hb_rekeyer *x = &job->worker[worker];
    hb_unit_buffer *of = &job->base.job.buffers.buffer[buffer];
    const hb_rows *rows = &job->read[buffer];
    uint64_t first, count;
    hb_header_unit_range(&job->header, u, &first, &count);
    HB_TRY(hb_unit_rows_check(&x->from, u, rows, job->dataset));
    for (hb_chunk c = hb_chunks((size_t)count, job->base.job.plan.workers.batch); hb_chunk_next(&c);) {
        HB_TRY(move_some(job, x, first, rows, c));
    }
    of->rows.count = count;
    HB_TRY(hb_unit_rows_download(&x->to, &of->rows));
    return hb_unit_rows_sum(&x->to, u, &of->rows, of->sum);
}

static void end(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    const bool over = job->sanitizes && hb_output_dataset_is_over(&job->base.output);
    hb_output_dataset_end(&job->base.output);
    if (over) {
        hb_kept_root_remove(&job->root);
    }
}

static void close_own(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        close_worker(&job->worker[i]);
    }
    if (base->session.engine != NULL) {
        hb_rows_free(job->read, base->session.engine);
    }
    hb_moving_key_close(&job->key);
    hb_output_dataset_close(&job->base.output);
    hb_dataset_close(job->dataset);
    hb_header_clear(&job->header);
    hb_wipe(&job->options.root, sizeof job->options.root);
    hb_wipe(&job->how, sizeof job->how);
    hb_kept_root_clear(&job->root);
}

static const hb_job_kind kind = {.bytes = sizeof(hb_rekey_job),
                                 .verb = "moved",
                                 .resumable = true,
                                 .stages = {.read = read_unit, .compute = move_unit, .write = hb_output_job_write},
                                 .find_out = find_out,
                                 .compare = compare,
                                 .work = work_of,
                                 .worker_bytes = worker_bytes,
                                 .fixed_bytes = fixed_bytes,
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

hb_status hb_rekey_job_open(hb_rekey_job *job, hb_group *group, const hb_common *common,
                            const hb_rekey_options *options)
{
    *job = (hb_rekey_job){.base = {.job = {.kind = &kind, .group = group, .common = common, .options = options->job},
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
