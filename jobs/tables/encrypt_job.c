#include "encrypt_job.h"

#include <inttypes.h>
#include <string.h>

#include "base/cell.h"
#include "batch/cells/public_range.h"
#include "batch/cells/table_notes.h"
#include "batch/cells/wide_cells.h"
#include "batch/cells/without_effect.h"
#include "batch/job/shared_dataset.h"
#include "batch/job/shared_table.h"
#include "batch/unit/work.h"
#include "cli/misplaced_argument.h"
#include "cli/paths.h"
#include "divided/engine.h"
#include "encrypt_values.h"
#include "io/files/durable.h"
#include "ranks/share_root.h"
#include "scheme/matrix.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "scheme/slots.h"

/* Rows in blocks of that size; 0: the least that there is. */
static hb_status pack_rows(const hb_encrypt_job *job, uint64_t block, hb_packing *packing)
{
    const hb_header *header = &job->header;
    const uint64_t columns = header->schema.columns, least = hb_packing_least_block(columns);
    if (block > 0 && least > header->capacity) {
        return HB_FAIL(HB_EUSAGE,
                       "--block %" PRIu64 ": a row of %" PRIu64 " columns does not fit into the %" PRIu64
                       " slots of a ciphertext",
                       block, columns, header->capacity);
    }
    if (block > 0 && (block < least || (block & (block - 1)) != 0 || block > header->capacity)) {
        return HB_FAIL(HB_EUSAGE,
                       "--block %" PRIu64 ": rows of %" PRIu64
                       " columns stand in blocks of a power of two, from %" PRIu64 " to %" PRIu64 " slots",
                       block, columns, least, header->capacity);
    }
    *packing = hb_header_packing(header);
    packing->order = HB_PACK_ROWS;
    packing->block = block > 0 ? block : least;
    if (packing->block > header->capacity) { /* a row takes several ciphertexts */
        packing->block = 0;
    }
    return HB_OK;
}

static hb_status choose_packing(hb_encrypt_job *job)
{
    hb_header *header = &job->header;
    const hb_encrypt_options *options = &job->options;
    const bool blocks = header->cells == HB_CELL_REAL && header->encoding == HB_ENCODE_SLOTS;
    hb_packing columns = hb_header_packing(header), rows = columns;
    columns.order = HB_PACK_COLUMNS;
    rows.order = HB_PACK_ROWS;
    if (options->block > 0 && !blocks) {
        return HB_FAIL(HB_EUSAGE, "--block: rows stand in blocks where values are reals in slots");
    }
    if (blocks) {
        HB_TRY(pack_rows(job, options->block, &rows));
    }
    HB_TRY(hb_packing_check(&columns));
    HB_TRY(hb_packing_check(&rows));
    const hb_params *params = job->base.job.session.params;
    const bool cheaper = rows.block > 1 && hb_params_have_matrices(&params->spec) &&
                         hb_work_layer(params, &rows) < hb_work_layer(params, &columns);
    const bool by_rows = options->packing == HB_CHOOSE_ROWS || (options->packing == HB_CHOOSE_BEST && cheaper);
    header->order = by_rows ? HB_PACK_ROWS : HB_PACK_COLUMNS;
    header->block = by_rows ? rows.block : 0;
    return HB_OK;
}

/* Refuses a table that cannot stand in the place of every row. */
static hb_status check_one_row(const hb_encrypt_job *job)
{
    const hb_schema *schema = &job->header.schema;
    const char *option = job->options.fill ? "--fill" : "--spread", *table = job->options.tables.name[0];
    char text[HB_LEFT_OUT_TEXT];
    if (!job->options.fill && !job->options.spread) {
        return HB_OK;
    }
    if (schema->rows > 1 || (schema->rows == 0 && schema->left_out.rows == 0)) {
        return HB_FAIL(HB_EDATA, "%s: %s has %" PRIu64 " rows, and one alone can stand in the place of all", option,
                       table, schema->rows);
    }
    if (schema->left_out.rows > 0) {
        hb_left_out_text(text, &schema->left_out, schema->rows);
        return HB_FAIL(HB_EDATA,
                       "%s: %s: %s, and only a table of one row can stand in the place of all; give a value for "
                       "missing cells, --missing COLUMN=VALUE",
                       option, table, text);
    }
    return job->options.spread
               ? hb_schema_refuse_masks(schema, table, "--spread takes none: give a value, --missing COLUMN=VALUE")
               : HB_OK;
}

/* Every rank fills the header for itself; check_same sees that all have the same. */
static hb_status fill_header(hb_encrypt_job *job)
{
    hb_header *header = &job->header;
    const hb_session *session = &job->base.job.session;
    *header = (hb_header){.seeded = session->kind == HB_KEY_SECRET};
    HB_TRY(hb_encrypt_level_find(&job->options.level, session->params, !header->seeded, &header->limbs));
    hb_header_set_scheme(header, &session->params->spec, job->options.encoding);
    memcpy(header->key_id, session->key_id, sizeof header->key_id);
    HB_TRY(hb_pairs_apply(job->options.pairs, hb_table_schema(job->table), &header->schema));
    hb_wide_schema(&header->schema, &header->spec);
    const bool spread_i = header->encoding == HB_ENCODE_SPREAD && hb_slots_have_i(&header->spec);
    if (header->encoding != HB_ENCODE_SLOTS && !spread_i && hb_schema_has_halves(&header->schema)) {
        return HB_FAIL(HB_EUSAGE, "%s: complex numbers, and pairs of columns, are those of slots: leave %s out",
                       job->options.tables.name[0], job->options.spread ? "--spread" : "--encoding");
    }
    /* Before the digest of the header is compared, as ranges are part of it. */
    HB_TRY(hb_encrypt_ranges_declare(&job->options.ranges, &header->schema, &header->spec));
    hb_encrypt_ranges_fit_type(&header->schema, &header->spec);
    if (job->options.spread) {
        header->order = HB_PACK_ROWS;
    } else {
        HB_TRY(choose_packing(job));
    }
    const hb_packing packing = hb_header_packing(header);
    /* The counts below rely on this check. */
    HB_TRY(hb_packing_check(&packing));
    HB_TRY(check_one_row(job));
    if (job->options.fill &&
        (header->encoding != HB_ENCODE_SLOTS || (header->order == HB_PACK_ROWS && header->block == 0))) {
        return HB_FAIL(HB_EUSAGE, "--fill is for values in slots, by columns or in blocks");
    }
    header->dirty_padding = header->filled = job->options.fill;
    header->ciphertexts = hb_packing_ciphertexts(&packing);
    header->unit =
        hb_header_choose_unit(header->ciphertexts, hb_header_ciphertext_bytes(header), hb_packing_across(&packing));
    return HB_OK;
}

/* One rank looks whether the rows are there, which the others wait for. */
static hb_status check_appended(hb_encrypt_job *job)
{
    return job->options.append && job->base.job.group->rank == 0
               ? hb_appended_rows_check(job->base.job.group, job->base.job.common, &job->base.request, job->table,
                                        &job->appended)
               : HB_OK;
}

/* Every rank looks at key and table for itself. */
static hb_status find_out(hb_job *base)
{
    hb_encrypt_job *job = (hb_encrypt_job *)base;
    const hb_encrypt_options *options = &job->options;
    const hb_session *session = &base->session;
    base->header = &job->header;
    HB_TRY(hb_misplaced_dataset_name(options->output));
    if (options->append) {
        HB_TRY(hb_append_plan_open(&job->append_plan, options->output, options->reading, base->group));
        job->base.request.old = job->append_plan.dataset;
    }
    /* One rank asks whether the output can be: the others would only meet its file. */
    if (base->group->rank == 0 && options->job.residue == 0) {
        /* Refused now, before a key is read or a device opened. */
        HB_TRY(hb_output_probe(base->group, base->common, &job->base.request));
    }
    HB_TRY(hb_session_open_residue(&base->session, options->key, options->job.residue));
    HB_TRY(hb_session_require_key(session, options->key_id));
    HB_TRY(hb_quality_require_fresh(session->params, session->kind == HB_KEY_PUBLIC)); /* imported keys may fail */
    if (options->encoding != HB_ENCODE_COEFFICIENTS) { /* a row that is spread comes into slots */
        HB_TRY(hb_params_require_slots(session->params));
    }
    HB_TRY(hb_job_open_table(base, options->tables, &session->params->spec, options->reading, &job->table));
    HB_TRY(hb_schema_check_names(hb_table_schema(job->table), options->tables.name[0]));
    if (options->job.residue == 0) {
        HB_TRY(
            hb_table_notes_say(base->group, base->common,
                               &(hb_table_to_note){options->tables.name[0], job->table, options->reading->said.fold}));
        HB_TRY(hb_without_effect_say_table(job->table, base->group, base->common, &options->reading->said));
    }
    HB_TRY(options->append
               ? hb_append_plan_header(&job->append_plan, &base->session, job->table, &options->ranges, &job->header)
               : fill_header(job));
    HB_TRY(hb_can_create(options->output));
    HB_TRY(hb_paths_check(&options->output, 1, job->base.inputs, job->base.input_count));
    return check_appended(job);
}

/* Adds a digest of the seed, so that ranks can compare it without telling it. */
static void add_seed(hb_digest_state *state, const hb_seed *seed)
{
    uint8_t digest[HB_DIGEST_BYTES];
    hb_digest_state own;
    hb_digest_begin(&own, "hebatch seed");
    hb_digest_add(&own, seed->bytes, sizeof seed->bytes);
    hb_digest_end(&own, digest);
    hb_digest_add(state, digest, sizeof digest);
    /* The state has seen the seed. */
    hb_wipe(&own, sizeof own);
}

/* Collective: compares the data that ranks which encrypt together must share, except for the table's values, which
 * encrypt_unit compares as they come. */
static hb_status check_same(const hb_encrypt_job *job)
{
    const hb_encrypt_options *options = &job->options;
    uint8_t digest[HB_DIGEST_BYTES];
    hb_header_digest(digest, &job->header);
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch encrypt");
    hb_digest_add(&state, digest, sizeof digest);
    /* Members of a group must draw the same errors: the root alone does not say from which distribution. */
    hb_digest_add_u64(&state, options->errors);
    hb_digest_add_u64(&state, options->test_seed);
    hb_reading_digest(options->reading, digest);
    hb_digest_add(&state, digest, sizeof digest);
    if (options->test_seed) {
        add_seed(&state, &options->root);
    }
    hb_digest_end(&state, digest);
    return hb_group_same(job->base.job.group, digest, "the key, the table, --errors or the test seed");
}

/* Errors of computing with reals depend on how large they are, so a range is always stored. */
static bool wants_ranges(const hb_header *header)
{
    bool known = true;
    for (uint64_t c = 0; c < header->schema.columns; c++) {
        known = known && header->schema.column[c].ranged;
    }
    return header->cells == HB_CELL_REAL && !known;
}

/* Gives columns with masks their fills, and makes their ranges hold these: once ranges are known. */
static void fill(hb_schema *schema)
{
    for (uint64_t c = 0; c < schema->columns; c++) {
        hb_column *column = &schema->column[c];
        hb_interval range = hb_column_stored(column);
        hb_public_fill(column, &range);
        if (column->mask > 0 && range.known && range.real) {
            column->least = hb_real_word(range.low);
            column->most = hb_real_word(range.high);
        } else if (column->mask > 0 && range.known) {
            hb_column_set_interval(column, range);
        }
    }
}

/* Ranges are measured, and fills are found by them, before the headers are compared, as they become part of them. */
static hb_status compare(hb_job *base)
{
    hb_encrypt_job *job = (hb_encrypt_job *)base;
    const bool grows = job->options.append;
    job->measured = job->options.ranges.measured || (!grows && wants_ranges(&job->header));
    if (job->measured && grows) {
        HB_TRY(hb_append_plan_measure(&job->append_plan, base->group, &base->session, job->table, &job->options.ranges,
                                      &job->header));
    } else if (job->measured) {
        HB_TRY(hb_encrypt_ranges_measure_once(base, job->table, &job->header.schema));
    }
    if (!grows) {
        fill(&job->header.schema);
    }
    HB_TRY(hb_encrypt_level_check(&job->header, base->session.params));
    hb_table_set_fills(job->table, &job->header.schema);
    HB_TRY(check_same(job));
    return grows ? hb_dataset_tell(job->append_plan.dataset, hb_shared_dataset_ranks(base->group)) : HB_OK;
}

static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_encrypt_job *job = (const hb_encrypt_job *)base;
    const hb_header made = hb_plan_made(base->header, &job->append_plan.growth);
    hb_work work = hb_work_encrypt(base->session.params, &made, job->options.tables, (int)groups);
    work.on_disk = hb_path_is_on_disk(job->options.output);
    return work;
}

static uint64_t worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_encrypt_job *job = context;
    const hb_header *header = job->base.job.header;
    return hb_unit_encryptor_bytes(params, header, batch) +
           (job->options.append ? hb_unit_older_bytes(params, header) : 0);
}

/* The description says the name of the table, for people: a copy of the table will do, as the values of stored units
 * are compared. */
static hb_status describe(const hb_job *base, hb_resume *described)
{
    const hb_encrypt_job *job = (const hb_encrypt_job *)base;
    uint8_t reading[HB_DIGEST_BYTES];
    hb_reading_digest(job->options.reading, reading);
    described->tables = job->options.tables;
    HB_TRY(hb_resume_add_text(described, "errors", job->options.errors == HB_BINOMIAL ? "binomial" : "gaussian"));
    if (job->options.append) {
        uint8_t sum[HB_DIGEST_BYTES];
        hb_dataset_sum(job->append_plan.dataset, sum);
        described->command = "encrypt --append";
        HB_TRY(hb_resume_add_digest(described, "grows", sum));
    }
    /* The header lacks this: the values in the place of missing cells. */
    return hb_reading_says(job->options.reading) ? hb_resume_add_digest(described, "reading", reading) : HB_OK;
}

static hb_status open_output(hb_job *base)
{
    base->plan.host_bytes += hb_job_table_bytes(base);
    return hb_output_job_open(base);
}

/* Draws the seed of the run. Each rank, or group of ranks that make a ciphertext together, and each run has its own: a
 * unit that an earlier run began is made again with other randomness, never half of the one with half of the other. A
 * ciphertext is complete without its root, so the root does not matter later. */
static hb_status draw_root(hb_encrypt_job *job)
{
    if (job->options.test_seed) {
        return HB_OK;
    }
    hb_group *members = job->base.job.session.grid.members;
    if (members->size == 1) {
        hb_lock(&job->options.root, sizeof job->options.root);
        hb_seed_random(&job->options.root); /* no secret crosses the network here */
        return HB_OK;
    }
    return hb_agree(job->base.job.group, hb_share_root(members, &job->options.root));
}

static hb_status begin(hb_job *base)
{
    hb_encrypt_job *job = (hb_encrypt_job *)base;
    HB_TRY(draw_root(job));
    HB_TRY(hb_output_dataset_begin(&job->base.output));
    return hb_values_log_open(&job->log, base->group, job->options.output, job->base.output.resumed);
}

/* Finds the units that an earlier job has finished. */
static hb_status check(hb_job *base)
{
    hb_encrypt_job *job = (hb_encrypt_job *)base;
    HB_TRY(hb_encrypt_values_check(job));
    if (job->base.output.resumed) {
        hb_job_times_end(&base->job_times, HB_SPAN_CHECK);
    }
    return HB_OK;
}

static hb_status prepare(hb_job *base)
{
    hb_encrypt_job *job = (hb_encrypt_job *)base;
    const hb_workers *workers = &base->plan.workers;
    const hb_session *session = &base->session;
    HB_TRY(hb_output_job_divide(&job->base));
    /* A rank without units goes through the collective steps with the others all the same. */
    if (base->units.mine.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_job_make_buffers(base));
    if (job->options.append) {
        base->cells.before = job->append_plan.growth.rows;
    }
    HB_TRY(hb_cells_match(&base->cells, hb_table_schema(job->table)));
    for (uint32_t i = 0; i < workers->count; i++) {
        HB_TRY(hb_unit_encryptor_init(&job->encryptor[i], session, session->queue[i], &job->header, workers->batch,
                                      job->options.errors));
        if (job->options.append) {
            HB_TRY(hb_unit_encryptor_grow(&job->encryptor[i], job->append_plan.dataset, &job->append_plan.growth));
        }
    }
    return HB_OK;
}

/* In a reader's thread. */
static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    hb_encrypt_job *job = context;
    return hb_encrypt_values_read(job, &job->base.job.cells, thread, u, &job->base.job.buffers.buffer[buffer]);
}

/* In a worker's thread, on its queue. */
static hb_status encrypt_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_encrypt_job *job = context;
    /* Members that encrypt a unit together each read the table: were it changed meanwhile, their limbs would be of
     * different plaintexts. Exchanges, in the worker's thread, as every member computes the same units in the same
     * order. */
    HB_TRY(hb_divided_same(job->base.job.session.queue[worker], job->base.job.buffers.buffer[buffer].values_digest,
                           job->options.tables.name[0]));
    return hb_unit_encrypt(&job->encryptor[worker], &job->base.job.buffers.buffer[buffer], u, &job->options.root);
}

/* In a writer's thread: rows and sum go to their places in a shard. */
static hb_status write_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    hb_encrypt_job *job = context;
    const hb_unit_buffer *done = &job->base.job.buffers.buffer[buffer];
    if (hb_session_is_group_lead(&job->base.job.session)) { /* before its sum is there */
        HB_TRY(hb_values_log_add(&job->log, u, done->sum, done->values_digest));
    }
    return hb_output_job_write(context, buffer, thread, u);
}

static void end(hb_job *base)
{
    hb_encrypt_job *job = (hb_encrypt_job *)base;
    const bool over = hb_output_dataset_is_over(&job->base.output);
    hb_output_dataset_end(&job->base.output);
    hb_values_log_close(&job->log, job->options.output, over);
}

static void close_own(hb_job *base)
{
    hb_encrypt_job *job = (hb_encrypt_job *)base;
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        hb_unit_encryptor_clear(&job->encryptor[i]);
    }
    hb_job_close_table(base, job->table);
    hb_output_dataset_close(&job->base.output);
    hb_header_clear(&job->header);
    hb_append_plan_clear(&job->append_plan);
    hb_wipe(&job->options.root, sizeof job->options.root);
    hb_values_log_close(&job->log, job->options.output, false);
    hb_wipe(&job->appended, sizeof job->appended);
}

static const hb_job_kind kind = {.bytes = sizeof(hb_encrypt_job),
                                 .command = "encrypt",
                                 .verb = "encrypted",
                                 .resumable = true,
                                 .stages = {.read = read_unit, .compute = encrypt_unit, .write = write_unit},
                                 .find_out = find_out,
                                 .compare = compare,
                                 .work = work_of,
                                 .worker_bytes = worker_bytes,
                                 .open_output = open_output,
                                 .begin = begin,
                                 .check = check,
                                 .prepare = prepare,
                                 .loop = hb_output_job_run,
                                 .sync = hb_output_job_sync,
                                 .commit = hb_output_job_commit,
                                 .end = end,
                                 .close = close_own};

hb_status hb_encrypt_job_open(hb_encrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_encrypt_options *options)
{
    *job = (hb_encrypt_job){
        .base = {.job = {.kind = &kind, .group = group, .common = common, .options = options->job, .values = true},
                 .inputs = options->tables.name,
                 .input_count = options->tables.count,
                 .describe = describe,
                 .request = {.path = options->output,
                             .header = &job->header,
                             .resume = options->resume,
                             .force = options->force,
                             .dry_run = options->dry_run,
                             .rows = &job->appended,
                             .found = options->found}},
        .options = *options,
        .log = {.file = -1}};
    return hb_job_open(&job->base.job);
}
