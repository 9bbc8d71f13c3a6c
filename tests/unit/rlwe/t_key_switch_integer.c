/* Key switching over the integers (rlwe/key_switch_integer.h) gives the same as modulo each prime, at every level,
 * alone and hoisted, also for the largest digits and keys that there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/small_bfv.h"
#include "unit/unit.h"

static const struct {
    uint32_t bits, limbs;
} long_chains[] = {{55, 16}, {60, 12}, {50, 31}, {48, 40}, {30, 24}};
enum { LONG_CHAINS = sizeof long_chains / sizeof *long_chains };

/* q - 1 everywhere. */
static void fill_largest(const small_bfv *f, hb_batch a)
{
    for (size_t i = 0; i < a.count * a.limbs * N; i++) {
        const uint32_t l = (uint32_t)(i / N % a.limbs);
        a.data[i / N / a.limbs * a.stride + i % (a.limbs * N)] = f->params->ring.moduli[a.ids[l]].value - 1;
    }
}

static hb_switch_key key_like(const small_bfv *f, const hb_switch_key *key)
{
    hb_switch_key copy = *key;
    assert_int_equal(hb_batch_alloc(f->engine, &copy.parts, key->parts.count, key->parts.limbs, key->parts.ids), HB_OK);
    memcpy(copy.parts.data, key->parts.data, key->parts.count * key->parts.stride * sizeof *key->parts.data);
    assert_int_equal(hb_switch_key_to_integers(&copy), HB_OK);
    assert_non_null(copy.integers.data);
    return copy;
}

/* A key whose coefficients, or whose values, are all as large as they can be. */
static hb_switch_key largest_key(small_bfv *f, uint32_t element, bool coefficients)
{
    hb_switch_key key = random_key(f, element);
    fill_largest(f, key.parts);
    if (coefficients) {
        assert_int_equal(hb_ntt(f->engine, key.parts), HB_OK);
    }
    return key;
}

static void check_level(small_bfv *f, uint32_t k, size_t count, hb_switch_key (*make)(small_bfv *, uint32_t), bool most)
{
    hb_switch_key classic[3] = {make(f, HB_RELINEARIZATION), make(f, 3), make(f, 2 * N - 1)}, prepared[3];
    const hb_ciphertexts a = random_ciphertexts(f, 3, count, k),
                         two = hb_ciphertexts_view(a, f->engine, f->params, 2, count, k);
    const hb_ciphertexts r = ciphertexts(f, 2, count, k), s = ciphertexts(f, 2, count, k),
                         t = ciphertexts(f, 2, count, k);
    if (most) {
        fill_largest(f, a.all);
    }
    for (uint32_t i = 0; i < 3; i++) {
        prepared[i] = key_like(f, &classic[i]);
    }
    assert_int_equal(hb_evaluator_relinearize(f->x, r, a, &classic[0]), HB_OK);
    assert_int_equal(hb_evaluator_relinearize(f->x, s, a, &prepared[0]), HB_OK);
    expect_same(r, s);
    assert_int_equal(hb_evaluator_galois(f->x, r, two, &classic[1]), HB_OK);
    assert_int_equal(hb_evaluator_galois(f->x, s, two, &prepared[1]), HB_OK);
    expect_same(r, s);
    const hb_ciphertexts both[] = {s, t};
    const hb_switch_key *const keys[] = {&prepared[1], &prepared[2]};
    assert_int_equal(hb_evaluator_galois_hoisted(f->x, both, two, keys, 2), HB_OK);
    expect_same(r, s);
    assert_int_equal(hb_evaluator_galois(f->x, r, two, &classic[2]), HB_OK);
    expect_same(r, t);
    for (uint32_t i = 0; i < 3; i++) {
        hb_switch_key_clear(&classic[i]);
        hb_switch_key_clear(&prepared[i]);
    }
    release(f, a);
    release(f, r);
    release(f, s);
    release(f, t);
}

static hb_switch_key any_key(small_bfv *f, uint32_t element)
{
    return random_key(f, element);
}

static hb_switch_key key_of_largest_values(small_bfv *f, uint32_t element)
{
    return largest_key(f, element, false);
}

static hb_switch_key key_of_largest_coefficients(small_bfv *f, uint32_t element)
{
    return largest_key(f, element, true);
}

static void open_long(small_bfv *f, size_t chain)
{
    uint64_t primes[HB_MAX_LIMBS];
    assert_int_equal(hb_find_primes(2 * N, long_chains[chain].bits, long_chains[chain].limbs, primes), HB_OK);
    open_small(f, small_params(LOG_N, primes, long_chains[chain].limbs, 65537), chain % 2 == 0 ? 1 : 1 << 16);
    assert_true(f->params->key_switch_integer.basis.limbs > 0);
}

/* An evaluator of its own for every key: it keeps the keys that it has prepared for hoisting. */
static void check_chain(size_t chain, uint32_t k, size_t count, hb_switch_key (*make)(small_bfv *, uint32_t), bool most)
{
    small_bfv f;
    open_long(&f, chain);
    if (has_level(&f, k)) {
        check_level(&f, k, count, make, most);
    }
    close_small(&f);
}

static void integers_give_the_same(void **state)
{
    (void)state;
    for (size_t chain = 0; chain < LONG_CHAINS; chain++) {
        const uint32_t top = long_chains[chain].limbs - 1;
        for (uint32_t k = 1; k <= top; k++) {
            check_chain(chain, k, k % 3 + 1, any_key, false);
        }
        check_chain(chain, top, MOST_COUNT, any_key, false);
        check_chain(chain, top, 2, key_of_largest_values, true);
        check_chain(chain, top, 2, key_of_largest_coefficients, true);
    }
}

/* Short chains keep the parts; where limbs are divided a member has the limbs of the base that are its own. */
static void prepared_where_it_pays(void **state)
{
    (void)state;
    small_bfv f;
    open_chain(&f, 0);
    hb_switch_key key = random_key(&f, HB_RELINEARIZATION);
    assert_int_equal(hb_switch_key_to_integers(&key), HB_OK);
    assert_non_null(key.parts.data);
    assert_true(hb_switch_key_prepared_bytes(f.params) == hb_switch_key_bytes(f.params));
    assert_true(hb_switch_key_preparing_bytes(f.params) == 0);
    hb_switch_key_clear(&key);
    close_small(&f);
    open_long(&f, 0);
    key = random_key(&f, HB_RELINEARIZATION);
    assert_true(hb_switch_key_prepared_bytes(f.params) != hb_switch_key_bytes(f.params));
    assert_int_equal(hb_params_divide(f.params, 2), HB_OK);
    const hb_key_switch_integer *base = &f.params->key_switch_integer;
    assert_true(hb_switch_key_prepared_bytes(f.params) ==
                (uint64_t)2 * base->blocks * f.params->data_limbs * ((base->basis.limbs + 1) / 2) * N * 8);
    assert_int_equal(hb_params_divide(f.params, 1), HB_OK);
    assert_int_equal(hb_switch_key_to_integers(&key), HB_OK);
    assert_null(key.parts.data);
    assert_true(key.integers.count * key.integers.stride * sizeof(uint64_t) == hb_switch_key_prepared_bytes(f.params));
    hb_switch_key_clear(&key);
    close_small(&f);
}

HB_UNIT(key_switch_integer)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_give_the_same),
        cmocka_unit_test(prepared_where_it_pays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
