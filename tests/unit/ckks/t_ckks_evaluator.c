/* CKKS word for word: the model's results for the same streams, on an engine with all limbs and on members that share
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
#include "reference/counting_engine.h"
#include "ring/permutation.h"
#include "unit/unit.h"

enum { TOP = 7 };

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
    const bool whole = s->params->map.members < 2; /* members run beside one another */
    if (whole) {
        count_on(s->engine);
    }
    HB_TRY(hb_evaluator_rotate(ev, r[0], x, 5, keys));
    HB_TRY(hb_evaluator_rotate(ev, r[0], x, 5, keys));
    if (whole) { /* its first use took the memory that plans count */
        count_off(s->engine);
        HB_ASSERT(counted.bytes == hb_evaluator_automorphism_bytes(s->params));
        HB_ASSERT(hb_evaluator_hoisted_bytes(s->params, TOP) == 0);
    }
    HB_TRY(expect_digest(s, "rotation", r[0].all, rotated));
    HB_TRY(hb_evaluator_conjugate(ev, r[0], x, keys));
    HB_TRY(expect_digest(s, "conjugation", r[0].all, conjugated));
    const hb_switch_key *both[] = {hb_switch_keys_find(keys, hb_galois_rotation(MODEL_N, 5, 5)),
                                   hb_switch_keys_find(keys, 2 * MODEL_N - 1)};
    HB_TRY(hb_evaluator_galois_hoisted(ev, r, x, both, 2));
    HB_TRY(expect_digest(s, "hoisted rotation", r[0].all, rotated));
    return expect_digest(s, "hoisted conjugation", r[1].all, conjugated);
}

/* Sums of slots 5 apart: of eight, four at once by the keys of 5, 10 and 15, then two; and the same where that of 15 is
 * not there. */
static hb_status play_sums(side *s, hb_evaluator *ev, hb_switch_keys *keys, hb_ciphertexts x)
{
    enum { STEP = 5, LOW = 5 };
    const hb_ciphertexts r = room(s, 2, 1, TOP), one = room(s, 2, 1, TOP), low = room(s, 2, 1, LOW);
    const hb_switch_key *key = hb_switch_keys_find(keys, hb_galois_rotation(MODEL_N, 5, STEP));
    HB_TRY(hb_evaluator_copy(ev, r, x));
    HB_TRY(hb_evaluator_galois_sum(ev, r, &key, 1));
    HB_TRY(hb_evaluator_galois_add(ev, x, x, key));
    HB_TRY(expect_equal(s, "sum by one key", r.all, x.all));
    HB_TRY(model_encrypt(s, &x, messages[0], 1));
    for (uint32_t i = 2; i <= 4; i *= 2) {
        HB_TRY(model_switch_key(s, keys, hb_galois_rotation(MODEL_N, 5, i * STEP)));
    }
    HB_TRY(hb_evaluator_copy(ev, r, x));
    HB_TRY(hb_evaluator_sum_window(ev, r, STEP, 8, keys));
    HB_TRY(hb_evaluator_copy(ev, one, x));
    for (uint32_t i = 1; i <= 4; i *= 2) {
        key = hb_switch_keys_find(keys, hb_galois_rotation(MODEL_N, 5, i * STEP));
        HB_TRY(hb_evaluator_galois_add(ev, one, one, key));
    }
    HB_TRY(expect_equal(s, "sum by keys of powers of two", r.all, one.all));
    HB_TRY(model_switch_key(s, keys, hb_galois_rotation(MODEL_N, 5, 3 * STEP)));
    HB_TRY(hb_evaluator_copy(ev, r, x));
    HB_TRY(hb_evaluator_sum_window(ev, r, STEP, 8, keys));
    HB_TRY(expect_digest(s, "sum of 8", r.all, "0bac2d7a95adf635c29d8d797d453b121dd09a428081a0d7df75bab169e230ab"));
    HB_TRY(hb_evaluator_drop(ev, low, x));
    HB_TRY(hb_evaluator_sum_window(ev, low, STEP, 4, keys));
    return expect_digest(s, "sum of 4 at level 4", low.all,
                         "24dcb04fce38c84626e8e9940ec2328f4c5ac0761b6f4920141d5b87186ac93f");
}

/* Operations without keys. */
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
    HB_GOTO(play_rotations(s, ev, &keys, x));
    st = play_sums(s, ev, &keys, x);
done:
    hb_switch_keys_clear(&keys);
    hb_evaluator_close(ev);
    return st;
}

/* A polynomial modulo all nine primes, its transform, and the automorphism of that for 5. */
static hb_status play_polynomial(side *s, const void *with)
{
    hb_permutation phi = {0};
    const hb_batch a = model_take(s, 1, STREAM_PRIMES), r = model_take(s, 1, STREAM_PRIMES);
    hb_status st;
    (void)with;
    put_uniform(s, a, (const uint64_t[]){101}, 1);
    HB_GOTO(expect_digest(s, "polynomial", a, "3b6caff8ab335dedf97bf88fba4b7b8736fa5ef1d37fdf2b5dc6ba379e49b966"));
    HB_GOTO(hb_ntt(s->engine, a));
    HB_GOTO(expect_digest(s, "transform", a, "f39421020ff62718306641dd44e174bf96f550b923637b4a658b7e5c6de26e23"));
    HB_GOTO(hb_permutation_init_galois(&phi, s->engine, 5));
    HB_GOTO(hb_permute(s->engine, r, a, phi.map));
    st = expect_digest(s, "automorphism", r, "20cda51038db64555a8d9c03f8d239b60f2abaa925119f83ada49b4b31ce9ac8");
done:
    hb_permutation_clear(&phi, s->engine);
    return st;
}

static void test_polynomial(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    expect_play(&spec, play_polynomial, NULL, 4);
}

static void test_model(void **state)
{
    (void)state;
    const hb_params_spec spec = model_spec();
    for (uint32_t members = 1; members <= 4; members++) {
        expect_play(&spec, play_model, NULL, members);
    }
}

/* Microsoft SEAL's words, of its own random ciphertexts and keys: three primes of data and a special one. */
enum { SEAL_LIMBS = 3, SEAL_PRIMES = 4 };

/* The limbs that are here of words from a file, [count][limbs]. */
static void put_file(side *s, hb_batch r, const char *name)
{
    uint64_t *words = malloc(r.count * r.limbs * MODEL_N * sizeof *words), *row = words;
    HB_ASSERT(words != NULL && read_file(words, r.count * r.limbs * MODEL_N * sizeof *words, name));
    for (size_t c = 0; c < r.count; c++) {
        uint64_t *to = r.data + c * r.stride;
        for (uint32_t l = 0; l < r.limbs; l++, row += MODEL_N) {
            if (hb_limb_here(s->engine, r.ids[l])) {
                memcpy(to, row, MODEL_N * sizeof *row);
                to += MODEL_N;
            }
        }
    }
    free(words);
}

static hb_status load_seal_keys(side *s, hb_switch_keys *keys)
{
    static const struct {
        uint32_t element;
        const char *name;
    } list[] = {{HB_RELINEARIZATION, "seal/relin_key.u64"}, {3, "seal/key_of_3.u64"}, {2047, "seal/key_of_2047.u64"}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        hb_switch_key key;
        HB_TRY(blank_key(s, &key, hb_key_purpose_of(&s->params->spec, list[i].element)));
        put_file(s, key.parts, list[i].name);
        HB_TRY(hb_switch_keys_add(keys, &key));
    }
    return HB_OK;
}

static hb_status play_seal_ops(side *s, hb_evaluator *ev, const hb_switch_keys *keys)
{
    const hb_ciphertexts a = room(s, 2, 1, SEAL_LIMBS), b = room(s, 2, 1, SEAL_LIMBS), r = room(s, 2, 1, SEAL_LIMBS),
                         wide = room(s, 3, 1, SEAL_LIMBS), lower = room(s, 2, 1, SEAL_LIMBS - 1);
    const hb_batch plain = model_take(s, 1, SEAL_LIMBS);
    const hb_switch_key *key = hb_switch_keys_find(keys, HB_RELINEARIZATION);
    put_file(s, a.all, "seal/a.u64");
    put_file(s, b.all, "seal/b.u64");
    put_file(s, plain, "seal/plain_b.u64");
    HB_TRY(hb_evaluator_multiply(ev, wide, a, b));
    HB_TRY(expect_digest(s, "multiply", wide.all, "c86935f1348b551a37c4e57f1a82fbbc555fe3c181f276141bdddec68a576681"));
    HB_TRY(hb_evaluator_relinearize(ev, r, wide, key));
    HB_TRY(expect_digest(s, "relinearize", r.all, "1d4b4a922c625bde9cdb113b01a7d7390c6e88be9e0ffca0e40426a433cbcecf"));
    HB_TRY(hb_evaluator_mod_switch(ev, lower, r));
    HB_TRY(expect_digest(s, "rescale", lower.all, "1d50c757c0ae816aaf6b2c95e0c32dbf23566671f58a71ec1a505df611eda0b5"));
    HB_TRY(hb_evaluator_relinearize_rescale(ev, lower, wide, key));
    HB_TRY(expect_digest(s, "both", lower.all, "1d50c757c0ae816aaf6b2c95e0c32dbf23566671f58a71ec1a505df611eda0b5"));
    HB_TRY(hb_evaluator_drop(ev, lower, a));
    HB_TRY(expect_digest(s, "mod_switch_to_next", lower.all,
                         "0fda3c2ad9006a9591a28347705a774c8058ba9820303201bea981d0c3907b16"));
    HB_TRY(hb_evaluator_multiply_plain(ev, r, a, plain));
    HB_TRY(
        expect_digest(s, "multiply_plain", r.all, "2de13af58aee285774ba5c934a1ce23d61fecbcff9f558713ed2de53d99f3317"));
    HB_TRY(hb_evaluator_copy(ev, r, a));
    HB_TRY(hb_evaluator_add_plain(ev, r, plain, HB_PLUS));
    HB_TRY(expect_digest(s, "add_plain", r.all, "6f1148bd148fb8301a8a8556a17ae8ce4a28afb32f53902cf188eaf1fd4b565f"));
    HB_TRY(hb_evaluator_rotate(ev, r, a, 1, keys));
    HB_TRY(
        expect_digest(s, "rotate_vector", r.all, "ff8e9ba45862625153c3c4e14b27122ef4aff7393318fda86e9fd90d841b44d5"));
    HB_TRY(hb_evaluator_conjugate(ev, r, a, keys));
    return expect_digest(s, "complex_conjugate", r.all,
                         "ac92d75772019a63fd562189a28a28e4f1da0a8e4cd23662f13c97a2670ca2c2");
}

static hb_status play_seal(side *s, const void *with)
{
    hb_switch_keys keys = {0};
    hb_status st;
    (void)with;
    hb_evaluator *ev = open_evaluator(s);
    HB_GOTO(load_seal_keys(s, &keys));
    st = play_seal_ops(s, ev, &keys);
done:
    hb_switch_keys_clear(&keys);
    hb_evaluator_close(ev);
    return st;
}

static void test_seal(void **state)
{
    (void)state;
    const hb_params_spec spec = {.scheme = HB_CKKS,
                                 .n = MODEL_N,
                                 .key_limbs = SEAL_PRIMES,
                                 .primes = {1125899906826241, 1099511590913, 1099511592961, 562949953392641},
                                 .security = {.level = 128},
                                 .insecure = true,
                                 .ckks = {.scale_bits = 40, .like_seal = true}};
    for (uint32_t members = 1; members <= SEAL_LIMBS; members++) {
        expect_play(&spec, play_seal, NULL, members);
    }
}

static int start(void **state)
{
    (void)state;
    return read_messages() ? hb_seed_start() != HB_OK : 1;
}

HB_UNIT(ckks_evaluator)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polynomial),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_seal),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
