/* Polynomials in the Chebyshev basis: the model's words, whole and with limbs divided; plans of any degree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ckks/polynomial.h"
#include "ckks/polynomial_plan.h"
#include "reference/ckks_model.h"
#include "reference/plan_value.h"
#include "reference/slow.h"
#include "unit/unit.h"

enum { CASES = 9, COUNT = 3 };

/* The model's results for the same operand. */
static const struct {
    const char *name;
    uint32_t degree, baby, limbs; /* of the result */
    const char *digest;
    double c[32];
} cases[CASES] = {
    {"degree 31, baby 4", 31, 4, 2, "70fa46687cd440f47b450b6ee5b35e914ef81fb6409e58e1643b21e8d2b6c9a8", {0}},
    {"degree 31, baby 8", 31, 8, 2, "6cc080b5eeb8d587e55e75d05df8da5d94fc0d47d19800ad86cf597c86d4d00d", {0}},
    {"degree 1", 1, 4, 6, "23acedf1a75c8b68f75e9394b8bf006fbe4233ab3e0eaf06b30c72ab07cc6f96", {0.5, -0.75}},
    {"T_2", 2, 4, 5, "eea9dd85ae6e555bc9210a0b70d325776aed51b1d42b29aac3bf3f583c24088b", {0.25, 0, 0.5}},
    {"T_4 alone", 4, 4, 4, "b75d51359bae27f836e9227cb3f417f67e40fb357d5cf2f902e9e0488edcc51d", {[4] = 0.75}},
    {"even",
     12,
     4,
     3,
     "be5835cf36f7aec56b09794c74bba35c481e3423b27ec0130e9669b21dbe4b39",
     {0.125, 0, -0.5, 0, 0.25, 0, 0.375, 0, -0.0625, 0, 0.3125, 0, 0.75}},
    {"odd",
     15,
     8,
     3,
     "b1ef39761036bc16a84b48833346ab600a3664a42dce34ac730e194184723f2d",
     {0, 0.5, 0, -0.25, 0, 0.125, 0, 0.0625, 0, -0.75, 0, 0.375, 0, 0.25, 0, 0.5}},
    {"degree 63", 63, 8, 1, "84ab18236c05a1389d4b2071fc1649e4c3d1f7975e01d39ccbad0154e96ba6c1", {0}},
    {"degree 40, four terms", 40, 4, 1, "f39cf04cf185f4210b6bf623395f9e623ac8eeeb964f879a04fc151c9b3cfc31", {0}},
};

static int64_t message[MODEL_N];
static double model_coefficients[32];

static void coefficients_of_case(int i, double *c)
{
    memset(c, 0, 64 * sizeof *c);
    for (uint32_t k = 0; k <= cases[i].degree; k++) {
        if (cases[i].degree == 31) {
            c[k] = model_coefficients[k];
        } else if (cases[i].degree == 63) {
            c[k] = (k / 2 % 2 == 0 ? 1.0 : -1.0) / (k + 1);
        } else if (cases[i].degree == 40) {
            c[k] = k == 0 || k == 3 || k == 17 || k == 40 ? 0.5 : 0;
        } else {
            c[k] = cases[i].c[k];
        }
    }
}

/* Three times the same operand, in as many at a time as the workspace holds. */
static hb_status play_case(side *s, int i, hb_evaluator *ev, const hb_switch_keys *keys, hb_ciphertexts a,
                           size_t together)
{
    double c[64];
    coefficients_of_case(i, c);
    const hb_chebyshev polynomial = {cases[i].degree, c};
    const hb_polynomial_spec spec = {STREAM_PRIMES - 2, cases[i].baby};
    hb_polynomial *p;
    HB_TRY(hb_ckks_polynomial_open(s->params, &spec, &polynomial, &p));
    HB_ASSERT(p->result_limbs == cases[i].limbs);
    const size_t words = together * p->words;
    void *work = NULL;
    hb_status st;
    HB_GOTO(hb_alloc(s->engine, words * sizeof(uint64_t), &work));
    const hb_ciphertexts r = room(s, 2, COUNT, cases[i].limbs);
    HB_GOTO(hb_ckks_polynomial_apply(ev, r, a, p, hb_switch_keys_find(keys, HB_RELINEARIZATION),
                                     (hb_workspace){work, words}));
    for (size_t k = 0; k < COUNT; k++) {
        const hb_ciphertexts one = room(s, 2, 1, cases[i].limbs);
        for (uint32_t j = 0; j < 2; j++) {
            HB_GOTO(hb_copy(s->engine, hb_ciphertexts_component(one, j),
                            hb_batch_slice(hb_ciphertexts_component(r, j), k, 1)));
        }
        HB_GOTO(expect_digest(s, cases[i].name, one.all, cases[i].digest));
    }
done:
    hb_free(s->engine, work);
    hb_ckks_polynomial_close(p);
    return st;
}

static hb_status play_words(side *s, const void *with)
{
    (void)with;
    const uint32_t limbs = s->params->data_limbs;
    const hb_evaluator_requirements requirements = {.limbs = limbs, .count = 2, .switching = true};
    hb_switch_keys keys = {0};
    hb_evaluator *ev = NULL;
    hb_ciphertexts x;
    hb_status st;
    HB_GOTO(hb_evaluator_open(s->engine, s->params, &requirements, &ev));
    HB_GOTO(model_switch_key(s, &keys, HB_RELINEARIZATION));
    HB_GOTO(model_encrypt(s, &x, message, 3));
    const hb_ciphertexts a = room(s, 2, COUNT, limbs);
    for (uint32_t c = 0; c < 2; c++) {
        for (size_t i = 0; i < COUNT; i++) {
            HB_GOTO(hb_copy(s->engine, hb_batch_slice(hb_ciphertexts_component(a, c), i, 1),
                            hb_ciphertexts_component(x, c)));
        }
    }
    for (int i = 0; i < CASES; i++) {
        HB_GOTO(play_case(s, i, ev, &keys, a, 1 + (size_t)i % COUNT));
    }
done:
    hb_switch_keys_clear(&keys);
    hb_evaluator_close(ev);
    return st;
}

static void test_model(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    assert_true(read_file(message, sizeof message, "poly/message.i64"));
    assert_true(read_file(model_coefficients, sizeof model_coefficients, "poly/coefficients.f64"));
    for (uint32_t members = 1; members <= 4; members++) {
        expect_play(&spec, play_words, NULL, members);
    }
}

/* Values that are there together lie apart. */
static void check_places(const hb_polynomial_plan *plan)
{
    for (uint32_t i = 0; i < plan->value_count; i++) {
        const hb_polynomial_value *x = &plan->values[i];
        assert_true(x->offset + x->words <= plan->words);
        for (uint32_t j = 0; j < i; j++) {
            const hb_polynomial_value *y = &plan->values[j];
            const bool together = x->first <= y->last && y->first <= x->last;
            assert_true(!together || x->offset + x->words <= y->offset || y->offset + y->words <= x->offset);
        }
    }
}

static uint32_t levels_of(uint32_t degree)
{
    uint32_t levels = 0;
    while ((uint32_t)1 << levels < degree + 1) {
        levels++;
    }
    return levels;
}

/* Every plan computes its polynomial, with the fewest levels; the scale of the result is that of its level. */
static void check_plan(const hb_params *params, uint32_t degree, uint64_t seed)
{
    static double c[HB_CHEBYSHEV_MOST_DEGREE + 1];
    for (uint32_t k = 0; k <= degree; k++) {
        const bool there = seed % 3 == 0 || (seed % 3 == 1 ? k % 2 == degree % 2 : stream_word(seed, k) % 4 == 0);
        c[k] = there || k == degree ? (double)(int64_t)stream_word(seed + 1, k) / 0x1p63 / (k + 1) : 0;
    }
    const hb_chebyshev polynomial = {degree, c};
    for (uint32_t baby = 0; baby <= 16; baby = baby == 0 ? 2 : 2 * baby) {
        hb_polynomial_plan plan;
        const uint32_t limbs = params->data_limbs;
        assert_int_equal(hb_polynomial_plan_init(&plan, params, limbs, &polynomial, baby), HB_OK);
        const uint32_t below = hb_polynomial_plan_result_limbs(&plan);
        assert_int_equal(below, limbs - levels_of(degree));
        for (int i = -8; i <= 8; i++) {
            assert_true(fabs(plan_value(&plan, i / 8.0) - slow_chebyshev(c, degree, i / 8.0)) < 0x1p-36);
        }
        const hb_exact_scale off =
            hb_exact_scale_divide(plan.values[plan.steps[plan.step_count - 1].to].scale, hb_ckks_scale(params, below));
        assert_true(hb_exact_scale_distance_from_one(off) < 0x1p-110);
        check_places(&plan);
        hb_polynomial_plan_clear(&plan);
    }
}

static void check_plans(const char *preset)
{
    hb_params_spec spec;
    hb_params *params;
    assert_int_equal(hb_params_preset(preset, &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    for (uint32_t degree = 1; levels_of(degree) < params->data_limbs && degree <= 511; degree += 1 + degree / 6) {
        check_plan(params, degree, degree);
    }
    hb_params_close(params);
}

static void test_plans(void **state)
{
    (void)state;
    check_plans("ckks-14");
    check_plans("ckks-15");
    check_plans("seal-ckks-16384");
}

static void expect_refused(const hb_params *params, uint32_t limbs, hb_chebyshev polynomial, hb_status code)
{
    hb_polynomial *p;
    assert_int_equal(hb_ckks_polynomial_open(params, &(hb_polynomial_spec){limbs, 0}, &polynomial, &p), code);
    assert_null(p);
}

static void test_refused(void **state)
{
    (void)state;
    static double c[HB_CHEBYSHEV_MOST_DEGREE + 2] = {1};
    hb_params_spec spec = model_spec();
    hb_params *params;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    expect_refused(params, 7, (hb_chebyshev){0, c}, HB_EUSAGE);
    expect_refused(params, 7, (hb_chebyshev){5, c}, HB_EUSAGE); /* zeros behind the constant */
    c[1] = NAN;
    expect_refused(params, 7, (hb_chebyshev){1, c}, HB_EUSAGE);
    c[1] = 1e300;
    expect_refused(params, 7, (hb_chebyshev){1, c}, HB_EDATA);
    c[1] = 1;
    expect_refused(params, 1, (hb_chebyshev){1, c}, HB_EDATA);
    c[64] = 1;
    expect_refused(params, 7, (hb_chebyshev){64, c}, HB_EDATA);
    expect_refused(params, 7, (hb_chebyshev){HB_CHEBYSHEV_MOST_DEGREE + 1, c}, HB_EUSAGE);
    hb_params_close(params);
}

HB_UNIT(ckks_polynomial)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_model), cmocka_unit_test(test_plans),
                                       cmocka_unit_test(test_refused)};
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
