/* CKKS word for word: what the model makes of the same streams, on an engine with all limbs and on members that share
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ckks/evaluator.h"
#include "reference/ckks_model.h"

enum { MESSAGES = 3, TOP = 7 };

static int64_t messages[MESSAGES][MODEL_N];

/* Rounded coefficients of encoded slots, at the scale of the highest level. */
static int read_messages(void **state)
{
    (void)state;
    for (int i = 0; i < MESSAGES; i++) {
        char path[512];
        snprintf(path, sizeof path, HB_TESTS_VECTORS "/ckks/encode/coefficients_%d.i64", i);
        FILE *file = fopen(path, "rb");
        if (file == NULL || fread(messages[i], sizeof messages[i], 1, file) != 1) {
            return 1;
        }
        fclose(file);
    }
    return hb_seed_start() != HB_OK;
}

static hb_ciphertexts room(side *s, uint32_t size, size_t count, uint32_t limbs)
{
    return (hb_ciphertexts){model_take(s, size * count, limbs), size, HB_NTT_FORM};
}

static hb_evaluator *open_evaluator(side *s)
{
    hb_evaluator *ev = NULL;
    const hb_evaluator_requirements requirements = {.limbs = s->params->data_limbs,
                                                    .count = 3,
                                                    .size = 2,
                                                    .switching = true,
                                                    .hoisting = true,
                                                    .plain_factors = true};
    HB_ASSERT(hb_evaluator_open(s->engine, s->params, &requirements, &ev) == HB_OK);
    return ev;
}

static hb_status load_keys(side *s, hb_switch_keys *keys)
{
    static const char *const digests[] = {"7ed613c3b6ca30a38fd733008d08cd0bb404a31e135cfdc834073de0bc210506",
                                          "632b3dca8e7315c1967527edcc9f8ee7dba27200daa0e50aae9193663e02d62d",
                                          "d3c7efddf0b0a3d50b5136149309dc856b6a51b12c46b59831db9eda3430d2ca"};
    const uint32_t elements[] = {HB_RELINEARIZATION, hb_galois_rotation(MODEL_N, 5, 5), 2 * MODEL_N - 1};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        HB_TRY(model_switch_key(s, keys, elements[i]));
        HB_TRY(expect_digest(s, "key", keys->key[i].parts, digests[i]));
    }
    return HB_OK;
}

/* Operands: x of the secret key, y of the public one. */
static hb_status load_operands(side *s, hb_ciphertexts *x, hb_ciphertexts *y)
{
    hb_batch public_key;
    HB_TRY(model_encrypt(s, x, messages[0], 1));
    HB_TRY(expect_digest(s, "x", x->all, "acbd89164f6268776df2320e92b8c426f6881698da7229320e06897c780e2dad"));
    HB_TRY(model_public(s, &public_key));
    HB_TRY(
        expect_digest(s, "public key", public_key, "67d34dae67245ca4f3be2f5463dc2f41016e029403bc41d1737bbf9c45ebcc22"));
    HB_TRY(model_encrypt_public(s, y, public_key, messages[1], 2));
    return expect_digest(s, "y", y->all, "b3e14b815a3741539a0f0cbce16e1850d61250ac8fe22265059d897d38ae6966");
}

static hb_status play_products(side *s, hb_evaluator *ev, const hb_switch_keys *keys, hb_ciphertexts x,
                               hb_ciphertexts y)
{
    const hb_ciphertexts wide = room(s, 3, 1, TOP), r = room(s, 2, 1, TOP), lower = room(s, 2, 1, TOP - 1);
    const hb_switch_key *key = hb_switch_keys_find(keys, HB_RELINEARIZATION);
    const hb_gadget_level *level = &s->params->gadget.levels[TOP];
    HB_TRY(hb_evaluator_multiply(ev, wide, x, y));
    HB_TRY(expect_digest(s, "tensor", wide.all, "ba92e495174c8d1154b2e1bef635e232e0f9e5c0fb0e64813049f0e6587bfb08"));
    const hb_batch made = take(s, level->digits, level->switch_limbs, level->switch_ids, 0);
    const hb_digits digits = hb_digits_on(s->engine, &s->params->gadget, TOP, made.data, 1);
    HB_TRY(hb_digits_make(s->engine, digits, hb_ciphertexts_component(wide, 2), model_take(s, 1, TOP), HB_NTT_FORM));
    HB_TRY(expect_digest(s, "digits", made, "233b9c45f188d6f385ec17aa85d1f109ea482c0fe53902a24760775fa7e5a441"));
    HB_TRY(hb_evaluator_relinearize_rescale(ev, lower, wide, key));
    HB_TRY(expect_digest(s, "product", lower.all, "0a2389c65e6c88aaa8ae50a92f090830e7aacec5ac6fb752afe8dcfea50d4deb"));
    HB_TRY(hb_evaluator_relinearize(ev, r, wide, key));
    HB_TRY(expect_digest(s, "relinearized", r.all, "87104990d2ab8f1fc107d375ed827053313e234b6f630930c99bee55389ee37a"));
    HB_TRY(hb_evaluator_mod_switch(ev, lower, r));
    HB_TRY(expect_digest(s, "relinearized, then rescaled", lower.all,
                         "0a2389c65e6c88aaa8ae50a92f090830e7aacec5ac6fb752afe8dcfea50d4deb"));
    const hb_ciphertexts low_x = room(s, 2, 1, 2), low_y = room(s, 2, 1, 2), low = room(s, 3, 1, 2),
                         lowest = room(s, 2, 1, 1);
    HB_TRY(hb_evaluator_drop(ev, low_x, x));
    HB_TRY(hb_evaluator_drop(ev, low_y, y));
    HB_TRY(hb_evaluator_multiply(ev, low, low_x, low_y));
    HB_TRY(hb_evaluator_relinearize_rescale(ev, lowest, low, key));
    return expect_digest(s, "product at level 1", lowest.all,
                         "9a1d8ba834e6d8cd16baa01027d8745ddc24934e8790a85c1ea2bc170ae41025");
}

static hb_status play_rotations(side *s, hb_evaluator *ev, const hb_switch_keys *keys, hb_ciphertexts x)
{
    static const char rotated[] = "bd4d6e689270633f65781ca5c3f7260881e73a5d0a51a057dbbcb94a4ddeb2de",
                      conjugated[] = "ce363d3539d5f5e91fc630c8262b83efca7e84cf6b03dd0fe98f5e3151fc06ec";
    const hb_ciphertexts r[] = {room(s, 2, 1, TOP), room(s, 2, 1, TOP)};
    HB_TRY(hb_evaluator_rotate(ev, r[0], x, 5, keys));
    HB_TRY(expect_digest(s, "rotation", r[0].all, rotated));
    HB_TRY(hb_evaluator_conjugate(ev, r[0], x, keys));
    HB_TRY(expect_digest(s, "conjugation", r[0].all, conjugated));
    const hb_switch_key *both[] = {hb_switch_keys_find(keys, hb_galois_rotation(MODEL_N, 5, 5)),
                                   hb_switch_keys_find(keys, 2 * MODEL_N - 1)};
    HB_TRY(hb_evaluator_galois_hoisted(ev, r, x, both, 2));
    HB_TRY(expect_digest(s, "hoisted rotation", r[0].all, rotated));
    return expect_digest(s, "hoisted conjugation", r[1].all, conjugated);
}

/* What takes no key. */
static hb_status play_words(side *s, hb_evaluator *ev, hb_ciphertexts x, hb_ciphertexts y)
{
    const hb_ciphertexts r = room(s, 2, 1, TOP), lower = room(s, 2, 1, TOP - 1), low = room(s, 2, 1, 4);
    HB_TRY(hb_evaluator_add(ev, r, x, y));
    HB_TRY(expect_digest(s, "sum", r.all, "c4abffbc448315a7a11d1e6eaa446ff7a0b07847207c41a7321ddb6543dfa4c5"));
    HB_TRY(hb_ckks_multiply_i(ev, r, x, HB_PLUS));
    HB_TRY(expect_digest(s, "times i", r.all, "7404459eb5b1e99913ad454686b6c28190b2fc066fce8cc71ba98b3437991704"));
    HB_TRY(hb_ckks_multiply_i(ev, r, r, HB_MINUS));
    HB_TRY(
        expect_digest(s, "times i and -i", r.all, "acbd89164f6268776df2320e92b8c426f6881698da7229320e06897c780e2dad"));
    HB_TRY(hb_evaluator_add_number(ev, r, x, 0.3));
    HB_TRY(expect_digest(s, "plus 0.3", r.all, "883a5e71456332a0cc82e3fa297626500c171aab47328761a76d2c3bcc341997"));
    HB_TRY(hb_evaluator_add_number(ev, r, r, -0.3));
    HB_TRY(
        expect_digest(s, "plus 0.3 - 0.3", r.all, "acbd89164f6268776df2320e92b8c426f6881698da7229320e06897c780e2dad"));
    HB_TRY(hb_evaluator_adjust(ev, low, x));
    HB_TRY(expect_digest(s, "adjusted", low.all, "8746acee70066d996c5cab06308f8a3cd5825c2e5ad955bf7a331243c0380c06"));
    const hb_batch plain = model_take(s, 1, TOP);
    HB_TRY(put_integers(s, plain, messages[2]));
    HB_TRY(hb_evaluator_multiply_plain(ev, r, x, plain));
    HB_TRY(hb_evaluator_mod_switch(ev, lower, r));
    return expect_digest(s, "times a plaintext", lower.all,
                         "2bad971be29a71963cad57ea84d2750dfc6ae35327e87684dc73e59246233272");
}

static hb_status play_model(side *s, const void *with)
{
    hb_ciphertexts x, y;
    hb_switch_keys keys = {0};
    hb_status st;
    (void)with;
    hb_evaluator *ev = open_evaluator(s);
    HB_GOTO(load_keys(s, &keys));
    HB_GOTO(load_operands(s, &x, &y));
    HB_GOTO(play_words(s, ev, x, y));
    HB_GOTO(play_products(s, ev, &keys, x, y));
    st = play_rotations(s, ev, &keys, x);
done:
    hb_switch_keys_clear(&keys);
    hb_evaluator_close(ev);
    return st;
}

static void expect_plays(const hb_params_spec *spec, script play, const void *with)
{
    for (uint32_t members = 1; members <= 4; members++) {
        meeting at;
        meeting_init(&at, members);
        performance p = {.spec = spec, .play = play, .with = with, .members = members, .queues = 1};
        const hb_status st = perform(&p, &at, NULL);
        if (st != HB_OK) {
            print_error("%u members: %s\n", members, hb_last_error()->text);
        }
        assert_int_equal(st, HB_OK);
        meeting_clear(&at);
    }
}

static void test_model(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    expect_plays(&spec, play_model, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
    };
    return cmocka_run_group_tests(tests, read_messages, NULL);
}
