/* hebatch combine: a dataset under joint keys, and the parts of all owners, to a table. */
#include <string.h>

#include "cli/console.h"
#include "cli/options.h"
#include "cli/trace.h"
#include "commands.h"
#include "decrypt.h"

static hb_status check(const hb_parsed *parsed)
{
    return parsed->common.piped && parsed->common.json
               ? HB_FAIL(HB_EUSAGE, "a table and --json both want standard output; name a file for the table")
               : HB_OK;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    enum { OWN = 3, LIMBS = OWN + HB_DEVICE_JOB_OPTIONS, ROWS = LIMBS + HB_LIMB_OPTIONS };
    hb_decrypt_options options = {0};
    hb_table_names parts = {0};
    hb_option rows[ROWS] = {{"force", 'f', HB_OPTION_FLAG, &options.force, NULL,
                             "replace the output file as a whole, and what a killed job left of it"},
                            {"trace", 0, HB_OPTION_TEXT, &options.job.trace, "FILE", HB_TRACE_HELP},
                            {"dry-run", 'n', HB_OPTION_FLAG, &options.dry_run, NULL,
                             "check dataset and parts, print the plan, do nothing"}};
    hb_device_options(rows + OWN, HB_DEVICE_JOB_OPTIONS, &options.job.device);
    hb_limb_options(rows + LIMBS, &options.job.limbs);
    hb_parsed parsed;
    const hb_usage usage = {&hb_command_combine, rows, ROWS, 3, SIZE_MAX, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    const size_t last = parsed.operand_count - 1;
    options.input = parsed.operands[0];
    options.output = parsed.operands[last];
    parsed.common.piped = hb_table_is_stdout(options.output);
    hb_status st = check(&parsed);
    for (size_t i = 1; st == HB_OK && i < last; i++) {
        st = hb_table_names_add(&parts, parsed.operands[i], "");
    }
    st = hb_agree(group, st);
    options.parts = parts.name;
    options.part_count = parts.count;
    st = st == HB_OK ? hb_decrypt_run(group, &parsed.common, &options) : st;
    hb_table_names_clear(&parts);
    return st;
}

const hb_command hb_command_combine = {
    .name = "combine",
    .arguments = "IN.heb OWNER.part... TABLE [OPTIONS]",
    .summary =
        "decrypt a dataset under keys of several owners from the parts of all, with a report; - is standard output",
    .notes =
        "One part of each owner, or patterns of them, as decrypt --part makes them; no key is needed. Who has the\n"
        "dataset and all parts has the result.",
    .ranks = true,
    .run = run};
