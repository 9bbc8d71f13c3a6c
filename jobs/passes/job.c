#include "job.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "batch/job/resident.h"
#include "batch/unit/work.h"
#include "io/files/durable.h"

/* --- the job: before it runs */

static hb_status find_keys(hb_refresh_job *job)
{
    const hb_session *session = &job->base.base.job.session;
    const char *keys = job->options.keys;
    hb_resident *resident = hb_resident_of(job->base.base.job.group);
    hb_key_requests requests = {NULL, 0};
    hb_key_choices choices = {NULL, 0};
    hb_status st;
    HB_GOTO(hb_key_requests_add_bootstrapping(&requests, session->params));
    HB_GOTO(hb_key_store_find(&choices, keys, session->params, session->key_id, &requests));
    st = hb_key_files_open_known(&job->key_files, keys, session->params, session->key_id, choices,
                                 resident != NULL ? &resident->keys : NULL, &job->key_file_bytes);
done:
    hb_key_requests_clear(&requests);
    free(choices.key);
    return st;
}

static hb_status find_out(hb_job *base)
{
    hb_refresh_job *job = (hb_refresh_job *)base;
    const hb_refresh_options *options = &job->options;
    hb_session *session = &base->session;
    HB_TRY(hb_change_job_find(&job->base));
    hb_dataset_sum(job->base.dataset, job->input_sum);
    const hb_header *old = hb_change_job_old(&job->base);
    HB_TRY(hb_session_open_keyless(session, &old->spec));
    memcpy(session->key_id, old->key_id, sizeof session->key_id);
    const hb_refresh_wish wish = {options->certainty, options->passes, options->base.input, job->input_sum};
    HB_TRY(hb_refresh_plan_make(session->params, old, &wish, &job->base.header, &job->plan));
    return find_keys(job);
}

/* Computes a digest of the input, the bounds that passes are planned from, the passes and the keys: with the header
 * they decide all bytes of the output. */
static void identity(const hb_refresh_job *job, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch refresh");
    hb_digest_add(&state, job->input_sum, sizeof job->input_sum);
    hb_digest_add_u64(&state, (uint64_t)job->options.certainty);
    hb_digest_add_u64(&state, job->plan.passes);
    for (uint32_t i = 0; i < job->plan.passes; i++) {
        hb_digest_add_u64(&state, job->plan.k[i]);
    }
    for (uint32_t i = 0; i < job->key_files->choices.count; i++) {
        hb_digest_add(&state, job->key_files->source[i].label.sum, HB_DIGEST_BYTES);
    }
    hb_digest_end(&state, digest);
}

static hb_status compare(hb_job *base)
{
    hb_refresh_job *job = (hb_refresh_job *)base;
    uint8_t digest[HB_DIGEST_BYTES];
    identity(job, digest);
    HB_TRY(hb_change_job_same(&job->base, digest, "the dataset, the keys, --noise or --passes"));
    return hb_change_job_tell(&job->base);
}

static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_refresh_job *job = (const hb_refresh_job *)base;
    const hb_work_changing how = {HB_OP_REFRESH, job->plan.passes, job->key_files->choices.count};
    hb_work work = hb_work_change(base->session.params, base->header, hb_change_job_old(&job->base), how, (int)groups);
    work.key_bytes = (double)job->key_file_bytes;
    work.on_disk = hb_path_is_on_disk(job->base.options.output);
    return work;
}

/* Passes are over the whole chain. */
static hb_evaluator_requirements requirements_of(const hb_params *params, size_t batch)
{
    return (hb_evaluator_requirements){.limbs = params->data_limbs, .count = batch, .switching = true};
}

static hb_bootstrap_memory memory_of(const hb_params *params, size_t batch)
{
    const hb_bootstrap_spec spec = {.count = batch};
    hb_bootstrap_memory memory = {0};
    if (hb_bootstrap_memory_of(params, &spec, &memory) != HB_OK) {
        memory.shared = UINT64_MAX / 4; /* more than any engine has */
    }
    return memory;
}

static uint64_t fixed_bytes(const void *context, const hb_params *params)
{
    const hb_refresh_job *job = context;
    return hb_key_choices_bytes(params, job->key_files->choices) + memory_of(params, 1).shared;
}

static uint64_t ciphertexts_bytes(const hb_params *params, size_t batch, uint32_t limbs)
{
    return (uint64_t)2 * batch * hb_params_most_limbs(params, params->ids, limbs) * params->spec.n * sizeof(uint64_t);
}

static uint64_t worker_bytes(const hb_change_job *base, const hb_params *params, size_t batch)
{
    const hb_header *old = hb_change_job_old(base);
    const uint32_t users = base->header.limbs;
    const hb_evaluator_requirements requirements = requirements_of(params, batch);
    return hb_evaluator_bytes(params, &requirements) + memory_of(params, batch).own +
           ciphertexts_bytes(params, batch, users) +
           (old->limbs < users ? ciphertexts_bytes(params, batch, old->limbs) : 0);
}

static hb_status describe(const hb_job *base, hb_resume *described)
{
    uint8_t digest[HB_DIGEST_BYTES];
    identity((const hb_refresh_job *)base, digest);
    return hb_resume_add_digest(described, "refreshed", digest);
}

/* --- the job: while it runs */

/* Reads the keys with the ranks that have the same limbs. Collective. */
static hb_status load_keys(hb_refresh_job *job)
{
    hb_job *base = &job->base.base.job;
    hb_session *session = &base->session;
    const uint32_t threads = hb_key_files_threads(base->group);
    const hb_key_share share = {session->params, &session->resting, (uint32_t)session->grid.members->rank};
    const double begun = hb_now();
    hb_progress progress; /* every rank loads all of them */
    (void)hb_key_files_choose(job->key_files, share);
    HB_TRY(hb_agree(base->group, hb_key_files_begin(job->key_files, session->grid.peers, share, threads,
                                                    hb_key_files_passing_bytes(base->group))));
    hb_progress_begin(&progress, base->group, base->common, (hb_tally){"loaded", "key", 0},
                      job->key_files->reader.count);
    progress.alone = true;
    progress.work.started = begun;
    HB_TRY(hb_agree(base->group, hb_key_files_load(job->key_files, &session->switch_keys, &session->resting, session,
                                                   threads, &progress)));
    session->switch_seconds += hb_now() - begun;
    return HB_OK;
}

static hb_status begin(hb_job *base)
{
    HB_TRY(load_keys((hb_refresh_job *)base));
    return hb_output_job_begin(base);
}

static hb_status open_refresher(hb_change_job *base, uint32_t i)
{
    hb_refresh_job *job = (hb_refresh_job *)base;
    const hb_job *of = &base->base.job;
    const hb_params *params = of->session.params;
    const hb_header *old = hb_change_job_old(base);
    const size_t batch = of->plan.workers.batch;
    const uint32_t users = base->header.limbs;
    const hb_evaluator_requirements requirements = requirements_of(params, batch);
    const hb_bootstrap_spec spec = {.count = batch, .of = i > 0 ? job->refresher[0].bootstrap : NULL};
    hb_engine *engine = base->worker[i].engine;
    hb_refresher *x = &job->refresher[i];
    HB_TRY(hb_evaluator_open(engine, params, &requirements, &x->evaluator));
    HB_TRY(hb_bootstrap_open(engine, params, &spec, &x->bootstrap));
    if (old->limbs < users) {
        HB_TRY(hb_ciphertexts_alloc(&x->from, engine, params, 2, batch, old->limbs));
    }
    return hb_ciphertexts_alloc(&x->some, engine, params, 2, batch, users);
}

static void close_refresher(hb_change_job *base, uint32_t i)
{
    hb_engine *engine = base->worker[i].engine;
    hb_refresher *x = &((hb_refresh_job *)base)->refresher[i];
    if (engine != NULL) {
        hb_batch_free(engine, &x->from.all);
        hb_batch_free(engine, &x->some.all);
    }
    hb_evaluator_close(x->evaluator);
}

/* Loads some ciphertexts at the users' highest level. */
static hb_status load(hb_change_job *base, const hb_change_some *some, hb_ciphertexts to)
{
    hb_refresher *x = &((hb_refresh_job *)base)->refresher[some->worker];
    hb_change_worker *rows = &base->worker[some->worker];
    const uint32_t limbs = hb_change_job_old(base)->limbs;
    const bool extends = limbs < base->header.limbs;
    const hb_ciphertexts from =
        extends ? hb_ciphertexts_view(x->from, rows->engine, base->base.job.session.params, 2, some->count, limbs) : to;
    HB_TRY(hb_unit_rows_load(&rows->from, hb_ciphertexts_component(from, 0), hb_ciphertexts_component(from, 1),
                             some->rows, some->places));
    return extends ? hb_evaluator_extend(x->evaluator, to, from) : HB_OK;
}

static hb_status refresh_some(hb_change_job *base, const hb_change_some *some)
{
    hb_refresh_job *job = (hb_refresh_job *)base;
    hb_refresher *x = &job->refresher[some->worker];
    const hb_change_worker *rows = &base->worker[some->worker];
    const hb_session *session = &base->base.job.session;
    hb_ciphertexts c = hb_ciphertexts_view(x->some, rows->engine, session->params, 2, some->count, base->header.limbs);
    HB_TRY(load(base, some, c));
    HB_TRY(hb_change_to_ring(rows, hb_ciphertexts_component(c, 0)));
    for (uint32_t i = 0; i < job->plan.passes; i++) {
        HB_TRY(hb_bootstrap_apply(x->evaluator, x->bootstrap, HB_BOOTSTRAP_NOISE, job->plan.k[i], &c, &c,
                                  &session->switch_keys));
    }
    HB_TRY(hb_change_refuse_transparent(base, rows, hb_ciphertexts_component(c, 1), "one of its ciphertexts becomes"));
    HB_TRY(hb_change_to_file(rows, hb_ciphertexts_component(c, 0)));
    return hb_change_store(base, some, c);
}

static void close_own(hb_job *base)
{
    hb_refresh_job *job = (hb_refresh_job *)base;
    for (uint32_t i = HB_MOST_WORKERS; i-- > 0;) { /* the first one last: the others use its maps */
        hb_bootstrap_close(job->refresher[i].bootstrap);
    }
    hb_change_job_close(&job->base);
    hb_key_files_close(job->key_files);
}

static const hb_change change = {.ordered = true,
                                 .worker_bytes = worker_bytes,
                                 .open = open_refresher,
                                 .close = close_refresher,
                                 .change = refresh_some};

static const hb_job_kind kind = {
    .bytes = sizeof(hb_refresh_job),
    .command = "refresh",
    .verb = "refreshed",
    .resumable = true,
    .stages = {.read = hb_change_job_read, .compute = hb_change_job_make, .write = hb_output_job_write},
    .find_out = find_out,
    .compare = compare,
    .work = work_of,
    .worker_bytes = hb_change_job_worker_bytes,
    .fixed_bytes = fixed_bytes,
    .host_bytes = hb_change_job_host_bytes,
    .open_output = hb_output_job_open,
    .begin = begin,
    .check = hb_output_job_check,
    .prepare = hb_change_job_prepare,
    .loop = hb_output_job_run,
    .sync = hb_output_job_sync,
    .commit = hb_output_job_commit,
    .end = hb_output_job_end,
    .close = close_own};

hb_status hb_refresh_job_open(hb_refresh_job *job, hb_group *group, const hb_common *common,
                              const hb_refresh_options *options)
{
    *job = (hb_refresh_job){.base.options = options->base, .options = *options};
    return hb_change_job_open(&job->base, &kind, &change, group, common, describe);
}
