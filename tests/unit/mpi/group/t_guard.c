/* A process that hangs in a library is ended, and says why; one that does not is left alone. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi/group/guard.h"

static sem_t looks, looked;

/* In place of the C library's: the thread that watches looks when a test says so, not once a second. */
int pthread_cond_timedwait(pthread_cond_t *restrict changed, pthread_mutex_t *restrict lock,
                           const struct timespec *restrict until)
{
    (void)changed, (void)until;
    sem_post(&looked);
    pthread_mutex_unlock(lock);
    sem_wait(&looks);
    pthread_mutex_lock(lock);
    return ETIMEDOUT;
}

int pthread_cond_signal(pthread_cond_t *changed)
{
    (void)changed;
    return sem_post(&looks);
}

/* Returns when the thread has looked once more. */
static void look(void)
{
    sem_post(&looks);
    sem_wait(&looked);
}

/* The exit code of a process of its own that does this; text: its output, cut to 255 characters. */
static int child_of(void (*work)(void), char text[256])
{
    int ends[2], state;
    size_t length = 0;
    ssize_t got;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        work();
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], text + length, 255 - length)) > 0) {
        length += (size_t)got;
    }
    text[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &state, 0), child);
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static void hang(void)
{
    for (;;) {
        sleep(60);
    }
}

static void hang_at_the_end(void)
{
    hb_guard_start(1, "it was over");
    hang();
}

static void hang_in_a_call(void)
{
    hb_watch *w;
    if (hb_watch_open(0.5, "a call does not return", &w) == HB_OK) {
        hb_watch_enter(w);
        hb_watch_leave(w);
        hb_watch_enter(w);
        for (;;) {
            look();
        }
    }
}

/* Long in all, and long between two calls, but no call is. */
static void return_from_all(void)
{
    hb_watch *w;
    if (hb_watch_open(1.5, "a call does not return", &w) != HB_OK) {
        _exit(1);
    }
    sem_wait(&looked);
    for (int i = 0; i < 16; i++) {
        hb_watch_enter(w);
        look();
        look();
        hb_watch_leave(w);
    }
    for (int i = 0; i < 3; i++) {
        look();
    }
    hb_watch_close(w);
    hb_watch_close(NULL);
    hb_watch_enter(NULL);
    hb_watch_leave(NULL);
}

static void test_hangs(void **state)
{
    (void)state;
    char text[256];
    assert_int_equal(child_of(hang_at_the_end, text), HB_ECOMM);
    assert_non_null(strstr(text, "it was over"));
    assert_int_equal(child_of(hang_in_a_call, text), HB_ECOMM);
    assert_non_null(strstr(text, "a call does not return"));
}

static void test_returns(void **state)
{
    (void)state;
    char text[256];
    assert_int_equal(child_of(return_from_all, text), 0);
    assert_string_equal(text, "");
}

int main(void)
{
    sem_init(&looks, 0, 0);
    sem_init(&looked, 0, 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hangs),
        cmocka_unit_test(test_returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
