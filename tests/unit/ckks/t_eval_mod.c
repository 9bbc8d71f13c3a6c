/* EvalMod: the model's words in all forms, whole and with limbs divided; its constants keep their promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bootstrapping/chain.h"
#include "bootstrapping/eval_mod.h"
#include "ckks/polynomial.h"
#include "ckks/polynomial_plan.h"
#include "reference/bootstrap_vectors.h"
#include "reference/plan_value.h"
#include "unit/unit.h"

enum { COUNT = 2 };

static const struct {
    hb_eval_mod eval_mod;
    const char *digest;
} forms[] = {{HB_EVAL_MOD_CUBIC, "eval_mod_cubic"},
             {HB_EVAL_MOD_SURE, "eval_mod_sure"},
             {HB_EVAL_MOD_LIGHT, "eval_mod_light"},
             {HB_EVAL_MOD_FINE, "eval_mod_fine"}};

enum { FORMS = sizeof forms / sizeof *forms };

static int64_t message[MODEL_N];

static hb_status apply(side *s, hb_evaluator *ev, const hb_polynomial *eval_mod, const hb_switch_keys *keys,
                       hb_ciphertexts a, const char *digest)
{
    const size_t words = COUNT * eval_mod->words;
    const hb_ciphertexts r = room(s, 2, COUNT, eval_mod->result_limbs);
    void *work = NULL;
    HB_TRY(hb_alloc(s->engine, words * sizeof(uint64_t), &work));
    hb_status st = hb_ckks_polynomial_apply(ev, r, a, eval_mod, hb_switch_keys_find(keys, HB_RELINEARIZATION),
                                            (hb_workspace){work, words});
    for (size_t k = 0; k < COUNT && st == HB_OK; k++) {
        const hb_ciphertexts one = room(s, 2, 1, eval_mod->result_limbs);
        for (uint32_t j = 0; j < 2 && st == HB_OK; j++) {
            st = hb_copy(s->engine, hb_ciphertexts_component(one, j),
                         hb_batch_slice(hb_ciphertexts_component(r, j), k, 1));
        }
        st = st == HB_OK ? expect_digest(s, digest, one.all, bootstrap_digest_of(digest)) : st;
    }
    hb_free(s->engine, work);
    return st;
}

/* Two times the same operand, as the real and the imaginary part of one are. */
static hb_status play_words(side *s, const void *with)
{
    const char *digest = with;
    const hb_evaluator_requirements requirements = {.limbs = s->params->data_limbs, .count = COUNT, .switching = true};
    hb_switch_keys keys = {0};
    hb_evaluator *ev = NULL;
    hb_polynomial *eval_mod = NULL;
    hb_ciphertexts x;
    hb_status st;
    HB_GOTO(hb_evaluator_open(s->engine, s->params, &requirements, &ev));
    HB_GOTO(hb_ckks_eval_mod_open(s->params, 0, NULL, &eval_mod));
    HB_GOTO(model_switch_key(s, &keys, HB_RELINEARIZATION));
    HB_GOTO(model_encrypt(s, &x, message, OF_EVAL_MOD_INPUT));
    const hb_ciphertexts a = room(s, 2, COUNT, eval_mod->limbs);
    for (uint32_t c = 0; c < 2; c++) {
        for (size_t i = 0; i < COUNT; i++) {
            const hb_batch leading = hb_batch_limbs(s->engine, hb_ciphertexts_component(x, c), 0, eval_mod->limbs);
            HB_GOTO(hb_copy(s->engine, hb_batch_slice(hb_ciphertexts_component(a, c), i, 1), leading));
        }
    }
    HB_GOTO(apply(s, ev, eval_mod, &keys, a, digest));
done:
    hb_switch_keys_clear(&keys);
    hb_ckks_polynomial_close(eval_mod);
    hb_evaluator_close(ev);
    return st;
}

static void test_words(void **state)
{
    (void)state;
    assert_true(read_file(message, sizeof message, "bootstrap/eval_mod.i64"));
    for (int i = 0; i < FORMS; i++) {
        const hb_params_spec spec = bootstrap_spec(forms[i].eval_mod);
        for (uint32_t members = 1; members <= (i == 0 ? 3 : 1); members++) {
            expect_play(&spec, play_words, forms[i].digest, members);
        }
    }
}

/* For every integer within the bound the plan takes I + z / ratio to z, as far from it as the form says and no
 * further; beyond the bound it does not. Doubles lose 2^-43 times the ratio and the slope of the doublings. */
static void check_values(const hb_polynomial_plan *plan, const hb_eval_mod_form *form)
{
    const double width = form->bound + 0.5, limit = form->distortion + exp2(form->fit_bits) + form->ratio * 0x1p-45;
    double largest = 0;
    for (int integer = -(int)form->bound; integer <= (int)form->bound; integer++) {
        for (int i = -16; i <= 16; i++) {
            const double z = i / 16.0, got = plan_value(plan, (integer + z / form->ratio) / width);
            largest = fmax(largest, fabs(got - z));
        }
    }
    assert_true(largest <= limit && largest > limit / 4);
    assert_true(fabs(plan_value(plan, (form->bound + 2) / width)) > 2 * limit);
}

static void test_values(void **state)
{
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        const hb_params_spec spec = bootstrap_spec(forms[i].eval_mod);
        const hb_eval_mod_form *form = hb_eval_mod_form_of(forms[i].eval_mod);
        const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&spec);
        hb_params *params;
        hb_polynomial_plan plan;
        assert_int_equal(hb_params_open(&spec, &params), HB_OK);
        assert_int_equal(hb_polynomial_plan_init_eval_mod(&plan, params, 0), HB_OK);
        assert_int_equal(plan.limbs, levels.eval_mod + 1);
        assert_int_equal(hb_polynomial_plan_result_limbs(&plan), levels.out + 1);
        assert_int_equal(levels.eval_mod - levels.join, hb_eval_mod_levels(form));
        assert_int_equal(levels.join - levels.out, hb_eval_mod_correction_levels(form));
        const hb_exact_scale off = hb_exact_scale_divide(plan.values[plan.steps[plan.step_count - 1].to].scale,
                                                         hb_ckks_scale(params, levels.out + 1));
        assert_true(hb_exact_scale_distance_from_one(off) < 0x1p-110);
        check_values(&plan, form);
        hb_polynomial_plan_clear(&plan);
        hb_params_close(params);
    }
}

static void test_refused(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    hb_params *params;
    hb_polynomial *eval_mod;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_ckks_eval_mod_open(params, 0, NULL, &eval_mod), HB_ECONFIG);
    assert_null(eval_mod);
    hb_params_close(params);
}

HB_UNIT(eval_mod)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_refused)};
    return hb_seed_start() == HB_OK ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
