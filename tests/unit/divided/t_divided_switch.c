/* Key switching by members that share the limbs: the words of one that has all, over the integers and by hybrid digits,
 * and the transfers that it takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/fixture.h"
#include "reference/members.h"
#include "scheme/evaluator.h"
#include "unit/unit.h"

enum { COUNT = 3 };

typedef struct operands {
    hb_fixture fixture;
    hb_evaluator *evaluator;
    hb_ciphertexts wide, r[2];
} operands;

/* One level: relinearized, rotated, rotated in place, added, hoisted. */
static hb_status switch_level(side *s, operands *x, uint32_t k)
{
    const hb_params *p = s->params;
    const hb_switch_key *relinearization = hb_switch_keys_find(&x->fixture.keys, HB_RELINEARIZATION);
    const hb_switch_key *keys[] = {hb_switch_keys_find(&x->fixture.keys, 3), hb_switch_keys_find(&x->fixture.keys, 9)};
    const hb_ciphertexts wide = hb_ciphertexts_view(x->wide, s->engine, p, 3, COUNT, k),
                         a = hb_ciphertexts_view(x->wide, s->engine, p, 2, COUNT, k),
                         r[] = {hb_ciphertexts_view(x->r[0], s->engine, p, 2, COUNT, k),
                                hb_ciphertexts_view(x->r[1], s->engine, p, 2, COUNT, k)};
    fill(s, wide.all);
    HB_TRY(hb_evaluator_relinearize(x->evaluator, r[0], wide, relinearization));
    HB_TRY(expect_batch(s, "relinearized", r[0].all));
    HB_TRY(hb_evaluator_galois(x->evaluator, r[1], a, keys[0]));
    HB_TRY(expect_batch(s, "rotated", r[1].all));
    HB_TRY(hb_evaluator_galois(x->evaluator, r[1], r[1], keys[1]));
    HB_TRY(expect_batch(s, "rotated in place", r[1].all));
    HB_TRY(hb_evaluator_galois_add(x->evaluator, r[1], r[0], keys[0]));
    HB_TRY(expect_batch(s, "rotated and added", r[1].all));
    HB_TRY(hb_evaluator_galois_hoisted(x->evaluator, r, a, keys, 2));
    HB_TRY(expect_batch(s, "hoisted", r[0].all));
    return expect_batch(s, "hoisted, the other one", r[1].all);
}

static hb_status open_operands(side *s, operands *x, size_t most)
{
    const hb_params *p = s->params;
    const hb_seed root = {{5}};
    const hb_evaluator_requirements requirements = {
        .limbs = p->data_limbs, .count = most, .switching = true, .hoisting = true};
    HB_TRY(hb_fixture_init(&x->fixture, s->engine, p, &root, 1));
    HB_TRY(hb_fixture_add_key(&x->fixture, HB_RELINEARIZATION));
    HB_TRY(hb_fixture_add_key(&x->fixture, 3));
    HB_TRY(hb_fixture_add_key(&x->fixture, 9));
    x->wide = (hb_ciphertexts){take(s, 3 * COUNT, p->data_limbs, p->ids, 0), 3, HB_COEFFICIENT_FORM};
    for (int i = 0; i < 2; i++) {
        x->r[i] = (hb_ciphertexts){take(s, 2 * COUNT, p->data_limbs, p->ids, 0), 2, HB_COEFFICIENT_FORM};
    }
    return hb_evaluator_open(s->engine, p, &requirements, &x->evaluator);
}

/* At the highest level and every seventh; `with`: how many ciphertexts the evaluator has room for at a time. */
static hb_status switching(side *s, const void *with)
{
    const hb_params *p = s->params;
    operands x = {.evaluator = NULL};
    hb_status st;
    HB_GOTO(open_operands(s, &x, *(const size_t *)with));
    for (uint32_t i = 0; i < x.fixture.keys.count; i++) {
        HB_ASSERT((x.fixture.keys.key[i].integers.count > 0) == hb_params_switch_by_integers(p));
    }
    for (uint32_t k = p->data_limbs; k > 0 && p->levels[k].basis.limbs == k; k--) {
        HB_GOTO(k % 7 == 1 || k == p->data_limbs ? switch_level(s, &x, k) : HB_OK);
    }
    st = HB_OK;
done:
    hb_evaluator_close(x.evaluator);
    hb_fixture_clear(&x.fixture);
    return st;
}

/* In whatever order limbs are dealt. */
static void expect_same(const performance *of)
{
    performance p = *of;
    for (int order = 0; order < HB_LIMB_ORDERS; order++) {
        meeting at;
        meeting_init(&at, p.members);
        p.order = (hb_limb_order)order;
        if (perform(&p, &at, NULL) != HB_OK) {
            fail_msg("%u members, way %d, order %d, %u queues: %s", p.members, (int)p.division, order, p.queues,
                     hb_last_error()->text);
        }
        meeting_clear(&at);
    }
}

/* Chains of both arithmetics, whose keys are integers on any number of members, and on few. */
static void integers_give_the_same(void **state)
{
    static const struct {
        uint32_t bits, limbs;
        size_t most;
        uint32_t members;
    } chains[] = {{50, 24, 1, 5}, {58, 17, COUNT, 5}, {50, 14, COUNT, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
        uint32_t bits[HB_MAX_LIMBS];
        for (uint32_t l = 0; l < chains[i].limbs; l++) {
            bits[l] = chains[i].bits;
        }
        hb_params *params = members_params(1024, bits, chains[i].limbs, 12289);
        performance p = {.spec = &params->spec, .play = switching, .with = &chains[i].most, .queues = 1};
        for (p.members = 1; p.members <= 5; p.members++) {
            p.cost = p.members % 2 == 0 ? cost_of_halves() : NULL;
            assert_true((hb_params_integers(params, p.members).limbs > 0) == (p.members <= chains[i].members));
            expect_same(&p);
        }
        p.members = p.queues = 2; /* each queue the whole script */
        expect_same(&p);
        hb_params_close(params);
    }
}

/* Where each member has few primes of the base, blocks are as many as suit that. */
static void shapes_suit_members(void **state)
{
    (void)state;
    uint32_t bits[HB_MAX_LIMBS];
    for (uint32_t l = 0; l < 31; l++) {
        bits[l] = 50;
    }
    hb_params *params = members_params(1024, bits, 31, 12289);
    for (uint32_t members = 1; members <= 8; members++) {
        const hb_key_switch_shape shape = hb_params_integers(params, members);
        assert_true(shape.limbs > 0 && shape.each * shape.blocks >= 31 && shape.each * (shape.blocks - 1) < 31);
        assert_true(shape.limbs % members == 0 || shape.limbs > 2 * members);
        assert_int_equal(hb_params_divide(params, members), HB_OK);
        assert_int_equal(params->key_switch_integer.basis.limbs, shape.limbs);
        assert_int_equal(params->key_switch_integer.blocks, shape.blocks);
        assert_true(params->map.most_limbs >= shape.blocks * shape.limbs);
    }
    assert_int_equal(hb_params_integers(params, 1).limbs, 6); /* 8 blocks of 4 limbs: 276 bits */
    assert_int_equal(hb_params_integers(params, 1).blocks, 8);
    hb_params_close(params);
}

static int start(void **state)
{
    (void)state;
    return hb_seed_start() != HB_OK;
}

HB_UNIT(divided_switch)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_give_the_same),
        cmocka_unit_test(shapes_suit_members),
    };
    return cmocka_run_group_tests(tests, start, NULL);
}
