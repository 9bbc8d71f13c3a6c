/* Chains of integers that bootstrap: the levels of the presets, the rules of a literal with their words, and the forms
 * of EvalMod that a chain can have. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "scheme/params.h"
#include "unit/unit.h"

static hb_params_spec preset(const char *name)
{
    hb_params_spec spec;
    assert_int_equal(hb_params_preset(name, &spec), HB_OK);
    return spec;
}

static void levels_of_presets(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        hb_bootstrapping_levels levels;
        uint32_t sparse_bits;
    } chains[] = {{"int-16", {5, 8, 8, 11, 19, 22}, 100},        {"int-16-sure", {5, 8, 8, 11, 19, 22}, 100},
                  {"int-16-deep", {8, 11, 11, 14, 22, 25}, 97},  {"int-15", {3, 5, 5, 5, 13, 15}, 100},
                  {"int-16-table-4", {3, 6, 6, 10, 18, 21}, 98}, {"int-16-table-8", {3, 6, 6, 14, 22, 25}, 98},
                  {"int-table-test", {3, 6, 6, 14, 22, 25}, 98}, {"int-test", {5, 8, 8, 11, 19, 22}, 100},
                  {"boot-test", {0, 3, 17, 19, 27, 30}, 98}};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        const hb_params_spec spec = preset(chains[i].name);
        const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&spec);
        hb_params *params = NULL;
        assert_memory_equal(&levels, &chains[i].levels, sizeof levels);
        assert_int_equal(hb_bootstrapping_sparse_bits(&spec), chains[i].sparse_bits);
        assert_int_equal(hb_bootstrapping_of_integers(&spec.bootstrapping), spec.scheme == HB_BFV);
        assert_int_equal(hb_params_open(&spec, &params), HB_OK);
        /* Users have the levels below those of bootstrapping alone. */
        assert_int_equal(params->fresh_limbs, (spec.scheme == HB_BFV ? levels.coefficients : levels.join) + 1);
        assert_int_equal(params->data_limbs, levels.top + 1);
        hb_params_close(params);
    }
}

static void expect_refused(hb_params_spec spec, const char *words)
{
    hb_params *params = NULL;
    assert_int_equal(hb_params_open(&spec, &params), HB_ECONFIG);
    if (strstr(hb_last_error()->text, words) == NULL) {
        fail_msg("'%s' is not in '%s'", words, hb_last_error()->text);
    }
    assert_null(params);
}

static void rules_have_words(void **state)
{
    (void)state;
    const hb_params_spec good = preset("int-test");
    hb_params_spec spec = good;
    spec.bootstrapping.eval_mod = HB_EVAL_MODS;
    expect_refused(spec, "bootstrapping has no form");
    spec = good;
    spec.bootstrapping.scale_bits = 0;
    expect_refused(spec, "chains of integers have one");
    spec = good;
    spec.bootstrapping.scale_bits = 50;
    expect_refused(spec, "it is 2^40 to 2^49");
    spec = good;
    spec.bootstrapping.sparse_weight = 64;
    expect_refused(spec, "a sparse secret of 64 coefficients");
    spec = good;
    spec.bootstrapping.stc_levels = 10;
    expect_refused(spec, "slots to coefficients in 10 maps");
    spec = good;
    spec.bootstrapping.cts_levels = 0;
    expect_refused(spec, "coefficients to slots in 0 maps");
    spec = good;
    spec.joint.owners = 3;
    expect_refused(spec, "joint keys of a chain that bootstraps");
    spec = good;
    spec.bootstrapping = (hb_bootstrapping_spec){.eval_mod = HB_EVAL_MOD_NONE, .scale_bits = 48};
    expect_refused(spec, "numbers of bootstrapping are given for a chain without its form");
    spec = good; /* fine-sure */
    spec.bootstrapping.table_levels = 3;
    expect_refused(spec, "only chains of integers of the form fine have levels of tables");
    spec = preset("int-table-test");
    spec.bootstrapping.table_levels = 2;
    expect_refused(spec, "2 levels of tables: there are 3 to 8");
    spec.bootstrapping.table_levels = 9;
    expect_refused(spec, "9 levels of tables: there are 3 to 8");
    spec = preset("boot-test");
    spec.bootstrapping.table_levels = 4;
    expect_refused(spec, "only chains of integers of the form fine have levels of tables");
    spec = preset("boot-test");
    spec.bootstrapping.scale_bits = 48;
    expect_refused(spec, "chains of reals have none");
}

/* Primes of EvalMod are above half of q_0, and users have two primes or more. */
static void primes_are_long_enough(void **state)
{
    (void)state;
    hb_params_spec spec = preset("int-test");
    const uint64_t of_eval_mod = spec.primes[12];
    spec.primes[12] = spec.primes[6];
    spec.primes[6] = of_eval_mod;
    expect_refused(spec, "of EvalMod and not above half of q_0");
    /* So many maps to coefficients leave none. */
    spec = preset("int-test");
    spec.bootstrapping.stc_levels = 8;
    expect_refused(spec, "leaves no level to compute on");
}

/* Levels of a form, and whether an integer can be too large for it. */
static void forms_have_levels(void **state)
{
    (void)state;
    static const struct {
        hb_eval_mod form;
        uint32_t levels, correction;
        bool sure;
    } forms[] = {{HB_EVAL_MOD_CUBIC, 8, 2, false},
                 {HB_EVAL_MOD_SURE, 8, 2, true},
                 {HB_EVAL_MOD_LIGHT, 8, 0, false},
                 {HB_EVAL_MOD_FINE, 8, 3, false},
                 {HB_EVAL_MOD_FINE_SURE, 8, 3, true}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const hb_eval_mod_form *form = hb_eval_mod_form_of(forms[i].form);
        assert_int_equal(hb_eval_mod_levels(form), forms[i].levels);
        assert_int_equal(hb_eval_mod_correction_levels(form), forms[i].correction);
        assert_int_equal(isinf(form->failure_bits) != 0, forms[i].sure);
        /* A form is sure where it holds the sum of all that the sparse secret adds up. */
        assert_int_equal(form->bound >= HB_SPARSE_WEIGHT / 2, forms[i].sure);
    }
}

HB_UNIT(chain)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(levels_of_presets), cmocka_unit_test(rules_have_words),
                                       cmocka_unit_test(primes_are_long_enough), cmocka_unit_test(forms_have_levels)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
