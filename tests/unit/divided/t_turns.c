/* Turns of queues, each a thread: always in the same order, anyone who is slow, leaves, or is interrupted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>

#include "divided/turns.h"
#include "unit/unit.h"

enum { QUEUES = 4, MOST_TURNS = 400 };

/* Who had a turn, in order; written by who has it. */
typedef struct world {
    hb_turns *turns;
    int order[QUEUES * MOST_TURNS], count;
    int inside; /* who is between take and pass */
} world;

typedef struct queue {
    world *w;
    int number, turns;
    hb_status status;
    int taken; /* turns it got */
} queue;

static void be_inside(world *w, int number)
{
    HB_ASSERT(w->inside == 0);
    w->inside = number + 1;
    usleep((useconds_t)(number * 7));
    HB_ASSERT(w->inside == number + 1);
    w->inside = 0;
}

static void *take_turns(void *argument)
{
    queue *q = argument;
    for (; q->taken < q->turns && q->status == HB_OK; q->taken += q->status == HB_OK) {
        usleep((useconds_t)((q->taken * 31 + q->number * 17) % 50)); /* the others are sooner, or later */
        q->status = hb_turns_take(q->w->turns, q);
        if (q->status == HB_OK) {
            q->w->order[q->w->count++] = q->number;
            be_inside(q->w, q->number);
            hb_turns_pass(q->w->turns, q);
        }
    }
    hb_turns_leave(q->w->turns, q);
    return NULL;
}

static void start(pthread_t *thread, queue *q)
{
    assert_int_equal(pthread_create(thread, NULL, take_turns, q), 0);
}

/* Round after round, without queues that have had all their turns. */
static void expect_turns(const world *w, const queue *q)
{
    int left[QUEUES], at = 0;
    for (int i = 0; i < QUEUES; i++) {
        left[i] = q[i].turns;
    }
    for (int round = 0; round < MOST_TURNS; round++) {
        for (int i = 0; i < QUEUES; i++) {
            if (left[i]-- > 0) {
                assert_true(at < w->count);
                assert_int_equal(w->order[at++], i);
            }
        }
    }
    assert_int_equal(at, w->count);
}

static void test_turns(void **state)
{
    (void)state;
    const int turns[][QUEUES] = {{50, 50, 50, 50}, {1, 90, 0, 60}, {0, 0, 0, 9}, {33, 2, 34, 1}};
    world w = {0};
    assert_int_equal(hb_turns_open(&w.turns), HB_OK);
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        queue q[QUEUES];
        pthread_t thread[QUEUES];
        w.count = 0;
        for (int i = 0; i < QUEUES; i++) {
            q[i] = (queue){.w = &w, .number = i, .turns = turns[k][i]};
            hb_turns_enter(w.turns, &q[i]);
        }
        for (int i = QUEUES; i-- > 0;) {
            start(&thread[i], &q[i]);
        }
        for (int i = 0; i < QUEUES; i++) {
            pthread_join(thread[i], NULL);
            assert_int_equal(q[i].status, HB_OK);
        }
        expect_turns(&w, q);
    }
    hb_turns_close(w.turns);
}

/* Nobody has entered: one at a time, in any order. */
static void test_no_turns(void **state)
{
    (void)state;
    world w = {0};
    queue q[QUEUES];
    pthread_t thread[QUEUES];
    assert_int_equal(hb_turns_open(&w.turns), HB_OK);
    for (int i = 0; i < QUEUES; i++) {
        q[i] = (queue){.w = &w, .number = i, .turns = 100};
        start(&thread[i], &q[i]);
    }
    for (int i = 0; i < QUEUES; i++) {
        pthread_join(thread[i], NULL);
    }
    assert_int_equal(w.count, QUEUES * 100);
    hb_turns_close(w.turns);
}

/* Queue 0 never comes: the others wait for it until an interrupt. */
static void test_interrupt(void **state)
{
    (void)state;
    world w = {0};
    queue q[QUEUES];
    pthread_t thread[QUEUES];
    assert_int_equal(hb_turns_open(&w.turns), HB_OK);
    for (int i = 0; i < QUEUES; i++) {
        q[i] = (queue){.w = &w, .number = i, .turns = 10};
        hb_turns_enter(w.turns, &q[i]);
    }
    for (int i = 1; i < QUEUES; i++) {
        start(&thread[i], &q[i]);
    }
    usleep(20000);
    hb_turns_interrupt(w.turns);
    for (int i = 1; i < QUEUES; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(q[i].status, HB_EPEER);
        assert_int_equal(q[i].taken, 0);
    }
    assert_int_equal(w.count, 0);
    assert_int_equal(hb_turns_take(w.turns, &q[0]), HB_EPEER);
    hb_turns_close(w.turns);
}

static void test_life(void **state)
{
    (void)state;
    hb_turns *turns;
    int a, b;
    hb_turns_close(NULL);
    assert_int_equal(hb_turns_open(&turns), HB_OK);
    assert_true(hb_turns_share(turns) == turns);
    hb_turns_close(turns);
    hb_turns_leave(turns, &a); /* was never in */
    hb_turns_enter(turns, &a);
    hb_turns_enter(turns, &b);
    assert_int_equal(hb_turns_take(turns, &a), HB_OK);
    hb_turns_pass(turns, &a);
    hb_turns_leave(turns, &a); /* before it is b's turn and after */
    assert_int_equal(hb_turns_take(turns, &b), HB_OK);
    hb_turns_pass(turns, &b);
    hb_turns_enter(turns, &a);
    assert_int_equal(hb_turns_take(turns, &b), HB_OK);
    hb_turns_pass(turns, &b);
    hb_turns_leave(turns, &b);
    assert_int_equal(hb_turns_take(turns, &a), HB_OK);
    hb_turns_pass(turns, &a);
    hb_turns_leave(turns, &a);
    assert_int_equal(hb_turns_take(turns, &b), HB_OK); /* no queue is left in turns */
    hb_turns_pass(turns, &b);
    hb_turns_close(turns);
}

static int begin(void **state)
{
    (void)state;
    return 0;
}

HB_UNIT(turns)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_no_turns),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_life),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
