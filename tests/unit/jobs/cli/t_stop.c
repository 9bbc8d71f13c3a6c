/* Signals that ask for an end, and those that insist on it. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/stop.h"

static time_t now = 1000; /* seconds of the clock that is asked below */

/* In place of the C library's: time passes when a test says so, however slow the machine is. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    *time = (struct timespec){.tv_sec = now};
    return 0;
}

/* In a child, where signals are as at the start of a program: its exit code, or minus the signal that ended it. */
static int in_child(int (*play)(void))
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        _exit(play());
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int once(void)
{
    hb_stop_catch();
    if (hb_stop_check() != HB_OK) {
        return 1;
    }
    raise(SIGTERM);
    return hb_stop_check() == HB_ESTOPPED && strstr(hb_last_error()->text, "signal 15") != NULL ? 0 : 2;
}

/* As timeout(1) does. */
static int twice_at_once(void)
{
    hb_stop_catch();
    raise(SIGTERM);
    raise(SIGTERM);
    return hb_stop_check() == HB_ESTOPPED ? 0 : 1;
}

static int again_later(void)
{
    hb_stop_catch();
    raise(SIGTERM);
    now += 1;
    raise(SIGTERM);
    return 0;
}

/* Slurm's warning to a job that still opens. */
static int early(void)
{
    hb_stop_catch_early();
    raise(SIGUSR2);
    hb_stop_catch();
    return hb_stop_check() == HB_ESTOPPED ? 0 : 1;
}

/* Slurm's warning, and the time limit that follows. */
static int another_later(void)
{
    hb_stop_catch();
    raise(SIGUSR2);
    now += 1;
    raise(SIGTERM);
    return hb_stop_check() == HB_ESTOPPED ? 0 : 1;
}

/* Anyone who asks how far it is neither ends nor stops the job. */
static int questions(void)
{
    hb_stop_catch_early();
    hb_stop_catch();
    if (hb_stop_status_wanted()) {
        return 1;
    }
    raise(SIGUSR1);
    raise(SIGUSR1);
    if (!hb_stop_status_wanted() || hb_stop_status_wanted() || hb_stop_check() != HB_OK) {
        return 2;
    }
    raise(SIGUSR1);
    return hb_stop_status_wanted() ? 0 : 3;
}

static void *idle(void *context)
{
    while (true) {
        pause();
    }
    return context;
}

/* A thread that takes a signal hands it to the first one, which may wait for it: between a look and the wait it lets
 * none come. */
static int taken_by_another_thread(void)
{
    sigset_t term, pending;
    pthread_t thread;
    hb_stop_catch();
    if (pthread_create(&thread, NULL, idle, NULL) != 0) {
        return 2;
    }
    sigemptyset(&term);
    sigemptyset(&pending);
    sigaddset(&term, SIGTERM);
    sigprocmask(SIG_BLOCK, &term, NULL);
    kill(getpid(), SIGTERM);
    for (int i = 0; i < 5000 && !sigismember(&pending, SIGTERM); i++) {
        usleep(1000);
        sigpending(&pending);
    }
    if (!sigismember(&pending, SIGTERM) || hb_stop_check() != HB_OK) {
        return 3;
    }
    sigprocmask(SIG_UNBLOCK, &term, NULL);
    return hb_stop_check() == HB_ESTOPPED ? 0 : 4;
}

static void test_threads(void **state)
{
    (void)state;
    assert_int_equal(in_child(taken_by_another_thread), 0);
}

static void test_questions(void **state)
{
    (void)state;
    assert_int_equal(in_child(questions), 0);
}

static void test_requests(void **state)
{
    (void)state;
    assert_int_equal(in_child(once), 0);
    assert_int_equal(in_child(early), 0);
    assert_int_equal(in_child(twice_at_once), 0);
    assert_int_equal(in_child(another_later), 0);
}

static void test_insisting(void **state)
{
    (void)state;
    assert_int_equal(in_child(again_later), -SIGTERM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_requests), cmocka_unit_test(test_insisting),
                                       cmocka_unit_test(test_questions), cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
