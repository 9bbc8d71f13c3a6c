/* Leveled arithmetic on chains of integers that bootstrap against words of the model (vectors/integers), whole and with
 * limbs divided: fresh ciphertexts, products, and products of products until no budget is left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/engine.h"
#include "reference/int_vectors.h"
#include "scheme/cipher.h"
#include "scheme/params.h"
#include "unit/unit.h"

enum { MOST_FACTORS = 12 };

/* A case with the coefficients of its messages, and of their product. */
typedef struct script_of {
    int_case c;
    uint32_t factors;
    uint64_t message[MOST_FACTORS][MODEL_N], product[MODEL_N];
} script_of;

/* Messages are made once, on an engine of their own. */
static void make_messages(script_of *x)
{
    hb_params *params = NULL;
    hb_engine *engine = NULL;
    hb_batch slots;
    assert_int_equal(hb_params_open(&x->c.spec, &params), HB_OK);
    assert_int_equal(hb_cpu_engine_open(&params->ring, &engine), HB_OK);
    const uint16_t id = hb_bfv_of(params)->plain_id;
    const hb_modulus *t = &params->ring.moduli[id];
    assert_int_equal(hb_batch_alloc(engine, &slots, 1, 1, &id), HB_OK);
    for (uint32_t i = 0; i < x->factors; i++) {
        int_slots(slots.data, t->value, i);
        for (size_t j = 0; j < MODEL_N; j++) {
            x->product[j] = i == 0 ? slots.data[j] : hb_mod_mul(x->product[j], slots.data[j], t);
        }
        assert_int_equal(hb_intt(engine, slots), HB_OK);
        memcpy(x->message[i], slots.data, sizeof x->message[i]);
    }
    memcpy(slots.data, x->product, sizeof x->product);
    assert_int_equal(hb_intt(engine, slots), HB_OK);
    memcpy(x->product, slots.data, sizeof x->product);
    hb_batch_free(engine, &slots);
    hb_engine_close(engine);
    hb_params_close(params);
}

static void open_script(script_of *x, const json_t *index, const char *name)
{
    x->c = int_case_of(index, name);
    x->factors = (uint32_t)int_number(int_item(&x->c, "operand"), "products") + 1;
    assert_in_range(x->factors, 2, MOST_FACTORS);
    make_messages(x);
}

/* The words of a file, where all limbs are. */
static hb_status expect_file(side *s, const char *name, hb_batch a)
{
    char path[512];
    const size_t words = a.count * a.limbs * MODEL_N;
    if (!s->whole) { /* compared with the whole engine */
        return HB_OK;
    }
    uint64_t *expected = take_bytes(s, words * sizeof *expected);
    snprintf(path, sizeof path, HB_TESTS_VECTORS "/integers/%s.u64", name);
    FILE *file = fopen(path, "rb");
    const bool read = file != NULL && fread(expected, sizeof *expected, words, file) == words && fgetc(file) == EOF;
    if (file != NULL) {
        fclose(file);
    }
    return read && memcmp(a.data, expected, words * sizeof *expected) == 0
               ? HB_OK
               : HB_FAIL(HB_DIFFERS, "%s is not what the model has in %s", name, path);
}

/* The words of an item, by its digest; in the one case of which words are kept by these too. */
static hb_status expect_item(side *s, const script_of *x, const char *item, hb_batch a)
{
    HB_TRY(int_expect(s, &x->c, item, a));
    return strcmp(x->c.name, "int-16") == 0 && json_is_true(json_object_get(int_item(&x->c, item), "kept")) &&
                   strcmp(item, "operand") != 0
               ? expect_file(s, item, a)
               : HB_OK;
}

/* Decrypts to the product of all messages, with the budget that the model found. */
static hb_status expect_decrypted(side *s, const script_of *x, hb_ciphertexts a)
{
    hb_secret_key secret = {0};
    hb_decryptor *decryptor = NULL;
    hb_batch phase = model_take(s, 1, a.all.limbs), plain = take(s, 1, 1, &hb_bfv_of(s->params)->plain_id, 0);
    uint32_t budget = 0;
    hb_status st;
    HB_GOTO(int_secret(s, &secret));
    HB_GOTO(hb_decryptor_open(s->engine, &secret, a.all.limbs, 1, &decryptor));
    HB_GOTO(hb_phase(decryptor, phase, hb_ciphertexts_component(a, 0), hb_ciphertexts_component(a, 1)));
    HB_GOTO(hb_decrypt(decryptor, plain, phase));
    HB_GOTO(hb_finish(s->engine));
    if (hb_limb_here(s->engine, plain.ids[0]) && memcmp(plain.data, x->product, sizeof x->product) != 0) {
        HB_GOTO(HB_FAIL(HB_DIFFERS, "the operand does not decrypt to the product of the messages"));
    }
    HB_GOTO(hb_decryptor_measure(decryptor, &budget, phase));
    if (budget != int_number(int_item(&x->c, "operand"), "budget")) {
        HB_GOTO(HB_FAIL(HB_DIFFERS, "the operand has a budget of %u", budget));
    }
done:
    hb_decryptor_close(decryptor);
    hb_secret_key_clear(&secret);
    return st;
}

/* a = a times the next message; wide: memory for the product. */
static hb_status multiply_next(side *s, hb_evaluator *ev, const hb_switch_key *key, const script_of *x, uint32_t i,
                               hb_ciphertexts a)
{
    const size_t before = s->takens;
    hb_ciphertexts fresh, wide = room(s, 3, 1, a.all.limbs);
    wide.form = HB_COEFFICIENT_FORM;
    HB_TRY(int_encrypt(s, &fresh, x->message[i], i));
    HB_TRY(hb_evaluator_multiply(ev, wide, a, fresh));
    HB_TRY(i == 1 ? expect_item(s, x, "tensor", wide.all) : HB_OK);
    HB_TRY(i == 1 && strcmp(x->c.name, "int-16") == 0 ? expect_item(s, x, "y", fresh.all) : HB_OK);
    HB_TRY(hb_evaluator_relinearize(ev, a, wide, key));
    HB_TRY(hb_finish(s->engine));
    give_back(s, before);
    return HB_OK;
}

static hb_status multiply_all(side *s, hb_evaluator *ev, const hb_switch_keys *keys, const script_of *x)
{
    hb_ciphertexts a;
    HB_TRY(int_encrypt(s, &a, x->message[0], 0));
    HB_TRY(strcmp(x->c.name, "int-16") == 0 ? expect_item(s, x, "x", a.all) : HB_OK);
    for (uint32_t i = 1; i < x->factors; i++) {
        /* A key for the users' level alone is a part of the one for all. */
        HB_TRY(multiply_next(s, ev, &keys->key[i % 2], x, i, a));
        HB_TRY(i == 1 ? expect_item(s, x, "product", a.all) : HB_OK);
    }
    HB_TRY(expect_item(s, x, "operand", a.all));
    return expect_decrypted(s, x, a);
}

static hb_status play_case(side *s, const void *with)
{
    const script_of *x = with;
    const uint32_t limbs = s->params->fresh_limbs;
    const hb_evaluator_requirements requirements = {.limbs = limbs, .count = 1, .size = 2, .switching = true};
    hb_switch_keys keys = {0};
    hb_evaluator *ev = NULL;
    hb_status st;
    HB_ASSERT(limbs == x->c.user_limbs);
    HB_GOTO(hb_evaluator_open(s->engine, s->params, &requirements, &ev));
    HB_GOTO(model_switch_key(s, &keys, HB_RELINEARIZATION));
    HB_GOTO(expect_digest(s, "relinearization key", keys.key[0].parts,
                          int_text(json_object_get(x->c.json, "keys"), "relin")));
    HB_GOTO(model_switch_key_at(s, &keys, HB_RELINEARIZATION, limbs));
    st = multiply_all(s, ev, &keys, x);
done:
    hb_switch_keys_clear(&keys);
    hb_evaluator_close(ev);
    return st;
}

static void play(const char *name, uint32_t members)
{
    json_t *index = int_index();
    script_of *x = calloc(1, sizeof *x);
    assert_non_null(x);
    open_script(x, index, name);
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
