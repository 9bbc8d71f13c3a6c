/* Turns of queues, each a thread: always in the same order, whoever is slow, leaves, or is interrupted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>
#include <pthread.h>

#include "divided/rotation.h"

enum { QUEUES = 4, MOST_TURNS = 400 };

/* Who had a turn, in order; written by who has it. */
typedef struct world {
    hb_rotation *rotation;
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
        q->status = hb_rotation_take(q->w->rotation, q);
        if (q->status == HB_OK) {
            q->w->order[q->w->count++] = q->number;
            be_inside(q->w, q->number);
            hb_rotation_pass(q->w->rotation, q);
        }
    }
    hb_rotation_leave(q->w->rotation, q);
    return NULL;
}

static void start(pthread_t *thread, queue *q)
{
    assert_int_equal(pthread_create(thread, NULL, take_turns, q), 0);
}

/* Round after round, without those that have had all their turns. */
static void expect_rotation(const world *w, const queue *q)
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

static void test_rotation(void **state)
{
    (void)state;
    const int turns[][QUEUES] = {{50, 50, 50, 50}, {1, 90, 0, 60}, {0, 0, 0, 9}, {33, 2, 34, 1}};
    world w = {0};
    assert_int_equal(hb_rotation_open(&w.rotation), HB_OK);
    for (size_t k = 0; k < sizeof turns / sizeof turns[0]; k++) {
        queue q[QUEUES];
        pthread_t thread[QUEUES];
        w.count = 0;
        for (int i = 0; i < QUEUES; i++) {
            q[i] = (queue){.w = &w, .number = i, .turns = turns[k][i]};
            hb_rotation_enter(w.rotation, &q[i]);
        }
        for (int i = QUEUES; i-- > 0;) {
            start(&thread[i], &q[i]);
        }
        for (int i = 0; i < QUEUES; i++) {
            pthread_join(thread[i], NULL);
            assert_int_equal(q[i].status, HB_OK);
        }
        expect_rotation(&w, q);
    }
    hb_rotation_close(w.rotation);
}

/* Nobody has entered: one at a time, in any order. */
static void test_no_rotation(void **state)
{
    (void)state;
    world w = {0};
    queue q[QUEUES];
    pthread_t thread[QUEUES];
    assert_int_equal(hb_rotation_open(&w.rotation), HB_OK);
    for (int i = 0; i < QUEUES; i++) {
        q[i] = (queue){.w = &w, .number = i, .turns = 100};
        start(&thread[i], &q[i]);
    }
    for (int i = 0; i < QUEUES; i++) {
        pthread_join(thread[i], NULL);
    }
    assert_int_equal(w.count, QUEUES * 100);
    hb_rotation_close(w.rotation);
}

/* Queue 0 never comes: the others wait for it until somebody interrupts. */
static void test_interrupt(void **state)
{
    (void)state;
    world w = {0};
    queue q[QUEUES];
    pthread_t thread[QUEUES];
    assert_int_equal(hb_rotation_open(&w.rotation), HB_OK);
    for (int i = 0; i < QUEUES; i++) {
        q[i] = (queue){.w = &w, .number = i, .turns = 10};
        hb_rotation_enter(w.rotation, &q[i]);
    }
    for (int i = 1; i < QUEUES; i++) {
        start(&thread[i], &q[i]);
    }
    usleep(20000);
    hb_rotation_interrupt(w.rotation);
    for (int i = 1; i < QUEUES; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(q[i].status, HB_EPEER);
        assert_int_equal(q[i].taken, 0);
    }
    assert_int_equal(w.count, 0);
    assert_int_equal(hb_rotation_take(w.rotation, &q[0]), HB_EPEER);
    hb_rotation_close(w.rotation);
}

static void test_life(void **state)
{
    (void)state;
    hb_rotation *rotation;
    int a, b;
    hb_rotation_close(NULL);
    assert_int_equal(hb_rotation_open(&rotation), HB_OK);
    assert_true(hb_rotation_share(rotation) == rotation);
    hb_rotation_close(rotation);
    hb_rotation_leave(rotation, &a); /* was never in */
    hb_rotation_enter(rotation, &a);
    hb_rotation_enter(rotation, &b);
    assert_int_equal(hb_rotation_take(rotation, &a), HB_OK);
    hb_rotation_pass(rotation, &a);
    hb_rotation_leave(rotation, &a); /* before it is b's turn and after */
    assert_int_equal(hb_rotation_take(rotation, &b), HB_OK);
    hb_rotation_pass(rotation, &b);
    hb_rotation_enter(rotation, &a);
    assert_int_equal(hb_rotation_take(rotation, &b), HB_OK);
    hb_rotation_pass(rotation, &b);
    hb_rotation_leave(rotation, &b);
    assert_int_equal(hb_rotation_take(rotation, &a), HB_OK);
    hb_rotation_pass(rotation, &a);
    hb_rotation_leave(rotation, &a);
    assert_int_equal(hb_rotation_take(rotation, &b), HB_OK); /* the rotation is empty again */
    hb_rotation_pass(rotation, &b);
    hb_rotation_close(rotation);
}

static int begin(void **state)
{
    (void)state;
    alarm(110); /* nobody hangs */
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_no_rotation),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_life),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
