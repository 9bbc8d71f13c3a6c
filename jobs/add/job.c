#include "job.h"

#include <inttypes.h>
#include <string.h>

#include "adder.h"
#include "base/chunk.h"
#include "batch/unit/work.h"
#include "io/files/durable.h"
#include "scheme/codec.h"
#include "scheme/params.h"

/* --- the adder */

static uint64_t group_ciphertexts(const hb_header *header)
{
    const uint64_t most = hb_add_together(header) * header->unit;
    return most < header->ciphertexts ? most : header->ciphertexts;
}

/* Returns the bytes of the engine's memory that an adder takes, on the member with most limbs. `header` is that of the
 * sum, whose units are as large as the largest unit of any dataset. */
static uint64_t adder_bytes(const hb_params *params, const hb_header *header, size_t batch)
{
    const uint64_t ciphertext =
        (uint64_t)2 * hb_params_most_limbs(params, params->ids, header->limbs) * params->spec.n * sizeof(uint64_t);
    return 2 * hb_unit_rows_bytes(params, header) + (group_ciphertexts(header) + batch) * ciphertext;
}

/* Makes an adder on an engine; borrows everything. HB_ENOMEM. The caller clears, also after a failure and before the
 * engine closes; a zeroed struct is allowed. */
static hb_status adder_init(hb_adder *x, hb_engine *engine, const hb_params *params, const hb_header *header,
                            size_t batch)
{
    *x = (hb_adder){.engine = engine, .params = params, .header = header, .batch = batch};
    HB_TRY(hb_unit_rows_init(&x->input, 1, engine, params, header));
    HB_TRY(hb_unit_rows_init(&x->made, 1, engine, params, header));
    for (int i = 0; i < 2; i++) {
        HB_TRY(hb_batch_alloc(engine, &x->sum[i], (size_t)group_ciphertexts(header), header->limbs, params->ids));
        HB_TRY(hb_batch_alloc(engine, &x->some[i], batch, header->limbs, params->ids));
    }
    return HB_OK;
}

static void adder_clear(hb_adder *x)
{
    for (int i = 0; i < 2 && x->engine != NULL; i++) {
        hb_batch_free(x->engine, &x->sum[i]);
        hb_batch_free(x->engine, &x->some[i]);
    }
    hb_unit_rows_clear(&x->input, 1);
    hb_unit_rows_clear(&x->made, 1);
    memset(x, 0, sizeof *x);
}

/* Adds the ciphertexts that `read` has of its unit to the sum of the group; `rows` are those of the unit. The first
 * dataset begins the sum. HB_EDATA where the rows do not match the unit's digest, or are no residues. Exchanges where
 * limbs are divided. */
static hb_status adder_add(hb_adder *x, const hb_add_read *read, const hb_rows *rows, const hb_dataset *dataset)
{
    hb_unit_rows_turn_to(&x->input, hb_dataset_header(dataset));
    HB_TRY(hb_unit_rows_check(&x->input, read->unit, rows, dataset));
    for (hb_chunk c = hb_chunks((size_t)read->count, x->batch); hb_chunk_next(&c);) {
        const hb_unit_rows_view places = {(size_t)read->from + c.first, 1, (size_t)rows->count};
        hb_batch sum[2], some[2];
        for (int i = 0; i < 2; i++) {
            sum[i] = hb_batch_slice(x->sum[i], (size_t)read->to + c.first, c.count);
            some[i] = hb_batch_slice(x->some[i], 0, c.count);
        }
        if (read->input == 0) {
            HB_TRY(hb_unit_rows_load(&x->input, sum[0], sum[1], rows, places));
            continue;
        }
        HB_TRY(hb_unit_rows_load(&x->input, some[0], some[1], rows, places));
        HB_TRY(hb_add(x->engine, sum[0], sum[0], some[0]));
        HB_TRY(hb_add(x->engine, sum[1], sum[1], some[1]));
    }
    /* Rows of the next unit go to the same memory. */
    return hb_finish(x->engine);
}

/* Makes unit `unit` of the sum, which belongs to the group, once the group is complete: its rows, under the header of
 * the sum, and their digest. HB_EDATA where a ciphertext is transparent; `name` is for the message. Exchanges;
 * waits. */
static hb_status adder_make(hb_adder *x, const hb_add_group *group, uint64_t unit, const char *name, hb_rows *rows,
                            uint8_t sum[HB_DIGEST_BYTES])
{
    uint64_t first, ciphertexts;
    hb_header_unit_range(x->header, unit, &first, &ciphertexts);
    const size_t at = (size_t)(first - group->first), count = (size_t)ciphertexts;
    const hb_unit_rows_view places = {0, 1, count};
    const hb_batch c0 = hb_batch_slice(x->sum[0], at, count), c1 = hb_batch_slice(x->sum[1], at, count);
    size_t place;
    HB_TRY(hb_unit_rows_find_transparent(x->engine, x->params, c1, &place));
    if (place < count) {
        return HB_FAIL(HB_EDATA,
                       "%s: its ciphertext %" PRIu64 " (from 0) is transparent: anyone could read it without a key, so "
                       "nothing is stored; datasets cancel one another",
                       name, first + place);
    }
    HB_TRY(hb_unit_rows_pack(&x->made, 0, c0, places));
    HB_TRY(hb_unit_rows_pack(&x->made, 1, c1, places));
    rows->count = ciphertexts;
    HB_TRY(hb_unit_rows_download(&x->made, rows));
    return hb_unit_rows_sum(&x->made, unit, rows, sum);
}

/* --- the job */

/* The parameters are those of the first dataset. */
static hb_status open_params(hb_add_job *job, const hb_header *header)
{
    hb_session *session = &job->base.job.session;
    HB_TRY(hb_session_open_keyless(session, &header->spec));
    memcpy(session->key_id, header->key_id, sizeof session->key_id);
    if (header->encoding == HB_ENCODE_SLOTS) {
        HB_TRY(hb_params_require_slots(session->params));
    }
    const bool reals = hb_codec_cell_type(header->spec.scheme) == HB_CELL_REAL;
    if (reals && job->options.wrap) {
        return HB_FAIL(HB_EUSAGE, "--wrap: values of %s do not wrap around", hb_scheme_name(header->spec.scheme));
    }
    HB_TRY(hb_ranges_check_scheme(job->options.ranges, job->options.range_count, header->spec.scheme));
    job->sum = (hb_sum_header){.params = session->params,
                               .ranges = job->options.ranges,
                               .range_count = job->options.range_count,
                               .wrap = job->options.wrap};
    return HB_OK;
}

/* Returns whether a pattern has found an input, and no word names it. */
static bool is_found(const hb_add_options *options, const char *input)
{
    for (size_t i = 0; i < options->named_count; i++) {
        if (strcmp(options->named[i], input) == 0) {
            return false;
        }
    }
    return true;
}

static hb_status look_at(hb_add_job *job, size_t i)
{
    hb_dataset *dataset = NULL;
    HB_TRY(hb_add_inputs_look(&job->inputs, i, is_found(&job->options, job->options.inputs[i]), &dataset));
    const hb_header *header = hb_dataset_header(dataset);
    hb_status st = i == 0 ? open_params(job, header) : HB_OK;
    st = st == HB_OK ? hb_sum_header_add(&job->sum, header, job->options.inputs[i]) : st;
    hb_dataset_close(dataset);
    return st;
}

/* Computes one digest of all datasets in their order. */
static void digest_of(const hb_add_inputs *inputs, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch add");
    hb_digest_add_u64(&state, inputs->count);
    hb_digest_add(&state, inputs->sums[0], inputs->count * HB_DIGEST_BYTES);
    hb_digest_end(&state, digest);
}

/* Every rank looks at all indexes for itself; compare sees that all have the same. */
static hb_status find_out(hb_job *base)
{
    hb_add_job *job = (hb_add_job *)base;
    const hb_add_options *options = &job->options;
    base->header = &job->sum.header;
    HB_TRY(hb_output_job_look(&job->base));
    HB_TRY(hb_add_inputs_init(&job->inputs, options->inputs, options->count, options->job.residue, base->group));
    for (size_t i = 0; i < options->count; i++) {
        HB_TRY(look_at(job, i));
    }
    HB_TRY(hb_add_inputs_check_different(&job->inputs));
    HB_TRY(hb_add_inputs_check_found(&job->inputs));
    job->base.request.summands = job->inputs.parts;
    digest_of(&job->inputs, job->digest);
    const uint64_t unit = job->inputs.largest > 0 ? job->inputs.largest : 1;
    hb_sum_header_end(&job->sum, unit);
    return HB_OK;
}

static hb_status compare(hb_job *base)
{
    const hb_add_job *job = (const hb_add_job *)base;
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch sum");
    hb_digest_add(&state, job->digest, sizeof job->digest);
    hb_header_digest(digest, base->header);
    hb_digest_add(&state, digest, sizeof digest);
    hb_digest_end(&state, digest);
    return hb_group_same(base->group, digest, "a dataset, or their order");
}

static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_add_job *job = (const hb_add_job *)base;
    hb_work work = hb_work_add(base->session.params, base->header, job->inputs.count, (int)groups);
    work.on_disk = hb_path_is_on_disk(job->options.output);
    return work;
}

static uint64_t worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_job *base = context;
    return adder_bytes(params, base->header, batch);
}

static uint64_t buffer_bytes(const hb_add_job *job, const hb_params *params)
{
    const hb_header *header = job->base.job.header;
    return hb_rows_bytes(params, header) + (job->inputs.seeded ? header->unit * sizeof(hb_seed) : 0);
}

static uint64_t host_bytes(const void *context, const hb_params *params, const hb_workers *workers)
{
    const hb_add_job *job = context;
    /* How many reads there are is known later. */
    return hb_pipeline_buffers(hb_workers_threads(workers, false), UINT64_MAX) * buffer_bytes(job, params) +
           hb_rows_bytes(params, job->base.job.header);
}

static hb_status describe(const hb_job *base, hb_resume *described)
{
    return hb_resume_add_digest(described, "added", ((const hb_add_job *)base)->digest);
}

/* A unit of any dataset: with two components or with seeds. */
static hb_status make_buffer(void *context, uint32_t i)
{
    hb_add_job *job = context;
    hb_engine *engine = job->base.job.session.engine;
    hb_rows *rows = &job->buffer[i].memory;
    HB_TRY(hb_rows_alloc(rows, 1, engine, job->base.job.header));
    return job->inputs.seeded ? hb_rows_add_seeds(rows, engine, job->base.job.header) : HB_OK;
}

/* Divides the missing units over the ranks, and allocates for this rank's share. */
static hb_status prepare(hb_job *base)
{
    hb_add_job *job = (hb_add_job *)base;
    const hb_session *session = &base->session;
    HB_TRY(hb_unit_map_divide(&job->base.output.finished, false, session->grid.peers, base->header, &job->todo));
    HB_TRY(hb_output_dataset_expect(&job->base.output, &job->todo));
    HB_TRY(hb_add_schedule_init(&job->schedule, base->header, &job->todo, job->inputs.sizes, job->inputs.count));
    if (job->schedule.reads == 0) {
        return HB_OK;
    }
    HB_TRY(hb_background_each(make_buffer, job, hb_pipeline_buffers(hb_job_threads(base), job->schedule.reads)));
    HB_TRY(hb_rows_alloc(&job->made, 1, session->engine, base->header));
    return adder_init(&job->adder, session->queue[0], session->params, base->header, base->plan.workers.batch);
}

/* Units of the sum are written where they are made: one for as many reads as there are datasets. */
static uint32_t writers(const hb_job *base)
{
    (void)base;
    return 0;
}

/* In a reader's thread. */
static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t place)
{
    (void)thread;
    hb_add_job *job = context;
    hb_add_buffer *to = &job->buffer[buffer];
    const hb_add_read read = hb_add_schedule_read(&job->schedule, place);
    to->dataset = NULL;
    if (read.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_add_inputs_take(&job->inputs, (size_t)read.input, read.unit, &to->dataset));
    to->rows = hb_rows_as_stored(&to->memory, hb_dataset_header(to->dataset));
    return hb_dataset_read(to->dataset, read.unit, &to->rows);
}

/* Makes and writes the units of a group that is complete. */
static hb_status store(hb_add_job *job, const hb_add_group *group)
{
    uint8_t sum[HB_DIGEST_BYTES];
    for (uint64_t u = group->unit; u < group->unit + group->units; u++) {
        HB_TRY(adder_make(&job->adder, group, u, job->options.output, &job->made, sum));
        HB_TRY(hb_output_dataset_write(&job->base.output, u, &job->made, sum));
        hb_stage_times_note(HB_TIME_WRITE);
        job->units_made++;
    }
    return HB_OK;
}

/* In the one worker's thread, in the order of the reads. */
static hb_status add_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t place)
{
    (void)worker;
    hb_add_job *job = context;
    hb_add_buffer *of = &job->buffer[buffer];
    const hb_add_read read = hb_add_schedule_read(&job->schedule, place);
    if (of->dataset != NULL) {
        HB_TRY(adder_add(&job->adder, &read, &of->rows, of->dataset));
        hb_add_inputs_leave(&job->inputs, (size_t)read.input);
    }
    return read.last ? store(job, read.group) : HB_OK;
}

/* Counts the units that all ranks made, whether the run was stopped or not. Collective. */
static hb_status count_made(hb_add_job *job, hb_status ran)
{
    const hb_error reason = *hb_last_error();
    if (ran == HB_OK || ran == HB_ESTOPPED) {
        HB_TRY(hb_agree(job->base.job.group, hb_group_sum(job->base.job.session.grid.peers, &job->units_made, 1)));
        job->options.found->made += job->units_made;
        hb_set_error(&reason);
    }
    return ran;
}

static hb_status loop(hb_job *base)
{
    hb_add_job *job = (hb_add_job *)base;
    const uint64_t mine = job->schedule.reads;
    uint64_t all = mine;
    HB_TRY(hb_agree(base->group, hb_group_sum(base->session.grid.peers, &all, 1)));
    base->units = (hb_units){.mine = {0, mine}, .count = all, .ciphertexts = all};
    job->reads = (hb_header){.ciphertexts = mine, .unit = 1};
    base->reads = &job->reads;
    const hb_tally tally = {base->kind->verb, "unit", base->header->unit * hb_header_ciphertext_bytes(base->header)};
    const hb_status st = count_made(job, hb_job_run_units(base, tally, 0, NULL));
    job->base.output.discard = st == HB_EDATA; /* a dataset must change before the job can go on */
    return st;
}

static void close_own(hb_job *base)
{
    hb_add_job *job = (hb_add_job *)base;
    adder_clear(&job->adder);
    for (size_t i = 0; i < HB_PIPELINE_MOST_BUFFERS && base->session.engine != NULL; i++) {
        hb_rows_free(&job->buffer[i].memory, base->session.engine);
    }
    if (base->session.engine != NULL) {
        hb_rows_free(&job->made, base->session.engine);
    }
    hb_add_schedule_clear(&job->schedule);
    hb_units_clear(&job->todo);
    hb_output_dataset_close(&job->base.output);
    hb_add_inputs_close(&job->inputs);
    hb_sum_header_clear(&job->sum);
}

static const hb_job_kind kind = {.bytes = sizeof(hb_add_job),
                                 .command = "add",
                                 .verb = "added",
                                 .resumable = true,
                                 .in_order = true,
                                 .stages = {.read = read_unit, .compute = add_unit},
                                 .find_out = find_out,
                                 .compare = compare,
                                 .work = work_of,
                                 .worker_bytes = worker_bytes,
                                 .host_bytes = host_bytes,
                                 .open_output = hb_output_job_open,
                                 .begin = hb_output_job_begin,
                                 .check = hb_output_job_check,
                                 .prepare = prepare,
                                 .writers = writers,
                                 .loop = loop,
                                 .sync = hb_output_job_sync,
                                 .commit = hb_output_job_commit,
                                 .end = hb_output_job_end,
                                 .close = close_own};

hb_status hb_add_job_open(hb_add_job *job, hb_group *group, const hb_common *common, const hb_add_options *options)
{
    *job = (hb_add_job){.base = {.job = {.kind = &kind, .group = group, .common = common, .options = options->job},
                                 .inputs = (const char *const *)options->inputs,
                                 .input_count = options->count,
                                 .describe = describe,
                                 .request = {.path = options->output,
                                             .header = &job->sum.header,
                                             .resume = options->resume,
                                             .force = options->force,
                                             .dry_run = options->dry_run,
                                             .found = options->found}},
                        .options = *options};
    return hb_job_open(&job->base.job);
}
