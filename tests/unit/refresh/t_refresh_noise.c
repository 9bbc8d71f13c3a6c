/* The noise behind a pass of bootstrapping against numbers of the exact model (class Noise of the design's Python), for
 * every chain and every form; ranges against the inequalities that they have to keep. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bfv/noise.h"
#include "bootstrapping/eval_mod.h"
#include "refresh/noise.h"
#include "rlwe/bounds.h"
#include "scheme/params.h"
#include "scheme/quality.h"
#include "unit/unit.h"

static hb_params *open_chain(const char *name, hb_eval_mod form, uint64_t plain)
{
    hb_params_spec spec;
    hb_params *params = NULL;
    assert_int_equal(hb_params_preset(name, &spec), HB_OK);
    spec.bfv.plain = plain;
    spec.bootstrapping.eval_mod = form != HB_EVAL_MOD_NONE ? form : spec.bootstrapping.eval_mod;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

static double log_modulus(const hb_params *params)
{
    return hb_log_modulus(params, hb_params_fresh_limbs(params));
}

static double tail_of(const hb_params *params)
{
    return log2(sqrt(2 * log(2 * (double)params->spec.n)));
}

/* The noise of which the mean square has so many bits, as the model counts them: -log2 of twice it. */
static hb_quality noise_of(const hb_params *params, double bits)
{
    const double expected = log_modulus(params) - 1 - bits + tail_of(params);
    return (hb_quality){.worst = expected + 40, .expected = expected, .powers = 5};
}

/* Bits of the mean square before and after a pass with k, in the model. */
static const struct {
    const char *name;
    double before;
    uint32_t k;
    double after;
} model[] = {
    {"int-16", 30, 2, 31.2},      {"int-16", 60, 40, 69.2},      {"int-16", 120, 100, 129.2},
    {"int-16-sure", 30, 2, 30.6}, {"int-16-sure", 60, 40, 68.6}, {"int-16-sure", 120, 100, 128.6},
    {"int-16-deep", 30, 2, 31.2}, {"int-16-deep", 60, 40, 69.2}, {"int-16-deep", 120, 100, 129.2},
    {"int-15", 30, 2, 32.2},      {"int-15", 60, 40, 70.2},      {"int-15", 18.5, 1, 31.2},
    {"int-15", 18.5, 2, 32.2},    {"int-15", 60, 43, 73.2},      {"int-test", 30, 2, 36.6},
    {"int-test", 60, 40, 74.6},   {"int-test", 120, 100, 134.6},
};

static void test_model(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof model / sizeof *model; i++) {
        hb_params *params = open_chain(model[i].name, HB_EVAL_MOD_NONE, 786433);
        const hb_quality before = noise_of(params, model[i].before);
        hb_quality after = before;
        assert_int_equal(hb_quality_refresh(params, HB_CERTAINTY_DRAWN, model[i].k, before, &after), HB_OK);
        assert_true(fabs(log_modulus(params) - 1 - (after.worst - 6.2) - (model[i].after)) < 0.01);
        assert_true(fabs(after.expected - (after.worst - HB_NOISE_MARGIN)) < 1e-6);
        assert_int_equal(after.powers, 1);
        assert_int_equal(after.certainty, HB_CERTAINTY_DRAWN);
        hb_params_close(params);
    }
}

/* Other forms at N = 1024: what undoing the sine leaves, where z is large. */
static void test_forms(void **state)
{
    (void)state;
    static const struct {
        hb_eval_mod form;
        double before;
        uint32_t k;
        double after;
    } forms[] = {{HB_EVAL_MOD_CUBIC, 18.5, 2, 37.1975816456}, {HB_EVAL_MOD_CUBIC, 17, 3, 38.126371618},
                 {HB_EVAL_MOD_CUBIC, 60, 47, 81.9420697759},  {HB_EVAL_MOD_SURE, 17, 3, 37.567024032},
                 {HB_EVAL_MOD_SURE, 60, 47, 81.4762782736},   {HB_EVAL_MOD_LIGHT, 17, 0, 35.2},
                 {HB_EVAL_MOD_LIGHT, 60, 43, 78.199999991}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        hb_params *params = open_chain("int-test", forms[i].form, 786433);
        hb_quality after;
        assert_int_equal(
            hb_quality_refresh(params, HB_CERTAINTY_DRAWN, forms[i].k, noise_of(params, forms[i].before), &after),
            HB_OK);
        assert_true(fabs(log_modulus(params) - 1 - (after.worst - 6.2) - forms[i].after) < 0.1);
        hb_params_close(params);
    }
}

/* The largest k: the bound still fits, and one more does not; the constant keeps its 26 bits. */
static void check_range(const hb_params *params, hb_certainty certainty, hb_quality a, double bound)
{
    const hb_bootstrapping_spec *b = &params->spec.bootstrapping;
    const double rho = hb_eval_mod_form_of(b->eval_mod)->ratio_bits, v = bound - log_modulus(params);
    const double constant = log_modulus(params) - b->scale_bits - rho - log2((double)params->spec.bfv.plain);
    uint32_t k = UINT32_MAX;
    const hb_status st = hb_quality_refresh_bits(params, certainty, a, &k);
    if (rho + v > 0x1p-10) {
        assert_int_equal(st, HB_EDATA);
        return;
    }
    assert_int_equal(st, HB_OK);
    assert_true(k + rho + v <= 0x1p-10 && constant - k >= 26);
    assert_true(k + 1 + rho + v > 0 || constant - (k + 1) < 26 + 1e-5);
    hb_quality after = a;
    assert_int_equal(hb_quality_refresh(params, certainty, k, a, &after), HB_OK);
    assert_int_equal(hb_quality_refresh(params, certainty, k + 1, a, &after), HB_EDATA);
}

static void test_ranges(void **state)
{
    (void)state;
    static const char *const names[] = {"int-16", "int-16-sure", "int-16-deep", "int-15", "int-test"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        hb_params *params = open_chain(names[i], HB_EVAL_MOD_NONE, 786433);
        for (double bits = 3; bits < log_modulus(params) - 22; bits += 3.7) {
            const hb_quality a = noise_of(params, bits);
            check_range(params, HB_CERTAINTY_DRAWN, a, a.expected + HB_NOISE_MARGIN);
            check_range(params, HB_CERTAINTY_EXPECTED, a, a.expected + HB_NOISE_MARGIN - 1);
        }
        /* A proven bound that is better than what is expected with a margin is taken. */
        hb_quality a = noise_of(params, 50);
        a.worst = a.expected + 1;
        check_range(params, HB_CERTAINTY_DRAWN, a, a.worst);
        hb_params_close(params);
    }
}

static void test_refused(void **state)
{
    (void)state;
    hb_params *params = open_chain("int-15", HB_EVAL_MOD_NONE, 786433);
    hb_quality a = noise_of(params, 60);
    uint32_t k;
    a.worst = log_modulus(params) - 5; /* by its proven bound there is too little left */
    assert_int_equal(hb_quality_refresh(params, HB_CERTAINTY_PROVEN, 0, a, &a), HB_EDATA);
    hb_params_close(params);
    params = open_chain("int-test", HB_EVAL_MOD_NONE, UINT64_C(1152921504606830593)); /* 60 bits */
    a = noise_of(params, 30);
    assert_int_equal(hb_quality_refresh_bits(params, HB_CERTAINTY_DRAWN, a, &k), HB_OK);
    hb_params_close(params);
    hb_params_spec spec;
    assert_int_equal(hb_params_preset("bfv-8192", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_quality_refresh_bits(params, HB_CERTAINTY_DRAWN, a, &k), HB_ECONFIG);
    hb_params_close(params);
}

/* 2^-72.7 for 2^16 coefficients (design section 5), half of that for half of them; nothing where the form holds all. */
static void test_failure(void **state)
{
    (void)state;
    hb_params *params = open_chain("int-16", HB_EVAL_MOD_NONE, 786433);
    assert_true(fabs(hb_quality_refresh_failure(params, 1) - (-72.7)) < 1e-9);
    hb_params_close(params);
    params = open_chain("int-15", HB_EVAL_MOD_NONE, 786433);
    assert_true(fabs(hb_quality_refresh_failure(params, 1) - (-73.7)) < 1e-9);
    hb_params_close(params);
    params = open_chain("int-16-sure", HB_EVAL_MOD_NONE, 786433);
    assert_true(isinf(hb_quality_refresh_failure(params, 1)) && hb_quality_refresh_failure(params, 1) < 0);
    hb_params_close(params);
}

/* Proven bounds sum up the worst of every step: some ten bits more than drawn ones, whatever k is. */
static void test_proven(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double bits; /* of z that a pass is proven to read */
    } chains[] = {
        {"int-16", 15.37}, {"int-16-sure", 15.25}, {"int-16-deep", 15.34}, {"int-15", 10.05}, {"int-test", 21.92}};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        hb_params *params = open_chain(chains[i].name, HB_EVAL_MOD_NONE, 786433);
        const double rho = hb_eval_mod_form_of(params->spec.bootstrapping.eval_mod)->ratio_bits;
        hb_quality a = noise_of(params, 60), proven, drawn;
        a.worst = a.expected + 8;
        for (uint32_t k = 0; k < 40; k += 13) {
            assert_int_equal(hb_quality_refresh(params, HB_CERTAINTY_PROVEN, k, a, &proven), HB_OK);
            assert_int_equal(hb_quality_refresh(params, HB_CERTAINTY_DRAWN, k, a, &drawn), HB_OK);
            assert_true(fabs(log_modulus(params) - k - rho - proven.worst - chains[i].bits) < 0.02);
            assert_true(proven.worst > drawn.worst && proven.expected == drawn.expected);
            /* A form that may lose a ciphertext proves nothing. */
            assert_int_equal(proven.certainty,
                             isinf(hb_quality_refresh_failure(params, 1)) ? HB_CERTAINTY_PROVEN : HB_CERTAINTY_DRAWN);
        }
        /* A bound that was drawn before is not proven behind a proven pass. */
        a.certainty = HB_CERTAINTY_DRAWN;
        assert_int_equal(hb_quality_refresh(params, HB_CERTAINTY_PROVEN, 0, a, &proven), HB_OK);
        assert_int_equal(proven.certainty, HB_CERTAINTY_DRAWN);
        hb_params_close(params);
    }
}

/* A bound that is not proven stays so: with operations behind a pass, and beside proven noise. */
static void test_certainty(void **state)
{
    (void)state;
    hb_params *params = open_chain("int-test", HB_EVAL_MOD_NONE, 786433);
    const uint32_t limbs = hb_params_fresh_limbs(params);
    const hb_quality fresh = hb_quality_fresh(params, true, HB_BINOMIAL);
    hb_quality drawn;
    assert_int_equal(hb_quality_refresh(params, HB_CERTAINTY_DRAWN, 40, noise_of(params, 60), &drawn), HB_OK);
    const hb_quality_factor a = {.quality = fresh, .size = 2}, b = {.quality = drawn, .size = 2};
    const hb_quality made[] = {hb_quality_add(params, fresh, drawn),
                               hb_quality_add(params, drawn, fresh),
                               hb_quality_sum(params, drawn, 9),
                               hb_quality_add_plain(params, drawn),
                               hb_quality_multiply_integer(params, drawn, 3),
                               hb_quality_multiply_plain(params, limbs, b, HB_FACTOR_ANY, (hb_magnitude){.most = 0}),
                               hb_quality_multiply(params, limbs, a, b),
                               hb_quality_multiply(params, limbs, b, a),
                               hb_quality_again(params, drawn, 2),
                               hb_quality_switch(params, limbs, drawn, HB_SWITCH_GALOIS),
                               hb_quality_sum_slots(params, limbs, drawn),
                               hb_quality_mod_switch(params, limbs, drawn, 2)};
    assert_int_equal(fresh.certainty, HB_CERTAINTY_PROVEN);
    assert_int_equal(hb_quality_multiply(params, limbs, a, a).certainty, HB_CERTAINTY_PROVEN);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        assert_int_equal(made[i].certainty, HB_CERTAINTY_DRAWN);
    }
    hb_params_close(params);
}

/* Where the expected bound decides, the same noise may be in both terms of a sum, and the same factor in all products,
 * also where files forgot it: m products have m! times the variance. */
static void test_dependent(void **state)
{
    (void)state;
    hb_params *params = open_chain("int-test", HB_EVAL_MOD_NONE, 786433);
    const uint32_t limbs = hb_params_fresh_limbs(params);
    const hb_quality a = noise_of(params, 200);
    assert_true(hb_quality_add(params, a, a).expected >= a.expected + 1);
    assert_true(hb_quality_sum(params, a, 64).expected >= a.expected + 6);
    assert_true(hb_quality_sum_window(params, limbs, a, 64).expected >= a.expected + 6);
    const hb_quality fresh = hb_quality_fresh(params, true, HB_BINOMIAL);
    const hb_quality_factor x = {.quality = fresh, .size = 2};
    hb_quality_factor product = {.quality = fresh, .size = 2}, scaled = product;
    double growth[6], plain_growth[6];
    for (uint32_t m = 0; m < 6; m++) {
        const double before = product.quality.expected, plain_before = scaled.quality.expected;
        product.quality = hb_quality_multiply(params, limbs, product, x);
        scaled.quality = hb_quality_multiply_plain(params, limbs, scaled, HB_FACTOR_ANY, (hb_magnitude){.most = 0});
        growth[m] = product.quality.expected - before;
        plain_growth[m] = scaled.quality.expected - plain_before;
    }
    /* The 6th product over the 2nd: root of 3 for the factors, root of 7 / 3 for the powers of the secret. */
    assert_true(growth[5] - growth[1] > log2(3) / 2 + log2(7.0 / 3) / 2 - 0.2);
    assert_true(plain_growth[5] - plain_growth[1] > log2(3) / 2 - 0.01);
    /* A square's factor is not in its noise yet. */
    const hb_quality other = hb_quality_multiply(params, limbs, product, product);
    assert_true(hb_quality_square(params, limbs, product).expected < other.expected - 1);
    hb_params_close(params);
}

HB_UNIT(refresh_noise)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_model),     cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_ranges),    cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_failure),   cmocka_unit_test(test_proven),
                                       cmocka_unit_test(test_certainty), cmocka_unit_test(test_dependent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
