/* Progress of all ranks, and the line that shows it in the columns that there are. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "console.h"
#include "stop.h"
#include "streams.h"

/* Parts of a line, in their order. */
typedef enum piece { VERB, COUNTS, THING, PERCENT, TIME, RATE, BYTES, ETA, RANKS, STEP, PIECES } piece;

/* The parts to leave out, in this order: users first want to know how far the job is, and when it ends. */
static const piece expendable[] = {BYTES, RANKS, RATE, STEP, TIME, VERB, THING, ETA, PERCENT};

/* Each part as text; empty: left out. */
typedef struct pieces {
    char text[PIECES][144];
} pieces;

/* How far a job is: parts of 1 of its things, and of all of it; the time left in seconds, below 0: unknown. */
typedef struct shares {
    double things, job, left;
} shares;

/* By the work; where a rank did more than was predicted, as far as that. `whole`: all things are done, before which
 * nothing is said to be at 100 %. */
static shares share_of_work(const hb_progress_work *work, uint64_t done, bool whole, double now)
{
    const double own = (double)work->own, part = fmin((double)done, own);
    const double before = (double)work->before, all = before + own + (double)work->after;
    const double job = (before + part) / all, began = (double)work->began / all, timed = now - work->started;
    return (shares){.things = part / own,
                    .job = fmin(floor(100 * job), whole ? 100 : 99) / 100,
                    .left = job > began && timed > 0 ? timed * (1 - job) / (job - began) : -1};
}

static shares share_of(const hb_progress_state *s)
{
    const double done = (double)s->done, total = (double)s->total, part = s->total > 0 ? done / total : 1;
    if (s->work.own > 0) {
        return share_of_work(&s->work, s->last ? s->work.own : s->worked, s->done >= s->total, s->now);
    }
    const bool known = done > 0 && s->seconds > 0;
    return (shares){part, part, !known ? -1 : done < total ? s->seconds / done * (total - done) : 0};
}

/* Writes all parts of a line; parts that do not fit are left out afterwards. */
static void fill(pieces *p, const hb_progress_state *s)
{
    enum { ROOM = sizeof p->text[0] };
    const double done = (double)s->done, total = (double)s->total;
    const shares share = share_of(s);
    /* The average since the start, which changes little. */
    const double rate = s->seconds > 0 ? (s->total > 0 ? share.things * total : done) / s->seconds : 0;
    /* Before every rank was heard, the remaining time cannot be estimated. */
    const bool all = s->heard >= s->ranks || s->last;
    memset(p, 0, sizeof *p);
    snprintf(p->text[VERB], ROOM, "%s ", s->tally.verb);
    snprintf(p->text[COUNTS], ROOM, "%s/%s", hb_human_count(done).text, hb_human_count(total).text);
    snprintf(p->text[THING], ROOM, " %s%s", s->tally.thing, s->total == 1 ? "" : "s");
    snprintf(p->text[PERCENT], ROOM, " (%.0f%%)", 100 * share.job);
    snprintf(p->text[TIME], ROOM, " in %s", hb_human_seconds(s->seconds).text);
    if (rate < 10) { /* things that take their time */
        snprintf(p->text[RATE], ROOM, ", %.2f/s", rate);
    } else {
        snprintf(p->text[RATE], ROOM, ", %s/s", hb_human_count(rate).text);
    }
    if (s->tally.bytes > 0) {
        snprintf(p->text[BYTES], ROOM, ", %s/s", hb_human_bytes(rate * (double)s->tally.bytes).text);
    }
    if (!s->last) {
        snprintf(p->text[ETA], ROOM, ", ETA %s",
                 share.left >= 0 && all ? hb_human_seconds(share.left).text : "unknown");
    }
    if (!all) {
        snprintf(p->text[RANKS], ROOM, ", %d of %d ranks heard", s->heard, s->ranks);
    } else if (!s->last && s->ranks > 1) {
        snprintf(p->text[RANKS], ROOM, ", slowest rank %d", s->slowest);
    }
    if (!s->last && s->step.name != NULL) {
        snprintf(p->text[STEP], ROOM, ", now %s", hb_human_step(s->step).text);
    }
}

static size_t length_of(const pieces *p)
{
    size_t length = 0;
    for (int i = 0; i < PIECES; i++) {
        length += strlen(p->text[i]);
    }
    return length;
}

void hb_progress_format(char *line, size_t size, const hb_progress_state *state, size_t columns)
{
    pieces p;
    fill(&p, state);
    for (size_t i = 0; i < sizeof expendable / sizeof expendable[0] && length_of(&p) > columns; i++) {
        p.text[expendable[i]][0] = '\0';
    }
    const size_t capacity = columns + 1 < size ? columns + 1 : size;
    size_t at = 0;
    line[0] = '\0';
    for (int i = 0; i < PIECES && at + 1 < capacity; i++) {
        snprintf(line + at, capacity - at, "%s", p.text[i]);
        at += strlen(line + at);
    }
}

static const double terminal_interval = 0.2, post_interval = 1; /* seconds */
static const char prefix[] = "hebatch: ";

/* Returns the columns that a line may fill. Asked for each line, as a window may have changed. The last column stays
 * free: filling it would wrap on some terminals. */
static size_t columns_of(const hb_progress *progress)
{
    enum { USUAL = 80, LEAST = 10 };
    struct winsize window = {0};
    if (!progress->terminal) {
        return HB_PROGRESS_ALL;
    }
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) {
        return USUAL - 1;
    }
    return window.ws_col > LEAST ? window.ws_col - 1U : LEAST - 1U;
}

/* Returns the state that rank 0 knows at this moment. */
static hb_progress_state state_of(const hb_progress *progress, bool last)
{
    hb_group *group = progress->group;
    const double now = hb_now();
    const hb_progress_others *others = &progress->others;
    hb_progress_state state = {.tally = progress->tally,
                               .done = others->before + progress->total,
                               .total = others->before + progress->total + others->after,
                               .seconds = now - progress->started + others->seconds,
                               .now = now,
                               .work = progress->work,
                               .ranks = group->size,
                               .last = last};
    /* At the end everything is done, also the part that rank 0 was not told. */
    if (!last) {
        const hb_group_news news = progress->alone
                                       ? (hb_group_news){group->size, 0, progress->done, progress->worked, 0}
                                       : hb_group_progress(group);
        state.done = others->before + news.done / progress->members;
        state.heard = news.heard;
        state.slowest = news.slowest;
        state.step = hb_board_step_shown(group->board);
        state.worked = news.work / progress->members;
    }
    return state;
}

/* Redraws the terminal's line, without the name of the program where that would take too many of the columns. */
static void draw(const hb_progress_state *state, size_t columns)
{
    enum { NAMED = 60 };
    char line[512], drawn[600];
    const size_t taken = columns >= NAMED ? sizeof prefix - 1 : 0;
    hb_progress_format(line, sizeof line, state, columns - taken);
    const int bytes = snprintf(drawn, sizeof drawn, HB_STREAMS_ERASE "%s%s", taken > 0 ? prefix : "", line);
    ssize_t ignored = write(STDERR_FILENO, drawn, (size_t)bytes);
    (void)ignored; /* a lost progress line is no failure of the job */
}

/* Shows a line: redrawn on a terminal, as a log line elsewhere. */
static void show(const hb_progress *progress, bool last)
{
    const hb_progress_state state = state_of(progress, last);
    const size_t columns = columns_of(progress), taken = sizeof prefix - 1;
    /* The last line stays, so it is a log line also on a terminal. */
    if (progress->terminal && !last) {
        draw(&state, columns);
        return;
    }
    char line[512];
    hb_progress_format(line, sizeof line, &state, columns > taken ? columns - taken : columns);
    hb_console_log(progress->group, progress->common, "%s", line);
}

/* Prints a line now. */
static void tell(const hb_progress *progress)
{
    char line[512];
    const hb_progress_state state = state_of(progress, false);
    hb_progress_format(line, sizeof line, &state, HB_PROGRESS_ALL);
    hb_console_tell(progress->group, "%s", line);
}

/* Tells rank 0 this rank's progress: at once for the first time and for the first thing, so that rank 0 soon knows all
 * ranks; then once a second. */
static void post(hb_progress *progress, double now)
{
    const bool first = progress->posted == 0 && progress->worked > 0;
    if (progress->group->rank == 0 || first || now - progress->last_posted >= post_interval) {
        hb_group_post_progress(progress->group, progress->done, progress->worked);
        progress->posted = progress->worked;
        progress->last_posted = now;
    }
}

void hb_progress_begin(hb_progress *progress, hb_group *group, const hb_common *common, hb_tally tally, uint64_t total)
{
    double now = hb_now();
    hb_board_set_step(group->board, (hb_board_step){.name = NULL});
    *progress = (hb_progress){.group = group,
                              .common = common,
                              .tally = tally,
                              .total = total,
                              .members = 1,
                              .started = now,
                              .last_shown = now,
                              .terminal = isatty(STDERR_FILENO) == 1};
    post(progress, now);
}

static void show_or_post(hb_progress *progress)
{
    const double now = hb_now();
    /* Also on rank 0, whose count is kept with the others'. */
    post(progress, now);
    double interval = progress->terminal ? terminal_interval : progress->common->progress;
    if (progress->group->rank == 0 && !progress->common->quiet && now - progress->last_shown >= interval) {
        show(progress, false);
        progress->last_shown = now;
    }
}

void hb_progress_add(hb_progress *progress, uint64_t things)
{
    progress->done += things;
    progress->worked += things;
    show_or_post(progress);
}

void hb_progress_set(hb_progress *progress, uint64_t things, uint64_t work)
{
    hb_group *group = progress->group;
    progress->done = things;
    progress->worked = progress->work.own > 0 ? work : things;
    show_or_post(progress);
    if (hb_stop_status_wanted()) {
        hb_group_ask_status(group);
    }
    if (group->rank == 0 && hb_group_status_asked(group)) {
        tell(progress);
    }
}

void hb_progress_end(hb_progress *progress)
{
    if (progress->group->rank == 0 && !progress->common->quiet && progress->others.after == 0) {
        show(progress, true);
    }
}
