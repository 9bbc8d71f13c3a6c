/* Joint keys, shares, parts and masks word for word as their definitions in exact integers have them
 * (reference/joint_vectors.py). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "joint/part.h"
#include "joint/receiver.h"
#include "reference/hex.h"
#include "reference/joint_shares.h"
#include "reference/joint_vectors.h"
#include "reference/streams.h"
#include "unit/unit.h"

enum { OWNERS = 3, SEED = 21 };
static const joint_chain chain = {1024, {45, 45, 45, 45, 45, 46}, 6, 1032193};
static void assert_ok(hb_status st)
{
    assert_int_equal(st, HB_OK);
}

static const hb_part_plan plan = {.flood = {70, 56}};

static void open_world(joint_world *w, joint_shares *s)
{
    joint_world_open(w, &chain, OWNERS, SEED);
    joint_threshold(w, 2, SEED);
    joint_deal(w, s);
    for (size_t l = 0; l < sizeof vector_primes / sizeof *vector_primes; l++) {
        assert_int_equal(w->params->spec.primes[l], vector_primes[l]);
    }
}

static void close_world(joint_world *w, joint_shares *s)
{
    joint_shares_free(w, s);
    joint_world_close(w);
}

/* Collects polynomials one behind the other. */
typedef struct words {
    const joint_world *world;
    uint64_t *word;
    size_t count;
} words;

static void put(words *x, hb_batch polynomials)
{
    const size_t n = x->world->params->spec.n, each = polynomials.limbs * n;
    x->word = realloc(x->word, (x->count + polynomials.count * each) * sizeof *x->word);
    assert_non_null(x->word);
    for (size_t c = 0; c < polynomials.count; c++, x->count += each) {
        memcpy(x->word + x->count, polynomials.data + c * polynomials.stride, each * sizeof *x->word);
    }
}

static void put_parts(words *x, const hb_switch_key *key, bool both)
{
    for (size_t i = 0; i < key->parts.count; i += both ? 1 : 2) {
        put(x, hb_batch_slice(key->parts, i, 1));
    }
}

/* Compares, and begins anew. */
static void check(words *x, joint_vector vector)
{
    char hex[2 * HB_DIGEST_BYTES + 1];
    assert_string_equal(words_digest(x->word, x->count, hex), vector_words[vector]);
    free(x->word);
    x->word = NULL;
    x->count = 0;
}

static void keys_are_their_definition(void **state)
{
    (void)state;
    joint_world w;
    joint_shares s;
    uint8_t inputs[HB_DIGEST_BYTES];
    hb_public_key key, sum;
    hb_switch_key rotation, first[OWNERS], second[OWNERS];
    open_world(&w, &s);
    words x = {.world = &w};
    assert_hex(w.id, sizeof w.id, vector_session);
    for (uint32_t i = 0; i < OWNERS; i++) {
        put(&x, w.owner[i].secret.s);
    }
    check(&x, VECTOR_SECRET);
    for (uint32_t i = 0; i < OWNERS; i++) {
        hb_public_key *to = i == 0 ? &sum : &key;
        assert_ok(hb_owner_public(to, &w.owner[i].secret, &w.owner[i].own, w.id));
        put(&x, to->b);
        if (i > 0) {
            assert_ok(hb_joint_add_public(&sum, &key));
            hb_public_key_clear(&key);
        }
    }
    check(&x, VECTOR_PUBLIC);
    put(&x, sum.b);
    put(&x, sum.a);
    check(&x, VECTOR_SUM);
    hb_public_key_clear(&sum);
    assert_ok(hb_owner_rotation(&rotation, &w.owner[1].secret, &w.owner[1].own, w.id, w.rotations[0]));
    put_parts(&x, &rotation, false);
    check(&x, VECTOR_GALOIS);
    hb_switch_key_clear(&rotation);
    memset(inputs, 7, sizeof inputs);
    for (uint32_t i = 0; i < OWNERS; i++) {
        const joint_owner *o = &w.owner[i];
        assert_ok(hb_owner_relin_first(&first[i], &o->secret, &o->own, w.id, w.session.relin_limbs));
    }
    put_parts(&x, &first[2], true);
    check(&x, VECTOR_FIRST);
    assert_ok(hb_joint_add_switch(&first[0], &first[1]));
    assert_ok(hb_joint_add_switch(&first[0], &first[2]));
    for (uint32_t i = 0; i < OWNERS; i++) {
        const joint_owner *o = &w.owner[i];
        assert_ok(hb_owner_relin_second(&second[i], &o->secret, &o->own, &first[0], inputs));
    }
    put_parts(&x, &second[0], true);
    check(&x, VECTOR_SECOND);
    assert_ok(hb_joint_add_switch(&second[0], &second[2]));
    assert_ok(hb_joint_add_switch(&second[0], &second[1]));
    put_parts(&x, &second[0], true);
    check(&x, VECTOR_RELIN);
    for (uint32_t i = 0; i < OWNERS; i++) {
        hb_switch_key_clear(&first[i]);
        hb_switch_key_clear(&second[i]);
    }
    close_world(&w, &s);
}

static void shares_are_their_definition(void **state)
{
    (void)state;
    joint_world w;
    joint_shares s;
    uint8_t inputs[HB_DIGEST_BYTES];
    open_world(&w, &s);
    words x = {.world = &w};
    hb_batch dealt = joint_polynomials(&w, 1 + hb_sharing_checks(w.params)), blinded = joint_polynomials(&w, 2);
    assert_ok(hb_owner_deal(dealt, &w.owner[0].secret, &w.owner[0].own, 2, 2));
    put(&x, dealt);
    check(&x, VECTOR_DEALT);
    memset(inputs, 7, sizeof inputs);
    assert_ok(hb_owner_blind(blinded, &w.owner[1].secret, &w.owner[1].own, &(hb_share_test){1, inputs}));
    put(&x, blinded);
    check(&x, VECTOR_BLINDED);
    for (uint32_t i = 0; i < OWNERS; i++) {
        put(&x, s.share[i]);
    }
    check(&x, VECTOR_SHARES);
    hb_batch_free(w.engine, &dealt);
    hb_batch_free(w.engine, &blinded);
    close_world(&w, &s);
}

/* The part of an owner for a set of them, of the component 1 that the seed 9, 9, .. expands to; and its seed. */
static hb_batch make_part(const joint_world *w, const hb_secret_key *secret, uint32_t owner, const hb_mask_owners *set,
                          hb_seed *seed)
{
    const uint32_t limbs = w->params->data_limbs;
    uint8_t c1_digest[HB_DIGEST_BYTES], context[HB_DIGEST_BYTES];
    hb_part_request request = {.session_id = w->id, .owners = set->owners, .count = set->count, .plan = plan};
    hb_seed expanded;
    hb_batch h;
    memset(c1_digest, 5, sizeof c1_digest);
    memset(&expanded, 9, sizeof expanded);
    hb_part_context(context, &request, c1_digest);
    hb_part_seed(seed, &w->owner[owner].own, context);
    assert_ok(hb_batch_alloc(w->engine, &h, 1, limbs, w->params->ids));
    assert_ok(hb_sample_uniform(w->engine, h, &expanded));
    assert_ok(hb_part_make(w->engine, secret, plan.flood, h, h, seed));
    if (set->root != NULL) {
        hb_masks *masks;
        assert_ok(hb_masks_open(w->engine, w->params, limbs, set, 1, &masks));
        assert_ok(hb_masks_add(masks, h, context, sizeof context));
        hb_masks_close(masks);
    }
    return h;
}

static void check_turned(const joint_world *w, words *x, hb_batch h, const hb_seed *seed)
{
    hb_receiver *receiver;
    hb_public_key sum, key;
    hb_batch h1;
    for (uint32_t i = 0; i < OWNERS; i++) {
        assert_ok(hb_owner_public(i == 0 ? &sum : &key, &w->owner[i].secret, &w->owner[i].own, w->id));
        if (i > 0) {
            assert_ok(hb_joint_add_public(&sum, &key));
            hb_public_key_clear(&key);
        }
    }
    assert_ok(hb_batch_alloc(w->engine, &h1, 1, h.limbs, w->params->ids));
    assert_ok(hb_receiver_open(w->engine, &sum, h.limbs, 1, &receiver));
    assert_ok(hb_receiver_turn(receiver, h, h1, seed));
    put(x, h);
    put(x, h1);
    check(x, VECTOR_TURNED);
    hb_receiver_close(receiver);
    hb_public_key_clear(&sum);
    hb_batch_free(w->engine, &h1);
}

static void parts_are_their_definition(void **state)
{
    (void)state;
    joint_world w;
    joint_shares s;
    hb_seed seed;
    open_world(&w, &s);
    words x = {.world = &w};
    const hb_mask_owners all = {w.cards, OWNERS, 1, NULL};
    hb_batch h = make_part(&w, &w.owner[1].secret, 1, &all, &seed);
    put(&x, h);
    check(&x, VECTOR_PART);
    check_turned(&w, &x, h, &seed);
    hb_batch_free(w.engine, &h);
    const joint_set set = joint_set_of(0x5); /* the first and the last */
    const hb_owner_card cards[] = {w.cards[0], w.cards[2]};
    for (uint32_t k = 0; k < 2; k++) {
        const uint32_t owner = set.owner[k];
        const hb_mask_owners two = {cards, 2, k, &w.owner[owner].root};
        hb_secret_key secret = joint_share_key(&w, &s, &set, k);
        h = make_part(&w, &secret, owner, &two, &seed);
        put(&x, h);
        hb_batch_free(w.engine, &h);
        hb_secret_key_clear(&secret);
    }
    check(&x, VECTOR_MASKED);
    close_world(&w, &s);
}

HB_UNIT(joint_vectors)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_their_definition),
        cmocka_unit_test(shares_are_their_definition),
        cmocka_unit_test(parts_are_their_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
