/* hebatch selftest: known answers on this machine. */
#include "console.h"
#include "machine.h"
#include "options.h"
#include "report.h"
#include "selftest.h"

static hb_status run(hb_group *group, int argc, char **argv)
{
    hb_parsed parsed;
    HB_TRY(hb_options_parse(&hb_command_selftest, group, NULL, 0, 0, 0, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    json_t *passed = json_array();
    hb_status st = HB_OK;
    double start = hb_now();
    for (const hb_selftest *test = hb_selftests; test->name != NULL; test++) {
        st = test->run();
        if (st != HB_OK) {
            st = HB_FAIL(st, "self-test '%s' failed: %s", test->name, hb_last_error()->text);
            goto done;
        }
        hb_console_result(group, &parsed.common, "passed  %s", test->name);
        if (json_array_append_new(passed, json_string(test->name)) != 0) {
            HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for the results"));
        }
    }
    hb_console_log(group, &parsed.common, "self-test passed in %s", hb_human_seconds(hb_now() - start).text);
    if (parsed.common.json) {
        HB_GOTO(hb_report_results(group, "selftest", json_pack("{s:O}", "passed", passed)));
    }
done:
    json_decref(passed);
    return st;
}

const hb_command hb_command_selftest = {.name = "selftest",
                                        .arguments = "[OPTIONS]",
                                        .summary = "check arithmetic, randomness and encryption against known answers",
                                        .ranks = false,
                                        .run = run};
