/* Parameters of CKKS: presets against the rule of their primes, scales against the model, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/prime.h"
#include "bootstrapping/chain.h"
#include "ckks/params.h"
#include "ckks/presets.h"
#include "scheme/codec.h"
#include "scheme/params.h"
#include "scheme/slots.h"
#include "unit/unit.h"

static const struct {
    const char *name;
    size_t n;
    hb_ckks_chain chain;
    uint32_t bits, digits;
} table[] = {
    {"ckks-13", 8192, {50, 38, 3, 1}, 214, 4},
    {"ckks-14", 16384, {50, 40, 7, 2}, 430, 4},
    {"ckks-15", 32768, {50, 41, 15, 4}, 865, 4},
    {"ckks-16", 65536, {50, 46, 28, 8}, 1739, 4},
};

/* Returns whether two scales are the same number: they are normalized. */
static bool same_scale(hb_exact_scale a, hb_exact_scale b)
{
    return a.high == b.high && a.low == b.low && a.exponent == b.exponent;
}

static void presets_follow_the_rule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *name;
        hb_params_spec preset, found = {.n = table[i].n, .security = hb_security_default()};
        hb_params *params;
        assert_true(hb_ckks_preset(i, &name, &preset));
        assert_string_equal(name, table[i].name);
        assert_int_equal(hb_ckks_find_chain(&found, &table[i].chain), HB_OK);
        assert_true(hb_params_same(&preset, &found));
        assert_int_equal(hb_params_open(&found, &params), HB_OK);
        assert_string_equal(params->name, name);
        assert_int_equal(params->chain_bits, table[i].bits);
        assert_false(params->spec.insecure);
        assert_int_equal(params->data_limbs, table[i].chain.levels + 1);
        assert_int_equal(params->special_limbs, table[i].chain.special_limbs);
        assert_int_equal(params->gadget.digits.count, table[i].digits);
        assert_true(params->gadget.centred);
        hb_params_close(params);
    }
}

static const struct {
    const char *name;
    size_t n;
    hb_eval_mod form;
    uint32_t stc, out;
} bootstraps[] = {{"boot-16", 65536, HB_EVAL_MOD_CUBIC, 3, 17},       {"boot-16-sure", 65536, HB_EVAL_MOD_SURE, 3, 17},
                  {"boot-16-light", 65536, HB_EVAL_MOD_LIGHT, 3, 19}, {"boot-16-fine", 65536, HB_EVAL_MOD_FINE, 3, 16},
                  {"boot-16-deep", 65536, HB_EVAL_MOD_CUBIC, 2, 17},  {"boot-test", 1024, HB_EVAL_MOD_CUBIC, 3, 17}};

/* The model's chain and scales, of every form. */
static void presets_with_bootstrapping(void **state)
{
    (void)state;
    static const hb_exact_scale highest = {0x80003ccd838d9d42, 0xfd19cf1201cc39e6, -87};
    for (size_t i = 0; i < sizeof bootstraps / sizeof *bootstraps; i++) {
        const hb_ckks_chain chain = {50, 40, 19, 8};
        const char *name;
        const bool insecure = strcmp(bootstraps[i].name, "boot-test") == 0;
        hb_params_spec preset, found = {.n = bootstraps[i].n,
                                        .security = hb_security_default(),
                                        .insecure = insecure,
                                        .bootstrapping = hb_ckks_bootstrapping(bootstraps[i].form)};
        hb_params *params;
        found.bootstrapping.stc_levels = bootstraps[i].stc;
        assert_true(hb_ckks_preset(i < 5 ? 4 + i : 5 + i, &name, &preset));
        assert_string_equal(name, bootstraps[i].name);
        assert_int_equal(hb_ckks_find_chain(&found, &chain), HB_OK);
        assert_true(hb_params_same(&preset, &found));
        assert_int_equal(hb_params_open(&found, &params), HB_OK);
        assert_string_equal(params->name, name);
        assert_true(params->chain_bits == 1738 && params->spec.insecure == insecure);
        const hb_bootstrapping_levels levels = hb_bootstrapping_levels_of(&params->spec);
        assert_true(levels.stc == bootstraps[i].stc && levels.out == bootstraps[i].out && levels.join == 19);
        assert_true(levels.eval_mod == 27 && levels.top == 30);
        assert_true(hb_params_can_bootstrap(params));
        assert_true(hb_params_fresh_limbs(params) == 20 && params->data_limbs == 31 && params->special_limbs == 8);
        assert_true(params->gadget.digits.count == 4 && params->gadget.data_limbs == 31);
        assert_true(same_scale(hb_ckks_scale(params, 20), highest));
        const hb_gadget *sparse = &params->sparse_gadget;
        assert_true(sparse->centred && sparse->data_limbs == 1 && sparse->levels[1].switch_limbs == 2);
        assert_int_equal(sparse->levels[1].switch_ids[0], params->ids[0]);
        assert_int_equal(sparse->levels[1].switch_ids[1], params->ids[31]);
        hb_params_close(params);
    }
}

/* Chains of Microsoft SEAL's CoeffModulus::Create, by the table that it goes by. */
static void presets_like_seal(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t n;
        uint32_t middle, bits;
    } sets[] = {
        {"seal-ckks-8192", 8192, 2, 200}, {"seal-ckks-16384", 16384, 7, 400}, {"seal-ckks-32768", 32768, 19, 880}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const char *name;
        hb_params_spec preset;
        hb_params *params;
        uint64_t primes[HB_MAX_LIMBS];
        uint32_t bits[HB_MAX_LIMBS];
        const uint32_t limbs = sets[i].middle + 2;
        for (uint32_t l = 0; l < limbs; l++) {
            bits[l] = l == 0 || l == limbs - 1 ? 60 : 40;
        }
        assert_true(hb_ckks_preset(11 + i, &name, &preset));
        assert_string_equal(name, sets[i].name);
        assert_int_equal(hb_create_primes(sets[i].n, bits, limbs, primes), HB_OK);
        assert_int_equal(preset.key_limbs, limbs);
        assert_memory_equal(preset.primes, primes, limbs * sizeof *primes);
        assert_int_equal(hb_params_open(&preset, &params), HB_OK);
        assert_true(params->chain_bits == sets[i].bits && !params->spec.insecure);
        assert_true(params->spec.security.table == HB_SECURITY_2018 && !params->gadget.centred);
        hb_params_close(params);
    }
    assert_false(hb_ckks_preset(14, NULL, NULL));
}

/* The model's primes, and its scales: S_l = sqrt(S_(l-1) q_l). */
static void scales_are_the_models(void **state)
{
    (void)state;
    static const uint64_t data[] = {1125899887312897, 2199021813761, 2199020634113, 2199018405889,
                                    2199028891649,    2199030071297, 2199016308737},
                          special[] = {1125899903827969, 1125899902124033};
    static const hb_exact_scale scales[] = {
        {0x8000000000000000, 0x0000000000000000, -86}, {0xfffffa800030e001, 0x0cd0011c15d2c841, -87},
        {0xfffff340003e2800, 0x5625ff049c600f66, -87}, {0xffffe720001591fa, 0x95be4136c8c0bc97, -87},
        {0x80000487ff057445, 0x4fe22f70880dca6a, -86}, {0x80000f43ff2f8013, 0x3580eee8a4f84239, -86},
        {0xfffff4c3fc075111, 0x6427691fa91eb781, -87}};
    const hb_ckks_chain chain = {50, 41, 6, 2};
    hb_params_spec spec = {.n = 1024, .insecure = true, .security = hb_security_default()};
    hb_params *params;
    assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
    assert_memory_equal(spec.primes, data, sizeof data);
    assert_memory_equal(spec.primes + 7, special, sizeof special);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    for (uint32_t k = 1; k <= params->data_limbs; k++) {
        assert_true(same_scale(hb_ckks_scale(params, k), scales[k - 1]));
    }
    hb_params_close(params);
}

/* Two primes a level: the nearest to the root of the scale, S_l = sqrt(S_(l-1) q q'), and no level between. */
static void levels_of_two_primes(void **state)
{
    (void)state;
    static const uint64_t data[] = {0x3fffffed60001, 0x3fffffec80001, 0x10000140001, 0xffffe80001,
                                    0xffffc40001,    0x100003e0001,   0xffffb20001,  0x10000500001};
    static const hb_exact_scale scales[] = {{0x8000000000000000, 0x0000000000000000, -47},
                                            {0xfffffe00000dfffe, 0x1c007bd6011223f9, -48},
                                            {0xfffffffff9c1000c, 0xa3ece08edadf5939, -48},
                                            {0x8000007ff8d80007, 0xb16b30ec663e08b4, -47}};
    const hb_ckks_chain chain = {50, 80, 3, 2};
    hb_params_spec spec = {.n = 2048, .insecure = true, .security = hb_security_default()};
    hb_params *params;
    assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
    assert_memory_equal(spec.primes, data, sizeof data);
    assert_int_equal(spec.ckks.level_primes, 2);
    spec.digit_limbs = 1;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(hb_params_level_limbs(params), 2);
    for (uint32_t k = 1; k <= params->data_limbs; k++) {
        assert_int_equal(params->levels[k].basis.limbs, k % 2 == 0 ? k : 0);
        assert_int_equal(params->levels[k].rescale.limbs, k % 2 == 0 ? k - 2 : 0);
    }
    for (uint32_t l = 0; l < 4; l++) {
        assert_true(same_scale(hb_ckks_scale(params, 2 * l + 2), scales[l]));
        assert_int_equal(params->gadget.levels[2 * l + 2].down_rescale.dropped, l > 0 ? 4 : 0);
    }
    hb_params_close(params);
}

/* Scales as SEAL's doubles have them, digits that are not centred, and the generator 3. */
static void literals_like_seal(void **state)
{
    (void)state;
    hb_params *params;
    hb_params_spec spec = {.scheme = HB_CKKS,
                           .n = 8192, /* 60, 40, 40, 60 bits */
                           .key_limbs = 4,
                           .ckks = {.scale_bits = 40, .like_seal = true},
                           .security = {.level = 128}};
    assert_int_equal(hb_create_primes(spec.n, (uint32_t[]){60, 40, 40, 60}, 4, spec.primes), HB_OK);
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_int_equal(params->data_limbs, 3);
    assert_false(params->gadget.centred);
    /* The scales of a square that SEAL rescales twice: scale * scale / q, in doubles; worked out in another
     * language. */
    const double scales[] = {0x1.00000fbffdc06p+40, 0x1.0000023fff051p+40, 0x1p40};
    for (uint32_t k = 1; k <= 3; k++) {
        assert_true(hb_exact_scale_double(hb_ckks_scale(params, k)) == scales[k - 1]);
        assert_true(hb_codec_scale(&spec, k) == scales[k - 1]);
        assert_true(hb_codec_products_go_down(&spec, k) == (k > 1));
    }
    assert_int_equal(hb_slots_rotation(&spec, 2), 9);
    spec.ckks.like_seal = false;
    assert_int_equal(hb_slots_rotation(&spec, 2), 25);
    assert_int_equal(hb_slots_shape(&spec).rows, 1);
    assert_int_equal(hb_slots_shape(&spec).columns, 4096);
    hb_params_close(params);
}

static hb_params_spec literal(void)
{
    const hb_ckks_chain chain = {50, 40, 3, 2};
    hb_params_spec spec = {.n = 2048, .insecure = true, .security = hb_security_default()};
    assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
    return spec;
}

static void refused(const hb_params_spec *spec, const char *why)
{
    hb_params *params;
    assert_int_equal(hb_params_open(spec, &params), HB_ECONFIG);
    assert_null(params);
    if (strstr(hb_last_error()->text, why) == NULL) {
        fail_msg("'%s' is not in '%s'", why, hb_last_error()->text);
    }
}

static void refusals(void **state)
{
    (void)state;
    hb_params_spec spec = literal();
    hb_params *params;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    hb_params_close(params);
    spec.ckks.scale_bits = 19;
    refused(&spec, "a scale of 2^19 is outside 2^20 to 2^59");
    spec = literal();
    spec.ckks.scale_bits = 49;
    refused(&spec, "is not twice the scale");
    spec.ckks.scale_bits = 42;
    refused(&spec, "is not between half and twice the scale 2^42; the nearest that is: ");
    spec = literal();
    spec.primes[1] = 0x400000060001; /* 46 bits, far from the scale */
    refused(&spec, "prime q_1");
    spec = literal();
    spec.primes[5] = 0xffffffffffc0001; /* 60 bits, special */
    refused(&spec, "is not between 2^32 and 2^50; the nearest that is: ");
    spec = literal();
    spec.ckks.like_seal = true;
    refused(&spec, "one special prime and digits of one prime, not 2 and 2");
    spec = literal();
    spec.key_limbs = 1;
    refused(&spec, "at most 0 can be");
}

static hb_params_spec two_primes(uint32_t first_bits)
{
    const hb_ckks_chain chain = {first_bits, 70, 2, 3};
    hb_params_spec spec = {.n = 2048, .insecure = true, .security = hb_security_default()};
    assert_int_equal(hb_ckks_find_chain(&spec, &chain), HB_OK);
    return spec;
}

static void refusals_of_two_primes(void **state)
{
    (void)state;
    hb_params_spec spec = two_primes(50);
    hb_params *params;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    hb_params_close(params);
    spec.ckks.scale_bits = 63;
    refused(&spec, "a scale of 2^63 is outside 2^64 to 2^95, which levels of two primes have");
    spec.ckks.scale_bits = 96;
    refused(&spec, "the nearest that is not: 2^95");
    spec.ckks.scale_bits = 72;
    refused(&spec, "is not between half and twice the scale 2^72: take primes near 2^36.0");
    spec = two_primes(50);
    spec.ckks.level_primes = 1;
    refused(&spec, "a scale of 2^70 is outside 2^20 to 2^59");
    spec.ckks.level_primes = 3;
    refused(&spec, "levels of 3 primes: they have one, or two");
    spec.ckks.level_primes = 2;
    spec.ckks.like_seal = true;
    refused(&spec, "in Microsoft SEAL's family no other number");
    spec = two_primes(50);
    spec.special_limbs = spec.digit_limbs = 4;
    refused(&spec, "5 primes beside the special ones cannot be levels of 2 each");
    spec = two_primes(36);
    spec.ckks.scale_bits = 72;
    refused(&spec, "have a product that is not twice the scale 2^72");
}

static hb_params_spec bootstrap_literal(size_t n)
{
    hb_params_spec spec;
    assert_true(hb_ckks_preset(4, NULL, &spec));
    spec.n = n;
    spec.insecure = n < 65536;
    return spec;
}

static void refusals_of_bootstrapping(void **state)
{
    (void)state;
    hb_params_spec spec = literal();
    spec.bootstrapping.sparse_weight = 32;
    refused(&spec, "numbers of bootstrapping are given for a chain without its form");
    spec = bootstrap_literal(1024);
    spec.bootstrapping.eval_mod = HB_EVAL_MODS;
    refused(&spec, "bootstrapping has no form 6");
    spec = bootstrap_literal(1024);
    spec.bootstrapping.sparse_weight = 64;
    refused(&spec, "a sparse secret of 64 coefficients that are not 0: bootstrapping has 32");
    spec = bootstrap_literal(1024);
    spec.bootstrapping.stc_levels = 10;
    refused(&spec, "slots to coefficients in 10 maps: at N = 1024 there are 9 stages");
    spec = bootstrap_literal(1024);
    spec.bootstrapping.cts_levels = 0;
    refused(&spec, "coefficients to slots in 0 maps");
    spec = bootstrap_literal(1024);
    spec.special_limbs = spec.digit_limbs = 1;
    spec.key_limbs = 32;
    spec.primes[31] = spec.primes[0]; /* 50 bits, special */
    spec.primes[0] = 0x3ffffffb80001;
    refused(&spec, "which must be 6 more");
    spec = bootstrap_literal(1024);
    spec.primes[25] = spec.primes[15]; /* 40 bits, in EvalMod */
    spec.primes[15] = bootstrap_literal(1024).primes[25];
    refused(&spec, "prime q_25 = 1099499569153 is of EvalMod and not above half of q_0; the nearest that is: ");
    spec = bootstrap_literal(1024);
    spec.primes[30] = 549742698497; /* 39 bits */
    refused(&spec, "prime q_30 = 549742698497 is of the maps from coefficients to slots and not above the scale");
    spec = bootstrap_literal(1024);
    spec.special_limbs = 22; /* 17 levels, 11 of them its own */
    refused(&spec, "of 17 primes beside the special ones bootstrapping leaves no level to compute on; the least is 18");
    spec = bootstrap_literal(1024);
    spec.ckks.level_primes = 2;
    spec.ckks.scale_bits = 80;
    refused(&spec, "beside the special ones cannot be levels of 2 each");
    spec.special_limbs = spec.digit_limbs = 9;
    refused(&spec, "chains whose levels have two primes have no bootstrapping");
}

/* A ring in which the long chain is safe at 192 bits, and of whose sparse secret nothing is known. */
static void sparse_secrets(void **state)
{
    (void)state;
    hb_params_spec spec = bootstrap_literal(65536);
    hb_params *params;
    assert_int_equal(hb_security_sparse_limit(spec.security, 65536), 121);
    assert_int_equal(hb_security_sparse_limit((hb_security){.level = 192}, 65536), 0);
    assert_int_equal(hb_security_sparse_limit(spec.security, 16384), 0);
    spec.n = (size_t)1 << 17; /* twice the ring: the chain is far from the table's end at 192 bits as well */
    spec.security.level = 192;
    const hb_ckks_chain wide = {50, 40, 19, 8};
    assert_int_equal(hb_ckks_find_chain(&spec, &wide), HB_OK);
    refused(&spec, "keys of the sparse secret, of weight 32, are modulo q_0 and the first special prime, of 98 bits");
    spec.insecure = true;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    assert_true(params->spec.insecure);
    hb_params_close(params);
}

static void chains_that_are_none(void **state)
{
    (void)state;
    static const hb_ckks_chain chains[] = {{51, 40, 3, 1}, {19, 40, 3, 1},  {50, 50, 3, 1}, {50, 19, 3, 1},
                                           {50, 40, 3, 0}, {50, 40, 63, 1}, {35, 33, 3, 1}, {50, 32, 3, 1},
                                           {32, 33, 3, 1}, {50, 63, 3, 1},  {50, 96, 3, 1}, {50, 80, 31, 1}};
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        hb_params_spec spec = {.n = 8192}, before = spec;
        assert_int_equal(hb_ckks_find_chain(&spec, &chains[i]), i == 6 ? HB_OK : HB_ECONFIG);
        assert_int_equal(memcmp(&spec, &before, sizeof spec) == 0, i != 6);
    }
}

/* Every scale has a chain with the default number of special primes; with some numbers there is none, and the refusal
 * names the number. All that are found can be opened. */
static void chains_of_every_scale(void **state)
{
    (void)state;
    uint32_t none = 0;
    for (uint32_t scale = 33; scale <= 95; scale += scale == 48 ? 16 : 1) {
        for (uint32_t special = 0; special <= 3; special++) {
            const hb_ckks_chain wanted = {0, scale, 4, special};
            hb_params_spec spec = {.n = 1024, .insecure = true, .security.level = 128};
            hb_params *params;
            const hb_status st = hb_ckks_choose_chain(&spec, &wanted);
            assert_int_equal(st, special > 1 && st != HB_OK ? HB_ECONFIG : HB_OK);
            if (st != HB_OK) {
                assert_non_null(strstr(hb_last_error()->text, "; there is one with 1, and with "));
                none++;
                continue;
            }
            assert_true(special == 0 || spec.special_limbs == special);
            assert_int_equal(hb_params_open(&spec, &params), HB_OK);
            hb_params_close(params);
        }
    }
    assert_int_equal(none, 3 + 5 + 2); /* of 46 to 48 bits and 91 to 95 with 2, of 48 and 95 with 3 */
}

/* With bootstrapping every number of levels that leaves one has a chain, whose digits are as long as can be. */
static void chains_with_bootstrapping(void **state)
{
    (void)state;
    static const struct {
        hb_eval_mod form;
        uint32_t least;
    } forms[] = {{HB_EVAL_MOD_CUBIC, 6}, {HB_EVAL_MOD_SURE, 6}, {HB_EVAL_MOD_LIGHT, 4}, {HB_EVAL_MOD_FINE, 7}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        for (uint32_t levels = forms[i].least - 1; levels < 39; levels += levels < 8 ? 1 : 5) {
            const hb_ckks_chain wanted = {0, 33 + levels % 15, levels, 0};
            hb_params_spec spec = {.n = 1024,
                                   .insecure = true,
                                   .security.level = 128,
                                   .bootstrapping = hb_ckks_bootstrapping(forms[i].form)};
            hb_params *params;
            if (levels < forms[i].least) {
                assert_int_equal(hb_ckks_choose_chain(&spec, &wanted), HB_ECONFIG);
                assert_non_null(strstr(hb_last_error()->text, "leaves none of them to compute on"));
                continue;
            }
            assert_int_equal(hb_ckks_choose_chain(&spec, &wanted), HB_OK);
            assert_int_equal(hb_params_open(&spec, &params), HB_OK);
            assert_int_equal(hb_bootstrapping_levels_of(&params->spec).join, levels);
            hb_params_close(params);
            if (spec.digit_limbs < spec.special_limbs) {
                spec.digit_limbs++;
                assert_int_equal(hb_ckks_check_digits(&spec), HB_ECONFIG);
            }
        }
    }
    hb_params_spec spec = {.n = 1024, .insecure = true, .bootstrapping = hb_ckks_bootstrapping(HB_EVAL_MOD_CUBIC)};
    assert_int_equal(hb_ckks_choose_chain(&spec, &(hb_ckks_chain){0, 48, 8, 0}), HB_ECONFIG);
    assert_non_null(strstr(hb_last_error()->text, "with bootstrapping it has 33 to 47"));
}

/* The digest covers all that keys and ciphertexts depend on; it does not cover security. */
static void digests(void **state)
{
    (void)state;
    const hb_params_spec spec = literal();
    hb_params_spec other[7] = {spec, spec, spec, spec, spec, spec, spec};
    uint8_t digest[HB_DIGEST_BYTES], changed[HB_DIGEST_BYTES];
    hb_params_digest(digest, &spec);
    other[0].ckks.scale_bits++;
    other[1].ckks.like_seal = true;
    other[2].digit_limbs = 1;
    other[3].primes[2] = 0x100003e0001;
    other[4].security.level = 192;
    other[5].ckks.level_primes = 2;
    other[6].bootstrapping.eval_mod = HB_EVAL_MOD_SURE;
    for (int i = 0; i < 7; i++) {
        hb_params_digest(changed, &other[i]);
        assert_int_equal(memcmp(digest, changed, sizeof digest) == 0, i == 4);
        assert_int_equal(hb_params_same(&spec, &other[i]), i == 4);
    }
}

HB_UNIT(ckks_params)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_follow_the_rule),
        cmocka_unit_test(presets_with_bootstrapping),
        cmocka_unit_test(presets_like_seal),
        cmocka_unit_test(scales_are_the_models),
        cmocka_unit_test(levels_of_two_primes),
        cmocka_unit_test(literals_like_seal),
        cmocka_unit_test(refusals),
        cmocka_unit_test(refusals_of_two_primes),
        cmocka_unit_test(refusals_of_bootstrapping),
        cmocka_unit_test(sparse_secrets),
        cmocka_unit_test(chains_that_are_none),
        cmocka_unit_test(chains_of_every_scale),
        cmocka_unit_test(chains_with_bootstrapping),
        cmocka_unit_test(digests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
