#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "escape.h"
#include "stop.h"
#include "stop_private.h"

/* Data that a handler reads. Each is set while no signal is awaited that uses it, or is whole before a flag says so. */
static const hb_group *volatile watched;
static const char *command_name = "";
static char advice[1024];
static volatile sig_atomic_t advised;

void hb_stop_advise(const char *text)
{
    /* A handler that comes in between says nothing of the advice, instead of half of it. */
    advised = 0;
    if (text != NULL) {
        hb_escape(advice, sizeof advice, text); /* now, as the console escapes all else: a handler may not */
        advised = 1;
    }
}

/* Copies a text into a line, for a handler, which may not call snprintf. */
static size_t put(char *line, size_t at, size_t most, const char *text)
{
    while (*text != '\0' && at < most) {
        line[at++] = *text++;
    }
    return at;
}

static size_t put_number(char *line, size_t at, size_t most, uint32_t number)
{
    char digits[12];
    size_t i = sizeof digits - 1;
    /* From the last digit to the first. */
    digits[i] = '\0';
    do {
        digits[--i] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    return put(line, at, most, digits + i);
}

/* Writes the name of a rank; host "": of this host. */
static size_t put_rank(char *line, size_t at, size_t most, int rank, const char *host)
{
    at = put(line, at, most, "rank ");
    at = put_number(line, at, most, (uint32_t)rank);
    at = put(line, at, most, host[0] != '\0' ? " on " : "");
    return put(line, at, most, host);
}

/* Writes which rank is lost, and why. */
static size_t put_loss(char *line, size_t at, size_t most, const hb_loss *loss)
{
    static const char *const fates[] = {[HB_FATE_GONE] = " of this host is gone: it was killed or has crashed",
                                        [HB_FATE_STOPPED] = " of this host has been stopped by a signal for ",
                                        [HB_FATE_GONE_AWAY] = " is gone: it was killed or has crashed",
                                        [HB_FATE_STOPPED_AWAY] = " has been stopped by a signal for ",
                                        [HB_FATE_UNREACHABLE] = " was not heard of for ",
                                        [HB_FATE_MUTE] = " was not heard of for "};
    at = put_rank(line, at, most, loss->rank, loss->host);
    at = put(line, at, most, fates[loss->fate]);
    if (loss->fate != HB_FATE_GONE && loss->fate != HB_FATE_GONE_AWAY) {
        at = put_number(line, at, most, loss->limit);
        at = put(line, at, most, " s (--comm-timeout)");
    }
    if (loss->fate == HB_FATE_UNREACHABLE || loss->fate == HB_FATE_MUTE) {
        at = put(line, at, most, ": ");
        at = put(line, at, most, hb_board_silence_words[loss->fate == HB_FATE_MUTE]);
    }
    return at;
}

enum { LINE = 2048 };

static size_t begin_line(char line[LINE])
{
    size_t at = put(line, 0, LINE - 1, "hebatch ");
    at = put(line, at, LINE - 1, command_name);
    return put(line, at, LINE - 1, ": ");
}

/* Prints the line that tells how to go on. */
static void end_line(char line[LINE], size_t at)
{
    const size_t most = LINE - 1;
    at = put(line, at, most, ", and the job ends. ");
    at = put(line, at, most, advised ? advice : "The same command starts it again");
    line[at++] = '\n';
    (void)!write(STDERR_FILENO, line, at);
}

/* Prints the line of a rank that is lost, once of all remaining ranks of this host. A rank that ended the job has said
 * why. */
static void tell_loss(const hb_group *group, hb_loss loss)
{
    if (loss.rank >= 0 && loss.fate != HB_FATE_ENDED && loss.fate != HB_FATE_ENDED_AWAY && hb_group_tells(group)) {
        char line[LINE];
        const size_t at = begin_line(line);
        end_line(line, put_loss(line, at, LINE - 1, &loss));
    }
}

/* The same of a rank that is silent when the job ends. */
static void tell_silence(const hb_group *group, hb_silence silence)
{
    if (silence.rank >= 0 && hb_group_tells(group)) {
        char line[LINE];
        size_t at = begin_line(line);
        at = put_rank(line, at, LINE - 1, silence.rank, silence.host);
        at = put(line, at, LINE - 1, " was last heard of ");
        at = put_number(line, at, LINE - 1, silence.seconds);
        end_line(line, put(line, at, LINE - 1, " s ago"));
    }
}

bool hb_stop_tell_gone(void)
{
    const hb_group *group = watched;
    const int gone = group != NULL ? hb_group_gone(group) : -1;
    if (gone >= 0) {
        tell_loss(group, hb_board_loss(group->board));
    }
    return gone >= 0;
}

/* For the handlers of requests to stop. */
static void tell_end(void)
{
    if (!hb_stop_tell_gone() && watched != NULL && watched->board != NULL) {
        tell_silence(watched, hb_board_silent(watched->board));
    }
}

void hb_stop_watch(const hb_group *group, const char *command)
{
    command_name = command;
    watched = group != NULL && group->size > 1 ? group : NULL;
    hb_stop_begin(tell_end);
    hb_stop_advise(NULL);
}
