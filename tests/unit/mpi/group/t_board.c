/* The view of a host's ranks on one another: who is waited for, when and by whom that is reported; who is gone. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "board_host.h"

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

/* The reports to the teller. */
static struct told {
    int count;
    double seconds[16];
    uint32_t awaited;
    hb_awaited one;
    bool stopped, working;
    hb_board_step step;
    hb_life away;
} told;

static void tell(void *context, const hb_wait *wait)
{
    assert_ptr_equal(context, &told);
    assert_true(told.count < 16);
    told.seconds[told.count++] = wait->seconds;
    told.awaited = wait->count;
    told.stopped = wait->stopped;
    told.working = wait->working;
    told.step = wait->step;
    told.away = wait->away;
    told.one = wait->count > 0 ? wait->awaited[0] : (hb_awaited){{-1, 0}, 0};
}

static void open_host_with(host *h, int first, bool shared)
{
    memset(&told, 0, sizeof told);
    sem_init(&looks, 0, 0);
    sem_init(&looked, 0, 0);
    open_ranks(h, first, shared);
}

static void open_host(host *h, int first)
{
    open_host_with(h, first, true);
}

static void watch(const host *h, int place)
{
    assert_int_equal(hb_board_watch(h->board[place], tell, &told), HB_OK);
    sem_wait(&looked);
}

static void look(int times)
{
    for (int i = 0; i < times; i++) {
        sem_post(&looks);
        sem_wait(&looked);
    }
}

static void expect_told(int count, const double *seconds)
{
    assert_int_equal(told.count, count);
    for (int i = 0; i < count; i++) {
        assert_true(told.seconds[i] == seconds[i]);
    }
}

/* Rank 0 tells of its phase after each 10 seconds while it works, of a new one from its beginning. Others do not. */
static void test_long_phase(void **state)
{
    (void)state;
    static const double tens[] = {10, 20, 10};
    host h;
    open_host(&h, 0);
    watch(&h, 0);
    look(50); /* no phase yet */
    assert_int_equal(told.count, 0);
    hb_board_mark(h.board[0], 3);
    look(26);
    expect_told(2, tens);
    assert_true(told.working);
    hb_board_mark(h.board[0], 4);
    hb_board_set_step(h.board[0], (hb_board_step){"steps", 3, UINT32_MAX});
    look(11);
    expect_told(3, tens);
    assert_string_equal(told.step.name, "steps");
    assert_int_equal(told.step.done, 3);
    assert_int_equal(told.step.of, UINT32_MAX);
    close_host(&h);
    open_host(&h, FIRST);
    hb_board_mark(h.board[0], 3);
    watch(&h, 0);
    look(50);
    assert_int_equal(told.count, 0);
    close_host(&h);
}

/* Where users see progress, the report of the phase waits until that is 10 seconds old; it tells of the whole phase. */
static void test_shown(void **state)
{
    (void)state;
    static const double late[] = {31};
    host h;
    open_host(&h, 0);
    watch(&h, 0);
    hb_board_mark(h.board[0], 3);
    look(1);
    for (int i = 0; i < 5; i++) {
        assert_null(hb_board_step_shown(h.board[0]).name);
        look(5);
    }
    assert_int_equal(told.count, 0);
    look(10);
    expect_told(1, late);
    close_host(&h);
}

/* The first two wait for the third, at work: the first of them tells, sparsely. */
static void test_at_work(void **state)
{
    (void)state;
    static const double minutes[] = {60, 120, 240, 480};
    host h;
    open_host(&h, FIRST);
    hb_board_mark(h.board[2], 7);
    watch(&h, 0);
    look(1000); /* no rank waits */
    assert_int_equal(told.count, 0);
    hb_board_enter(h.board[1]);
    for (int call = 0; call < 100; call++) { /* long in all, but each call returns */
        hb_board_enter(h.board[0]);
        look(50);
        hb_board_leave(h.board[0]);
    }
    assert_int_equal(told.count, 0);
    hb_board_enter(h.board[0]);
    look(900);
    expect_told(4, minutes);
    assert_int_equal(told.awaited, 1);
    assert_int_equal(told.one.peer.rank, FIRST + 2);
    assert_int_equal(told.one.peer.process, h.peers[2].process);
    assert_int_equal(told.one.phase, 7);
    assert_false(told.stopped);
    close_host(&h);
}

static void test_second_is_silent(void **state)
{
    (void)state;
    host h;
    open_host(&h, FIRST);
    watch(&h, 1);
    hb_board_enter(h.board[0]);
    hb_board_enter(h.board[1]);
    look(900);
    assert_int_equal(told.count, 0);
    hb_board_leave(h.board[0]); /* rank 1 waits for it and for the third */
    look(100);
    assert_int_equal(told.count, 1);
    assert_int_equal(told.awaited, 2);
    assert_int_equal(told.one.peer.rank, FIRST);
    close_host(&h);
}

/* Stopped inside of a call, where it would seem to wait. */
static void test_stopped(void **state)
{
    (void)state;
    host h;
    int status;
    open_host(&h, FIRST);
    kill(h.peers[2].process, SIGSTOP);
    assert_int_equal(waitpid(h.peers[2].process, &status, WUNTRACED), h.peers[2].process);
    watch(&h, 0);
    for (int i = 0; i < RANKS; i++) {
        hb_board_enter(h.board[i]);
    }
    look(61);
    assert_int_equal(told.count, 1);
    assert_int_equal(told.awaited, 1);
    assert_int_equal(told.one.peer.rank, FIRST + 2);
    assert_true(told.stopped);
    close_host(&h);
}

/* Where waits of others are not visible, only stopped ranks are named. */
static void test_not_shared(void **state)
{
    (void)state;
    static const double later[] = {240};
    host h;
    int status;
    open_host_with(&h, 0, false);
    watch(&h, 0);
    hb_board_enter(h.board[0]);
    look(130);
    assert_int_equal(told.count, 0);
    kill(h.peers[2].process, SIGSTOP);
    assert_int_equal(waitpid(h.peers[2].process, &status, WUNTRACED), h.peers[2].process);
    look(120);
    expect_told(1, later);
    assert_int_equal(told.one.peer.rank, 2);
    close_host(&h);
}

/* All of this host wait: rank 0's host says so, others leave it to the host whose rank it is. */
static void test_other_hosts(void **state)
{
    (void)state;
    for (int first = 0; first <= FIRST; first += FIRST) {
        host h;
        open_host(&h, first);
        watch(&h, 0);
        for (int i = 0; i < RANKS; i++) {
            hb_board_enter(h.board[i]);
        }
        look(100);
        assert_int_equal(told.count, first == 0);
        assert_int_equal(told.awaited, 0);
        close_host(&h);
    }
}

/* The first rank that was found gone stays the named one; one rank alone reports for all. */
static void test_gone(void **state)
{
    (void)state;
    host h;
    open_host(&h, 0);
    assert_int_equal(hb_board_find_lost(h.board[0]), -1);
    end_child(&h);
    assert_int_equal(hb_board_lost(h.board[0]), -1);
    assert_int_equal(hb_board_find_lost(h.board[0]), 2);
    assert_int_equal(hb_board_lost(h.board[1]), 2);
    h.peers[0].process = h.peers[2].process; /* it has ended as well, because of that */
    assert_int_equal(hb_board_find_lost(h.board[1]), 2);
    assert_true(hb_board_tells(h.board[1]));
    assert_false(hb_board_tells(h.board[0]));
    assert_true(hb_board_reports(h.board[0]));
    hb_board_reported(h.board[0]);
    assert_false(hb_board_reports(h.board[1]));
    close_host(&h);
}

/* Where ranks share limbs, one of this host that is stopped for the limit is lost; elsewhere it is waited for. */
static void test_stopped_for_long(void **state)
{
    (void)state;
    for (int strict = 0; strict < 2; strict++) {
        host h;
        int status;
        open_host(&h, FIRST);
        hb_board_set_limit(h.board[0], 8, strict != 0);
        kill(h.peers[2].process, SIGSTOP);
        assert_int_equal(waitpid(h.peers[2].process, &status, WUNTRACED), h.peers[2].process);
        watch(&h, 0);
        hb_board_enter(h.board[0]);
        look(7);
        assert_int_equal(hb_board_lost(h.board[1]), -1);
        look(3);
        assert_int_equal(hb_board_lost(h.board[1]), strict ? FIRST + 2 : -1);
        assert_int_equal(hb_board_loss(h.board[1]).fate, strict ? HB_FATE_STOPPED : HB_FATE_NONE);
        close_host(&h);
    }
}

/* Seconds in which a rank was stopped during a wait that has ended do not count for the next one. */
static void test_stopped_for_waits(void **state)
{
    (void)state;
    host h;
    int status;
    open_host(&h, FIRST);
    hb_board_set_limit(h.board[0], 8, true);
    kill(h.peers[2].process, SIGSTOP);
    assert_int_equal(waitpid(h.peers[2].process, &status, WUNTRACED), h.peers[2].process);
    watch(&h, 0);
    for (int wait = 0; wait < 3; wait++) {
        hb_board_enter(h.board[0]);
        look(6);
        hb_board_leave(h.board[0]);
        look(2);
    }
    assert_int_equal(hb_board_lost(h.board[1]), -1);
    close_host(&h);
}

/* Rank 0's host tells whom it waits for on another one. */
static void test_away(void **state)
{
    (void)state;
    const hb_life works = {.state = HB_LIFE_WORKS, .rank = 9, .phase = 3, .host = "other"};
    host h;
    open_host(&h, 0);
    watch(&h, 0);
    hb_board_others_sign(h.board[0], &works);
    for (int i = 0; i < RANKS; i++) {
        hb_board_enter(h.board[i]);
    }
    look(61);
    assert_int_equal(told.count, 1);
    assert_int_equal(told.awaited, 0);
    assert_int_equal(told.away.rank, 9);
    assert_string_equal(told.away.host, "other");
    close_host(&h);
}

static void test_first_is_gone(void **state)
{
    (void)state;
    host h;
    open_host(&h, 0);
    end_child(&h);
    h.peers[0].process = h.peers[2].process;
    assert_int_equal(hb_board_find_lost(h.board[1]), 0);
    assert_true(hb_board_reports(h.board[1]));
    hb_board_reported(h.board[1]);
    assert_false(hb_board_reports(h.board[2]));
    close_host(&h);
}

/* A process that waits for one that is gone ends, though the call does not return. */
static void test_waits_for_the_dead(void **state)
{
    (void)state;
    host h;
    int status;
    open_host(&h, FIRST);
    end_child(&h);
    const pid_t waits = fork();
    assert_true(waits >= 0);
    if (waits == 0) {
        watch(&h, 0);
        look(20); /* it ends when it waits, not before */
        hb_board_enter(h.board[0]);
        for (int i = 0; i < 20; i++) {
            sem_post(&looks);
        }
        pause();
    }
    assert_int_equal(waitpid(waits, &status, 0), waits);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), HB_ECOMM);
    close_host(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_phase),        cmocka_unit_test(test_shown),
        cmocka_unit_test(test_at_work),           cmocka_unit_test(test_second_is_silent),
        cmocka_unit_test(test_stopped),           cmocka_unit_test(test_not_shared),
        cmocka_unit_test(test_other_hosts),       cmocka_unit_test(test_gone),
        cmocka_unit_test(test_first_is_gone),     cmocka_unit_test(test_waits_for_the_dead),
        cmocka_unit_test(test_stopped_for_long),  cmocka_unit_test(test_away),
        cmocka_unit_test(test_stopped_for_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
