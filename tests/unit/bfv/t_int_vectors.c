/* Leveled arithmetic on chains of integers that bootstrap against words of the model (vectors/integers), whole and with
 * limbs divided: fresh ciphertexts, products, and products of products until no budget is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/int_products.h"
#include "scheme/params.h"
#include "unit/unit.h"

static hb_status play_case(side *s, const void *with)
{
    const int_script *x = with;
    const uint32_t limbs = s->params->fresh_limbs;
    const hb_evaluator_requirements requirements = {.limbs = limbs, .count = 1, .size = 2, .switching = true};
    hb_ciphertexts a;
    hb_switch_keys keys = {0};
    hb_evaluator *ev = NULL;
    hb_status st;
    HB_ASSERT(limbs == x->c.user_limbs);
    HB_GOTO(hb_evaluator_open(s->engine, s->params, &requirements, &ev));
    HB_GOTO(model_switch_key(s, &keys, HB_RELINEARIZATION));
    HB_GOTO(expect_digest(s, "relinearization key", keys.key[0].parts,
                          int_text(json_object_get(x->c.json, "keys"), "relin")));
    HB_GOTO(model_switch_key_at(s, &keys, HB_RELINEARIZATION, limbs));
    st = int_multiply_all(s, ev, &keys, x, &a);
done:
    hb_switch_keys_clear(&keys);
    hb_evaluator_close(ev);
    return st;
}

static void play(const char *name, uint32_t members)
{
    json_t *index = int_index();
    int_script *x = calloc(1, sizeof *x);
    assert_non_null(x);
    int_script_open(x, index, name);
    expect_play(&x->c.spec, play_case, x, members);
    free(x);
    json_decref(index);
}

static void products_are_the_models(void **state)
{
    static const char *const names[] = {"int-15", "int-16 cubic", "int-16 sure", "int-16-sure"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        play(names[i], 2);
    }
}

static void words_of_int_16_are_the_models(void **state)
{
    (void)state;
    play("int-16", 3);
    play("int-16", 7); /* one has no limb of users */
}

static void secrets_are_the_models(void **state)
{
    int64_t secret[MODEL_N];
    char hex[2 * HB_DIGEST_BYTES + 1];
    (void)state;
    json_t *index = int_index();
    model_ternary(secret, MODEL_KEY(OF_SECRET));
    assert_string_equal(words_digest((const uint64_t *)secret, MODEL_N, hex),
                        int_text(json_object_get(index, "int-16"), "secret"));
    json_decref(index);
}

/* The chains of the presets are those of the model but for the degree of their ring. */
static void presets_are_the_models(void **state)
{
    static const char *const names[][2] = {
        {"int-16", "int-16"}, {"int-15", "int-15"}, {"int-16-sure", "int-16-sure"}, {"int-test", "int-16-sure"}};
    (void)state;
    json_t *index = int_index();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const int_case c = int_case_of(index, names[i][1]);
        hb_params_spec spec;
        assert_int_equal(hb_params_preset(names[i][0], &spec), HB_OK);
        assert_int_equal(spec.key_limbs, c.spec.key_limbs);
        assert_memory_equal(spec.primes, c.spec.primes, sizeof spec.primes);
        assert_int_equal(spec.special_limbs, c.spec.special_limbs);
        assert_int_equal(spec.digit_limbs, c.spec.digit_limbs);
        assert_memory_equal(&spec.bootstrapping, &c.spec.bootstrapping, sizeof spec.bootstrapping);
    }
    json_decref(index);
}

HB_UNIT(int_vectors)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets_are_the_models),
        cmocka_unit_test(presets_are_the_models),
        cmocka_unit_test(products_are_the_models),
        cmocka_unit_test(words_of_int_16_are_the_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
