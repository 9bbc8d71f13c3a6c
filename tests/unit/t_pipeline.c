/* The pipeline with stages that only keep book: order, slots, overlap, and an error in each stage at each unit. */
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
enum { UNITS = 12, FIRST = 100, NEVER = -1 };

typedef struct book {
    atomic_int done[STAGES];               /* units that each stage finished, in order */
    atomic_int inside[HB_PIPELINE_SLOTS];  /* stages at work in a slot */
    atomic_int in_flight, most_in_flight;  /* units between the start of reading and the end of the last stage */
    atomic_int wrong;                      /* broken rules: cmocka's asserts belong to one thread */
    uint64_t slots[HB_PIPELINE_SLOTS];     /* what was read: the unit, changed by each stage */
    int fail_stage, fail_unit, slow_stage; /* stage, number of the unit */
    bool writes;
} book;

static void rule(book *b, bool holds)
{
    atomic_fetch_add(&b->wrong, !holds);
}

static hb_status stage(book *b, int which, uint32_t slot, uint64_t unit)
{
    const int number = (int)(unit - FIRST);
    rule(b, unit >= FIRST && unit < FIRST + UNITS && slot < HB_PIPELINE_SLOTS);
    rule(b, atomic_fetch_add(&b->inside[slot], 1) == 0);
    rule(b, atomic_load(&b->done[which]) == number);
    rule(b, which == READ || atomic_load(&b->done[which - 1]) > number);
    if (which == READ) {
        const int now = atomic_fetch_add(&b->in_flight, 1) + 1;
        if (now > atomic_load(&b->most_in_flight)) {
            atomic_store(&b->most_in_flight, now); /* only the reader stores */
        }
        b->slots[slot] = 10 * unit;
    } else {
        rule(b, b->slots[slot] == 10 * unit + (uint64_t)which - 1);
        b->slots[slot]++;
    }
    if (which == b->slow_stage) {
        usleep(2000);
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

static hb_status compute_unit(void *context, uint32_t slot, uint64_t unit)
{
    return stage(context, COMPUTE, slot, unit);
}

static hb_status write_unit(void *context, uint32_t slot, uint64_t unit)
{
    return stage(context, WRITE, slot, unit);
}

static hb_status run(book *b, uint64_t count)
{
    const hb_pipeline_stages stages = {read_unit, compute_unit, b->writes ? write_unit : NULL};
    hb_pipeline_times times;
    hb_status st = hb_pipeline_run(&stages, b, FIRST, count, &times);
    assert_int_equal(atomic_load(&b->wrong), 0);
    assert_true(atomic_load(&b->most_in_flight) <= HB_PIPELINE_SLOTS);
    assert_true(times.read >= 0 && times.compute >= 0 && times.write >= 0);
    assert_true(times.wall >= times.compute);
    return st;
}

static void test_order(void **state)
{
    (void)state;
    for (int writes = 0; writes <= 1; writes++) {
        for (uint64_t count = 0; count <= UNITS; count++) {
            for (int slow = NEVER; slow < STAGES; slow++) {
                book b = {.fail_stage = NEVER, .slow_stage = slow, .writes = writes};
                assert_int_equal(run(&b, count), HB_OK);
                assert_int_equal(atomic_load(&b.done[READ]), count);
                assert_int_equal(atomic_load(&b.done[COMPUTE]), count);
                assert_int_equal(atomic_load(&b.done[WRITE]), writes ? count : 0);
            }
        }
    }
}

/* With a slow last stage the ring fills up: the stages do overlap. */
static void test_overlap(void **state)
{
    (void)state;
    book b = {.fail_stage = NEVER, .slow_stage = WRITE, .writes = true};
    assert_int_equal(run(&b, UNITS), HB_OK);
    assert_int_equal(atomic_load(&b.most_in_flight), HB_PIPELINE_SLOTS);
}

static void test_errors(void **state)
{
    (void)state;
    for (int fails = 0; fails < STAGES; fails++) {
        for (int unit = 0; unit < UNITS; unit++) {
            for (int slow = NEVER; slow < STAGES; slow++) {
                book b = {.fail_stage = fails, .fail_unit = unit, .slow_stage = slow, .writes = true};
                hb_clear_error();
                assert_int_equal(run(&b, UNITS), 64 + fails);
                char text[64];
                snprintf(text, sizeof text, "stage %d at unit %d", fails, unit);
                assert_string_equal(hb_last_error()->text, text);
                assert_int_equal(atomic_load(&b.done[fails]), unit);
                assert_true(atomic_load(&b.done[WRITE]) <= unit);
                assert_true(atomic_load(&b.done[READ]) <= unit + HB_PIPELINE_SLOTS);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order), cmocka_unit_test(test_overlap),
                                       cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
