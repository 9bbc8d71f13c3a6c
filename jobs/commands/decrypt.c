/* hebatch decrypt: a ciphertext dataset to a table. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch/cells/column_values.h"
#include "batch/cells/table_missing.h"
#include "batch/job/run_report.h"
#include "batch/unit/predicted.h"
#include "cli/options.h"
#include "cli/trace.h"
#include "commands.h"
#include "decrypt.h"
#include "recompute_words.h"
#include "run_job.h"
#include "scheme/quality.h"
#include "table/grouping.h"
#include "tables/residue_tables.h"
#include "tables/table_columns.h"

json_t *hb_parts_json(const hb_part_inputs *inputs)
{
    json_t *names = json_array();
    for (uint32_t i = 0; names != NULL && i < inputs->count; i++) {
        json_array_append_new(names, json_string(hb_dataset_header(inputs->part[i])->part->from));
    }
    return names;
}

static json_t *describe(const hb_decrypt_job *job)
{
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, job->base.session.key_id, HB_KEY_ID_BYTES);
    return json_pack("{s:o, s:o*, s:o, s:o*, s:o, s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:o}", "input",
                     hb_report_text(job->options.input), "parts",
                     job->options.parts != NULL ? hb_parts_json(&job->combining.inputs) : NULL, "left_out",
                     hb_left_out_json(&job->base.header->schema), "threshold_gap",
                     hb_threshold_gap_json(&job->base.header->schema), "table", hb_report_text(job->options.output),
                     "column", hb_report_columns(&job->base.header->schema), "table_column",
                     hb_table_columns_json(&job->table, &job->selection), "may_wrap",
                     (int)hb_columns_may_wrap(&job->base.header->schema), "key_id", id, "params",
                     hb_report_params(job->base.session.params), "plan", hb_plan_json(&job->base.plan), "limbs",
                     hb_plan_limbs_json(&job->base.plan.limbs, &job->base.exchanged), "device",
                     hb_device_json(&job->base.device, job->base.session.engine));
}

/* The command that the job runs for. */
static const char *command_of(const hb_decrypt_options *options)
{
    return options->parts != NULL ? "combine" : "decrypt";
}

/* The measured errors, or for shown results the noise that hides them. */
static json_t *quality(const hb_decrypt_job *job)
{
    if (job->options.share == 0) {
        return json_pack("{s:o}", hb_quality_word(job->base.session.params->spec.scheme),
                         hb_predicted_json(job->decryption.predicted_of_all, &job->decryption.measured_of_all));
    }
    return json_pack("{s:{s:I, s:I, s:I, s:i}}", "share", "promised", (json_int_t)job->options.share, "results",
                     (json_int_t)job->base.header->ciphertexts, "shown", (json_int_t)job->disclosed.results, "bits",
                     job->flood.bits);
}

/* The bytes of a CSV, and the most that one rank has made of them; NULL for other tables. */
static json_t *text_json(const hb_decrypt_job *job)
{
    return job->text.bytes > 0 ? json_pack("{s:I, s:I}", "bytes", (json_int_t)job->text.bytes, "most_of_a_rank",
                                           (json_int_t)job->text.most)
                               : NULL;
}

static json_t *document(const hb_job *base, hb_status status)
{
    (void)status;
    const hb_decrypt_job *job = (const hb_decrypt_job *)base;
    json_t *times =
        json_pack("{s:o, s:o*}", "times", hb_job_times_json(&base->job_times, &base->times), "text", text_json(job));
    return hb_report_compose(base->group, command_of(&job->options), describe(job),
                             hb_report_joined(times, quality(job), json_object()));
}

/* Prints the promise about shown results. */
static void print_share(const hb_decrypt_job *job)
{
    if (job->options.share > 0) {
        hb_console_result(job->base.group, job->base.common,
                          "shared       noise hides errors; values are rounded to 2^-%d; %" PRIu64 " of %" PRIu64
                          " results are shown under this key",
                          job->flood.bits, job->disclosed.results, job->options.share);
    }
}

static const char *output_name(const hb_decrypt_job *job)
{
    return job->base.common->piped ? "standard output" : job->options.output;
}

/* An approximate value tells something of the key to anyone who knows the exact one (ckks/cipher.h). */
static void warn_approximate(const hb_decrypt_job *job)
{
    if (job->base.header->cells == HB_CELL_REAL && job->options.share == 0) {
        hb_console_warn(
            job->base.group,
            "%s: keep these approximate values from anyone who chose inputs or computed: their errors tell of "
            "the secret key (--share hides them)",
            output_name(job));
    }
}

/* A value that noise made wrong tells something of the key to anyone who knows the right one: only a proof rules such
 * values out. */
static void warn_unproven(const hb_decrypt_job *job, bool bound_holds)
{
    const hb_predicted noise = hb_decrypt_job_predicted(job);
    const bool likely = noise.certainty == HB_CERTAINTY_EXPECTED;
    if (noise.cells == HB_CELL_INTEGER && !bound_holds) {
        hb_console_warn(job->base.group,
                        "%s: keep these values from anyone who chose inputs or computed: noise may have made some of "
                        "them wrong, and a wrong one tells of the secret key",
                        job->options.output);
    } else if (noise.cells == HB_CELL_INTEGER && !noise.assumed && noise.certainty == HB_CERTAINTY_DRAWN &&
               noise.worst >= 1) {
        hb_console_log(job->base.group, job->base.common,
                       "%s: noise made none of these values wrong, with all but 2^-64 of probability, unless somebody "
                       "made ciphertexts for that; then keep them from him",
                       job->options.output);
    } else if (noise.cells == HB_CELL_INTEGER && (noise.assumed || likely || noise.worst < 1)) {
        hb_console_warn(job->base.group,
                        "%s: keep these values from anyone who chose inputs or computed: that noise made none of them "
                        "wrong is %s and not proven, and a wrong one tells of the secret key",
                        job->options.output, noise.assumed ? "assumed" : "expected");
    }
}

/* A label that is a word for missing cells, such as NA, is written as it is: encrypt would take it for one. */
static void warn_missing_words(const hb_decrypt_job *job)
{
    const hb_table_view *view = &job->selection.view;
    const bool shows_names = hb_columns_show_names(job->table.column, job->table.columns);
    const bool csv = strstr(job->options.output, ":/") == NULL;
    for (uint64_t c = 0; csv && c < view->count; c++) {
        const hb_meaning *meaning = &job->table.column[view->columns[c]].meaning;
        const uint64_t labels = meaning->kind == HB_MEANING_CATEGORY ? meaning->labels->count : 0;
        for (uint64_t i = 0; i < labels; i++) {
            const char *label = meaning->labels->text[i];
            if (hb_dialect_takes(label, strlen(label))) {
                hb_console_warn(job->base.group,
                                "%s: column %s has the label %s: encrypt reads it as a missing cell, unless it stands "
                                "in quotes or --category names all labels",
                                output_name(job), hb_cells_column_of(&job->table, view->columns[c], shows_names).text,
                                label);
                break;
            }
        }
    }
}

/* For every plain modulus. */
static void judge(const hb_decrypt_job *job)
{
    const bool bound_holds = hb_predicted_judge(job->base.group, job->options.input, hb_decrypt_job_predicted(job),
                                                &job->decryption.measured);
    warn_unproven(job, bound_holds);
}

/* How many columns the table has: masks are none of it. */
static uint64_t shown_columns(const hb_decrypt_job *job)
{
    const hb_table_view *view = &job->selection.view;
    uint64_t count = 0;
    for (uint64_t i = 0; i < view->count; i++) {
        count += view->columns[i] < hb_schema_shown(&job->table);
    }
    return count;
}

static void print(const hb_decrypt_job *job)
{
    if (job->options.job.residue + 1 < hb_spec_residues(&job->base.header->spec)) {
        judge(job);
        return; /* the table comes with the last one */
    }
    hb_job_times_log(job->base.group, job->base.common, &job->base.job_times, &job->base.times);
    const hb_table_view *view = &job->selection.view;
    const bool fetched = job->plain.grouping != NULL && job->plain.grouping->fetched > 0;
    hb_console_result(job->base.group, job->base.common, "%s: %s%s", output_name(job), fetched ? "up to " : "",
                      hb_human_table(view->rows, shown_columns(job)).text);
    hb_left_out_print(job->base.group, job->base.common, &job->base.header->schema, true);
    if (!job->selection.some && job->plain.grouping == NULL) {
        hb_columns_print(job->base.group, job->base.common, &job->base.header->schema, HB_COLUMNS_RESULTS);
    }
    hb_predicted_print(job->base.group, job->base.common, job->decryption.predicted_of_all,
                       &job->decryption.measured_of_all);
    print_share(job);
}

/* The document of the report, with the warnings of the whole table, which are said before it: it lists them. */
static json_t *warned_document(const hb_job *base, const void *context, hb_status status)
{
    (void)context;
    const hb_decrypt_job *job = (const hb_decrypt_job *)base;
    if (status == HB_OK) {
        hb_columns_warn(base->group, job->options.input, base->header);
        judge(job);
        warn_approximate(job);
        warn_missing_words(job);
    }
    return document(base, status);
}

/* Collective. The report stands beside the table's file. */
static hb_status run_and_report(hb_job *base)
{
    hb_decrypt_job *job = (hb_decrypt_job *)base;
    char *file = NULL, *dataset = NULL;
    const bool stream = hb_table_is_stdout(job->options.output);
    HB_TRY(hb_agree(job->base.group, stream ? HB_OK : hb_table_name_split(job->options.output, &file, &dataset)));
    const hb_run_output output = {.path = file};
    /* Beside standard output there is no place. */
    const hb_run_report report = {warned_document, NULL, &output, stream ? 0 : 1, false};
    const hb_status st = hb_run_and_report(&job->base, &report);
    free(dataset);
    free(file);
    HB_TRY(st);
    print(job);
    return HB_OK;
}

/* The task of a command: the table of each residue is kept until the last one makes the table of all. */
typedef struct request {
    hb_decrypt_options options;
    hb_residue_tables tables;
} request;

static hb_status open_job(hb_job *base, hb_group *group, const hb_common *common, void *context)
{
    request *r = context;
    return hb_decrypt_job_open((hb_decrypt_job *)base, group, common, &r->options, &r->tables);
}

static hb_status print_plan(hb_job *base, bool dry_run)
{
    if (base->options.residue == 0) {
        hb_plan_print(&base->plan, base->group, base->common, dry_run);
    }
    return HB_OK;
}

static json_t *describe_plan(const hb_job *base)
{
    return describe((const hb_decrypt_job *)base);
}

/* Beside a file of that name, if there is none. */
static bool is_free(const char *file, bool over)
{
    struct stat info;
    (void)over;
    return lstat(file, &info) < 0 && errno == ENOENT;
}

static hb_status report_failure(hb_group *group, const hb_job *base, void *context, hb_status status)
{
    (void)base;
    const hb_decrypt_options *options = &((const request *)context)->options;
    char *file = NULL, *dataset = NULL;
    const hb_error cause = *hb_last_error();
    const bool known =
        !hb_table_is_stdout(options->output) && hb_table_name_split(options->output, &file, &dataset) == HB_OK;
    const char *const output = file;
    const hb_run_failure failure = {.command = command_of(options),
                                    .facts = json_pack("{s:o, s:o}", "input", hb_report_text(options->input), "table",
                                                       hb_report_text(options->output)),
                                    .outputs = &output,
                                    .output_count = known ? 1 : 0,
                                    .is_free = is_free};
    hb_set_error(&cause);
    status = hb_run_report_failure(group, &failure, status);
    free(file);
    free(dataset);
    return status;
}

static const hb_job_command combine_command = {.name = "combine",
                                               .bytes = sizeof(hb_decrypt_job),
                                               .open = open_job,
                                               .print_plan = print_plan,
                                               .run = run_and_report,
                                               .describe = describe_plan,
                                               .report_failure = report_failure};
static const hb_job_command job_command = {.name = "decrypt",
                                           .bytes = sizeof(hb_decrypt_job),
                                           .open = open_job,
                                           .print_plan = print_plan,
                                           .run = run_and_report,
                                           .describe = describe_plan,
                                           .report_failure = report_failure};

hb_status hb_decrypt_run(hb_group *group, const hb_common *common, const hb_decrypt_options *options)
{
    const hb_job_command *command = options->parts != NULL ? &combine_command : &job_command;
    request r = {.options = *options};
    const hb_status st = hb_command_run_job(command, group, common, options->dry_run, &r, &r.options.job);
    hb_residue_tables_close(&r.tables);
    return st;
}

/* The words of the command line. */
typedef struct words {
    hb_decrypt_options table;
    hb_part_options part;
    hb_recompute_words again;
    bool is_part;
} words;

enum {
    OWN = 16,
    DEVICE = OWN + HB_RECOMPUTE_OPTIONS,
    LIMBS = DEVICE + HB_DEVICE_JOB_OPTIONS,
    ROWS = LIMBS + HB_LIMB_OPTIONS
};

static void fill_rows(hb_option rows[ROWS], words *w)
{
    const hb_option own[OWN] = {
        {"key", 'k', HB_OPTION_TEXT, &w->table.key, "FILE",
         "secret.h5 of the key pair that it was encrypted with; -: standard input; with\n--part party.h5 of an owner"},
        {"force", 'f', HB_OPTION_FLAG, &w->table.force, NULL,
         "replace the output file as a whole, and what a killed job left of it"},
        {"rows", 0, HB_OPTION_TEXT, &w->table.rows, "FIRST..LAST", "these rows alone, counted from 1; or one, 5"},
        {"columns", 0, HB_OPTION_TEXT, &w->table.columns, "NAME,..",
         "these columns alone, in this order, by name or by number from 1"},
        {"modulo", 0, HB_OPTION_ABOVE_0, &w->table.modulo, "BITS",
         "of several plain moduli: values modulo 2^BITS, 1 to 128, in the smallest type that\nholds so many bits"},
        {"share", 0, HB_OPTION_ABOVE_0, &w->table.share, "RESULTS",
         "for reals: values may be shown to anyone, as noise hides their errors, for so\nmany ciphertexts under this "
         "key in all; takes 24 bits and more of precision"},
        {"part", 0, HB_OPTION_FLAG, &w->is_part, NULL,
         "under keys of several owners: make one owner's part, OUT.part; hebatch combine\ndecrypts with those of all"},
        {"session", 0, HB_OPTION_TEXT, &w->part.session, "PATH",
         "of a part: session.h5 of the keys, or the folder where it is"},
        {"owners", 0, HB_OPTION_TEXT, &w->part.owners, "NAME,..",
         "of a part, where not all owners decrypt: those who do, the same for each part"},
        {"to", 0, HB_OPTION_TEXT, &w->part.to, "FILE",
         "of a part: public.h5 of who alone opens the result, which combine makes as a dataset\nunder that key"},
        {"sum", 0, HB_OPTION_TEXT, &w->part.sum, "HEX",
         "of a part: the dataset's sum, as info prints it, from who computed it, or from\nyour own computation of it"},
        {"trust", 0, HB_OPTION_FLAG, &w->part.trust, NULL,
         "of a part: whatever the dataset is; who made it up learns your secret key"},
        {"new-ledger", 0, HB_OPTION_FLAG, &w->part.new_ledger, NULL,
         "of a part: begin a ledger where the old one is lost, and nobody has a part"},
        {"resume", 0, HB_OPTION_FLAG, &w->part.resume, NULL, "of a part: " HB_RESUME_HELP},
        {"trace", 0, HB_OPTION_TEXT, &w->table.job.trace, "FILE", HB_TRACE_HELP},
        {"dry-run", 'n', HB_OPTION_FLAG, &w->table.dry_run, NULL, "check key and dataset, print the plan, do nothing"}};
    memcpy(rows, own, sizeof own);
    hb_recompute_options(rows + OWN, &w->again);
    hb_device_options(rows + DEVICE, HB_DEVICE_JOB_OPTIONS, &w->table.job.device);
    hb_limb_options(rows + LIMBS, &w->table.job.limbs);
}

/* Options of a table that a part has not, and the other way round. */
static hb_status check_part(const words *w)
{
    if (w->table.modulo > 0 || w->table.share > 0) {
        return HB_FAIL(HB_EUSAGE, "%s is of a table, not of a part", w->table.share > 0 ? "--share" : "--modulo");
    }
    if (w->part.session == NULL) {
        return HB_FAIL(HB_EUSAGE, "--session PATH is missing: session.h5 of the keys, or its folder");
    }
    HB_TRY(hb_recompute_check(&w->again));
    const int ways = (w->part.sum != NULL) + (w->again.expression != NULL) + w->part.trust;
    if (ways == 0) {
        return HB_FAIL(HB_EUSAGE, "--part needs --sum, --recompute or --trust");
    }
    return ways == 1 ? HB_OK : HB_FAIL(HB_EUSAGE, "--sum, --recompute and --trust: give one of them");
}

static hb_status check_table(const hb_group *group, const words *w)
{
    const hb_part_options *part = &w->part;
    if (part->session != NULL || part->owners != NULL || part->to != NULL || part->sum != NULL || part->trust ||
        w->again.expression != NULL || part->new_ledger || part->resume) {
        return HB_FAIL(HB_EUSAGE,
                       "--session, --owners, --to, --sum, --recompute, --trust, --new-ledger and --resume are "
                       "of a part: give --part");
    }
    HB_TRY(hb_recompute_check(&w->again));
    if (w->table.share > 0 && hb_session_is_stdin(w->table.key)) {
        return HB_FAIL(HB_EUSAGE, "--share counts results in a file beside that of the key: --key FILE, not -");
    }
    if (w->table.modulo > 128) {
        return HB_FAIL(HB_EUSAGE, "--modulo %" PRIu64 ": 1 to 128 bits", w->table.modulo);
    }
    return hb_session_check_stdin(group, w->table.key);
}

static hb_status check_words(const hb_group *group, const words *w)
{
    if (w->table.key == NULL) {
        return w->is_part ? HB_FAIL(HB_EUSAGE, "--key FILE is missing: party.h5 of the owner")
                          : HB_FAIL(HB_EUSAGE, "--key FILE is missing: the secret key");
    }
    return w->is_part ? check_part(w) : check_table(group, w);
}

static hb_status run_part(hb_group *group, const hb_common *common, words *w, char *const *bindings, size_t count)
{
    hb_output_found found = {0};
    hb_recompute_request again = {.job = w->table.job,
                                  .key = w->table.key,
                                  .session = w->part.session,
                                  .input = w->table.input,
                                  .output = w->table.output,
                                  .dry_run = w->table.dry_run};
    const bool wanted = w->again.expression != NULL;
    w->part.job = w->table.job;
    w->part.key = w->table.key;
    w->part.input = w->table.input;
    w->part.output = w->table.output;
    w->part.rows = w->table.rows;
    w->part.columns = w->table.columns;
    w->part.force = w->table.force;
    w->part.dry_run = w->table.dry_run;
    w->part.found = &found;
    hb_status st = hb_agree(group, wanted ? hb_recompute_line(&w->again, bindings, count, &again.line) : HB_OK);
    st = st == HB_OK ? hb_decrypt_part_run(group, common, &w->part, wanted ? &again : NULL) : st;
    hb_words_clear(&again.line);
    return st;
}

/* IN and OUT are the last two operands, those before them are NAME=FILE of what is to be computed again. */
static hb_status check_operands(const words *w, const hb_parsed *parsed, size_t *bindings)
{
    *bindings = 0;
    if (w->is_part && w->again.expression != NULL) {
        return hb_recompute_sort_operands(parsed->operands, parsed->operand_count, bindings);
    }
    if (parsed->operand_count < 2) {
        return HB_FAIL(HB_EUSAGE, "usage: hebatch decrypt %s",
                       w->is_part ? "--part --key PARTY.h5 --session FOLDER --sum HEX IN.heb OUT.part [OPTIONS]"
                                  : hb_command_decrypt.arguments);
    }
    if (parsed->operand_count > 2 && w->is_part && strchr(parsed->operands[0], '=') != NULL) {
        return HB_FAIL(HB_EUSAGE, "%.200s: inputs are of --recompute: give --recompute 'EXPRESSION', or leave them out",
                       parsed->operands[0]);
    }
    return parsed->operand_count == 2
               ? HB_OK
               : HB_FAIL(HB_EUSAGE, "unexpected argument '%s'; --help shows the usage", parsed->operands[2]);
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    words w = {.is_part = false};
    hb_option rows[ROWS];
    hb_parsed parsed;
    size_t bindings = 0;
    fill_rows(rows, &w);
    const hb_usage usage = {&hb_command_decrypt, rows, ROWS, 0, SIZE_MAX, 0};
    hb_status st = hb_options_parse(&usage, group, argc, argv, &parsed);
    if (st == HB_OK && parsed.help) {
        return HB_OK;
    }
    st = st == HB_OK ? check_operands(&w, &parsed, &bindings) : st;
    st = st == HB_OK ? check_words(group, &w) : st;
    HB_TRY(hb_agree(group, st));
    w.table.input = parsed.operands[bindings];
    w.table.output = parsed.operands[bindings + 1];
    if (w.is_part) {
        return run_part(group, &parsed.common, &w, parsed.operands, bindings);
    }
    parsed.common.piped = hb_table_is_stdout(w.table.output);
    if (parsed.common.piped && parsed.common.json) {
        st = HB_FAIL(HB_EUSAGE, "a table and --json both want standard output; name a file for the table");
    }
    HB_TRY(hb_agree(group, st));
    return hb_decrypt_run(group, &parsed.common, &w.table);
}

const hb_command hb_command_decrypt = {
    .name = "decrypt",
    .arguments = "--key SECRET.h5 IN.heb TABLE [OPTIONS]",
    .summary = "decrypt a ciphertext dataset into a table, with a report in FILE.report.json; - is standard output",
    .notes =
        "Under keys of several owners each owner makes a part, with --part, --session and --sum, --recompute or\n"
        "--trust, and writes OUT.part in the place of a table; hebatch combine decrypts with the parts of all.\n"
        "Where not all decrypt, each part names the same owners, as many as the keys ask for, with --owners. Parts\n"
        "--to the public key of somebody, or of other owners, add up to a dataset that he, or they, open.",
    .ranks = true,
    .run = run};
