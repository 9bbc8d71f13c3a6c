/* Prints the results of `bench job`, with a column for each job that was run; and returns them as JSON. */
#include <inttypes.h>
#include <stdio.h>

#include "job.h"

enum { NAME = 26, CELL = 13 };

/* Returns the cell of a column in line `index` of its kind; an empty text: none. */
typedef hb_human (*cell)(const hb_bench_job_times *run, int index);

typedef struct printer {
    const hb_group *group;
    const hb_common *common;
    const hb_bench_job_results *results;
} printer;

/* Prints a line of the table: a name, and a cell for each run. */
static void print_line(const printer *p, const char *name, cell text, int index)
{
    char line[NAME + HB_BENCH_RUNS * (CELL + 1) + 1];
    int length = snprintf(line, sizeof line, "%-*s", NAME, name);
    for (int r = 0; r < HB_BENCH_RUNS; r++) {
        const hb_bench_job_times *run = &p->results->run[r];
        /* A run that was left out has no column. */
        if (run->done) {
            length += snprintf(line + length, sizeof line - (size_t)length, " %*s", CELL, text(run, index).text);
        }
    }
    hb_console_result(p->group, p->common, "%s", line);
}

/* Returns the part of the lower of both ceilings that was reached; `files` is the one for files. */
static double share_reached(const hb_bench_job_times *run, double files)
{
    return run->rate / (run->link > 0 && run->link < files ? run->link : files);
}

static hb_human words(const char *text)
{
    hb_human human;
    snprintf(human.text, sizeof human.text, "%s", text);
    return human;
}

static hb_human percent(double share)
{
    hb_human human;
    snprintf(human.text, sizeof human.text, "%.1f %%", 100 * share);
    return human;
}

static hb_human a_second(double count, hb_human (*of)(double))
{
    const hb_human number = of(count);
    hb_human human;
    snprintf(human.text, sizeof human.text, "%.*s/s", (int)sizeof human.text - 4, number.text);
    return human;
}

static hb_human rate_of(const hb_bench_job_times *run, int index)
{
    const double rates[] = {run->rate, run->link, run->files, run->files_one};
    return rates[index] > 0 ? a_second(rates[index], hb_human_count) : words("");
}

static hb_human bytes_of(const hb_bench_job_times *run, int index)
{
    (void)index;
    return a_second((double)(run->read_bytes + run->written_bytes) / run->seconds, hb_human_bytes);
}

static hb_human share_of(const hb_bench_job_times *run, int index)
{
    return percent(share_reached(run, index == 0 ? run->files : run->files_one));
}

static hb_human link_share_of(const hb_bench_job_times *run, int index)
{
    (void)index;
    return run->link > 0 ? percent(run->rate / run->link) : words("");
}

static hb_human span_of(const hb_bench_job_times *run, int index)
{
    return hb_bench_duration(run->job_times.seconds[index]);
}

static hb_human duration_of(const hb_bench_job_times *run, int index)
{
    const double seconds[] = {run->seconds, run->close, hb_job_times_first(&run->job_times, &run->times)};
    return hb_bench_duration(seconds[index]);
}

static hb_human critical_of(const hb_bench_job_times *run, int index)
{
    return percent(run->times.wall > 0 ? run->times.critical[index] / run->times.wall : 0);
}

/* How many threads a stage has, and how much of the loop each was busy. */
static hb_human busy_of(const hb_bench_job_times *run, int index)
{
    const hb_threads all = run->times.threads;
    const uint32_t threads[HB_STAGES] = {all.readers, all.workers, all.writers};
    hb_human human;
    snprintf(human.text, sizeof human.text, "%" PRIu32 " x %.0f %%", threads[index],
             threads[index] > 0 && run->times.wall > 0
                 ? 100 * run->times.stage[index] / run->times.wall / threads[index]
                 : 0);
    return human;
}

static hb_human limit_of(const hb_bench_job_times *run, int index)
{
    (void)index;
    double share;
    return words(hb_time_kind_names[hb_pipeline_limit(&run->times, &share)]);
}

static hb_human host_of(const hb_bench_job_times *run, int index)
{
    return hb_human_bytes((double)run->memory.host[index]);
}

static hb_human gpu_of(const hb_bench_job_times *run, int index)
{
    return hb_human_bytes((double)run->memory.gpu[index]);
}

/* Prints the heads of the columns: names of runs, which a cell does not know. */
static void print_head(const printer *p)
{
    char line[NAME + HB_BENCH_RUNS * (CELL + 1) + 1];
    int length = snprintf(line, sizeof line, "%-*s", NAME, "");
    for (int r = 0; r < HB_BENCH_RUNS; r++) {
        if (p->results->run[r].done) {
            length += snprintf(line + length, sizeof line - (size_t)length, " %*s", CELL, hb_bench_job_names[r]);
        }
    }
    hb_console_result(p->group, p->common, "%s", line);
}

/* Prints a line for each name of an enumeration, indented. */
static void print_lines(const printer *p, const char *const *names, int count, cell text)
{
    for (int i = 0; i < count; i++) {
        char name[NAME];
        snprintf(name, sizeof name, "  %s", names[i]);
        print_line(p, name, text, i);
    }
}

static void print_files(const printer *p)
{
    const hb_bench_files *files = &p->results->files;
    for (int i = 0; i < HB_BENCH_THREADS; i++) {
        hb_console_result(
            p->group, p->common,
            "plain files, %" PRIu32 " thread%s a rank: written at %s/s, read at %s/s, both at once at %s/s",
            hb_bench_threads[i], hb_bench_threads[i] == 1 ? " " : "s", hb_human_bytes(files->write[i]).text,
            hb_human_bytes(files->read[i]).text, hb_human_bytes(files->both[i]).text);
    }
}

/* Prints rates beside their bounds. */
static void print_rates(const printer *p)
{
    static const char *const bounds[] = {"ciphertexts a second", "  the link", "  plain files",
                                         "  plain files, 1 thread"};
    const bool gpu = p->results->run[HB_BENCH_ENCRYPT].link > 0;
    print_line(p, "bytes a second", bytes_of, 0);
    for (int i = 0; i < 4; i++) {
        if (i != 1 || gpu) {
            print_line(p, bounds[i], rate_of, i);
        }
    }
    print_line(p, "share of the lower", share_of, 0);
    print_line(p, "  files by 1 thread", share_of, 1);
    if (gpu) {
        print_line(p, "share of the link", link_share_of, 0);
    }
}

/* Returns whether a span took any time in any run: others are left out. */
static bool any_span(const printer *p, int span)
{
    bool any = false;
    for (int r = 0; r < HB_BENCH_RUNS; r++) {
        any |= p->results->run[r].done && p->results->run[r].job_times.seconds[span] > 0;
    }
    return any;
}

static void print_times(const printer *p)
{
    static const char *const stages[HB_STAGES] = {"readers", "queues", "writers"};
    print_line(p, "seconds", duration_of, 0);
    print_line(p, "  first unit after", duration_of, 2);
    for (int span = HB_SPAN_OPEN; span < HB_SPANS; span++) {
        if (any_span(p, span)) {
            char name[NAME];
            snprintf(name, sizeof name, "  %s", hb_job_span_names[span]);
            print_line(p, name, span_of, span);
        }
    }
    print_line(p, "  close", duration_of, 1);
    print_line(p, "of the loop, waited for", limit_of, 0);
    print_lines(p, hb_time_kind_names, HB_TIME_KINDS, critical_of);
    hb_console_result(p->group, p->common, "of the loop, busy");
    print_lines(p, stages, HB_STAGES, busy_of);
}

static void print_memory(const printer *p)
{
    static const char *const host[] = {"host, before", "host, half-way", "host, at the end"}, *const gpu[] = {
                                                                                                  "GPU, before",
                                                                                                  "GPU, half-way",
                                                                                                  "GPU, at the end"};
    for (int i = 0; i < 3; i++) {
        print_line(p, host[i], host_of, i);
    }
    for (int i = 0; i < 3 && p->results->run[HB_BENCH_ENCRYPT].memory.gpu[1] > 0; i++) {
        print_line(p, gpu[i], gpu_of, i);
    }
}

void hb_bench_print_job(const hb_group *group, const hb_common *common, const hb_bench_job_options *options,
                        const hb_bench_job_results *results)
{
    const printer p = {group, common, results};
    hb_console_result(group, common, "%" PRIu64 " rows x %d columns, %" PRIu64 " ciphertexts of %" PRIu64 " bytes",
                      options->rows, HB_BENCH_COLUMNS, results->ciphertexts, results->ciphertext_bytes);
    if (results->limb_ranks > 1) {
        hb_console_result(group, common, "%" PRIu32 " ranks share the limbs of each", results->limb_ranks);
    }
    print_files(&p);
    print_head(&p);
    print_rates(&p);
    print_times(&p);
    print_memory(&p);
}

static json_t *three(const uint64_t bytes[3])
{
    return json_pack("[I, I, I]", (json_int_t)bytes[0], (json_int_t)bytes[1], (json_int_t)bytes[2]);
}

/* Returns a run as JSON; null for a job that was not run. */
static json_t *run_json(const hb_bench_job_times *run)
{
    if (!run->done) {
        return json_null();
    }
    return json_pack("{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:o, s:o}", "ciphertexts_per_second",
                     run->rate, "bytes_per_second", (double)(run->read_bytes + run->written_bytes) / run->seconds,
                     "link_ciphertexts_per_second", run->link, "files_ciphertexts_per_second", run->files,
                     "files_one_thread_ciphertexts_per_second", run->files_one, "share", share_reached(run, run->files),
                     "share_one_thread", share_reached(run, run->files_one), "seconds", run->seconds, "pipeline",
                     run->times.wall, "close", run->close, "times", hb_job_times_json(&run->job_times, &run->times),
                     "host_bytes", three(run->memory.host), "gpu_bytes", three(run->memory.gpu));
}

static json_t *files_json(const hb_bench_files *files)
{
    json_t *list = json_array();
    for (int i = 0; i < HB_BENCH_THREADS; i++) {
        json_t *entry = json_pack("{s:I, s:f, s:f, s:f}", "threads", (json_int_t)hb_bench_threads[i],
                                  "written_bytes_per_second", files->write[i], "read_bytes_per_second", files->read[i],
                                  "both_bytes_per_second", files->both[i]);
        if (json_array_append_new(list, entry) != 0) {
            json_decref(list);
            return NULL; /* json_pack has failed, and has freed its arguments all the same */
        }
    }
    return list;
}

json_t *hb_bench_job_json(const hb_bench_job_options *options, const hb_bench_job_results *results)
{
    json_t *job = json_pack("{s:I, s:i, s:I, s:I, s:I, s:o}", "rows", (json_int_t)options->rows, "columns",
                            HB_BENCH_COLUMNS, "ciphertexts", (json_int_t)results->ciphertexts, "ciphertext_bytes",
                            (json_int_t)results->ciphertext_bytes, "limb_ranks", (json_int_t)results->limb_ranks,
                            "files", files_json(&results->files));
    for (int r = 0; r < HB_BENCH_RUNS; r++) {
        if (json_object_set_new(job, hb_bench_job_names[r], run_json(&results->run[r])) != 0) {
            json_decref(job);
            return NULL;
        }
    }
    return job;
}
