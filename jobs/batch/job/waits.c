#include "waits.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/console.h"
#include "cli/stop.h"

enum { TEXT = 1024, NAMED = 4 };

void hb_waits_mark(const hb_group *group, hb_job_span span)
{
    hb_board_mark(group->board, (unsigned)span + 1);
}

/* Phases behind those of jobs are trials of parameters. */
void hb_waits_mark_search(const hb_group *group, uint32_t tried)
{
    hb_board_mark(group->board, HB_SPANS + 1 + tried % (UINT32_MAX / 2));
}

/* Returns ", phase loop" or nothing: other commands have no phases that ranks wait in. */
static const char *phase_of(unsigned phase, char text[32])
{
    text[0] = '\0';
    if (phase > 0 && phase <= HB_SPANS) {
        snprintf(text, 32, ", phase %s", hb_job_span_names[phase - 1]);
    }
    return text;
}

/* Appends the names of the ranks that are waited for. */
static void name_awaited(const hb_wait *wait, char text[TEXT])
{
    size_t at = 0;
    for (uint32_t i = 0; i < wait->count && i < NAMED; i++) {
        const hb_awaited *one = &wait->awaited[i];
        char phase[32];
        at += (size_t)snprintf(text + at, TEXT - at, "%srank %d (process %d%s)", i > 0 ? ", " : "", one->peer.rank,
                               (int)one->peer.process, phase_of(one->phase, phase));
    }
    if (wait->count > NAMED) {
        snprintf(text + at, TEXT - at, " and %u more", (unsigned)(wait->count - NAMED));
    }
}

/* The loop over units has lines of progress. */
static void tell_work(const atomic_bool *quiet, const hb_wait *wait)
{
    const hb_human seconds = hb_human_seconds(wait->seconds);
    if (atomic_load(quiet) || wait->phase == HB_SPAN_LOOP + 1) {
        return;
    }
    if (wait->phase > HB_SPANS) {
        hb_console_tell(NULL, "trying parameters: %u tried, the next has taken %s so far", wait->phase - HB_SPANS - 1,
                        seconds.text);
        return;
    }
    const bool known = wait->step.name != NULL;
    hb_console_tell(NULL, "phase %s has taken %s so far%s%s", hb_job_span_names[wait->phase - 1], seconds.text,
                    known ? ": now " : "", known ? hb_human_step(wait->step).text : "");
}

/* Waits for ranks of other hosts, as signs of life tell of them (mpi/group/signs.h). */
static void tell_away(const hb_wait *wait, const char *phase, const char *seconds)
{
    const hb_life *away = &wait->away;
    char its_phase[32];
    phase_of(away->phase, its_phase);
    if (away->state == HB_LIFE_WORKS) {
        hb_console_tell(NULL, "waiting      rank %d%s has waited %s for rank %" PRIu32 " on %s%s, still at work",
                        wait->rank, phase, seconds, away->rank, away->host, its_phase);
    } else if (away->state == HB_LIFE_STOPPED) {
        hb_console_tell(NULL,
                        "waiting      rank %d%s has waited %s for rank %" PRIu32 " on %s%s, stopped by a signal: kill "
                        "-CONT there lets it go on",
                        wait->rank, phase, seconds, away->rank, away->host, its_phase);
    } else if (away->state == HB_LIFE_SILENT) {
        hb_console_tell(NULL,
                        "waiting      rank %d%s has waited %s for rank %" PRIu32 " on %s%s, last heard of %s ago: %s",
                        wait->rank, phase, seconds, away->rank, away->host, its_phase,
                        hb_human_seconds(away->seconds).text, hb_board_silence_words[away->answers != 0]);
    } else {
        hb_console_tell(NULL,
                        "waiting      rank %d%s has waited %s for ranks of other hosts; their own lines name the rank",
                        wait->rank, phase, seconds);
    }
}

static void tell(void *context, const hb_wait *wait)
{
    char names[TEXT], phase[32];
    if (wait->working) {
        tell_work(context, wait);
        return;
    }
    const hb_human seconds = hb_human_seconds(wait->seconds);
    phase_of(wait->phase, phase);
    if (wait->lost >= 0) {
        hb_console_note("rank %d is gone, or out of reach", wait->lost);
        (void)hb_stop_tell_gone();
    } else if (wait->count == 0) {
        tell_away(wait, phase, seconds.text);
    } else {
        name_awaited(wait, names);
        hb_console_tell(NULL, "waiting      rank %d%s has waited %s for %s, %s", wait->rank, phase, seconds.text, names,
                        wait->stopped ? "stopped by a signal: kill -CONT lets it go on" : "still at work");
    }
}

hb_status hb_waits_watch(hb_group *group, const atomic_bool *quiet)
{
    /* The teller only reads it. */
    return hb_group_watch(group, tell, (void *)(uintptr_t)quiet);
}
