/* hebatch combine: a dataset under joint keys, and the parts of all owners, to a table; of parts for the owner of a
 * key, to a dataset under that key. */
#include <string.h>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/trace.h"
#include "commands.h"
#include "decrypt.h"
#include "output/resume.h"

/* The words of the command line. */
typedef struct words {
    hb_job_options job;
    bool force, resume, dry_run;
} words;

static bool is_dataset(const char *output)
{
    static const char ending[] = ".heb";
    const size_t length = strlen(output), end = sizeof ending - 1;
    return length > end && strcmp(output + length - end, ending) == 0;
}

static hb_status check(const hb_parsed *parsed, const words *w, const char *output)
{
    if (w->resume && !is_dataset(output)) {
        return HB_FAIL(HB_EUSAGE, "--resume is of a dataset, OUT.heb, and %.200s is a table: begin it again", output);
    }
    return parsed->common.piped && parsed->common.json
               ? HB_FAIL(HB_EUSAGE, "a table and --json both want standard output; name a file for the table")
               : HB_OK;
}

/* The output decides what is made; parts that are for something else are refused. */
static hb_status combine(hb_group *group, const hb_common *common, const words *w, const hb_table_names *parts,
                         const char *const operands[2])
{
    hb_output_found found = {0};
    const hb_decrypt_options table = {.job = w->job,
                                      .input = operands[0],
                                      .output = operands[1],
                                      .parts = parts->name,
                                      .part_count = parts->count,
                                      .force = w->force,
                                      .dry_run = w->dry_run};
    const hb_received_options dataset = {.base = {.job = w->job,
                                                  .input = operands[0],
                                                  .output = operands[1],
                                                  .force = w->force,
                                                  .resume = w->resume,
                                                  .dry_run = w->dry_run,
                                                  .found = &found},
                                         .parts = parts->name,
                                         .part_count = parts->count};
    return is_dataset(operands[1]) ? hb_combine_dataset_run(group, common, &dataset)
                                   : hb_decrypt_run(group, common, &table);
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { OWN = 4, LIMBS = OWN + HB_DEVICE_JOB_OPTIONS, ROWS = LIMBS + HB_LIMB_OPTIONS };
    words w = {.force = false};
    hb_table_names parts = {0};
    hb_option rows[ROWS] = {
        {"force", 'f', HB_OPTION_FLAG, &w.force, NULL,
         "replace the output as a whole, and what a killed job left of it"},
        {"resume", 0, HB_OPTION_FLAG, &w.resume, NULL, "of a dataset: " HB_RESUME_HELP},
        {"trace", 0, HB_OPTION_TEXT, &w.job.trace, "FILE", HB_TRACE_HELP},
        {"dry-run", 'n', HB_OPTION_FLAG, &w.dry_run, NULL, "check dataset and parts, print the plan, do nothing"}};
    hb_device_options(rows + OWN, HB_DEVICE_JOB_OPTIONS, &w.job.device);
    hb_limb_options(rows + LIMBS, &w.job.limbs);
    hb_parsed parsed;
    const hb_usage usage = {&hb_command_combine, rows, ROWS, 3, SIZE_MAX, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    const size_t last = parsed.operand_count - 1;
    const char *const operands[] = {parsed.operands[0], parsed.operands[last]};
    parsed.common.piped = hb_table_is_stdout(operands[1]);
    hb_status st = check(&parsed, &w, operands[1]);
    for (size_t i = 1; st == HB_OK && i < last; i++) {
        st = hb_table_names_add(&parts, parsed.operands[i], "");
    }
    st = hb_agree(group, st);
    st = st == HB_OK ? combine(group, &parsed.common, &w, &parts, operands) : st;
    hb_table_names_clear(&parts);
    return st;
}

const hb_command hb_command_combine = {
    .name = "combine",
    .arguments = "IN.heb OWNER.part... TABLE|OUT.heb [OPTIONS]",
    .summary =
        "decrypt a dataset under keys of several owners from the parts of all, with a report; - is standard output",
    .notes =
        "One part of each owner, or patterns of them, as decrypt --part makes them; no key is needed. Who has the\n"
        "dataset and all parts has the result. Parts that were made --to the owner of a key add up to a dataset,\n"
        "OUT.heb, which he alone can open.",
    .ranks = true,
    .run = run};
