/* The lines about long phases and long searches, and that a quiet command and a loop over units have none. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "batch/job/waits.h"

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

/* A watched group, whose lines go to a file. */
typedef struct watched {
    hb_group *group;
    FILE *lines;
    int stderr_before;
} watched;

static void look(int times)
{
    for (int i = 0; i < times; i++) {
        sem_post(&looks);
        sem_wait(&looked);
    }
}

static void begin(watched *w, const atomic_bool *quiet)
{
    sem_init(&looks, 0, 0);
    sem_init(&looked, 0, 0);
    w->lines = tmpfile();
    assert_non_null(w->lines);
    w->stderr_before = dup(STDERR_FILENO);
    assert_true(dup2(fileno(w->lines), STDERR_FILENO) >= 0);
    assert_int_equal(hb_group_open_alone(&w->group), HB_OK);
    assert_int_equal(hb_waits_watch(w->group, quiet), HB_OK);
    sem_wait(&looked);
}

/* Ends it, and compares all lines. */
static void end(watched *w, const char *wanted)
{
    char text[2048];
    assert_int_equal(hb_group_close(w->group), HB_OK);
    assert_true(dup2(w->stderr_before, STDERR_FILENO) >= 0);
    close(w->stderr_before);
    rewind(w->lines);
    text[fread(text, 1, sizeof text - 1, w->lines)] = '\0';
    fclose(w->lines);
    assert_string_equal(text, wanted);
}

static void go_through(const watched *w)
{
    hb_waits_mark(w->group, HB_SPAN_OPEN);
    look(25);
    hb_waits_mark(w->group, HB_SPAN_LOOP);
    look(25);
    hb_waits_mark(w->group, HB_SPAN_TOTALS);
    hb_board_set_step(w->group->board, (hb_board_step){"EvalMod", 5, 15});
    look(11);
    hb_board_set_step(w->group->board, (hb_board_step){.name = NULL});
    hb_waits_mark_search(w->group, 14);
    look(21);
    hb_waits_mark_search(w->group, 15);
    look(10);
    hb_waits_mark_search(w->group, 16);
    look(11);
    hb_board_mark(w->group->board, 0);
    look(25);
}

static void test_lines(void **state)
{
    (void)state;
    const atomic_bool quiet = false;
    watched w;
    begin(&w, &quiet);
    go_through(&w);
    end(&w, "hebatch: phase open has taken 10.0 s so far\n"
            "hebatch: phase open has taken 20.0 s so far\n"
            "hebatch: phase totals has taken 10.0 s so far: now EvalMod 5 of 15\n"
            "hebatch: trying parameters: 14 tried, the next has taken 10.0 s so far\n"
            "hebatch: trying parameters: 14 tried, the next has taken 20.0 s so far\n"
            "hebatch: trying parameters: 16 tried, the next has taken 10.0 s so far\n");
}

static void test_quiet(void **state)
{
    (void)state;
    const atomic_bool quiet = true;
    watched w;
    begin(&w, &quiet);
    go_through(&w);
    end(&w, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_quiet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
