/* Prints the plan of a computation. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/outward.h"
#include "batch/cells/column_values.h"
#include "batch/cells/table_missing.h"
#include "batch/unit/predicted.h"
#include "cli/console.h"
#include "cli/parse.h"
#include "job_private.h"
#include "joint/part_plan.h"
#include "rekey/switched_input.h"
#include "scheme/codec.h"
#include "scheme/quality.h"

static void print_inputs(const hb_eval_job *job, hb_speaker say)
{
    const bool results = say == hb_console_result;
    for (uint32_t i = 0; i < job->inputs.count; i++) {
        const hb_eval_input *input = &job->inputs.input[i];
        const hb_schema *schema = &input->header->schema;
        say(job->base.group, job->base.common, "%-12s %s: %s%s", input->name, input->path,
            input->dataset != NULL ? "" : "plain, ", hb_human_table(schema->rows, schema->columns).text);
        if (input->dataset != NULL) {
            hb_left_out_print(job->base.group, job->base.common, schema, results);
        }
        if (input->switched != NULL) {
            say(job->base.group, job->base.common,
                "ring         %s comes from N = %zu to N = %zu, in %" PRIu32 " of %" PRIu32 " limbs, by %s",
                input->name, input->switched->own->spec.n, job->base.session.params->spec.n, input->header->limbs,
                job->base.session.params->fresh_limbs, input->switched->key.path);
        }
        if (input->table != NULL) {
            hb_table_missing_print(job->base.group, job->base.common, input->table, results);
        }
    }
}

/* "network, 64 -> 32 -> 10" */
static void print_model(const hb_eval_job *job, hb_speaker say)
{
    const hb_model *model = job->options.model;
    char widths[16 * (HB_MODEL_MOST_LAYERS + 1)] = "", id[2 * HB_DIGEST_BYTES + 1];
    size_t length = 0;
    if (model == NULL) {
        return;
    }
    for (uint32_t i = 0; i < model->layer_count; i++) {
        length += (size_t)snprintf(widths + length, sizeof widths - length, "%s%" PRIu32, i == 0 ? ", " : " -> ",
                                   i == 0 ? model->inputs : model->layers[i - 1].outputs);
    }
    if (model->layer_count > 0) {
        snprintf(widths + length, sizeof widths - length, " -> %" PRIu32,
                 model->layers[model->layer_count - 1].outputs);
    }
    hb_hex(id, model->digest, sizeof model->digest);
    say(job->base.group, job->base.common, "%-12s %s: %s%s, digest %s", "model", model->path, model->kind, widths, id);
}

static bool is_real(const hb_eval_job *job)
{
    return hb_codec_cell_type(job->base.session.params->spec.scheme) == HB_CELL_REAL;
}

/* The bits that are left, by the bound that is said: "21 bits at least"; "21 bits drawn at least" where it is not
 * proven. left: "21 bits left at least". */
static hb_human at_least(const hb_eval_job *job, const hb_node_note *note, bool left)
{
    const bool proven = note->certainty == HB_CERTAINTY_PROVEN, real = is_real(job);
    const bool one = !real && hb_decimal_down(note->worst, 0) == 1;
    const char *word = hb_certainty_word(note->certainty);
    char some[40], none[40];
    snprintf(some, sizeof some, "%s%s%s%s at least", one && left ? "bit" : "bits", left && proven ? " left" : "",
             proven ? "" : " ", proven ? "" : word);
    snprintf(none, sizeof none, "no bits %s", word);
    return hb_human_bits(note->worst, real, some, none);
}

static hb_human expected(const hb_eval_job *job, const hb_node_note *note)
{
    return hb_human_bits(note->expected, is_real(job), "expected", "none expected");
}

/* How many iterations of a loop have all that a note says. */
typedef struct iterations_text {
    char text[96];
} iterations_text;

static iterations_text iterations(const hb_node_note *note)
{
    iterations_text out = {""};
    if (note->iterations > 1 && note->computed == note->iterations) {
        snprintf(out.text, sizeof out.text, " in each of %" PRIu32 " iterations", note->computed);
    } else if (note->iterations > 1) {
        snprintf(out.text, sizeof out.text, " in %" PRIu32 " of %" PRIu32 " iterations (not by itself in others)",
                 note->computed, note->iterations);
    }
    return out;
}

/* Prints the correct bits right of the point, and the bits of the values left of it. */
static void print_real(const hb_eval_job *job, const hb_node_note *note, hb_speaker say)
{
    char values[HB_INTERVAL_TEXT];
    hb_interval_text(values, note->values);
    say(job->base.group, job->base.common, "%-12s %s%s, %s%s, values %s, %" PRIu32 " of %" PRIu32 " limbs%s: %s",
        hb_quality_name(job->base.session.params->spec.scheme), at_least(job, note, false).text,
        hb_eval_assumes(job) ? " (assumed: inputs are imported)" : "", expected(job, note).text,
        hb_predicted_part(note->approximate, note->worst).text, values, note->limbs,
        job->base.session.params->fresh_limbs, iterations(note).text, note->text);
}

/* Prints every operation on ciphertexts. */
static void print_steps(const hb_eval_job *job, hb_speaker say)
{
    for (uint32_t i = 0; i < job->program.description.step_count; i++) {
        const hb_node_note *step = &job->program.description.steps[i];
        char values[HB_INTERVAL_TEXT] = "not known", text[HB_INTERVAL_TEXT + 16] = "";
        if (step->values.known) {
            hb_interval_text(values, step->values);
            snprintf(text, sizeof text, ", values %s", values);
        }
        say(job->base.group, job->base.common, "step         %s: %s, %s%s%s, %" PRIu32 " of %" PRIu32 " limbs: %s",
            step->operation, at_least(job, step, false).text, expected(job, step).text,
            hb_predicted_part(step->approximate, step->worst).text, text, step->limbs,
            job->base.session.params->fresh_limbs, step->text);
    }
}

/* Prints the text forms of the graph and of the program. */
static void print_listing(const hb_eval_job *job, hb_speaker say)
{
    const char *line = job->program.description.listing;
    while (line != NULL && *line != '\0') {
        const size_t length = strcspn(line, "\n");
        say(job->base.group, job->base.common, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* How many ciphertexts are bootstrapped: of each row block, of every two of them, of totals. */
typedef struct bootstrap_counts {
    uint64_t block, two_blocks, totals;
    uint64_t pairs; /* ciphertexts of all of these that hold two real values */
    uint64_t all;
} bootstrap_counts;

static bootstrap_counts count_bootstraps(const hb_program *program, uint64_t blocks)
{
    bootstrap_counts n = {0};
    uint64_t block_halves = 0, total_halves = 0; /* of pairs, whose values may be in two notes */
    for (uint32_t i = 0; i < program->description.bootstrap_count; i++) {
        const hb_bootstrap_note *note = &program->description.bootstraps[i];
        *(note->total ? &n.totals : &n.block) += note->complex + note->singles;
        *(note->total ? &total_halves : &block_halves) += note->pairs;
        n.two_blocks += note->neighbours;
    }
    n.block += block_halves / 2;
    n.totals += total_halves / 2;
    n.pairs = block_halves / 2 * blocks + total_halves / 2;
    n.all = n.block * blocks + n.two_blocks * ((blocks + 1) / 2) + n.totals;
    return n;
}

/* Prints how many ciphertexts are bootstrapped, and where they are. */
static void print_bootstrap_counts(const hb_eval_job *job, hb_speaker say)
{
    const uint64_t blocks = job->plan.blocks;
    const bootstrap_counts n = count_bootstraps(&job->program, blocks);
    const hb_human of = hb_human_things(blocks, "row block");
    char each[128] = "", two[128] = "", totals[96] = "", pairs[96] = "";
    if (n.block > 0) {
        snprintf(each, sizeof each, "%" PRIu64 " in %s%s", n.block, blocks > 1 ? "each of " : "", of.text);
    }
    if (n.two_blocks > 0) {
        snprintf(two, sizeof two, "%s%" PRIu64 " for every two of %s", n.block > 0 ? ", " : "", n.two_blocks, of.text);
    }
    if (n.totals > 0) {
        snprintf(totals, sizeof totals, "%s%s", n.block + n.two_blocks > 0 ? ", " : "",
                 hb_human_things(n.totals, "total").text);
    }
    if (n.pairs > 0) {
        snprintf(pairs, sizeof pairs, "; %" PRIu64 " of them with two real values each", n.pairs);
    }
    say(job->base.group, job->base.common, "bootstraps   give %s levels again: %s%s%s%s",
        hb_human_things(n.all, "ciphertext").text, each, two, totals, pairs);
}

/* Prints which values are bootstrapped together, how large they are, and what they have before and after. */
static void print_bootstrap(const hb_eval_job *job, const hb_bootstrap_note *note, hb_speaker say)
{
    const hb_params *params = job->base.session.params;
    char columns[64] = "", where[48] = "";
    if (note->values > 1) {
        snprintf(columns, sizeof columns, "%" PRIu32 " columns%s, ", note->values,
                 note->pairs == note->values ? ", two in a ciphertext" : "");
    }
    if (note->iterations > 0) {
        snprintf(where, sizeof where, " (in iteration %" PRIu32 " of %" PRIu32 ")", note->iteration, note->iterations);
    }
    say(job->base.group, job->base.common,
        "bootstrap    %s%svalues up to %.0f, from level %" PRIu32 " to level %" PRIu32
        ", %s and %s before, %s and %s after: %s%s",
        columns, note->neighbours == note->values ? "two row blocks in a ciphertext, " : "",
        ldexp(1, (int)note->range_bits), hb_params_level(params, note->limbs_before),
        hb_params_level(params, note->limbs_after),
        hb_human_bits(note->worst_before, true, "bits at least", "no bits proven").text,
        hb_human_bits(note->expected_before, true, "expected", "none expected").text,
        hb_human_bits(note->worst_after, true, "bits at least", "no bits proven").text,
        hb_human_bits(note->expected_after, true, "expected", "none expected").text, note->text, where);
}

static void print_bootstraps(const hb_eval_job *job, hb_speaker say)
{
    enum { MOST = 8 };
    const hb_description *of = &job->program.description;
    const bool looks_up = hb_program_lookups_over(&job->program, 1) > 0;
    if (of->bootstrap_count == 0 && !looks_up) {
        return;
    }
    if (looks_up || of->bootstraps[0].passes > 0) {
        hb_eval_print_refreshes(job, say);
        return;
    }
    print_bootstrap_counts(job, say);
    for (uint32_t i = 0; i < of->bootstrap_count; i++) {
        if (i == MOST && job->base.common->verbose == 0) {
            say(job->base.group, job->base.common, "bootstrap    and %" PRIu32 " more: --verbose",
                of->bootstrap_count - i);
            return;
        }
        print_bootstrap(job, &of->bootstraps[i], say);
    }
}

/* Prints the polynomials that replace functions, their intervals and errors. */
static void print_functions(const hb_eval_job *job, hb_speaker say)
{
    for (uint32_t i = 0; i < job->program.description.function_count; i++) {
        const hb_function_note *note = &job->program.description.functions[i];
        char gap[64] = "", degrees[8 * HB_FUNCTION_NOTE_STAGES] = "";
        if (note->gap > 0) {
            snprintf(gap, sizeof gap, " except within %.3g of 0", note->gap);
        }
        for (uint32_t j = 0; j < note->stages && j < HB_FUNCTION_NOTE_STAGES; j++) {
            const size_t used = strlen(degrees);
            snprintf(degrees + used, sizeof degrees - used, "%s%" PRIu32, j == 0 ? "" : ", ", note->degrees[j]);
        }
        say(job->base.group, job->base.common,
            "function     %s on %.5g .. %.5g%s: degree%s %s, %s, right to 2^%.1f: %s", note->name, note->low,
            note->high, gap, note->stages == 1 ? "" : "s", degrees, hb_human_things(note->levels, "level").text,
            hb_decimal_up(log2(note->error), 1), note->text);
    }
}

/* Prints how rows within slots are multiplied by matrices. */
static void print_matrices(const hb_eval_job *job, hb_speaker say)
{
    const hb_block_lists *lists = &job->program.constants.blocks;
    for (uint32_t i = 0; i < lists->matrix_count; i++) {
        const hb_matrix_entry *entry = lists->matrices[i];
        const hb_block_matrix *first = &entry->matrix, *second = entry->pair.matrix[1];
        char other[64] = "", common[64] = "";
        if (!hb_program_multiplies_by(&job->program, i)) {
            continue;
        }
        if (second != NULL) {
            snprintf(other, sizeof other, " and %" PRIu32 " x %" PRIu32, second->rows, second->columns);
            snprintf(common, sizeof common, ", %" PRIu32 " of them for both", entry->outline.giants);
        }
        say(job->base.group, job->base.common, "matrix       %" PRIu32 " x %" PRIu32 "%s in blocks of %s: %s, %s%s",
            first->rows, first->columns, other, hb_human_things(first->block, "slot").text,
            hb_human_things(entry->outline.diagonals, "diagonal").text,
            hb_human_things(hb_matrix_entry_rotations(entry), "rotation").text, common);
    }
}

/* Prints the remaining noise budget where it matters. */
static void print_notes(const hb_eval_job *job, hb_speaker say)
{
    const hb_program *program = &job->program;
    say(job->base.group, job->base.common,
        "depth        %" PRIu32 " product%s of ciphertexts one after another, %" PRIu32 " in all; %" PRIu32
        " %s over the rows",
        program->depth, program->depth == 1 ? "" : "s", program->products, program->pass_count,
        program->pass_count == 1 ? "pass" : "passes");
    for (uint32_t i = 0; i < program->description.note_count; i++) {
        const hb_node_note *note = &program->description.notes[i];
        if (note->values.real) {
            print_real(job, note, say);
            continue;
        }
        say(job->base.group, job->base.common, "%-12s %s%s, %s, %" PRIu32 " of %" PRIu32 " limbs%s: %s",
            hb_quality_name(job->base.session.params->spec.scheme), at_least(job, note, true).text,
            hb_eval_assumes(job) ? " (assumed: inputs are imported)" : "", expected(job, note).text, note->limbs,
            job->base.session.params->fresh_limbs, iterations(note).text, note->text);
    }
}

static void print_memory(const hb_eval_job *job, hb_speaker say)
{
    const hb_plan *plan = &job->base.plan;
    const hb_eval_plan *own = &job->plan;
    char kept[128] = "";
    if (own->kept_bytes > 0) {
        snprintf(kept, sizeof kept, ", up to %s of it for inputs that several passes read",
                 hb_human_bytes((double)own->kept_bytes).text);
    }
    say(job->base.group, job->base.common, "memory       %s of buffers a rank, %s at a time%s",
        hb_human_bytes((double)plan->host_bytes).text, hb_human_things(plan->workers.batch, "row block").text,
        plan->device_limit > 0 ? "" : kept);
    if (job->options.dry_run || job->base.common->verbose > 0) {
        say(job->base.group, job->base.common, "batch        %s at a time: %s",
            hb_human_things(plan->workers.batch, "row block").text, hb_batch_limit_words(own->limit));
    }
    if (plan->device_limit > 0) {
        say(job->base.group, job->base.common, "GPU memory   %s of %s a rank%s",
            hb_human_bytes((double)plan->device_bytes).text, hb_human_bytes((double)plan->device_limit).text, kept);
    }
    hb_plan_print_time(plan, job->base.group, job->base.common, say == hb_console_result);
    if (own->checkpoint_bytes > 0) {
        say(job->base.group, job->base.common, "checkpoint   up to %s of a step, stored on its way %s%s",
            hb_human_bytes((double)own->checkpoint_bytes).text,
            job->options.checkpoint_interval > 0 ? "after " : "where the job is stopped",
            job->options.checkpoint_interval > 0 ? hb_human_seconds(job->options.checkpoint_interval).text : "");
    }
    char keys[128] = "";
    if (own->key_read_bytes > 0) {
        snprintf(keys, sizeof keys, ", %s of keys %s", hb_human_bytes((double)own->key_read_bytes).text,
                 plan->limbs.ranks > 1 ? "for the limbs of each rank" : "once a host");
    }
    say(job->base.group, job->base.common, "disk         %s to read%s%s, %s to write, %s free",
        hb_human_bytes((double)own->input_bytes).text, job->program.pass_count > 1 ? " in each pass" : "", keys,
        hb_human_bytes((double)plan->output_bytes).text, hb_human_bytes((double)plan->free_bytes).text);
}

/* Says why the totals of output o stay in ciphertexts of their own. */
static void print_unpacked(const hb_eval_job *job, uint32_t o, hb_speaker say)
{
    static const char *const reasons[] = {
        [HB_PACKED_OR_SINGLE] = NULL,
        [HB_UNPACKED_ROWS] = "rows stand within slots (encrypt --pack)",
        [HB_UNPACKED_MANY] = "there are more than N/2",
        [HB_UNPACKED_FORM] = "one of them is complex, constant, or a product that is not rescaled",
        [HB_UNPACKED_LEVEL] = "bootstrapping left them above the level of fresh ciphertexts",
        [HB_UNPACKED_BITS] =
            "in one they would keep too few bits; `hebatch params suggest` finds parameters with room"};
    const hb_output *output = &job->program.outputs[o];
    const bool several = output->total && output->schema.columns > 1 && !output->packed;
    const char *reason = job->options.compact == 0 ? "--compact off" : reasons[output->unpacked];
    if (several && reason != NULL) {
        say(job->base.group, job->base.common, "%-12s not packed into one ciphertext: %s", job->outputs.names[o],
            reason);
    }
}

/* Says that output o is sanitized. */
static void print_sanitized(const hb_eval_job *job, uint32_t o, hb_speaker say)
{
    const hb_header *header = &job->outputs.output[o].header;
    if (header->past.sanitized > 0) {
        say(job->base.group, job->base.common,
            "%-12s sanitized: within 2^-%.1f of any other computation of these values, %" PRIu32
            " limbs before, %" PRIu32 " behind",
            job->outputs.names[o], hb_decimal_down(header->past.sanitized, 1), job->program.outputs[o].limbs,
            header->limbs);
    }
}

/* Says that some ranks have no share of totals. */
static void print_lanes(const hb_eval_job *job, hb_speaker say)
{
    const uint32_t groups = (uint32_t)job->base.session.grid.peers->size, shared = job->division.of.lanes.ranks;
    if (job->division.of.passes != NULL && shared < groups) {
        say(job->base.group, job->base.common,
            "totals       divided over %" PRIu32 " of %" PRIu32 " ranks%s: with more they would wait for one another",
            shared, groups, job->base.plan.limbs.ranks > 1 ? ", or groups that share limbs" : "");
    }
}

/* Says what is kept for parts of decryptions. */
static void print_owners(const hb_eval_job *job, hb_speaker say)
{
    const hb_params *params = job->base.session.params;
    const uint32_t owners = hb_spec_owners(&params->spec), threshold = hb_spec_threshold(&params->spec);
    char some[24] = "";
    if (threshold < owners) {
        snprintf(some, sizeof some, "%" PRIu32 " of ", threshold);
    }
    if (owners > 1) {
        say(job->base.group, job->base.common,
            "owners       %s%" PRIu32 ": results keep %.0f bits of the noise budget for their parts", some, owners,
            ceil(hb_part_budget(params)));
    }
}

void hb_eval_job_print(const hb_eval_job *job, bool results)
{
    const hb_speaker say = hb_console_speaker(results);
    const hb_plan *plan = &job->base.plan;
    const hb_eval_plan *own = &job->plan;
    print_inputs(job, say);
    print_model(job, say);
    say(job->base.group, job->base.common, "steps        %" PRIu64 " of %s of %" PRIu64 " rows%s; %s in all",
        plan->units, hb_human_things(job->steps.unit, "row block").text,
        job->steps.capacity / hb_program_block(&job->program),
        own->steps_stay ? ", as the job began, whatever --batch says now" : "",
        hb_human_things(own->blocks, "row block").text);
    say(job->base.group, job->base.common, "ranks        %d, each at most %s", job->base.group->size,
        hb_human_things(plan->rank_units, "step").text);
    hb_plan_limbs_print(&plan->limbs, job->base.group, job->base.common, results);
    if (job->keys.count > 0) {
        say(job->base.group, job->base.common, "keys         %" PRIu32 " of %s, %s a rank", job->keys.count,
            job->options.keys, hb_human_bytes((double)own->key_bytes).text);
    }
    print_lanes(job, say);
    print_functions(job, say);
    print_bootstraps(job, say);
    print_matrices(job, say);
    if (job->base.common->verbose > 0) {
        print_steps(job, say);
        print_listing(job, say);
    }
    print_notes(job, say);
    hb_workers_print(&plan->workers, &job->base.device, job->base.group, job->base.common, results);
    print_memory(job, say);
    hb_deadline_print(&job->base.deadline, job->base.group, job->base.common, results);
    print_owners(job, say);
    for (uint32_t o = 0; o < job->outputs.count; o++) {
        const hb_header *header = &job->outputs.output[o].header;
        char residues[64] = "";
        if (hb_spec_residues(&header->spec) > 1) {
            snprintf(residues, sizeof residues, " for each of %" PRIu32 " plain moduli",
                     hb_spec_residues(&header->spec));
        }
        say(job->base.group, job->base.common, "%-12s %s: %s, %s%s, %s", job->outputs.names[o],
            job->outputs.output[o].path, hb_human_table(header->schema.rows, header->schema.columns).text,
            hb_human_things(header->ciphertexts, "ciphertext").text, residues,
            hb_human_bytes((double)hb_header_stored_bytes(header)).text);
        print_unpacked(job, o, say);
        print_sanitized(job, o, say);
        hb_columns_print(job->base.group, job->base.common, &header->schema,
                         results ? HB_COLUMNS_RESULTS : HB_COLUMNS_LOG);
    }
    for (uint32_t i = 0; i < job->program.description.warning_count; i++) {
        hb_console_warn(job->base.group, "warning: %s", job->program.description.warnings[i]);
    }
}
