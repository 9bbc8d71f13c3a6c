#include "run_report.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/report.h"
#include "cli/run.h"
#include "job.h"
#include "machine/machine.h"

/* --- the report of each rank */

/* A rank's record as words that a group can add up: every other rank has zeros in its place. */
typedef struct rank_words {
    uint64_t host[8];                                                         /* text, with a zero at its end */
    uint64_t units, bytes, totals, received, peak, wall, busy[HB_TIME_KINDS]; /* seconds as nanoseconds */
} rank_words;
enum { RANK_WORDS = sizeof(rank_words) / sizeof(uint64_t) };

static uint64_t nanoseconds(double seconds)
{
    return seconds > 0 ? (uint64_t)(1e9 * seconds) : 0;
}

static void fill(rank_words *words, const hb_job *job)
{
    char host[sizeof words->host] = "";
    (void)!gethostname(host, sizeof host - 1); /* one that is longer is cut */
    memcpy(words->host, host, sizeof host);
    words->units = job->own.units;
    words->bytes = job->counts.bytes;
    words->totals = job->counts.totals;
    for (int p = 0; p < HB_PATTERNS && job->session.exchange != NULL; p++) {
        words->received += job->session.exchange->stats.received[p];
    }
    words->peak = hb_peak_bytes();
    words->wall = nanoseconds(job->own.wall);
    for (int k = 0; k < HB_TIME_KINDS; k++) {
        words->busy[k] = nanoseconds(job->own.busy[k]);
    }
}

static json_t *rank_json(int rank, const rank_words *words)
{
    char host[sizeof words->host];
    double busy[HB_TIME_KINDS];
    memcpy(host, words->host, sizeof host);
    for (int k = 0; k < HB_TIME_KINDS; k++) {
        busy[k] = 1e-9 * (double)words->busy[k];
    }
    return json_pack("{s:i, s:o, s:I, s:I, s:I, s:f, s:o, s:I, s:I}", "rank", rank, "host", hb_report_text(host),
                     "units", (json_int_t)words->units, "bytes", (json_int_t)words->bytes, "totals",
                     (json_int_t)words->totals, "wall", 1e-9 * (double)words->wall, "busy", hb_time_kinds_json(busy),
                     "received_bytes", (json_int_t)words->received, "peak_host_bytes", (json_int_t)words->peak);
}

static hb_status list(const rank_words *words, int ranks, json_t **out)
{
    json_t *all = json_array();
    for (int r = 0; r < ranks; r++) {
        if (json_array_append_new(all, rank_json(r, &words[r])) != 0) {
            json_decref(all);
            return HB_FAIL(HB_ENOMEM, "out of memory for the ranks of a report");
        }
    }
    *out = all;
    return HB_OK;
}

/* Gathers the work of every rank. Collective; all ranks return the same status. On rank 0 *out is [{"rank", "host",
 * "units": units done, "bytes": bytes that progress counts in them, "totals": instructions of totals that it computed,
 * "wall": seconds of its loops, "busy": seconds by kind, "received_bytes": limbs received from ranks that share them,
 * "peak_host_bytes"}, ...], which the caller frees; on other ranks NULL. HB_ENOMEM, HB_ECOMM. */
static hb_status by_rank_gather(const hb_job *job, json_t **out)
{
    hb_group *group = job->group;
    rank_words *words = calloc((size_t)group->size, sizeof *words);
    hb_status st = words != NULL ? HB_OK : HB_FAIL(HB_ENOMEM, "out of memory for the ranks of a report");
    *out = NULL;
    HB_GOTO(hb_agree(group, st));
    fill(&words[group->rank], job);
    HB_GOTO(hb_agree(group, hb_group_sum(group, words[0].host, (size_t)group->size * RANK_WORDS)));
    HB_GOTO(hb_agree(group, group->rank == 0 ? list(words, group->size, out) : HB_OK));
done:
    free(words);
    return st;
}

/* --- reports of a run */

static bool has_begun(const hb_run_output *output)
{
    return output->begun == NULL || *output->begun;
}

/* Returns whether a failed run has something to report beside any of its outputs. */
static bool any_begun(const hb_run_report *report)
{
    bool any = false;
    for (uint32_t o = 0; o < report->output_count; o++) {
        any |= has_begun(&report->outputs[o]);
    }
    return any;
}

/* How a run ended. */
typedef struct ending {
    hb_status status;
    double seconds;
    uint64_t peak;   /* bytes of the largest rank */
    json_t *by_rank; /* NULL: the ranks cannot be asked any more */
} ending;

/* The seconds of a report are the sum of its phases, which the log has said; where it has none, until now. */
static double seconds_of(const json_t *document, const ending *end)
{
    const json_t *phases = json_object_get(json_object_get(document, "times"), "phases");
    const double total = json_number_value(json_object_get(phases, "total"));
    return end->status == HB_OK && total > 0 ? total : end->seconds;
}

/* On one rank. A run that failed reports beside outputs that it has begun: beside others there may be the report of an
 * earlier run. */
static hb_status write_reports(const hb_job *job, const hb_run_report *report, const ending *end)
{
    json_t *document = report->document(job, report->context, end->status);
    if (document == NULL) {
        return HB_FAIL(HB_ENOMEM, "out of memory for the report of %s", report->outputs[0].path);
    }
    hb_status st = HB_OK;
    /* How the run ended is added last, as the kind's document does not know it. */
    HB_GOTO(hb_report_finish(document, end->status, seconds_of(document, end), end->peak));
    if (end->by_rank != NULL && json_object_set(document, "by_rank", end->by_rank) != 0) {
        HB_GOTO(HB_FAIL(HB_ENOMEM, "out of memory for the report of %s", report->outputs[0].path));
    }
    for (uint32_t o = 0; o < report->output_count; o++) {
        if (end->status == HB_OK || has_begun(&report->outputs[o])) {
            HB_GOTO(hb_report_remember(document, report->outputs[o].path, report->resume));
            HB_GOTO(hb_report_write(document, report->outputs[o].path));
        }
    }
    if (end->status == HB_OK && job->common->json) {
        hb_report_print(document);
    }
done:
    json_decref(document);
    return st;
}

/* Reports a run that ended with `status` and the last error, which stays for a failed run, even if the report fails
 * too. */
static hb_status write_end(const hb_job *job, const hb_run_report *report, hb_status status)
{
    hb_group *group = job->group;
    const hb_error cause = *hb_last_error();
    ending end = {.status = status};
    const hb_params *params = job->session.params;
    const uint32_t residues = params != NULL ? hb_spec_residues(&params->spec) : 1;
    if (status == HB_OK && job->options.residue + 1 < residues) {
        return HB_OK; /* the job of the last one reports */
    }
    hb_status st = hb_ranks_peak(group, &end.peak); /* in a broken group this rank's alone */
    if (st == HB_OK) {
        st = by_rank_gather(job, &end.by_rank);
    }
    hb_set_error(&cause);
    if ((st == HB_OK || group->broken) && (status == HB_OK || any_begun(report)) && hb_group_reports(group)) {
        end.seconds = hb_run_age(group); /* with the start of the ranks, the keys and every residue */
        st = write_reports(job, report, &end);
        hb_group_reported(group);
    }
    json_decref(end.by_rank);
    /* Only a good run can still fail for its report; all ranks have the same status here. */
    if (status == HB_OK) {
        return hb_agree(group, st);
    }
    hb_set_error(&cause);
    return status;
}

/* Before hours of work, not after them. */
static hb_status probe_reports(const hb_run_report *report)
{
    for (uint32_t o = 0; o < report->output_count; o++) {
        HB_TRY(hb_report_probe(report->outputs[o].path));
    }
    return HB_OK;
}

hb_status hb_run_and_report(hb_job *job, const hb_run_report *report)
{
    HB_TRY(hb_agree(job->group, probe_reports(report)));
    return write_end(job, report, hb_job_run(job));
}

/* Writes what it can, on rank 0: why the run failed matters more than that nothing could be written. */
static void write_failure(const hb_group *group, const hb_run_failure *failure, hb_status status, uint64_t peak)
{
    const hb_error cause = *hb_last_error();
    /* The facts stay the caller's, who frees them: a reference of its own is given away here. */
    json_t *document = hb_report_compose(group, failure->command, json_incref(failure->facts), json_object());
    if (document != NULL && hb_report_finish(document, status, hb_run_age(group), peak) == HB_OK) {
        for (uint32_t o = 0; o < failure->output_count; o++) {
            const char *output = failure->outputs[o];
            if (!failure->is_free(output, failure->over)) {
                hb_report_sweep(output); /* the run that made the output may have been killed before its report */
            } else if (hb_report_probe(output) == HB_OK) {
                (void)hb_report_write(document, output);
            }
        }
    }
    json_decref(document);
    hb_set_error(&cause);
}

hb_status hb_run_report_failure(hb_group *group, const hb_run_failure *failure, hb_status status)
{
    const hb_error cause = *hb_last_error();
    uint64_t peak = 0;
    if (status != HB_EUSAGE && status != HB_ECOMM && hb_ranks_peak(group, &peak) == HB_OK && group->rank == 0 &&
        failure->facts != NULL) {
        hb_set_error(&cause);
        write_failure(group, failure, status, peak);
    }
    json_decref(failure->facts);
    hb_set_error(&cause);
    return status;
}

bool hb_run_report_dataset(const char *output, bool over)
{
    return hb_dataset_probe(output, false, over) == HB_OK;
}

hb_status hb_run_report_dataset_failure(hb_group *group, const char *command, json_t *facts, const char *output,
                                        bool over, hb_status status)
{
    const hb_run_failure failure = {.command = command,
                                    .facts = facts,
                                    .outputs = &output,
                                    .output_count = 1,
                                    .is_free = hb_run_report_dataset,
                                    .over = over};
    return hb_run_report_failure(group, &failure, status);
}
