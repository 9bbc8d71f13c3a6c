/* Scales of parameters like SEAL's: of chains whose primes are far from them, and such that ciphertexts state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "base/prime.h"
#include "ckks/params.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "unit/unit.h"

/* The chains of CKKS in SEAL's own examples, of which most have primes far from the scale. */
static void examples_of_seal(void **state)
{
    (void)state;
    const struct {
        uint32_t n, count, bits[6], scale;
        bool products; /* of fresh ciphertexts */
    } example[] = {
        {8192, 5, {40, 40, 40, 40, 40}, 30, true}, /* 2_encoders */
        {8192, 4, {60, 40, 40, 60}, 40, true},     /* 5_ckks_basics */
        {8192, 5, {40, 40, 40, 40, 40}, 50, true}, /* 6_rotation */
        {8192, 3, {50, 20, 50}, 20, true},         /* 7_serialization */
        {4096, 3, {36, 36, 37}, 20, false},        /* 8_ckks_performance, at 2^18: 2^4 is none */
    };
    for (size_t i = 0; i < sizeof example / sizeof *example; i++) {
        hb_params_spec spec = {.scheme = HB_CKKS,
                               .n = example[i].n,
                               .key_limbs = example[i].count,
                               .ckks = {.scale_bits = example[i].scale, .like_seal = true},
                               .security = {.level = 128}};
        hb_params *params;
        assert_int_equal(hb_create_primes(spec.n, example[i].bits, example[i].count, spec.primes), HB_OK);
        assert_int_equal(hb_params_open(&spec, &params), HB_OK);
        const uint32_t top = params->fresh_limbs;
        assert_true(hb_codec_scale(&spec, top) == ldexp(1, (int)example[i].scale));
        assert_true(hb_codec_products_go_down(&spec, top) == example[i].products);
        for (uint32_t k = 1; k <= top; k++) { /* all hold values, and have a scale that plaintexts can have */
            assert_true(hb_codec_scale(&spec, k) >= 0x1p10 && hb_codec_scale(&spec, k) <= 0x1p61);
            assert_true(log2(hb_codec_scale(&spec, k)) + 3.9 < hb_natural_bits(&params->levels[k].basis.product));
        }
        hb_params_close(params);
    }
}

/* Ciphertexts may state another scale: it is no part of the literal, and scales of other levels follow from it. */
static void stated_scales(void **state)
{
    (void)state;
    hb_params *params, *stated;
    hb_params_spec spec = {0};
    assert_int_equal(hb_params_preset("seal-ckks-8192", &spec), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    const double usual = hb_codec_scale(&spec, 2), root = 0x1.6a09e667f3bcdp18; /* sqrt(2^37) */
    assert_true(hb_codec_state_scale(&spec, 2, usual));
    assert_int_equal(spec.ckks.stated_limbs, 0);
    assert_true(hb_codec_state_scale(&spec, 2, root));
    assert_true(hb_codec_scale(&spec, 2) == root);
    assert_true(hb_codec_scale(&spec, 1) == 0x1p40); /* root^2 / q, below 2^10, is no scale */
    assert_true(hb_codec_scale(&spec, 3) == sqrt(root * (double)spec.primes[2]));
    assert_true(hb_codec_products_go_down(&spec, 3) && !hb_codec_products_go_down(&spec, 2));
    assert_int_equal(hb_params_open(&spec, &stated), HB_OK);
    assert_true(hb_params_same(&params->spec, &stated->spec));
    assert_memory_equal(params->digest, stated->digest, sizeof params->digest);
    hb_params_close(stated);
    const double wrong[] = {0.5, -1, NAN, INFINITY, 0x1p100};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(hb_codec_state_scale(&spec, 2, wrong[i]));
        assert_true(hb_codec_scale(&spec, 2) == root);
    }
    assert_false(hb_codec_state_scale(&spec, 4, 0x1p40)); /* no level */
    assert_true(hb_codec_state_scale(&spec, 2, 0));
    assert_true(hb_codec_scale(&spec, 2) == usual);
    hb_params_close(params);
    assert_int_equal(hb_params_preset("ckks-13", &spec), HB_OK); /* of our own family none but that of the level */
    assert_false(hb_codec_state_scale(&spec, 1, 0x1p39));
    assert_true(hb_codec_state_scale(&spec, 1, hb_codec_scale(&spec, 1)));
}

HB_UNIT(ckks_params_scales)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples_of_seal), cmocka_unit_test(stated_scales)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
