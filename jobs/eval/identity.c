/* The identity of a computation, on which its results depend: the same on every rank, and in a continued job. */
#include <stdlib.h>
#include <string.h>

#include "batch/cells/values_digest.h"
#include "divided/engine.h"
#include "job_private.h"
#include "output/table_identity.h"
#include "ranks/share_root.h"
#include "rekey/switched_input.h"

/* Adds a dataset's sum; of a plain table its shape and, with `contents`, its cells. */
static hb_status add_input(hb_digest_state *state, const hb_eval_input *input, bool contents)
{
    hb_digest_add(state, input->name, strlen(input->name) + 1);
    hb_digest_add_u64(state, input->header->schema.rows);
    hb_digest_add_u64(state, input->header->schema.columns);
    if (input->dataset != NULL) {
        uint8_t sum[HB_DIGEST_BYTES];
        hb_dataset_sum(input->dataset, sum);
        hb_digest_add(state, sum, sizeof sum);
        if (input->switched != NULL) {
            hb_digest_add(state, input->switched->key.source.label.sum, HB_DIGEST_BYTES);
        }
        return HB_OK;
    }
    return contents ? hb_table_identity_add(state, input->path, input->table) : HB_OK;
}

/* Adds which key file is used: a rotation can be made by several keys, and a key can be made anew; the noise in the
 * results is then another. */
static void add_key(hb_digest_state *state, const hb_eval_job *job, uint32_t i)
{
    hb_digest_add_u64(state, job->keys.key[i].file.element);
    hb_digest_add(state, job->key_files->source[i].label.sum, HB_DIGEST_BYTES);
}

static void add_text(hb_digest_state *state, const char *text)
{
    hb_digest_add_u64(state, text != NULL);
    hb_digest_add(state, text != NULL ? text : "", text != NULL ? strlen(text) + 1 : 0);
}

static void add_real(hb_digest_state *state, double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    hb_digest_add_u64(state, word);
}

/* Adds the other choices that decide the polynomials of a program. Results may look alike with other choices: a
 * condition is 0 or 1 for every range. The program itself is not added: it may hold numbers of a private table. */
static void add_choices(hb_digest_state *state, const hb_eval_options *options)
{
    for (uint32_t i = 0; i < options->range_count; i++) {
        const hb_range *range = &options->ranges[i];
        add_text(state, range->name);
        add_text(state, range->column);
        hb_digest_add_u64(state, range->number);
        hb_digest_add_u64(state, range->values.real);
        if (range->values.real) {
            add_real(state, range->values.low);
            add_real(state, range->values.high);
        } else {
            hb_digest_add(state, &range->values.wide_least, sizeof range->values.wide_least);
            hb_digest_add(state, &range->values.wide_most, sizeof range->values.wide_most);
        }
    }
    add_real(state, options->bits);
    add_real(state, options->gap);
}

/* Computes the digest of inputs, keys, outputs and trust: which outputs there are, and which bound must leave some
 * budget, decides where the compiler relinearizes. */
static hb_status digest_job(const hb_eval_job *job, bool contents, uint8_t digest[HB_DIGEST_BYTES])
{
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch inputs");
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        HB_TRY(add_input(&state, &job->inputs.input[i], contents));
    }
    if (hb_reading_says(&job->options.reading)) {
        uint8_t reading[HB_DIGEST_BYTES];
        hb_reading_digest(&job->options.reading, reading);
        hb_digest_add(&state, reading, sizeof reading);
    }
    /* In the order in which the program wants them, which follows from the expression. */
    for (uint32_t i = 0; i < job->keys.count; i++) {
        add_key(&state, job, i);
    }
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        hb_digest_add(&state, job->outputs.names[o], strlen(job->outputs.names[o]) + 1);
    }
    if (job->options.model != NULL) {
        hb_digest_add(&state, job->options.model->digest, sizeof job->options.model->digest);
    }
    /* Proven or expected noise: the compiler goes by one of them. */
    hb_digest_add_u64(&state,
                      (uint64_t)job->options.trust + (job->options.hidden || job->options.trust == HB_QUALITY_DRAWN));
    hb_digest_add_u64(&state, job->options.bootstrap);
    add_choices(&state, &job->options);
    /* Checkpoints of one residue are of no use to another, whose inputs are the same datasets. */
    if (job->options.job.residue > 0) {
        hb_digest_add_u64(&state, job->options.job.residue);
    }
    hb_digest_end(&state, digest);
    return HB_OK;
}

void hb_eval_job_digest_pass(hb_digest_state *state, const char *name, const hb_eval_job *job, uint32_t pass)
{
    hb_digest_begin(state, name);
    hb_digest_add(state, job->identity, sizeof job->identity);
    hb_digest_add(state, job->options.expression, strlen(job->options.expression) + 1);
    hb_digest_add_u64(state, pass);
    hb_digest_add_u64(state, job->steps.unit);
    hb_digest_add_u64(state, job->base.plan.units);
    hb_digest_add_u64(state, job->division.of.compiled);
}

hb_status hb_eval_job_check_same(hb_eval_job *job)
{
    uint8_t digest[HB_DIGEST_BYTES];
    /* Without the contents of plain tables, which only rank 0 need have read by now. */
    HB_TRY(hb_agree(job->base.group, digest_job(job, false, digest)));
    hb_digest_state state;
    hb_digest_begin(&state, "hebatch eval");
    hb_digest_add(&state, digest, sizeof digest);
    hb_digest_add(&state, job->options.expression, strlen(job->options.expression) + 1);
    hb_digest_add_u64(&state, job->options.batch); /* members exchange after each batch */
    hb_digest_add_u64(&state, job->steps.unit);
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        hb_header_digest(digest, &job->outputs.output[o].header);
        hb_digest_add(&state, digest, sizeof digest);
    }
    hb_digest_end(&state, digest);
    return hb_group_same(job->base.group, digest, "an input, the keys, the expression or model, --noise or --batch");
}

/* Compares the columns that members compute with in the clear, all of them at once. Exchanges. */
static hb_status check_derived(hb_eval_job *job)
{
    const hb_derived *derived = &job->program.constants.derived;
    uint8_t all[HB_DIGEST_BYTES];
    hb_values_digest digest;
    hb_values_digest_begin(&digest, &job->root);
    for (uint32_t i = 0; i < derived->count; i++) {
        const hb_plain_cells *cells = &derived->column[i].cells;
        const bool read = derived->column[i].kind == HB_ITEM_NAME;
        const uint64_t bytes = read ? cells->rows * hb_plain_cell_bytes(cells->type) : 0;
        hb_values_digest_add(&digest, &bytes, sizeof bytes); /* where a column ends */
        hb_values_digest_add(&digest, cells->cell, (size_t)bytes);
    }
    hb_values_digest_end(&digest, all);
    return hb_divided_same(job->base.session.engine, all, "the columns of plain tables that are computed with");
}

/* Compares tables of one row among the members, which all have as many of them. Exchanges. */
static hb_status check_one_rows(hb_eval_job *job)
{
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        const hb_eval_input *input = &job->inputs.input[i];
        uint8_t digest[HB_DIGEST_BYTES];
        if (input->one_row != NULL) {
            hb_values_digest_of(digest, &job->root, input->one_row, 2 * (size_t)input->header->schema.columns);
            HB_TRY(hb_divided_same(job->base.session.engine, digest, input->path));
        }
        if (input->numbers != NULL) { /* constants of the program */
            const hb_schema *schema = &input->header->schema;
            const size_t words = sizeof *input->numbers / sizeof(uint64_t);
            hb_values_digest_of(digest, &job->root, (const uint64_t *)input->numbers,
                                (size_t)(schema->rows * schema->columns) * words);
            HB_TRY(hb_divided_same(job->base.session.engine, digest, input->path));
        }
    }
    return check_derived(job);
}

hb_status hb_eval_job_check_tables(hb_eval_job *job)
{
    if (job->base.session.exchange == NULL) {
        return HB_OK;
    }
    /* Digests of tables cross the network: keyed with a seed that only the members know, they tell nothing. */
    HB_TRY(hb_agree(job->base.group, hb_share_root(job->base.session.grid.members, &job->root)));
    return hb_agree(job->base.group, check_one_rows(job));
}

hb_status hb_eval_job_identify(hb_eval_job *job)
{
    return digest_job(job, true, job->identity);
}
