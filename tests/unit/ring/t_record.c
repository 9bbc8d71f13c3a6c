/* Recordings: by calls, where an engine has none of its own; and through an engine that has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/aborts.h"
#include "reference/toy.h"
#include "unit/unit.h"

static const uint64_t moduli[] = {97, (1ull << 43) - 57};
enum { LIMBS = 2, LOG_N = 6, N = 64, COUNT = 3 };

typedef struct fixture {
    toy t;
    hb_batch a, b;
    int calls;
    int fail_at; /* the call that fails */
} fixture;

static void open_fixture(fixture *f)
{
    uint64_t state = 5;
    *f = (fixture){.fail_at = -1};
    toy_open(&f->t, LOG_N, moduli, LIMBS, false);
    f->a = toy_batch(&f->t, COUNT, LIMBS, f->t.ids, 0);
    f->b = toy_batch(&f->t, COUNT, LIMBS, f->t.ids, 0);
    toy_fill(&f->t, f->a, &state);
    toy_fill(&f->t, f->b, &state);
}

static void close_fixture(fixture *f)
{
    toy_free(f->a);
    toy_free(f->b);
    toy_close(&f->t);
}

static hb_status add(void *argument)
{
    fixture *f = argument;
    if (f->calls++ == f->fail_at) {
        return HB_FAIL(HB_EDATA, "call %d", f->fail_at);
    }
    return hb_add(f->t.engine, f->a, f->a, f->b);
}

static hb_status add_and_wait(void *argument)
{
    HB_TRY(add(argument));
    return hb_finish(((fixture *)argument)->t.engine);
}

/* Every word of `a` is that of `first` and `times` that of b. */
static void assert_sums(const fixture *f, hb_batch first, uint64_t times)
{
    for (size_t c = 0; c < COUNT; c++) {
        for (uint32_t l = 0; l < LIMBS; l++) {
            for (size_t j = 0; j < N; j++) {
                const uint64_t sum = *toy_at(&f->t, first, c, l, j) + times * *toy_at(&f->t, f->b, c, l, j);
                assert_int_equal(*toy_at(&f->t, f->a, c, l, j), sum % moduli[l]);
            }
        }
    }
}

static void test_calls(void **state)
{
    (void)state;
    fixture f;
    hb_recording *r = NULL;
    open_fixture(&f);
    const hb_batch first = toy_copy(&f.t, f.a);
    assert_int_equal(hb_record(f.t.engine, add, &f, &r), HB_OK);
    assert_non_null(r);
    assert_sums(&f, first, 0); /* nothing is issued yet */
    for (uint64_t times = 1; times <= 3; times++) {
        assert_int_equal(hb_replay(r), HB_OK);
        assert_sums(&f, first, times);
    }
    f.fail_at = f.calls;
    assert_int_equal(hb_replay(r), HB_EDATA);
    assert_string_equal(hb_last_error()->text, "call 3");
    assert_int_equal(hb_replay(r), HB_OK); /* a failure leaves it as it was */
    assert_sums(&f, first, 4);
    hb_recording_free(r);
    hb_recording_free(NULL);
    toy_free(first);
    close_fixture(&f);
}

/* The body of a recording neither waits nor has to do with recordings. */
static void test_waiting(void **state)
{
    (void)state;
    fixture f;
    hb_recording *r = NULL;
    open_fixture(&f);
    assert_int_equal(hb_record(f.t.engine, add_and_wait, &f, &r), HB_OK);
    assert_int_equal(hb_replay(r), HB_EUNAVAILABLE);
    assert_int_equal(hb_finish(f.t.engine), HB_OK); /* outside it is allowed again */
    hb_recording_free(r);
    close_fixture(&f);
}

static hb_recording *inner;

static hb_status replay_inner(void *argument)
{
    (void)argument;
    return hb_replay(inner);
}

static hb_status record_inner(void *argument)
{
    return hb_record(((fixture *)argument)->t.engine, add, argument, &inner);
}

static hb_status free_inner(void *argument)
{
    (void)argument;
    hb_recording_free(inner);
    return HB_OK;
}

static void replay(void *with, int which)
{
    (void)which;
    const hb_status st = hb_replay(with);
    (void)st;
}

static void test_nested(void **state)
{
    (void)state;
    hb_status (*const bodies[])(void *) = {replay_inner, record_inner, free_inner};
    fixture f;
    open_fixture(&f);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        hb_recording *r = NULL;
        assert_int_equal(hb_record(f.t.engine, add, &f, &inner), HB_OK);
        assert_int_equal(hb_record(f.t.engine, bodies[i], &f, &r), HB_OK);
        assert_aborts(replay, r, (int)i);
        hb_recording_free(r);
        hb_recording_free(inner);
    }
    close_fixture(&f);
}

/* An engine that keeps the body, and calls it twice a replay, so that its replays can be told. */
typedef struct tape {
    hb_status (*body)(void *);
    void *argument;
} tape;

static int forgotten;
static bool refuses;

static hb_status keep(hb_engine *e, hb_status (*body)(void *), void *argument, void **out)
{
    assert_true(e->in_body);
    assert_int_equal(hb_finish(e), HB_EUNAVAILABLE);
    if (refuses) {
        return HB_OK;
    }
    HB_TRY(body(argument));
    tape *kept = malloc(sizeof *kept);
    assert_non_null(kept);
    *kept = (tape){body, argument};
    *out = kept;
    return HB_OK;
}

static hb_status play_twice(hb_engine *e, void *memory)
{
    tape *kept = memory;
    assert_false(e->in_body);
    HB_TRY(kept->body(kept->argument));
    return kept->body(kept->argument);
}

static void forget(hb_engine *e, void *memory)
{
    (void)e;
    forgotten++;
    free(memory);
}

static void test_own(void **state)
{
    (void)state;
    fixture f;
    hb_recording *r = NULL;
    open_fixture(&f);
    const hb_engine_ops *cpu = f.t.engine->ops;
    hb_engine_ops ops = *cpu;
    ops.record = &(hb_record_ops){keep, play_twice, forget};
    f.t.engine->ops = &ops;

    const hb_batch first = toy_copy(&f.t, f.a);
    assert_int_equal(hb_record(f.t.engine, add, &f, &r), HB_OK);
    assert_sums(&f, first, 1);
    assert_int_equal(hb_replay(r), HB_OK);
    assert_sums(&f, first, 3);
    hb_recording_free(r);
    assert_int_equal(forgotten, 1);

    f.fail_at = f.calls; /* as the body does; there is nothing to free */
    assert_int_equal(hb_record(f.t.engine, add, &f, &r), HB_EDATA);
    assert_null(r);
    assert_int_equal(hb_finish(f.t.engine), HB_OK);
    assert_int_equal(forgotten, 1);

    refuses = true; /* a body that it cannot record is called, once a replay */
    assert_int_equal(hb_record(f.t.engine, add, &f, &r), HB_OK);
    assert_sums(&f, first, 3);
    assert_int_equal(hb_replay(r), HB_OK);
    assert_sums(&f, first, 4);
    hb_recording_free(r);
    assert_int_equal(forgotten, 1);
    f.t.engine->ops = cpu;
    toy_free(first);
    close_fixture(&f);
}

HB_UNIT(record)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
