#include "verify_job.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/chunk.h"
#include "batch/cells/without_effect.h"
#include "batch/job/shared_dataset.h"
#include "batch/job/shared_table.h"
#include "batch/unit/predicted.h"
#include "batch/unit/work.h"
#include "io/survey/survey.h"
#include "table/real_text.h"

enum { ADVICE = 320 }; /* words for missing cells are short */

/* Finds a label that is a word for missing cells too, of which --na says nothing; NULL: the column has none. */
static const char *label_like_missing(const hb_verify_job *job, const hb_column *column)
{
    const hb_meaning *meaning = &column->meaning;
    const uint64_t count = meaning->kind == HB_MEANING_CATEGORY ? meaning->labels->count : 0;
    for (uint64_t i = 0; i < count; i++) {
        const char *label = meaning->labels->text[i];
        if (hb_dialect_takes(label, strlen(label)) && !hb_reading_says_na(job->options.reading, column->name, label)) {
            return label;
        }
    }
    return NULL;
}

/* Writes advice how cells without quotes that were read as such a label become missing ones, for these columns of a
 * CSV; "" for others. The table does not decide it: tables of decrypt have no quotes either. */
static void advise(char text[ADVICE], const hb_verify_job *job, uint64_t first, uint64_t count)
{
    const hb_schema *schema = &job->base.header->schema;
    const bool csv = strstr(job->options.against, ":/") == NULL;
    text[0] = '\0';
    for (uint64_t c = first; csv && c < first + count && text[0] == '\0'; c++) {
        const char *label = label_like_missing(job, &schema->column[c]);
        if (label != NULL) {
            snprintf(
                text, ADVICE,
                "; %s without quotes was read as the label of this name in column %s: --na %s makes it a missing cell",
                label, hb_cells_column(schema, c).text, label);
        }
    }
}

/* Equal values of other rows belong to another table. A table without left-out rows may be the decrypted dataset, and
 * then has exactly its rows. */
static hb_status compare_rows(const hb_verify_job *job, const hb_schema *own, const hb_schema *other)
{
    char of[2][HB_LEFT_OUT_TEXT], advice[ADVICE];
    if (hb_left_out_same(&own->left_out, &other->left_out) || (other->left_out.rows == 0 && own->rows == other->rows)) {
        return HB_OK;
    }
    hb_left_out_text(of[0], &own->left_out, own->rows);
    hb_left_out_text(of[1], &other->left_out, other->rows);
    advise(advice, job, 0, own->columns);
    return HB_FAIL(HB_DIFFERS, "%s and %s have other rows of their tables: %s of the one, %s of the other%s",
                   job->options.input, job->options.against, of[0], of[1], advice);
}

/* Returns the name of the first column of the dataset that neither a table of other columns nor --derive has; NULL:
 * there is none, or nothing is known of the table. */
static const char *find_lacking(const hb_schema *plain, const hb_survey *table)
{
    const bool other = plain->named && table->columns > 0 && table->columns != plain->columns &&
                       hb_columns_show_names(plain->column, plain->columns);
    for (uint64_t c = 0; other && c < hb_schema_shown(plain); c++) {
        size_t stem = 0;
        const bool digits = hb_columns_digits(&plain->column[c], plain->columns - c, &stem) > 0;
        if (!digits && hb_survey_find(table, plain->column[c].name) == NULL) {
            return plain->column[c].name;
        }
    }
    return NULL;
}

/* Says why the table is another one than the dataset's, where more can be said than the failure `st` of reading it. */
static hb_status explain(const hb_verify_job *job, const hb_schema *plain, hb_status st)
{
    const hb_error cause = *hb_last_error();
    const char *input = job->options.input, *against = job->options.against;
    hb_survey survey = {0};
    if (job->base.header->schema.grouping != NULL) {
        return HB_FAIL(HB_EUSAGE,
                       "%s holds totals, of which decrypt makes a table of groups, means or their like, and verify "
                       "compares no such tables: decrypt it, and compare that table with %s",
                       input, against);
    }
    const bool known = hb_table_survey(against, job->options.reading, &survey) == HB_OK;
    const char *lacking = known ? find_lacking(plain, &survey) : NULL;
    st = lacking != NULL
             ? HB_FAIL(HB_EUSAGE, "%s has no column %.64s, which %s has: if --derive made it, give that here, too",
                       against, lacking, input)
             : HB_FAIL(st, "%s", cause.text);
    hb_survey_clear(&survey);
    return st;
}

/* Opens the table with the dataset's columns, and compares the shapes. Names and types of columns may differ: only
 * values are compared. */
static hb_status open_like(hb_verify_job *job, const hb_schema *plain)
{
    const hb_schema *own = &job->base.header->schema;
    const hb_table_list against = hb_table_list_of(&job->options.against);
    const hb_status st =
        hb_job_open_table(&job->base, against, &job->base.header->spec, job->options.reading, &job->table);
    if (st == HB_EDATA || st == HB_EUSAGE) {
        return explain(job, plain, st);
    }
    HB_TRY(st);
    if (job->options.job.residue == 0) {
        HB_TRY(hb_without_effect_say_table(job->table, job->base.group, job->base.common, &job->options.reading->said));
    }
    const hb_schema *other = hb_table_schema(job->table);
    if (own->left_out.rows + other->left_out.rows > 0) {
        HB_TRY(compare_rows(job, own, other));
    }
    if (own->rows == other->rows && plain->columns == other->columns) {
        hb_table_set_fills(job->table, own);
        return HB_OK;
    }
    return explain(
        job, plain,
        HB_FAIL(HB_DIFFERS, "%s has %" PRIu64 " rows and %" PRIu64 " columns, %s has %" PRIu64 " and %" PRIu64,
                job->options.input, own->rows, plain->columns, job->options.against, other->rows, other->columns));
}

/* Opens the table to compare with, which must have the dataset's shape. */
static hb_status open_table(hb_verify_job *job)
{
    const hb_schema *own = &job->base.header->schema;
    hb_reading *reading = job->options.reading;
    hb_schema plain;
    if (!hb_schema_masks_are_fresh(own)) {
        HB_TRY(hb_schema_refuse_masks(
            own, job->options.input,
            "missing cells of results, and of datasets that were joined and had other ranges, have no "
            "value in common: decrypt it, and compare the tables"));
    }
    HB_TRY(hb_schema_unpair(&plain, own));
    /* A table that has these columns among others is compared in them, by their meanings. */
    reading->columns_optional = true;
    hb_status st = hb_reading_like(reading, &plain);
    st = st == HB_OK ? open_like(job, &plain) : st;
    hb_schema_clear(&plain);
    return st;
}

/* Integers are compared exactly. */
static hb_status set_tolerance(hb_verify_job *job)
{
    const double said = job->options.tolerance;
    const hb_header *header = job->base.header;
    if (header->cells == HB_CELL_INTEGER && said > 0) {
        return HB_FAIL(HB_EUSAGE, "--tolerance: %s holds integers, which are compared exactly", job->options.input);
    }
    job->tolerance = said >= 0 ? said : hb_predicted_tolerance(hb_predicted_budget(job->base.session.params, header));
    return HB_OK;
}

/* Without a table no key is needed: parameters are those of the dataset. */
static hb_status find_out(hb_job *base)
{
    hb_verify_job *job = (hb_verify_job *)base;
    HB_TRY(hb_decryption_open(&job->decryption, base, job->options.input));
    job->one_residue = hb_spec_residue(&base->header->spec) != base->options.residue ||
                       hb_dataset_require_whole(job->decryption.dataset, job->options.input) != HB_OK;
    hb_clear_error();
    base->options.residue = hb_spec_residue(&base->header->spec);
    base->options.so_far = job->one_residue ? NULL : base->options.so_far;
    if (job->options.against == NULL) {
        return hb_session_open_keyless(&base->session, &base->header->spec);
    }
    HB_TRY(hb_decryption_open_key(base, job->options.key, job->options.input));
    HB_TRY(set_tolerance(job));
    return open_table(job);
}

static hb_status compare(hb_job *base)
{
    return hb_decryption_compare(&((hb_verify_job *)base)->decryption, base);
}

/* Returns the bytes of a worker without a table: the rows, and residues of one component of a batch. */
static uint64_t rows_bytes(const hb_params *params, const hb_header *header, size_t batch)
{
    const uint64_t own = hb_params_most_limbs(params, params->ids, header->limbs);
    return hb_unit_rows_bytes(params, header) + batch * own * params->spec.n * sizeof(uint64_t);
}

static uint64_t worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_verify_job *job = context;
    const hb_header *header = job->base.header;
    return job->table != NULL ? hb_unit_decryptor_bytes(params, header, batch) : rows_bytes(params, header, batch);
}

static hb_work work(const hb_job *base, uint32_t groups)
{
    const hb_verify_job *job = (const hb_verify_job *)base;
    const hb_params *params = base->session.params;
    return job->table != NULL ? hb_work_decrypt(params, base->header, NULL, (int)groups)
                              : hb_work_verify(params, base->header, (int)groups);
}

static hb_status open_output(hb_job *base)
{
    base->plan.parts = hb_dataset_parts(((hb_verify_job *)base)->decryption.dataset);
    base->plan.host_bytes += hb_job_table_bytes(base);
    return HB_OK;
}

/* Allocates for the check without a key, for each worker. */
static hb_status rows_init(hb_verify_job *job)
{
    const hb_session *session = &job->base.session;
    const hb_header *header = job->base.header;
    const hb_workers *workers = &job->base.plan.workers;
    for (uint32_t i = 0; i < workers->count; i++) {
        HB_TRY(hb_unit_rows_init(&job->rows[i], 1, session->queue[i], session->params, header));
        HB_TRY(
            hb_batch_alloc(session->queue[i], &job->residues[i], workers->batch, header->limbs, session->params->ids));
    }
    return HB_OK;
}

/* Divides the units that are here, and makes buffers and workers for this rank's. */
static hb_status prepare(hb_job *base)
{
    hb_verify_job *job = (hb_verify_job *)base;
    uint64_t first, units;
    /* A shard on its own may be verified too, so the units need not begin at 0. */
    hb_dataset_units(job->decryption.dataset, &first, &units);
    base->units = hb_ranks_divide(base->session.grid.peers, base->header, first, units);
    if (base->units.mine.count == 0) {
        return HB_OK;
    }
    HB_TRY(hb_job_make_buffers(base));
    if (job->table == NULL) {
        return rows_init(job);
    }
    HB_TRY(hb_cells_match(&base->cells, hb_table_schema(job->table)));
    return hb_decryption_prepare(&job->decryption, base);
}

/* One thread, so that units are compared with the table in their order. */
static uint32_t writers(const hb_job *base)
{
    const hb_verify_job *job = (const hb_verify_job *)base;
    return job->table != NULL && hb_session_is_group_lead(&base->session);
}

/* In a reader's thread: the rows, and the cells that they are compared with. */
static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    hb_verify_job *job = context;
    hb_unit_buffer *to = &job->base.buffers.buffer[buffer];
    HB_TRY(hb_dataset_read(job->decryption.dataset, u, &to->rows));
    /* For members that decrypt together, only one reads the table. */
    if (writers(&job->base) == 0) {
        return HB_OK;
    }
    uint64_t first, count;
    hb_header_unit_range(job->base.header, u, &first, &count);
    return hb_cells_read(&job->base.cells, thread, job->table, first, (size_t)count, to->cells);
}

/* Checks that residues are below their primes: anyone who writes a sum that fits can write rows that are no
 * ciphertexts. */
static hb_status check_residues(hb_verify_job *job, uint32_t worker, size_t count)
{
    hb_unit_rows *rows = &job->rows[worker];
    const size_t batch = job->base.plan.workers.batch;
    for (uint32_t component = 0; component < rows->components; component++) {
        for (hb_chunk c = hb_chunks(count, batch); hb_chunk_next(&c);) {
            const hb_batch some = hb_batch_slice(job->residues[worker], 0, c.count);
            HB_TRY(hb_unit_rows_unpack(rows, component, some, (hb_unit_rows_view){c.first, 1, count}));
        }
    }
    return HB_OK;
}

/* In a worker's thread, on its queue. */
static hb_status check_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_verify_job *job = context;
    const hb_dataset *dataset = job->decryption.dataset;
    hb_unit_buffer *of = &job->base.buffers.buffer[buffer];
    if (job->table == NULL) {
        /* Without a key: sum and residues are all that can be checked. */
        HB_TRY(hb_unit_rows_check(&job->rows[worker], u, &of->rows, dataset));
        return check_residues(job, worker, (size_t)of->rows.count);
    }
    hb_unit_decryptor *decryptor = &job->decryption.decryptor[worker];
    HB_TRY(hb_unit_rows_check(&decryptor->rows, u, &of->rows, dataset));
    return hb_unit_decrypt(decryptor, of, u);
}

/* Compares in the one writer's thread, which sees the units in order. A difference does not end the run: damage further
 * on matters more, and the first difference of all ranks is wanted. */
static hb_status compare_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    hb_verify_job *job = context;
    const hb_cells *cells = &job->base.cells;
    hb_unit_buffer *of = &job->base.buffers.buffer[buffer];
    const bool reals = job->base.header->cells == HB_CELL_REAL;
    uint64_t first, count;
    if (job->differs && !reals) {
        return HB_OK; /* later differences say nothing more */
    }
    hb_header_unit_range(job->base.header, u, &first, &count);
    hb_cells_from_values(cells, first, (size_t)count, of->values);
    if (reals) {
        hb_cells_gap_widen(&job->most, cells, first, (size_t)count, of->values, of->cells);
    }
    const hb_cells_other other = {hb_table_schema(job->table), of->cells, job->tolerance};
    job->differs = job->differs || hb_cells_differ(cells, first, (size_t)count, of->values, other, &job->difference);
    return HB_OK;
}

/* "0.5", or "0.5 - 2i". */
static void number_text(char text[2 * HB_REAL_TEXT + 8], const double parts[2])
{
    char real[HB_REAL_TEXT], imaginary[HB_REAL_TEXT] = "";
    hb_real_text(real, parts[0]);
    hb_real_text(imaginary, fabs(parts[1]));
    snprintf(text, 2 * HB_REAL_TEXT + 8, parts[1] != 0 ? "%s %c %si" : "%s", real, parts[1] < 0 ? '-' : '+', imaginary);
}

void hb_verify_gap_text(char text[HB_GAP_TEXT], const hb_verify_job *job)
{
    char value[2 * HB_REAL_TEXT + 8], other[2 * HB_REAL_TEXT + 8];
    const hb_cells_gap *most = &job->most;
    number_text(value, most->value);
    number_text(other, most->other);
    snprintf(text, HB_GAP_TEXT, "most in row %" PRIu64 ", column %s: %s for %s", most->where.row,
             hb_cells_column(&job->base.header->schema, most->where.column).text, value, other);
}

/* Ranks have consecutive shares of the units, so the first difference of all is that of the lowest rank that has one,
 * whose error the agreement takes. */
static hb_status difference(const hb_verify_job *job)
{
    if (!job->differs) {
        return HB_OK;
    }
    char by[64 + HB_GAP_TEXT] = "", most[HB_GAP_TEXT], advice[ADVICE], where[HB_TABLE_PLACE],
                 there[HB_TABLE_PLACE] = "";
    advise(advice, job, job->difference.column, 1);
    hb_verify_name_other(job, advice, sizeof advice);
    if (job->base.header->cells == HB_CELL_REAL) {
        hb_verify_gap_text(most, job);
        snprintf(by, sizeof by, ", by more than %.3g; %s", job->tolerance, most);
    }
    if (hb_table_schema(job->table)->left_out.rows > 0) { /* the row has another number there */
        snprintf(there, sizeof there, " (%.380s)", hb_table_place_text(job->table, job->difference.row - 1, where));
    }
    return HB_FAIL(HB_DIFFERS, "%s and %s differ first in row %" PRIu64 "%s, column %s%s%s", job->options.input,
                   job->options.against, job->difference.row, there,
                   hb_cells_column(&job->base.header->schema, job->difference.column).text, by, advice);
}

/* Makes the gap that of all ranks: the largest, of equal ones the first. */
static hb_status find_most(hb_verify_job *job)
{
    hb_group *group = job->base.group;
    hb_cells_gap *most = &job->most;
    const uint64_t columns = job->base.header->schema.columns;
    uint64_t distance = hb_real_word(most->distance); /* no double below 0 is larger as a word */
    HB_TRY(hb_group_max(group, &distance, 1));
    const uint64_t own = (most->where.row - 1) * columns + most->where.column;
    const bool candidate = most->distance > 0 && hb_real_word(most->distance) == distance;
    uint64_t place = candidate ? ~own : 0;
    HB_TRY(hb_group_max(group, &place, 1));
    const bool mine = candidate && place == ~own;
    /* All others say 0, below which no word is. */
    uint64_t words[6] = {0};
    if (mine) {
        const uint64_t said[6] = {most->where.row,
                                  most->where.column,
                                  hb_real_word(most->value[0]),
                                  hb_real_word(most->value[1]),
                                  hb_real_word(most->other[0]),
                                  hb_real_word(most->other[1])};
        memcpy(words, said, sizeof words);
    }
    HB_TRY(hb_group_max(group, words, 6));
    *most = (hb_cells_gap){.distance = hb_real_of(distance),
                           .where = {words[0], words[1]},
                           .value = {hb_real_of(words[2]), hb_real_of(words[3])},
                           .other = {hb_real_of(words[4]), hb_real_of(words[5])}};
    return HB_OK;
}

static hb_status measure(hb_job *base)
{
    hb_verify_job *job = (hb_verify_job *)base;
    HB_TRY(hb_agree(base->group, find_most(job)));
    HB_TRY(hb_agree(base->group, difference(job)));
    return hb_decryption_measure(&job->decryption, base, hb_predicted_budget(base->session.params, base->header));
}

/* Compares by the sums stored in both: those of this dataset the job has just verified, those of the other the
 * caller. */
static hb_status compare_datasets(const hb_verify_job *job, const hb_dataset *other)
{
    uint8_t digests[2][HB_DIGEST_BYTES];
    hb_header_digest(digests[0], job->base.header);
    hb_header_digest(digests[1], hb_dataset_header(other));
    if (memcmp(digests[0], digests[1], sizeof digests[0]) != 0) {
        return HB_FAIL(HB_DIFFERS, "%s and %s differ in parameters, key, packing or table", job->options.input,
                       job->options.same_as);
    }
    uint64_t first, units, other_first, other_units;
    hb_dataset_units(job->decryption.dataset, &first, &units);
    hb_dataset_units(other, &other_first, &other_units);
    /* Shards on their own may be compared as well, if they are of the same units. */
    if (first != other_first || units != other_units) {
        return HB_FAIL(HB_DIFFERS, "%s and %s are not the same units of their dataset", job->options.input,
                       job->options.same_as);
    }
    /* Unit by unit rather than by the sum of all, to say where they differ. */
    for (uint64_t u = first; u < first + units; u++) {
        if (memcmp(hb_dataset_unit_sum(job->decryption.dataset, u), hb_dataset_unit_sum(other, u), HB_DIGEST_BYTES) !=
            0) {
            uint64_t ciphertext, count;
            hb_header_unit_range(job->base.header, u, &ciphertext, &count);
            return HB_FAIL(HB_DIFFERS,
                           "%s and %s differ first in unit %" PRIu64 ", ciphertexts %" PRIu64 " to %" PRIu64,
                           job->options.input, job->options.same_as, u, ciphertext, ciphertext + count - 1);
        }
    }
    return HB_OK;
}

/* Compares with another dataset, if asked for: every rank reads its index, and looks at its share of the shards. */
static hb_status check_same_as(const hb_verify_job *job)
{
    hb_dataset *other;
    if (job->options.same_as == NULL) {
        return HB_OK;
    }
    const hb_dataset_ranks ranks = hb_shared_dataset_ranks(job->base.group);
    HB_TRY(hb_dataset_open_among(job->options.same_as, job->options.job.residue, ranks, &other));
    hb_status st = compare_datasets(job, other);
    hb_dataset_close(other);
    return st;
}

static hb_status commit(hb_job *base)
{
    return hb_agree(base->group, check_same_as((hb_verify_job *)base));
}

static void close_own(hb_job *base)
{
    hb_verify_job *job = (hb_verify_job *)base;
    for (uint32_t i = 0; i < HB_MOST_WORKERS; i++) {
        if (job->rows[i].engine != NULL) {
            hb_batch_free(job->rows[i].engine, &job->residues[i]);
        }
        hb_unit_rows_clear(&job->rows[i], 1);
    }
    hb_job_close_table(base, job->table);
    hb_decryption_close(&job->decryption);
}

static const hb_job_kind kind = {.bytes = sizeof(hb_verify_job),
                                 .verb = "verified",
                                 .stages = {.read = read_unit, .compute = check_unit, .write = compare_unit},
                                 .find_out = find_out,
                                 .compare = compare,
                                 .work = work,
                                 .worker_bytes = worker_bytes,
                                 .open_output = open_output,
                                 .prepare = prepare,
                                 .writers = writers,
                                 .measure = measure,
                                 .commit = commit,
                                 .close = close_own};

hb_status hb_verify_job_open(hb_verify_job *job, hb_group *group, const hb_common *common,
                             const hb_verify_options *options)
{
    const bool compares = options->against != NULL;
    *job = (hb_verify_job){.base = {.kind = &kind,
                                    .group = group,
                                    .common = common,
                                    .options = options->job,
                                    .values = compares,
                                    .compared = compares},
                           .options = *options};
    return hb_job_open(&job->base);
}
