/* Parameters: presets and identifiers against SEAL's constants, every level constant against GMP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/prime.h"
#include "bfv/level.h"
#include "bfv/params.h"
#include "reference/big.h"
#include "reference/seal_constants.h"
#include "scheme/params.h"
#include "unit/unit.h"

static hb_params_spec preset(const char *name)
{
    hb_params_spec spec;
    assert_int_equal(hb_params_preset(name, &spec), HB_OK);
    return spec;
}

static hb_params *opened(const hb_params_spec *spec)
{
    hb_params *p = NULL;
    assert_int_equal(hb_params_open(spec, &p), HB_OK);
    assert_non_null(p);
    return p;
}

static void assert_digest(const hb_params *p, const char *hex)
{
    char mine[2 * HB_DIGEST_BYTES + 1];
    for (size_t i = 0; i < HB_DIGEST_BYTES; i++) {
        snprintf(mine + 2 * i, 3, "%02x", p->digest[i]);
    }
    assert_string_equal(mine, hex);
}

/* q of level `limbs` by GMP. */
static void product(mpz_t q, const hb_params_spec *spec, uint32_t limbs)
{
    mpz_set_ui(q, 1);
    for (uint32_t i = 0; i < limbs; i++) {
        mpz_mul_ui(q, q, spec->primes[i]);
    }
}

/* 1/a mod m, which must exist. */
static uint64_t inverse(const mpz_t a, uint64_t m)
{
    mpz_t r, modulus;
    mpz_init(r);
    mpz_init_set_ui(modulus, m);
    assert_true(mpz_invert(r, a, modulus) != 0);
    const uint64_t value = mpz_get_ui(r);
    mpz_clears(r, modulus, NULL);
    return value;
}

static void check_limb(const hb_params *p, const hb_level *level, const mpz_t q, uint32_t i)
{
    const hb_bfv_level *bfv = hb_bfv_level_of(p, level->basis.limbs);
    const uint64_t t = p->spec.bfv.plain, m = p->spec.primes[i], gamma = p->ring.moduli[hb_bfv_of(p)->gamma_id].value;
    mpz_t z;
    mpz_init(z);
    mpz_fdiv_q_ui(z, q, t);
    assert_true(bfv->scale_plain.delta[i] == mpz_fdiv_ui(z, m));
    assert_true(bfv->plain_factor[i] == t % m);
    mpz_divexact_ui(z, q, m); /* qhat_i */
    assert_true(bfv->to_plain_gamma.matrix[i] == mpz_fdiv_ui(z, t));
    assert_true(bfv->to_plain_gamma.matrix[level->basis.limbs + i] == mpz_fdiv_ui(z, gamma));
    assert_true(bfv->to_plain_gamma.scale[i] == slow_mul(inverse(z, m), slow_mul(t, gamma, m), m));
    const uint32_t limbs = level->basis.limbs, last = limbs - 1;
    if (i < last) {
        mpz_set_ui(z, p->spec.primes[last]);
        assert_true(level->rescale.inverse[i] == inverse(z, m));
    }
    if (p->special_limbs > 0 && limbs < p->key_limbs) {
        mpz_set_ui(z, p->spec.primes[p->key_limbs - 1]);
        assert_int_equal(p->gadget.levels[limbs].switch_ids[i], i);
        assert_true(p->gadget.levels[limbs].down.inverse[i] == inverse(z, m));
    }
    mpz_clear(z);
}

static void check_level(const hb_params *p, uint32_t limbs)
{
    const hb_level *level = &p->levels[limbs];
    const hb_bfv_level *bfv = &hb_bfv_of(p)->levels[limbs];
    const uint64_t t = p->spec.bfv.plain, gamma = p->ring.moduli[hb_bfv_of(p)->gamma_id].value;
    mpz_t q, z;
    mpz_inits(q, z, NULL);
    product(q, &p->spec, limbs);
    if (mpz_cmp_ui(q, t) <= 0) {
        assert_int_equal(level->basis.limbs, 0);
        assert_null(level->garner.radix);
    } else {
        assert_int_equal(level->basis.limbs, limbs);
        assert_true(big_equals(q, &level->basis.product));
        assert_ptr_equal(level->garner.basis, &level->basis);
        assert_int_equal(bfv->scale_plain.plain_id, hb_bfv_of(p)->plain_id);
        assert_true(bfv->scale_plain.remainder == mpz_fdiv_ui(q, t));
        assert_true(bfv->scale_plain.half == (t + 1) / 2);
        assert_ptr_equal(bfv->to_plain_gamma.to_ids, hb_bfv_of(p)->plain_gamma_ids);
        assert_int_equal(bfv->gamma_correction.plain_id, hb_bfv_of(p)->plain_id);
        assert_int_equal(bfv->gamma_correction.gamma_id, hb_bfv_of(p)->gamma_id);
        mpz_neg(z, q);
        assert_true(bfv->gamma_correction.negative_inverse_q[0] == inverse(z, t));
        assert_true(bfv->gamma_correction.negative_inverse_q[1] == inverse(z, gamma));
        mpz_set_ui(z, gamma);
        assert_true(bfv->gamma_correction.inverse_gamma == inverse(z, t));
        if (limbs > 1) {
            assert_int_equal(hb_mod_down_last(&level->rescale).last_id, limbs - 1);
            assert_true(level->rescale.half == p->spec.primes[limbs - 1] / 2);
        }
        if (p->special_limbs > 0 && limbs < p->key_limbs) {
            const hb_gadget_level *gadget = &p->gadget.levels[limbs];
            assert_int_equal(gadget->switch_limbs, limbs + 1);
            assert_int_equal(gadget->switch_ids[limbs], p->key_limbs - 1);
            assert_int_equal(hb_mod_down_last(&gadget->down).last_id, p->key_limbs - 1);
            assert_true(gadget->down.half == p->spec.primes[p->key_limbs - 1] / 2);
        }
        bool fast_lift = true; /* semantics.md 1.6 */
        for (uint32_t i = 0; i < limbs; i++) {
            fast_lift = fast_lift && p->spec.primes[i] > t;
        }
        assert_int_equal(bfv->plain_lift.plain_id, hb_bfv_of(p)->plain_id);
        assert_true(bfv->plain_lift.half == (t + 1) / 2);
        assert_int_equal(bfv->plain_lift.keep_monomials, fast_lift);
        for (uint32_t i = 0; i < limbs; i++) {
            check_limb(p, level, q, i);
        }
    }
    mpz_clears(q, z, NULL);
}

/* Primes = 1 mod 2N that no other basis has, and that hold every product of two ciphertexts of up to 8 components
 * (semantics.md 6.2): t s N Q (1/2 + k / 2^32)^2 + k < B (floor(m_sk / 2) - nB), both sides times 2^64. */
static void check_auxiliary(const hb_params *p)
{
    mpz_t w, room;
    assert_true(p->auxiliary_limbs >= 2 && p->auxiliary_limbs <= HB_MAX_LIMBS);
    mpz_init(w);
    mpz_init_set_ui(room, 1);
    for (uint32_t i = 0; i < p->auxiliary_limbs; i++) {
        const uint64_t b = p->ring.moduli[p->auxiliary_ids[i]].value;
        assert_true(b >> 32 != 0 && b % (2 * p->spec.n) == 1 && b != p->spec.bfv.plain);
        assert_int_equal(p->auxiliary_ids[i], p->key_limbs + 1 + hb_spec_residues(&p->spec) + i);
        assert_true(p->ring.psi[p->auxiliary_ids[i]] != 0); /* there is none modulo a composite number */
        assert_true(b != p->ring.moduli[hb_bfv_of(p)->gamma_id].value);
        for (uint32_t j = 0; j < p->key_limbs; j++) {
            assert_true(b != p->spec.primes[j]);
        }
        for (uint32_t j = 0; j < i; j++) {
            assert_true(b != p->ring.moduli[p->auxiliary_ids[j]].value);
        }
        mpz_mul_ui(room, room, i == 0 ? b / 2 - (p->auxiliary_limbs - 1) : b);
    }
    product(w, &p->spec, p->data_limbs);
    mpz_mul_ui(w, w, p->spec.bfv.plain);
    mpz_mul_ui(w, w, 8 * p->spec.n);
    mpz_mul_ui(w, w, (1ull << 31) + p->data_limbs);
    mpz_mul_ui(w, w, (1ull << 31) + p->data_limbs);
    mpz_fdiv_q_2exp(w, w, 64);
    mpz_add_ui(w, w, p->data_limbs + 1);
    assert_true(mpz_cmp(w, room) < 0);
    mpz_clears(w, room, NULL);
}

static void check_params(const hb_params *p)
{
    mpz_t q;
    mpz_init(q);
    product(q, &p->spec, p->spec.key_limbs);
    assert_int_equal(p->key_limbs, p->spec.key_limbs);
    assert_int_equal(p->chain_bits, mpz_sizeinbase(q, 2));
    assert_int_equal(p->ring.n, p->spec.n);
    assert_int_equal(p->ring.count, p->key_limbs + 1 + hb_spec_residues(&p->spec) + p->auxiliary_limbs);
    check_auxiliary(p);
    for (uint32_t i = 0; i < p->key_limbs; i++) {
        assert_int_equal(p->ids[i], i);
        assert_true(p->ring.moduli[i].value == p->spec.primes[i]);
        assert_true(p->ring.psi[i] != 0);
        check_level(p, i + 1);
    }
    assert_true(p->ring.moduli[hb_bfv_of(p)->plain_id].value == p->spec.bfv.plain);
    assert_int_equal(hb_bfv_of(p)->plain_gamma_ids[0], hb_bfv_of(p)->plain_id);
    assert_int_equal(hb_bfv_of(p)->plain_gamma_ids[1], hb_bfv_of(p)->gamma_id);
    assert_ptr_equal(hb_params_fresh_level(p), &p->levels[p->data_limbs]);
    assert_int_equal(p->special_limbs, p->key_limbs - p->data_limbs);
    assert_ptr_equal(hb_params_special_ids(p), p->ids + p->data_limbs);
    mpz_clear(q);
}

/* semantics.md 1.1, appendices A to C: the properties that hold without SEAL's files. */
static void test_seal_presets(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t n;
        uint32_t limbs, bits;
        uint64_t first, last, t, gamma;
        const char *digest;
    } sets[] = {
        {"seal-4096", 4096, 3, 109, 68719403009, 137438822401, 1032193, 2305843009213489153,
         "51f0b0172e4629d58f1802d4c7c257c0100dde01dcdbf661e004a4627e01f9bf"},
        {"seal-8192", 8192, 5, 218, 8796092858369, 17592184717313, 1032193, 2305843009213120513,
         "6cc78de999e8ecf9618cfa48770a1b468ebdcb3e6068e488b8088c28e1b3fe75"},
        {"seal-16384", 16384, 9, 438, 281474976546817, 562949951619073, 786433, 2305843009211596801,
         "dfd4b6b6a80669e01b8beaebd99b27b406968a34a649eb6981d509a814bb4819"},
        {"seal-32768", 32768, 16, 881, 36028797017456641, 72057594037338113, 786433, 2305843009211596801,
         "16ed7c7f50f722abd1b755502f620be046cfc22ed156d7cd04c19f5bbce7cd01"},
    };
    for (size_t i = 0; i < 4; i++) {
        const hb_params_spec spec = preset(sets[i].name);
        const uint32_t plain_bits = 20;
        uint64_t t;
        assert_string_equal(hb_params_preset_name(4 + i), sets[i].name);
        assert_int_equal(hb_create_primes(spec.n, &plain_bits, 1, &t), HB_OK);
        assert_true(spec.bfv.plain == t && t == sets[i].t);
        hb_params *p = opened(&spec);
        assert_string_equal(p->name, sets[i].name);
        assert_true(spec.n == sets[i].n && p->key_limbs == sets[i].limbs && p->data_limbs == sets[i].limbs - 1);
        assert_true(spec.primes[0] == sets[i].first && spec.primes[p->key_limbs - 1] == sets[i].last);
        assert_int_equal(p->chain_bits, sets[i].bits);
        assert_true(hb_bfv_of(p)->batching && !p->spec.insecure && p->spec.security.level == 128);
        assert_true(p->spec.security.table == HB_SECURITY_2018 && !p->spec.security.quantum);
        assert_true(p->ring.moduli[hb_bfv_of(p)->gamma_id].value == sets[i].gamma);
        assert_digest(p, sets[i].digest);
        check_params(p);
        hb_params_close(p);
    }
    assert_string_equal(hb_params_preset_name(16), "ckks-13");
    assert_null(hb_params_preset_name(30));
    hb_params_spec spec = {.n = 3};
    assert_int_equal(hb_params_preset("bfv-4095", &spec), HB_EUSAGE);
    assert_non_null(strstr(hb_last_error()->text, "bfv-4096, bfv-8192, bfv-16384, bfv-32768, seal-4096, seal-8192, "
                                                  "seal-16384, seal-32768"));
    assert_int_equal(spec.n, 3);
}

/* The `count` largest primes of that size = 1 mod 2n that the chain has, by GMP, ascending. */
static void check_primes(const uint64_t *primes, uint32_t count, uint32_t bits, uint64_t step)
{
    mpz_t candidate;
    mpz_init(candidate);
    uint64_t value = (1ull << bits) - step + 1;
    for (uint32_t found = 0; found < count; value -= step) {
        mpz_set_ui(candidate, value);
        if (mpz_probab_prime_p(candidate, 40) != 0) {
            found++;
            assert_true(primes[count - found] == value);
        }
    }
    mpz_clear(candidate);
}

/* The search rule of bfv/presets.c, and no bit above the limit of the table of 2024. */
static void test_presets(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t n;
        uint32_t limit, bits, small, large; /* so many primes of `bits` bits, then of one more */
        uint64_t t;
    } sets[] = {
        {"bfv-4096", 4096, 106, 35, 2, 1, 1032193},
        {"bfv-8192", 8192, 214, 42, 1, 4, 1032193},
        {"bfv-16384", 16384, 430, 47, 2, 7, 786433},
        {"bfv-32768", 32768, 868, 49, 0, 17, 786433},
    };
    for (size_t i = 0; i < 4; i++) {
        const hb_params_spec spec = preset(sets[i].name);
        uint32_t bits[HB_MAX_LIMBS];
        uint64_t made[HB_MAX_LIMBS];
        assert_string_equal(hb_params_preset_name(i), sets[i].name);
        hb_params *p = opened(&spec);
        assert_string_equal(p->name, sets[i].name);
        assert_true(spec.n == sets[i].n && spec.bfv.plain == sets[i].t && hb_bfv_of(p)->batching && !p->spec.insecure);
        assert_true(spec.security.level == 128 && spec.security.table == HB_SECURITY_2024 && !spec.security.quantum);
        assert_int_equal(p->key_limbs, sets[i].small + sets[i].large);
        assert_int_equal(p->data_limbs, p->key_limbs - 1);
        check_primes(spec.primes, sets[i].small, sets[i].bits, 2 * spec.n);
        check_primes(spec.primes + sets[i].small, sets[i].large, sets[i].bits + 1, 2 * spec.n);
        for (uint32_t l = 0; l < p->key_limbs; l++) {
            assert_true(p->ring.moduli[p->ids[l]].f64);
            bits[l] = sets[i].bits + (l >= sets[i].small);
        }
        assert_int_equal(hb_create_primes(spec.n, bits, p->key_limbs, made), HB_OK);
        assert_memory_equal(spec.primes, made, p->key_limbs * sizeof *made);
        mpz_t product;
        mpz_init_set_ui(product, 1);
        for (uint32_t l = 0; l < p->key_limbs; l++) {
            mpz_mul_ui(product, product, spec.primes[l]);
        }
        /* The whole limit, or the primes end before. */
        assert_int_equal(p->chain_bits, mpz_sizeinbase(product, 2));
        assert_int_equal(p->chain_bits, spec.n == 32768 ? 17 * 50 : sets[i].limit);
        assert_true(p->chain_bits <= sets[i].limit);
        assert_int_equal(hb_security_limit(spec.security, spec.n), sets[i].limit);
        mpz_clear(product);
        check_params(p);
        hb_params_close(p);
    }
}

static void check_seal_set(size_t n, const json_t *set)
{
    hb_params_spec spec = {.n = n, .bfv.plain = seal_constant(set, "t"), .security = {.level = 128}};
    const uint32_t limbs = (uint32_t)json_array_size(json_object_get(set, "primes"));
    size_t at;
    json_t *level;
    assert_true(limbs >= 1 && limbs <= HB_MAX_LIMBS);
    for (uint32_t i = 0; i < limbs; i++) {
        spec.primes[i] = seal_constant_at(set, "primes", i);
    }
    /* The identifier of a level is that of the chain cut there. */
    json_array_foreach(json_object_get(set, "parms_ids"), at, level)
    {
        spec.key_limbs = (uint32_t)seal_constant(level, "limbs");
        hb_params *p = opened(&spec);
        assert_digest(p, json_string_value(json_object_get(level, "parms_id")));
        assert_true(p->ring.psi[hb_bfv_of(p)->plain_id] == seal_constant(set, "psi_t"));
        for (uint32_t i = 0; i < spec.key_limbs; i++) {
            assert_true(p->ring.psi[i] == seal_constant_at(set, "psi", i));
        }
        if (spec.key_limbs == limbs) {
            assert_int_equal(p->chain_bits, seal_constant(set, "bits"));
            check_params(p);
        }
        hb_params_close(p);
    }
    char name[32];
    snprintf(name, sizeof name, "seal-%zu", n);
    if (n >= 4096) {
        spec.key_limbs = limbs;
        hb_params *p = opened(&spec);
        assert_string_equal(p->name, name); /* so the preset has SEAL's primes and t */
        hb_params_close(p);
    }
}

static void test_seal_constants(void **state)
{
    (void)state;
    json_t *constants = seal_constants_load();
    const char *key;
    json_t *set;
    json_object_foreach(constants, key, set)
    {
        check_seal_set(strtoul(key, NULL, 10), set);
    }
    json_decref(constants);
}

/* Chains of many shapes; t = 2, composite, larger than single primes, larger than the first levels. */
static void test_levels(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits[4], limbs, data_limbs;
        uint64_t t;
    } cases[] = {
        {{27}, 1, 1, 12289},
        {{20, 20}, 2, 1, 2},
        {{16, 18, 17}, 3, 2, 256},
        {{60, 20, 60, 40}, 4, 3, 65536},
        {{16, 16, 16, 20}, 4, 3, (1ull << 40) - 87}, /* composite; levels 1 and 2 do not exist */
        {{16, 16, 16}, 3, 3, (1ull << 36) + 1},      /* nor does level 2: no special prime */
        {{60, 59, 58, 60}, 4, 3, (1ull << 60) - 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hb_params_spec spec = {.n = 1024,
                               .key_limbs = cases[i].limbs,
                               .bfv.plain = cases[i].t,
                               .security = {.level = 128},
                               .insecure = true};
        assert_int_equal(hb_create_primes(spec.n, cases[i].bits, spec.key_limbs, spec.primes), HB_OK);
        spec.primes[spec.key_limbs] = 99; /* beyond the chain: not looked at, not kept */
        hb_params *p = opened(&spec);
        check_params(p);
        assert_int_equal(p->data_limbs, cases[i].data_limbs);
        assert_string_equal(p->name, "custom");
        assert_int_equal(p->spec.insecure, p->chain_bits > 27);
        assert_int_equal(p->spec.primes[spec.key_limbs], 0);
        assert_int_equal(hb_bfv_of(p)->batching, cases[i].t == 12289);
        hb_params_close(p);
    }
}

static void test_largest(void **state)
{
    (void)state;
    hb_params_spec spec = {.n = 1 << 17, .key_limbs = HB_MAX_LIMBS, .bfv.plain = 786433, .security = {.level = 128}};
    uint32_t bits[HB_MAX_LIMBS];
    for (size_t i = 0; i < HB_MAX_LIMBS; i++) {
        bits[i] = i == 0 ? 52 : 55; /* 52 + 63 * 55 = 3517 bits, allowed 3523 */
    }
    assert_int_equal(hb_create_primes(spec.n, bits, HB_MAX_LIMBS, spec.primes), HB_OK);
    hb_params *p = opened(&spec);
    assert_false(p->spec.insecure);
    check_params(p);
    hb_params_close(p);
}

/* Whichever of several plain moduli is t, the ring is the same, so that an engine on it serves them all; none of them
 * is a prime of the auxiliary base, though they have its size. */
static void test_one_ring_for_all_plain_moduli(void **state)
{
    (void)state;
    hb_params_spec spec = {.n = 1024, .key_limbs = 3, .security = {.level = 128}, .insecure = true};
    assert_int_equal(hb_create_primes(1024, (const uint32_t[]){50, 50, 51}, 3, spec.primes), HB_OK);
    assert_int_equal(hb_find_primes(2048, 49, 3, spec.bfv.plains), HB_OK);
    spec.bfv.plain_count = 3;
    hb_params *of[3];
    for (uint32_t r = 0; r < 3; r++) {
        const hb_params_spec one = hb_spec_of_residue(&spec, r);
        of[r] = opened(&one);
        const hb_params *p = of[r], *first = of[0];
        assert_int_equal(p->ring.moduli[hb_bfv_of(p)->plain_id].value, spec.bfv.plains[r]);
        assert_int_equal(p->ring.count, first->ring.count);
        for (uint32_t i = 0; i < p->ring.count; i++) {
            assert_int_equal(p->ring.moduli[i].value, first->ring.moduli[i].value);
            assert_int_equal(p->ring.psi[i], first->ring.psi[i]);
            for (uint32_t j = 0; j < i; j++) {
                assert_int_not_equal(p->ring.moduli[i].value, p->ring.moduli[j].value);
            }
        }
        assert_true(p->auxiliary_limbs > 0);
        assert_memory_equal(p->auxiliary_ids, first->auxiliary_ids, sizeof p->auxiliary_ids);
        assert_int_equal(p->ring.moduli[p->auxiliary_ids[0]].bits, 49);
        check_params(p);
    }
    for (uint32_t r = 0; r < 3; r++) {
        hb_params_close(of[r]);
    }
}

static void test_close_nothing(void **state)
{
    (void)state;
    hb_params_close(NULL);
}

HB_UNIT(params)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_seal_presets),
        cmocka_unit_test(test_seal_constants),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_largest),
        cmocka_unit_test(test_close_nothing),
        cmocka_unit_test(test_one_ring_for_all_plain_moduli),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
