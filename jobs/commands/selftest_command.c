/* hebatch selftest: known answers on this machine. */
#include <stdio.h>

#include "base/clock.h"
#include "bfv/presets.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/report.h"
#include "commands.h"
#include "device/device.h"
#include "selftest.h"

/* Who tells of the tests, and those that have passed. */
typedef struct telling {
    const hb_group *group;
    const hb_common *common;
    json_t *passed;
} telling;

static hb_status tell(const telling *t, const char *name)
{
    hb_console_result(t->group, t->common, "passed  %s", name);
    return json_array_append_new(t->passed, hb_report_text(name)) == 0
               ? HB_OK
               : HB_FAIL(HB_ENOMEM, "out of memory for the results");
}

static hb_status run_tests(const telling *t)
{
    for (const hb_selftest *test = hb_selftests; test->name != NULL; test++) {
        const hb_status st = test->run();
        if (st != HB_OK) {
            return HB_FAIL(st, "self-test '%s' failed: %s", test->name, hb_last_error()->text);
        }
        HB_TRY(tell(t, test->name));
    }
    return HB_OK;
}

/* Every operation of the GPU against the CPU engine, which the tests above have checked. */
static hb_status check_gpu(const telling *t, hb_device *device)
{
    const char *preset;
    for (size_t i = 0; (preset = hb_params_preset_name(i)) != NULL; i++) {
        hb_params_spec spec;
        hb_params *params = NULL;
        hb_engine *engine = NULL;
        char name[sizeof(hb_device_name) + 128];
        hb_status st;
        HB_GOTO(hb_params_preset(preset, &spec));
        HB_GOTO(hb_params_open(&spec, &params));
        HB_GOTO(hb_device_open(device, params, &engine));
        snprintf(name, sizeof name, "%s against the CPU, %s, %s", hb_device_name_of(device).text, preset,
                 hb_human_seconds(device->check_seconds).text);
        HB_GOTO(tell(t, name));
    done:
        hb_engine_close(engine);
        hb_params_close(params);
        HB_TRY(st);
    }
    return HB_OK;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    hb_device_choice choice;
    hb_device device;
    hb_option rows[HB_DEVICE_OPTIONS];
    hb_parsed parsed;
    hb_device_options(rows, HB_DEVICE_OPTIONS, &choice);
    HB_TRY(hb_options_parse(&hb_command_selftest, group, rows, HB_DEVICE_OPTIONS, 0, 0, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    const telling t = {group, &parsed.common, json_array()};
    hb_status st;
    double start = hb_now();
    choice.check = "always"; /* it is what the command is for */
    HB_GOTO(run_tests(&t));
    HB_GOTO(hb_device_choose(&device, group, &choice, NULL));
    HB_GOTO(device.gpu ? check_gpu(&t, &device) : HB_OK);
    hb_console_log(group, &parsed.common, "self-test passed in %s", hb_human_seconds(hb_now() - start).text);
    if (parsed.common.json) {
        HB_GOTO(hb_report_results(group, "selftest", json_pack("{s:O}", "passed", t.passed)));
    }
done:
    json_decref(t.passed);
    return st;
}

const hb_command hb_command_selftest = {.name = "selftest",
                                        .arguments = "[OPTIONS]",
                                        .summary = "check arithmetic, randomness and encryption against known answers",
                                        .ranks = false,
                                        .run = run};
