/* Numbers, lower levels, conjugation and rotations in every scheme's evaluator, from values to values. */
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
#include "scheme/slots.h"
#include "unit/unit.h"

typedef struct trial {
    hb_params *params;
    hb_engine *engine;
    hb_fixture f;
    double *values; /* [N / 2], small integers */
} trial;

static double value_at(const trial *t, size_t i)
{
    return t->values[i % (t->params->spec.n / 2)];
}

static void open_trial(trial *t, const char *preset)
{
    hb_params_spec spec;
    const hb_seed root = {{1}};
    *t = (trial){.params = NULL};
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &t->params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&t->params->ring, &t->engine), HB_OK);
    assert_int_equal(hb_fixture_init(&t->f, t->engine, t->params, &root, 1), HB_OK);
    const size_t n = spec.n;
    const bool integers = hb_codec_cell_type(spec.scheme) == HB_CELL_INTEGER;
    uint64_t *words = test_calloc(n, sizeof *words);
    t->values = test_calloc(n / 2, sizeof *t->values);
    for (size_t i = 0; i < n / 2; i++) {
        t->values[i] = (double)(i % 7);
        words[i] = hb_codec_from_number(&spec, (int64_t)(i % 7));
        words[n / 2 + i] = integers ? words[i] : 0; /* of reals: imaginary parts */
    }
    assert_int_equal(hb_upload(t->engine, t->f.values.data, words, n * sizeof *words), HB_OK);
    assert_int_equal(hb_encode(t->f.codec, t->f.plain, t->f.values), HB_OK);
    assert_int_equal(hb_fixture_evaluate(&t->f, (uint32_t)hb_slots_shape(&spec).columns), HB_OK);
    test_free(words);
}

static void close_trial(trial *t)
{
    test_free(t->values);
    hb_fixture_clear(&t->f);
    hb_engine_close(t->engine);
    hb_params_close(t->params);
}

/* Slot i of a, which is destroyed, is factor times value i + step of the row, plus `more`. */
static void expect_rotated(trial *t, hb_ciphertexts a, double factor, double more, size_t step)
{
    const hb_params *p = t->params;
    const size_t n = p->spec.n;
    const uint32_t limbs = a.all.limbs;
    hb_decryptor *decryptor;
    hb_batch phase, plain;
    uint64_t *words = test_malloc(n * sizeof *words);
    assert_int_equal(hb_decryptor_open(t->engine, &t->f.secret, limbs, 1, &decryptor), HB_OK);
    assert_int_equal(hb_batch_alloc(t->engine, &phase, 1, limbs, p->ids), HB_OK);
    assert_int_equal(hb_plaintexts_alloc(&plain, t->engine, p, limbs, 1), HB_OK);
    assert_int_equal(hb_phase(decryptor, phase, hb_ciphertexts_component(a, 0), hb_ciphertexts_component(a, 1)), HB_OK);
    assert_int_equal(hb_decrypt(decryptor, plain, phase), HB_OK);
    assert_int_equal(hb_decode(t->f.codec, t->f.values, plain), HB_OK);
    assert_int_equal(hb_download(t->engine, words, t->f.values.data, n * sizeof *words), HB_OK);
    assert_int_equal(hb_finish(t->engine), HB_OK);
    for (size_t i = 0; i < n / 2; i++) {
        const double wanted = factor * value_at(t, i + step) + more;
        if (hb_codec_cell_type(p->spec.scheme) == HB_CELL_INTEGER) {
            assert_int_equal(words[i], hb_codec_from_number(&p->spec, (int64_t)wanted));
        } else {
            assert_true(fabs(hb_real_of(words[i]) - wanted) < 0x1p-12);
        }
    }
    hb_decryptor_close(decryptor);
    hb_batch_free(t->engine, &phase);
    hb_batch_free(t->engine, &plain);
    test_free(words);
}

static void expect(trial *t, hb_ciphertexts a, double factor, double more)
{
    expect_rotated(t, a, factor, more, 0);
}

static void check_numbers(trial *t)
{
    hb_evaluator *ev = t->f.evaluator;
    const hb_ciphertexts a = t->f.a, r = t->f.narrow;
    const uint32_t limbs = a.all.limbs;
    assert_int_equal(hb_evaluator_add_number(ev, r, a, -3), HB_OK);
    expect(t, r, 1, -3);
    assert_int_equal(hb_evaluator_copy(ev, r, a), HB_OK);
    assert_int_equal(hb_evaluator_add_number(ev, r, r, 5), HB_OK);
    expect(t, r, 1, 5);
    const hb_ciphertexts lower = hb_ciphertexts_view(t->f.b, t->engine, t->params, 2, 1, limbs - 1);
    assert_int_equal(hb_evaluator_multiply_number(ev, r, a, -4), HB_OK);
    assert_int_equal(hb_evaluator_mod_switch(ev, lower, r), HB_OK);
    expect(t, lower, -4, 0);
    assert_int_equal(hb_evaluator_add_number(ev, r, a, INFINITY), HB_EDATA);
    assert_int_equal(hb_evaluator_multiply_number(ev, r, a, NAN), HB_EDATA);
    const bool integers = hb_codec_cell_type(t->params->spec.scheme) == HB_CELL_INTEGER;
    assert_int_equal(hb_evaluator_add_number(ev, r, a, 0.5), integers ? HB_EDATA : HB_OK);
    assert_int_equal(hb_evaluator_add_number(ev, r, a, 0x1p200), HB_EDATA);
}

/* To every level that there is; in place to the lowest. */
static void check_levels(trial *t)
{
    const hb_params *p = t->params;
    uint32_t lowest = t->f.a.all.limbs;
    for (uint32_t k = lowest; k >= 1 && p->levels[k].basis.limbs == k; k--) {
        const hb_ciphertexts r = hb_ciphertexts_view(t->f.b, t->engine, p, 2, 1, k);
        assert_int_equal(hb_evaluator_adjust(t->f.evaluator, r, t->f.a), HB_OK);
        expect(t, r, 1, 0);
        lowest = k;
    }
    assert_true(lowest < t->f.a.all.limbs);
    assert_int_equal(hb_evaluator_copy(t->f.evaluator, t->f.narrow, t->f.a), HB_OK);
    const hb_ciphertexts in_place = hb_ciphertexts_view(t->f.narrow, t->engine, p, 2, 1, lowest);
    assert_int_equal(hb_evaluator_adjust(t->f.evaluator, in_place, t->f.narrow), HB_OK);
    expect(t, in_place, 1, 0);
}

/* Reals and integers are their own conjugates. */
static void check_conjugation(trial *t)
{
    const uint32_t rows = hb_slots_shape(&t->params->spec).rows;
    assert_int_equal(hb_evaluator_conjugate(t->f.evaluator, t->f.narrow, t->f.a, &t->f.keys), HB_OK);
    expect(t, t->f.narrow, 1, 0);
    assert_int_equal(hb_evaluator_swap(t->f.evaluator, t->f.narrow, t->f.a, &t->f.keys),
                     rows == 2 ? HB_OK : HB_ECONFIG);
}

/* i i = -1, where there is i; beside its conjugate it is seen that i is not -i. */
static void check_i(trial *t)
{
    hb_evaluator *ev = t->f.evaluator;
    const hb_ciphertexts r = t->f.narrow;
    if (!hb_slots_have_i(&t->params->spec)) {
        assert_int_equal(hb_evaluator_multiply_i(ev, r, t->f.a, HB_PLUS), HB_ECONFIG);
        return;
    }
    assert_int_equal(hb_evaluator_multiply_i(ev, r, t->f.a, HB_PLUS), HB_OK);
    assert_int_equal(hb_evaluator_multiply_i(ev, r, r, HB_PLUS), HB_OK);
    expect(t, r, -1, 0);
    assert_int_equal(hb_evaluator_multiply_i(ev, r, t->f.a, HB_MINUS), HB_OK);
    assert_int_equal(hb_evaluator_conjugate(ev, r, r, &t->f.keys), HB_OK); /* of -i x it is i x */
    assert_int_equal(hb_evaluator_multiply_i(ev, r, r, HB_MINUS), HB_OK);
    expect(t, r, 1, 0);
}

/* By a key of its own; along the terms of 5 = 1 + 4; and 3 = 4 - 1 lacks a key. The sum of all slots. */
static void check_rotations(trial *t)
{
    const hb_ciphertexts r = t->f.narrow;
    const uint32_t rows = hb_slots_shape(&t->params->spec).rows;
    double sum = 0;
    assert_int_equal(hb_evaluator_rotate(t->f.evaluator, r, t->f.a, 4, &t->f.keys), HB_OK);
    expect_rotated(t, r, 1, 0, 4);
    assert_int_equal(hb_evaluator_rotate(t->f.evaluator, r, t->f.a, 5, &t->f.keys), HB_OK);
    expect_rotated(t, r, 1, 0, 5);
    assert_int_equal(hb_evaluator_rotate(t->f.evaluator, r, t->f.a, 3, &t->f.keys), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "rotate by -1"));
    assert_int_equal(hb_evaluator_rotate(t->f.evaluator, r, t->f.a, 0, NULL), HB_OK);
    expect(t, r, 1, 0);
    assert_int_equal(hb_evaluator_copy(t->f.evaluator, r, t->f.a), HB_OK);
    assert_int_equal(hb_evaluator_sum_slots(t->f.evaluator, r, &t->f.keys), HB_OK);
    for (size_t i = 0; i < t->params->spec.n / 2; i++) {
        sum += rows * t->values[i];
    }
    expect(t, r, 0, sum);
}

static void test_evaluators(void **state)
{
    (void)state;
    static const char *const presets[] = {"bfv-4096", "bfv-8192", "int-test", "ckks-13"};
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        trial t;
        open_trial(&t, presets[i]);
        check_numbers(&t);
        check_levels(&t);
        check_conjugation(&t);
        check_i(&t);
        check_rotations(&t);
        close_trial(&t);
    }
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(scheme_evaluator)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_evaluators),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
