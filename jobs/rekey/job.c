#include "job.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/chunk.h"
#include "batch/job/shared_dataset.h"
#include "batch/unit/predicted.h"
#include "batch/unit/work.h"
#include "io/files/durable.h"
#include "output/output_job.h"
#include "scheme/quality.h"

/* --- the header */

/* Values of columns whose range is known have room beside the error. */
static bool has_room(const hb_params *params, const hb_header *header)
{
    const double room = hb_quality_room(params, header->limbs, header->quality);
    for (uint64_t c = 0; c < header->schema.columns; c++) {
        const hb_column *column = &header->schema.column[c];
        const double most = fmax(fabs(hb_real_of(column->least)), fabs(hb_real_of(column->most)));
        if (header->cells == HB_CELL_REAL && column->ranged && log2(most) > room) {
            return false;
        }
    }
    return header->cells == HB_CELL_REAL || hb_predicted_budget(params, header).worst >= 1;
}

static hb_status fill_header(hb_rekey_job *job, const hb_header *old)
{
    const hb_params *params = job->base.session.params;
    hb_header *header = &job->header;
    hb_schema schema = {.rows = 0};
    HB_TRY(hb_schema_copy(&schema, &old->schema));
    *header = *old;
    header->schema = schema;
    header->version = 0; /* new datasets have the layout of today */
    header->seeded = false;
    hb_header_forget_sanitized(header);
    header->made_by = HB_MADE_EVALUATED;
    memcpy(header->key_id, job->key.source.label.key_id, sizeof header->key_id);
    hb_header_quality(header, hb_quality_switch(params, old->limbs, hb_predicted_quality(params, old),
                                                HB_SWITCH_GALOIS)); /* as keys with both secrets have it */
    hb_header_past *past = &header->past;
    const uint32_t kept = past->steps < HB_HISTORY_MOST ? past->steps : HB_HISTORY_MOST - 1, gone = past->steps - kept;
    memmove(past->what, past->what + gone, kept * sizeof *past->what);
    memmove(past->key_id, past->key_id + gone, kept * sizeof *past->key_id);
    memmove(past->data_sum, past->data_sum + gone, kept * sizeof *past->data_sum);
    past->what[kept] = HB_HISTORY_REKEY;
    memcpy(past->key_id[kept], old->key_id, sizeof past->key_id[kept]);
    memcpy(past->data_sum[kept], job->input_sum, sizeof past->data_sum[kept]);
    past->steps = kept + 1;
    return has_room(params, header) ? HB_OK
                                    : HB_FAIL(HB_EDATA,
                                              "%s: under another key it may not be decryptable, as the change adds "
                                              "noise, and too little budget is left",
                                              job->options.input);
}

/* --- the job: before it runs */

static hb_output_request output_request(const hb_rekey_job *job)
{
    const hb_rekey_options *options = &job->options;
    return (hb_output_request){.path = options->output,
                               .header = &job->header,
                               .resume = options->resume,
                               .force = options->force,
                               .dry_run = options->dry_run,
                               .found = options->found};
}

static hb_status find_out(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    hb_session *session = &base->session;
    const hb_output_request request = output_request(job);
    base->header = &job->header;
    HB_TRY(hb_output_job_look(base, &request, &job->options.input, 1));
    HB_TRY(hb_dataset_open_among(job->options.input, base->options.residue, hb_shared_dataset_ranks(base->group),
                                 &job->dataset));
    HB_TRY(hb_dataset_require_whole(job->dataset, job->options.input));
    hb_dataset_sum(job->dataset, job->input_sum);
    const hb_header *old = hb_dataset_header(job->dataset);
    HB_TRY(hb_session_open_keyless(session, &old->spec));
    HB_TRY(hb_moving_key_open(&job->key, job->options.keys, old, job->options.input));
    if (old->limbs > session->params->fresh_limbs || session->params->levels[old->limbs].basis.limbs == 0) {
        return HB_FAIL(HB_EDATA, "%s: its parameters have no level of %" PRIu32 " limbs", job->options.input,
                       old->limbs);
    }
    memcpy(session->key_id, job->key.source.label.key_id, sizeof session->key_id);
    return fill_header(job, old);
}

/* Computes a digest of the input and the key, which with the header decide all bytes of the output. */
static void identity(const hb_rekey_job *job, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch rekey");
    hb_digest_add(&state, job->input_sum, sizeof job->input_sum);
    hb_digest_add(&state, job->key.source.label.sum, sizeof job->key.source.label.sum);
    hb_digest_end(&state, digest);
}

static hb_status compare(hb_job *base)
{
    const hb_rekey_job *job = (const hb_rekey_job *)base;
    uint8_t digests[2][HB_DIGEST_BYTES], digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    identity(job, digests[0]);
    hb_header_digest(digests[1], base->header);
    hb_digest_begin(&state, "hebatch rekey");
    hb_digest_add(&state, digests[0], sizeof digests);
    hb_digest_end(&state, digest);
    HB_TRY(hb_group_same(base->group, digest, "the dataset, or the rekeying key"));
    return hb_dataset_tell(job->dataset, hb_shared_dataset_ranks(base->group));
}

static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_rekey_job *job = (const hb_rekey_job *)base;
    hb_work work = hb_work_rekey(base->session.params, base->header, hb_dataset_header(job->dataset), (int)groups);
    work.key_bytes = (double)hb_switch_key_source_reads(&job->key.source);
    work.on_disk = hb_path_is_on_disk(job->options.output);
    return work;
}

static uint64_t fixed_bytes(const void *context, const hb_params *params)
{
    const hb_key_purpose purpose = hb_moving_key_purpose(((const hb_rekey_job *)context)->base.header);
    return hb_key_purpose_bytes(params, &purpose) + hb_switch_key_preparing_bytes(params);
}

static hb_evaluator_requirements requirements_of(const hb_header *header, size_t batch)
{
    return (hb_evaluator_requirements){.limbs = header->limbs, .count = batch, .switching = true};
}

static uint64_t worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_header *header = ((const hb_rekey_job *)context)->base.header;
    const hb_evaluator_requirements requirements = requirements_of(header, batch);
    const uint64_t ciphertext =
        (uint64_t)2 * hb_params_most_limbs(params, params->ids, header->limbs) * params->spec.n * sizeof(uint64_t);
    return 2 * hb_unit_rows_bytes(params, header) + batch * ciphertext + hb_evaluator_bytes(params, &requirements) +
           (header->encoding == HB_ENCODE_REVERSED ? hb_unit_order_bytes(params, header->limbs) : 0);
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
    const hb_output_request request = output_request(job);
    return hb_output_job_open(base, &job->output, &request, describe);
}

/* --- the job: while it runs */

/* Collective, as keys over the integers are made by all members that share limbs. */
static hb_status begin(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    hb_switch_key key = {0};
    hb_status st = hb_agree(base->group, hb_moving_key_load(&job->key, &base->session, base->header, &key));
    st = st == HB_OK ? hb_agree(base->group, hb_switch_keys_add(&base->session.switch_keys, &key)) : st;
    hb_switch_key_clear(&key);
    HB_TRY(st);
    return hb_output_dataset_begin(&job->output);
}

static hb_status check(hb_job *base)
{
    return hb_output_job_check(base, &((hb_rekey_job *)base)->output);
}

static hb_status open_worker(hb_rekey_job *job, uint32_t i)
{
    const hb_session *session = &job->base.session;
    const hb_header *header = job->base.header;
    const size_t batch = job->base.plan.workers.batch;
    hb_rekeyer *x = &job->worker[i];
    const hb_evaluator_requirements requirements = requirements_of(header, batch);
    x->engine = session->queue[i];
    HB_TRY(hb_unit_rows_init(&x->input, 1, x->engine, session->params, header));
    HB_TRY(hb_unit_rows_init(&x->made, 1, x->engine, session->params, header));
    hb_unit_rows_turn_to(&x->input, hb_dataset_header(job->dataset));
    if (header->encoding == HB_ENCODE_REVERSED) {
        HB_TRY(hb_unit_order_open(&x->order, x->engine, session->params, header->limbs));
    }
    HB_TRY(hb_evaluator_open(x->engine, session->params, &requirements, &x->evaluator));
    return hb_ciphertexts_alloc(&x->some, x->engine, session->params, 2, batch, header->limbs);
}

static void close_worker(hb_rekeyer *x)
{
    if (x->engine != NULL) {
        hb_batch_free(x->engine, &x->some.all);
    }
    hb_evaluator_close(x->evaluator);
    hb_unit_order_close(&x->order);
    hb_unit_rows_clear(&x->input, 1);
    hb_unit_rows_clear(&x->made, 1);
}

/* Seeds come beside the rows of the buffers, which are the output's. */
static hb_status make_seeds(hb_rekey_job *job)
{
    const hb_header *old = hb_dataset_header(job->dataset);
    const hb_job *base = &job->base;
    const uint32_t buffers = hb_pipeline_buffers(hb_job_threads(base), base->plan.workers.units);
    for (uint32_t i = 0; i < buffers && old->seeded; i++) {
        HB_TRY(hb_rows_add_seeds(&job->base.buffers.buffer[i].rows, base->session.engine, old));
    }
    return HB_OK;
}

static hb_status prepare(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    HB_TRY(hb_output_job_divide(base, &job->output));
    /* A rank without units goes through the collective steps with the others all the same. */
    if (base->units.mine.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_job_make_buffers(base));
    HB_TRY(make_seeds(job));
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
    hb_unit_buffer *to = &job->base.buffers.buffer[buffer];
    hb_rows rows = hb_rows_as_stored(&to->rows, hb_dataset_header(job->dataset));
    HB_TRY(hb_dataset_read(job->dataset, u, &rows));
    to->rows.count = rows.count;
    return HB_OK;
}

/* Brings ciphertexts of the unit that was checked into c, in the order of the ring. */
static hb_status load(hb_rekeyer *x, const hb_rows *rows, hb_unit_rows_view places, hb_ciphertexts c)
{
    const hb_batch c0 = hb_ciphertexts_component(c, 0);
    HB_TRY(hb_unit_rows_load(&x->input, c0, hb_ciphertexts_component(c, 1), rows, places));
    return x->order.engine != NULL ? hb_unit_order_to_ring(&x->order, c0) : HB_OK;
}

static hb_status store(hb_rekeyer *x, hb_unit_rows_view places, hb_ciphertexts c)
{
    const hb_batch c0 = hb_ciphertexts_component(c, 0);
    if (x->order.engine != NULL) {
        HB_TRY(hb_unit_order_to_file(&x->order, c0));
    }
    HB_TRY(hb_unit_rows_pack(&x->made, 0, c0, places));
    return hb_unit_rows_pack(&x->made, 1, hb_ciphertexts_component(c, 1), places);
}

static hb_status switch_some(hb_rekey_job *job, hb_rekeyer *x, const hb_rows *rows, hb_chunk c)
{
    const hb_session *session = &job->base.session;
    const hb_unit_rows_view places = {c.first, 1, (size_t)rows->count};
    const hb_ciphertexts some = hb_ciphertexts_view(x->some, x->engine, session->params, 2, c.count, job->header.limbs);
    size_t place;
    HB_TRY(load(x, rows, places, some));
    HB_TRY(hb_evaluator_change_key(x->evaluator, some, some, &session->switch_keys.key[0]));
    HB_TRY(hb_unit_rows_find_transparent(x->engine, session->params, hb_ciphertexts_component(some, 1), &place));
    return place == c.count
               ? store(x, places, some)
               : HB_FAIL(HB_EDATA, "%s: one of its ciphertexts is transparent: anyone can read it without a key",
                         job->options.input);
}

/* In a worker's thread, on its queue. */
static hb_status switch_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_rekey_job *job = context;
    hb_rekeyer *x = &job->worker[worker];
    hb_unit_buffer *of = &job->base.buffers.buffer[buffer];
    const hb_rows rows = hb_rows_as_stored(&of->rows, hb_dataset_header(job->dataset));
    HB_TRY(hb_unit_rows_check(&x->input, u, &rows, job->dataset));
    for (hb_chunk c = hb_chunks((size_t)rows.count, job->base.plan.workers.batch); hb_chunk_next(&c);) {
        HB_TRY(switch_some(job, x, &rows, c));
    }
    HB_TRY(hb_unit_rows_download(&x->made, &of->rows));
    return hb_unit_rows_sum(&x->made, u, &of->rows, of->sum);
}

/* In a writer's thread. */
static hb_status write_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    hb_rekey_job *job = context;
    const hb_unit_buffer *done = &job->base.buffers.buffer[buffer];
    return hb_output_dataset_write(&job->output, u, &done->rows, done->sum);
}

static hb_status loop(hb_job *base)
{
    return hb_output_job_run(base, &((hb_rekey_job *)base)->output);
}

static hb_status sync(hb_job *base)
{
    return hb_output_dataset_sync(&((hb_rekey_job *)base)->output);
}

static hb_status commit(hb_job *base)
{
    return hb_output_dataset_commit(&((hb_rekey_job *)base)->output);
}

static void end(hb_job *base)
{
    hb_output_dataset_end(&((hb_rekey_job *)base)->output);
}

static void close_own(hb_job *base)
{
    hb_rekey_job *job = (hb_rekey_job *)base;
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        close_worker(&job->worker[i]);
    }
    hb_moving_key_close(&job->key);
    hb_output_dataset_close(&job->output);
    hb_dataset_close(job->dataset);
    hb_header_clear(&job->header);
}

static const hb_job_kind kind = {.bytes = sizeof(hb_rekey_job),
                                 .verb = "moved",
                                 .resumable = true,
                                 .stages = {.read = read_unit, .compute = switch_unit, .write = write_unit},
                                 .find_out = find_out,
                                 .compare = compare,
                                 .work = work_of,
                                 .worker_bytes = worker_bytes,
                                 .fixed_bytes = fixed_bytes,
                                 .open_output = open_output,
                                 .begin = begin,
                                 .check = check,
                                 .prepare = prepare,
                                 .loop = loop,
                                 .sync = sync,
                                 .commit = commit,
                                 .end = end,
                                 .close = close_own};

hb_status hb_rekey_job_open(hb_rekey_job *job, hb_group *group, const hb_common *common,
                            const hb_rekey_options *options)
{
    *job = (hb_rekey_job){.base = {.kind = &kind, .group = group, .common = common, .options = options->job},
                          .options = *options};
    return hb_job_open(&job->base);
}
