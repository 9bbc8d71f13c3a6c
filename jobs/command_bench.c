/* hebatch bench: a table of times on this machine, beside what this machine needs to copy, to draw and to hash. */
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "console.h"
#include "machine.h"
#include "options.h"
#include "report.h"

static const double microseconds = 1e6;

static void print_table(const hb_group *group, const hb_common *common, const hb_measure *measures, size_t count)
{
    double copy = measures[0].median / measures[0].bytes; /* seconds a byte, the first reference */
    hb_console_result(group, common, "%-28s %12s %12s %12s %12s %8s", "one core", "median us", "least us", "a second",
                      "MB/s", "x copy");
    for (size_t i = 0; i < count; i++) {
        const hb_measure *m = &measures[i];
        hb_console_result(group, common, "%-28s %12.2f %12.2f %12.0f %12.0f %8.1f", m->name, microseconds * m->median,
                          microseconds * m->least, 1 / m->median, m->bytes / m->median / 1e6,
                          m->median / (copy * m->bytes));
    }
    hb_console_result(group, common, "x copy: time over that of copying the bytes which an item produces");
}

static json_t *table_json(const hb_measure *measures, size_t count)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < count; i++) {
        const hb_measure *m = &measures[i];
        json_t *row = json_pack("{s:s, s:s, s:f, s:f, s:f, s:I}", "kind", m->kind, "name", m->name, "median_us",
                                microseconds * m->median, "least_us", microseconds * m->least, "bytes", m->bytes,
                                "samples", (json_int_t)m->samples);
        if (json_array_append_new(rows, row) != 0) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

/* The operands as a list of kinds, each of them known. */
static hb_status check_kinds(const hb_parsed *parsed, const char *kinds[])
{
    for (size_t i = 0; i < parsed->operand_count; i++) {
        const char *const *known = hb_bench_kinds;
        while (*known != NULL && strcmp(*known, parsed->operands[i]) != 0) {
            known++;
        }
        if (*known == NULL) {
            const char *near = hb_nearest(parsed->operands[i], hb_bench_kinds);
            return HB_FAIL(HB_EUSAGE, "nothing to measure is called '%s'%s%s", parsed->operands[i],
                           near != NULL ? "; did you mean " : ": ntt, encode, keygen, encrypt, decrypt, pack, digest",
                           near != NULL ? near : "");
        }
        kinds[i] = *known;
    }
    kinds[parsed->operand_count] = NULL;
    return HB_OK;
}

static hb_status bench(const hb_group *group, const hb_common *common, const char *preset, double seconds,
                       const char *const *kinds)
{
    hb_params_spec spec;
    hb_params *params = NULL;
    hb_measure measures[HB_BENCH_MOST];
    size_t count;
    hb_status st;
    HB_GOTO(hb_params_preset(preset, &spec));
    HB_GOTO(hb_params_open(&spec, &params));
    char cpu[128];
    hb_machine_cpu(cpu, sizeof cpu);
    hb_console_log(group, common, "%s, %s; about %.0f s", preset, cpu, 20 * 1.2 * seconds); /* 20 rows, 0.2 warm-up */
    HB_GOTO(hb_bench_run(params, kinds, seconds, measures, &count));
    print_table(group, common, measures, count);
    if (common->json) {
        HB_GOTO(hb_report_results(group, "bench",
                                  json_pack("{s:s, s:o, s:f, s:o}", "cpu", cpu, "params", hb_report_params(params),
                                            "seconds_each", seconds, "measures", table_json(measures, count))));
    }
done:
    hb_params_close(params);
    return st;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    const char *preset = "bfv-8192";
    double seconds = 0.5;
    const hb_option rows[] = {
        {"params", 'p', HB_OPTION_TEXT, &preset, "NAME", "preset (default bfv-8192)"},
        {"seconds", 0, HB_OPTION_DURATION, &seconds, "TIME", "for each line of the table (default 0.5s)"}};
    hb_parsed parsed;
    const char *kinds[9];
    HB_TRY(hb_options_parse(&hb_command_bench, group, rows, sizeof rows / sizeof rows[0], 0, 8, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    HB_TRY(check_kinds(&parsed, kinds));
    return bench(group, &parsed.common, preset, seconds, kinds);
}

const hb_command hb_command_bench = {.name = "bench",
                                     .arguments =
                                         "[OPTIONS] [ntt | encode | keygen | encrypt | decrypt | pack | digest] ...",
                                     .summary = "time the pieces of a job on one core of this machine",
                                     .ranks = false,
                                     .run = run};
