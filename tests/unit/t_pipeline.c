/* The pipeline with stages that only keep book: order, slots, overlap, and an error in each stage at each unit, with
 * one worker and with several. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pipeline.h"

enum { READ, COMPUTE, WRITE, STAGES };
enum { UNITS = 12, FIRST = 100, NEVER = -1, TEND = STAGES };

typedef struct book {
    atomic_int done[STAGES];                   /* units that each stage finished */
    atomic_bool computed[UNITS];               /* by several workers not in order */
    atomic_int inside[HB_PIPELINE_MOST_SLOTS]; /* stages at work in a slot */
    atomic_int working[HB_PIPELINE_MOST_WORKERS];
    atomic_int left[HB_PIPELINE_MOST_WORKERS], interrupted;
    atomic_int in_flight, most_in_flight; /* units between the start of reading and the end of the last stage */
    atomic_int at_once, most_at_once;     /* units that are computed */
    atomic_int tended;
    atomic_int wrong;                       /* broken rules: cmocka's asserts belong to one thread */
    uint64_t slots[HB_PIPELINE_MOST_SLOTS]; /* what was read: the unit, changed by each stage */
    uint32_t workers;
    int fail_stage, fail_unit, slow_stage; /* stage, number of the unit */
    bool writes, tends;
    bool stall; /* the slow stage takes long */
    int crowd;  /* 0, or what the slow stage waits for: units in flight (WRITE), units computed at once (COMPUTE) */
    pthread_t caller;
} book;

static void rule(book *b, bool holds)
{
    atomic_fetch_add(&b->wrong, !holds);
}

static void up(atomic_int *now, atomic_int *most)
{
    const int here = atomic_fetch_add(now, 1) + 1;
    int before = atomic_load(most);
    while (here > before && !atomic_compare_exchange_weak(most, &before, here)) {
    }
}

static void begin(book *b, int which, int number, uint32_t slot, uint64_t unit)
{
    rule(b, number >= 0 && number < UNITS && slot < hb_pipeline_slots(b->workers));
    rule(b, atomic_fetch_add(&b->inside[slot], 1) == 0);
    if (which == READ) {
        rule(b, atomic_load(&b->done[READ]) == number);
        up(&b->in_flight, &b->most_in_flight);
        b->slots[slot] = 10 * unit;
    } else {
        rule(b, b->slots[slot] == 10 * unit + (uint64_t)which - 1);
        b->slots[slot]++;
    }
    if (which == COMPUTE) {
        up(&b->at_once, &b->most_at_once);
        rule(b, b->workers > 1 || atomic_load(&b->done[COMPUTE]) == number);
        rule(b, (b->workers == 1) == (pthread_equal(pthread_self(), b->caller) != 0));
    }
    if (which == WRITE) {
        rule(b, atomic_load(&b->done[WRITE]) == number && atomic_load(&b->computed[number]));
    }
}

static void be_slow(const book *b)
{
    const atomic_int *crowd = b->slow_stage == WRITE ? &b->most_in_flight : &b->most_at_once;
    for (int i = 0; i < 50000 && b->crowd > 0 && atomic_load(crowd) < b->crowd; i++) {
        usleep(200); /* 10 s at most: then the test fails */
    }
    usleep(b->stall ? 300000 : 2000);
}

static hb_status stage(book *b, int which, uint32_t slot, uint64_t unit)
{
    const int number = (int)(unit - FIRST);
    begin(b, which, number, slot, unit);
    if (which == b->slow_stage) {
        be_slow(b);
    }
    if (which == COMPUTE) {
        atomic_fetch_sub(&b->at_once, 1);
        atomic_store(&b->computed[number], true);
    }
    if (which == (b->writes ? WRITE : COMPUTE)) {
        atomic_fetch_sub(&b->in_flight, 1);
    }
    atomic_fetch_sub(&b->inside[slot], 1);
    if (which == b->fail_stage && number == b->fail_unit) {
        return HB_FAIL((hb_status)(64 + which), "stage %d at unit %d", which, number);
    }
    atomic_fetch_add(&b->done[which], 1);
    return HB_OK;
}

static hb_status read_unit(void *context, uint32_t slot, uint64_t unit)
{
    return stage(context, READ, slot, unit);
}

static hb_status compute_unit(void *context, uint32_t slot, uint32_t worker, uint64_t unit)
{
    book *b = context;
    rule(b, worker == (unit - FIRST) % b->workers); /* they take turns */
    rule(b, atomic_fetch_add(&b->working[worker], 1) == 0 && atomic_load(&b->left[worker]) == 0);
    const hb_status st = stage(b, COMPUTE, slot, unit);
    atomic_fetch_sub(&b->working[worker], 1);
    return st;
}

static hb_status write_unit(void *context, uint32_t slot, uint64_t unit)
{
    return stage(context, WRITE, slot, unit);
}

static hb_status tend(void *context)
{
    book *b = context;
    rule(b, pthread_equal(pthread_self(), b->caller) != 0);
    if (b->fail_stage == TEND && atomic_load(&b->done[COMPUTE]) >= b->fail_unit) {
        return HB_FAIL((hb_status)(64 + TEND), "stage %d at unit %d", TEND, b->fail_unit);
    }
    atomic_fetch_add(&b->tended, 1);
    return HB_OK;
}

static void leave(void *context, uint32_t worker)
{
    book *b = context;
    rule(b, worker < b->workers && atomic_load(&b->working[worker]) == 0);
    rule(b, (b->workers == 1) == (pthread_equal(pthread_self(), b->caller) != 0));
    atomic_fetch_add(&b->left[worker], 1);
}

static void interrupt(void *context)
{
    book *b = context;
    atomic_fetch_add(&b->interrupted, 1);
}

/* Every worker leaves once, whatever happened; only a failure interrupts, once. */
static void check_hooks(book *b, uint64_t count, hb_status st)
{
    for (uint32_t w = 0; w < b->workers; w++) {
        assert_int_equal(atomic_load(&b->left[w]), count > 0 ? 1 : 0);
    }
    assert_int_equal(atomic_load(&b->interrupted), st == HB_OK ? 0 : 1);
}

static hb_status run(book *b, uint64_t count)
{
    const hb_pipeline_stages stages = {.read = read_unit,
                                       .compute = compute_unit,
                                       .write = b->writes ? write_unit : NULL,
                                       .tend = b->tends ? tend : NULL,
                                       .leave = leave,
                                       .interrupt = interrupt};
    hb_pipeline_times times;
    b->caller = pthread_self();
    hb_status st = hb_pipeline_run(&stages, b, b->workers, FIRST, count, &times);
    assert_int_equal(atomic_load(&b->wrong), 0);
    assert_true(atomic_load(&b->most_in_flight) <= (int)hb_pipeline_slots(b->workers));
    assert_true(atomic_load(&b->most_at_once) <= (int)b->workers);
    assert_true(times.read >= 0 && times.compute >= 0 && times.write >= 0);
    assert_true(times.wall >= times.compute);
    check_hooks(b, count, st);
    return st;
}

static const uint32_t worker_counts[] = {1, 2, 3, HB_PIPELINE_MOST_WORKERS};
enum { WORKER_COUNTS = sizeof worker_counts / sizeof worker_counts[0] };

static void test_order(void **state)
{
    (void)state;
    for (int w = 0; w < WORKER_COUNTS; w++) {
        for (int writes = 0; writes <= 1; writes++) {
            for (uint64_t count = 0; count <= UNITS; count++) {
                for (int slow = NEVER; slow < STAGES; slow++) {
                    book b = {.workers = worker_counts[w],
                              .fail_stage = NEVER,
                              .slow_stage = slow,
                              .writes = writes,
                              .tends = slow != READ};
                    assert_int_equal(run(&b, count), HB_OK);
                    assert_int_equal(atomic_load(&b.done[READ]), count);
                    assert_int_equal(atomic_load(&b.done[COMPUTE]), count);
                    assert_int_equal(atomic_load(&b.done[WRITE]), writes ? count : 0);
                    assert_true(!b.tends || worker_counts[w] > 1 || (uint64_t)atomic_load(&b.tended) >= count);
                }
            }
        }
    }
}

/* The last stage sees the ring fill up, and the workers see one another: the stages do overlap. */
static void test_overlap(void **state)
{
    (void)state;
    for (int w = 0; w < WORKER_COUNTS; w++) {
        const int workers = (int)worker_counts[w], slots = (int)hb_pipeline_slots(worker_counts[w]);
        book last = {
            .workers = worker_counts[w], .fail_stage = NEVER, .slow_stage = WRITE, .crowd = slots, .writes = true};
        assert_int_equal(run(&last, UNITS), HB_OK);
        assert_int_equal(atomic_load(&last.most_in_flight), slots);
        book compute = {
            .workers = worker_counts[w], .fail_stage = NEVER, .slow_stage = COMPUTE, .crowd = workers, .writes = true};
        assert_int_equal(run(&compute, UNITS), HB_OK);
        assert_int_equal(atomic_load(&compute.most_at_once), workers);
    }
}

/* A reader that waits for something else does not keep the caller from being told. */
static void test_tending(void **state)
{
    (void)state;
    for (int w = 0; w < WORKER_COUNTS; w++) {
        book b = {.workers = worker_counts[w], .fail_stage = NEVER, .slow_stage = READ, .writes = true, .tends = true};
        b.stall = true;
        assert_int_equal(run(&b, 1), HB_OK);
        assert_true(atomic_load(&b.tended) >= 3);
    }
}

/* Workers that wait for other ranks are let go by the failure of another stage. */
static hb_status wait_for_interrupt(void *context, uint32_t slot, uint32_t worker, uint64_t unit)
{
    book *b = context;
    (void)slot;
    (void)worker;
    for (int i = 0; i < 50000 && unit == FIRST && atomic_load(&b->interrupted) == 0; i++) {
        usleep(200); /* 10 s at most: then the test fails */
    }
    return atomic_load(&b->interrupted) > 0 ? HB_FAIL(HB_EPEER, "let go") : HB_OK;
}

static void test_interrupt(void **state)
{
    (void)state;
    for (int w = 0; w < WORKER_COUNTS; w++) {
        book b = {.workers = worker_counts[w], .fail_stage = READ, .fail_unit = 1, .slow_stage = READ};
        const hb_pipeline_stages stages = {.read = read_unit, .compute = wait_for_interrupt, .interrupt = interrupt};
        hb_pipeline_times times;
        assert_int_equal(hb_pipeline_run(&stages, &b, b.workers, FIRST, UNITS, &times), 64 + READ);
        assert_string_equal(hb_last_error()->text, "stage 0 at unit 1");
        assert_int_equal(atomic_load(&b.interrupted), 1);
    }
}

static void test_errors(void **state)
{
    (void)state;
    for (int w = 0; w < WORKER_COUNTS; w++) {
        const int workers = (int)worker_counts[w], slots = (int)hb_pipeline_slots(worker_counts[w]);
        for (int fails = 0; fails <= TEND; fails++) {
            for (int unit = 0; unit < UNITS; unit++) {
                if (fails == TEND && workers > 1 && unit > 0) {
                    continue; /* the others may be done with all of them before the caller looks */
                }
                for (int slow = NEVER; slow < STAGES; slow++) {
                    book b = {.workers = worker_counts[w],
                              .fail_stage = fails,
                              .fail_unit = unit,
                              .slow_stage = slow,
                              .writes = true,
                              .tends = true};
                    hb_clear_error();
                    assert_int_equal(run(&b, UNITS), 64 + fails);
                    char text[64];
                    snprintf(text, sizeof text, "stage %d at unit %d", fails, unit);
                    assert_string_equal(hb_last_error()->text, text);
                    if (fails == TEND) {
                        continue; /* at any unit from that one on */
                    }
                    /* Other workers may be further than the one that fails, or not as far. */
                    const int apart = fails == COMPUTE && workers > 1 ? slots - 1 : 0;
                    const int least = unit > apart ? unit - apart : 0;
                    assert_in_range(atomic_load(&b.done[fails]), least, unit + apart);
                    assert_true(atomic_load(&b.done[WRITE]) <= unit);
                    assert_true(atomic_load(&b.done[READ]) <= unit + slots);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_overlap),
                                       cmocka_unit_test(test_tending), cmocka_unit_test(test_interrupt),
                                       cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
