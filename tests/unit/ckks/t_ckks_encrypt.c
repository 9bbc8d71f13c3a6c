/* Fresh ciphertexts of CKKS follow from their draws, at any level, and decrypt to their messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/ckks_model.h"
#include "scheme/cipher.h"
#include "unit/unit.h"

/* Ciphertexts at a time. */
enum { COUNT = 3 };

static hb_status expect_below(side *s, const char *what, hb_batch a, double bound)
{
    int64_t x[MODEL_N];
    for (size_t c = 0; s->whole && c < a.count; c++) {
        HB_TRY(coefficients_of(s, x, hb_batch_slice(a, c, 1)));
        for (size_t j = 0; j < MODEL_N; j++) {
            if ((double)(x[j] < 0 ? -x[j] : x[j]) > bound) {
                return HB_FAIL(HB_DIFFERS, "%s: error %lld, at most %.0f", what, (long long)x[j], bound);
            }
        }
    }
    return HB_OK;
}

/* c_0 = e - a s + m, from the expansion of the seeds and the draws of the root. */
static hb_status play_secret(side *s, const pair *keys, hb_batch plain, hb_batch phase)
{
    hb_engine *e = s->engine;
    const uint32_t limbs = plain.limbs;
    const hb_seed root = {{5}};
    const uint64_t first = 11;
    hb_seed seeds[COUNT];
    hb_encryptor *encryptor;
    hb_decryptor *decryptor;
    const hb_batch c0 = model_take(s, COUNT, limbs), c1 = model_take(s, COUNT, limbs), x = model_take(s, COUNT, limbs),
                   product = model_take(s, COUNT, limbs);
    HB_TRY(hb_encryptor_open(e, &keys->secret, NULL, HB_GAUSSIAN, COUNT, &encryptor));
    HB_TRY(hb_encrypt(encryptor, c0, (hb_batch){.data = NULL}, seeds, plain, &root, first));
    HB_TRY(hb_sample_uniform(e, c1, seeds));
    HB_TRY(hb_mul(e, product, c1, hb_batch_limbs(e, keys->secret.s, 0, limbs)));
    HB_TRY(hb_sample_small(e, x, HB_GAUSSIAN, (hb_draw){&root, HB_DRAW_ERROR_0, first}));
    HB_TRY(hb_ntt(e, x));
    HB_TRY(hb_sub(e, x, x, product));
    HB_TRY(hb_add(e, x, x, plain));
    HB_TRY(expect_equal(s, "with the secret key", c0, x));
    HB_TRY(expect_batch(s, "with the secret key", c0));
    HB_TRY(hb_decryptor_open(e, &keys->secret, limbs, COUNT, &decryptor));
    HB_TRY(hb_phase_seeded(decryptor, phase, c0, seeds));
    HB_TRY(hb_phase(decryptor, x, c0, c1));
    HB_TRY(expect_equal(s, "phase", phase, x));
    HB_TRY(hb_decrypt(decryptor, x, phase));
    HB_TRY(expect_equal(s, "decrypted", phase, x));
    HB_TRY(hb_sub(e, x, x, plain));
    HB_TRY(expect_below(s, "secret key", x, 19));
    hb_decryptor_close(decryptor);
    hb_encryptor_close(encryptor);
    return HB_OK;
}

/* The special prime that divides, and the error of one rounding. */
static hb_status play_public(side *s, const pair *keys, hb_batch plain, hb_batch phase)
{
    hb_engine *e = s->engine;
    const hb_gadget_level *level = &s->params->gadget.levels[plain.limbs];
    const uint32_t limbs = plain.limbs, data = s->params->data_limbs;
    const hb_seed root = {{6}};
    const uint64_t first = 17;
    hb_encryptor *encryptor;
    hb_decryptor *decryptor;
    const hb_batch c[2] = {model_take(s, COUNT, limbs), model_take(s, COUNT, limbs)}, x = model_take(s, COUNT, limbs),
                   u = take(s, COUNT, limbs + 1, level->switch_ids, 0),
                   error = take(s, COUNT, limbs + 1, level->switch_ids, 0),
                   key[2] = {keys->public_key.b, keys->public_key.a};
    HB_TRY(hb_encryptor_open(e, NULL, &keys->public_key, HB_GAUSSIAN, COUNT, &encryptor));
    HB_TRY(hb_encrypt(encryptor, c[0], c[1], NULL, plain, &root, first));
    for (uint32_t k = 0; k < 2; k++) {
        const hb_draw draw = {&root, k == 0 ? HB_DRAW_ERROR_0 : HB_DRAW_ERROR_1, first};
        HB_TRY(hb_sample_small(e, u, HB_TERNARY, (hb_draw){&root, HB_DRAW_TERNARY, first}));
        HB_TRY(hb_ntt(e, u));
        for (uint32_t l = 0; l <= limbs; l++) {
            const hb_batch one = hb_batch_limbs(e, u, l, 1);
            HB_TRY(hb_mul(e, one, one, hb_batch_limbs(e, key[k], l < limbs ? l : data, 1)));
        }
        HB_TRY(hb_sample_small(e, error, HB_GAUSSIAN, draw));
        HB_TRY(hb_ntt(e, error));
        HB_TRY(hb_add(e, u, u, error));
        HB_TRY(hb_mod_down_apply(e, x, (hb_batch){.data = NULL}, u, x,
                                 s->params->special_limbs > 1 ? &level->first : &level->down, HB_NTT_FORM));
        HB_TRY(k == 0 ? hb_add(e, x, x, plain) : HB_OK);
        HB_TRY(expect_equal(s, "with the public key", c[k], x));
        HB_TRY(expect_batch(s, "with the public key", c[k]));
    }
    HB_TRY(hb_decryptor_open(e, &keys->secret, limbs, COUNT, &decryptor));
    HB_TRY(hb_phase(decryptor, phase, c[0], c[1]));
    HB_TRY(hb_sub(e, phase, phase, plain));
    HB_TRY(expect_below(s, "public key", phase, (1 + MODEL_N) * 0.501));
    hb_decryptor_close(decryptor);
    hb_encryptor_close(encryptor);
    return HB_OK;
}

static hb_status play_encryption(side *s, const void *with)
{
    pair keys;
    hb_status st;
    (void)with;
    HB_GOTO(draw_pair(s, &keys));
    for (uint32_t limbs = s->params->data_limbs; limbs >= 1; limbs = limbs > 4 ? 4 : limbs - 1) {
        const hb_batch plain = model_take(s, COUNT, limbs), phase = model_take(s, COUNT, limbs);
        for (size_t c = 0; c < COUNT; c++) {
            HB_GOTO(put_integers(s, hb_batch_slice(plain, c, 1), messages[c]));
        }
        HB_GOTO(play_secret(s, &keys, plain, phase));
        HB_GOTO(play_public(s, &keys, plain, phase));
    }
    st = HB_OK;
done:
    clear_pair(&keys);
    return st;
}

static void test_encryption(void **state)
{
    (void)state;
    hb_params_spec spec = model_spec();
    expect_play(&spec, play_encryption, NULL, 1);
    expect_play(&spec, play_encryption, NULL, 3);
    spec.key_limbs = 4; /* the special prime is the only one, and below 2^42 */
    spec.special_limbs = spec.digit_limbs = 1;
    spec.ckks.like_seal = true;
    expect_play(&spec, play_encryption, NULL, 2);
}

static int start(void **state)
{
    (void)state;
    return read_messages() ? hb_seed_start() != HB_OK : 1;
}

HB_UNIT(ckks_encrypt)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encryption),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
