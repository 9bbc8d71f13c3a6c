/* Prints the plan of the transforms: what won, by how much over the rules, and where it is kept. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/report.h"
#include "device/ntt_plan_file.h"
#include "plan.h"

/* Returns by how much the choice is faster than what the rule takes: 0.1 is 10 %. */
static double gain_of(const hb_plan_line *line)
{
    return line->seconds[line->rule] / line->seconds[line->choice] - 1;
}

/* Tells whether two batches can share a line of the table. */
static bool alike(const hb_plan_line *a, const hb_plan_line *b)
{
    return hb_ntt_row_of(a->kind) == hb_ntt_row_of(b->kind) && a->rule == b->rule && a->choice == b->choice;
}

/* Prints a line for batches first .. last, which are alike. */
static void print_range(const hb_group *group, const hb_common *common, const hb_plan_line *first,
                        const hb_plan_line *last)
{
    char limbs[48];
    double least = gain_of(first), most = least;
    for (const hb_plan_line *line = first; line <= last; line++) {
        const double gain = gain_of(line);
        least = gain < least ? gain : least;
        most = gain > most ? gain : most;
    }
    snprintf(limbs, sizeof limbs, "%zu to %zu", first->jobs, last->jobs);
    hb_console_result(group, common, "%7zu  %-10s  %-9s  %-14s  %-12s  %-12s  %.1f to %.1f%%",
                      (size_t)1 << first->kind.log_n, hb_ntt_arithmetic_name(first->kind.arithmetic),
                      hb_ntt_direction_name(first->kind.forward), limbs, hb_ntt_candidate_of(first->choice)->name,
                      hb_ntt_candidate_of(first->rule)->name, 100 * least, 100 * most);
}

/* Prints where the rules do not take the fastest kernel. */
static void print(const hb_group *group, const hb_common *common, const hb_plan_results *results)
{
    const hb_plan_line *const end = results->lines + results->count;
    size_t others = 0;
    hb_console_result(group, common, "%7s  %-10s  %-9s  %-14s  %-12s  %-12s  %s", "N", "arithmetic", "direction",
                      "limbs", "fastest", "by rule", "faster by");
    for (const hb_plan_line *first = results->lines, *next; first < end; first = next) {
        next = first + 1;
        while (next < end && alike(first, next)) {
            next++;
        }
        if (first->choice != first->rule) {
            print_range(group, common, first, next - 1);
            others += (size_t)(next - first);
        }
    }
    hb_console_result(group, common, "%zu of %zu batches are faster by other kernels than the rules take", others,
                      results->count);
}

static json_t *line_json(const hb_plan_line *line)
{
    json_t *times = json_object();
    for (uint32_t k = 0; k < HB_NTT_CANDIDATES; k++) {
        if (line->seconds[k] > 0 &&
            json_object_set_new(times, hb_ntt_candidate_of(k)->name, json_real(1e6 * line->seconds[k])) != 0) {
            json_decref(times);
            return NULL;
        }
    }
    return json_pack("{s:I, s:s, s:s, s:I, s:s, s:s, s:o}", "n", (json_int_t)1 << line->kind.log_n, "arithmetic",
                     hb_ntt_arithmetic_name(line->kind.arithmetic), "direction",
                     hb_ntt_direction_name(line->kind.forward), "limbs", (json_int_t)line->jobs, "rule",
                     hb_ntt_candidate_of(line->rule)->name, "fastest", hb_ntt_candidate_of(line->choice)->name,
                     "us_a_limb", times);
}

/* Returns everything as JSON; NULL when out of memory. */
static json_t *results_json(const hb_device *device, const hb_plan_results *results, const char *path)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < results->count; i++) {
        if (json_array_append_new(lines, line_json(&results->lines[i])) != 0) {
            json_decref(lines);
            return NULL;
        }
    }
    return json_pack("{s:{s:s, s:s}, s:{s:o, s:o}}", "device", "kind", "gpu", "name", hb_device_name_of(device).text,
                     "plan", "file", hb_report_text(path), "batches", lines);
}

hb_status hb_bench_plan_command(const hb_group *group, const hb_common *common, const hb_device *device)
{
    const uint64_t enough = (uint64_t)1 << 30,
                   most = device->memory / 2; /* times a second-level cache; beside tables */
    hb_plan_results *results = malloc(sizeof *results);
    char *path = NULL;
    hb_status st = HB_OK;
    if (results == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for a plan");
    }
    if (device->gpu) {
        hb_console_log(group, common, "times all kernels of transforms, half a minute or so");
    }
    HB_GOTO(hb_bench_plan(device, enough < most ? enough : most, results));
    hb_console_result(group, common, "%s", hb_device_name_of(device).text);
    print(group, common, results);
    HB_GOTO(hb_ntt_plan_path(&device->card, &path));
    if (path == NULL) {
        HB_GOTO(HB_FAIL(HB_ECREATE, "the plan is not kept: neither XDG_CACHE_HOME nor HOME names a folder for it"));
    }
    HB_GOTO(hb_ntt_plan_write(path, &device->card, &results->plan));
    hb_console_result(group, common, "kept for later runs on such a GPU, with this driver and program: %s", path);
    if (common->json) {
        st = hb_report_results(group, "bench", results_json(device, results, path));
    }
done:
    free(path);
    free(results);
    return st;
}
