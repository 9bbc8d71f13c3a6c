#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* A handler can tell the program nothing else than through a variable of this kind. */
static volatile sig_atomic_t caught, asked;

static int64_t first[NSIG]; /* nanoseconds of the clock when a signal came first; of handlers only */

/* timeout(1) sends its signal to the process and at once to its whole group: that is one request. */
static void note(int signal_number)
{
    static const int64_t second = 1000000000;
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
    caught = signal_number;
    errno = error;
}

static void note_question(int signal_number)
{
    (void)signal_number;
    asked = 1;
}

static struct sigaction action_of(void (*handler)(int))
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    return action;
}

void hb_stop_catch_questions(void)
{
    const struct sigaction action = action_of(note_question);
    sigaction(SIGUSR1, &action, NULL); /* cannot fail for this */
}

bool hb_stop_status_wanted(void)
{
    const bool wanted = asked != 0;
    asked = 0;
    return wanted;
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
    const int signal_number = caught;
    return signal_number == 0
               ? HB_OK
               : HB_FAIL(HB_ESTOPPED, "stopped by signal %d (%s)", signal_number, strsignal(signal_number));
}
