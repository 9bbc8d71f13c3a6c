/* hebatch status: how far jobs are, by what they keep beside their outputs. */
#include "cli/console.h"
#include "cli/options.h"
#include "cli/report.h"
#include "commands.h"
#include "job_status.h"

enum { MOST = 1000 };

/* One document has them all. */
static hb_status add(json_t *all, const hb_group *group, const hb_common *common, const char *name, bool first)
{
    json_t *status;
    HB_TRY(hb_job_status_get(name, &status));
    if (!first) {
        hb_console_result(group, common, "%s", "");
    }
    hb_job_status_print(group, common, status);
    return json_array_append_new(all, status) == 0 ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the state of %s", name);
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    hb_parsed parsed;
    HB_TRY(hb_options_parse(&hb_command_status, group, NULL, 0, 1, MOST, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    json_t *all = json_array();
    hb_status st = all != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the state of jobs");
    for (size_t i = 0; i < parsed.operand_count && st == HB_OK; i++) {
        st = add(all, group, &parsed.common, parsed.operands[i], i == 0);
    }
    if (st == HB_OK && parsed.common.json) {
        return hb_report_results(group, "status", json_pack("{s:o}", "jobs", all));
    }
    json_decref(all);
    return st;
}

const hb_command hb_command_status = {.name = "status",
                                      .arguments = "OUT.heb ... [OPTIONS]",
                                      .summary = "say how far jobs are, running or stopped, by their outputs",
                                      .notes =
                                          "  hebatch status out.heb      or out.heb.partial, which is the same; also "
                                          "while the job runs; changes nothing",
                                      .ranks = false,
                                      .run = run};
