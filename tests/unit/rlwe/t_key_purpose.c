/* Keys for every purpose: a switch adds bounded noise, for every source, level and gadget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "reference/hybrid.h"
#include "unit/unit.h"

/* The two secrets that a key of this source is between. */
static void load_secrets(fixture *f, hb_secret_key *from, hb_secret_key *to, hb_key_source source, uint32_t element)
{
    load_permuted(f, to, source == HB_TO_AUTOMORPHISM ? inverse_of(element) : 1);
    load_permuted(f, from, source == HB_FROM_AUTOMORPHISM ? element : 1);
    if (source == HB_FROM_SQUARE) {
        assert_int_equal(hb_mul(f->engine, from->s, from->s, from->s), HB_OK);
    } else if (source == HB_FROM_SECRET) {
        assert_int_equal(hb_copy(f->engine, from->s, f->other.s), HB_OK);
    }
}

/* d_0 + d_1 t - x s' of random x, at the level of k limbs. */
static void check_switch(fixture *f, const hb_switch_key *key, uint32_t k)
{
    enum { COUNT = 2 };
    hb_engine *e = f->engine;
    const hb_gadget_level *level = &f->params->gadget.levels[k];
    hb_secret_key from, to;
    hb_batch made, products, x = polynomials(f, COUNT, k), d = polynomials(f, 2 * COUNT, k),
                             r = polynomials(f, COUNT, k), none = {.data = NULL};
    assert_int_equal(hb_batch_alloc(e, &made, COUNT * level->digits, level->switch_limbs, level->switch_ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &products, 2 * COUNT, level->switch_limbs, level->switch_ids), HB_OK);
    load_secrets(f, &from, &to, key->source, key->element);
    fill(f, x);
    const hb_digits digits = hb_digits_on(e, &f->params->gadget, k, made.data, COUNT);
    assert_int_equal(hb_digits_make(e, digits, x, none, HB_COEFFICIENT_FORM), HB_OK);
    assert_int_equal(hb_switch_key_multiply(e, products, digits, key), HB_OK);
    assert_int_equal(hb_mod_down_apply(e, d, none, products, d, &level->down, HB_NTT_FORM), HB_OK);
    take_phase(f, r, d, &to);
    assert_int_equal(hb_ntt(e, x), HB_OK);
    assert_int_equal(hb_mul(e, x, x, hb_batch_limbs(e, from.s, 0, k)), HB_OK);
    assert_int_equal(hb_intt(e, x), HB_OK);
    assert_int_equal(hb_sub(e, r, r, x), HB_OK);
    check_small(f, r, noise_bound(f->params, k));
    hb_secret_key_clear(&from);
    hb_secret_key_clear(&to);
    hb_batch *const all[] = {&x, &d, &r, &made, &products};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hb_batch_free(e, all[i]);
    }
}

static void test_sources(void **state)
{
    (void)state;
    static const struct {
        hb_key_source source;
        uint32_t element;
    } sources[] = {{HB_FROM_SQUARE, 0}, {HB_FROM_AUTOMORPHISM, 5}, {HB_TO_AUTOMORPHISM, 5}, {HB_FROM_SECRET, 0}};
    for (size_t i = 0; i < KINDS; i++) {
        fixture f;
        open_fixture(&f, kinds[i]);
        for (size_t j = 0; j < sizeof sources / sizeof *sources; j++) {
            hb_switch_key key;
            make_key(&f, &key, sources[j].source, sources[j].element, 0);
            for (uint32_t k = 1; k <= f.params->data_limbs; k++) {
                check_switch(&f, &key, k);
            }
            hb_switch_key_clear(&key);
        }
        close_fixture(&f);
    }
}

/* A key for a level is that level's part of one for all, and lists find the smallest that serves. */
static void test_levels(void **state)
{
    (void)state;
    for (size_t i = 0; i < KINDS; i++) {
        fixture f;
        hb_switch_keys keys = {0};
        open_fixture(&f, kinds[i]);
        hb_switch_key all, some;
        make_key(&f, &all, HB_TO_AUTOMORPHISM, 3, 0);
        make_key(&f, &some, HB_TO_AUTOMORPHISM, 3, 4);
        assert_int_equal(some.limbs, 4);
        assert_true(all.serial != some.serial);
        assert_int_equal(some.parts.limbs, 4 + f.params->special_limbs);
        assert_int_equal(some.parts.count, 2 * f.params->gadget.levels[4].digits);
        for (size_t c = 0; c < some.parts.count; c++) {
            for (uint32_t l = 0; l < some.parts.limbs; l++) {
                const uint32_t of_all = l < 4 ? l : f.params->data_limbs + l - 4;
                assert_memory_equal(some.parts.data + c * some.parts.stride + l * N,
                                    all.parts.data + c * all.parts.stride + of_all * N, N * sizeof(uint64_t));
            }
        }
        check_switch(&f, &some, 4);
        check_switch(&f, &some, 3);
        assert_int_equal(hb_switch_keys_add(&keys, &all), HB_OK);
        assert_int_equal(hb_switch_keys_add(&keys, &some), HB_OK);
        assert_int_equal(hb_switch_keys_find_at(&keys, HB_TO_AUTOMORPHISM, 3, 4)->limbs, 4);
        assert_int_equal(hb_switch_keys_find_at(&keys, HB_TO_AUTOMORPHISM, 3, 5)->limbs, f.params->data_limbs);
        assert_null(hb_switch_keys_find_at(&keys, HB_FROM_AUTOMORPHISM, 3, 1));
        assert_null(hb_switch_keys_find_at(&keys, HB_TO_AUTOMORPHISM, 5, 1));
        assert_null(hb_switch_keys_find(&keys, 3)); /* which is SEAL's */
        hb_switch_keys_clear(&keys);
        close_fixture(&f);
    }
}

/* Keys of every purpose have roots of their own; all levels share one. */
static void test_roots(void **state)
{
    (void)state;
    const hb_gadget gadgets[] = {{.alpha = 1, .data_limbs = 1, .special_limbs = 1},
                                 {.alpha = 1, .data_limbs = 1, .special_limbs = 2}};
    const hb_key_purpose purposes[] = {
        {.source = HB_FROM_SQUARE},
        {.source = HB_FROM_AUTOMORPHISM, .element = 3},
        {.source = HB_FROM_AUTOMORPHISM, .element = 5},
        {.source = HB_TO_AUTOMORPHISM, .element = 3},
        {.source = HB_TO_AUTOMORPHISM, .element = 131071, .gadget = &gadgets[0]},
        {.source = HB_TO_AUTOMORPHISM, .element = 131071, .gadget = &gadgets[1]},
        {.source = HB_FROM_SECRET},
        {.source = HB_TO_SPARSE},
        {.source = HB_FROM_SPARSE},
    };
    enum { COUNT = sizeof purposes / sizeof *purposes };
    const hb_seed root = {{1}};
    hb_seed own[COUNT], again;
    for (int i = 0; i < COUNT; i++) {
        hb_key_purpose lower = purposes[i];
        lower.limbs = 1;
        hb_key_purpose_root(&own[i], &root, &purposes[i]);
        hb_key_purpose_root(&again, &root, &lower);
        assert_memory_equal(&own[i], &again, sizeof again);
        for (int j = 0; j < i; j++) {
            assert_memory_not_equal(&own[i], &own[j], sizeof own[i]);
        }
    }
    const hb_params_spec bfv = {.scheme = HB_BFV};
    hb_switch_key_root(&again, &root, &bfv, 5);
    assert_memory_equal(&own[2], &again, sizeof again);
}

/* A key of another gadget: modulo the first prime and one special prime alone, its digit centred. */
static void test_other_gadget(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, kinds[1]);
    hb_engine *e = f.engine;
    const uint16_t *special = f.params->ids + f.params->data_limbs;
    const hb_gadget_spec spec = {f.params->ids, special, 1, 1, 1, hb_digit_list_even(1, 1), true, 1};
    hb_gadget gadget;
    hb_switch_key key;
    hb_batch made, products, none = {.data = NULL}, x = polynomials(&f, 1, 1), d = polynomials(&f, 2, 1),
                             r = polynomials(&f, 1, 1);
    assert_int_equal(hb_gadget_init(&gadget, &f.params->ring, &spec), HB_OK);
    const hb_key_purpose purpose = {.gadget = &gadget, .source = HB_FROM_SECRET, .other = &f.other};
    assert_int_equal(hb_switch_key_generate_for(&key, &f.secret, &purpose, &f.root, f.seeds), HB_OK);
    assert_int_equal(key.parts.count, 2);
    assert_int_equal(key.parts.limbs, 2);
    assert_int_equal(hb_batch_alloc(e, &made, 1, 2, gadget.levels[1].switch_ids), HB_OK);
    assert_int_equal(hb_batch_alloc(e, &products, 2, 2, gadget.levels[1].switch_ids), HB_OK);
    fill(&f, x);
    const hb_digits digits = hb_digits_on(e, &gadget, 1, made.data, 1);
    assert_int_equal(hb_digits_make(e, digits, x, none, HB_COEFFICIENT_FORM), HB_OK);
    assert_int_equal(hb_switch_key_multiply(e, products, digits, &key), HB_OK);
    assert_int_equal(hb_mod_down_apply(e, d, none, products, d, &gadget.levels[1].down, HB_NTT_FORM), HB_OK);
    take_phase(&f, r, d, &f.secret);
    assert_int_equal(hb_ntt(e, x), HB_OK);
    assert_int_equal(hb_mul(e, x, x, hb_batch_limbs(e, f.other.s, 0, 1)), HB_OK);
    assert_int_equal(hb_intt(e, x), HB_OK);
    assert_int_equal(hb_sub(e, r, r, x), HB_OK);
    check_small(&f, r, N * 19.0 + N);
    hb_batch *const all[] = {&x, &d, &r, &made, &products};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        hb_batch_free(e, all[i]);
    }
    hb_switch_key_clear(&key);
    hb_gadget_clear(&gadget);
    close_fixture(&f);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(key_purpose)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_other_gadget),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
