#include "decrypt_job.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch/unit/predicted.h"
#include "batch/unit/work.h"
#include "cli/paths.h"
#include "disclosure_count.h"
#include "io/files/durable.h"
#include "ranks/share_root.h"
#include "scheme/cipher.h"
#include "scheme/quality.h"
#include "table/grouping.h"
#include "table_commit.h"

/* Plans the noise of results that are shown: their reader is promised the proven bound of the dataset's errors. */
static hb_status plan_share(hb_decrypt_job *job)
{
    const hb_job *base = &job->base;
    const hb_decrypt_options *options = &job->options;
    const hb_header *header = base->header;
    hb_disclosure_count disclosed;
    if (options->share == 0) {
        return HB_OK;
    }
    if (header->encoding == HB_ENCODE_SPREAD) {
        return HB_FAIL(HB_EDATA,
                       "%s: is a row that was encrypted to be computed with, and no result: --share is for "
                       "results",
                       options->input);
    }
    if (header->noise_assumed) {
        return HB_FAIL(HB_EDATA, "%s: its errors, which would have to be hidden, are assumed and not proven",
                       options->input);
    }
    HB_TRY(hb_flood_plan(base->session.params, header->limbs, hb_predicted_quality(base->session.params, header),
                         options->share, &job->flood));
    if (base->group->rank != 0) {
        return HB_OK;
    }
    HB_TRY(hb_disclosure_count_read(options->key, base->session.key_id, &disclosed));
    return hb_disclosure_count_check(options->key, &disclosed, header->ciphertexts, options->share);
}

/* Tells fetched rows of reals the error of their sums: the proven bound or, where less is expected, that with its
 * margin. Functions are expected to err as for likely values. Values of some rows may have the largest error of an
 * approximation, so that comes on top: a share of its bound for all rows of a cell, as of errors of either sign. */
static void tell_error(hb_decrypt_job *job)
{
    const hb_job *base = &job->base;
    hb_grouping *g = job->plain.grouping;
    if (g == NULL || g->cells == 0) {
        return;
    }
    enum { SOME_ROWS = 16 }; /* with all of their error, in one cell */
    const hb_predicted predicted = hb_decrypt_job_predicted(job);
    const double rows = (double)g->rows / (double)g->cells, share = fmin(sqrt(SOME_ROWS / rows), 1);
    const double likely = exp2(hb_quality_margin(base->session.params) - predicted.expected);
    g->error = fmin(exp2(-predicted.worst), likely + share * predicted.approximate);
    if (job->options.share > 0) {
        g->error += ldexp(4, -job->flood.bits); /* as the tolerance of ranges is */
    }
}

/* In a dry run, a file that --force would replace is a line of the plan and no failure. */
static hb_status probe(const hb_job *base, const hb_decrypt_options *options)
{
    if (hb_table_is_stdout(options->output) && base->group->size > 1) {
        return HB_FAIL(HB_EUSAGE, "one rank alone writes a table to standard output, and here are %d",
                       base->group->size);
    }
    const hb_status st = hb_table_probe(options->output, options->force);
    if (st != HB_ECREATE || !options->dry_run) {
        return st;
    }
    const hb_error cause = *hb_last_error();
    HB_TRY(hb_table_probe(options->output, true));
    hb_clear_error();
    hb_console_result(base->group, base->common, "output       %s", cause.text);
    return HB_OK;
}

/* Makes the schema of the decrypted table and applies --rows and --columns. */
static hb_status select_cells(hb_decrypt_job *job)
{
    const hb_decrypt_options *options = &job->options;
    HB_TRY(job->plain.grouping != NULL ? hb_grouping_schema(&job->plain, &job->table)
                                       : hb_schema_copy(&job->table, &job->plain));
    return options->parts != NULL ? hb_combining_select(&job->combining, &job->table, &job->selection)
                                  : hb_selection_read(options->rows, options->columns, &job->table, &job->selection);
}

/* Opens the key, or the parts of all owners. */
static hb_status open_key(hb_decrypt_job *job)
{
    const hb_decrypt_options *options = &job->options;
    return options->parts != NULL ? hb_combining_open(&job->combining, &job->base, options->parts, options->part_count,
                                                      job->decryption.dataset, options->input)
                                  : hb_decryption_open_key(&job->base, options->key, options->input);
}

/* Every rank opens index and key for itself, and its share of the shards; hb_decryption_compare then sees whether all
 * opened the same. */
static hb_status find_out(hb_job *base)
{
    hb_decrypt_job *job = (hb_decrypt_job *)base;
    const hb_decrypt_options *options = &job->options;
    HB_TRY(hb_inputs_are_there(&options->input, 1));
    /* Before the key is read and a device opened: an output that cannot be is known at once, without a secret in
     * memory. */
    if (base->group->rank == 0 && options->job.residue == 0) {
        HB_TRY(probe(base, options));
    }
    HB_TRY(hb_decryption_open(&job->decryption, base, options->input));
    /* A shard on its own would make a table with rows that were not decrypted. */
    HB_TRY(hb_dataset_require_whole(job->decryption.dataset, options->input));
    HB_TRY(open_key(job));
    HB_TRY(hb_schema_unpair(&job->plain, &base->header->schema));
    HB_TRY(select_cells(job));
    /* Shown columns of groups are known once all residues are there. */
    const bool later = base->header->schema.grouping != NULL && hb_spec_residues(&base->header->spec) > 1;
    job->view = later ? NULL : hb_selection_view(&job->selection);
    if (hb_spec_residues(&base->header->spec) > 1) {
        hb_residue_table_schema(&job->plain);
        HB_TRY(hb_residue_table_name(options->output, options->job.residue, &job->scratch));
    } else if (options->modulo > 0) {
        return HB_FAIL(HB_EUSAGE, "--modulo: values of %s are of one plain modulus, and have no other", options->input);
    }
    HB_TRY(plan_share(job));
    tell_error(job);
    return HB_OK;
}

hb_predicted hb_decrypt_job_predicted(const hb_decrypt_job *job)
{
    return job->options.parts != NULL ? hb_combining_predicted(&job->combining, &job->base)
                                      : hb_predicted_budget(job->base.session.params, job->base.header);
}

static hb_status compare(hb_job *base)
{
    hb_decrypt_job *job = (hb_decrypt_job *)base;
    HB_TRY(hb_decryption_compare(&job->decryption, base));
    return job->options.parts != NULL ? hb_part_inputs_compare(&job->combining.inputs, base) : HB_OK;
}

static hb_work work_of(const hb_job *base, uint32_t groups)
{
    const hb_decrypt_job *job = (const hb_decrypt_job *)base;
    const char *output = job->options.output;
    hb_work work = hb_work_decrypt(base->session.params, base->header, output, (int)groups);
    work.on_disk = !hb_table_is_stdout(output) && hb_path_is_on_disk(output);
    return work;
}

static uint64_t worker_bytes(const void *context, const hb_params *params, size_t batch)
{
    const hb_decrypt_job *job = context; /* begins with its base */
    const hb_header *header = job->base.header;
    const uint64_t noise = job->options.share > 0 ? hb_params_most_limbs(params, params->ids, header->limbs) : 0;
    const uint64_t parts =
        job->options.parts != NULL ? hb_part_sums_worker_bytes(params, &job->combining.inputs, batch) : 0;
    return hb_unit_decryptor_bytes(params, header, batch) + parts + noise * params->spec.n * sizeof(uint64_t);
}

/* Finds how much the table takes on its disk. */
static hb_status plan_output(hb_decrypt_job *job)
{
    hb_plan *plan = &job->base.plan;
    const uint64_t text = hb_table_team_text_bytes(job->base.group, plan->values);
    plan->parts = hb_dataset_parts(job->decryption.dataset);
    plan->host_bytes += hb_combining_host_bytes(&job->combining, &job->base);
    char *file = NULL, *dataset = NULL;
    if (hb_table_is_stdout(job->options.output)) {
        plan->host_bytes += text + plan->values * sizeof(uint64_t); /* it waits in memory */
        return HB_OK;
    }
    HB_TRY(hb_table_name_split(job->options.output, &file, &dataset));
    plan->host_bytes += dataset == NULL ? text : 0;
    /* A CSV goes through a scratch file of 8 bytes a value and has at most 21 characters a value. */
    const uint64_t bytes = dataset != NULL ? plan->table_bytes : plan->values * (sizeof(uint64_t) + 21);
    hb_status st = hb_plan_output(plan, bytes, file);
    free(file);
    free(dataset);
    return st;
}

static hb_status open_output(hb_job *base)
{
    return hb_agree(base->group, plan_output((hb_decrypt_job *)base));
}

/* Returns the name of the table that this job writes. */
static const char *written(const hb_decrypt_job *job)
{
    return job->scratch != NULL ? job->scratch : job->options.output;
}

static hb_status reserve(void *context)
{
    return hb_table_reserve(context);
}

/* Makes the table on rank 0; the agreement after it lets the other ranks join. */
static hb_status make_output(hb_decrypt_job *job)
{
    if (job->base.group->rank != 0) {
        return HB_OK;
    }
    /* Scratch of residues that another job left means nothing. */
    HB_TRY(hb_table_create_view(written(job), &job->plain, job->view, job->options.force || job->scratch != NULL,
                                &job->writer));
    /* The space of the table is taken while buffers and queues are; prepare waits for it. */
    hb_background_begin(&job->reserving, reserve, job->writer);
    return HB_OK;
}

/* Draws the root of the noise, the same for ranks that share limbs, and counts the results, before there are any. */
static hb_status begin_share(hb_decrypt_job *job)
{
    const hb_job *base = &job->base;
    hb_group *members = base->session.grid.members;
    if (job->options.share == 0) {
        return HB_OK;
    }
    if (members->size > 1) {
        HB_TRY(hb_agree(base->group, hb_share_root(members, &job->flood_root)));
    } else {
        hb_lock(&job->flood_root, sizeof job->flood_root);
        hb_seed_random(&job->flood_root);
    }
    return hb_agree(base->group,
                    base->group->rank == 0
                        ? hb_disclosure_count_add(job->options.key, base->session.key_id, base->header->ciphertexts,
                                                  job->options.share, &job->disclosed)
                        : HB_OK);
}

static hb_status begin(hb_job *base)
{
    hb_decrypt_job *job = (hb_decrypt_job *)base;
    HB_TRY(hb_agree(base->group, make_output(job)));
    return begin_share(job);
}

/* Whether this rank writes: the first of the ranks that decrypt a unit together. */
static bool writes(const hb_job *base)
{
    return hb_session_is_group_lead(&base->session);
}

static uint32_t writers(const hb_job *base)
{
    return writes(base) ? base->plan.workers.files : 0;
}

/* Joins the table on ranks that write, and makes buffers and decryptors where there are units. */
static hb_status prepare(hb_job *base)
{
    hb_decrypt_job *job = (hb_decrypt_job *)base;
    const hb_predicted predicted = hb_decrypt_job_predicted(job);
    /* Members of a group have the same units; different groups have others. */
    if (job->selection.some && base->header->schema.grouping == NULL) {
        HB_TRY(hb_selection_units(&job->selection, base->header, base->session.grid.peers, &base->units));
    } else {
        base->units = hb_ranks_divide(base->session.grid.peers, base->header, 0, base->plan.units);
    }
    if (base->group->rank != 0 && writes(base)) {
        HB_TRY(hb_table_join(written(job), &job->plain, job->view, &job->writer));
    }
    if (base->units.mine.count > 0) {
        HB_TRY(hb_job_make_buffers(base));
        if (job->writer != NULL) {
            HB_TRY(hb_cells_match(&base->cells, hb_table_writer_schema(job->writer)));
        }
        /* Noise that hides errors leaves ranges by 2^-bits, and rarely by a little more. */
        base->cells.slack = job->options.share > 0 ? ldexp(4, -job->flood.bits) : hb_predicted_tolerance(predicted);
        HB_TRY(job->options.parts != NULL ? hb_combining_prepare(&job->combining, &job->decryption, base)
                                          : hb_decryption_prepare(&job->decryption, base));
        for (uint32_t i = 0; job->options.share > 0 && i < base->plan.workers.count; i++) {
            HB_TRY(hb_unit_decryptor_flood(&job->decryption.decryptor[i], &job->flood, &job->flood_root));
        }
    }
    /* Waited for in any case, so that a full disk is found before anything is computed. */
    return hb_background_end(&job->reserving);
}

static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    (void)thread;
    hb_decrypt_job *job = context;
    HB_TRY(hb_dataset_read(job->decryption.dataset, u, &job->base.buffers.buffer[buffer].rows));
    return job->options.parts != NULL ? hb_part_sums_read(&job->combining.sums, buffer, u) : HB_OK;
}

/* In a worker's thread, on its queue. */
static hb_status decrypt_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t u)
{
    hb_decrypt_job *job = context;
    hb_unit_decryptor *decryptor = &job->decryption.decryptor[worker];
    hb_unit_buffer *of = &job->base.buffers.buffer[buffer];
    /* The sum is compared before anything is decrypted: damage must be told from a wrong value. */
    HB_TRY(hb_unit_rows_check(&decryptor->rows, u, &of->rows, job->decryption.dataset));
    if (job->options.parts != NULL) {
        HB_TRY(hb_combining_add(&job->combining, decryptor, buffer, worker, u));
    }
    return hb_unit_decrypt(decryptor, of, u);
}

/* In a writer's thread: residues become cells, and cells outside the header's ranges are refused. */
static hb_status write_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t u)
{
    hb_decrypt_job *job = context;
    const hb_cells *cells = &job->base.cells;
    uint64_t first, count, *values = job->base.buffers.buffer[buffer].values;
    hb_header_unit_range(job->base.header, u, &first, &count);
    /* In a writer's thread, so that the workers only compute. */
    hb_cells_from_values(cells, first, (size_t)count, values);
    hb_combining_fill(&job->combining, cells, first, (size_t)count, values);
    HB_TRY(hb_cells_check_ranges(cells, first, (size_t)count, values));
    return hb_cells_write(cells, thread, job->writer, first, (size_t)count, values);
}

static hb_status sync_outputs(hb_job *base)
{
    const hb_decrypt_job *job = (hb_decrypt_job *)base;
    return hb_agree(base->group, writes(base) ? hb_table_sync(job->writer) : HB_OK);
}

static hb_status measure(hb_job *base)
{
    hb_decrypt_job *job = (hb_decrypt_job *)base;
    return hb_decryption_measure(&job->decryption, base, hb_decrypt_job_predicted(job));
}

/* Leaves the table of a residue to the last one, whose job makes the table of all. Collective among the writers. */
static hb_status commit_residue(hb_decrypt_job *job, const hb_table_team *team)
{
    const hb_header *header = job->base.header;
    const hb_decrypt_options *options = &job->options;
    if (team->writers->rank == 0) {
        job->residues->table[hb_spec_residue(&header->spec)] = job->writer;
        job->writer = NULL;
    }
    if (!hb_spec_last_residue(&header->spec)) {
        return HB_OK;
    }
    const hb_residue_output output = {.name = options->output,
                                      .residue = &job->plain,
                                      .view = hb_selection_view(&job->selection),
                                      .modulo = (uint32_t)options->modulo,
                                      .force = options->force};
    return hb_residue_tables_join(job->residues, &output, header, team, &job->text);
}

static hb_status commit(hb_job *base)
{
    hb_decrypt_job *job = (hb_decrypt_job *)base;
    const hb_table_team team = {.writers = base->session.grid.peers, .all = base->group};
    hb_status st = HB_OK;
    /* All ranks have synced their rows by now; a crash before this leaves only the partial table. */
    if (writes(base)) {
        st = job->scratch != NULL ? commit_residue(job, &team) : hb_table_team_commit(&team, job->writer, &job->text);
    }
    return hb_agree(base->group, st);
}

/* Closes the members of this kind, also half opened ones; the last error stays. */
static void close_own(hb_job *base)
{
    hb_decrypt_job *job = (hb_decrypt_job *)base;
    const hb_error cause = *hb_last_error();
    /* After a failure the thread may still be at the writer, which closing frees. */
    (void)hb_background_end(&job->reserving);
    hb_set_error(&cause);
    hb_table_writer_close(job->writer);
    hb_schema_clear(&job->plain);
    hb_schema_clear(&job->table);
    hb_selection_clear(&job->selection);
    free(job->scratch);
    hb_combining_close(&job->combining);
    hb_decryption_close(&job->decryption);
    hb_wipe(&job->flood_root, sizeof job->flood_root);
}

static const hb_job_kind kind = {.bytes = sizeof(hb_decrypt_job),
                                 .verb = "decrypted",
                                 .stages = {.read = read_unit, .compute = decrypt_unit, .write = write_unit},
                                 .find_out = find_out,
                                 .compare = compare,
                                 .work = work_of,
                                 .worker_bytes = worker_bytes,
                                 .open_output = open_output,
                                 .begin = begin,
                                 .prepare = prepare,
                                 .writers = writers,
                                 .sync = sync_outputs,
                                 .measure = measure,
                                 .commit = commit,
                                 .close = close_own};

hb_status hb_decrypt_job_open(hb_decrypt_job *job, hb_group *group, const hb_common *common,
                              const hb_decrypt_options *options, hb_residue_tables *residues)
{
    *job = (hb_decrypt_job){
        .base = {.kind = &kind, .group = group, .common = common, .options = options->job, .values = true},
        .options = *options,
        .residues = residues};
    return hb_job_open(&job->base);
}
