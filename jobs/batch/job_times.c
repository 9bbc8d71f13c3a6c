#include "job_times.h"

#include "base/clock.h"
#include "machine/machine.h"

const char *const hb_job_span_names[HB_SPANS] = {"start", "open",   "output", "memory", "check",
                                                 "loop",  "totals", "sync",   "commit"};

void hb_job_times_begin(hb_job_times *times)
{
    *times = (hb_job_times){.at = hb_now()};
    times->seconds[HB_SPAN_START] = hb_process_age();
}

void hb_job_times_end(hb_job_times *times, hb_job_span span)
{
    const double now = hb_now();
    times->seconds[span] += now - times->at;
    times->at = now;
}

double hb_job_times_total(const hb_job_times *times)
{
    double total = 0;
    for (int p = 0; p < HB_SPANS; p++) {
        total += times->seconds[p];
    }
    return total;
}

double hb_job_times_first(const hb_job_times *times, const hb_pipeline_times *loop)
{
    double before = 0;
    /* Spans stand in the order of the job, so those before the loop are the first ones. */
    for (int p = 0; p < HB_SPAN_LOOP; p++) {
        before += times->seconds[p];
    }
    return loop->first > 0 ? before + loop->first : 0;
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
