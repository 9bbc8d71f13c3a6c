/* hebatch add: the sum of datasets of one key with the same rows and columns. */
#include <stdlib.h>

#include "add/job.h"
#include "batch/cells/column_values.h"
#include "batch/cells/table_missing.h"
#include "batch/job/run_report.h"
#include "batch/unit/predicted.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/trace.h"
#include "commands.h"
#include "output/output_job.h"
#include "output/resume.h"
#include "run_job.h"
#include "scheme/quality.h"

/* The words of the command line, and memory that they own. */
typedef struct words {
    const char *range;
    bool wrap, force, resume, dry_run;
    hb_job_options job;
    hb_table_names inputs;
    hb_range *ranges;
    uint32_t range_count;
} words;

static void clear(words *w)
{
    hb_table_names_clear(&w->inputs);
    hb_ranges_free(w->ranges, w->range_count);
}

/* All operands but the last are datasets, or patterns of them. */
static hb_status understand(words *w, const hb_parsed *parsed, hb_add_options *options)
{
    const char *output = parsed->operands[parsed->operand_count - 1];
    for (size_t i = 0; i + 1 < parsed->operand_count; i++) {
        HB_TRY(hb_table_names_add(&w->inputs, parsed->operands[i], ""));
    }
    if (w->inputs.count < 2) {
        return HB_FAIL(HB_EUSAGE, "%s alone is no sum: name two datasets or more, and OUT.heb behind them",
                       w->inputs.name[0]);
    }
    if (w->range != NULL) {
        HB_TRY(hb_ranges_parse_columns(w->range, &w->ranges, &w->range_count));
    }
    *options = (hb_add_options){.job = w->job,
                                .inputs = w->inputs.name,
                                .count = w->inputs.count,
                                .named = parsed->operands,
                                .named_count = parsed->operand_count - 1,
                                .output = output,
                                .ranges = w->ranges,
                                .range_count = w->range_count,
                                .wrap = w->wrap,
                                .force = w->force,
                                .resume = w->resume,
                                .dry_run = w->dry_run};
    return HB_OK;
}

/* The facts that are known before the run. */
static json_t *describe(const hb_job *base)
{
    const hb_add_job *job = (const hb_add_job *)base;
    const hb_params *params = job->base.job.session.params;
    const hb_header *header = job->base.job.header;
    char id[2 * HB_KEY_ID_BYTES + 1];
    hb_hex(id, job->base.job.session.key_id, HB_KEY_ID_BYTES);
    return json_pack("{s:I, s:I, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "inputs", (json_int_t)job->inputs.count,
                     "input_bytes", (json_int_t)job->inputs.bytes, "output", hb_report_text(job->options.output),
                     "column", hb_report_columns(&header->schema), "key_id", id, hb_quality_word(params->spec.scheme),
                     hb_predicted_plan_json(hb_predicted_budget(params, header)), "params", hb_report_params(params),
                     "plan", hb_plan_json(&job->base.job.plan), "limbs",
                     hb_plan_limbs_json(&job->base.job.plan.limbs, &job->base.job.exchanged), "device",
                     hb_device_json(&job->base.job.device, job->base.job.session.engine));
}

/* The units of the sum: those of the job are its reads. */
static json_t *results(const hb_job *base, hb_status status)
{
    const hb_add_job *job = (const hb_add_job *)base;
    json_t *times = hb_job_times_json(&base->job_times, &base->times);
    return hb_output_job_json(&job->base, job->options.found->made, times, status);
}

static void print_result(const hb_job *base, const char *sum)
{
    const hb_add_job *job = (const hb_add_job *)base;
    hb_group *group = job->base.job.group;
    const hb_header *header = job->base.job.header;
    hb_console_result(group, job->base.job.common, "%s: %s, the sum of %s, sum %s", job->options.output,
                      hb_human_table(header->schema.rows, header->schema.columns).text,
                      hb_human_things(job->inputs.count, "dataset").text, sum);
    hb_left_out_print(group, job->base.job.common, &header->schema, true);
}

/* Warns where a sum of an earlier job is named beside its possible summands. */
static void warn_of_sums(const hb_add_job *job)
{
    const hb_add_inputs *inputs = &job->inputs;
    if (inputs->computed > 0 && inputs->encrypted > 0) {
        hb_console_warn(job->base.job.group,
                        "%s was computed, and %s was not: if it is a sum of datasets that are added here, their rows "
                        "count twice",
                        inputs->paths[inputs->computed - 1], inputs->paths[inputs->encrypted - 1]);
    }
}

static hb_status print_plan(hb_job *base, bool dry_run)
{
    const hb_add_job *job = (const hb_add_job *)base;
    if (job->base.job.options.residue > 0) {
        return HB_OK;
    }
    hb_group *group = job->base.job.group;
    const hb_common *common = job->base.job.common;
    if (job->base.job.session.params->spec.insecure) {
        hb_console_warn_insecure(group, job->base.job.session.params->chain_bits);
    }
    hb_console_speaker(dry_run)(group, common, "inputs       %s, %s to read",
                                hb_human_things(job->inputs.count, "dataset").text,
                                hb_human_bytes((double)job->inputs.bytes).text);
    hb_plan_print(&job->base.job.plan, group, common, dry_run);
    hb_predicted_plan_print(group, common, hb_predicted_budget(base->session.params, base->header), "inputs are",
                            dry_run);
    warn_of_sums(job);
    hb_deadline_print(&job->base.job.deadline, group, common, dry_run);
    hb_columns_print(group, common, &job->base.job.header->schema, dry_run ? HB_COLUMNS_RESULTS : HB_COLUMNS_LOG);
    hb_columns_warn(group, job->options.output, job->base.job.header);
    return HB_OK;
}

static hb_status open_job(hb_job *base, hb_group *group, const hb_common *common, void *options)
{
    return hb_add_job_open((hb_add_job *)base, group, common, options);
}

static hb_status report_failure(hb_group *group, const hb_job *base, void *context, hb_status status)
{
    (void)base;
    const hb_add_options *options = context;
    json_t *facts =
        json_pack("{s:I, s:o}", "inputs", (json_int_t)options->count, "output", hb_report_text(options->output));
    return hb_run_report_dataset_failure(group, "add", facts, options->output, options->resume || options->force,
                                         status);
}

static const hb_job_command job_command = {.name = "add",
                                           .bytes = sizeof(hb_add_job),
                                           .open = open_job,
                                           .print_plan = print_plan,
                                           .results = results,
                                           .print_result = print_result,
                                           .describe = describe,
                                           .report_failure = report_failure};

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { OWN = 7, LIMBS = OWN + HB_DEVICE_JOB_OPTIONS, ROWS = LIMBS + HB_LIMB_OPTIONS };
    words w = {.range = NULL};
    hb_option rows[ROWS] = {
        {"range", 0, HB_OPTION_TEXT, &w.range, "A=LO..HI,..",
         "what values of every dataset lie between, LEAST..MOST or\nCOLUMN=LEAST..MOST,..., where it does not say it: "
         "sums that may wrap mod t\nare refused (65)"},
        {"wrap", 0, HB_OPTION_FLAG, &w.wrap, NULL, "let sums wrap around mod t; their file says that they may have"},
        {"resume", 0, HB_OPTION_FLAG, &w.resume, NULL, HB_RESUME_HELP},
        {"force", 'f', HB_OPTION_FLAG, &w.force, NULL, HB_FORCE_HELP},
        {"max-time", 0, HB_OPTION_DURATION, &w.job.max_time, "TIME", HB_DEADLINE_HELP},
        {"trace", 0, HB_OPTION_TEXT, &w.job.trace, "FILE", HB_TRACE_HELP},
        {"dry-run", 'n', HB_OPTION_FLAG, &w.dry_run, NULL, "check all headers, print the plan and do nothing"}};
    hb_device_options(rows + OWN, HB_DEVICE_JOB_OPTIONS, &w.job.device);
    hb_limb_options(rows + LIMBS, &w.job.limbs);
    hb_parsed parsed;
    hb_add_options options = {.count = 0};
    const hb_usage usage = {&hb_command_add, rows, ROWS, 2, SIZE_MAX, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    hb_output_found found = {0};
    hb_status st = hb_agree(group, understand(&w, &parsed, &options));
    options.found = &found;
    st = st == HB_OK ? hb_command_run_job(&job_command, group, &parsed.common, w.dry_run, &options, &options.job) : st;
    clear(&w);
    return st;
}

const hb_command hb_command_add = {
    .name = "add",
    .arguments = "A.heb B.heb... OUT.heb [OPTIONS]",
    .summary = "add datasets of one key up, row by row and column by column",
    .notes = "Any number of datasets with the same rows and columns, or patterns of them; no key is needed.\n"
             "  hebatch add 'clinics/*.heb' sum.heb",
    .ranks = true,
    .run = run};
