/* The line of progress, in the columns that there are. */
#include <stdio.h>
#include <string.h>

#include "console.h"

/* In the order of the line. */
typedef enum piece { VERB, COUNTS, THING, PERCENT, TIME, RATE, BYTES, ETA, RANKS, PIECES } piece;

/* What is left out first, and so on: who runs the job wants to know how far it is, and when it ends. */
static const piece expendable[] = {BYTES, RANKS, RATE, TIME, VERB, THING, ETA, PERCENT};

typedef struct pieces {
    char text[PIECES][144];
} pieces;

static void fill(pieces *p, const hb_progress_state *s)
{
    enum { ROOM = sizeof p->text[0] };
    const double done = (double)s->done, total = (double)s->total;
    const double rate = s->seconds > 0 ? done / s->seconds : 0, left = done < total ? total - done : 0;
    const bool all = s->heard >= s->ranks || s->last;
    memset(p, 0, sizeof *p);
    snprintf(p->text[VERB], ROOM, "%s ", s->tally.verb);
    snprintf(p->text[COUNTS], ROOM, "%s/%s", hb_human_count(done).text, hb_human_count(total).text);
    snprintf(p->text[THING], ROOM, " %s%s", s->tally.thing, s->total == 1 ? "" : "s");
    snprintf(p->text[PERCENT], ROOM, " (%.0f%%)", s->total > 0 ? 100 * done / total : 100);
    snprintf(p->text[TIME], ROOM, " in %s", hb_human_seconds(s->seconds).text);
    if (rate < 10) { /* things that take their time */
        snprintf(p->text[RATE], ROOM, ", %.2f/s", rate);
    } else {
        snprintf(p->text[RATE], ROOM, ", %s/s", hb_human_count(rate).text);
    }
    snprintf(p->text[BYTES], ROOM, ", %s/s", hb_human_bytes(rate * (double)s->tally.bytes).text);
    if (!s->last) {
        snprintf(p->text[ETA], ROOM, ", ETA %s", rate > 0 && all ? hb_human_seconds(left / rate).text : "unknown");
    }
    if (!all) {
        snprintf(p->text[RANKS], ROOM, ", %d of %d ranks heard", s->heard, s->ranks);
    } else if (!s->last && s->ranks > 1) {
        snprintf(p->text[RANKS], ROOM, ", slowest rank %d", s->slowest);
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
    const size_t room = columns + 1 < size ? columns + 1 : size;
    size_t at = 0;
    line[0] = '\0';
    for (int i = 0; i < PIECES && at + 1 < room; i++) {
        snprintf(line + at, room - at, "%s", p.text[i]);
        at += strlen(line + at);
    }
}
