/* Binds the names of an expression, holds the inputs to one another, and compiles the program. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "batch/cells/table_notes.h"
#include "batch/cells/wide_cells.h"
#include "batch/cells/without_effect.h"
#include "batch/unit/unit_sanitize.h"
#include "cli/trace.h"
#include "input_scales.h"
#include "job_private.h"
#include "lang/compile/residues.h"
#include "rekey/switched_input.h"
#include "scheme/codec.h"
#include "scheme/params.h"

/* Returns the dataset that gives rows and parameters: the first one, among datasets that are no weights and have not
 * one row if there are such; NULL if none is read. */
static const hb_eval_input *first_dataset(const hb_eval_job *job)
{
    const hb_eval_input *first = NULL;
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        const hb_eval_input *input = &job->inputs.input[i];
        const bool more = input->dataset != NULL && input->header->schema.rows != 1;
        const bool before = first != NULL && (first->serves_all || (more && first->header->schema.rows == 1));
        if (input->dataset != NULL && (first == NULL || (before && !input->serves_all))) {
            first = input;
        }
    }
    return first;
}

/* A dataset has the rows of the first one, or stands in all of them. */
static hb_status check_rows(const hb_eval_input *first, const hb_eval_input *input)
{
    const uint64_t rows = first->header->schema.rows, own = input->header->schema.rows;
    if (own == rows && own != 1 && !input->serves_all) {
        return hb_eval_input_require_same_rows(first, input);
    }
    if (own == rows || own == 1 || input->serves_all) {
        return HB_OK;
    }
    HB_TRY(hb_eval_input_require_same_rows(first, input)); /* which says why there are fewer */
    return HB_FAIL(HB_EDATA, "%s has %" PRIu64 " rows, %s has %" PRIu64 ": datasets have as many, or one row",
                   first->path, rows, input->path, own);
}

/* A ciphertext of packed totals is no column. */
static hb_status check_unpacked(const hb_eval_input *input)
{
    if (!hb_header_packs_totals(input->header)) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA,
                   "%s: eval made it compact, with all totals in one ciphertext, which can only be decrypted; make it "
                   "again with eval --compact off",
                   input->path);
}

/* Options hold for all plain tables: one without effect has none on any of them. */
static hb_status say_without_effect(const hb_eval_job *job)
{
    hb_read_columns read = {.count = 0};
    hb_status st = HB_OK;
    for (uint32_t i = 0; i < job->inputs.count && st == HB_OK; i++) {
        const hb_eval_input *input = &job->inputs.input[i];
        st = input->dataset == NULL ? hb_read_columns_add_table(&read, input->table) : HB_OK;
    }
    st = st == HB_OK ? hb_without_effect_say(&read, job->base.group, job->base.common, &job->options.reading.said) : st;
    hb_read_columns_clear(&read);
    return st;
}

/* Finds the datasets of smaller rings, and takes the headers of what they become. */
static hb_status find_rings(hb_eval_job *job)
{
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        hb_eval_input *input = &job->inputs.input[i];
        if (input->dataset == NULL) {
            continue;
        }
        HB_TRY(hb_switched_input_find(input->dataset, input->path, job->options.keys, &input->switched));
        if (input->switched != NULL) {
            input->header = &input->switched->header;
        }
    }
    return HB_OK;
}

/* Holds the inputs to one another, opens the parameters and packs plain tables for them. */
static hb_status check_inputs(hb_eval_job *job)
{
    const hb_eval_input *first = first_dataset(job);
    if (first == NULL) {
        return HB_FAIL(HB_EUSAGE, "no dataset is read: bind a name of the expression to one, NAME=IN.heb");
    }
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        hb_eval_input *input = &job->inputs.input[i];
        if (input->dataset != NULL) {
            HB_TRY(check_unpacked(input));
            /* With the first one: being alike is the same for all pairs then. */
            HB_TRY(hb_eval_input_check_pair(first, input));
            HB_TRY(check_rows(first, input));
            input->serves_all |= input->header->schema.rows != first->header->schema.rows;
        }
    }
    /* Checked before: all datasets have these parameters. */
    hb_params_spec spec;
    hb_eval_inputs_spec(&job->inputs, &spec);
    HB_TRY(hb_session_open_keyless(&job->base.session, &spec));
    memcpy(job->base.session.key_id, first->header->key_id, sizeof job->base.session.key_id);
    if (hb_eval_encoding(first->header) == HB_ENCODE_SLOTS) {
        HB_TRY(hb_params_require_slots(job->base.session.params));
    }
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        hb_eval_input *input = &job->inputs.input[i];
        if (input->dataset != NULL) {
            HB_TRY(hb_eval_input_check_level(input, job->base.session.params));
        } else {
            HB_TRY(hb_eval_input_open_table(input, &first->header->spec, &job->options));
            if (job->base.options.residue == 0) {
                HB_TRY(
                    hb_table_notes_say(job->base.group, job->base.common,
                                       &(hb_table_to_note){input->path, input->table, job->options.reading.said.fold}));
            }
            HB_TRY(hb_eval_input_pack(input, first->header, hb_program_may_weigh(job->options.expression)));
        }
    }
    job->plan.blocks = first->blocks;
    return job->base.options.residue == 0 ? say_without_effect(job) : HB_OK;
}

/* Options for reading tables need one. */
static hb_status check_reading(const hb_eval_job *job)
{
    uint32_t i = 0;
    while (i < job->inputs.count && job->inputs.input[i].dataset != NULL) {
        i++;
    }
    return i == job->inputs.count && hb_reading_says(&job->options.reading)
               ? HB_FAIL(HB_EUSAGE, "options say how plain tables are read, but there are none: all inputs are "
                                    "encrypted, and were read with the options of encrypt")
               : HB_OK;
}

/* Makes places for as many inputs and outputs as there are words. */
static hb_status alloc(hb_eval_job *job)
{
    const size_t most = (size_t)job->options.binding_count + 1;
    hb_eval_outputs *outputs = &job->outputs;
    job->inputs.input = calloc(most, sizeof *job->inputs.input);
    outputs->output = calloc(most, sizeof *outputs->output);
    outputs->names = calloc(most, sizeof *outputs->names);
    outputs->headers = calloc(most, sizeof *outputs->headers);
    if (job->inputs.input == NULL || outputs->output == NULL || outputs->names == NULL || outputs->headers == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %zu names", most);
    }
    return HB_OK;
}

hb_status hb_eval_job_open_inputs(hb_eval_job *job)
{
    char **reads = NULL, **assigns = NULL, **weights = NULL;
    hb_status st;
    HB_GOTO(alloc(job));
    HB_GOTO(hb_program_names(job->options.expression, &reads, &assigns));
    HB_GOTO(hb_program_weights(job->options.expression, &weights));
    HB_GOTO(hb_eval_bind(job, reads, assigns, weights));
    HB_GOTO(check_reading(job));
    HB_GOTO(find_rings(job));
    st = check_inputs(job);
done:
    hb_names_free(reads);
    hb_names_free(assigns);
    hb_names_free(weights);
    return st;
}

/* Refuses options for the other kind of schemes. */
static hb_status check_options(hb_eval_job *job)
{
    hb_eval_options *options = &job->options;
    const hb_params_spec *spec = &job->base.session.params->spec;
    const hb_scheme scheme = spec->scheme;
    const hb_quality_trust usual = hb_trust_by_default(spec);
    if (options->trust == HB_QUALITY_BY_DEFAULT) {
        options->trust = options->sanitize == 0 ? usual : HB_QUALITY_WORST;
    }
    if (options->trust == HB_QUALITY_DRAWN && usual != HB_QUALITY_DRAWN) {
        return HB_FAIL(HB_EUSAGE, "--noise drawn: parameters %s do not bootstrap integers; presets called int-... do",
                       job->base.session.params->name);
    }
    const bool reals = hb_codec_cell_type(scheme) == HB_CELL_REAL;
    if (reals && options->wrap) {
        return HB_FAIL(HB_EUSAGE, "--wrap: values of %s do not wrap around", hb_scheme_name(scheme));
    }
    if (!reals && options->bits > 0) {
        return HB_FAIL(HB_EUSAGE, "--precision: values of %s are exact; it is for reals", hb_scheme_name(scheme));
    }
    if (!reals && options->gap > 0) {
        return HB_FAIL(HB_EUSAGE, "--gap: comparisons of %s are exact; it is for reals", hb_scheme_name(scheme));
    }
    if (options->sanitize > 0 && options->trust != HB_QUALITY_WORST) {
        return HB_FAIL(HB_EUSAGE, "--noise: sanitizing goes by noise that is proven, worst");
    }
    if (!reals && options->bootstrap == HB_BOOTSTRAP_TWICE) {
        return HB_FAIL(HB_EUSAGE,
                       "--bootstrap twice: integers are exact, and refreshed by as many passes as they need: "
                       "auto; twice is for reals");
    }
    if (options->bootstrap == HB_BOOTSTRAP_TWICE && !hb_params_can_bootstrap(job->base.session.params)) {
        return HB_FAIL(HB_EUSAGE,
                       "--bootstrap twice: parameters %s have no bootstrapping; presets called boot-... have",
                       job->base.session.params->name);
    }
    return hb_ranges_check_scheme(options->ranges, options->range_count, scheme);
}

/* Refuses results that may wrap around, unless the user wants them: a result that is wrong without a word is
 * worse than none. */
static hb_status check_wraps(const hb_eval_job *job)
{
    if (job->program.description.wraps == NULL || job->options.wrap) {
        return HB_OK;
    }
    return HB_FAIL(HB_EDATA, "%s; or give a tighter --range, or --wrap to have it all the same",
                   job->program.description.wraps);
}

/* Refuses results that no decryption shows, before they are computed. */
static hb_status check_shown(const hb_program *program, const hb_params_spec *spec)
{
    for (uint32_t o = 0; o < program->output_count; o++) {
        const hb_output *output = &program->outputs[o];
        HB_TRY(hb_wide_check_shown(&output->schema, spec, output->name, output->unranged));
    }
    return HB_OK;
}

/* Fits the model to the dataset that x is bound to, and appends its operands to those of the inputs. Ranges of its sums
 * hold in slots that hold no row as well, where x has zeros. */
static hb_status add_model(hb_eval_job *job, hb_operand *operands, uint32_t *count)
{
    hb_model *model = job->options.model;
    const hb_eval_input *x = NULL;
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        x = strcmp(job->inputs.input[i].name, "x") == 0 ? &job->inputs.input[i] : x;
    }
    if (x == NULL || x->dataset == NULL || job->inputs.count > 1) {
        return HB_FAIL(HB_EUSAGE, "%s: a model reads x, and nothing else: bind it to a dataset, x=IN.heb", model->path);
    }
    if (hb_codec_cell_type(job->base.session.params->spec.scheme) != HB_CELL_REAL) {
        return HB_FAIL(HB_EUSAGE,
                       "--model: models work on reals, and %s is encrypted as integers; encrypt it with CKKS", x->path);
    }
    HB_TRY(hb_model_fit(model, &x->header->schema));
    for (uint32_t i = 0; i < model->operand_count; i++) {
        if (!model->operands[i].believed || !x->header->dirty_padding) {
            operands[(*count)++] = model->operands[i];
        }
    }
    return HB_OK;
}

/* Appends the declared ranges of assigned names. */
static hb_status add_believed(const hb_eval_job *job, hb_operand *operands, uint32_t *count)
{
    const hb_eval_options *options = &job->options;
    char **reads, **assigns;
    HB_TRY(hb_program_names(options->expression, &reads, &assigns));
    hb_ranges_believed(options->ranges, options->range_count, assigns, job->base.session.params->spec.scheme, operands,
                       count);
    hb_names_free(reads);
    hb_names_free(assigns);
    const char *stranger = hb_ranges_stranger(options->ranges, options->range_count, operands, *count);
    return stranger == NULL
               ? HB_OK
               : HB_FAIL(
                     HB_EUSAGE,
                     "--range %s=...: the expression neither reads nor assigns %s; of a column %s: --range NAME.%s=...",
                     stranger, stranger, stranger, stranger);
}

/* Returns an input that eval stored in fewer limbs than it was computed with; NULL: there is none. */
static const hb_eval_input *compact_input(const hb_eval_job *job)
{
    uint32_t i = 0;
    while (i < job->inputs.count &&
           (job->inputs.input[i].dataset == NULL || job->inputs.input[i].header->past.computed_limbs == 0)) {
        i++;
    }
    return i < job->inputs.count ? &job->inputs.input[i] : NULL;
}

/* The compiler's description of an input, which borrows name and schema. */
static hb_operand operand_of(hb_eval_input *input, const hb_params *params)
{
    if (input->dataset == NULL) {
        return (hb_operand){.name = input->name, .schema = &input->header->schema, .source = &input->plain.source};
    }
    hb_operand operand = hb_eval_header_operand(input->name, input->header, params, true);
    if (input->switched != NULL) {
        operand.spread_first = input->switched->first;
        operand.loose = input->switched->own->made_by != HB_MADE_FRESH; /* a switch changes no value */
    }
    return operand;
}

/* Compiles the expression. Where it is refused and a result of another eval is read in few limbs, that is why: other
 * presets are not asked. */
static hb_status compile(hb_eval_job *job, const hb_program_source *source)
{
    const hb_eval_input *compact = compact_input(job);
    const bool hints = compact == NULL;
    hb_status st = (hints ? hb_program_compile_with_hint : hb_program_compile)(&job->program, source);
    if (st == HB_OK && hb_spec_residue(&source->params->spec) == 0) { /* else refused once the first was computed */
        st = hb_program_compile_others(source, &(hb_residue_visit){.hints = hints});
    }
    if (hints || st != HB_EDATA) {
        return st;
    }
    return HB_FAIL(st,
                   "%.300s; %.80s is a result that was stored in %" PRIu32 " of its %" PRIu32
                   " limbs: make it again with eval --compact off",
                   hb_last_error()->text, compact->path, compact->header->limbs, compact->header->past.computed_limbs);
}

/* Returns the bits that stored results keep: with which any of them can be sanitized, and parts of decryptions made. */
static double compact_bits(const hb_eval_job *job)
{
    return job->options.sanitize == 0
               ? job->options.compact
               : HB_SANITIZE_ENOUGH - HB_SANITIZE_LEAVE + hb_sanitize_leave(job->base.session.params);
}

/* Adds a pass of the compiler to the trace. */
static void trace_pass(const char *pass, double begun, double ended)
{
    hb_trace_add((hb_trace_span){.name = pass, .begun = begun, .ended = ended});
}

hb_status hb_eval_job_compile(hb_eval_job *job)
{
    const hb_params *params = job->base.session.params;
    const uint32_t more = job->options.model != NULL ? job->options.model->operand_count : 0;
    hb_operand *operands = calloc((size_t)job->inputs.count + more + job->options.range_count + 1, sizeof *operands);
    if (operands == NULL) {
        return HB_FAIL(HB_ENOMEM, "no memory for %" PRIu32 " inputs", job->inputs.count);
    }
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        operands[i] = operand_of(&job->inputs.input[i], params);
    }
    hb_program_source source = {.text = job->options.expression,
                                .params = params,
                                .operands = operands,
                                .operand_count = job->inputs.count,
                                .outputs = job->outputs.names,
                                .output_count = job->outputs.count,
                                .hidden = job->options.hidden,
                                .bits = job->options.bits,
                                .compact = compact_bits(job),
                                .gap = job->options.gap,
                                .bootstrap = job->options.bootstrap,
                                .ran = hb_trace_is_on() ? trace_pass : NULL};
    /* A plan goes to logs, and constants may be the weights of a private model. */
    if (job->options.dry_run && job->base.common->verbose > 0) {
        source.listing = HB_LISTING_WITHOUT_NUMBERS;
        source.each_pass = job->base.common->verbose > 1;
    }
    hb_interval *columns = NULL;
    hb_status st = HB_OK;
    /* Before the compiler, which proves from ranges that results do not wrap. */
    HB_GOTO(check_options(job));
    source.trust = job->options.trust;
    HB_GOTO(add_believed(job, operands, &source.operand_count));
    if (job->options.model != NULL) {
        HB_GOTO(add_model(job, operands, &source.operand_count));
    }
    HB_GOTO(hb_eval_ranges(&job->inputs, job->options.ranges, job->options.range_count,
                           hb_program_may_weigh(job->options.expression), operands, &columns));
    HB_GOTO(compile(job, &source));
    HB_GOTO(check_wraps(job));
    HB_GOTO(hb_eval_check_refreshes(job));
    HB_GOTO(check_shown(&job->program, &params->spec));
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        HB_GOTO(hb_eval_input_note_use(&job->inputs.input[i], i, &job->program));
    }
done:
    free(columns);
    free(operands);
    return st;
}
