/* Encryption, decryption and evaluation by members that share the limbs: the words of one that has all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bfv/params.h"
#include "check/fixture.h"
#include "reference/members.h"
#include "ring/galois.h"
#include "unit/unit.h"

enum { COUNT = 3, ROTATIONS = 3 };

static hb_status encryption(side *s, hb_fixture *x)
{
    HB_TRY(hb_encrypt(x->with_secret, x->c0, x->c1, x->seeds, x->plain, &x->root, 0));
    HB_TRY(expect_batch(s, "encrypted with the secret key", x->c0));
    HB_TRY(hb_phase_seeded(x->decryptor, x->phase, x->c0, x->seeds));
    HB_TRY(expect_batch(s, "phase of a seeded ciphertext", x->phase));
    HB_TRY(hb_encrypt(x->with_public, x->c0, x->c1, x->seeds, x->plain, &x->root, COUNT));
    HB_TRY(expect_batch(s, "encrypted with the public key", x->c0));
    HB_TRY(expect_batch(s, "its other component", x->c1));
    HB_TRY(hb_phase(x->decryptor, x->phase, x->c0, x->c1));
    HB_TRY(expect_batch(s, "phase", x->phase));
    HB_TRY(hb_decrypt(x->decryptor, x->plain, x->phase));
    HB_TRY(expect_batch(s, "decrypted", x->plain));
    HB_TRY(hb_decryptor_measure(x->decryptor, x->budgets, x->phase));
    for (size_t c = 0; c < COUNT; c++) {
        const uint64_t budget = x->budgets[c];
        HB_ASSERT(budget > 0);
        HB_TRY(expect_words(s, "noise budget", &budget, 1));
    }
    return HB_OK;
}

static hb_status linear(side *s, hb_fixture *x)
{
    hb_evaluator *v = x->evaluator;
    HB_TRY(hb_evaluator_add(v, x->narrow, x->a, x->b));
    HB_TRY(expect_batch(s, "sum", x->narrow.all));
    HB_TRY(hb_evaluator_sub(v, x->narrow, x->narrow, x->b));
    HB_TRY(hb_evaluator_negate(v, x->narrow, x->narrow));
    HB_TRY(hb_evaluator_multiply_integer(v, x->narrow, x->narrow, -3));
    HB_TRY(expect_batch(s, "difference, times -3", x->narrow.all));
    HB_TRY(hb_evaluator_add_plain(v, x->narrow, x->plain, HB_PLUS));
    HB_TRY(expect_batch(s, "sum with a plaintext", x->narrow.all));
    HB_TRY(hb_evaluator_multiply_plain(v, x->narrow, x->narrow, x->plain));
    HB_TRY(expect_batch(s, "product with a plaintext", x->narrow.all));
    const hb_ciphertexts one = {hb_batch_slice(x->narrow.all, 0, 2), 2, HB_COEFFICIENT_FORM};
    HB_TRY(hb_evaluator_sum(v, one, x->a, true));
    HB_TRY(expect_batch(s, "sum of all", one.all));
    return hb_encrypt(x->with_public, hb_ciphertexts_component(x->a, 0), hb_ciphertexts_component(x->a, 1), NULL,
                      x->plain, &x->root, 0);
}

static hb_status rotations(side *s, hb_fixture *x)
{
    hb_evaluator *v = x->evaluator;
    const size_t n = s->params->ring.n;
    const hb_switch_key *keys[ROTATIONS];
    hb_ciphertexts r[ROTATIONS];
    for (uint32_t i = 0; i < ROTATIONS; i++) {
        keys[i] = hb_switch_keys_find(&x->keys, hb_galois_rotation(n, 3, (int64_t)1 << i));
        r[i] = (hb_ciphertexts){take(s, 2 * COUNT, x->a.all.limbs, x->a.all.ids, 0), 2, HB_COEFFICIENT_FORM};
    }
    HB_TRY(hb_evaluator_rotate(v, x->narrow, x->a, 1, &x->keys));
    HB_TRY(expect_batch(s, "rotated", x->narrow.all));
    HB_TRY(hb_evaluator_rotate(v, x->narrow, x->narrow, 5, &x->keys));
    HB_TRY(expect_batch(s, "rotated by steps", x->narrow.all));
    HB_TRY(hb_evaluator_galois_hoisted(v, r, x->a, keys, ROTATIONS));
    for (uint32_t i = 0; i < ROTATIONS; i++) {
        HB_TRY(expect_batch(s, "hoisted", r[i].all));
    }
    return HB_OK;
}

/* From the level of a down to the last one that exists, in place and not. */
static hb_status products(side *s, hb_fixture *x)
{
    hb_evaluator *v = x->evaluator;
    const hb_params *p = s->params;
    for (uint32_t k = p->data_limbs; k > 0 && p->levels[k].basis.limbs == k; k--) {
        const hb_ciphertexts a = hb_ciphertexts_view(x->a, s->engine, p, 2, COUNT, k);
        const hb_ciphertexts b = hb_ciphertexts_view(x->b, s->engine, p, 2, COUNT, k);
        const hb_ciphertexts wide = hb_ciphertexts_view(x->wide, s->engine, p, 3, COUNT, k);
        const hb_ciphertexts narrow = hb_ciphertexts_view(x->narrow, s->engine, p, 2, COUNT, k);
        const hb_switch_key *key = hb_switch_keys_find(&x->keys, HB_RELINEARIZATION);
        HB_TRY(hb_evaluator_multiply(v, wide, a, b));
        HB_TRY(expect_batch(s, "product", wide.all));
        HB_TRY(hb_evaluator_relinearize(v, narrow, wide, key));
        HB_TRY(expect_batch(s, "relinearized", narrow.all));
        HB_TRY(hb_evaluator_multiply(v, wide, a, a));
        HB_TRY(expect_batch(s, "square", wide.all));
        HB_TRY(hb_evaluator_galois(v, narrow, a, hb_switch_keys_find(&x->keys, hb_galois_rotation(p->ring.n, 3, 1))));
        HB_TRY(expect_batch(s, "rotated at a level", narrow.all));
        if (k == 1 || p->levels[k - 1].basis.limbs == 0) {
            break;
        }
        const hb_ciphertexts below = hb_ciphertexts_view(x->narrow, s->engine, p, 2, COUNT, k - 1);
        HB_TRY(hb_evaluator_mod_switch(v, below, b));
        HB_TRY(hb_evaluator_copy(v, hb_ciphertexts_view(x->b, s->engine, p, 2, COUNT, k - 1), below));
        HB_TRY(expect_batch(s, "switched", below.all));
        const hb_ciphertexts in_place = hb_ciphertexts_view(x->a, s->engine, p, 2, COUNT, k - 1);
        HB_TRY(hb_evaluator_mod_switch(v, in_place, a));
        HB_TRY(expect_batch(s, "switched in place", in_place.all));
    }
    return HB_OK;
}

/* In NTT form, at a level: keys whose automorphism comes first and last, one by one and hoisted. */
static hb_status switching(side *s, hb_fixture *x)
{
    hb_evaluator *v = x->evaluator;
    const uint32_t k = x->a.all.limbs - 1;
    const size_t n = s->params->ring.n;
    const hb_key_purpose purpose = {.limbs = k, .source = HB_TO_AUTOMORPHISM, .element = 25};
    hb_seed seeds[HB_MAX_LIMBS];
    hb_switch_key last;
    hb_ciphertexts wide = {taken(s, 3 * COUNT, k, s->params->ids, 0), 3, HB_NTT_FORM}, r[2],
                   a = {hb_batch_slice(wide.all, 0, 2 * COUNT), 2, HB_NTT_FORM};
    for (int i = 0; i < 2; i++) {
        r[i] = (hb_ciphertexts){take(s, 2 * COUNT, k, s->params->ids, 0), 2, HB_NTT_FORM};
    }
    hb_seed_public(seeds, HB_MAX_LIMBS, &x->root, 0);
    HB_TRY(hb_switch_key_generate_for(&last, &x->secret, &purpose, &x->root, seeds));
    const hb_switch_key *keys[] = {&last, hb_switch_keys_find(&x->keys, hb_galois_rotation(n, 3, 1))};
    hb_status st;
    HB_GOTO(expect_batch(s, "key of a level", last.parts));
    HB_GOTO(hb_evaluator_galois(v, r[0], a, &last));
    HB_GOTO(expect_batch(s, "rotated behind the switch", r[0].all));
    HB_GOTO(hb_evaluator_galois_hoisted(v, r, a, keys, 2));
    HB_GOTO(expect_batch(s, "hoisted in NTT form", r[0].all));
    HB_GOTO(expect_batch(s, "hoisted in NTT form, permuted before", r[1].all));
    HB_GOTO(hb_evaluator_relinearize(v, r[0], wide, hb_switch_keys_find(&x->keys, HB_RELINEARIZATION)));
    HB_GOTO(expect_batch(s, "relinearized in NTT form", r[0].all));
    const hb_ciphertexts below = hb_ciphertexts_view(r[1], s->engine, s->params, 2, COUNT, k - 1);
    HB_GOTO(hb_evaluator_mod_switch(v, below, a));
    st = expect_batch(s, "switched in NTT form", below.all);
done:
    hb_switch_key_clear(&last);
    return st;
}

static hb_status scheme(side *s, const void *with)
{
    const hb_seed root = {{3}};
    hb_fixture x = {0};
    hb_status st;
    (void)with;
    HB_GOTO(hb_fixture_init(&x, s->engine, s->params, &root, COUNT));
    HB_GOTO(expect_batch(s, "secret key", x.secret.s));
    HB_GOTO(expect_batch(s, "public key", x.public_key.b));
    fill(s, x.values);
    HB_GOTO(hb_encode(x.codec, x.plain, x.values));
    HB_GOTO(encryption(s, &x));
    HB_GOTO(hb_fixture_evaluate(&x, ROTATIONS));
    HB_GOTO(expect_batch(s, "relinearization key", hb_switch_keys_find(&x.keys, HB_RELINEARIZATION)->parts));
    HB_GOTO(linear(s, &x));
    HB_GOTO(rotations(s, &x));
    HB_GOTO(switching(s, &x));
    st = products(s, &x);
done:
    hb_fixture_clear(&x);
    return st;
}

/* In whatever order limbs are dealt. */
static void expect_same(const hb_params *params, uint32_t members, uint32_t queues, hb_division division)
{
    for (int order = 0; order < HB_LIMB_ORDERS; order++) {
        performance p = {.spec = &params->spec,
                         .play = scheme,
                         .members = members,
                         .queues = queues,
                         .division = division,
                         .order = (hb_limb_order)order,
                         .cost = members % 2 == 0 ? cost_of_halves() : NULL};
        meeting at;
        meeting_init(&at, members);
        if (perform(&p, &at, NULL) != HB_OK) {
            fail_msg("%u members, way %d, order %d, %u queues: %s", members, (int)division, order, queues,
                     hb_last_error()->text);
        }
        meeting_clear(&at);
    }
}

/* Levels of fewer limbs than members: some have none. */
static void test_scheme(void **state)
{
    (void)state;
    hb_params *params = members_params(1024, (uint32_t[]){45, 36, 60, 45, 36, 59}, 6, 12289);
    assert_true(hb_bfv_of(params)->batching);
    for (uint32_t members = 1; members <= 5; members++) {
        for (int way = HB_DIVIDE_BY_COST; way <= HB_DIVIDE_BY_SLICES; way++) {
            expect_same(params, members, 1, (hb_division)way);
        }
    }
    hb_params_close(params);
}

/* Digits of several primes and several special primes, whose complements are limbs of any owners. */
static hb_params *hybrid(uint32_t special, uint32_t alpha)
{
    hb_params *params = members_params(1024, (uint32_t[]){45, 36, 46, 45, 36, 50, 59, 58, 60}, 9, 12289);
    hb_params_spec spec = params->spec;
    hb_params_close(params);
    spec.special_limbs = special;
    spec.digit_limbs = alpha;
    assert_int_equal(hb_params_open(&spec, &params), HB_OK);
    return params;
}

static void test_hybrid(void **state)
{
    (void)state;
    hb_params *two = hybrid(2, 2), *three = hybrid(3, 3);
    for (uint32_t members = 1; members <= 5; members++) {
        for (int way = HB_DIVIDE_BY_GATHERING; way <= HB_DIVIDE_BY_SLICES; way++) {
            expect_same(two, members, 1, (hb_division)way);
            expect_same(three, members, 1, (hb_division)way);
        }
    }
    expect_same(three, 3, 2, HB_DIVIDE_BY_COST);
    hb_params_close(two);
    hb_params_close(three);
}

static void test_queues(void **state)
{
    (void)state;
    hb_params *params = members_params(2048, (uint32_t[]){40, 41, 42, 43}, 4, 12289);
    expect_same(params, 2, 3, HB_DIVIDE_BY_SLICES);
    expect_same(params, 3, 2, HB_DIVIDE_BY_GATHERING);
    hb_params_close(params);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(divided_scheme)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scheme),
        cmocka_unit_test(test_hybrid),
        cmocka_unit_test(test_queues),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
