/* Bounds of the error of bootstrapping against the errors of decoded slots: none is above the proven bound, root mean
 * squares are within a bit of the expected ones and the largest within one and a half. Seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "ckks/bootstrap_error.h"
#include "cpu/engine.h"
#include "reference/bootstrap_vectors.h"
#include "reference/bootstrap_world.h"
#include "scheme/params.h"
#include "unit/unit.h"

static const uint32_t ranges[] = {0, 5};

static void open_order(bootstrap_world *w, hb_params_spec spec, hb_bootstrap_spec bootstraps)
{
    hb_params *params;
    hb_engine *engine;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    assert_int_equal(bootstrap_world_open(w, params, engine, &bootstraps), HB_OK);
}

static void open_spec(bootstrap_world *w, hb_params_spec spec, bool twice)
{
    open_order(w, spec, (hb_bootstrap_spec){.count = 1, .range_bits = ranges, .ranges = 2, .twice = twice});
}

static void open_world(bootstrap_world *w, hb_eval_mod eval_mod, bool twice)
{
    open_spec(w, bootstrap_spec(eval_mod), twice);
}

/* log2 of the root of the mean square over the slots that is expected. */
static double mean_of(const hb_params *params, hb_quality a)
{
    const double drawn = exp2(a.even) / hb_error_tail(params);
    return log2(hypot(drawn, a.systematic.most == 0 ? 0 : exp2(a.systematic.mean)));
}

/* Result i of a bootstrap against its bounds. */
static void check(bootstrap_world *w, const double *values, hb_bootstrap_kind kind, uint32_t range_bits, uint32_t i,
                  bootstrap_data data)
{
    const bool real = kind != HB_BOOTSTRAP_COMPLEX && kind != HB_BOOTSTRAP_LOWEST;
    hb_quality bound;
    assert_int_equal(bootstrap_decrypt(w, w->r[i], (int)range_bits), HB_OK);
    const bootstrap_errors found = bootstrap_measure(w, values, real);
    assert_int_equal(bootstrap_bound(w, kind, range_bits, &bound), HB_OK);
    const double proven = hb_quality_bits(w->params, w->bootstrap->result_limbs, bound.worst) + range_bits;
    const double expected = hb_quality_bits(w->params, w->bootstrap->result_limbs, bound.expected) + range_bits;
    const double mean = hb_quality_bits(w->params, w->bootstrap->result_limbs, mean_of(w->params, bound)) + range_bits;
    const bool drawn = data == BOOTSTRAP_RANDOM || data == BOOTSTRAP_EXTREME;
    /* Patterns have few large coefficients, so that less is distorted there. */
    const double near = kind == HB_BOOTSTRAP_LOWEST && !drawn ? 1.25 : 1;
    if (found.largest < proven || fabs(found.mean - mean) > near || fabs(found.largest - expected) > 1.5) {
        fail_msg("kind %d, range 2^%u: %.2f bits, %.2f in the mean; expected %.2f and %.2f, proven %.2f", (int)kind,
                 range_bits, found.largest, found.mean, expected, mean, proven);
    }
}

static void bootstrap_drawn(bootstrap_world *w, hb_bootstrap_kind kind, uint32_t range_bits, bootstrap_data data,
                            bootstrap_draws draws)
{
    double *values[2];
    for (uint32_t i = 0; i < hb_bootstrap_batches(kind); i++) {
        values[i] = malloc(2 * w->slots * sizeof **values);
        assert_non_null(values[i]);
        bootstrap_draw(w, values[i], data, draws);
        assert_int_equal(bootstrap_encrypt(w, w->a[i], values[i], (int)range_bits), HB_OK);
    }
    assert_int_equal(hb_bootstrap_apply(w->ev, w->bootstrap, kind, range_bits, w->r, w->a, &w->f.keys), HB_OK);
    for (uint32_t i = 0; i < hb_bootstrap_batches(kind); i++) {
        check(w, values[i], kind, range_bits, i, data);
        free(values[i]);
    }
}

static void bootstrap(bootstrap_world *w, hb_bootstrap_kind kind, uint32_t range_bits, bootstrap_data data)
{
    bootstrap_drawn(w, kind, range_bits, data, bootstrap_draws_of(kind));
}

static void test_bounds(void **state)
{
    (void)state;
    bootstrap_world w;
    open_world(&w, HB_EVAL_MOD_CUBIC, false);
    bootstrap(&w, HB_BOOTSTRAP_COMPLEX, 0, BOOTSTRAP_RANDOM);
    bootstrap(&w, HB_BOOTSTRAP_COMPLEX, 0, BOOTSTRAP_CONSTANT);
    bootstrap(&w, HB_BOOTSTRAP_COMPLEX, 5, BOOTSTRAP_EXTREME);
    bootstrap(&w, HB_BOOTSTRAP_REAL, 0, BOOTSTRAP_HALF_ONES);
    bootstrap(&w, HB_BOOTSTRAP_PAIR, 0, BOOTSTRAP_ALTERNATING);
    bootstrap_world_close(&w);
}

static void test_forms(void **state)
{
    (void)state;
    const hb_eval_mod forms[] = {HB_EVAL_MOD_SURE, HB_EVAL_MOD_LIGHT, HB_EVAL_MOD_FINE};
    for (int i = 0; i < 3; i++) {
        bootstrap_world w;
        open_world(&w, forms[i], false);
        bootstrap(&w, HB_BOOTSTRAP_COMPLEX, 0, BOOTSTRAP_RANDOM);
        bootstrap(&w, HB_BOOTSTRAP_REAL, 5, BOOTSTRAP_EXTREME);
        bootstrap_world_close(&w);
    }
}

/* From the lowest level, real values, whose errors are complex, and complex ones of a modulus in the range: of every
 * size that fits, also where one coefficient is as large as the slots, at the likely error behind the maps that come
 * last. */
static void test_lowest(void **state)
{
    static const uint32_t fitting[] = {0, 2};
    const hb_eval_mod forms[] = {HB_EVAL_MOD_CUBIC, HB_EVAL_MOD_SURE, HB_EVAL_MOD_FINE};
    (void)state;
    for (int i = 0; i < 3; i++) {
        bootstrap_world w;
        open_order(&w, bootstrap_spec(forms[i]),
                   (hb_bootstrap_spec){.count = 1, .range_bits = fitting, .ranges = 2, .lowest = true});
        assert_int_equal(w.bootstrap->limbs, 1);
        for (int data = 0; data < BOOTSTRAP_DATA; data++) {
            bootstrap_drawn(&w, HB_BOOTSTRAP_LOWEST, data % 2 == 0 ? 0 : 2, (bootstrap_data)data, BOOTSTRAP_REALS);
            bootstrap_drawn(&w, HB_BOOTSTRAP_LOWEST, data % 2 == 0 ? 2 : 0, (bootstrap_data)data, BOOTSTRAP_DISC);
        }
        bootstrap_world_close(&w);
    }
}

/* The mean of alike values keeps the distortion of the form, in both orders, where drawn errors become small. Half a
 * bit less of it is expected than the largest has, for values whose mean is not known. */
static void test_means(void **state)
{
    (void)state;
    for (int lowest = 0; lowest < 2; lowest++) {
        const hb_bootstrap_kind kind = lowest ? HB_BOOTSTRAP_LOWEST : HB_BOOTSTRAP_REAL;
        bootstrap_world w;
        hb_quality bound;
        double sum = 0;
        open_order(&w, bootstrap_spec(HB_EVAL_MOD_CUBIC),
                   (hb_bootstrap_spec){.count = 1, .range_bits = (uint32_t[]){0}, .ranges = 1, .lowest = lowest});
        double *values = test_malloc(2 * w.slots * sizeof *values);
        bootstrap_draw(&w, values, BOOTSTRAP_CONSTANT, BOOTSTRAP_REALS);
        assert_int_equal(bootstrap_encrypt(&w, w.a[0], values, 0), HB_OK);
        assert_int_equal(hb_bootstrap_apply(w.ev, w.bootstrap, kind, 0, w.r, w.a, &w.f.keys), HB_OK);
        assert_int_equal(bootstrap_decrypt(&w, w.r[0], 0), HB_OK);
        for (size_t i = 0; i < w.slots; i++) {
            sum += w.host[i] - values[i];
        }
        const double found = -log2(fabs(sum) / (double)w.slots);
        assert_int_equal(bootstrap_bound(&w, kind, 0, &bound), HB_OK);
        bound = hb_error_sum_slots(w.params, w.bootstrap->result_limbs, bound);
        const double expected =
            hb_quality_bits(w.params, w.bootstrap->result_limbs, bound.expected) + log2((double)w.slots);
        if (found < expected - 0.6 || found > expected + 2) {
            fail_msg("kind %d: a mean of %.2f bits, expected %.2f", (int)kind, found, expected);
        }
        test_free(values);
        bootstrap_world_close(&w);
    }
}

/* The ratio of the form has to leave room at q_0, and maps of both directions are as many. */
static void test_no_lowest(void **state)
{
    (void)state;
    hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    hb_params *params;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_true(hb_bootstraps_lowest(params, 2) && !hb_bootstraps_lowest(params, 3));
    hb_params_close(params);
    spec.bootstrapping.stc_levels = 2;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_false(hb_bootstraps_lowest(params, 0));
    hb_params_close(params);
    spec = bootstrap_spec(HB_EVAL_MOD_LIGHT);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_false(hb_bootstraps_lowest(params, 0));
    hb_params_close(params);
}

/* Fewer maps take slots to coefficients. */
static void test_fewer_maps(void **state)
{
    (void)state;
    hb_params_spec spec = bootstrap_spec(HB_EVAL_MOD_CUBIC);
    for (uint32_t maps = 1; maps <= 2; maps++) {
        bootstrap_world w;
        spec.bootstrapping.stc_levels = maps;
        open_spec(&w, spec, false);
        bootstrap(&w, HB_BOOTSTRAP_COMPLEX, 0, BOOTSTRAP_RANDOM);
        bootstrap(&w, HB_BOOTSTRAP_PAIR, 5, BOOTSTRAP_EXTREME);
        bootstrap_world_close(&w);
    }
}

/* The error of a bootstrap, bootstrapped. */
static void test_twice(void **state)
{
    (void)state;
    bootstrap_world w;
    open_world(&w, HB_EVAL_MOD_CUBIC, true);
    bootstrap(&w, HB_BOOTSTRAP_COMPLEX, 0, BOOTSTRAP_RANDOM);
    bootstrap(&w, HB_BOOTSTRAP_REAL, 5, BOOTSTRAP_EXTREME);
    bootstrap(&w, HB_BOOTSTRAP_PAIR, 0, BOOTSTRAP_CONSTANT);
    bootstrap_world_close(&w);
    open_world(&w, HB_EVAL_MOD_LIGHT, true);
    bootstrap(&w, HB_BOOTSTRAP_COMPLEX, 0, BOOTSTRAP_HALF_ONES);
    bootstrap_world_close(&w);
}

/* The expected error at the degree of presets agrees with the measured one, of complex values (semantics.md 9.12). */
static void test_large(void **state)
{
    static const struct {
        const char *preset;
        double largest, mean;
    } known[] = {{"boot-16", 19.7, 22.8},      {"boot-16-sure", 19.3, 22.2}, {"boot-16-light", 15.3, 18.4},
                 {"boot-16-fine", 21.3, 24.2}, {"boot-16-deep", 19.7, 22.8}, {"boot-16-deeper", 19.7, 22.8}};
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        hb_params_spec spec;
        hb_params *params;
        hb_quality bound;
        assert_int_equal(hb_params_preset(known[i].preset, &spec), HB_OK);
        assert_int_equal(hb_params_open(&spec, &params), HB_OK);
        const hb_error_factor a = {hb_error_fresh(params, false, HB_BINOMIAL), {0, -0.8, 0, 0}, false};
        const uint32_t limbs = hb_bootstrapping_levels_of(&spec).out + 1;
        assert_int_equal(hb_error_bootstrap(params, HB_BOOTSTRAP_COMPLEX, 0, false, a, &bound), HB_OK);
        assert_true(fabs(hb_error_bits(params, limbs, bound.expected) - known[i].largest) < 0.4);
        assert_true(fabs(hb_error_bits(params, limbs, mean_of(params, bound)) - known[i].mean) < 0.3);
        assert_true(hb_error_bits(params, limbs, bound.worst) > 2);
        assert_int_equal(hb_error_bootstrap(params, HB_BOOTSTRAP_COMPLEX, 0, false,
                                            (hb_error_factor){a.error, {1, 1, 0, 1}, false}, &bound),
                         HB_EDATA);
        hb_params_close(params);
    }
    const hb_params_spec spec = model_spec();
    hb_params *params;
    hb_quality bound;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(
        hb_error_bootstrap(params, HB_BOOTSTRAP_REAL, 0, false, (hb_error_factor){.related = false}, &bound),
        HB_ECONFIG);
    hb_params_close(params);
}

HB_UNIT(bootstrap_error)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bounds),    cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_lowest),    cmocka_unit_test(test_means),
                                       cmocka_unit_test(test_no_lowest), cmocka_unit_test(test_fewer_maps),
                                       cmocka_unit_test(test_twice),     cmocka_unit_test(test_large)};
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
