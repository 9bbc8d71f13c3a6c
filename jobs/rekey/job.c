#include "job.h"

#include <inttypes.h>
#include <string.h>

#include "batch/unit/work.h"
#include "io/files/durable.h"
#include "moved_header.h"

/* --- the job: before it runs */

/* Opens parameters alone, or, where the key leads to another person, also the public key there. */
static hb_status open_session(hb_rekey_job *job, const hb_header *old)
{
    const hb_rekey_options *options = &job->options;
    hb_session *session = &job->base.base.job.session;
    job->sanitizes = hb_moving_key_to_another(&job->key);
    if (job->sanitizes && options->key == NULL) {
        return HB_FAIL(HB_EUSAGE,
                       "--key is missing: %s leads to the key of another person, for whom the data are sanitized with "
                       "the public key, theirs/public.h5",
                       job->key.path);
    }
    if (job->sanitizes) {
        HB_TRY(hb_session_open_residue(session, options->key, options->base.job.residue));
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
    const hb_session *session = &base->session;
    const char *input = job->base.options.input;
    HB_TRY(hb_change_job_find(&job->base));
    hb_dataset_sum(job->base.dataset, job->input_sum);
    const hb_header *old = hb_change_job_old(&job->base);
    HB_TRY(hb_moving_key_open(&job->key, job->options.keys, old, input));
    HB_TRY(open_session(job, old));
    if (old->limbs > session->params->fresh_limbs || session->params->levels[old->limbs].basis.limbs == 0) {
        return HB_FAIL(HB_EDATA, "%s: its parameters have no level of %" PRIu32 " limbs", input, old->limbs);
    }
    const hb_moved_data data = {old, input, job->input_sum};
    return hb_moved_header_make(&job->base.header, session->params, &job->key, data, job->options.bits, &job->how.plan,
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
    const hb_change_options *options = &job->base.options;
    if (job->sanitizes) {
        HB_TRY(hb_kept_root_take(&job->root, job->base.base.job.group, options->output,
                                 options->resume || options->job.residue > 0));
    }
    return HB_OK;
}

static hb_status compare(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    uint8_t digest[HB_DIGEST_BYTES];
    identity(job, digest);
    HB_TRY(hb_change_job_same(&job->base, digest, "the dataset, the rekeying key, --key or --bits"));
    HB_TRY(take_root(job));
    return hb_change_job_tell(&job->base);
}

static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_rekey_job *job = (const hb_rekey_job *)base;
    hb_work work = hb_work_change(base->session.params, base->header, hb_change_job_old(&job->base),
                                  (hb_work_changing){HB_OP_ROTATE, 1, 1}, (int)groups);
    work.key_bytes = (double)hb_switch_key_source_reads(&job->key.source);
    if (job->sanitizes) {
        hb_work_add_sanitizing(&work, base->header, &job->how.plan, (int)groups);
    }
    work.on_disk = hb_path_is_on_disk(job->base.options.output);
    return work;
}

static uint64_t fixed_bytes(const void *context, const hb_params *params)
{
    const hb_key_purpose purpose = hb_moving_key_purpose(hb_change_job_old(context));
    return hb_key_purpose_bytes(params, &purpose) + hb_switch_key_preparing_bytes(params);
}

/* Ciphertexts are switched with all of their limbs. */
static hb_evaluator_requirements requirements_of(const hb_header *old, size_t batch)
{
    return (hb_evaluator_requirements){.limbs = old->limbs, .count = batch, .switching = true};
}

static uint64_t worker_bytes(const hb_change_job *base, const hb_params *params, size_t batch)
{
    const hb_rekey_job *job = (const hb_rekey_job *)base;
    const hb_header *old = hb_change_job_old(base), *header = &base->header;
    const hb_evaluator_requirements requirements = requirements_of(old, batch);
    const uint64_t ciphertext =
        (uint64_t)2 * hb_params_most_limbs(params, params->ids, old->limbs) * params->spec.n * sizeof(uint64_t);
    return hb_evaluator_bytes(params, &requirements) +
           (job->sanitizes ? hb_unit_sanitizer_bytes(params, header->encoding, &job->how.plan, batch)
                           : batch * ciphertext);
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
        HB_TRY(hb_kept_root_settle(&job->root, job->base.base.output.resumed));
        hb_kept_root_of_residue(&job->root, job->base.options.job.residue, &job->how.root);
    }
    return HB_OK;
}

/* --- the job: while it runs */

/* Collective, as keys over the integers are made by all members that share limbs. */
static hb_status begin(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    hb_switch_key key = {0};
    hb_status st =
        hb_agree(base->group, hb_moving_key_load(&job->key, &base->session, hb_change_job_old(&job->base), &key));
    st = st == HB_OK ? hb_agree(base->group, hb_switch_keys_add(&base->session.switch_keys, &key)) : st;
    hb_switch_key_clear(&key);
    HB_TRY(st);
    HB_TRY(hb_output_job_begin(base));
    return job->sanitizes ? hb_agree(base->group, hb_kept_root_keep(&job->root)) : HB_OK;
}

static hb_status open_rekeyer(hb_change_job *base, uint32_t i)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    const hb_job *of = &base->base.job;
    const hb_header *old = hb_change_job_old(base);
    const size_t batch = of->plan.workers.batch;
    const hb_evaluator_requirements requirements = requirements_of(old, batch);
    hb_engine *engine = base->worker[i].engine;
    hb_rekeyer *x = &job->rekeyer[i];
    HB_TRY(hb_evaluator_open(engine, of->session.params, &requirements, &x->evaluator));
    return job->sanitizes ? hb_unit_sanitizer_init(&x->sanitizer, engine, &of->session.public_key, &base->header,
                                                   &job->how.plan, batch)
                          : hb_ciphertexts_alloc(&x->some, engine, of->session.params, 2, batch, old->limbs);
}

static void close_rekeyer(hb_change_job *base, uint32_t i)
{
    hb_rekeyer *x = &((hb_rekey_job *)base)->rekeyer[i];
    if (base->worker[i].engine != NULL) {
        hb_batch_free(base->worker[i].engine, &x->some.all);
    }
    hb_unit_sanitizer_clear(&x->sanitizer);
    hb_evaluator_close(x->evaluator);
}

/* Brings ciphertexts that have component 0 in the order of files under the new key. */
static hb_status change_key(hb_change_job *base, uint32_t worker, hb_ciphertexts some)
{
    hb_rekeyer *x = &((hb_rekey_job *)base)->rekeyer[worker];
    const hb_change_worker *rows = &base->worker[worker];
    const hb_batch c0 = hb_ciphertexts_component(some, 0), c1 = hb_ciphertexts_component(some, 1);
    HB_TRY(hb_change_to_ring(rows, c0));
    HB_TRY(hb_evaluator_change_key(x->evaluator, some, some, &base->base.job.session.switch_keys.key[0]));
    HB_TRY(hb_change_refuse_transparent(base, rows, c1, "one of its ciphertexts becomes"));
    return hb_change_to_file(rows, c0);
}

/* Brings some ciphertexts under the new key, and sanitizes them there where they have to be. */
static hb_status move_some(hb_change_job *base, const hb_change_some *some)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    hb_rekeyer *x = &job->rekeyer[some->worker];
    hb_change_worker *rows = &base->worker[some->worker];
    const hb_params *params = base->base.job.session.params;
    const hb_unit_numbers numbers = {some->number, 1, some->number};
    hb_ciphertexts a = job->sanitizes ? hb_unit_sanitizer_room(&x->sanitizer, some->count)
                                      : hb_ciphertexts_view(x->some, rows->engine, params, 2, some->count,
                                                            hb_change_job_old(base)->limbs);
    HB_TRY(hb_unit_rows_load(&rows->from, hb_ciphertexts_component(a, 0), hb_ciphertexts_component(a, 1), some->rows,
                             some->places));
    HB_TRY(change_key(base, some->worker, a));
    if (job->sanitizes) {
        HB_TRY(hb_unit_sanitize(&x->sanitizer, some->count, numbers, &job->how.root, &a));
    }
    return hb_change_store(base, some, a);
}

static void end(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    const bool over = job->sanitizes && hb_output_dataset_is_over(&job->base.base.output);
    hb_output_job_end(base);
    if (over) {
        hb_kept_root_remove(&job->root);
    }
}

static void close_own(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    hb_change_job_close(&job->base);
    hb_moving_key_close(&job->key);
    hb_wipe(&job->options.root, sizeof job->options.root);
    hb_wipe(&job->how, sizeof job->how);
    hb_kept_root_clear(&job->root);
}

static const hb_change change = {
    .ordered = true, .worker_bytes = worker_bytes, .open = open_rekeyer, .close = close_rekeyer, .change = move_some};

static const hb_job_kind kind = {
    .bytes = sizeof(hb_rekey_job),
    .command = "rekey",
    .verb = "moved",
    .resumable = true,
    .stages = {.read = hb_change_job_read, .compute = hb_change_job_make, .write = hb_output_job_write},
    .find_out = find_out,
    .compare = compare,
    .work = work_of,
    .worker_bytes = hb_change_job_worker_bytes,
    .fixed_bytes = fixed_bytes,
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

hb_status hb_rekey_job_open(hb_rekey_job *job, hb_group *group, const hb_common *common,
                            const hb_rekey_options *options)
{
    *job = (hb_rekey_job){.base.options = options->base,
                          .options = *options,
                          .root = {.given = options->test_seed, .seed = options->root}};
    return hb_change_job_open(&job->base, &kind, &change, group, common, describe);
}
