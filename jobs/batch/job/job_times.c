#include "job_times.h"

#include <stdio.h>

#include "base/clock.h"
#include "cli/console.h"
#include "cli/trace.h"
#include "machine/machine.h"

static json_t *seconds_json(const char *const *names, const double *seconds, int count)
{
    json_t *object = json_object();
    for (int i = 0; i < count; i++) {
        if (json_object_set_new(object, names[i], json_real(seconds[i])) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

json_t *hb_time_kinds_json(const double seconds[HB_TIME_KINDS])
{
    return seconds_json(hb_time_kind_names, seconds, HB_TIME_KINDS);
}

static json_t *loop_json(const hb_pipeline_times *loop)
{
    double share;
    const hb_time_kind limit = hb_pipeline_limit(loop, &share);
    /* jansson fails when one of the objects is NULL, and frees the others. */
    return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:s, s:f}", "units", (json_int_t)loop->units, "readers",
                     (json_int_t)loop->threads.readers, "queues", (json_int_t)loop->threads.workers, "writers",
                     (json_int_t)loop->threads.writers, "busy", hb_time_kinds_json(loop->busy), "critical",
                     hb_time_kinds_json(loop->critical), "limited_by", hb_time_kind_names[limit], "limited_share",
                     share);
}

/* Returns the seconds of one thread of a stage, on average; 0 of a stage without threads. */
static double each(double seconds, uint32_t threads)
{
    return threads > 0 ? seconds / threads : 0;
}

static double sum_of(const double seconds[HB_SPANS])
{
    double total = 0;
    for (int p = 0; p < HB_SPANS; p++) {
        total += seconds[p];
    }
    return total;
}

/* Returns the spans with their sum; NULL when out of memory. */
static json_t *spans_json(const double seconds[HB_SPANS])
{
    json_t *all = seconds_json(hb_job_span_names, seconds, HB_SPANS);
    if (all == NULL || json_object_set_new(all, "total", json_real(sum_of(seconds))) != 0) {
        json_decref(all);
        return NULL;
    }
    return all;
}

json_t *hb_job_times_json(const hb_job_times *times, const hb_pipeline_times *loop)
{
    /* json_pack fails when one of the objects is NULL, and frees the others. */
    return json_pack("{s:f, s:f, s:f, s:f, s:o, s:o, s:o, s:f}", "read", each(loop->stage[0], loop->threads.readers),
                     "compute", each(loop->stage[1], loop->threads.workers), "write",
                     each(loop->stage[2], loop->threads.writers), "wall", loop->wall, "phases",
                     spans_json(times->seconds), "predicted", spans_json(times->predicted), "loop", loop_json(loop),
                     "first_unit", hb_job_times_first(times, loop));
}

/* A line that is put together of parts; a part that does not fit is left out. */
typedef struct line {
    char text[400];
    size_t length;
} line;

static void add(line *l, const char *name, double value, const char *unit)
{
    const size_t left = sizeof l->text - l->length;
    const int more = snprintf(l->text + l->length, left, "%s%s %.*f%s", l->length > 0 ? ", " : "", name,
                              unit[1] == '%' ? 0 : 2, value, unit);
    l->length += more > 0 && (size_t)more < left ? (size_t)more : 0;
}

/* Logs how busy the threads of each stage were, and the stage for which the run waited. */
static void log_loop(const hb_group *group, const hb_common *common, const hb_pipeline_times *loop)
{
    static const char *const stages[HB_STAGES] = {"reading", "computing", "writing"};
    const uint32_t threads[HB_STAGES] = {loop->threads.readers, loop->threads.workers, loop->threads.writers};
    line busy = {.length = 0}, critical = {.length = 0};
    for (int s = 0; s < HB_STAGES; s++) {
        if (threads[s] > 0) {
            char name[48];
            snprintf(name, sizeof name, "%u %s", (unsigned)threads[s], stages[s]);
            add(&busy, name, 100 * each(loop->stage[s], threads[s]) / loop->wall, " %");
        }
    }
    for (int k = 0; k < HB_TIME_KINDS; k++) {
        /* Shares that would be told as 0 % are left out. */
        if (loop->critical[k] > 0.005 * loop->wall) {
            add(&critical, hb_time_kind_names[k], 100 * loop->critical[k] / loop->wall, " %");
        }
    }
    double share;
    const hb_time_kind limit = hb_pipeline_limit(loop, &share);
    hb_console_log(group, common, "busy         %s of the loop", busy.text);
    hb_console_log(group, common, "waited for   %s of the loop", critical.text);
    hb_console_log(group, common, "limited by   %s (%.0f %% of the loop)", hb_pipeline_limit_words(limit), 100 * share);
}

static void log_spans(const hb_group *group, const hb_common *common, const char *word, const double seconds[HB_SPANS])
{
    line all = {.length = 0};
    for (int p = 0; p < HB_SPANS; p++) {
        /* Most jobs have neither. */
        if ((p != HB_SPAN_CHECK && p != HB_SPAN_TOTALS) || seconds[p] > 0) {
            add(&all, hb_job_span_names[p], seconds[p], " s");
        }
    }
    hb_console_log(group, common, "%-12s %s: %s", word, hb_human_seconds(sum_of(seconds)).text, all.text);
}

void hb_job_times_log(const hb_group *group, const hb_common *common, const hb_job_times *times,
                      const hb_pipeline_times *loop)
{
    log_spans(group, common, "time", times->seconds);
    if (sum_of(times->predicted) > 0) {
        log_spans(group, common, "predicted", times->predicted);
    }
    if (loop->wall > 0) {
        hb_console_log(group, common, "first unit   after %s", hb_human_seconds(hb_job_times_first(times, loop)).text);
        log_loop(group, common, loop);
    }
}

const char *const hb_job_span_names[HB_SPANS] = {"start", "open",   "output", "memory", "check",
                                                 "loop",  "totals", "sync",   "commit"};

void hb_job_times_begin(hb_job_times *times, double age)
{
    *times = (hb_job_times){.at = hb_now()};
    times->seconds[HB_SPAN_START] = age;
    hb_trace_add_to(HB_LANE_JOB, (hb_trace_span){.name = hb_job_span_names[HB_SPAN_START],
                                                 .begun = times->at - times->seconds[HB_SPAN_START],
                                                 .ended = times->at});
}

void hb_job_times_end(hb_job_times *times, hb_job_span span)
{
    const double now = hb_now();
    if (span == HB_SPAN_LOOP && times->before == 0) {
        times->before = hb_job_times_total(times);
    }
    hb_trace_add_to(HB_LANE_JOB, (hb_trace_span){.name = hb_job_span_names[span], .begun = times->at, .ended = now});
    times->seconds[span] += now - times->at;
    times->at = now;
}

void hb_job_times_drop_start(hb_job_times *times)
{
    times->before -= times->before > 0 ? times->seconds[HB_SPAN_START] : 0;
    times->seconds[HB_SPAN_START] = 0;
}

double hb_job_times_total(const hb_job_times *times)
{
    return sum_of(times->seconds);
}

double hb_job_times_first(const hb_job_times *times, const hb_pipeline_times *loop)
{
    return loop->first > 0 ? times->before + loop->first : 0;
}

void hb_pipeline_times_add(hb_pipeline_times *to, const hb_pipeline_times *more)
{
    to->first = to->wall > 0 ? to->first : more->first;
    to->threads = more->threads;
    to->units += more->units;
    to->wall += more->wall;
    for (int s = 0; s < HB_STAGES; s++) {
        to->stage[s] += more->stage[s];
    }
    for (int k = 0; k < HB_TIME_KINDS; k++) {
        to->busy[k] += more->busy[k];
        to->critical[k] += more->critical[k];
    }
}

hb_time_kind hb_pipeline_limit(const hb_pipeline_times *times, double *share)
{
    int most = 0;
    for (int k = 0; k < HB_TIME_KINDS; k++) {
        most = times->critical[k] > times->critical[most] ? k : most;
    }
    *share = times->wall > 0 ? times->critical[most] / times->wall : 0;
    return (hb_time_kind)most;
}

const char *hb_pipeline_limit_words(hb_time_kind kind)
{
    static const char *const words[HB_TIME_KINDS] = {
        "reading", "arranging cells", "uploading", "computing", "downloading", "writing", "waiting for one another"};
    return words[kind];
}
