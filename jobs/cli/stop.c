#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "escape.h"

/* The signal that asked this process to stop; the one that a client has passed on, for the run; and whether progress
 * was asked for: a handler can tell the program something only through a variable that takes no lock. */
static atomic_int caught, passed_on, asked;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "handlers may use them");

static int64_t first[NSIG]; /* nanoseconds of the clock when a signal came first; used by handlers only */

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

/* For the handlers of SIGTERM: the launcher ends the job by it, perhaps for a host that it cannot reach. */
static void tell_end(void)
{
    if (!hb_stop_tell_gone() && watched != NULL && watched->board != NULL) {
        tell_silence(watched, hb_board_silent(watched->board));
    }
}

/* Is the handler of requests to stop. timeout(1) sends its signal to the process and at once to its whole group: within
 * a second that is one request. */
static void note(int signal_number)
{
    static const int64_t second = 1000000000;
    /* The interrupted code may be about to read it. */
    const int error = errno;
    struct timespec clock = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &clock);
    const int64_t now = clock.tv_sec * second + clock.tv_nsec;
    if (first[signal_number] == 0) {
        first[signal_number] = now;
    } else if (now - first[signal_number] >= second) {
        signal(signal_number, SIG_DFL);
        raise(signal_number); /* once this handler has returned */
    }
    /* The job sees it between its units. */
    caught = signal_number;
    tell_end();
    errno = error;
}

static void note_question(int signal_number)
{
    (void)signal_number;
    asked = 1;
}

/* Is the handler of SIGTERM before a job catches it: says whether a rank is lost, and lets the signal end the
 * process. */
static void tell_and_end(int signal_number)
{
    tell_end();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* Returns the action of a handler. */
static struct sigaction action_of(void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    /* Reads and writes under way go on; the job looks at the variables between its units. */
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    return action;
}

void hb_stop_watch(const hb_group *group, const char *command)
{
    command_name = command;
    watched = group != NULL && group->size > 1 ? group : NULL;
    atomic_store(&passed_on, 0);
    hb_stop_advise(NULL);
}

void hb_stop_tell_end(const hb_group *group)
{
    if (group->size > 1) {
        const struct sigaction action = action_of(tell_and_end);
        sigaction(SIGTERM, &action, NULL); /* cannot fail for this */
    }
}

void hb_stop_pass_on(int signal_number)
{
    if (signal_number == SIGUSR1) {
        asked = 1;
    } else {
        atomic_store(&passed_on, signal_number);
    }
}

/* Ends with the process that HEBATCH_PARENT names, as the Python package does, if that has started this one. */
static void end_with_parent(void)
{
    const char *parent = getenv("HEBATCH_PARENT");
    if (parent != NULL && strtol(parent, NULL, 10) == (long)getppid()) {
        (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    }
}

void hb_stop_catch_early(void)
{
    end_with_parent();
    const struct sigaction question = action_of(note_question), request = action_of(note);
    sigaction(SIGUSR1, &question, NULL); /* cannot fail for these */
    sigaction(SIGUSR2, &request, NULL);
}

bool hb_stop_status_wanted(void)
{
    return atomic_exchange(&asked, 0) != 0;
}

void hb_stop_catch(void)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR2};
    const struct sigaction action = action_of(note);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaction(signals[i], &action, NULL); /* cannot fail for these */
    }
}

hb_status hb_stop_check(void)
{
    const int own = caught, signal_number = own != 0 ? own : atomic_load(&passed_on);
    if (signal_number != 0) {
        return HB_FAIL(HB_ESTOPPED, "stopped by signal %d (%s)", signal_number, strsignal(signal_number));
    }
    return HB_OK;
}
