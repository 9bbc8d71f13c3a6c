/* How an exchange between ranks ends when a member fails, does not come, or is interrupted. */
#ifndef HB_TESTS_EXCHANGE_FAILURES_H
#define HB_TESTS_EXCHANGE_FAILURES_H

#include <pthread.h>
#include <time.h>

#include "ranks/exchange_cases.h"

/* The status that the others get from one transfer when the last member does something else. Its memory was opened by
 * all members. */
static inline hb_status failure_of(hb_exchange *x, moved *m)
{
    hb_status st = hb_exchange_start(x, m->queue, &m->transfer, &m->ticket);
    st = st == HB_OK ? hb_exchange_wait(x, m->queue, m->ticket) : st;
    st = st == HB_OK ? hb_exchange_settle(x, m->ticket) : st;
    CHECK(st != HB_OK);
    const hb_error why = *hb_last_error();
    uint64_t word = 0, all[HB_MOST_MEMBERS];
    CHECK(hb_exchange_start(x, m->queue, &m->transfer, &m->ticket) == st &&
          strcmp(hb_last_error()->text, why.text) == 0);
    CHECK(hb_exchange_settle(x, m->ticket) == st && hb_exchange_gather_words(x, &word, 1, all) == st);
    hb_set_error(&why);
    return st;
}

static bool is_last(void)
{
    return group->rank == group->size - 1;
}

static void sleep_for(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))}, NULL);
}

/* A member that fails is the reason that all hear. */
static inline void check_member_fails(hb_exchange *x, moved *m)
{
    hb_status st;
    if (is_last()) {
        sleep_for(0.2); /* the others wait already */
        st = HB_FAIL(HB_EDATA, "a word out of range");
    } else {
        st = failure_of(x, m);
        CHECK(st == HB_EPEER);
    }
    CHECK(hb_agree(group, st) == HB_EDATA);
    CHECK(strstr(hb_last_error()->text, ": a word out of range") != NULL);
}

/* One that does not come: the others have `deadline` seconds of patience. */
static inline void check_member_late(hb_exchange *x, moved *m, double deadline)
{
    hb_status st = HB_OK;
    if (is_last()) {
        sleep_for(deadline + 1.5);
    } else {
        st = failure_of(x, m);
        CHECK(st == HB_ECOMM || st == HB_EPEER); /* whose patience ends first tells the others */
    }
    CHECK(hb_agree(group, st) == HB_ECOMM);
    CHECK(strstr(hb_last_error()->text, "(--comm-timeout)") != NULL);
}

static inline void *interrupt_soon(void *x)
{
    sleep_for(0.2);
    hb_exchange_interrupt(x);
    return NULL;
}

static inline void check_interrupt(hb_exchange *x, moved *m)
{
    pthread_t thread;
    hb_status st;
    if (is_last()) {
        hb_exchange_interrupt(x);
        st = hb_exchange_settle(x, 0);
    } else {
        CHECK(pthread_create(&thread, NULL, interrupt_soon, x) == 0);
        st = failure_of(x, m);
        CHECK(pthread_join(thread, NULL) == 0);
    }
    CHECK(st == HB_EPEER);
    CHECK(hb_agree(group, st) == HB_ECOMM);
}

/* Kind 0: a member fails; 1: one does not come; 2: an interrupt. deadline: what x was opened with, in seconds. */
static inline void check_failure(hb_exchange *x, hb_engine *queue, int kind, size_t longer, double deadline)
{
    moved m = {.block = BLOCK_WORDS * longer};
    move_open(x, queue, &m, HB_ALL_GATHER, 0, 0);
    switch (kind) {
    case 0:
        check_member_fails(x, &m);
        break;
    case 1:
        check_member_late(x, &m, deadline);
        break;
    default:
        check_interrupt(x, &m);
    }
    move_close(x, &m);
}

#endif
