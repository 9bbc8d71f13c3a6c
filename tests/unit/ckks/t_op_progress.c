/* The steps of long operations: bootstraps of every kind name their stages, and their share of the whole only grows, up
 * to all of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/bootstrap_fixture.h"
#include "cpu/engine.h"
#include "scheme/codec.h"
#include "scheme/evaluator.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { COUNT = 3, STAGES = 5 };

static const char *const names[STAGES] = {"slots to coefficients", "raising the modulus", "coefficients to slots",
                                          "real and imaginary parts", "EvalMod"};

typedef struct watch {
    double share;          /* of the last step */
    uint32_t seen[STAGES]; /* steps of each stage ... */
    uint32_t most;         /* ... and the last one of EvalMod */
} watch;

/* Shares are sums, which round. */
static const double rounding = 1e-9;

static void see(void *with, const hb_op_step *step)
{
    watch *w = with;
    uint32_t i = 0;
    while (i < STAGES && strcmp(step->name, names[i]) != 0) {
        i++;
    }
    assert_true(i < STAGES);
    assert_true(step->of >= 1 && step->done <= step->of);
    assert_true(step->share >= w->share - rounding && step->share <= 1 + rounding);
    w->share = step->share;
    w->seen[i]++;
    w->most = i == STAGES - 1 ? step->done : w->most;
}

/* Three ciphertexts, fewer at a time. */
static void bootstrap(const hb_params *params, hb_engine *engine, bool twice, bool lowest)
{
    const int first = lowest ? HB_BOOTSTRAP_LOWEST : HB_BOOTSTRAP_COMPLEX,
              end = lowest ? HB_BOOTSTRAP_NOISE : HB_BOOTSTRAP_LOWEST;
    const hb_seed root = {{7}};
    const uint32_t range_bits = 0;
    hb_fixture s = {.params = NULL};
    hb_bootstrap_fixture x = {.s = NULL};
    assert_int_equal(hb_fixture_init(&s, engine, params, &root, COUNT), HB_OK);
    assert_int_equal(hb_clear(engine, s.values), HB_OK);
    assert_int_equal(hb_encode(s.codec, s.plain, s.values), HB_OK);
    const hb_bootstrap_spec spec = {
        .count = 2, .range_bits = &range_bits, .ranges = 1, .twice = twice, .lowest = lowest};
    assert_int_equal(hb_bootstrap_fixture_init(&x, &s, &spec), HB_OK);
    for (int kind = first; kind < end; kind++) {
        watch w = {.share = 0};
        hb_evaluator *evaluator;
        const hb_evaluator_requirements wanted = {
            .limbs = params->data_limbs, .count = COUNT, .switching = true, .observer = {see, &w}};
        assert_int_equal(hb_evaluator_open(engine, params, &wanted, &evaluator), HB_OK);
        assert_int_equal(
            hb_bootstrap_apply(evaluator, x.bootstrap, (hb_bootstrap_kind)kind, range_bits, x.r, x.a, &s.keys), HB_OK);
        hb_evaluator_close(evaluator);
        assert_true(w.share > 1 - rounding);
        for (int i = 0; i < STAGES; i++) {
            assert_true(w.seen[i] > 0);
        }
        assert_true(w.most > 1 && w.seen[STAGES - 1] > w.most);
    }
    hb_bootstrap_fixture_clear(&x);
    hb_fixture_clear(&s);
}

static void test_bootstrap(void **state)
{
    (void)state;
    hb_params_spec spec;
    hb_params *params;
    hb_engine *engine;
    assert_int_equal(hb_params_preset("boot-test", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    bootstrap(params, engine, false, false);
    bootstrap(params, engine, true, false);
    bootstrap(params, engine, false, true);
    hb_engine_close(engine);
    hb_params_close(params);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(op_progress)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bootstrap)};
    return cmocka_run_group_tests(tests, start, NULL);
}
