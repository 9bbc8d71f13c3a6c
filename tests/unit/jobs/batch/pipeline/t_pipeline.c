/* The pipeline with stages that only keep book: order, buffers, overlap, times, and an error in each stage at each
 * unit, with one thread in a stage and with several. */
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

#include "batch/pipeline/pipeline.h"
#include "machine/machine.h"
#include "unit/unit.h"

enum { READ, COMPUTE, WRITE, STAGES };
enum { UNITS = 12, FIRST = 100, NEVER = -1, TEND = STAGES };

typedef struct book {
    atomic_int done[STAGES];                     /* units that each stage finished */
    atomic_bool computed[UNITS];                 /* by several workers not in order */
    atomic_int inside[HB_PIPELINE_MOST_BUFFERS]; /* stages at work in a buffer */
    atomic_int begun[STAGES];                    /* units that each stage began */
    atomic_int working[STAGES][HB_MOST_WORKERS];
    atomic_int left[HB_MOST_WORKERS], interrupted;
    atomic_int in_flight, most_in_flight; /* units between the start of reading and the end of the last stage */
    atomic_int at_once, most_at_once;     /* units that are computed */
    atomic_int tended;
    atomic_int wrong;                           /* broken rules: cmocka's asserts belong to one thread */
    uint64_t buffers[HB_PIPELINE_MOST_BUFFERS]; /* the unit that was read, changed by each stage */
    hb_threads threads;
    int fail_stage, fail_unit, slow_stage; /* stage, number of the unit */
    bool writes, tends;
    int stop_after;  /* 0, or one more than the units that are computed when tend asks for an end */
    int stop_at;     /* 0, or where compute asks for one: of this unit and all later ones */
    atomic_int told; /* whether tend has asked */
    bool stall;      /* the slow stage takes long */
    int crowd;       /* 0, or the number to wait for: units in flight (WRITE), units computed at once (COMPUTE) */
    pthread_t caller;
    uint64_t count; /* of the run */
    uint64_t units; /* that the run says are through */
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

static int threads_of(const book *b, int which)
{
    const uint32_t threads[STAGES] = {b->threads.readers, b->threads.workers, b->threads.writers};
    return (int)threads[which];
}

/* Then some units are read and no more, others not even that. */
static bool stops(const book *b)
{
    return b->stop_after > 0 || b->stop_at > 0;
}

static void begin(book *b, int which, int number, uint32_t buffer, uint32_t thread, uint64_t unit)
{
    const int before = atomic_fetch_add(&b->begun[which], 1), threads = threads_of(b, which);
    rule(b, number >= 0 && number < UNITS && buffer < hb_pipeline_buffers(b->threads, b->count));
    rule(b, atomic_fetch_add(&b->inside[buffer], 1) == 0);
    rule(b, (int)thread < threads && atomic_fetch_add(&b->working[which][thread], 1) == 0);
    if (which != COMPUTE && !stops(b)) { /* in order, as far as threads do not overtake one another on the way here */
        const int apart = threads > 1 ? (int)hb_pipeline_buffers(b->threads, b->count) : 1;
        rule(b, before > number - apart && before < number + apart);
    }
    if (which == READ) {
        up(&b->in_flight, &b->most_in_flight);
        b->buffers[buffer] = 10 * unit;
    } else {
        rule(b, b->buffers[buffer] == 10 * unit + (uint64_t)which - 1);
        b->buffers[buffer]++;
    }
    if (which == COMPUTE) {
        up(&b->at_once, &b->most_at_once);
        rule(b, threads > 1 || atomic_load(&b->done[COMPUTE]) == number);
        rule(b, (threads == 1) == (pthread_equal(pthread_self(), b->caller) != 0));
    }
    if (which == WRITE) {
        rule(b, atomic_load(&b->computed[number]));
    }
}

static void be_slow(const book *b)
{
    const atomic_int *crowd = b->slow_stage == WRITE ? &b->most_in_flight : &b->most_at_once;
    while (b->crowd > 0 && atomic_load(crowd) < b->crowd) {
        usleep(200); /* for ever, if it never comes to that */
    }
    while (b->stall && atomic_load(&b->tended) < 3) {
        usleep(200);
    }
    usleep(2000);
}

static hb_status stage(book *b, int which, uint32_t buffer, uint32_t thread, uint64_t unit)
{
    const int number = (int)(unit - FIRST);
    begin(b, which, number, buffer, thread, unit);
    if (which == b->slow_stage) {
        be_slow(b);
    }
    while (which == WRITE && b->stop_after > 0 && atomic_load(&b->told) == 0) {
        usleep(200); /* computed units wait here until the end is asked for; for ever, if that never comes */
    }
    if (which == COMPUTE) {
        atomic_fetch_sub(&b->at_once, 1);
        atomic_store(&b->computed[number], true);
    }
    if (which == (b->writes ? WRITE : COMPUTE)) {
        atomic_fetch_sub(&b->in_flight, 1);
    }
    atomic_fetch_sub(&b->inside[buffer], 1);
    atomic_fetch_sub(&b->working[which][thread], 1);
    if (which == b->fail_stage && number == b->fail_unit) {
        return HB_FAIL((hb_status)(64 + which), "stage %d at unit %d", which, number);
    }
    atomic_fetch_add(&b->done[which], 1);
    return HB_OK;
}

static hb_status read_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t unit)
{
    return stage(context, READ, buffer, thread, unit);
}

static hb_status compute_unit(void *context, uint32_t buffer, uint32_t worker, uint64_t unit)
{
    book *b = context;
    rule(b, worker == (unit - FIRST) % b->threads.workers); /* they take turns */
    rule(b, atomic_load(&b->left[worker]) == 0);
    if (b->stop_at > 0 && unit - FIRST >= (uint64_t)b->stop_at) {
        return HB_FAIL(HB_ESTOPPED, "asked at unit %d", b->stop_at);
    }
    return stage(b, COMPUTE, buffer, worker, unit);
}

static hb_status write_unit(void *context, uint32_t buffer, uint32_t thread, uint64_t unit)
{
    return stage(context, WRITE, buffer, thread, unit);
}

static hb_status tend(void *context)
{
    book *b = context;
    rule(b, pthread_equal(pthread_self(), b->caller) != 0);
    if (b->fail_stage == TEND && atomic_load(&b->done[COMPUTE]) >= b->fail_unit) {
        return HB_FAIL((hb_status)(64 + TEND), "stage %d at unit %d", TEND, b->fail_unit);
    }
    atomic_fetch_add(&b->tended, 1);
    if (b->stop_after > 0 && atomic_load(&b->done[COMPUTE]) >= b->stop_after - 1) {
        atomic_store(&b->told, 1);
        return HB_FAIL(HB_ESTOPPED, "asked after %d", b->stop_after - 1);
    }
    return HB_OK;
}

static void leave(void *context, uint32_t worker)
{
    book *b = context;
    rule(b, worker < b->threads.workers && atomic_load(&b->working[COMPUTE][worker]) == 0);
    rule(b, (b->threads.workers == 1) == (pthread_equal(pthread_self(), b->caller) != 0));
    atomic_fetch_add(&b->left[worker], 1);
}

static void interrupt(void *context)
{
    book *b = context;
    atomic_fetch_add(&b->interrupted, 1);
}

/* Every worker leaves once, in all cases; only a failure interrupts, once. */
static void check_hooks(book *b, uint64_t count, hb_status st)
{
    for (uint32_t w = 0; w < b->threads.workers; w++) {
        assert_int_equal(atomic_load(&b->left[w]), count > 0 ? 1 : 0);
    }
    assert_int_equal(atomic_load(&b->interrupted), st == HB_OK || st == HB_ESTOPPED ? 0 : 1);
}

/* The parts of the time add up to the whole, and no stage is busy longer than all of its threads. */
static void check_times(const book *b, const hb_pipeline_times *times)
{
    double critical = 0;
    const uint32_t threads = b->threads.readers + b->threads.workers + b->threads.writers;
    for (int k = 0; k < HB_TIME_KINDS; k++) {
        assert_true(times->busy[k] >= 0 && times->busy[k] <= threads * times->wall);
        assert_true(times->critical[k] >= 0);
        critical += times->critical[k];
    }
    assert_true(critical > times->wall - 1e-6 && critical < times->wall + 1e-6);
    assert_true(times->first >= 0 && times->first <= times->wall);
}

static hb_status run(book *b, uint64_t count)
{
    const hb_pipeline_stages stages = {.read = read_unit,
                                       .compute = compute_unit,
                                       .write = b->writes ? write_unit : NULL,
                                       .tend = b->tends ? tend : NULL,
                                       .leave = leave,
                                       .interrupt = interrupt,
                                       .orderly = stops(b)};
    hb_pipeline_times times;
    b->caller = pthread_self();
    b->count = count;
    hb_status st = hb_pipeline_run(&stages, b, b->threads, FIRST, count, &times);
    assert_int_equal(atomic_load(&b->wrong), 0);
    assert_true(stops(b) || atomic_load(&b->most_in_flight) <= (int)hb_pipeline_buffers(b->threads, b->count));
    assert_true(atomic_load(&b->most_at_once) <= (int)b->threads.workers);
    check_times(b, &times);
    b->units = times.units;
    check_hooks(b, count, st);
    return st;
}

static const hb_threads thread_sets[] = {{1, 1, 1}, {1, 2, 1}, {1, HB_MOST_WORKERS, 1},
                                         {2, 1, 3}, {3, 3, 2}, {HB_MOST_FILE_THREADS, 1, HB_MOST_FILE_THREADS}};
enum { THREAD_SETS = sizeof thread_sets / sizeof thread_sets[0] };

static hb_threads without_writers(hb_threads threads)
{
    threads.writers = 0;
    return threads;
}

static void test_order(void **state)
{
    (void)state;
    for (int w = 0; w < THREAD_SETS; w++) {
        for (int writes = 0; writes <= 1; writes++) {
            for (uint64_t count = 0; count <= UNITS; count++) {
                for (int slow = NEVER; slow < STAGES; slow++) {
                    book b = {.threads = writes ? thread_sets[w] : without_writers(thread_sets[w]),
                              .fail_stage = NEVER,
                              .slow_stage = slow,
                              .writes = writes,
                              .tends = slow != READ};
                    assert_int_equal(run(&b, count), HB_OK);
                    assert_int_equal(atomic_load(&b.done[READ]), count);
                    assert_int_equal(atomic_load(&b.done[COMPUTE]), count);
                    assert_int_equal(atomic_load(&b.done[WRITE]), writes ? count : 0);
                    assert_true(!b.tends || thread_sets[w].workers > 1 || (uint64_t)atomic_load(&b.tended) >= count);
                }
            }
        }
    }
}

/* The last stage sees the ring fill up, and the workers see one another: the stages do overlap. */
static void test_overlap(void **state)
{
    (void)state;
    for (int w = 0; w < THREAD_SETS; w++) {
        const int workers = (int)thread_sets[w].workers, buffers = (int)hb_pipeline_buffers(thread_sets[w], UNITS);
        const int full = buffers < UNITS ? buffers : UNITS;
        book last = {
            .threads = thread_sets[w], .fail_stage = NEVER, .slow_stage = WRITE, .crowd = full, .writes = true};
        assert_int_equal(run(&last, UNITS), HB_OK);
        assert_int_equal(atomic_load(&last.most_in_flight), full);
        book compute = {
            .threads = thread_sets[w], .fail_stage = NEVER, .slow_stage = COMPUTE, .crowd = workers, .writes = true};
        assert_int_equal(run(&compute, UNITS), HB_OK);
        assert_int_equal(atomic_load(&compute.most_at_once), workers);
    }
}

/* A reader that waits for something else does not keep the caller from being told. */
static void test_tending(void **state)
{
    (void)state;
    for (int w = 0; w < THREAD_SETS; w++) {
        book b = {.threads = thread_sets[w], .fail_stage = NEVER, .slow_stage = READ, .writes = true, .tends = true};
        b.stall = true;
        assert_int_equal(run(&b, 1), HB_OK);
        assert_true(atomic_load(&b.tended) >= 3);
    }
}

/* Workers that wait for other ranks are let go by the failure of another stage. */
static hb_status wait_for_interrupt(void *context, uint32_t buffer, uint32_t worker, uint64_t unit)
{
    book *b = context;
    (void)buffer;
    (void)worker;
    while (unit == FIRST && atomic_load(&b->interrupted) == 0) {
        usleep(200); /* for ever, if it never comes */
    }
    return atomic_load(&b->interrupted) > 0 ? HB_FAIL(HB_EPEER, "let go") : HB_OK;
}

static void test_interrupt(void **state)
{
    (void)state;
    for (int w = 0; w < THREAD_SETS; w++) {
        book b = {.threads = without_writers(thread_sets[w]), .fail_stage = READ, .fail_unit = 1, .slow_stage = READ};
        const hb_pipeline_stages stages = {.read = read_unit, .compute = wait_for_interrupt, .interrupt = interrupt};
        hb_pipeline_times times;
        assert_int_equal(hb_pipeline_run(&stages, &b, b.threads, FIRST, UNITS, &times), 64 + READ);
        assert_string_equal(hb_last_error()->text, "stage 0 at unit 1");
        assert_int_equal(atomic_load(&b.interrupted), 1);
    }
}

enum { FEW = 6, READERS = 3 };

/* Readers that read at the same time, or one that is at the third unit when the first has been written. */
typedef struct slow_run {
    pthread_barrier_t together;
    bool alone;
    atomic_bool written;
} slow_run;

static hb_status sleep_50(void)
{
    usleep(50000);
    return HB_OK;
}

static hb_status read_slowly(void *context, uint32_t buffer, uint32_t thread, uint64_t unit)
{
    slow_run *run = context;
    (void)buffer, (void)thread;
    if (!run->alone) {
        pthread_barrier_wait(&run->together);
    }
    while (run->alone && unit == FIRST + 2 && !atomic_load(&run->written)) {
        usleep(200);
    }
    hb_status st = sleep_50();
    hb_stage_times_note(HB_TIME_READ);
    usleep(10000);
    hb_stage_times_note(HB_TIME_ARRANGE);
    return st;
}

static hb_status do_nothing(void *context, uint32_t buffer, uint32_t thread, uint64_t unit)
{
    (void)context, (void)buffer, (void)thread, (void)unit;
    return HB_OK;
}

static hb_status write_slowly(void *context, uint32_t buffer, uint32_t thread, uint64_t unit)
{
    slow_run *run = context;
    (void)buffer, (void)thread;
    hb_status st = unit == FIRST ? sleep_50() : HB_OK;
    hb_stage_times_note(HB_TIME_WRITE);
    atomic_store(&run->written, true);
    return st;
}

/* The run waits for reading, except for the first unit of few: which stages its time goes into, and that it is less
 * with more readers. Sleeping may take longer than it should, so that only the least is certain. */
static void test_critical(void **state)
{
    (void)state;
    const hb_pipeline_stages stages = {.read = read_slowly, .compute = do_nothing, .write = write_slowly};
    hb_pipeline_times one, three;
    slow_run run = {.alone = true};
    assert_int_equal(hb_pipeline_run(&stages, &run, (hb_threads){1, 2, 1}, FIRST, FEW, &one), HB_OK);
    assert_true(one.critical[HB_TIME_READ] >= FEW * 0.05 && one.critical[HB_TIME_ARRANGE] >= FEW * 0.01);
    assert_true(one.critical[HB_TIME_WRITE] <= one.busy[HB_TIME_WRITE] - 0.05); /* the first ran beside reading */
    assert_true(one.busy[HB_TIME_WRITE] >= 0.05 && one.busy[HB_TIME_READ] >= FEW * 0.05);
    assert_true(one.first >= 0.11 && one.units == FEW && one.threads.workers == 2);
    run.alone = false;
    assert_int_equal(pthread_barrier_init(&run.together, NULL, READERS), 0);
    assert_int_equal(hb_pipeline_run(&stages, &run, (hb_threads){READERS, 2, 1}, FIRST, FEW, &three), HB_OK);
    pthread_barrier_destroy(&run.together);
    assert_true(three.busy[HB_TIME_READ] >= FEW * 0.05);
    assert_true(three.critical[HB_TIME_READ] > 0); /* how much: a late reader's wait may be another stage's time */
    assert_true(three.critical[HB_TIME_READ] < three.busy[HB_TIME_READ]);
}

static void test_errors(void **state)
{
    (void)state;
    for (int w = 0; w < THREAD_SETS; w++) {
        const int workers = (int)thread_sets[w].workers, buffers = (int)hb_pipeline_buffers(thread_sets[w], UNITS);
        for (int fails = 0; fails <= TEND; fails++) {
            for (int unit = 0; unit < UNITS; unit++) {
                if (fails == TEND && workers > 1 && unit > 0) {
                    continue; /* the others may be done with all of them before the caller looks */
                }
                for (int slow = NEVER; slow < STAGES; slow++) {
                    book b = {.threads = thread_sets[w],
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
                    /* Other threads may be further than the one that fails, or not as far. */
                    const int apart = threads_of(&b, fails) > 1 ? buffers - 1 : 0;
                    const int least = unit > apart ? unit - apart : 0;
                    assert_in_range(atomic_load(&b.done[fails]), least, unit + apart);
                    assert_true(atomic_load(&b.done[WRITE]) <= unit + apart);
                    assert_true(atomic_load(&b.done[READ]) <= unit + buffers);
                }
            }
        }
    }
}

/* All computed units are written and counted, also units that wait between the two when the end is asked for; the first
 * unit always is. */
static void test_stop(void **state)
{
    (void)state;
    for (int w = 0; w < THREAD_SETS; w++) {
        for (int writes = 0; writes <= 1; writes++) {
            for (int after = 0; after < UNITS / 2; after++) {
                const hb_threads threads = writes ? thread_sets[w] : without_writers(thread_sets[w]);
                const int ahead =
                    (int)hb_pipeline_buffers(threads, UNITS); /* computed at most before a writer has to be through */
                book b = {
                    .threads = threads, .fail_stage = NEVER, .slow_stage = NEVER, .writes = writes, .tends = true};
                b.stop_after = 1 + (writes && after >= ahead ? ahead - 1 : after);
                const hb_status st = run(&b, UNITS);
                const int computed = atomic_load(&b.done[COMPUTE]);
                assert_true(st == HB_ESTOPPED || computed == UNITS);
                assert_true(st == HB_OK || strstr(hb_last_error()->text, "asked after") != NULL);
                assert_true(computed >= 1 && computed >= b.stop_after - 1);
                assert_true(threads.workers > 1 || computed <= b.stop_after);
                assert_int_equal(b.units, computed);
                assert_int_equal(atomic_load(&b.done[WRITE]), writes ? computed : 0);
            }
        }
    }
}

/* Every worker comes to the same end by itself: exactly the units before it are computed, by each its own. */
static void test_stop_at(void **state)
{
    (void)state;
    for (int w = 0; w < THREAD_SETS; w++) {
        for (int at = 1; at <= UNITS; at++) {
            for (int slow = NEVER; slow < STAGES; slow++) {
                book b = {
                    .threads = thread_sets[w], .fail_stage = NEVER, .slow_stage = slow, .writes = true, .stop_at = at};
                assert_int_equal(run(&b, UNITS), at < UNITS ? HB_ESTOPPED : HB_OK);
                assert_int_equal(atomic_load(&b.done[COMPUTE]), at);
                assert_int_equal(atomic_load(&b.done[WRITE]), at);
                assert_int_equal(b.units, at);
            }
        }
    }
}

HB_UNIT(pipeline)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order),    cmocka_unit_test(test_overlap),
                                       cmocka_unit_test(test_tending),  cmocka_unit_test(test_interrupt),
                                       cmocka_unit_test(test_critical), cmocka_unit_test(test_errors),
                                       cmocka_unit_test(test_stop),     cmocka_unit_test(test_stop_at)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
