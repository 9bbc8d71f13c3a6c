#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stop_private.h"

/* The signal that asked this process to stop; the one that a client has passed on, for the run; and whether progress
 * was asked for: a handler can tell the program something only through a variable that takes no lock. */
static atomic_int caught, passed_on, asked;
_Static_assert(ATOMIC_INT_LOCK_FREE == 2, "handlers may use them");

static int64_t first[NSIG]; /* nanoseconds of the clock when a signal came first; used by handlers only */

/* Says whether a rank is lost: the launcher ends the job by SIGTERM, perhaps for a host that it cannot reach. Nothing
 * before a run has begun. */
static void (*volatile tell)(void);

void hb_stop_begin(void (*tell_loss)(void))
{
    tell = tell_loss;
    atomic_store(&passed_on, 0);
}

static void tell_end(void)
{
    void (*const now)(void) = tell;
    if (now != NULL) {
        now();
    }
}

/* The system gives a signal to any thread. One that waits for signals is the first: a signal that another thread took
 * would not wake it. Returns whether the signal goes on to that thread. */
static bool goes_to_first_thread(int signal_number)
{
    const pid_t first_thread = getpid();
    return syscall(SYS_gettid) != first_thread && syscall(SYS_tgkill, first_thread, first_thread, signal_number) == 0;
}

/* Is the handler of requests to stop. timeout(1) sends its signal to the process and at once to its whole group: within
 * a second that is one request. */
static void note(int signal_number)
{
    static const int64_t second = 1000000000;
    /* The interrupted code may be about to read it. */
    const int error = errno;
    if (goes_to_first_thread(signal_number)) {
        errno = error;
        return;
    }
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
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, with a reason and an exit code ... */
    signal(SIGXFSZ, SIG_IGN); /* ... and so is a file that reaches a limit of its size */
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
