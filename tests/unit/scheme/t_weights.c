/* Matrices of numbers: the words of hb_evaluator_combine are those of products with each number, added up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "check/fixture.h"
#include "cpu/engine.h"
#include "scheme/weights.h"
#include "unit/unit.h"

enum { OUTPUTS = 3, INPUTS = 5 };

typedef struct trial {
    hb_params *params;
    hb_engine *engine;
    hb_evaluator *ev;
    hb_ciphertexts a[INPUTS], r[OUTPUTS], sum, term;
} trial;

static hb_ciphertexts make(trial *t, uint32_t limbs)
{
    hb_ciphertexts c;
    assert_int_equal(hb_ciphertexts_alloc(&c, t->engine, t->params, 2, 2, limbs), HB_OK);
    return c;
}

/* Any words will do for inputs. */
static void open_trial(trial *t, const char *preset, uint32_t down)
{
    hb_params_spec spec;
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &t->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&t->params->ring, &t->engine), HB_OK);
    const uint32_t limbs = t->params->fresh_limbs - down;
    const hb_evaluator_requirements requirements = {.limbs = limbs, .count = 2};
    assert_int_equal(hb_evaluator_open(t->engine, t->params, &requirements, &t->ev), HB_OK);
    for (uint32_t i = 0; i < INPUTS; i++) {
        const uint8_t k = (uint8_t)i;
        const hb_seed seeds[] = {{{k, 0}}, {{k, 1}}, {{k, 2}}, {{k, 3}}};
        t->a[i] = make(t, limbs);
        assert_int_equal(hb_sample_uniform(t->engine, t->a[i].all, seeds), HB_OK);
    }
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        t->r[o] = make(t, limbs);
    }
    t->sum = make(t, limbs);
    t->term = make(t, limbs);
}

static void close_trial(trial *t)
{
    for (uint32_t i = 0; i < INPUTS; i++) {
        hb_batch_free(t->engine, &t->a[i].all);
    }
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        hb_batch_free(t->engine, &t->r[o].all);
    }
    hb_batch_free(t->engine, &t->sum.all);
    hb_batch_free(t->engine, &t->term.all);
    hb_evaluator_close(t->ev);
    hb_engine_close(t->engine);
    hb_params_close(t->params);
}

/* The sum of products of one output, in t->sum. */
static void slow_sum(trial *t, const hb_weight_row *row)
{
    for (uint32_t i = 0; i < INPUTS; i++) {
        const hb_ciphertexts to = i == 0 ? t->sum : t->term;
        assert_int_equal(row->reals != NULL ? hb_evaluator_multiply_number(t->ev, to, t->a[i], row->reals[i])
                                            : hb_evaluator_multiply_integer(t->ev, to, t->a[i], row->integers[i]),
                         HB_OK);
        if (i > 0) {
            assert_int_equal(hb_evaluator_add(t->ev, t->sum, t->sum, t->term), HB_OK);
        }
    }
}

static void check(trial *t, const hb_weight_row *rows)
{
    hb_weights weights;
    hb_batch a[INPUTS], r[OUTPUTS];
    for (uint32_t i = 0; i < INPUTS; i++) {
        a[i] = t->a[i].all;
    }
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        r[o] = t->r[o].all;
    }
    assert_int_equal(hb_weights_init(&weights, t->engine, t->params, rows, OUTPUTS, INPUTS, a[0].limbs), HB_OK);
    assert_true(weights.residues.count * weights.residues.stride <=
                hb_weights_words(t->params, OUTPUTS, INPUTS, a[0].limbs));
    assert_int_equal(hb_evaluator_combine(t->ev, r, a, &weights), HB_OK);
    for (uint32_t o = 0; o < OUTPUTS; o++) {
        slow_sum(t, &rows[o]);
        assert_memory_equal(r[o].data, t->sum.all.data, r[o].count * r[o].stride * sizeof(uint64_t));
    }
    hb_weights_clear(&weights, t->engine);
    assert_null(weights.residues.data);
}

static const int64_t integers[OUTPUTS][INPUTS] = {
    {1, -1, 2, 0, 5}, {INT64_MAX / 2, 3, -(INT64_MAX / 2), 1, -7}, {0, 0, 0, 0, 1}};
static const double reals[OUTPUTS][INPUTS] = {
    {0.5, -0.25, 1e-6, 0, 1}, {3.14159, -2.71828, 1e3, -1e-9, 7}, {0.1, 0.2, 0.3, 0.4, -0.5}};

static void test_integers(void **state)
{
    (void)state;
    const char *const presets[] = {"bfv-4096", "ckks-13", "int-test"};
    for (size_t k = 0; k < sizeof presets / sizeof *presets; k++) {
        trial t;
        open_trial(&t, presets[k], (uint32_t)(k % 2));
        const hb_weight_row rows[] = {{.integers = integers[0]}, {.integers = integers[1]}, {.integers = integers[2]}};
        check(&t, rows);
        close_trial(&t);
    }
}

static void test_reals(void **state)
{
    (void)state;
    for (uint32_t down = 0; down < 2; down++) {
        trial t;
        open_trial(&t, "ckks-14", down);
        const hb_weight_row rows[] = {{.reals = reals[0]}, {.integers = integers[0]}, {.reals = reals[2]}};
        check(&t, rows);
        const hb_weight_row others[] = {{.reals = reals[1]}, {.reals = reals[2]}, {.reals = reals[0]}};
        check(&t, others);
        close_trial(&t);
    }
}

static void expect_refused(const char *preset, const double *numbers, hb_status code)
{
    trial t;
    hb_weights weights;
    open_trial(&t, preset, 0);
    const hb_weight_row row = {.reals = numbers};
    assert_int_equal(hb_weights_init(&weights, t.engine, t.params, &row, 1, INPUTS, t.a[0].all.limbs), code);
    hb_weights_clear(&weights, t.engine);
    close_trial(&t);
}

static void test_refused(void **state)
{
    (void)state;
    const double infinite[INPUTS] = {1, INFINITY}, none[INPUTS] = {NAN}, large[INPUTS] = {0, 0, 0x1p1000};
    expect_refused("bfv-4096", reals[0], HB_ECONFIG);
    expect_refused("ckks-13", infinite, HB_EDATA);
    expect_refused("ckks-13", none, HB_EDATA);
    expect_refused("ckks-13", large, HB_EDATA);
}

HB_UNIT(weights)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
