/* Hoisted automorphisms, rotations and sums of slots against single automorphisms (semantics.md 6.10), which have their
 * own test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/small_bfv.h"
#include "ring/galois.h"
#include "unit/unit.h"

/* Coefficients that are no multiple of a prime, so that hoisting has its way; `zeros` of them are 0. */
static hb_ciphertexts hoistable(small_bfv *f, size_t count, uint32_t k, size_t zeros)
{
    const hb_ciphertexts a = random_ciphertexts(f, 2, count, k);
    for (size_t i = 0; i < a.all.count * a.all.stride; i++) {
        const uint64_t edges[] = {1, f->params->spec.primes[i / N % k] - 1};
        if (a.all.data[i] == 0) {
            a.all.data[i] = edges[i % 2];
        }
    }
    for (size_t i = 0; i < zeros; i++) {
        *word(a.all, count + i % count, (uint32_t)(i % k), N - 1 - i % N) = 0;
    }
    return a;
}

static void hoisting_changes_no_bit(void **state)
{
    (void)state;
    enum { KEYS = 7 };
    for (size_t chain = 0; chain < CHAINS; chain++) {
        small_bfv f;
        open_chain(&f, chain);
        hb_switch_key keys[KEYS];
        const hb_switch_key *pointers[KEYS];
        for (uint32_t i = 0; i < KEYS && hb_params_can_switch(f.params); i++) {
            keys[i] = random_key(&f, 2 * i + 3);
            pointers[i] = &keys[i];
        }
        for (uint32_t round = 0; round < 6 && hb_params_can_switch(f.params); round++) {
            const uint32_t k = round % 2 == 0 || !has_level(&f, 1) ? f.params->data_limbs : 1;
            const size_t count = round < 2 ? 1 : MOST_COUNT;
            const hb_ciphertexts a = hoistable(&f, count, k, round >= 4 ? 1 : 0), one = ciphertexts(&f, 2, count, k);
            hb_ciphertexts r[KEYS];
            for (uint32_t i = 0; i < KEYS; i++) {
                r[i] = ciphertexts(&f, 2, count, k);
            }
            assert_int_equal(hb_evaluator_galois_hoisted(f.x, r, a, pointers, KEYS), HB_OK);
            for (uint32_t i = 0; i < KEYS; i++) {
                assert_int_equal(hb_evaluator_galois(f.x, one, a, pointers[i]), HB_OK);
                expect_same(r[i], one);
                release(&f, r[i]);
            }
            release(&f, a);
            release(&f, one);
        }
        for (uint32_t i = 0; i < KEYS && hb_params_can_switch(f.params); i++) {
            hb_switch_key_clear(&keys[i]);
        }
        close_small(&f);
    }
}

/* Rotations: steps 1, -1 and 2 and the swap have keys; -3, 3 and -2 have none */

static void open_rotations(small_bfv *f, hb_switch_keys *keys)
{
    const uint32_t elements[] = {hb_galois_rotation(N, 3, 1), hb_galois_rotation(N, 3, 2), hb_galois_swap(N)};
    open_chain(f, 0);
    memset(keys, 0, sizeof *keys);
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        hb_switch_key key = random_key(f, elements[i]);
        assert_int_equal(hb_switch_keys_add(keys, &key), HB_OK);
    }
}

static void rotations_take_their_key_or_others(void **state)
{
    (void)state;
    small_bfv f;
    hb_switch_keys keys;
    open_rotations(&f, &keys);
    const uint32_t k = f.params->data_limbs;
    const hb_ciphertexts a = random_ciphertexts(&f, 2, COUNT, k), r = ciphertexts(&f, 2, COUNT, k),
                         expected = ciphertexts(&f, 2, COUNT, k);
    assert_int_equal(hb_evaluator_rotate(f.x, r, a, 2, &keys), HB_OK);
    assert_int_equal(hb_evaluator_galois(f.x, expected, a, &keys.key[1]), HB_OK);
    expect_same(r, expected);
    assert_int_equal(hb_evaluator_rotate(f.x, r, a, 0, &keys), HB_OK);
    expect_same(r, a);
    assert_int_equal(hb_evaluator_swap(f.x, r, a, &keys), HB_OK);
    assert_int_equal(hb_evaluator_galois(f.x, expected, a, &keys.key[2]), HB_OK);
    expect_same(r, expected);
    /* -3 has the element of 1; 3 = -1 + 4, and -1 has no key. */
    assert_int_equal(hb_evaluator_rotate(f.x, r, a, -3, &keys), HB_OK);
    assert_int_equal(hb_evaluator_galois(f.x, expected, a, &keys.key[0]), HB_OK);
    expect_same(r, expected);
    assert_int_equal(hb_evaluator_rotate(f.x, r, a, 3, &keys), HB_EDATA);
    assert_non_null(strstr(hb_last_error()->text, "-1"));
    hb_switch_key key = random_key(&f, hb_galois_rotation(N, 3, -1));
    assert_int_equal(hb_switch_keys_add(&keys, &key), HB_OK);
    hb_switch_keys_clear(&keys);
    release(&f, a);
    release(&f, r);
    release(&f, expected);
    close_small(&f);
}

static void slots_are_summed_in_steps(void **state)
{
    (void)state;
    small_bfv f;
    hb_switch_keys keys;
    open_rotations(&f, &keys);
    const uint32_t k = f.params->data_limbs;
    const hb_ciphertexts r = random_ciphertexts(&f, 2, MOST_COUNT, k), expected = copy_of(&f, r),
                         rotated = ciphertexts(&f, 2, MOST_COUNT, k);
    assert_int_equal(hb_evaluator_sum_slots(f.x, r, &keys), HB_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(hb_evaluator_galois(f.x, rotated, expected, &keys.key[i]), HB_OK);
        assert_int_equal(hb_evaluator_add(f.x, expected, expected, rotated), HB_OK);
    }
    expect_same(r, expected);
    hb_switch_keys_clear(&keys);
    assert_int_equal(hb_evaluator_sum_slots(f.x, r, &keys), HB_EDATA);
    release(&f, r);
    release(&f, expected);
    release(&f, rotated);
    close_small(&f);
}

HB_UNIT(evaluator_rotate)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hoisting_changes_no_bit),
        cmocka_unit_test(rotations_take_their_key_or_others),
        cmocka_unit_test(slots_are_summed_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
