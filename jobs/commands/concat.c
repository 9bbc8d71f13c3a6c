/* hebatch concat: datasets of one key, behind one another. */
#include <stdint.h>

#include "batch/cells/table_missing.h"
#include "cli/console.h"
#include "cli/misplaced_argument.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/stop.h"
#include "commands.h"
#include "tables/concat_job.h"

static hb_status report(const hb_group *group, const hb_common *common, const char *output, const hb_header *header)
{
    hb_console_result(group, common, "%s: %s, %s", output, hb_human_things(header->ciphertexts, "ciphertext").text,
                      hb_human_table(header->schema.rows, header->schema.columns).text);
    hb_left_out_print(group, common, &header->schema, true);
    if (!common->json) {
        return HB_OK;
    }
    return hb_report_results(group, "concat",
                             json_pack("{s:o, s:o, s:I, s:I, s:I}", "output", hb_report_text(output), "left_out",
                                       hb_left_out_json(&header->schema), "ciphertexts",
                                       (json_int_t)header->ciphertexts, "rows", (json_int_t)header->schema.rows,
                                       "columns", (json_int_t)header->schema.columns));
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    hb_concat_options options = {.count = 0};
    hb_header header = {.version = 0};
    hb_parsed parsed;
    const hb_option rows[] = {{"force", 'f', HB_OPTION_FLAG, &options.force, NULL, "replace the output"}};
    const hb_usage usage = {&hb_command_concat, rows, sizeof rows / sizeof rows[0], 2, SIZE_MAX, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    options.inputs = parsed.operands;
    options.count = parsed.operand_count - 1;
    options.output = parsed.operands[options.count];
    HB_TRY(hb_misplaced_dataset_name(options.output));
    hb_stop_catch();
    hb_status st = hb_concat(group, &parsed.common, &options, &header);
    st = st == HB_OK ? report(group, &parsed.common, options.output, &header) : st;
    hb_header_clear(&header);
    return st;
}

const hb_command hb_command_concat = {.name = "concat",
                                      .arguments = "A.heb... OUT.heb [OPTIONS]",
                                      .summary = "put datasets of one key behind one another",
                                      .ranks = false,
                                      .run = run};
