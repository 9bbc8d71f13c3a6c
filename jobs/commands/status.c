/* hebatch status: how far jobs are, by the files that they keep beside their outputs. */
#include "status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "batch/cells/table_missing.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/report.h"
#include "commands.h"
#include "eval/checkpoint/checkpoint.h"
#include "eval/sums.h"
#include "eval/totals_checkpoint.h"
#include "io/dataset/dataset.h"
#include "io/files/durable.h"
#include "page/page.h"

static const char suffix[] = ".partial";

/* Without slashes at the end and the suffix. */
static char *output_of(const char *name)
{
    char *output = strdup(name);
    size_t length = output != NULL ? strlen(output) : 0;
    while (length > 1 && output[length - 1] == '/') {
        output[--length] = '\0';
    }
    const size_t end = sizeof suffix - 1;
    if (length > end && strcmp(output + length - end, suffix) == 0) {
        output[length - end] = '\0';
    }
    return output;
}

bool hb_job_status_is_unfinished(const char *name)
{
    char *output = output_of(name), *partial = NULL;
    struct stat info;
    const bool there = output != NULL && hb_path_with(output, suffix, &partial) == HB_OK && stat(partial, &info) == 0 &&
                       S_ISDIR(info.st_mode);
    free(partial);
    free(output);
    return there;
}

static json_t *time_text(time_t when)
{
    char text[32];
    struct tm utc;
    return gmtime_r(&when, &utc) != NULL && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc) > 0
               ? json_string(text)
               : json_null();
}

static const char *text_of(const json_t *status, const char *name)
{
    return json_string_value(json_object_get(status, name));
}

/* Members of one object that are there, into another. */
static void copy(json_t *to, const json_t *from, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_t *value = json_object_get(from, names[i]);
        if (value != NULL) {
            json_object_set(to, names[i], value);
        }
    }
}

/* The gap of comparisons of reals: only results that such comparisons made have it. */
static const char gap_member[] = "threshold_gap";

static json_t *last_report(const char *output)
{
    static const char *const names[] = {"command", "exit_code", "reason", "started", "seconds", "slurm", "runs_before"};
    json_t *report = hb_report_beside(output, HB_REPORT_SUFFIX, NULL), *last = NULL;
    if (report != NULL) {
        last = json_object();
        copy(last, report, names, sizeof names / sizeof names[0]);
    }
    json_decref(report);
    return last != NULL ? last : json_null();
}

/* Returns how far the sums of the next pass are; null where there are none. */
static json_t *sums_of(const char *folder, uint32_t pass)
{
    uint64_t done = 0, steps = 0;
    const hb_status st = hb_eval_sums_look(folder, pass, &done, &steps);
    hb_clear_error();
    if (st != HB_OK && st != HB_EDATA) {
        return json_null();
    }
    return json_pack("{s:I, s:I, s:I, s:b}", "pass", (json_int_t)pass + 1, "steps", (json_int_t)steps, "steps_stored",
                     (json_int_t)done, "damaged", (int)(st != HB_OK));
}

/* A step that was left on its way; of several members that wrote it the last counts. */
static void add_checkpoint(void *context, uint32_t pass, const hb_checkpoint_head *head)
{
    json_t *list = context, *there = NULL;
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
    {
        const bool same = json_integer_value(json_object_get(item, "pass")) == (json_int_t)pass + 1 &&
                          json_integer_value(json_object_get(item, "step")) == (json_int_t)head->step;
        there = same ? item : there;
    }
    json_t *checkpoint = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:f}", "pass", (json_int_t)pass + 1, "step", (json_int_t)head->step, "steps",
        (json_int_t)head->steps, "iteration", (json_int_t)head->iteration, "iterations", (json_int_t)head->iterations,
        "part_left", head->instructions > 0 ? (double)head->instructions_left / (double)head->instructions : 0.0);
    if (there != NULL) {
        json_object_update(there, checkpoint);
        json_decref(checkpoint);
    } else {
        json_array_append_new(list, checkpoint);
    }
}

/* The files that a computation has stored besides finished units: totals of passes, sums, and checkpoints of steps. */
static hb_status describe_stored(const char *output, json_t *facts)
{
    char *folder;
    uint32_t passes = 0;
    HB_TRY(hb_path_with(output, suffix, &folder));
    json_t *checkpoints = json_array();
    hb_status st = hb_checkpoint_each(folder, add_checkpoint, checkpoints);
    st = st == HB_OK ? hb_totals_checkpoint_look(folder, &passes) : st;
    json_t *sums = st == HB_OK ? sums_of(folder, passes) : NULL;
    free(folder);
    if (st != HB_OK) {
        json_decref(checkpoints);
        return st;
    }
    /* Steps are found in any order. */
    const int failed = json_object_set_new(facts, "passes_done", json_integer((json_int_t)passes)) +
                       json_object_set_new(facts, "sums", sums) +
                       json_object_set_new(facts, "checkpoints", checkpoints);
    return failed != 0 ? HB_FAIL(HB_ENOMEM, "no memory for the state of %s", output) : HB_OK;
}

/* Describes an unfinished dataset by its job.json and its shards. */
static hb_status describe_unfinished(const char *output, json_t *status)
{
    static const char *const names[] = {"command", "resumable", "table", "expression", "output"};
    hb_dataset_state state;
    bool held = false;
    time_t begun = 0;
    if (hb_dataset_is_held(output, &held) != HB_OK) {
        hb_clear_error(); /* without job.json, or without the right to open it, the job is unknown */
    }
    HB_TRY(hb_dataset_look(output, &state));
    json_t *job = hb_report_beside(output, ".partial/" HB_JOB_NAME, &begun);
    json_t *facts = json_pack("{s:s, s:I, s:I, s:i, s:i}", "state", held ? "running" : "unfinished", "units",
                              (json_int_t)state.units, "units_stored", (json_int_t)state.stored, "shards",
                              (int)state.parts, "shards_unreadable", (int)state.unreadable);
    copy(facts, job, names, sizeof names / sizeof names[0]);
    if (job != NULL) {
        json_object_set_new(facts, "begun", time_text(begun));
    }
    hb_status st = facts != NULL ? describe_stored(output, facts) : HB_ENOMEM;
    if (facts == NULL || (st == HB_OK && json_object_update(status, facts) != 0)) {
        st = HB_FAIL(HB_ENOMEM, "no memory for the state of %s", output);
    }
    json_decref(facts);
    json_decref(job);
    return st;
}

static hb_status describe_done(const char *output, json_t *status)
{
    hb_dataset *dataset;
    HB_TRY(hb_dataset_open(output, &dataset));
    const json_int_t units = (json_int_t)hb_header_units(hb_dataset_header(dataset));
    json_t *facts = json_pack("{s:s, s:I, s:I, s:i}", "state", "done", "units", units, "units_stored", units, "shards",
                              (int)hb_dataset_parts(dataset));
    json_t *gap = hb_threshold_gap_json(&hb_dataset_header(dataset)->schema);
    hb_dataset_close(dataset);
    const bool failed = facts == NULL || (gap != NULL && json_object_set_new(facts, gap_member, gap) != 0) ||
                        json_object_update(status, facts) != 0;
    json_decref(facts);
    return failed ? HB_FAIL(HB_ENOMEM, "no memory for the state of %s", output) : HB_OK;
}

/* Returns whether a report is all that there is to say: of a decrypted table, or of a run that left nothing else. */
static bool describe_reported(const char *output, bool other, json_t *status)
{
    json_t *report = hb_report_beside(output, HB_REPORT_SUFFIX, NULL);
    const char *command = text_of(report, "command");
    const bool there = command != NULL && json_is_integer(json_object_get(report, "report_version")),
               alone = there && (!other || strcmp(command, "decrypt") == 0) &&
                       json_object_set_new(status, "state", json_string("reported")) == 0 &&
                       json_object_set_new(status, "command", json_string(command)) == 0;
    copy(status, report, (const char *const[]){gap_member}, 1);
    json_decref(report);
    return alone;
}

/* For a job of which nothing is known yet: every state has these members. NULL: no memory. */
static json_t *status_of(const char *output)
{
    return json_pack("{s:o, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:i, s:i, s:i, s:n, s:n, s:[], s:n}", "file",
                     hb_report_text(output), "state", "command", "resumable", "expression", "output", "table", "begun",
                     "units", "units_stored", 0, "shards", 0, "shards_unreadable", 0, "passes_done", "sums",
                     "checkpoints", "last");
}

/* Whether a file is there that begins as no dataset does, nor a shard of one. */
static bool is_other_file(const char *path)
{
    static const char hdf5[] = "\211HDF\r\n\032\n";
    char head[sizeof hdf5 - 1] = "";
    struct stat info;
    FILE *file = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    const bool other = file != NULL &&
                       (fread(head, 1, sizeof head, file) < sizeof head || memcmp(head, hdf5, sizeof head) != 0) &&
                       !ferror(file);
    if (file != NULL) {
        fclose(file);
    }
    return other;
}

static hb_status describe(const char *output, json_t *status)
{
    if (hb_job_status_is_unfinished(output)) {
        const hb_status st = describe_unfinished(output, status);
        if (st != HB_ENOINPUT) {
            return st;
        }
    } /* else it may just have got its name */
    const hb_status st = describe_done(output, status);
    const hb_error error = *hb_last_error();
    if (st != HB_OK && describe_reported(output, st != HB_ENOINPUT, status)) {
        return HB_OK;
    }
    hb_set_error(&error);
    if (st == HB_ENOINPUT) {
        return HB_FAIL(HB_ENOINPUT, "%s: there is neither a dataset nor an unfinished one (%s%s), nor a report", output,
                       output, suffix);
    }
    return is_other_file(output)
               ? HB_FAIL(st, "%s: is no dataset, and no job has left a report of it (%s" HB_REPORT_SUFFIX ")", output,
                         output)
               : st;
}

hb_status hb_job_status_get(const char *name, json_t **out)
{
    char *output = output_of(name);
    json_t *status = output != NULL ? status_of(output) : NULL;
    hb_status st = status != NULL ? describe(output, status) : HB_FAIL(HB_ENOMEM, "no memory for the state of a job");
    if (st == HB_OK && json_object_set_new(status, "last", last_report(output)) != 0) {
        st = HB_FAIL(HB_ENOMEM, "no memory for the state of %s", output);
    }
    free(output);
    if (st != HB_OK) {
        json_decref(status);
        status = NULL;
    }
    *out = status;
    return st;
}

static void print_what(const hb_group *group, const hb_common *common, const json_t *status)
{
    const char *expression = text_of(status, "expression"), *command = text_of(status, "command");
    const json_t *table = json_object_get(status, "table");
    const size_t tables = json_array_size(table); /* 0: it is one, by itself */
    if (command == NULL) {
        return;
    }
    if (expression != NULL) {
        const char *output = text_of(status, "output");
        hb_console_result(group, common, "command      eval '%s', output %s", expression,
                          output != NULL ? output : "an output");
    } else if (tables > 0) {
        hb_console_result(group, common, "command      %s %s and %zu more", command,
                          json_string_value(json_array_get(table, 0)), tables - 1);
    } else if (json_is_string(table)) {
        hb_console_result(group, common, "command      %s %s", command, json_string_value(table));
    } else {
        hb_console_result(group, common, "command      %s", command);
    }
}

static void print_gap(const hb_group *group, const hb_common *common, const json_t *status)
{
    const json_t *gap = json_object_get(status, gap_member);
    if (gap != NULL) {
        hb_threshold_gap_print(group, common, json_number_value(gap), true);
    }
}

static void print_last(const hb_group *group, const hb_common *common, const json_t *status)
{
    const json_t *last = json_object_get(status, "last");
    const char *reason = text_of(last, "reason"), *started = text_of(last, "started");
    if (json_is_object(last)) {
        hb_console_result(group, common, "last report  of the run of %s, exit code %" JSON_INTEGER_FORMAT "%s%s",
                          started != NULL ? started : "an unknown time",
                          json_integer_value(json_object_get(last, "exit_code")),
                          reason != NULL && reason[0] != '\0' ? ": " : "", reason != NULL ? reason : "");
    }
}

/* Runs before the last that reported something. */
static void print_runs(const hb_group *group, const hb_common *common, const json_t *last)
{
    const json_t *runs = json_object_get(last, "runs_before"), *run;
    size_t i;
    double seconds = 0;
    json_array_foreach(runs, i, run)
    {
        seconds += json_number_value(json_object_get(run, "seconds"));
    }
    if (json_array_size(runs) > 0) {
        hb_console_result(group, common,
                          "runs before  %zu that did not come to the end, %s in all; their report has them",
                          json_array_size(runs), hb_human_seconds(seconds).text);
    }
}

static void print_stored(const hb_group *group, const hb_common *common, const json_t *status)
{
    enum { MOST = 8 };
    const json_t *sums = json_object_get(status, "sums"), *checkpoints = json_object_get(status, "checkpoints");
    if (json_integer_value(json_object_get(status, "passes_done")) > 0) {
        hb_console_result(group, common, "passes       %" JSON_INTEGER_FORMAT " are done: their totals are stored",
                          json_integer_value(json_object_get(status, "passes_done")));
    }
    if (json_is_object(sums)) {
        const bool damaged = json_is_true(json_object_get(sums, "damaged"));
        hb_console_result(group, common,
                          damaged ? "sums         of pass %" JSON_INTEGER_FORMAT " are damaged"
                                  : "sums         of pass %" JSON_INTEGER_FORMAT ": %" JSON_INTEGER_FORMAT
                                    " of %" JSON_INTEGER_FORMAT " steps are stored",
                          json_integer_value(json_object_get(sums, "pass")),
                          json_integer_value(json_object_get(sums, "steps_stored")),
                          json_integer_value(json_object_get(sums, "steps")));
    }
    for (size_t i = 0; i < json_array_size(checkpoints) && i < MOST; i++) {
        const json_t *checkpoint = json_array_get(checkpoints, i);
        const json_int_t iterations = json_integer_value(json_object_get(checkpoint, "iterations"));
        char where[64] = "";
        if (iterations > 0) {
            snprintf(where, sizeof where, ", in iteration %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT,
                     json_integer_value(json_object_get(checkpoint, "iteration")), iterations);
        }
        hb_console_result(group, common,
                          "checkpoint   of step %" JSON_INTEGER_FORMAT " (from 0) of %" JSON_INTEGER_FORMAT
                          ", pass %" JSON_INTEGER_FORMAT ", is stored%s",
                          json_integer_value(json_object_get(checkpoint, "step")),
                          json_integer_value(json_object_get(checkpoint, "steps")),
                          json_integer_value(json_object_get(checkpoint, "pass")), where);
    }
    if (json_array_size(checkpoints) > MOST) {
        hb_console_result(group, common, "checkpoint   of %zu steps more", json_array_size(checkpoints) - MOST);
    }
}

/* A report alone: of a decrypted table, or of a run that left no dataset. */
static void print_reported(const hb_group *group, const hb_common *common, const json_t *last)
{
    const char *command = text_of(last, "command");
    const bool made = json_integer_value(json_object_get(last, "exit_code")) == 0;
    hb_console_result(group, common, "state        %s",
                      made ? "done; it is no dataset" : "no dataset; a run has failed");
    if (command != NULL) {
        hb_console_result(group, common, "command      %s, %s", command,
                          hb_human_seconds(json_number_value(json_object_get(last, "seconds"))).text);
    }
}

void hb_job_status_print(const hb_group *group, const hb_common *common, const json_t *status)
{
    const char *state = text_of(status, "state");
    if (strcmp(state, "reported") == 0) {
        hb_console_result(group, common, "file         %s", text_of(status, "file"));
        print_reported(group, common, json_object_get(status, "last"));
        print_gap(group, common, status);
        print_last(group, common, status);
        print_runs(group, common, json_object_get(status, "last"));
        return;
    }
    const bool running = strcmp(state, "running") == 0, done = strcmp(state, "done") == 0;
    const char *unfinished = running ? "running: a job has it now" : "unfinished: no job has it now";
    const json_int_t units = json_integer_value(json_object_get(status, "units")),
                     stored = json_integer_value(json_object_get(status, "units_stored"));
    hb_console_result(group, common, "file         %s%s", text_of(status, "file"), done ? "" : suffix);
    hb_console_result(group, common, "state        %s", done ? "done" : unfinished);
    print_what(group, common, status);
    if (text_of(status, "begun") != NULL) {
        hb_console_result(group, common, "begun        %s", text_of(status, "begun"));
    }
    hb_console_result(group, common,
                      "units        %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " are stored (%.0f%%)", stored,
                      units, units > 0 ? 100 * (double)stored / (double)units : 0);
    print_stored(group, common, status);
    print_gap(group, common, status);
    print_last(group, common, status);
    print_runs(group, common, json_object_get(status, "last"));
    if (!running && !done) {
        hb_console_result(group, common, "to go on     %s",
                          json_is_true(json_object_get(status, "resumable"))
                              ? "the same command with --resume"
                              : "the same command with --force, which begins again");
    }
}

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

/* With the whole report of each job, which status has in short. */
static hb_status write_page(const json_t *all, const char *path)
{
    json_t *jobs = json_array(), *status;
    size_t i;
    bool failed = jobs == NULL;
    json_array_foreach(all, i, status)
    {
        json_t *job = json_copy(status), *report = hb_report_beside(text_of(status, "file"), HB_REPORT_SUFFIX, NULL);
        failed |= json_object_set_new(job, "report", report != NULL ? report : json_null()) != 0;
        failed |= json_array_append_new(jobs, job) != 0;
    }
    const hb_status st = failed ? HB_FAIL(HB_ENOMEM, "no memory for the page %s", path) : hb_page_write(jobs, path);
    json_decref(jobs);
    return st;
}

static hb_status run(hb_group *group, int argc, char **argv)
{
    hb_parsed parsed;
    const char *page = NULL;
    const hb_option rows[] = {{"html", 0, HB_OPTION_TEXT, &page, "FILE",
                               "all that their reports have as a page, too: times, ranks, bits of every step"}};
    const hb_usage usage = {&hb_command_status, rows, sizeof rows / sizeof rows[0], 1, MOST, 0};
    HB_TRY(hb_options_parse(&usage, group, argc, argv, &parsed));
    if (parsed.help) {
        return HB_OK;
    }
    json_t *all = json_array();
    hb_status st = all != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "no memory for the state of jobs");
    for (size_t i = 0; i < parsed.operand_count && st == HB_OK; i++) {
        st = add(all, group, &parsed.common, parsed.operands[i], i == 0);
    }
    if (st == HB_OK && page != NULL) {
        st = write_page(all, page);
    }
    if (st == HB_OK && parsed.common.json) {
        return hb_report_results(group, "status", json_pack("{s:o}", "jobs", all));
    }
    json_decref(all);
    return st;
}

const hb_command hb_command_status = {.name = "status",
                                      .arguments = "OUT ... [OPTIONS]",
                                      .summary = "say how far jobs are, running or stopped, by their outputs",
                                      .notes =
                                          "  hebatch status out.heb      or out.heb.partial, which is the same; also "
                                          "while the job runs; changes nothing\n"
                                          "  hebatch status out.csv      a decrypted table: its report",
                                      .ranks = false,
                                      .run = run};
