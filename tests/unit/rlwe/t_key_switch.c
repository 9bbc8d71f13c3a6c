/* The evaluator's key switching with digits and special primes of any number: the switched polynomial has the same
 * message, up to bounded noise; both forms, and one by one and hoisted, are the same to the word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/hybrid.h"
#include "ring/permutation.h"
#include "scheme/evaluator.h"
#include "unit/unit.h"

static hb_ciphertexts ciphertexts(fixture *f, uint32_t size, size_t count, uint32_t k)
{
    hb_ciphertexts a;
    assert_int_equal(hb_ciphertexts_alloc(&a, f->engine, f->params, size, count, k), HB_OK);
    fill(f, a.all);
    return a;
}

/* A copy in the other form. */
static hb_ciphertexts transformed(fixture *f, hb_ciphertexts a)
{
    hb_ciphertexts r = ciphertexts(f, a.size, hb_ciphertexts_count(a), a.all.limbs);
    r.form = a.form == HB_NTT_FORM ? HB_COEFFICIENT_FORM : HB_NTT_FORM;
    assert_int_equal(hb_copy(f->engine, r.all, a.all), HB_OK);
    assert_int_equal((r.form == HB_NTT_FORM ? hb_ntt : hb_intt)(f->engine, r.all), HB_OK);
    return r;
}

static void clear(fixture *f, hb_ciphertexts *a)
{
    hb_batch_free(f->engine, &a->all);
}

static void expect_same(hb_ciphertexts a, hb_ciphertexts b)
{
    assert_int_equal(a.all.count * a.all.stride, b.all.count * b.all.stride);
    assert_memory_equal(a.all.data, b.all.data, a.all.count * a.all.stride * sizeof *a.all.data);
}

/* b, in NTT form, is a, transformed back. */
static void expect_transform(fixture *f, hb_ciphertexts a, hb_ciphertexts b)
{
    hb_ciphertexts back = transformed(f, b);
    expect_same(a, back);
    clear(f, &back);
}

static hb_evaluator *open_evaluator(fixture *f, size_t count, bool small)
{
    hb_evaluator *ev;
    const hb_evaluator_requirements requirements = {
        .limbs = f->params->data_limbs, .count = count, .switching = true, .hoisting = true};
    f->engine->batch_bytes = small ? 1 : 0; /* a ciphertext at a time */
    assert_int_equal(hb_evaluator_open(f->engine, f->params, &requirements, &ev), HB_OK);
    f->engine->batch_bytes = 0;
    return ev;
}

/* r_0 + r_1 s - (a_0(X^g) + a_1(X^g) s(X^g)), of coefficient form. */
static void check_automorphism(fixture *f, hb_ciphertexts r, hb_ciphertexts a, uint32_t element)
{
    const size_t count = hb_ciphertexts_count(a);
    const uint32_t k = a.all.limbs;
    hb_secret_key permuted;
    hb_ciphertexts x = ciphertexts(f, 2, count, k), y = transformed(f, r);
    hb_batch phase = polynomials(f, count, k), expected = polynomials(f, count, k);
    load_permuted(f, &permuted, element);
    assert_int_equal(hb_galois(f->engine, x.all, a.all, element), HB_OK);
    assert_int_equal(hb_ntt(f->engine, x.all), HB_OK);
    take_phase(f, expected, x.all, &permuted);
    take_phase(f, phase, y.all, &f->secret);
    assert_int_equal(hb_sub(f->engine, phase, phase, expected), HB_OK);
    check_small(f, phase, noise_bound(f->params, k));
    hb_secret_key_clear(&permuted);
    hb_batch_free(f->engine, &phase);
    hb_batch_free(f->engine, &expected);
    clear(f, &x);
    clear(f, &y);
}

enum { KEYS = 4 };

static void make_keys(fixture *f, hb_switch_key keys[KEYS], const hb_switch_key *list[KEYS])
{
    static const uint32_t elements[KEYS] = {3, 2 * N - 1, 25, 9};
    for (int i = 0; i < KEYS; i++) {
        make_key(f, &keys[i], i % 2 == 0 ? HB_FROM_AUTOMORPHISM : HB_TO_AUTOMORPHISM, elements[i], 0);
        list[i] = &keys[i];
    }
}

/* One by one in both forms, added, in place; and hoisted. */
static void check_rotations(fixture *f, uint32_t k, size_t count, bool small)
{
    hb_evaluator *ev = open_evaluator(f, count, small);
    hb_switch_key keys[KEYS];
    const hb_switch_key *list[KEYS];
    hb_ciphertexts a = ciphertexts(f, 2, count, k), ntt = transformed(f, a), hoisted[KEYS], hoisted_ntt[KEYS];
    make_keys(f, keys, list);
    for (int i = 0; i < KEYS; i++) {
        hoisted[i] = ciphertexts(f, 2, count, k);
        hoisted_ntt[i] = ciphertexts(f, 2, count, k);
        hoisted_ntt[i].form = HB_NTT_FORM;
    }
    assert_int_equal(hb_evaluator_galois_hoisted(ev, hoisted, a, list, KEYS), HB_OK);
    assert_int_equal(hb_evaluator_galois_hoisted(ev, hoisted_ntt, ntt, list, KEYS), HB_OK);
    for (int i = 0; i < KEYS; i++) {
        hb_ciphertexts r = ciphertexts(f, 2, count, k), r_ntt = transformed(f, r), sum = transformed(f, r_ntt);
        assert_int_equal(hb_evaluator_add(ev, sum, sum, hoisted[i]), HB_OK);
        assert_int_equal(hb_evaluator_galois_add(ev, r, a, list[i]), HB_OK);
        expect_same(r, sum);
        assert_int_equal(hb_evaluator_galois_add(ev, r_ntt, ntt, list[i]), HB_OK);
        expect_transform(f, r, r_ntt);
        assert_int_equal(hb_evaluator_galois(ev, r, a, list[i]), HB_OK);
        assert_int_equal(hb_evaluator_galois(ev, r_ntt, ntt, list[i]), HB_OK);
        expect_transform(f, r, r_ntt);
        expect_same(r, hoisted[i]);
        expect_same(r_ntt, hoisted_ntt[i]);
        check_automorphism(f, r, a, list[i]->element);
        assert_int_equal(hb_evaluator_copy(ev, r_ntt, ntt), HB_OK);
        assert_int_equal(hb_evaluator_galois(ev, r_ntt, r_ntt, list[i]), HB_OK);
        expect_same(r_ntt, hoisted_ntt[i]);
        clear(f, &r);
        clear(f, &r_ntt);
        clear(f, &sum);
    }
    for (int i = 0; i < KEYS; i++) {
        clear(f, &hoisted[i]);
        clear(f, &hoisted_ntt[i]);
        hb_switch_key_clear(&keys[i]);
    }
    clear(f, &a);
    clear(f, &ntt);
    hb_evaluator_close(ev);
}

static void test_rotations(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        fixture f;
        open_fixture(&f, kinds[i]);
        const uint32_t all = f.params->data_limbs;
        check_rotations(&f, all, 1, false);
        check_rotations(&f, all, 3, false); /* more than it pays to permute digits of */
        check_rotations(&f, all - 1, 3, true);
        check_rotations(&f, 1, 2, false);
        close_fixture(&f);
    }
}

/* r_0 + r_1 s - (a_0 + a_1 s + a_2 s^2). */
static void check_relinearization(fixture *f, hb_evaluator *ev, const hb_switch_key *key, uint32_t k, size_t count)
{
    hb_engine *e = f->engine;
    hb_ciphertexts a = ciphertexts(f, 3, count, k), r = ciphertexts(f, 2, count, k), ntt = transformed(f, a),
                   r_ntt = transformed(f, r);
    hb_batch phase = polynomials(f, count, k), expected = polynomials(f, count, k);
    const hb_batch s = hb_batch_limbs(e, f->secret.s, 0, k);
    assert_int_equal(hb_evaluator_relinearize(ev, r, a, key), HB_OK);
    assert_int_equal(hb_evaluator_relinearize(ev, r_ntt, ntt, key), HB_OK);
    expect_transform(f, r, r_ntt);
    take_phase(f, phase, r_ntt.all, &f->secret);
    const hb_batch a1 = hb_ciphertexts_component(ntt, 1), a2 = hb_ciphertexts_component(ntt, 2);
    assert_int_equal(hb_mul(e, a2, a2, s), HB_OK);
    assert_int_equal(hb_add(e, a1, a1, a2), HB_OK);
    take_phase(f, expected, hb_batch_slice(ntt.all, 0, 2 * count), &f->secret);
    assert_int_equal(hb_sub(e, phase, phase, expected), HB_OK);
    check_small(f, phase, noise_bound(f->params, k));
    hb_ciphertexts in_place = {hb_batch_slice(a.all, 0, 2 * count), 2, HB_COEFFICIENT_FORM};
    assert_int_equal(hb_evaluator_relinearize(ev, in_place, a, key), HB_OK);
    expect_same(in_place, r);
    hb_batch_free(e, &phase);
    hb_batch_free(e, &expected);
    clear(f, &a);
    clear(f, &r);
    clear(f, &ntt);
    clear(f, &r_ntt);
}

/* The level below, in both forms, elsewhere and in place. */
static void check_mod_switch(fixture *f, hb_evaluator *ev, uint32_t k, size_t count)
{
    hb_ciphertexts a = ciphertexts(f, 2, count, k), ntt = transformed(f, a), r = ciphertexts(f, 2, count, k - 1),
                   r_ntt = transformed(f, r);
    assert_int_equal(hb_evaluator_mod_switch(ev, r, a), HB_OK);
    assert_int_equal(hb_evaluator_mod_switch(ev, r_ntt, ntt), HB_OK);
    expect_transform(f, r, r_ntt);
    hb_ciphertexts in_place = hb_ciphertexts_view(ntt, f->engine, f->params, 2, count, k - 1);
    assert_int_equal(in_place.form, HB_NTT_FORM);
    assert_int_equal(hb_evaluator_mod_switch(ev, in_place, ntt), HB_OK);
    expect_same(in_place, r_ntt);
    clear(f, &a);
    clear(f, &ntt);
    clear(f, &r);
    clear(f, &r_ntt);
}

/* Relinearization and the level below at once. Two roundings give another integer than one where the first puts its
 * quotient on the other side of a half: about once in 2^26 coefficients, and not in these. */
static void check_relinearize_rescale(fixture *f, hb_evaluator *ev, const hb_switch_key *key, uint32_t k, size_t count)
{
    hb_ciphertexts a = ciphertexts(f, 3, count, k), r = ciphertexts(f, 2, count, k - 1),
                   two = ciphertexts(f, 2, count, k), expected = ciphertexts(f, 2, count, k - 1);
    a.form = r.form = two.form = expected.form = HB_NTT_FORM;
    assert_int_equal(hb_evaluator_relinearize(ev, two, a, key), HB_OK);
    assert_int_equal(hb_evaluator_mod_switch(ev, expected, two), HB_OK);
    assert_int_equal(hb_evaluator_relinearize_rescale(ev, r, a, key), HB_OK);
    expect_same(r, expected);
    assert_int_equal(hb_evaluator_drop(ev, expected, two), HB_OK);
    for (size_t c = 0; c < 2 * count; c++) {
        assert_memory_equal(expected.all.data + c * expected.all.stride, two.all.data + c * two.all.stride,
                            (k - 1) * N * sizeof(uint64_t));
    }
    const hb_ciphertexts in_place = hb_ciphertexts_view(two, f->engine, f->params, 2, count, k - 1);
    assert_int_equal(hb_evaluator_drop(ev, in_place, two), HB_OK);
    expect_same(in_place, expected);
    clear(f, &a);
    clear(f, &r);
    clear(f, &two);
    clear(f, &expected);
}

static void test_relinearization(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        fixture f;
        hb_switch_key key;
        open_fixture(&f, kinds[i]);
        make_key(&f, &key, HB_FROM_SQUARE, HB_RELINEARIZATION, 0);
        for (int small = 0; small < 2; small++) {
            hb_evaluator *ev = open_evaluator(&f, 3, small != 0);
            for (uint32_t k = 1; k <= f.params->data_limbs; k++) {
                check_relinearization(&f, ev, &key, k, 3);
                if (k > 1) {
                    check_mod_switch(&f, ev, k, 3);
                    check_relinearize_rescale(&f, ev, &key, k, 3);
                }
            }
            hb_evaluator_close(ev);
        }
        hb_switch_key_clear(&key);
        close_fixture(&f);
    }
}

/* Another key in the memory of one that hoisting has seen is another key. */
static void test_identity(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        fixture f;
        hb_switch_key first, second;
        open_fixture(&f, kinds[i]);
        hb_evaluator *ev = open_evaluator(&f, 1, false);
        hb_ciphertexts a = ciphertexts(&f, 2, 1, f.params->data_limbs), r = ciphertexts(&f, 2, 1, a.all.limbs),
                       expected = ciphertexts(&f, 2, 1, a.all.limbs);
        make_key(&f, &first, HB_FROM_AUTOMORPHISM, 3, 0);
        make_key(&f, &second, HB_FROM_AUTOMORPHISM, 25, 0);
        const hb_switch_key *one = &first, *other = &second;
        assert_int_equal(hb_evaluator_galois_hoisted(ev, &r, a, &one, 1), HB_OK);
        uint64_t *words = second.parts.data;
        memcpy(first.parts.data, words, first.parts.count * first.parts.stride * sizeof *words);
        second.parts.data = first.parts.data;
        assert_int_equal(hb_evaluator_galois(ev, expected, a, other), HB_OK);
        assert_int_equal(hb_evaluator_galois_hoisted(ev, &r, a, &other, 1), HB_OK);
        expect_same(r, expected);
        second.parts.data = words;
        hb_switch_key_clear(&first);
        hb_switch_key_clear(&second);
        clear(&f, &a);
        clear(&f, &r);
        clear(&f, &expected);
        hb_evaluator_close(ev);
        close_fixture(&f);
    }
}

/* Products of one ciphertext's digits with several keys, permuted and added before they are divided: the sum of its
 * automorphisms, with the rounding of one. */
static void test_late_division(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, kinds[1]);
    hb_engine *e = f.engine;
    const uint32_t k = f.params->data_limbs - 1;
    const hb_gadget_level *level = &f.params->gadget.levels[k];
    hb_switch_key keys[KEYS];
    const hb_switch_key *list[KEYS];
    hb_batch made, products, permuted, none = {.data = NULL};
    hb_ciphertexts a = ciphertexts(&f, 2, 1, k), sum = ciphertexts(&f, 2, 1, k), one = ciphertexts(&f, 2, 1, k);
    hb_evaluator *ev = open_evaluator(&f, 1, false);
    make_keys(&f, keys, list);
    assert_int_equal(hb_batch_alloc(e, &made, level->digits, level->switch_limbs, level->switch_ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &products, 2, level->switch_limbs, level->switch_ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &permuted, 2, level->switch_limbs, level->switch_ids), HB_OK);
    hb_batch total;
    assert_int_equal(hb_batch_alloc(e, &total, 2, level->switch_limbs, level->switch_ids), HB_OK);
    assert_int_equal(hb_clear(e, total), HB_OK);
    assert_int_equal(hb_clear(e, sum.all), HB_OK);
    const hb_digits digits = hb_digits_on(e, &f.params->gadget, k, made.data, 1);
    assert_int_equal(hb_digits_make(e, digits, hb_ciphertexts_component(a, 1), none, HB_COEFFICIENT_FORM), HB_OK);
    hb_batch c0 = polynomials(&f, 1, k), d = polynomials(&f, 2, k);
    for (int i = 1; i < KEYS; i += 2) { /* the keys that switch first */
        hb_permutation automorphism;
        assert_int_equal(hb_permutation_init_galois(&automorphism, e, list[i]->element), HB_OK);
        assert_int_equal(hb_switch_key_multiply(e, products, digits, list[i]), HB_OK);
        assert_int_equal(hb_permute(e, permuted, products, automorphism.map), HB_OK);
        assert_int_equal(hb_add(e, total, total, permuted), HB_OK);
        hb_permutation_clear(&automorphism, e);
        assert_int_equal(hb_galois(e, c0, hb_ciphertexts_component(a, 0), list[i]->element), HB_OK);
        const hb_batch sum0 = hb_ciphertexts_component(sum, 0);
        assert_int_equal(hb_add(e, sum0, sum0, c0), HB_OK);
    }
    assert_int_equal(hb_intt(e, total), HB_OK);
    assert_int_equal(
        hb_mod_down_apply(e, sum.all, hb_ciphertexts_component(sum, 0), total, none, &level->down, HB_COEFFICIENT_FORM),
        HB_OK);
    for (int i = 1; i < KEYS; i += 2) { /* the rest is noise: of two switches, and of three roundings */
        assert_int_equal(hb_evaluator_galois(ev, one, a, list[i]), HB_OK);
        assert_int_equal(hb_evaluator_sub(ev, sum, sum, one), HB_OK);
    }
    hb_ciphertexts rest = transformed(&f, sum);
    take_phase(&f, c0, rest.all, &f.secret);
    check_small(&f, c0, 4 * noise_bound(f.params, k));
    hb_batch *const all[] = {&made, &products, &permuted, &total, &c0, &d};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hb_batch_free(e, all[i]);
    }
    for (int i = 0; i < KEYS; i++) {
        hb_switch_key_clear(&keys[i]);
    }
    clear(&f, &a);
    clear(&f, &sum);
    clear(&f, &one);
    clear(&f, &rest);
    hb_evaluator_close(ev);
    close_fixture(&f);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(key_switch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rotations),
        cmocka_unit_test(test_relinearization),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_late_division),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
