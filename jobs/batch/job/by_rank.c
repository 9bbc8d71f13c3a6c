#include "by_rank.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/report.h"
#include "machine/machine.h"

/* What a rank did, in words, which a group can add up: every other rank has zeros in its place. */
typedef struct rank_words {
    uint64_t host[8];                                                 /* text, with a zero at its end */
    uint64_t units, bytes, received, peak, wall, busy[HB_TIME_KINDS]; /* seconds as nanoseconds */
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
    words->bytes = job->own_bytes;
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
    return json_pack("{s:i, s:o, s:I, s:I, s:f, s:o, s:I, s:I}", "rank", rank, "host", hb_report_text(host), "units",
                     (json_int_t)words->units, "bytes", (json_int_t)words->bytes, "wall", 1e-9 * (double)words->wall,
                     "busy", hb_time_kinds_json(busy), "received_bytes", (json_int_t)words->received, "peak_host_bytes",
                     (json_int_t)words->peak);
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

hb_status hb_by_rank_gather(const hb_job *job, json_t **out)
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
