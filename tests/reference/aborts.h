/* Calls that must abort: a child makes them. */
#ifndef HB_TESTS_ABORTS_H
#define HB_TESTS_ABORTS_H

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static inline void assert_aborts(void (*call)(void *with, int which), void *with, int which)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        assert_non_null(freopen("/dev/null", "w", stderr));
        call(with, which);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) {
        fail_msg("call %d: status %#x instead of an abort", which, (unsigned)status);
    }
}

#endif
