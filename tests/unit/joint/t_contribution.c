/* Joint keys under the sum of the secrets, digit by digit; those of one owner are keygen's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "reference/joint_oracle.h"
#include "unit/unit.h"

static const joint_chain chains[] = {
    {1024, {36, 40, 45, 50}, 4, 1032193},
    {2048, {45, 45, 46}, 3, 65537},
    {4096, {36, 36, 36, 37}, 4, 1032193},
};
enum { CHAINS = sizeof chains / sizeof *chains };
static const uint32_t owner_counts[] = {1, 2, 3, 5};
enum { COUNTS = sizeof owner_counts / sizeof *owner_counts };

static void check_keys(joint_world *w)
{
    hb_engine *e = w->engine;
    const hb_params *p = w->params;
    hb_batch x;
    const hb_key_shape *shape = &p->key_shape;
    /* The steps of a relinearization key have three errors, also of one owner. */
    const hb_key_error three = {(2 * shape->norm + 1) * shape->galois.worst,
                                (2 * shape->square + 1) * shape->galois.variance};
    assert_int_equal(hb_batch_alloc(e, &x, 1, p->key_limbs, p->ids), HB_OK);
    assert_int_equal(hb_mul(e, x, w->public_key.a, w->sum.s), HB_OK);
    assert_int_equal(hb_add(e, x, x, w->public_key.b), HB_OK);
    joint_check_error(joint_largest(w, x), shape->public_key, p->spec.n);

    assert_int_equal(hb_mul(e, x, w->sum.s, w->sum.s), HB_OK);
    joint_check_switch_key(w, &w->relin, x, w->session.owners == 1 ? three : shape->relin);
    for (uint32_t k = 0; k < JOINT_ROTATIONS; k++) {
        joint_automorphism(w, x, w->rotations[k].element);
        joint_check_switch_key(w, &w->rotation[k], x, shape->galois);
    }
    hb_batch_free(e, &x);
}

static void joint_keys_are_keys_of_the_sum(void **state)
{
    (void)state;
    for (size_t c = 0; c < CHAINS; c++) {
        for (size_t k = 0; k < COUNTS; k++) {
            joint_world w;
            joint_world_open(&w, &chains[c], owner_counts[k], 7);
            w.session.relin_limbs -= k % 2; /* a lower level too */
            w.rotations[1].limbs = 1;
            joint_make_keys(&w);
            assert_int_equal(w.relin.source, HB_FROM_SQUARE);
            assert_int_equal(w.relin.limbs, w.session.relin_limbs);
            assert_int_equal(w.rotation[1].limbs, 1);
            check_keys(&w);
            joint_world_close(&w);
        }
    }
}

static bool same_words(hb_batch a, hb_batch b)
{
    return a.count == b.count && a.stride == b.stride &&
           memcmp(a.data, b.data, a.count * a.stride * sizeof *a.data) == 0;
}

/* The steps of one owner give what keygen makes of the same roots and seeds. */
static void one_owner_is_keygen(void **state)
{
    (void)state;
    joint_world w;
    joint_world_open(&w, &chains[0], 1, 9);
    joint_make_keys(&w);
    hb_seed common, seed, root, seeds[HB_MAX_LIMBS];
    hb_digest_state digest;
    hb_public_key public_key;
    hb_switch_key rotation;
    hb_digest_begin(&digest, "hebatch crs");
    hb_digest_add(&digest, w.id, sizeof w.id);
    hb_digest_end(&digest, common.bytes);
    hb_seed_derive(&seed, &common, "public");
    assert_int_equal(hb_public_key_generate(&public_key, &w.owner[0].secret, &w.owner[0].own, &seed), HB_OK);
    assert_true(same_words(public_key.a, w.public_key.a) && same_words(public_key.b, w.public_key.b));
    for (uint32_t j = 0; j < w.params->data_limbs; j++) {
        char label[32];
        snprintf(label, sizeof label, "galois 3 %u", (unsigned)j);
        hb_seed_derive(&seeds[j], &common, label);
    }
    hb_switch_key_root(&root, &w.owner[0].own, &w.params->spec, 3);
    assert_int_equal(hb_switch_key_generate(&rotation, &w.owner[0].secret, 3, &root, seeds), HB_OK);
    assert_true(same_words(rotation.parts, w.rotation[0].parts));
    assert_true(rotation.source == w.rotation[0].source && rotation.element == w.rotation[0].element);
    hb_public_key_clear(&public_key);
    hb_switch_key_clear(&rotation);
    joint_world_close(&w);
}

/* Contributions of one round, one after the other and in the other order, and again: the same words. */
static void order_does_not_matter(void **state)
{
    (void)state;
    joint_world w;
    joint_world_open(&w, &chains[1], 3, 11);
    joint_make_keys(&w);
    hb_switch_key sum, more;
    for (uint32_t i = 3; i-- > 0;) {
        const joint_owner *o = &w.owner[i];
        assert_int_equal(hb_owner_rotation(i == 2 ? &sum : &more, &o->secret, &o->own, w.id, w.rotations[0]), HB_OK);
        if (i < 2) {
            assert_int_equal(hb_joint_add_switch(&sum, &more), HB_OK);
            hb_switch_key_clear(&more);
        }
    }
    assert_true(same_words(sum.parts, w.rotation[0].parts));
    hb_switch_key_clear(&sum);
    joint_world_close(&w);
}

/* Round 2 for other inputs has other errors, and the same words for the same ones; no two owners, sessions or steps
 * draw the same. */
static void draws_depend_on_what_they_are_for(void **state)
{
    (void)state;
    joint_world w;
    joint_world_open(&w, &chains[1], 2, 13);
    const joint_owner *o = w.owner;
    const uint32_t limbs = w.session.relin_limbs;
    hb_switch_key first, again, second[3];
    uint8_t inputs[HB_DIGEST_BYTES] = {1}, other[HB_DIGEST_BYTES] = {2};
    assert_int_equal(hb_owner_relin_first(&first, &o[0].secret, &o[0].own, w.id, limbs), HB_OK);
    assert_int_equal(hb_owner_relin_first(&again, &o[0].secret, &o[0].own, w.id, limbs), HB_OK);
    assert_true(same_words(first.parts, again.parts));
    hb_switch_key_clear(&again);
    assert_int_equal(hb_owner_relin_first(&again, &o[0].secret, &o[1].own, w.id, limbs), HB_OK);
    assert_false(same_words(first.parts, again.parts));
    assert_int_equal(hb_owner_relin_second(&second[0], &o[0].secret, &o[0].own, &first, inputs), HB_OK);
    assert_int_equal(hb_owner_relin_second(&second[1], &o[0].secret, &o[0].own, &first, inputs), HB_OK);
    assert_int_equal(hb_owner_relin_second(&second[2], &o[0].secret, &o[0].own, &first, other), HB_OK);
    assert_true(same_words(second[0].parts, second[1].parts));
    assert_false(same_words(second[0].parts, second[2].parts));
    hb_seed roots[4];
    w.id[0] ^= 1;
    hb_owner_root(&roots[0], &o[0].root, w.id);
    hb_owner_root(&roots[1], &o[1].root, w.id);
    roots[2] = o[0].own;
    roots[3] = o[1].own;
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < i; j++) {
            assert_memory_not_equal(&roots[i], &roots[j], sizeof roots[0]);
        }
    }
    for (size_t i = 0; i < 3; i++) {
        hb_switch_key_clear(&second[i]);
    }
    hb_switch_key_clear(&first);
    hb_switch_key_clear(&again);
    joint_world_close(&w);
}

/* Contributions go through files as keys do. */
static void contributions_survive_packing(void **state)
{
    (void)state;
    joint_world w;
    joint_world_open(&w, &chains[0], 2, 15);
    const joint_owner *o = &w.owner[1];
    const size_t bytes = hb_switch_key_packed_bytes(w.params);
    uint8_t *h0 = malloc(bytes), *h1 = malloc(bytes);
    hb_switch_key first, copy;
    assert_int_equal(hb_owner_relin_first(&first, &o->secret, &o->own, w.id, w.params->data_limbs), HB_OK);
    assert_int_equal(hb_switch_key_pack(&first, h0, h1), HB_OK);
    const hb_key_purpose purpose = {.limbs = first.limbs, .source = HB_FROM_SECRET};
    const hb_packed_key packed = {.b = h0, .a = h1};
    assert_int_equal(hb_switch_key_load_for(&copy, w.engine, w.params, &purpose, &packed), HB_OK);
    assert_true(same_words(first.parts, copy.parts));
    assert_int_equal(hb_joint_add_switch(&copy, &first), HB_OK);
    hb_switch_key_clear(&first);
    hb_switch_key_clear(&copy);
    free(h0);
    free(h1);
    joint_world_close(&w);
}

HB_UNIT(contribution)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joint_keys_are_keys_of_the_sum), cmocka_unit_test(one_owner_is_keygen),
        cmocka_unit_test(order_does_not_matter),          cmocka_unit_test(draws_depend_on_what_they_are_for),
        cmocka_unit_test(contributions_survive_packing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
