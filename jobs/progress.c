#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "console.h"
#include "machine.h"

static const double terminal_interval = 0.2, post_interval = 1; /* seconds */

static void show(hb_progress *progress, uint64_t done, bool last)
{
    int slowest = 0;
    uint64_t slowest_done = 0;
    if (!last) {
        done = hb_group_progress(progress->group, &slowest, &slowest_done) / progress->members;
    }
    double elapsed = hb_now() - progress->started;
    double rate = elapsed > 0 ? (double)done / elapsed : 0;
    double left = done < progress->total ? (double)(progress->total - done) : 0;
    double percent = progress->total > 0 ? 100 * (double)done / (double)progress->total : 100;
    char line[512], rank[64] = "", eta[80] = "";
    if (progress->group->size > 1 && !last) {
        snprintf(rank, sizeof rank, ", slowest rank %d", slowest);
    }
    if (!last) {
        snprintf(eta, sizeof eta, ", ETA %s", rate > 0 ? hb_human_seconds(left / rate).text : "unknown");
    }
    const hb_tally *tally = &progress->tally;
    snprintf(line, sizeof line, "%s %s/%s %s%s (%.0f%%) in %s, %s/s, %s/s%s%s", tally->verb,
             hb_human_count((double)done).text, hb_human_count((double)progress->total).text, tally->thing,
             progress->total == 1 ? "" : "s", percent, hb_human_seconds(elapsed).text, hb_human_count(rate).text,
             hb_human_bytes(rate * (double)tally->bytes).text, eta, rank);
    if (last || !progress->terminal) {
        hb_console_log(progress->group, progress->common, "%s", line);
        return;
    }
    char drawn[300];
    int bytes = snprintf(drawn, sizeof drawn, HB_CONSOLE_ERASE "hebatch: %s", line);
    ssize_t ignored = write(STDERR_FILENO, drawn, (size_t)bytes);
    (void)ignored; /* a lost progress line is no failure of the job */
}

void hb_progress_begin(hb_progress *progress, hb_group *group, const hb_common *common, hb_tally tally, uint64_t total)
{
    double now = hb_now();
    *progress = (hb_progress){.group = group,
                              .common = common,
                              .tally = tally,
                              .total = total,
                              .members = 1,
                              .started = now,
                              .last_shown = now,
                              .last_posted = now,
                              .terminal = isatty(STDERR_FILENO) == 1};
}

void hb_progress_add(hb_progress *progress, uint64_t things)
{
    progress->done += things;
    double now = hb_now();
    bool shows = progress->group->rank == 0;
    if (shows || now - progress->last_posted >= post_interval) {
        hb_group_post_progress(progress->group, progress->done);
        progress->last_posted = now;
    }
    double interval = progress->terminal ? terminal_interval : progress->common->progress;
    if (shows && !progress->common->quiet && now - progress->last_shown >= interval) {
        show(progress, 0, false);
        progress->last_shown = now;
    }
}

void hb_progress_end(hb_progress *progress)
{
    if (progress->group->rank == 0 && !progress->common->quiet) {
        show(progress, progress->total, true);
    }
}
